// The list of events: which are shown, where the current one stands, what each says in one line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventRows, idsOf, keptOf, summaryOf } from 'lb/eventlist_rows';
import { DialogueMap } from 'lb/fold';
import { EVENT_KINDS, EVENT_NUMBER } from 'lb/kinds';
import { STRINGS } from 'lb/strings';
import { Telling } from './telling.js';

/** @typedef {import('lb/eventlist_rows').Choice} Choice */

/** @type {Choice} */
const ALL = { sign: '', passes: () => true, blamed: () => new Set() };
/** @param {string[]} kinds @returns {Choice} */
const only = (...kinds) => ({ sign: kinds.join(), passes: (kind) => kinds.includes(kind), blamed: () => new Set() });

function talk() {
  return new Telling().said('一').routed('a').assigned('x', 1).answered().said('二').routed('b').read('x').answered(); // 8 events
}

/** @param {EventRows} rows */
const seqs = (rows) => Array.from({ length: rows.length }, (_, i) => rows.seq(i));

test('without a choice every event has its row', () => {
  const rows = new EventRows();
  rows.take(talk().map, ALL);
  assert.deepEqual(seqs(rows), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual([rows.place(1), rows.place(8), rows.place(99)], [0, 7, 7]);
});

test('a choice shows what passes, and the moment stands at the last before it', () => {
  const rows = new EventRows();
  const telling = talk();
  rows.take(telling.map, only('answered', 'slot_read'));
  assert.deepEqual(seqs(rows), [4, 7, 8]);
  assert.deepEqual([rows.place(3), rows.place(4), rows.place(6), rows.place(7)], [-1, 0, 0, 1]);
  telling.said('三').answered();
  rows.take(telling.map, only('answered', 'slot_read'));
  assert.deepEqual(seqs(rows), [4, 7, 8, 10], 'what is new is added');
  rows.take(telling.map, only('turn_started'));
  assert.deepEqual(seqs(rows), [1, 5, 9]);
  rows.take(telling.map, ALL);
  assert.equal(rows.length, 10);
});

test('anomalies alone are the evidence of findings, and the gaps', () => {
  const telling = talk();
  telling.event('gap');
  const rows = new EventRows();
  rows.take(telling.map, { sign: 'bad', passes: (_, anomalous) => anomalous, blamed: () => new Set([3, 7]) });
  assert.deepEqual(seqs(rows), [3, 7, 9]);
});

test('what has left the map is not guessed at', () => {
  const { map } = talk();
  map.apply({ d: 'retire', turn: 1, before: 5 });
  const rows = new EventRows();
  rows.take(map, only('intent_routed'));
  assert.deepEqual(seqs(rows), [6]);
  rows.take(map, ALL);
  assert.equal(rows.length, 8, 'without a choice it keeps its row: the server has it');
});

test('a million events are chosen from without a row for each', () => {
  const map = DialogueMap.empty('s');
  const n = 1_000_000;
  const read = /** @type {number} */ (EVENT_NUMBER.get('slot_read'));
  const failed = /** @type {number} */ (EVENT_NUMBER.get('failed'));
  map.momentKind.fill(Uint8Array.from({ length: n }, (_, i) => (i % 1000 === 999 ? failed : read)));
  map.momentTurn.fill(new Int32Array(n));
  map.momentAt.fill(new Float64Array(n));
  map.cursor.seq = n;
  const rows = new EventRows();
  rows.take(map, only('failed'));
  assert.equal(rows.length, 1000);
  assert.deepEqual([rows.seq(0), rows.seq(999), rows.place(n), rows.place(1999)], [1000, n, 999, 0]);
});

test('every kind of event has a name in both languages', () => {
  for (const kind of EVENT_KINDS) for (const words of [STRINGS.zh, STRINGS.en]) assert.ok(words[`event.${kind}`], kind);
});

test('intents, slots and documents go by one name, whichever event gave it', () => {
  const names = new Map([['slot:brand', '产品线'], ['intent:price', '价格查询'], ['doc:kb-1', '价目表']]);
  const line = (/** @type {Record<string, unknown>} */ signal) => summaryOf(/** @type {any} */ ({ seq: 1, at: 0, signal }), (id) => names.get(id) ?? '');
  assert.equal(line({ kind: 'slot_assigned', slot: 'brand', label: '产品线', value: '轻语' }), '产品线 = 轻语');
  assert.equal(line({ kind: 'slot_read', slot: 'brand' }), '产品线');
  assert.equal(line({ kind: 'slot_cleared', slot: 'brand' }), '产品线');
  assert.equal(line({ kind: 'slot_read', slot: 'other' }), 'other');
  assert.equal(line({ kind: 'intent_routed', intent: 'price', confidence: 0.5 }), '价格查询 · 0.50');
  assert.equal(line({ kind: 'retrieved', query: 'q', docs: [{ id: 'kb-1' }] }), 'q · 价目表 · 1 document');
  assert.deepEqual(idsOf(/** @type {any} */ ({ signal: { kind: 'retrieved', docs: [{ id: 'kb-1' }, null, { id: 3 }] } })), ['kb-1']);
  assert.deepEqual(idsOf(/** @type {any} */ ({ signal: { kind: 'answered', docs: ['kb-1', 'kb-2'] } })), ['kb-1', 'kb-2']);
});

test('an event says in one line what it is about', () => {
  const line = (/** @type {Record<string, unknown>} */ signal) => summaryOf(/** @type {any} */ ({ seq: 1, at: 0, signal }));
  assert.equal(line({ kind: 'slot_assigned', slot: 'phone', label: '手机号', value: null }), '手机号 = ∅ null');
  assert.equal(line({ kind: 'intent_routed', intent: 'refund', confidence: 0.5, condition: 'x = null' }), 'refund · x = null · 0.50');
  assert.equal(line({ kind: 'retrieved', query: 'how?', docs: [{ id: 'kb-1' }] }), 'how? · kb-1 · 1 document');
  assert.equal(line({ kind: 'failed', where: 'router', error: 'KeyError' }), 'router: KeyError');
  assert.equal(line({ kind: 'gap', first: 3, last: 39, source: 'p', why: 'dropped' }), '37 missing · dropped · p');
  assert.equal(line({ kind: 'raw', name: 'odd', data: { a: 1 } }), 'odd {"a":1}');
  for (const kind of [...EVENT_KINDS, 'of the future']) assert.equal(typeof line({ kind }), 'string', `${kind} without fields`);
});

test('where a line has no room it is cut before the number or the value that it ends in', () => {
  const kept = (/** @type {string} */ kind, /** @type {string} */ line) => {
    const n = keptOf(kind, line);
    return n ? line.slice(-n) : '';
  };
  const query = '流量到底怎么回事'.repeat(9);
  assert.equal(kept('retrieved', `重排序 · ${query} · 价目表 · 12 篇文档`), ' · 12 篇文档');
  assert.equal(kept('retrieved', `reranked · ${query} · 3 documents`), ' · 3 documents');
  assert.equal(kept('intent_routed', `${query} · x = null · 0.62`), ' · 0.62');
  assert.equal(kept('slot_assigned', `${query} = 轻语`), ' = 轻语');
  assert.equal(kept('slot_assigned', `工单号 = ${query} T20250612-07`), 'T20250612-07', 'of a long value its own end');
  assert.equal(kept('answered', `${query}一共是 129元`), '129元');
  assert.equal(kept('turn_started', `${query}，一共 1,500 元`), '1,500 元');
  assert.equal(kept('turn_started', query), '');
  assert.equal(kept('turn_started', ''), '');
  assert.ok(keptOf('answered', `x${'9'.repeat(400)}`) <= 24, 'never most of the line');
});
