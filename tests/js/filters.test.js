// What filters leave out, on the map as in the list of events, and how much that is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Filters } from 'lb/filters';
import { MARK } from 'lb/kinds';
import { LEVEL } from 'lb/ink';
import { hitTest } from 'lb/hit';
import { Painter } from 'lb/paint';
import { fakeContext, fakePaths } from './context.js';
import { sceneOf } from './scene.js';
import { Telling } from './telling.js';

/** Two turns; what the first wrote leaks into the second. */
function told() {
  const story = new Telling().said('一').routed('a').assigned('brand', '星途').recalled('reranked', { x: 0.9, y: 0.4 }).answered('x');
  story.said('二').routed('b', 0.4).assigned('city', '北京').read('brand');
  return story.found('leak', 1, [`read:${story.seq}`], {}).answered('x').map;
}

test('nothing is left out at first, and a reset leaves nothing out again', () => {
  const filters = new Filters();
  let heard = 0;
  filters.listen(() => heard++);
  assert.equal(filters.active, false);
  assert.equal(filters.write(), '');
  filters.toggle('read');
  filters.only({ anomalies: true });
  filters.only({ fresh: true });
  assert.equal(filters.active, true);
  assert.equal(filters.write(), 'anomalies,fresh,-read');
  filters.reset();
  assert.equal(filters.active, false);
  assert.equal(heard, 4);
});

test('a link brings the same filters back, and what it does not know is left out', () => {
  const filters = new Filters();
  filters.read('fresh,-doc,-answer,-nothing,everything');
  assert.deepEqual([...filters.hidden].sort(), ['answer', 'doc']);
  assert.equal(filters.anomalies, false);
  const other = new Filters();
  other.read(filters.write());
  assert.equal(other.write(), filters.write());
});

test('events pass by kind, layer and anomaly', () => {
  const filters = new Filters();
  assert.equal(filters.passesEvent('slot_read', false), true);
  filters.useLayers({ flow: true, state: false, knowledge: true });
  assert.equal(filters.passesEvent('slot_read', false), false);
  assert.equal(filters.passesEvent('turn_started', false), true, 'what was said is of no layer');
  filters.toggle('intent');
  assert.equal(filters.passesEvent('intent_routed', true), false);
  filters.only({ anomalies: true });
  assert.equal(filters.passesEvent('retrieved', false), false);
  assert.equal(filters.passesEvent('retrieved', true), true);
  filters.toggle('other');
  assert.equal(filters.passesEvent('policy_set', true), false);
});

test('layers that stay as they are are no news', () => {
  const filters = new Filters();
  let heard = 0;
  filters.listen(() => heard++);
  filters.useLayers({ flow: true, state: true, knowledge: true });
  assert.equal(heard, 0);
  filters.useLayers({ flow: true, state: false, knowledge: true });
  assert.equal(heard, 1);
});

/** @param {import('lb/fold').DialogueMap} map */
const kinds = (map) => Array.from({ length: map.marks.size }, (_, mark) => map.marks.kind.data[mark]);

test('what is left out is neither drawn nor hit, counted, and rows keep their place', () => {
  const map = told();
  const scene = sceneOf(map, 1, 8);
  const filters = new Filters();
  scene.filters = filters;
  scene.begin();
  const write = kinds(map).indexOf(MARK.WRITE);
  const row = scene.y(write);
  const box = /** @type {import('lb/scene').Box} */ (scene.box(write));
  assert.ok(hitTest(scene, box.x + box.w / 2, row));
  filters.toggle('write');
  scene.begin();
  assert.equal(scene.level(write), LEVEL.HIDDEN);
  assert.equal(scene.y(write), row);
  const hit = hitTest(scene, box.x + box.w / 2, row);
  assert.notEqual(hit?.sel.seq, map.marks.seq.data[write]);
  const writes = kinds(map).filter((kind) => kind === MARK.WRITE).length;
  assert.equal(filters.counts.all, map.marks.size);
  assert.equal(filters.counts.shown, map.marks.size - writes);
  filters.reset();
  filters.only({ anomalies: true });
  scene.begin();
  const bad = kinds(map).filter((kind, mark) => kind !== MARK.UTTERANCE && map.marks.bad.data[mark]).length;
  const said = kinds(map).filter((kind, mark) => kind === MARK.UTTERANCE && map.lanes.bits(map.marks.turn.data[mark])).length;
  assert.ok(bad && said);
  assert.equal(filters.counts.shown, bad + said);
});

test('with everything left out but the ground, less is drawn, and far out as well', () => {
  fakePaths();
  const map = told();
  for (const [from, to] of [[1, 8], [1, 400]]) {
    const scene = sceneOf(map, from, to);
    scene.filters = new Filters();
    const drawn = () => {
      const ctx = fakeContext();
      new Painter().paint(ctx, fakeContext(), scene, true);
      return ctx.total();
    };
    const whole = drawn();
    for (const kind of /** @type {const} */ (['utterance', 'intent', 'write', 'read', 'doc', 'answer'])) scene.filters.toggle(kind);
    assert.ok(drawn() < whole, `lanes ${from} to ${to}`);
    assert.equal(scene.filters.counts.shown, 0);
  }
});

test('counts go on with the map', () => {
  const map = told();
  const filters = new Filters();
  filters.toggle('read');
  filters.counts.follow(map);
  const before = filters.counts.shown;
  const { lanes } = filters.counts;
  const reads = kinds(map).map((kind, mark) => (kind === MARK.READ ? map.marks.turn.data[mark] : -1)).filter((turn) => turn >= 0);
  assert.equal(lanes.sum(lanes.levels.length - 1, 0, 1) + reads.length, kinds(map).filter((kind) => kind === MARK.WRITE || kind === MARK.READ).length, 'all turns together');
  map.apply({ d: 'node', node: { id: 'answer:99', kind: 'answer', layer: 'knowledge', label: 'x', turn: map.lastTurn, seq: map.cursor.seq + 1, created_at: 0, updated_at: 0, expires_at: null, expired: false, props: {} } });
  filters.counts.follow(map);
  assert.equal(filters.counts.shown, before + 1);
});

test('with anomalies alone no comb hangs from a question that is left out', () => {
  const story = new Telling().said('一').routed('a').recalled('reranked', { x: 0.9, y: 0.4 });
  const { map } = story.found('drift', 1, [`recall:${story.seq}.1`], { winner: 'x', rival: 'y' });
  const curves = (/** @type {Filters | null} */ filters) => {
    const scene = sceneOf(map, 1, 14);
    scene.filters = filters;
    const ctx = fakeContext();
    new Painter().paint(ctx, fakeContext(), scene, true);
    return ctx.calls.quadraticCurveTo ?? 0;
  };
  const filters = new Filters();
  filters.only({ anomalies: true });
  assert.ok(curves(null) >= 2, 'a comb to each document');
  assert.equal(curves(filters), 0);
});
