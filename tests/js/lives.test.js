import assert from 'node:assert/strict';
import { test } from 'node:test';
import { livesOf } from 'lb/lives';
import { Painter } from 'lb/paint';
import { fakeContext, fakePaths } from './context.js';
import { sceneOf } from './scene.js';
import { Telling } from './telling.js';

fakePaths();

/** @param {Telling} told @returns {[unknown, number, number, boolean][]} value, since, until, whether undone; of the first slot */
function lives({ map }) {
  const { edge } = map.marks;
  return livesOf(map.rows.of.state[0], map.marks, map.undone).map(({ write, from, to, undone }) => [write < 0 ? 'never' : map.edges.props[edge.data[write]].value, from, to, undone]);
}

/** Ends of the lines along the first slot's row. @param {Telling} told @param {number} [seq] */
function lines(told, seq = Infinity) {
  const scene = sceneOf(told.map, 1, 7);
  scene.seq = seq;
  scene.refresh();
  scene.begin();
  const ctx = fakeContext();
  const { state } = scene;
  assert.ok(state);
  const y = scene.layout.y(state, 0);
  /** @type {[number, number][]} */
  const found = [];
  let from = [0, 0];
  ctx.moveTo = (x, line) => void (from = [x, line]);
  ctx.lineTo = (x, line) => void (from[1] === y && line === y && found.push([from[0], x]));
  new Painter().paint(ctx, ctx, scene, true);
  return { found, scene };
}

test('a value that was undone ends there, and the one before it goes on', () => {
  const told = new Telling().said('a').routed('i').assigned('s', 'old').said('b').assigned('s', 'new');
  told.undid(5).said('c').assigned('s', 'next');
  assert.deepEqual(lives(told), [['old', 3, 5, false], ['new', 5, 6, true], ['old', 6, 8, false], ['next', 8, Infinity, false]]);
});

test('undoing what was undone before, and the first write, brings back what held', () => {
  const told = new Telling().said('a').assigned('s', 1).said('b').assigned('s', 2).undid(4).assigned('s', 3);
  told.undid(6);
  assert.deepEqual(lives(told).at(-1), [1, 7, Infinity, false]);
  told.undid(1);
  assert.deepEqual(lives(told).at(-2), [1, 7, 8, true]);
  assert.deepEqual(lives(told).at(-1), ['never', 8, Infinity, false]);
  assert.equal(told.map.node('slot:s')?.props.value, null);
});

test('no line is drawn on after an undoing that leaves nothing, and none is missing before it', () => {
  const told = new Telling().said('a').assigned('s', 'v').said('b').undid(1).said('c').said('d');
  const { found, scene } = lines(told);
  const end = scene.layout.x(3);
  assert.ok(found.length > 0 && found.every(([, to]) => to <= end), JSON.stringify(found));
  assert.ok(found.some(([from, to]) => from < scene.layout.x(2) && to > scene.layout.x(2)));
  const before = lines(told, 3).found;
  assert.ok(before.some(([, to]) => to > scene.layout.x(2)), 'as of the event before, the value holds');
});

test('the value that came back is drawn to the end', () => {
  const told = new Telling().said('a').assigned('s', 'old').said('b').assigned('s', 'new').undid(4).said('c').said('d');
  const { found, scene } = lines(told);
  assert.ok(found.some(([from, to]) => from >= scene.layout.x(2) && to >= scene.layout.x(5)), JSON.stringify(found));
});
