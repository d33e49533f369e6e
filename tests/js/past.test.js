// What the inspector tells of a node, as of a moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spans } from 'lb/events';
import { DialogueMap } from 'lb/fold';
import { blamedSeqs, decidingStage, docsOfTurn, findingsAbout, lifeOf, overwritesOf, recallsOf, seqsOfTurn, sizeOf, visitsOf } from 'lb/past';
import { Telling } from './telling.js';

/** @typedef {import('lb/types').Edge} Edge */

let seq = 0;
const map = DialogueMap.empty('s');

/** @param {string} kind @param {number} turn @param {any[]} deltas */
function event(kind, turn, ...deltas) {
  seq += 1;
  map.apply({ d: 'applied', seq, at: 1000 + seq, turn, kind, source: 'a', n: seq });
  for (const delta of deltas) map.apply(delta);
}
/** @param {string} id @param {string} kind @param {string} layer @param {number} turn @param {object} [props] @param {string} [label] */
const node = (id, kind, layer, turn, props = {}, label = id) => ({ d: 'node', node: { id, kind, layer, label, turn, seq: seq + 1, created_at: 0, updated_at: 0, expires_at: null, expired: false, props } });
/** @param {string} id @param {string} kind @param {string} layer @param {string} source @param {string} target @param {number} turn @param {object} props */
const edge = (id, kind, layer, source, target, turn, props = {}) => ({ d: 'edge', edge: { id, kind, layer, source, target, turn, seq: seq + 1, at: 0, props } });

event('turn_started', 1, { d: 'turn', turn: { number: 1, id: 'a', seq: 1, at: 1, said_at: null } }, node('utterance:1', 'utterance', 'flow', 1, { text: '你好' }, '你好，Ｐｌａｎ B'));
event('intent_routed', 1, node('intent:ask', 'intent', 'flow', 1, { confidence: 0.9 }, '询问'), edge('jump:2', 'jump', 'flow', 'utterance:1', 'intent:ask', 1, { confidence: 0.9 }));
event('slot_assigned', 1, node('slot:brand', 'slot', 'state', 1, { value: 'a', set: true }, '产品线'), edge('assign:3', 'assign', 'state', 'intent:ask', 'slot:brand', 1, { value: 'a', change: 'set' }));
event('slot_read', 1, edge('read:4', 'read', 'state', 'slot:brand', 'intent:ask', 1, { value: 'a' }));
event('turn_started', 2, { d: 'turn', turn: { number: 2, id: 'b', seq: 5, at: 2, said_at: null } }, node('utterance:2', 'utterance', 'flow', 2, {}, '再来'));
event('intent_routed', 2, edge('jump:6', 'jump', 'flow', 'utterance:2', 'intent:ask', 2, { confidence: 0.4 }), edge('move:6', 'jump', 'flow', 'intent:ask', 'intent:ask', 2, {}));
event(
  'slot_assigned',
  2,
  edge('assign:7', 'assign', 'state', 'intent:ask', 'slot:brand', 2, { value: 'b', old: 'a', change: 'changed' }),
  edge('overwrite:7', 'overwrite', 'state', 'slot:brand', 'slot:brand', 2, { old: 'a', new: 'b' }),
  { d: 'finding', finding: { id: 'overwrite:7', code: 'LM301', kind: 'overwrite', since: 1, turn: 2, seq: 7, at: 0, nodes: ['slot:brand'], edges: ['overwrite:7'], seqs: [3, 7], facts: {}, reason: { en: 'e', zh: 'z' } } },
);
event('slot_cleared', 2, edge('assign:8', 'assign', 'state', 'intent:ask', 'slot:brand', 2, { value: null, change: 'cleared' }));
event('retrieved', 2, node('doc:x', 'doc', 'knowledge', 2), node('doc:y', 'doc', 'knowledge', 2), edge('recall:9.1', 'recall', 'knowledge', 'utterance:2', 'doc:x', 2, { stage: 'reranked', score: 0.9, rank: 1 }), edge('recall:9.2', 'recall', 'knowledge', 'utterance:2', 'doc:y', 2, { stage: 'reranked', score: 0.2, rank: 2, dropped_because: 'weak' }));
event('retrieved', 2, edge('recall:10.1', 'recall', 'knowledge', 'utterance:2', 'doc:x', 2, { stage: 'vector', score: 0.3, rank: 5 }));
event('answered', 2, node('answer:2', 'answer', 'knowledge', 2), edge('merge:11.1', 'merge', 'knowledge', 'doc:x', 'answer:2', 2));

test('visits and moves are told apart, and none is shown before its time', () => {
  assert.deepEqual(visitsOf(map, 'intent:ask', Infinity).visits.map(({ turn }) => turn), [1, 2]);
  assert.deepEqual(visitsOf(map, 'intent:ask', Infinity).moves.map(({ id }) => id), ['move:6']);
  assert.deepEqual(visitsOf(map, 'intent:ask', 5).visits.length, 1);
});

test("a slot's life is its writes, reads and clearings in order", () => {
  assert.deepEqual(lifeOf(map, 'slot:brand', Infinity).map(({ what }) => what), ['write', 'read', 'write', 'cleared']);
  assert.deepEqual(lifeOf(map, 'slot:brand', 4).map(({ what }) => what), ['write', 'read']);
  assert.deepEqual([...overwritesOf(map, 'slot:brand', Infinity).keys()], [7]);
  assert.equal(overwritesOf(map, 'slot:brand', 6).size, 0);
});

test("a document's stages stand in the order it passes them, and the re-ranker's score decides", () => {
  const [recall] = recallsOf(map, 'doc:x', Infinity);
  assert.deepEqual(recall?.stages.map(({ props }) => props.stage), ['vector', 'reranked']);
  assert.equal(recall?.used, true);
  assert.equal(recall && decidingStage(recall)?.props.score, 0.9);
  assert.equal(recallsOf(map, 'doc:x', 10)[0]?.used, false, 'the answer had not been given');
});

test('an answer has the documents it used, and those cut with the reason', () => {
  const { used, cut } = docsOfTurn(map, 2, Infinity, 'answer:2');
  assert.deepEqual(used.map(({ doc }) => doc), ['doc:x']);
  assert.deepEqual(cut.map(({ doc, why }) => [doc, why]), [['doc:y', 'weak']]);
});

test('what was in the prompt and not used was not cut', () => {
  const told = new Telling().said('q').recalled('vector', { a: 0.9, b: 0.8, c: 0.1 }).recalled('prompt', { a: 0.9, b: 0.8 }).answered('b');
  const { used, prompt, cut } = docsOfTurn(told.map, 1, Infinity);
  assert.deepEqual([used, prompt, cut].map((docs) => docs.map(({ doc }) => doc)), [['doc:b'], ['doc:a'], ['doc:c']]);
  const early = docsOfTurn(told.map, 1, 3);
  assert.deepEqual([early.used, early.prompt, early.cut].map((docs) => docs.map(({ doc }) => doc)), [[], ['doc:a', 'doc:b'], ['doc:c']], 'before the answer');
});

test('findings show where their evidence is, and not before they were found', () => {
  assert.deepEqual(findingsAbout(map, { id: 'slot:brand' }, Infinity).map(({ id }) => id), ['overwrite:7']);
  assert.deepEqual(findingsAbout(map, { id: 'slot:brand' }, 6), []);
  assert.deepEqual(findingsAbout(map, { seqs: seqsOfTurn(map, 1) }, Infinity).length, 1, 'the stale value was written in turn 1');
  assert.deepEqual(findingsAbout(map, { seqs: [8, 11] }, Infinity), []);
  assert.deepEqual([...blamedSeqs(map, Infinity)], [3, 7]);
});

test('a turn ends before the next begins', () => {
  assert.deepEqual(seqsOfTurn(map, 1), [1, 4]);
  assert.deepEqual(seqsOfTurn(map, 2), [5, 11]);
});

test('raw events are fetched in few requests, none over a thousand', () => {
  assert.deepEqual(spans([3, 7, 40, 300]), [[3, 40], [300, 300]]);
  const many = spans(Array.from({ length: 2500 }, (_, i) => i + 1));
  assert.ok(many.length === 3 && many.every(([from, to]) => to - from < 1000));
});

test('what is counted is what had happened by the moment', () => {
  const early = sizeOf(map, 3);
  assert.deepEqual([early.turns, early.nodes, early.edges, early.events, early.at], [1, 3, 2, 3, 1003]);
  const now = sizeOf(map, Infinity);
  assert.deepEqual([now.turns, now.nodes, now.edges, now.events, now.at], [map.lastTurn, map.nodes.size, map.edgeCount, map.cursor.seq, map.at]);
});
