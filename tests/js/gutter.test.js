// What the gutter tells of a row: its name, the id that code knows it by, its value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STAVE_HEAD, scrollable } from 'lb/layout';
import { paintColumns, paintGutter } from 'lb/paint_gutter';
import { explain } from 'lb/words';
import { fakeContext } from './context.js';
import { sceneOf } from './scene.js';
import { Telling } from './telling.js';

/** @param {string} id @param {string} label @param {unknown} value */
function told(id, label, value) {
  const story = new Telling();
  story.said('a').routed('ask').event('slot_assigned');
  story.node(`slot:${id}`, 'slot', { value, set: true, seq: story.seq }, label);
  story.edge(`assign:${story.seq}`, 'assign', 'intent:ask', `slot:${id}`, { value, change: 'set' });
  return story;
}

/** @param {Telling} story @param {number} [rowHeight] */
function gutter(story, rowHeight = 24) {
  const scene = sceneOf(story.map, 1, 14);
  scene.layout.staves.rowHeight = rowHeight;
  const ctx = fakeContext();
  /** @type {{text: string, x: number, y: number}[]} */
  const drawn = [];
  const fill = ctx.fillText;
  ctx.fillText = (text, x, y) => {
    drawn.push({ text, x, y });
    fill(text, x, y);
  };
  paintGutter(ctx, scene);
  return { scene, drawn, at: (/** @type {string} */ text) => drawn.find((one) => one.text === text) };
}

test('a row that shows a label shows the id after it, where there is room', () => {
  const { at } = gutter(told('brand', '产品线', '轻语'));
  const [name, id] = [at('产品线'), at('brand')];
  assert.ok(name && id && id.x > name.x + 30 && id.y === name.y);
  assert.ok(id.x + 5 * 6 < 152 - 12 - 22, 'clear of the value');
});

test('an id is told whole or not at all', () => {
  const { drawn, at } = gutter(told('a_rather_long_name', '产品线', '一个很长很长的值'));
  assert.ok(at('产品线') && !drawn.some(({ text }) => text.startsWith('a_r')));
  assert.ok(!gutter(told('brand_of_it', '产品线', '轻语')).drawn.some(({ text }) => text.startsWith('brand')));
  assert.ok(gutter(told('brand', '产品线', '轻语')).at('brand'));
});

test('a value that is too long keeps its beginning and its end', () => {
  const value = gutter(told('id', '工单号', 'T20250612-07')).drawn.find(({ text }) => text.startsWith('T'));
  assert.match(value?.text ?? '', /^T.*….*7$/);
});

test('a high row shows it below', () => {
  const { at } = gutter(told('brand', '产品线', '一个很长很长的值'), 60);
  const [name, id] = [at('产品线'), at('brand')];
  assert.ok(name && id && id.x === name.x && id.y > name.y + 10);
});

test('an id that is the name is not told twice', () => {
  const { drawn } = gutter(told('brand', 'brand', '轻语'), 60);
  assert.equal(drawn.filter(({ text }) => text === 'brand').length, 1);
});

test('the tooltip of a row and of its marks names the id in any case', () => {
  const story = told('a_rather_long_name', '产品线', '一个很长很长的值');
  const scene = sceneOf(story.map, 1, 14);
  for (const seq of [0, story.seq]) {
    const words = explain(scene, { kind: 'node', id: 'slot:a_rather_long_name', turn: 1, seq }, 'en');
    assert.ok(words.includes('产品线') && words.endsWith(' · slot:a_rather_long_name'), words);
  }
  assert.ok(!explain(scene, { kind: 'node', id: 'intent:ask', turn: 1, seq: 0 }, 'en').includes(' · '));
});

test('what a column holds stays named while rows are scrolled away', () => {
  const story = new Telling();
  for (let turn = 1; turn <= 30; turn++) story.said(`t${turn}`).routed(`intent-${turn}`, 0.9).assigned(`slot-${turn}`, turn).recalled('reranked', { [`doc-${turn}`]: 1 }, `q${turn}`);
  const scene = sceneOf(story.map, 1, 31);
  for (const words of ['narrow', 'wide']) {
    if (words === 'wide') scene.text = (key) => (key.startsWith('score.') ? '中文' : key);
    scene.words.clear();
    for (const stave of scene.layout.staves.staves) {
      assert.ok(scrollable(stave, story.map.rows.of[stave.layer].length) > 3);
      stave.scroll = 2;
    }
    const ctx = fakeContext();
    /** @type {{text: string, right: number, left: number, y: number}[]} */
    const drawn = [];
    ctx.fillText = (text, x, y) => drawn.push({ text, right: x, left: x - ctx.measureText(text).width, y });
    paintColumns(ctx, scene);
    for (const stave of scene.layout.staves.staves) {
      const column = scene.word({ flow: 'score.visits', state: 'score.now', knowledge: 'score.hits' }[stave.layer]);
      const inHead = drawn.filter(({ y }) => y > stave.top && y < stave.top + STAVE_HEAD);
      const head = inHead.find(({ text }) => text === column);
      const told = inHead.find(({ text }) => /[▲▼]/u.test(text));
      assert.ok(head && told, `${stave.layer} names its column and tells of hidden marks`);
      assert.ok(head.y === told.y ? told.right <= head.left : Math.abs(head.y - told.y) >= 10, 'neither lies over the other');
    }
  }
});
