// What two moments differ in: the page says what the map's own query says, and who did it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { differenceOf, endOf, momentsOf, same, slotsBetween, staleBetween } from 'lb/diff';
import { membersBetween } from 'lb/diff_values';
import { DialogueMap } from 'lb/fold';
import { readPlace, writePlace } from 'lb/link';
import { Telling } from './telling.js';

const VECTORS = new URL('../vectors/', import.meta.url);
/** @type {{name: string, session: string, deltas: any[], differences: [number, number, Record<string, string[]>][]}[]} */
const vectors = readdirSync(VECTORS).filter((name) => name.endsWith('.json')).map((name) => JSON.parse(readFileSync(new URL(name, VECTORS), 'utf8')));

/** @param {string} name */
function folded(name) {
  const vector = vectors.find((each) => each.name === name);
  assert.ok(vector);
  const map = DialogueMap.empty(vector.session);
  for (const delta of vector.deltas) map.apply(delta);
  return map;
}

test('the vectors have every kind of change', () => {
  const seen = new Set(vectors.flatMap(({ differences }) => differences.flatMap(([, , difference]) => Object.keys(difference).filter((kind) => difference[kind]?.length))));
  assert.deepEqual([...seen].sort(), ['added', 'changed', 'deleted', 'rewritten', 'stale']);
});

for (const { name, differences } of vectors) {
  test(`${name}: slots differ as the map's side says`, () => {
    const map = folded(name);
    for (const [before, after, expected] of differences) {
      const slots = slotsBetween(map, before, after);
      const found = Object.fromEntries(['added', 'changed', 'deleted', 'rewritten'].map((change) => [change, slots.filter((slot) => slot.change === change).map((slot) => slot.name)]));
      found.stale = [...new Set(staleBetween(map, before, after).map((read) => read.name))].sort();
      assert.deepEqual(found, expected, `from ${before} to ${after}`);
    }
  });
}

/** Two turns: in the second the brand is read and written, one slot cleared, one set anew, one kept. */
function story() {
  const told = new Telling();
  told.said('一').routed('after_sale').assigned('brand', 'x').assigned('phone', 1).assigned('month', 5);
  told.recalled('prompt', { a: 0.9, b: 0.8 });
  told.said('二').routed('price').read('brand').assigned('brand', 'y').assigned('phone', 1, 'same').assigned('month', null, 'cleared').assigned('plan', 'B');
  told.recalled('prompt', { b: 0.9, c: 0.5 });
  return told.map;
}

test('each change names the event, the turn and the intent that did it, with the value before and after', () => {
  const { slots } = differenceOf(story(), 6, 14);
  assert.deepEqual(slots.map(({ change, name, old, new: now, turn, by }) => [change, name, old, now, turn, by]), [
    ['changed', 'brand', 'x', 'y', 2, 'intent:price'],
    ['deleted', 'month', 5, undefined, 2, 'intent:price'],
    ['rewritten', 'phone', 1, 1, 2, 'intent:price'],
    ['added', 'plan', undefined, 'B', 2, 'intent:price'],
  ]);
  assert.deepEqual(slots.map(({ seq }) => seq), [10, 12, 11, 13]);
});

test('the other way round added is deleted, and the event that did it stays the same', () => {
  const { slots } = differenceOf(story(), 14, 6);
  assert.deepEqual(slots.map(({ change, name, seq }) => [change, name, seq]), [['changed', 'brand', 10], ['added', 'month', 12], ['rewritten', 'phone', 11], ['deleted', 'plan', 13]]);
});

test('what an undoing gave back was done by it, not by the write of before', () => {
  const [phone] = slotsBetween(folded('undoing'), 7, 10);
  assert.deepEqual([phone?.name, phone?.change, phone?.new, phone?.seq, phone?.by], ['month', 'deleted', undefined, 8, '']);
});

test('a stale read tells why, who read, and where the value was written', () => {
  const reads = differenceOf(folded('differing'), 6, 15).stale;
  assert.deepEqual(reads.map(({ name, why, by, written }) => [name, why, by, written.turn]), [['brand', 'task', 'intent:price', 1], ['code', 'turn', 'intent:price', 1]]);
  const expired = differenceOf(folded('slots'), 10, 14).stale;
  assert.deepEqual(expired.map(({ name, why }) => [name, why]), [['brand', 'expired']]);
});

test('intents entered and left, documents in and out', () => {
  const map = story();
  const { flow, docs } = differenceOf(map, 6, 14);
  assert.deepEqual([flow.from, flow.to], ['intent:after_sale', 'intent:price']);
  assert.deepEqual(flow.entered.map(({ id, turn }) => [id, turn]), [['intent:price', 2]]);
  assert.deepEqual(flow.left.map(({ id, turn }) => [id, turn]), [['intent:after_sale', 1]]);
  assert.deepEqual([docs.into.map(({ id }) => id), docs.out.map(({ id }) => id)], [['doc:c'], ['doc:a']]);
  const back = differenceOf(map, 14, 6);
  assert.deepEqual([back.docs.into.map(({ id }) => id), back.docs.out.map(({ id }) => id)], [['doc:a'], ['doc:c']]);
});

test('documents at hand at both moments that changed rank or use are told', () => {
  const told = new Telling();
  told.said('一').recalled('vector', { a: 0.9, b: 0.8, c: 0.1, d: 0.1 }).recalled('prompt', { a: 0.9, b: 0.8, c: 0.5 }).answered('a');
  told.said('二').recalled('vector', { a: 0.9, b: 0.8, c: 0.7 }).recalled('prompt', { b: 0.9, a: 0.8, c: 0.5 });
  told.answered('b');
  const { map } = told;
  /** @param {number} a @param {number} b */
  const moved = (a, b) => differenceOf(map, a, b).docs.moved.map(({ id, rank, use, was }) => [id, was.rank, rank, was.use, use]);
  const { into, out, kept } = differenceOf(map, 4, 8).docs;
  assert.deepEqual([into, out, kept], [[], [], 3], 'the same documents are at hand');
  assert.deepEqual(moved(4, 8), [['doc:b', 2, 1, 'prompt', 'used'], ['doc:a', 1, 2, 'used', 'prompt']], 'but another leads, and is used');
  assert.deepEqual(moved(7, 8), [['doc:b', 1, 1, 'prompt', 'used']], 'its use alone');
  assert.deepEqual(moved(8, 8), []);
  // No stage after the search, no prompt told: what was found is at hand, by its rank.
  const bare = new Telling().said('一').recalled('vector', { a: 0.9, b: 0.8 }).said('二').recalled('vector', { b: 0.9, a: 0.8 });
  assert.deepEqual(differenceOf(bare.map, 2, 4).docs.moved.map(({ id, rank, use, was }) => [id, was.rank, rank, use]), [['doc:b', 2, 1, 'kept'], ['doc:a', 1, 2, 'kept']]);
});

test('without pins the turn shown stands against the one before', () => {
  const map = story();
  const none = { a: null, b: null };
  assert.deepEqual(momentsOf(map, none, { playhead: null, turn: 0 }), { a: 6, b: 14 });
  assert.deepEqual(momentsOf(map, none, { playhead: 3, turn: 0 }), { a: 0, b: 3 });
  assert.deepEqual(momentsOf(map, none, { playhead: null, turn: 1 }), { a: 0, b: 6 }, 'the selected turn');
  assert.deepEqual(momentsOf(map, none, { playhead: 9, turn: 1 }), { a: 6, b: 9 }, 'the moment shown goes before the selection');
  assert.deepEqual(momentsOf(map, { a: 2, b: null }, { playhead: 9, turn: 0 }), { a: 2, b: 9 });
  assert.deepEqual(momentsOf(map, { a: 99, b: 99 }, { playhead: null, turn: 0 }), { a: 14, b: 14 }, 'no moment lies behind the last event');
  assert.equal(endOf(map, 1), 6);
});

test('a moment compared with itself differs in nothing', () => {
  const { slots, stale, flow, docs } = differenceOf(story(), 9, 9);
  assert.deepEqual([slots, stale, flow.entered, flow.left, docs.into, docs.out], [[], [], [], [], [], []]);
});

test('values are equal whatever the order of their keys, and true is not 1', () => {
  assert.ok(same({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] }));
  assert.ok(!same({ a: 1 }, { b: 1 }) && !same([1], { 0: 1 }) && !same(true, 1) && !same(null, {}) && !same([1, 2], [2, 1]));
});

test('lists are compared by what is in them, objects by their names', () => {
  const signs = (/** @type {unknown} */ old, /** @type {unknown} */ now) => membersBetween(old, now).map(({ path, sign, old: was, new: is }) => [path, sign, was ?? is]);
  assert.deepEqual(signs(['a', 'b', 'a'], ['a', 'b', 'c']), [['', '−', 'a'], ['', '+', 'c']]);
  assert.deepEqual(signs([1, 2], [2, 1]), [['', '⇅', undefined]]);
  assert.deepEqual(signs({ fee: 59, gift: ['x'], old: 1 }, { fee: 69, gift: ['x'], neu: { a: 1 } }), [['fee', '→', 59], ['old', '−', 1], ['neu', '+', { a: 1 }]]);
  assert.deepEqual(signs({ plan: { fee: 1 } }, { plan: { fee: 2 } }), [['plan.fee', '→', 1]]);
  assert.deepEqual(signs('a', 'b'), []);
  assert.deepEqual(signs({ a: 1 }, [1]), []);
  assert.deepEqual(signs(JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 2}')), [['__proto__', '→', 1]]);
});

test('both moments and the table are in the link', () => {
  for (const place of [{ compared: { a: 12, b: 40 } }, { compared: { a: 0, b: null } }, { compared: { a: null, b: 9 } }, { table: true }, {}]) assert.deepEqual(readPlace(writePlace(place)), place);
  for (const wrong of ['ab=', 'ab=1', 'ab=x_2', 'ab=1_2_3', 'ab=12345678901234567_2', 'view=', 'view=tabl']) assert.deepEqual(readPlace(wrong), {});
});
