import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hitTest } from 'lb/hit';
import { MARK } from 'lb/kinds';
import { markOf } from 'lb/picking';
import { ScrubLayout } from 'lb/scrub';
import { sceneOf } from './scene.js';
import { Telling, long } from './telling.js';

test('every mark that is shown is hit at its middle, and three pixels beyond its edge', () => {
  const map = long(30, 4, 20);
  for (const [from, to] of [[5, 10], [5, 18], [1, 31]]) {
    const scene = sceneOf(map, from, to);
    let tried = 0;
    for (let mark = 0; mark < map.marks.size; mark++) {
      const turn = map.marks.turn.data[mark];
      const box = turn >= from && turn < to ? scene.box(mark) : null;
      if (!box) continue;
      const hit = hitTest(scene, box.x + box.w / 2, box.y + box.h / 2);
      assert.ok(hit, `nothing at mark ${mark}`);
      assert.equal(markOf(map, hit.sel), mark);
      assert.ok(hitTest(scene, box.x + box.w / 2, box.y + box.h + 2.9));
      tried++;
    }
    assert.ok(tried > 20);
  }
});

test('a mark with nothing beside it is a target of 24 pixels', () => {
  const telling = new Telling().said('一').routed('a').said('二');
  const map = telling.assigned('brand', '星途').map;
  const scene = sceneOf(map, 1, 14);
  const mark = map.marks.size - 1;
  const { x, y, w, h } = /** @type {import('lb/scene').Box} */ (scene.box(mark));
  const middle = [x + w / 2, y + h / 2];
  assert.ok(h < 24);
  for (const away of [-11.9, 11.9]) {
    const hit = hitTest(scene, middle[0], middle[1] + away);
    assert.equal(hit && markOf(map, hit.sel), mark, `${away} px away`);
  }
  for (const away of [-13, 13]) assert.equal(hitTest(scene, middle[0], middle[1] + away), null);
});

test('marks later than the playhead are not hit', () => {
  const map = long(6, 2);
  const scene = sceneOf(map, 1, 14);
  const mark = map.marks.size - 1;
  const box = scene.box(mark);
  assert.ok(box);
  scene.seq = map.marks.seq.data[mark] - 1;
  assert.equal(hitTest(scene, box.x + box.w / 2, box.y + box.h / 2), null);
});

test('rows, lanes and moves are picked too', () => {
  const told = new Telling();
  told.said('a').routed('plan').said('b').routed('bill');
  const scene = sceneOf(told.map, 1, 14);
  const y = scene.layout.y(scene.flow, 1);
  assert.deepEqual(hitTest(scene, 20, y)?.sel, { kind: 'node', id: 'intent:bill', turn: 2, seq: 0 });
  assert.equal(hitTest(scene, scene.layout.x(2) + 5, 20)?.sel.kind, 'turn');
  assert.equal(hitTest(scene, scene.layout.x(9) + 5, 20), null, 'no such turn');
  const [plan, bill] = told.map.marks.visits;
  const middle = hitTest(scene, (scene.x(plan) + scene.x(bill)) / 2, (scene.y(plan) + scene.y(bill)) / 2);
  assert.deepEqual(middle?.sel, { kind: 'edge', id: 'move:4', turn: 2, seq: 4 });
  assert.equal(hitTest(scene, scene.layout.x(1) + 2, scene.layout.answerY(/** @type {any} */ (scene.knowledge)) + 40), null);
});

test('a hit looks at the lanes under the pointer alone', () => {
  const map = long(2000, 3);
  assert.ok(map.marks.size > 10_000);
  const scene = sceneOf(map, 1000, 1013);
  let looked = 0;
  const box = scene.box.bind(scene);
  scene.box = (mark) => {
    looked++;
    return box(mark);
  };
  for (let i = 0; i < 500; i++) hitTest(scene, 160 + ((i * 37) % 960), 75 + ((i * 53) % 760));
  assert.ok(looked / 500 < 12, `${looked / 500} marks a hit`);
  assert.equal(scene.map.marks.kind.data[0], MARK.UTTERANCE);
});

test('the timeline is taken by playhead, handles, body, axis or none', () => {
  const layout = new ScrubLayout();
  layout.width = 1000;
  layout.span({ first: 1, end: 41 });
  const win = { from: 10, to: 20 };
  const head = 35;
  assert.equal(layout.grip(layout.x(35), 4, win, head), 'playhead');
  assert.equal(layout.grip(layout.x(10) + 3, 44, win, head), 'from');
  assert.equal(layout.grip(layout.x(20) - 3, 44, win, head), 'to');
  assert.equal(layout.grip(layout.x(15), 44, win, head), 'body');
  assert.equal(layout.grip(layout.x(15), 95, win, head), 'axis');
  assert.equal(layout.grip(layout.x(30), 44, win, head), 'outside');
  assert.ok(Math.abs(layout.turnAt(layout.x(7.25)) - 7.25) < 1e-9);
});
