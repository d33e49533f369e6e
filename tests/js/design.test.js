// A design over the score: what of the server's answer is drawn where, and that without one nothing is drawn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paintDesign } from 'lb/design_paint';
import { shownOf } from 'lb/design_shown';
import { Painter } from 'lb/paint';
import { fakeContext, fakePaths } from './context.js';
import { sceneOf } from './scene.js';
import { long } from './telling.js';

fakePaths();

/** @param {string} status @param {string} message @param {number} event @param {Record<string, unknown>} [more] */
const step = (status, message, event, more = {}) => ({ status, message, label: `do ${message}`, line: 3, condition: '', event, kind: '', name: '', ...more });

const REPORT = {
  conforms: false,
  blind: false,
  matched: 3,
  read_as: [
    { message: 'm1', label: 'hi', kind: 'utterance', name: '', by: 'ends' },
    { message: 'm2', label: 'classify', kind: 'route', name: '', by: 'words' },
    { message: 'm3', label: 'clearSlots', kind: 'clear', name: '', by: 'words' },
    { message: 'm4', label: 'dispatch', kind: 'dispatch', name: '', by: 'words' },
    { message: 'm5', label: 'think', kind: '', name: '', by: '' },
  ],
  turns: [
    { turn: 1, conforms: true, fault: '', steps: [step('matched', 'm1', 1), step('matched', 'm2', 2), step('matched', 'm4', 2)] },
    { turn: 2, conforms: false, fault: '', steps: [step('matched', 'm1', 9), step('missing', 'm3', 0), step('extra', '', 11, { kind: 'write', name: 'slot' }), step('elsewhere', 'm4', 12)] },
  ],
};

test('a mark bears all the messages that it is, and the worse of two signs', () => {
  const { turns, apart, unmapped } = shownOf(REPORT, 'k', 'flow.puml');
  assert.deepEqual(turns.get(1)?.badges.get(2), { status: 'matched', label: 'm2 m4' });
  assert.deepEqual([...(turns.get(2)?.badges ?? [])].map(([event, { status }]) => [event, status]), [[9, 'matched'], [11, 'extra'], [12, 'elsewhere']]);
  assert.deepEqual(turns.get(2)?.ghosts.map(({ kind, label, status }) => [kind, label, status]), [['clear', 'm3', 'missing'], ['dispatch', 'm4', 'elsewhere']]);
  assert.equal(turns.get(2)?.told, '−m3 m4 +1');
  assert.deepEqual([apart, unmapped], [[2], ['m5 think']]);
});

test('missing steps are outlined, and each lane has its strip', () => {
  const scene = sceneOf(long(40, 4), 1, 10);
  const bare = fakeContext();
  paintDesign(bare, scene);
  assert.equal(bare.total(), 0, 'without a design nothing is drawn');
  scene.design = shownOf(REPORT, 'k', 'flow.puml');
  const ctx = fakeContext();
  paintDesign(ctx, scene);
  assert.equal(ctx.calls.roundRect, 2, 'one outline a place');
  assert.ok((ctx.calls.stroke ?? 0) >= 4);
});

test('a frame without a design asks nothing of it', () => {
  const scene = sceneOf(long(40, 4), 1, 10);
  const one = fakeContext();
  new Painter().paint(one, one, scene, true);
  scene.design = shownOf(REPORT, 'k', 'flow.puml');
  const two = fakeContext();
  new Painter().paint(two, two, scene, true);
  assert.ok(two.total() > one.total());
  scene.design = null;
  const three = fakeContext();
  new Painter().paint(three, three, scene, true);
  assert.deepEqual(three.calls, one.calls);
});

test('far out the turns that went otherwise are ticks', () => {
  const scene = sceneOf(long(600, 2), 1, 601);
  scene.design = shownOf(REPORT, 'k', 'flow.puml');
  const ctx = fakeContext();
  paintDesign(ctx, scene);
  assert.equal(ctx.calls.fillRect, 1);
  assert.equal(ctx.calls.roundRect ?? 0, 0);
});

test('what was moved by the map stays where it is', () => {
  const map = long(40, 4);
  const scene = sceneOf(map, 1, 10);
  const before = Array.from(map.marks.kind.data.slice(0, map.marks.size), (_, mark) => scene.box(mark));
  scene.design = shownOf(REPORT, 'k', 'flow.puml');
  scene.begin();
  assert.deepEqual(Array.from(before, (_, mark) => scene.box(mark)), before);
});
