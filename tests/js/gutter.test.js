// What the gutter tells of a row: its name, the id that code knows it by, its value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STAVE_HEAD, scrollable } from 'lb/layout';
import { paintGutter } from 'lb/paint_gutter';
import { STRINGS } from 'lb/strings';
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

test('a stave\'s name, its column and what is scrolled away stand on one line, and none over another', () => {
  const story = new Telling();
  for (let turn = 1; turn <= 30; turn++) story.said(`t${turn}`).routed(`intent-${turn}`, 0.9).assigned(`slot-${turn}`, turn).recalled('reranked', { [`doc-${turn}`]: 1 }, `q${turn}`);
  const scene = sceneOf(story.map, 1, 31);
  /** @type {Record<string, Record<string, string[]>>} what the knowledge stave's head says, by language and row that is the first */
  const said = {};
  for (const lang of /** @type {const} */ (['zh', 'en'])) {
    scene.text = (key) => STRINGS[lang][key] ?? key;
    scene.words.clear();
    for (const scroll of [0, 1, 12]) {
      for (const stave of scene.layout.staves.staves) {
        assert.ok(scrollable(stave, story.map.rows.of[stave.layer].length) >= 12);
        stave.scroll = scroll;
      }
      const ctx = fakeContext();
      /** @type {{text: string, right: number, left: number, y: number}[]} */
      const drawn = [];
      ctx.fillText = (text, x, y) => {
        const { width } = ctx.measureText(text);
        drawn.push(ctx.textAlign === 'right' ? { text, right: x, left: x - width, y } : { text, left: x, right: x + width, y });
      };
      paintGutter(ctx, scene);
      for (const stave of scene.layout.staves.staves) {
        const head = drawn.filter(({ y }) => y > stave.top && y < stave.top + STAVE_HEAD).sort((one, other) => one.left - other.left);
        assert.ok(head.every(({ y }) => y === stave.top + 15), 'one line');
        assert.ok(head.every(({ left }, i) => !i || left >= head[i - 1].right + 4), 'none lies over another');
        assert.ok(head.some(({ text }) => /[▲▼]/u.test(text)), `${stave.layer} tells of hidden marks`);
        if (stave.layer === 'knowledge') (said[lang] ??= {})[scroll] = head.map(({ text }) => text);
      }
    }
  }
  const rows = story.map.rows.of.knowledge.length - (scene.layout.stave('knowledge')?.room ?? 0);
  assert.deepEqual(said.zh, { 0: ['知识', `▼${rows}`, '7 日命中'], 1: ['知识', `▲1 ▼${rows - 1}`, '7 日命中'], 12: ['知识', `▲12 ▼${rows - 12}`, '7 日命中'] });
  assert.deepEqual(said.en, { 0: ['Knowledge', `▼${rows}`, 'hits'], 1: ['Knowledge', `▲1 ▼${rows - 1}`], 12: ['Knowledge', `▲12 ▼${rows - 12}`] });
});
