import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARK } from 'lb/kinds';
import { alongLane, alongLink, alongRow, markOf, marksOf, selectionOf, turnsOf } from 'lb/picking';
import { reach } from 'lb/reach';
import { sceneOf } from './scene.js';
import { Telling } from './telling.js';

function story() {
  const told = new Telling();
  told.said('a').routed('plan').assigned('phone', '138');
  told.said('b').routed('bill').read('phone').recalled('reranked', { x: 0.9, y: 0.4 }).answered('x');
  told.said('c').routed('plan').recalled('reranked', { y: 0.9 }, 'q3').answered('y');
  return told.map;
}

/** @param {import('lb/fold').DialogueMap} map @param {number} kind @param {number} turn @param {string} [id] */
function find(map, kind, turn, id) {
  const { marks } = map;
  for (let i = 0; i < marks.size; i++) if (marks.kind.data[i] === kind && marks.turn.data[i] === turn && (!id || map.ids[marks.node.data[i]] === id)) return i;
  throw new Error('no such mark');
}

test('a trail counts links up and down, and not back down from a cause', () => {
  const map = story();
  const write = find(map, MARK.WRITE, 1);
  const { trail, hops } = reach(map.marks, [write]);
  assert.equal(trail[write], 1);
  assert.equal(trail[find(map, MARK.VISIT, 1)], 2, 'who wrote it');
  assert.equal(trail[find(map, MARK.READ, 2)], 2, 'who read it');
  assert.equal(trail[find(map, MARK.VISIT, 2)], 3, 'for whom');
  assert.equal(trail[find(map, MARK.QUESTION, 2)], 4, 'what it asked then');
  assert.equal(trail[find(map, MARK.DOC, 2, 'doc:x')], 0, 'four links away');
  assert.deepEqual(hops, [2, 2, 2]);
  assert.equal(hops[0] + hops[1] + hops[2] + 1, trail.filter(Boolean).length);
});

test('an effect of a cause of the start is off the trail', () => {
  const map = story();
  const { trail } = reach(map.marks, [find(map, MARK.DOC, 2, 'doc:x')]);
  assert.equal(trail[find(map, MARK.QUESTION, 2)], 2);
  assert.equal(trail[find(map, MARK.DOC, 2, 'doc:y')], 0);
});

test('what came after the playhead is not reached', () => {
  const map = story();
  const write = find(map, MARK.WRITE, 1);
  const read = find(map, MARK.READ, 2);
  const { trail } = reach(map.marks, [write], map.marks.seq.data[read] - 1);
  assert.equal(trail[read], 0);
});

test('a circle ends', () => {
  const told = new Telling();
  for (let i = 0; i < 50; i++) told.said('').routed(i % 2 ? 'a' : 'b').assigned('s', i).read('s');
  const { hops } = reach(told.map.marks, [find(told.map, MARK.VISIT, 25)]);
  assert.ok(hops.every((n) => n > 0 && n < 20), String(hops));
});

test('every mark is found again from what it is selected as', () => {
  const map = story();
  for (let mark = 0; mark < map.marks.size; mark++) assert.equal(markOf(map, selectionOf(map, mark)), mark);
});

test('a selection by a later stage, an edge, a row and a turn finds its marks', () => {
  const told = new Telling();
  told.said('a').routed('plan').recalled('vector', { x: 0.5 }).recalled('reranked', { x: 0.8 });
  const { map } = told;
  const doc = find(map, MARK.DOC, 1);
  assert.equal(markOf(map, { kind: 'node', id: 'doc:x', turn: 1, seq: told.seq }), doc);
  assert.equal(markOf(map, { kind: 'edge', id: `recall:${told.seq}.1`, turn: 1, seq: told.seq }), doc);
  assert.deepEqual(marksOf(map, { kind: 'node', id: 'doc:x', turn: 1, seq: 0 }), [doc]);
  assert.equal(marksOf(map, { kind: 'turn', id: '1', turn: 1, seq: 0 }).length, 4);
  assert.deepEqual(marksOf(map, { kind: 'node', id: 'doc:nowhere', turn: 1, seq: 3 }), []);
  assert.deepEqual(turnsOf(map, { kind: 'edge', id: `recall:${told.seq}.1`, turn: 1, seq: told.seq }), [1, 1]);
});

test('keys walk along the row, down the lane and along links', () => {
  const map = story();
  const scene = sceneOf(map, 1, 14);
  const plan = find(map, MARK.VISIT, 1);
  assert.equal(alongRow(map, plan, 1), find(map, MARK.VISIT, 3));
  assert.equal(alongRow(map, plan, -1), -1);
  assert.equal(alongRow(map, find(map, MARK.UTTERANCE, 2), 1), find(map, MARK.UTTERANCE, 3));
  assert.equal(alongLane(scene, find(map, MARK.UTTERANCE, 2), 1), find(map, MARK.VISIT, 2));
  assert.equal(alongLane(scene, find(map, MARK.VISIT, 2), 1), find(map, MARK.READ, 2));
  assert.equal(alongLink(map, find(map, MARK.READ, 2), -1), find(map, MARK.WRITE, 1));
  assert.equal(alongLink(map, find(map, MARK.WRITE, 1), 1), find(map, MARK.READ, 2));
});
