// The map as a picture to keep: what is in view, with what it is of above it and the key to its marks below.
// The painters of the page paint it, on a canvas of twice the resolution or into SVG.

import { drawGlyph } from 'lb/glyphs';
import { plain } from 'lb/lettering';
import { Painter } from 'lb/paint';
import { paintOverlay } from 'lb/paint_overlay';
import { FONT } from 'lb/styles';
import { contextOf } from 'lb/surfaces';
import { SvgContext } from 'lb/svg_context';
import { TEXT } from 'lb/tokens';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/types').FindingKind} FindingKind */
/** @typedef {{title: string, about: string, playhead: number | null}} Caption */

const HEAD = 58;
const FOOT = 40;
const LINE = 20;
const SIDE = 22;
const RATIO = 2;
const TITLE = `600 16px ${TEXT}`;
const ABOUT = `400 11.5px ${TEXT}`;

/** @param {Scene} scene @param {Caption} caption @returns {Promise<Blob>} */
export async function png(scene, caption) {
  const key = keyOf(scene);
  const [canvas, ctx] = sheet(scene.layout.width, heightOf(scene, key));
  paint(ctx, scene, caption, key, () => {
    // What lies over the map clears its canvas first, so it has one of its own.
    const [above, over] = sheet(scene.layout.width, scene.layout.height);
    paintOverlay(over, scene, null, caption.playhead);
    ctx.drawImage(above, 0, 0, scene.layout.width, scene.layout.height);
  });
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('this browser gives no PNG')))));
}

/** @param {Scene} scene @param {Caption} caption */
export function svg(scene, caption) {
  const key = keyOf(scene);
  const writer = new SvgContext(scene.layout.width, heightOf(scene, key), TEXT);
  const ctx = /** @type {CanvasRenderingContext2D} */ (/** @type {unknown} */ (writer));
  paint(ctx, scene, caption, key, () => paintOverlay(ctx, scene, null, caption.playhead));
  return writer.svg([plain(caption.title), caption.about].join(' · '));
}

/** @param {number} width @param {number} height @returns {[HTMLCanvasElement, CanvasRenderingContext2D]} */
function sheet(width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * RATIO);
  canvas.height = Math.round(height * RATIO);
  const ctx = contextOf(canvas);
  ctx.scale(RATIO, RATIO);
  return [canvas, ctx];
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {Caption} caption @param {Entry[]} key @param {() => void} over */
function paint(ctx, scene, caption, key, over) {
  const { layout, tokens } = scene;
  const height = heightOf(scene, key);
  ctx.fillStyle = tokens.panel;
  ctx.fillRect(0, 0, layout.width, height);
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.font = TITLE;
  ctx.fillStyle = tokens.text;
  const room = layout.width - 2 * SIDE;
  ctx.fillText(scene.lettering.fit(plain(caption.title), TITLE, room), SIDE, 21);
  ctx.font = ABOUT;
  ctx.fillStyle = tokens['text-2'];
  ctx.fillText(scene.lettering.fit(caption.about, ABOUT, room), SIDE, 42);
  ctx.save();
  ctx.translate(0, HEAD);
  new Painter().paint(ctx, ctx, scene, true);
  ctx.fillStyle = tokens.line;
  ctx.fillRect(0, -1, layout.width, 1);
  over();
  ctx.restore();
  ctx.fillStyle = tokens.line;
  ctx.fillRect(0, HEAD + layout.height, layout.width, 1);
  ctx.font = FONT.head;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const { x, line, label, colour, draw } of key) {
    const y = HEAD + layout.height + FOOT / 2 + line * LINE;
    ctx.save();
    ctx.translate(x, y - 7);
    draw(ctx);
    ctx.restore();
    ctx.fillStyle = colour;
    ctx.fillText(label.text, x + label.x, y + 0.5);
  }
}

/** @param {Scene} scene @param {Entry[]} key */
function heightOf(scene, key) {
  return HEAD + scene.layout.height + FOOT + (key[key.length - 1]?.line ?? 0) * LINE;
}

/** @typedef {{x: number, line: number, colour: string, label: {text: string, x: number}, draw: (ctx: CanvasRenderingContext2D) => void}} Entry */

/** The key to the marks, in as many lines as it needs. @param {Scene} scene @returns {Entry[]} */
function keyOf(scene) {
  const { tokens } = scene;
  const kinds = /** @type {FindingKind[]} */ ([...new Set(scene.findings().map(({ finding }) => finding.kind))].sort());
  /** @type {Entry[]} */
  const key = [];
  let x = SIDE;
  let line = 0;
  const add = (/** @type {string} */ text, /** @type {number} */ from, /** @type {string} */ colour, /** @type {Entry['draw']} */ draw) => {
    const wide = from + scene.lettering.width(text, FONT.head);
    if (x + wide > scene.layout.width - SIDE && key.length) {
      x = SIDE;
      line++;
    }
    key.push({ x, line, colour, label: { text, x: from }, draw });
    x += wide + 24;
  };
  add(scene.word('legend.intent'), 33, tokens['text-2'], (ctx) => {
    shape(ctx, tokens['flow-bg'], tokens.flow, 1.4, () => ctx.roundRect(1, 1, 24, 9, 4.5));
    shape(ctx, null, tokens.state, 2.2, () => segment(ctx, 7, 12.4, 12));
    shape(ctx, null, tokens['text-3'], 1, () => segment(ctx, 15, 12.4, 20));
  });
  add(scene.word('legend.slot'), 33, tokens['text-2'], (ctx) => {
    shape(ctx, null, tokens.state, 2, () => segment(ctx, 1, 7, 25));
    shape(ctx, tokens['state-bg'], tokens.state, 1.3, () => ctx.roundRect(4, 2.5, 12, 9, 2.5));
    shape(ctx, tokens.panel, tokens.state, 1.3, () => ctx.arc(21, 7, 2.6, 0, Math.PI * 2));
  });
  add(scene.word('legend.doc'), 33, tokens['text-2'], (ctx) => {
    shape(ctx, tokens.know, null, 0, () => ctx.arc(7, 7, 4.8, 0, Math.PI * 2));
    shape(ctx, null, tokens.know, 1.3, () => ctx.arc(19.5, 7, 4, 0, Math.PI * 2));
  });
  add(scene.word('legend.recall'), 33, tokens['text-2'], (ctx) => {
    shape(ctx, null, tokens.know, 2.2, () => segment(ctx, 1, 4.5, 25));
    ctx.globalAlpha = 0.35;
    shape(ctx, null, tokens.know, 1.1, () => segment(ctx, 1, 10, 25));
  });
  add(scene.word('legend.progress'), 33, tokens['text-2'], (ctx) => {
    shape(ctx, null, tokens.bad, 1.25, () => segment(ctx, 1, 7, 25));
  });
  for (const kind of kinds) {
    const colour = kind === 'gap' ? tokens.warn : tokens.bad;
    add(scene.word(`finding.short.${kind}`), 18, kind === 'gap' ? tokens.warn : tokens['bad-ink'], (ctx) => drawGlyph(ctx, kind, 6, 7, colour));
  }
  return key;
}

/** @param {CanvasRenderingContext2D} ctx @param {string | null} fill @param {string | null} stroke @param {number} width @param {() => void} trace */
function shape(ctx, fill, stroke, width, trace) {
  ctx.beginPath();
  trace();
  if (fill) {
    ctx.fillStyle = fill;
    ctx.fill();
  }
  if (stroke) {
    ctx.strokeStyle = stroke;
    ctx.lineWidth = width;
    ctx.stroke();
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} end */
function segment(ctx, x, y, end) {
  ctx.moveTo(x, y);
  ctx.lineTo(end, y);
}
