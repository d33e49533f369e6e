import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DialogueMap } from 'lb/fold';
import { LEVEL } from 'lb/ink';
import { FLAG, MARK } from 'lb/kinds';
import { Lanes } from 'lb/lanes';
import { Painter } from 'lb/paint';
import { reach } from 'lb/reach';
import { placeTags } from 'lb/tags';
import { scoreText, weightOf } from 'lb/weights';
import { fakeContext, fakePaths } from './context.js';
import { sceneOf } from './scene.js';
import { Telling, long } from './telling.js';

fakePaths();

/** @param {import('lb/fold').DialogueMap} map @param {number} from @param {number} to @param {(scene: import('lb/scene').Scene) => void} [prepare] */
function painted(map, from, to, prepare) {
  const scene = sceneOf(map, from, to);
  prepare?.(scene);
  const ctx = fakeContext();
  new Painter().paint(ctx, ctx, scene, true);
  return { ctx, scene };
}

test('a frame costs the same at 10 times the session, with the same window', () => {
  // 300 turns and 3,000: the turns in the window say the same, and so do the rows that fit.
  for (const span of [6, 13, 40]) {
    const small = painted(long(300, 8), 90, 90 + span).ctx;
    const large = painted(long(3000, 8), 90, 90 + span).ctx;
    for (const [name, count] of Object.entries(large.calls)) {
      assert.ok(Math.abs(count - (small.calls[name] ?? 0)) <= Math.max(4, count * 0.02), `${span} lanes, ${name}: ${small.calls[name]} and ${count}`);
    }
  }
});

test('far out the work is bounded by pixels', () => {
  const ctx = painted(long(6000, 3), 1, 6001).ctx;
  assert.ok(ctx.total() < 3 * 976 * 2, `${ctx.total()} calls`);
  assert.ok((ctx.calls.fillRect ?? 0) > 500, 'and it is not empty');
});

test('no path holds more than a few dozen shapes', () => {
  const ctx = fakeContext();
  let shapes = 0;
  let most = 0;
  const wrap = (/** @type {'beginPath' | 'roundRect' | 'arc' | 'moveTo'} */ name, /** @type {() => void} */ seen) => {
    const inner = /** @type {(...args: any[]) => void} */ (ctx[name].bind(ctx));
    /** @type {any} */ (ctx)[name] = (/** @type {any[]} */ ...args) => {
      seen();
      inner(...args);
    };
  };
  wrap('beginPath', () => (shapes = 0));
  for (const name of /** @type {const} */ (['roundRect', 'arc', 'moveTo'])) wrap(name, () => (most = Math.max(most, ++shapes)));
  new Painter().paint(ctx, ctx, sceneOf(long(200, 12), 1, 60), true);
  assert.ok(most > 20 && most <= 110, `${most}`);
});

test('levels of detail: names, scores, confidence and ranks, then no text in marks', () => {
  const map = long(60, 3, 6);
  const at = (/** @type {number} */ span) => painted(map, 10, 10 + span).ctx.texts;
  assert.ok(at(5).some((text) => /^i\d|intent:i\d/.test(text)), 'names in wide lanes');
  assert.ok(at(8).includes('0.75') && !at(13).includes('0.75'), 'scores over 92 px');
  assert.ok(at(13).includes('90') && at(13).some((text) => /^v\d+$/.test(text)), 'confidence and values over 42 px');
  const dense = at(40);
  assert.ok(!dense.includes('90') && !dense.some((text) => text.startsWith('第')), 'none of it under 42 px');
});

test('what came after the playhead is a ghost without text, and row values are those of the moment', () => {
  const told = new Telling();
  told.said('a').routed('plan', 0.91).assigned('phone', 'old');
  const then = told.seq;
  told.said('b').routed('plan', 0.42).assigned('phone', 'new');
  const now = painted(told.map, 1, 14).ctx.texts;
  assert.ok(now.includes('42') && now.filter((text) => text === 'new').length === 2);
  const past = painted(told.map, 1, 14, (scene) => {
    scene.seq = then;
    scene.refresh();
  });
  assert.ok(!past.ctx.texts.includes('42') && !past.ctx.texts.includes('new'));
  assert.equal(past.ctx.texts.filter((text) => text === 'old').length, 2, 'in the box and in the gutter');
  const later = told.map.marks.visits[1];
  assert.equal(past.scene.level(later), LEVEL.GHOST);
  assert.equal(past.scene.level(told.map.marks.visits[0]), LEVEL.FULL);
});

test('off the trail marks are faint, along it they fade with distance', () => {
  const map = long(20, 3);
  const { scene } = painted(map, 1, 14, (s) => {
    s.trail = reach(map.marks, [map.marks.visits[4]]).trail;
  });
  assert.equal(scene.level(map.marks.visits[4]), LEVEL.FULL);
  assert.equal(scene.level(map.marks.visits[5]), LEVEL.FULL);
  assert.equal(scene.level(map.marks.visits[6]), LEVEL.SECOND);
  assert.equal(scene.level(map.marks.visits[7]), LEVEL.THIRD);
  assert.equal(scene.level(map.marks.visits[9]), LEVEL.REST);
});

test('findings are told as they were known at the moment shown', () => {
  const told = new Telling();
  told.said('a').routed('plan').assigned('brand', 'x');
  const write = told.seq;
  told.said('b').routed('price').read('brand');
  const before = told.seq - 1;
  told.found('leak', 1, [`assign:${write}`, `read:${told.seq}`], { slot: 'brand', from_task: 'plan', to_task: 'price' });
  const { ctx, scene } = painted(told.map, 1, 14);
  assert.ok(ctx.texts.some((text) => text.startsWith('score.tag.leak intent:plan intent:price')), ctx.texts.join());
  const read = told.map.marks.size - 1;
  assert.equal(told.map.marks.kind.data[read], MARK.READ);
  assert.ok(scene.badMark(read) && scene.red.size === 1);
  const past = painted(told.map, 1, 14, (s) => {
    s.seq = before;
    s.refresh();
  });
  assert.ok(!past.scene.badMark(read) && past.scene.red.size === 0 && !past.ctx.texts.some((text) => text.includes('leak')));
});

test('labels never lie over one another and stay on the canvas', () => {
  const told = new Telling();
  for (let t = 0; t < 40; t++) {
    told.said('').routed(`i${t % 3}`).assigned(`s${t % 5}`, t);
    const write = told.seq;
    told.routed(`j${t % 4}`).read(`s${t % 5}`);
    told.found('leak', told.turn, [`assign:${write}`, `read:${told.seq}`], { from_task: `i${t % 3}`, to_task: `j${t % 4} and a long name` });
  }
  for (const [from, to] of [[1, 41], [5, 18], [20, 24], [1, 14]]) {
    const scene = sceneOf(told.map, from, to);
    const tags = placeTags(scene, scene.findings());
    assert.ok(tags.length > 0);
    for (const a of tags) {
      assert.ok(a.x >= 152 && a.x + a.w <= 1128);
      for (const b of tags) assert.ok(a === b || a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y);
    }
  }
});

test('a self-jump is one pill with a count, not a row of pills', () => {
  const told = new Telling();
  told.said('a').routed('plan').routed('plan').routed('plan').said('b').routed('plan');
  const { visits, flags, k } = told.map.marks;
  assert.deepEqual(visits.map((mark) => Boolean(flags.data[mark] & FLAG.SELF)), [false, true, true, false]);
  assert.deepEqual(visits.map((mark) => k.data[mark]), [0, 0, 0, 0]);
  assert.ok(painted(told.map, 1, 14).ctx.texts.includes('×3'));
});

test('an empty map paints, and so does one with a single turn', () => {
  assert.ok(painted(DialogueMap.empty('none'), 1, 14).ctx.total() > 0);
  assert.ok(painted(new Telling().said('hello').map, 1, 14).ctx.texts.includes('hello'));
});

test('hostile text is drawn as text, cut and without what turns it around', () => {
  const told = new Telling();
  told.said('‮<script>' + 'x'.repeat(1e5)).routed('\u0000\n').assigned('__proto__', '‮abc');
  const { texts } = painted(told.map, 1, 14).ctx;
  for (const text of texts) assert.ok(text.length < 260 && !/[\u0000-\u001f\u202e]/.test(text));
});

test('scores that mean something are weights, others are spread over their stage', () => {
  const told = new Telling();
  told.said('a').recalled('vector', { a: 0.9, b: 0.4 }, 'q', 'cosine').recalled('keyword', { a: 14, b: 3 }, 'q', 'bm25').recalled('fused', { a: 0.032, b: 0.016 }, 'q', 'rrf').recalled('prompt', { a: null, b: null });
  const weights = Array.from({ length: 8 }, (_, e) => Number(weightOf(told.map, e).toFixed(3)));
  assert.deepEqual(weights, [0.9, 0.4, 1, 0.2, 1, 0.2, 1, 0.5]);
  assert.deepEqual([0.5, 14.25, 300.4, 0.0164, 0.004, NaN, null].map(scoreText), ['0.50', '14.3', '300', '0.02', '0.004', '', '']);
});

test('counts per 2^k turns are sums, whatever the order and the growth', () => {
  const lanes = new Lanes();
  /** @type {number[]} */
  const told = [];
  for (let i = 0; i < 3000; i++) {
    const turn = (i * 577) % 1500;
    lanes.count(turn, i % 3);
    if (i % 3 === 1) told[turn] = (told[turn] ?? 0) + 1;
  }
  lanes.flag(700, 4);
  lanes.flag(701, 1);
  for (let level = 0; level < lanes.levels.length; level++) {
    for (const block of [0, 1, Math.floor(1400 / 2 ** level)]) {
      let sum = 0;
      for (let turn = block * 2 ** level; turn < (block + 1) * 2 ** level; turn++) sum += told[turn] ?? 0;
      assert.equal(lanes.sum(level, block, 1), sum, `level ${level}, block ${block}`);
      assert.ok(lanes.most[level][1] >= sum);
    }
    assert.ok(lanes.sum(level, Math.floor(700 / 2 ** level), 3) & 4);
  }
  assert.equal(lanes.sum(1, 350, 3), 5);
  lanes.flag(701, 0);
  assert.equal(lanes.sum(1, 350, 3), 4);
});

test('while the window moves the gutter stays, and the map is painted over from edge to edge', () => {
  const scene = sceneOf(long(40, 3), 10.2, 23.2);
  const painter = new Painter();
  painter.paint(fakeContext(), fakeContext(), scene, true);
  const ctx = fakeContext();
  const gutter = fakeContext();
  /** @type {number[][]} */
  const rectangles = [];
  const fill = ctx.fillRect;
  ctx.fillRect = (...args) => {
    rectangles.push(args);
    fill(...args);
  };
  scene.layout.from += 0.3;
  scene.layout.to += 0.3;
  painter.paint(ctx, gutter, scene, false);
  assert.deepEqual(rectangles[0], [0, 0, 1128, 848], 'first of all, unclipped: the browser then drops the frame before');
  assert.ok(gutter.total() < 12, `${gutter.total()} calls`);
});

test('lanes too narrow for three characters on a line show a mark in place of what was said', () => {
  const told = new Telling();
  for (let turn = 1; turn <= 40; turn++) told.said(turn === 3 ? '' : '工单号我没有啊，怎么办');
  // 976 pixels of lanes: 23 turns give them 42 each, 22 give 44.
  const narrow = painted(told.map, 1, 24);
  assert.deepEqual(narrow.ctx.texts.filter((text) => /[工单号]/u.test(text)), []);
  const wide = painted(told.map, 1, 23);
  const lines = wide.ctx.texts.filter((text) => /[工单号]/u.test(text));
  assert.ok(lines.length >= 21 && lines.every((line) => [...line].length >= 3), lines.join());
});
