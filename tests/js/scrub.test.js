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
