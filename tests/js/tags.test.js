// Where labels of findings stand: off marks where any place near is free, and at the write that they are about.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARK } from 'lb/kinds';
import { placeTags } from 'lb/tags';
import { sceneOf } from './scene.js';
import { Telling } from './telling.js';

/** @param {import('lb/scene').Scene} scene @param {number[]} kinds of marks */
function covered(scene, kinds) {
  const { marks } = scene.map;
  const found = [];
  for (const tag of placeTags(scene, scene.findings())) {
    for (let mark = 0; mark < marks.size; mark++) {
      const box = kinds.includes(marks.kind.data[mark]) ? scene.box(mark) : null;
      if (box && box.x + box.w > tag.x && box.x < tag.x + tag.w && box.y + box.h > tag.y + 1 && box.y < tag.y + tag.h - 1) found.push(`${tag.kind} on mark ${mark}`);
    }
  }
  return found;
}

/** Twenty turns that each ask; in six of them the wrong document wins. @param {number} slots written and read in each turn */
function drifting(slots) {
  const told = new Telling();
  for (let t = 1; t <= 20; t++) {
    told.said(`t${t}`).routed('ask');
    for (let s = 0; s < slots; s++) told.assigned(`s${s}`, `v${t}`).read(`s${s}`);
    told.recalled('reranked', { wrong: 0.9, [`right${Math.floor(t / 7)}`]: 0.8 });
    if (t > 5 && t < 12) told.found('drift', t, [`recall:${told.seq}.1`], { winner: 'wrong', rival: `right${Math.floor(t / 7)}` });
  }
  return told.map;
}

test('a drift is told off the questions in the head of its stave, at every width of lanes', () => {
  for (const slots of [0, 3, 12]) {
    for (const span of [4, 8, 13, 20]) {
      const scene = sceneOf(drifting(slots), 3, 3 + span);
      assert.ok(placeTags(scene, scene.findings()).length > 0);
      assert.deepEqual(covered(scene, [MARK.QUESTION]), [], `${span} lanes, ${slots} slots`);
    }
  }
});

test('where the state stave has room at its foot the whole label stands there', () => {
  const scene = sceneOf(drifting(0), 3, 16);
  const [tag] = placeTags(scene, scene.findings());
  assert.ok(tag.text.includes('right'), tag.text);
});

test('an overwrite that shares its row with a leak stays at its write', () => {
  const told = new Telling();
  told.said('a').routed('sale').assigned('other', 'x').assigned('brand', '星舟');
  const written = told.seq;
  for (let t = 2; t < 6; t++) told.said(`t${t}`).routed('sale');
  told.said('b').routed('price').read('brand');
  told.found('leak', 1, [`assign:${written}`, `read:${told.seq}`], { slot: 'brand', from_task: 'sale', to_task: 'price' });
  told.said('c').routed('price').assigned('brand', '轻语');
  told.edge(`overwrite:${told.seq}`, 'overwrite', 'slot:brand', 'slot:brand', { old: '星舟', new: '轻语', old_seq: written });
  told.found('overwrite', 1, [`overwrite:${told.seq}`], { old: '星舟', new: '轻语' });
  const scene = sceneOf(told.map, 1, 14);
  const tags = placeTags(scene, scene.findings());
  const write = scene.box(told.map.marks.size - 1);
  const overwrite = tags.find(({ kind }) => kind === 'overwrite');
  assert.ok(write && overwrite && overwrite.text);
  assert.ok(Math.abs(overwrite.y + 9 - (write.y + write.h / 2)) < 20, 'on the row or right beside it');
  assert.deepEqual(covered(scene, [MARK.WRITE, MARK.READ]), []);
});

test('a loop tells its condition where its bracket is wide enough to be seen beside it, and is short elsewhere', () => {
  const told = new Telling().said('a').routed('x');
  /** @type {string[]} */
  const edges = [];
  for (const intent of ['y', 'z', 'x']) {
    told.said(intent).routed(intent);
    edges.push(`move:${told.seq}`);
  }
  told.found('loop', 1, edges, { rounds: 2, condition: 'ticket_number = null' });
  for (const [span, words] of /** @type {[number, RegExp][]} */ ([[5, /through.*ticket_number = null/], [30, /^score\.tag\.loop 2$/]])) {
    const scene = sceneOf(told.map, 1, 1 + span);
    const tags = placeTags(scene, scene.findings());
    assert.match(tags[0]?.text ?? 'no label', words, `${span} lanes`);
  }
});
