import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestScroll } from 'lb/cover';
import { scrollable } from 'lb/layout';
import { sceneOf } from './scene.js';
import { Telling } from './telling.js';

/** Ninety documents, three new ones a turn; only the first of turn 3 comes again in turn 30. */
function story() {
  const told = new Telling();
  for (let t = 1; t <= 30; t++) {
    told.said(`t${t}`).routed('i', 0.9);
    const found = t === 30 ? { d90: 1, d9: 0.5 } : { [`d${t * 3}`]: 1, [`d${t * 3 + 1}`]: 0.8, [`d${t * 3 + 2}`]: 0.5 };
    told.recalled('reranked', found, `q${t}`);
  }
  return told;
}

/** @param {number} from @param {number} to @param {Telling} [told] */
function knowledge(from, to, told = story()) {
  const scene = sceneOf(told.map, from, to);
  const stave = scene.layout.stave('knowledge');
  assert.ok(stave && scrollable(stave, told.map.rows.of.knowledge.length) > 40);
  const row = (/** @type {string} */ doc) => told.map.rows.number[told.map.place(`doc:${doc}`) ?? -1];
  return { scene, stave, row };
}

test('a stave that shows little of the window scrolls to where most of it is', () => {
  const { scene, stave, row } = knowledge(20, 23);
  const to = bestScroll(scene, stave, undefined);
  for (let doc = 60; doc < 69; doc++) assert.ok(row(`d${doc}`) >= to && row(`d${doc}`) < to + stave.room, `d${doc} is hidden at ${to}`);
});

test('a stave that shows enough stays where the reader left it', () => {
  const { scene, stave, row } = knowledge(20, 23);
  stave.scroll = row('d64'); // five of nine
  assert.equal(bestScroll(scene, stave, undefined), stave.scroll);
});

test('a row that was asked for stays in view, wherever the others are', () => {
  const { scene, stave, row } = knowledge(20, 31);
  const to = bestScroll(scene, stave, [row('d9'), row('d9')]);
  assert.ok(row('d9') >= to && row('d9') < to + stave.room);
});

test('what came after the moment shown does not count', () => {
  const { scene, stave, row } = knowledge(2, 31);
  scene.seq = scene.map.turns.find(({ number }) => number === 5)?.seq ?? 0;
  stave.scroll = row('d80');
  const to = bestScroll(scene, stave, undefined);
  assert.ok(row('d6') >= to && row('d6') < to + stave.room, `${to}`);
});

test('a fault that is scrolled away is worth a scroll, even where most is shown', () => {
  const told = story();
  const at = (/** @type {number} */ turn) => (told.map.turn(turn)?.seq ?? 0) + 2;
  told.found('drift', 26, [`recall:${at(26)}.3`], {}).found('stale', 29, [`recall:${at(29)}.2`], {});
  const { scene, stave, row } = knowledge(26, 30, told);
  stave.scroll = row('d88') - stave.room;
  const to = bestScroll(scene, stave, undefined);
  for (const doc of ['d80', 'd88']) assert.ok(row(doc) >= to && row(doc) < to + stave.room, `${doc} is hidden at ${to}`);
});
