// Which rows are brought into view around what was picked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARK } from 'lb/kinds';
import { scrollable } from 'lb/layout';
import { selectionOf } from 'lb/picking';
import { Scrolling } from 'lb/scrolling';
import { sceneOf } from './scene.js';
import { Telling } from './telling.js';

/** Thirty turns of three new documents each; the answer of turn 30 used `used`. @param {string[]} used */
function story(...used) {
  const told = new Telling();
  for (let t = 1; t <= 30; t++) {
    told.said(`t${t}`).routed(`i${t % 30}`, 0.9);
    const found = [`d${t * 3}`, `d${t * 3 + 1}`, `d${t * 3 + 2}`, ...(t === 30 ? used : [])];
    told.recalled('reranked', Object.fromEntries(found.map((doc, i) => [doc, 1 - i / 10])), `q${t}`);
  }
  told.answered(...used);
  const scene = sceneOf(told.map, 18, 31);
  const stave = scene.layout.stave('knowledge');
  assert.ok(stave && scrollable(stave, told.map.rows.of.knowledge.length) > 40);
  const answer = told.map.marks.size - 1;
  assert.equal(told.map.marks.kind.data[answer], MARK.ANSWER);
  return {
    told, scene, stave,
    scrolling: new Scrolling(scene.layout, () => scene),
    answer: selectionOf(told.map, answer),
    shows: (/** @type {string} */ doc) => !Number.isNaN(scene.layout.y(stave, told.map.rows.number[told.map.place(`doc:${doc}`) ?? -1])),
  };
}

test('the documents that a picked answer used come into view', () => {
  const { scrolling, stave, answer, shows } = story('d9', 'd11');
  stave.scroll = 60;
  scrolling.toPicked(answer);
  assert.ok(shows('d9') && shows('d11'));
  assert.equal(stave.scroll, 6, 'no farther than to the first of them');
  scrolling.settle();
  assert.ok(shows('d9') && shows('d11'), 'and stay there when the window has come to rest');
});

test('nothing moves where all of it is in view', () => {
  const { scrolling, stave, answer } = story('d9', 'd11');
  stave.scroll = 3;
  scrolling.toPicked(answer);
  assert.equal(stave.scroll, 3);
});

test('where not all have room, the nearest place that shows most of them is taken', () => {
  const { scrolling, stave, answer, shows } = story('d9', 'd80', 'd81');
  stave.scroll = 5;
  scrolling.toPicked(answer);
  assert.ok(!shows('d9') && shows('d80') && shows('d81'));
});

test('what is picked itself stays in view, whatever it is linked to', () => {
  const { told, scene, scrolling } = story('d9');
  const flow = /** @type {import('lb/layout').Stave} */ (scene.layout.stave('flow'));
  told.said('back').routed('i29').routed('i1');
  const visit = told.map.marks.visits[told.map.marks.visits.length - 1];
  flow.scroll = scrollable(flow, told.map.rows.of.flow.length);
  scrolling.toPicked(selectionOf(told.map, visit));
  assert.ok(!Number.isNaN(scene.y(visit)));
});

test('a row as a whole brings nothing else with it', () => {
  const { scrolling, stave, scene, told } = story('d9');
  stave.scroll = 60;
  scrolling.toPicked({ kind: 'node', id: 'intent:i0', turn: 30, seq: 0 });
  assert.equal(stave.scroll, 60);
  assert.ok(!Number.isNaN(scene.layout.y(scene.flow, told.map.rows.number[told.map.place('intent:i0') ?? -1])));
});

test('what came after the moment shown moves nothing', () => {
  const { told } = story('d9');
  for (let i = 0; i < 40; i++) told.assigned(`s${i}`, i);
  told.said('last').routed('i2');
  const visit = told.map.marks.visits[told.map.marks.visits.length - 1];
  told.assigned('s39', 'x');
  const scene = sceneOf(told.map, 18, 32);
  const state = /** @type {import('lb/layout').Stave} */ (scene.layout.stave('state'));
  const scrolling = new Scrolling(scene.layout, () => scene);
  scene.seq = told.seq - 1;
  scrolling.toPicked(selectionOf(told.map, visit));
  assert.equal(state.scroll, 0);
  scene.seq = Infinity;
  scrolling.toPicked(selectionOf(told.map, visit));
  assert.equal(state.scroll, 40 - state.room, 'until it has happened');
});
