// A rank stands in its document's circle, or is not printed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARK } from 'lb/kinds';
import { Painter } from 'lb/paint';
import { fakeContext, fakePaths } from './context.js';
import { sceneOf } from './scene.js';
import { Telling } from './telling.js';

fakePaths();
const DIGIT = { w: 5.72, h: 6.94 };

/** The ranks printed over the documents of one retrieval, with the circles that they stand in. @param {number} lane @param {number[]} ranks */
function printed(lane, ranks) {
  const told = new Telling();
  told.said('a').routed('ask').event('retrieved');
  for (const rank of ranks) {
    told.node(`doc:d${rank}`, 'doc');
    told.edge(`recall:${told.seq}.${rank}`, 'recall', 'utterance:1', `doc:d${rank}`, { stage: 'prompt', score: 1, rank, query: 'q', score_kind: 'cosine' });
  }
  const scene = sceneOf(told.map, 1, 1 + 976 / lane);
  const ctx = fakeContext();
  /** @type {{text: string, x: number, y: number}[]} */
  const texts = [];
  ctx.fillText = (text, x, y) => texts.push({ text, x, y });
  new Painter().paint(ctx, fakeContext(), scene, true);
  const { marks } = told.map;
  const docs = Array.from({ length: marks.size }, (_, mark) => mark).filter((mark) => marks.kind.data[mark] === MARK.DOC);
  return docs.flatMap((mark, i) => {
    const text = texts.find(({ text: told, x, y }) => told === String(ranks[i]) && Math.abs(x - scene.x(mark)) < 1 && Math.abs(y - scene.y(mark)) < 2);
    return text ? [{ text: text.text, r: scene.radius(mark) }] : [];
  });
}

test('a rank never runs over the edge of its circle', () => {
  for (let lane = 43; lane < 200; lane += 3) {
    for (const { text, r } of printed(lane, [1, 7, 10, 42, 123])) {
      assert.ok(Math.hypot((text.length * DIGIT.w) / 2, DIGIT.h / 2) < r, `${text} in a circle of ${r}, lane ${lane}`);
    }
  }
});

test('what has room is printed', () => {
  assert.deepEqual(printed(44, [1, 10]).map(({ text }) => text), ['1']);
  assert.deepEqual(printed(80, [1, 10, 42]).map(({ text }) => text), ['1', '10', '42']);
});
