// One shape for each kind of finding, so that colour is never the only signal. SVG path data in a 12 by 12 box: the
// canvas draws them and so do the icons of the page.

/** @typedef {import('lb/types').FindingKind} FindingKind */

/** `stroke` is drawn 1.6 wide with round ends, `fill` is filled. @type {Readonly<Record<FindingKind, {stroke: string, fill: string}>>} */
export const GLYPHS = {
  loop: { stroke: 'M9.87 4.36A4.2 4.2 0 1 1 5.53 1.83', fill: 'M12 2.3L9.9 6.5L7.1 3Z' },
  overwrite: { stroke: 'M1 3.8H10.4M7.8 1.4L10.6 3.8M11 8.2H1.6M4.2 10.6L1.4 8.2', fill: '' },
  leak: { stroke: 'M6 1.1C8.2 4 9.6 5.9 9.6 7.6A3.6 3.6 0 0 1 2.4 7.6C2.4 5.9 3.8 4 6 1.1Z', fill: 'M6 9.6A2 2 0 0 1 4 7.6H8A2 2 0 0 1 6 9.6Z' },
  drift: { stroke: 'M1 9.2L4 3.6L7 8.1L10.3 2.2', fill: 'M12 2.1A1.7 1.7 0 1 1 8.6 2.1A1.7 1.7 0 1 1 12 2.1Z' },
  stale: { stroke: 'M10.7 6A4.7 4.7 0 1 1 1.3 6A4.7 4.7 0 1 1 10.7 6ZM6 3.3V6.2L7.9 7.4', fill: '' },
  gap: { stroke: 'M0.8 6H3.4M8.6 6H11.2M5.3 2.6L4.1 9.4M7.9 2.6L6.7 9.4', fill: '' },
  failure: { stroke: 'M2.6 2.6L9.4 9.4M9.4 2.6L2.6 9.4', fill: '' },
};

/** Each knows its own data, for what draws elsewhere than on a canvas. @typedef {Path2D & {data: string}} Drawn */

/** @type {Partial<Record<FindingKind, {stroke: Drawn, fill: Drawn | null}>>} */
const PATHS = {};

/** @param {FindingKind} kind */
function pathsOf(kind) {
  const made = (/** @type {string} */ data) => Object.assign(new Path2D(data), { data });
  const { stroke, fill } = GLYPHS[kind];
  return (PATHS[kind] = { stroke: made(stroke), fill: fill ? made(fill) : null });
}

/** Draws a glyph with its middle at (x, y). Line style and colours of the context are left changed. @param {CanvasRenderingContext2D} ctx @param {FindingKind} kind @param {number} x @param {number} y @param {string} colour */
export function drawGlyph(ctx, kind, x, y, colour) {
  takePen(ctx);
  ctx.strokeStyle = ctx.fillStyle = colour;
  putGlyph(ctx, kind, x, y);
}

/** The line style of glyphs. @param {CanvasRenderingContext2D} ctx */
export function takePen(ctx) {
  ctx.lineWidth = 1.6;
  ctx.lineCap = 'round';
  ctx.lineJoin = 'round';
}

/** As `drawGlyph`, where many are drawn: with the pen and the colours that the context has. @param {CanvasRenderingContext2D} ctx @param {FindingKind} kind @param {number} x @param {number} y */
export function putGlyph(ctx, kind, x, y) {
  const { stroke, fill } = PATHS[kind] ?? pathsOf(kind);
  ctx.translate(x - 6, y - 6);
  ctx.stroke(stroke);
  if (fill) ctx.fill(fill);
  ctx.translate(6 - x, 6 - y);
}
