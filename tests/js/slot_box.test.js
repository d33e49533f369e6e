// How much of a value its box shows: all that there is room for between what stands beside it in its cell.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARK } from 'lb/kinds';
import { sceneOf } from './scene.js';
import { Telling } from './telling.js';

/** @param {Telling} told @param {number} lane width of a lane */
function drawn(told, lane) {
  const scene = sceneOf(told.map, 1, 1 + 976 / lane);
  const { kind } = told.map.marks;
  const of = (/** @type {number} */ wanted) => Array.from({ length: told.map.marks.size }, (_, mark) => mark).filter((mark) => kind.data[mark] === wanted);
  return { scene, boxes: of(MARK.WRITE).map((mark) => scene.slotBox(mark)), reads: of(MARK.READ).map((mark) => scene.x(mark)) };
}

test('a value that is read in the lane of its write is told as long as the lane has room for it', () => {
  for (const lane of [44, 50, 60, 80]) {
    const told = new Telling();
    told.said('a').routed('ask').assigned('brand', '轻语').read('brand');
    const { boxes, reads, scene } = drawn(told, lane);
    assert.equal(boxes[0].text, '轻语', `in a lane of ${lane}`);
    assert.ok(boxes[0].x >= scene.layout.x(1) && boxes[0].x + boxes[0].w <= reads[0] - 5, `in a lane of ${lane}`);
  }
});

test('a box never covers the read before it, and tells what it can beside it', () => {
  for (const lane of [44, 60, 90, 140, 200]) {
    const told = new Telling();
    told.said('a').routed('ask').assigned('brand', '星途').said('b').routed('ask').read('brand').assigned('brand', '星途旗舰版的另一个长名字').read('brand');
    const { boxes, reads } = drawn(told, lane);
    assert.ok(boxes[1].x >= reads[0] + 4, `in a lane of ${lane}`);
    assert.ok(boxes[1].x + boxes[1].w <= reads[1] - 4, `in a lane of ${lane}`);
  }
  const told = new Telling();
  told.said('a').routed('ask').assigned('brand', '星途').said('b').routed('ask').read('brand').assigned('brand', '轻语');
  assert.equal(drawn(told, 60).boxes[1].text, '轻语');
});

test('with nothing beside it a value stands in the middle of its lane', () => {
  const told = new Telling();
  told.said('a').routed('ask').assigned('brand', '轻语');
  const { boxes, scene } = drawn(told, 80);
  assert.equal(boxes[0].x + boxes[0].w / 2, scene.layout.x(1.5));
});

test('of a value that does not fit a beginning and an end are told, or nothing; an empty one is always its sign', () => {
  const told = new Telling();
  told.said('a').routed('ask').assigned('number', 'T20250612-07').said('b').routed('ask').assigned('number', null, 'null');
  const { boxes } = drawn(told, 60);
  assert.match(boxes[0].text, /^T.*….*7$/);
  assert.equal(boxes[1].text, '∅');
  const narrow = new Telling();
  narrow.said('a').routed('ask').assigned('plan', 'B129').read('plan');
  assert.equal(drawn(narrow, 44).boxes[0].text, '', 'B1… tells nothing');
});
