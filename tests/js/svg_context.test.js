// The SVG that a picture is written as: valid XML whatever the labels hold, and nothing in it that runs or loads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawGlyph } from 'lb/glyphs';
import { Painter } from 'lb/paint';
import { paintOverlay } from 'lb/paint_overlay';
import { SvgContext } from 'lb/svg_context';
import { escaped } from 'lb/svg_text';
import { fakePaths } from './context.js';
import { sceneOf } from './scene.js';
import { Telling, long } from './telling.js';

fakePaths();

const HOSTILE = ['</text><script>alert(1)</script>', '"><foreignObject onload=x>', ']]>&amp;<!--', '\u0000\u0008\u001f\ufffe\uffff\ud800', '\u202egnp', "' fill='url(//x)"];

/** Elements and their attributes; throws where the text is not well-formed. @param {string} xml */
function parsed(xml) {
  const elements = [];
  /** @type {string[]} */
  const open = [];
  let rest = xml;
  while (rest) {
    const found = /^(?:<\/(\w+)>|<(\w+)((?: [\w-]+(?::\w+)?="[^"<]*")*)(\/?)>|([^<]+))/.exec(rest);
    assert.ok(found, `not well-formed at ${JSON.stringify(rest.slice(0, 80))}`);
    const [whole, closed, opened, attributes, empty, text] = found;
    if (closed) assert.equal(open.pop(), closed);
    if (opened) {
      elements.push({ name: opened, attributes: [...attributes.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]) });
      if (!empty) open.push(opened);
    }
    for (const value of [text ?? '', attributes ?? '']) assert.doesNotMatch(value, /&(?!(?:amp|lt|gt|quot|#39);)/);
    rest = rest.slice(whole.length);
  }
  assert.deepEqual(open, []);
  return elements;
}

/** @param {string} xml */
function inert(xml) {
  const elements = parsed(xml);
  const known = ['svg', 'title', 'defs', 'clipPath', 'linearGradient', 'stop', 'g', 'path', 'rect', 'text'];
  for (const { name, attributes } of elements) {
    assert.ok(known.includes(name), name);
    for (const [attribute, value] of attributes) {
      assert.doesNotMatch(attribute, /^on|href|^style$/);
      if (name === 'svg' && attribute === 'xmlns') continue;
      assert.doesNotMatch(value, /\/\/|url\((?!#\w+\))/);
    }
  }
  assert.doesNotMatch(xml, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  return elements;
}

test('text is text, whatever it holds', () => {
  const ctx = new SvgContext(100, 50, 'Inter, "Noto Sans CJK SC"');
  ctx.font = '600 12px "Mono", monospace';
  ctx.textAlign = 'center';
  for (const text of HOSTILE) ctx.fillText(text, 1, 2);
  const elements = inert(ctx.svg(HOSTILE.join(' ')));
  assert.equal(elements.filter(({ name }) => name === 'text').length, HOSTILE.length);
  assert.equal(escaped('a\ud800b<\u{1f468}'), 'a\ufffdb&lt;\u{1f468}');
});

test('what is clipped, moved and faded is put back by restore', () => {
  const ctx = new SvgContext(100, 50, 'x');
  ctx.save();
  ctx.translate(10, 20);
  ctx.globalAlpha = 0.5;
  ctx.beginPath();
  ctx.rect(0, 0, 5, 5);
  ctx.clip();
  ctx.fillRect(1, 1, 2, 2);
  ctx.restore();
  ctx.fillRect(1, 1, 2, 2);
  const svg = ctx.svg('');
  const rects = inert(svg).filter(({ name }) => name === 'rect').map(({ attributes }) => Object.fromEntries(attributes));
  assert.deepEqual(rects.map(({ x, y, opacity }) => [x, y, opacity]), [['11', '21', '0.5'], ['1', '1', undefined]]);
  assert.match(svg, /<g clip-path="url\(#clip1\)">\n<rect[^>]*>\n<\/g>\n<rect/);
});

test('arcs, corners and gradients come out as SVG has them', () => {
  const ctx = new SvgContext(100, 50, 'x');
  ctx.beginPath();
  ctx.arc(10, 10, 5, 0, Math.PI * 2);
  ctx.fill();
  ctx.beginPath();
  ctx.roundRect(0, 0, 20, 10, 99);
  const fade = ctx.createLinearGradient(0, 0, 20, 0);
  fade.addColorStop(0, '#123456');
  fade.addColorStop(1, 'color-mix(in srgb, #123456 25%, transparent)');
  ctx.strokeStyle = fade;
  ctx.stroke();
  const svg = ctx.svg('');
  inert(svg);
  assert.match(svg, /d="M15 10A5 5 0 0 1 5 10A5 5 0 0 1 15 10"/);
  assert.match(svg, /a5 5 0 0 1 5 5v0a5 5/, 'a radius is at most half of the side');
  assert.match(svg, /stop-color="#123456" stop-opacity="0.25"/);
  assert.throws(() => ctx.moveTo(NaN, 0), /no place NaN/);
});

test('the painters find all they need in it, near and far', () => {
  const map = long(300, 8);
  for (const [from, to] of [[1, 3], [1, 8], [1, 30], [1, 120], [1, 3000]]) {
    const scene = sceneOf(map, from, to);
    const ctx = /** @type {any} */ (new SvgContext(scene.layout.width, scene.layout.height, 'x'));
    new Painter().paint(ctx, ctx, scene, true);
    paintOverlay(ctx, scene, null, map.cursor.seq - 1);
    drawGlyph(ctx, 'loop', 5, 5, 'red');
    assert.ok(inert(ctx.svg('t')).length > 10, `${from} to ${to}`);
  }
});

test('a map of hostile labels is painted as text', () => {
  const told = new Telling();
  for (const text of HOSTILE) told.said(text).routed(text);
  const scene = sceneOf(told.map, 1, HOSTILE.length + 1);
  const ctx = /** @type {any} */ (new SvgContext(scene.layout.width, scene.layout.height, 'x'));
  new Painter().paint(ctx, ctx, scene, true);
  const svg = ctx.svg('');
  inert(svg);
  assert.match(svg, /&lt;\/text&gt;/);
});
