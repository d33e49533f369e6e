import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { AskBases, SESSION } from 'lb/ask_bases';

/** @type {Map<string, string>} */
let stored;
let full = false;

beforeEach(() => {
  stored = new Map();
  full = false;
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    value: {
      getItem: (/** @type {string} */ name) => stored.get(name) ?? null,
      setItem: (/** @type {string} */ name, /** @type {string} */ value) => { if (full) throw new Error('full'); stored.set(name, value); },
      removeItem: (/** @type {string} */ name) => stored.delete(name),
    },
  });
});

const api = /** @type {any} */ ({ get: async () => ({ bases: [{ id: 'graph:films', kind: 'graph', name: 'films', error: '' }], largest: 100 }) });

test('a dropped diagram is sent with its text and stored only where that is wanted', () => {
  const bases = new AskBases();
  const id = bases.take('a.puml', 'A -> B: x');
  assert.deepEqual(bases.request('', null), { base: 'dropped', diagram: { name: 'a.puml', text: 'A -> B: x' } });
  assert.ok(![...stored.values()].some((value) => value.includes('A -> B')));
  assert.equal(bases.keepHere(id, true), true);
  assert.equal(new AskBases().dropped.get(id)?.text, 'A -> B: x');
  bases.remove(id);
  assert.equal(new AskBases().dropped.size, 0);
  assert.equal(bases.id, SESSION);
});

test('where the browser has no room it is said to be kept nowhere', () => {
  const bases = new AskBases();
  const id = bases.take('a.puml', 'A -> B: x');
  full = true;
  assert.equal(bases.keepHere(id, true), false);
  assert.equal(bases.dropped.get(id)?.kept, false);
});

test('the oldest of six dropped diagrams goes, and one of the same name takes its place', () => {
  const bases = new AskBases();
  for (const n of [1, 2, 3, 4, 5, 6]) bases.take(`${n}.puml`, 'x');
  assert.deepEqual([...bases.dropped.keys()].map((id) => id.slice(-6)), ['2.puml', '3.puml', '4.puml', '5.puml', '6.puml']);
  bases.take('4.puml', 'y');
  assert.equal(bases.dropped.size, 5);
  assert.equal(bases.dropped.get('dropped:4.puml')?.text, 'y');
});

test('a base that is no longer there gives way to the session', async () => {
  stored.set('lingbot-map.ask.base', 'graph:gone');
  const bases = new AskBases();
  await bases.load(api);
  assert.equal(bases.id, SESSION);
  bases.choose('graph:films');
  const later = new AskBases();
  await later.load(api);
  assert.equal(later.id, 'graph:films');
  assert.deepEqual(later.request('', null), { base: 'graph:films' });
});

test('what somebody else left in the storage does no harm', () => {
  for (const value of ['{', '{}', '[1, null, {"name": 1}]', '"x"']) {
    stored.set('lingbot-map.ask.diagrams', value);
    assert.equal(new AskBases().dropped.size, 0);
  }
});
