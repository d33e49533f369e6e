import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScrubLayout, ScrubPainter } from 'lb/scrub';
import { fakeContext, fakePaths } from './context.js';
import { sceneOf } from './scene.js';
import { Telling } from './telling.js';

fakePaths();

test('on the timeline each finding keeps its glyph where others have taken the tracks', () => {
  const told = new Telling();
  for (let t = 1; t <= 40; t++) {
    told.said(`t${t}`).routed('i', 0.9).assigned('brand', `v${t}`);
    // Three that begin before the first of them ends: there are two tracks.
    const since = new Map([[17, 12], [21, 14], [35, 16]]).get(t);
    if (since) told.found('overwrite', since, [`assign:${told.seq}`], {});
  }
  const layout = new ScrubLayout();
  layout.width = 900;
  layout.span({ first: 1, end: 41, least: 13 });
  const sheets = { ground: { ctx: fakeContext() }, bars: { ctx: fakeContext() }, window: { ctx: fakeContext() }, signs: { ctx: fakeContext() } };
  new ScrubPainter().paint(sheets, sceneOf(told.map, 9, 22), layout, { window: { from: 9, to: 22 }, playhead: null, live: true }, true);
  assert.equal(sheets.signs.ctx.calls.translate, 6); // there and back
});

test('a range that begins where another one stands is closed off from it', () => {
  const told = new Telling();
  for (let t = 1; t <= 40; t++) {
    told.said(`t${t}`).routed('i', 0.9).assigned('brand', `v${t}`);
    // The first two fill both tracks; the third begins in the turn in which the second ends, and is shown behind it.
    const since = new Map([[19, 10], [18, 12], [35, 18]]).get(t);
    if (since) told.found('overwrite', since, [`assign:${told.seq}`], {});
  }
  const layout = new ScrubLayout();
  layout.width = 900;
  layout.span({ first: 1, end: 41, least: 13 });
  const sheets = { ground: { ctx: fakeContext() }, bars: { ctx: fakeContext() }, window: { ctx: fakeContext() }, signs: { ctx: fakeContext() } };
  /** @type {{x: number, y: number, w: number, h: number}[]} */
  const drawn = [];
  const { ctx } = sheets.signs;
  const rect = ctx.fillRect;
  ctx.fillRect = (x, y, w, h) => {
    drawn.push({ x, y, w, h });
    rect(x, y, w, h);
  };
  new ScrubPainter().paint(sheets, sceneOf(told.map, 9, 22), layout, { window: { from: 9, to: 22 }, playhead: null, live: true }, true);
  const ranges = drawn.filter(({ w, h, y }) => h === 2 && w > 14 && y < 40);
  const glyph = layout.x(18.5);
  const after = ranges.find(({ x, y, w }) => x > glyph && ranges.some((other) => other !== ranges.find((range) => range.x === x) && other.y === y && other.x + other.w <= glyph) && x + w > layout.x(34));
  assert.ok(after, 'one begins behind the glyph of another, on its track');
  assert.ok(after.x - (glyph + 7.5) >= 4, 'the ground shows between the two');
  const closing = drawn.find(({ x, y, w, h }) => w <= 2 && h >= 8 && Math.abs(x + w / 2 - after.x) <= 1 && y < after.y && y + h > after.y + 2);
  assert.ok(closing, 'a bar across the track where it begins');
});

test('turns on the axis are told evenly: each one, every other one, or every fifth', () => {
  /** @param {number} turns @param {number} width */
  const axis = (turns, width) => {
    const told = new Telling();
    for (let t = 1; t <= turns; t++) told.said(`t${t}`).routed('i', 0.9);
    const layout = new ScrubLayout();
    layout.width = width;
    layout.span({ first: 1, end: turns + 1, least: 13 });
    const sheets = { ground: { ctx: fakeContext() }, bars: { ctx: fakeContext() }, window: { ctx: fakeContext() }, signs: { ctx: fakeContext() } };
    /** @type {string[]} */
    const words = [];
    for (const { ctx } of Object.values(sheets)) ctx.fillText = (/** @type {string} */ word) => words.push(word);
    new ScrubPainter().paint(sheets, sceneOf(told.map, 1, 14), layout, { window: { from: 1, to: 14 }, playhead: null, live: true }, true);
    return words.filter((word) => /^\d+$/.test(word)).join(' ');
  };
  assert.equal(axis(9, 600), '1 2 3 4 5 6 7 8 9');
  assert.equal(axis(12, 420), '1 3 5 7 9 11');
  for (const width of [600, 800, 930])
    assert.equal(axis(40, width), '1 5 10 15 20 25 30 35 40');
});
