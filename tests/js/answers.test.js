// Answers of one turn share a mark that tells how many they are; each can be reached.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hitTest } from 'lb/hit';
import { MARK } from 'lb/kinds';
import { Painter } from 'lb/paint';
import { alongRow, selectionOf } from 'lb/picking';
import { explain } from 'lb/words';
import { fakeContext, fakePaths } from './context.js';
import { sceneOf } from './scene.js';
import { Telling } from './telling.js';

fakePaths();

/** One answer, then ten, then one. */
function told() {
  const story = new Telling();
  story.said('a').routed('ask').recalled('prompt', { a: 0.9, b: 0.8 }).answered('a').said('b').recalled('prompt', { a: 0.9, b: 0.8 });
  for (let i = 0; i < 10; i++) story.answered(i % 2 ? 'a' : 'b');
  return story.said('c').answered();
}

/** @param {import('lb/fold').DialogueMap} map */
function answersOf({ marks }) {
  return Array.from({ length: marks.size }, (_, mark) => mark).filter((mark) => marks.kind.data[mark] === MARK.ANSWER);
}

test('ten answers are one mark with their number, and one answer has none', () => {
  const { map } = told();
  const scene = sceneOf(map, 1, 14);
  const ctx = fakeContext();
  new Painter().paint(ctx, ctx, scene, true);
  assert.deepEqual(ctx.texts.filter((text) => text.startsWith('×')), ['×10']);
  const [alone, ...ten] = answersOf(map).map((mark) => JSON.stringify(scene.box(mark)));
  assert.equal(new Set(ten.slice(0, 10)).size, 1, 'the same place');
  assert.ok(JSON.parse(ten[0]).w > JSON.parse(alone).w);
});

test('at a moment between them it tells of those that were given', () => {
  const { map } = told();
  const answers = answersOf(map);
  const scene = sceneOf(map, 1, 14);
  scene.seq = map.marks.seq.data[answers[3]];
  const ctx = fakeContext();
  new Painter().paint(ctx, ctx, scene, true);
  assert.deepEqual(ctx.texts.filter((text) => text.startsWith('×')), ['×3']);
});

test('a line leads to the mark from each document that any of them used, once', () => {
  const lines = (/** @type {Telling} */ story) => {
    const ctx = fakeContext();
    new Painter().paint(ctx, ctx, sceneOf(story.map, 1, 14), true);
    return ctx.calls.quadraticCurveTo;
  };
  const two = new Telling().said('a').recalled('prompt', { a: 0.9, b: 0.8 }).answered('a', 'b');
  const ten = new Telling().said('a').recalled('prompt', { a: 0.9, b: 0.8 });
  for (let i = 0; i < 10; i++) ten.answered('a', 'b');
  assert.equal(lines(ten), lines(two));
});

test('a point on it is the first of them, keys reach each, and its tooltip lists all', () => {
  const { map } = told();
  const scene = sceneOf(map, 1, 14);
  const answers = answersOf(map);
  const box = scene.box(answers[1]);
  assert.ok(box);
  const hit = hitTest(scene, box.x + 1, box.y + box.h / 2);
  assert.equal(hit?.sel.id, 'answer:2');
  for (let at = 1; at < 11; at++) assert.equal(alongRow(map, answers[at], 1), answers[at + 1]);
  const words = explain(scene, selectionOf(map, answers[4]), 'en');
  for (let i = 1; i <= 10; i++) assert.ok(words.includes(` · ${i} ok`), words);
  assert.ok(!explain(scene, selectionOf(map, answers[0]), 'en').includes(' · '));
});
