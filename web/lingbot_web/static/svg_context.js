// The part of a canvas's 2D context that the painters use, written down as SVG: shapes stay shapes, text stays text.
// What comes from a bot goes through `escaped` alone, into text and nowhere else; there is no element that runs or loads.

import { escaped } from 'lb/svg_text';

/** @typedef {Pick<SvgContext, 'fillStyle' | 'strokeStyle' | 'lineWidth' | 'lineCap' | 'lineJoin' | 'globalAlpha' | 'font' | 'textAlign' | 'textBaseline' | 'dash' | 'dx' | 'dy' | 'groups'>} State */

const ANCHORS = /** @type {Record<string, string>} */ ({ center: 'middle', right: 'end', end: 'end' });
/** From the middle of a line of text to its baseline, in parts of the font's size: few programs know SVG's own word for it. */
const MIDDLE = 0.35;
const MIXED = /^color-mix\(in srgb, (\S+) (\d+)%, transparent\)$/;
const FULL = Math.PI * 2 - 1e-6;

export class SvgContext {
  /** @param {number} width @param {number} height @param {string} family of the fonts, where none else is said */
  constructor(width, height, family) {
    this.width = width;
    this.height = height;
    this.family = family;
    /** @type {string[]} */ this.parts = [];
    /** @type {string[]} */ this.path = [];
    /** @type {Map<string, string>} */ this.defined = new Map();
    /** @type {State[]} */ this.saved = [];
    /** @type {string | Gradient} */ this.fillStyle = '#000';
    /** @type {string | Gradient} */ this.strokeStyle = '#000';
    this.lineWidth = 1;
    this.lineCap = 'butt';
    this.lineJoin = 'miter';
    this.globalAlpha = 1;
    this.font = `10px ${family}`;
    this.textAlign = 'left';
    this.textBaseline = 'alphabetic';
    /** @type {readonly number[]} */ this.dash = [];
    this.dx = 0;
    this.dy = 0;
    /** Opened since the state was last saved. */
    this.groups = 0;
  }

  save() {
    const { fillStyle, strokeStyle, lineWidth, lineCap, lineJoin, globalAlpha, font, textAlign, textBaseline, dash, dx, dy, groups } = this;
    this.saved.push({ fillStyle, strokeStyle, lineWidth, lineCap, lineJoin, globalAlpha, font, textAlign, textBaseline, dash, dx, dy, groups });
    this.groups = 0;
  }

  restore() {
    const before = this.saved.pop();
    if (!before) return;
    if (this.groups) this.parts.push('</g>'.repeat(this.groups));
    Object.assign(this, before);
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.dx += x;
    this.dy += y;
  }

  /** @param {readonly number[]} dash */
  setLineDash(dash) {
    this.dash = [...dash];
  }

  // --- paths ---

  beginPath() {
    this.path = [];
  }

  /** @param {string} step @param {number[]} places x, y, x, y ... */
  #step(step, ...places) {
    this.path.push(step + places.map((place, i) => short(place + (i % 2 ? this.dy : this.dx))).join(' '));
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.#step('M', x, y);
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.#step(this.path.length ? 'L' : 'M', x, y);
  }

  /** @param {number} cx @param {number} cy @param {number} x @param {number} y */
  quadraticCurveTo(cx, cy, x, y) {
    this.#step('Q', cx, cy, x, y);
  }

  /** @param {number} cx0 @param {number} cy0 @param {number} cx1 @param {number} cy1 @param {number} x @param {number} y */
  bezierCurveTo(cx0, cy0, cx1, cy1, x, y) {
    this.#step('C', cx0, cy0, cx1, cy1, x, y);
  }

  closePath() {
    this.path.push('Z');
  }

  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  rect(x, y, w, h) {
    this.#step('M', x, y);
    this.path.push(`h${short(w)}v${short(h)}h${short(-w)}z`);
  }

  /** @param {number} x @param {number} y @param {number} w @param {number} h @param {number} radius */
  roundRect(x, y, w, h, radius) {
    const r = Math.max(0, Math.min(radius, w / 2, h / 2));
    const corner = (/** @type {number} */ dx, /** @type {number} */ dy) => `a${short(r)} ${short(r)} 0 0 1 ${short(dx)} ${short(dy)}`;
    this.#step('M', x + r, y);
    this.path.push(`h${short(w - 2 * r)}${corner(r, r)}v${short(h - 2 * r)}${corner(-r, r)}h${short(2 * r - w)}${corner(-r, -r)}v${short(2 * r - h)}${corner(r, -r)}z`);
  }

  /** Clockwise, as all painters draw. @param {number} x @param {number} y @param {number} r @param {number} from @param {number} to */
  arc(x, y, r, from, to) {
    const at = (/** @type {number} */ angle) => /** @type {[number, number]} */ ([x + r * Math.cos(angle), y + r * Math.sin(angle)]);
    const swept = to - from;
    this.#step(this.path.length && !/[zZ]$/.test(this.path[this.path.length - 1]) && swept < FULL ? 'L' : 'M', ...at(from));
    const halves = swept >= FULL ? [from + Math.PI, from + 2 * Math.PI] : [to];
    for (const end of halves) {
      const [ex, ey] = at(end);
      this.path.push(`A${short(r)} ${short(r)} 0 ${swept < FULL && swept > Math.PI ? 1 : 0} 1 ${short(ex + this.dx)} ${short(ey + this.dy)}`);
    }
  }

  /** Only what lies in the current path is shown until the state is restored. */
  clip() {
    const id = this.#define(`<clipPath id="?"><path d="${this.path.join('')}"/></clipPath>`, 'clip');
    this.parts.push(`<g clip-path="url(#${id})">`);
    this.groups++;
  }

  // --- paint ---

  /** @param {Path2D & {data?: string}} [path] */
  fill(path) {
    this.#shape(path, `fill="${this.#paint(this.fillStyle)}"`);
  }

  /** @param {Path2D & {data?: string}} [path] */
  stroke(path) {
    const { lineWidth, lineCap, lineJoin, dash } = this;
    let how = `fill="none" stroke="${this.#paint(this.strokeStyle)}"`;
    if (lineWidth !== 1) how += ` stroke-width="${short(lineWidth)}"`;
    if (lineCap !== 'butt') how += ` stroke-linecap="${lineCap}"`;
    if (lineJoin !== 'miter') how += ` stroke-linejoin="${lineJoin}"`;
    if (dash.length) how += ` stroke-dasharray="${dash.map(short).join(' ')}"`;
    this.#shape(path, how);
  }

  /** @param {(Path2D & {data?: string}) | undefined} path @param {string} how */
  #shape(path, how) {
    if (path) {
      const { dx, dy } = this;
      this.parts.push(`<path d="${path.data ?? ''}" transform="translate(${short(dx)} ${short(dy)})" ${how}${this.#opacity()}/>`);
    } else if (this.path.length) this.parts.push(`<path d="${this.path.join('')}" ${how}${this.#opacity()}/>`);
  }

  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  fillRect(x, y, w, h) {
    const { dx, dy, fillStyle } = this;
    if (w > 0 && h > 0) this.parts.push(`<rect x="${short(x + dx)}" y="${short(y + dy)}" width="${short(w)}" height="${short(h)}" fill="${this.#paint(fillStyle)}"${this.#opacity()}/>`);
  }

  /** Nothing is ever beneath what the painters clear. */
  clearRect() {}

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    const { dx, dy, font, fillStyle, textAlign, textBaseline } = this;
    const [, weight, size, family] = /** @type {RegExpExecArray} */ (/^(?:(\d+) )?([\d.]+)px (.*)$/.exec(font));
    const down = textBaseline === 'middle' ? Number(size) * MIDDLE : 0;
    let how = `x="${short(x + dx)}" y="${short(y + dy + down)}" font-size="${size}" fill="${this.#paint(fillStyle)}"`;
    if (weight && weight !== '400') how += ` font-weight="${weight}"`;
    if (family !== this.family) how += ` font-family="${escaped(family)}"`;
    if (ANCHORS[textAlign]) how += ` text-anchor="${ANCHORS[textAlign]}"`;
    this.parts.push(`<text ${how}${this.#opacity()}>${escaped(text)}</text>`);
  }

  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
  createLinearGradient(x0, y0, x1, y1) {
    const { dx, dy } = this;
    return new Gradient(`x1="${short(x0 + dx)}" y1="${short(y0 + dy)}" x2="${short(x1 + dx)}" y2="${short(y1 + dy)}"`);
  }

  /** @param {string | Gradient} style */
  #paint(style) {
    if (typeof style === 'string') return escaped(style);
    return `url(#${this.#define(`<linearGradient id="?" gradientUnits="userSpaceOnUse" ${style.ends}>${style.stops}</linearGradient>`, 'fade')})`;
  }

  #opacity() {
    return this.globalAlpha === 1 ? '' : ` opacity="${short(this.globalAlpha)}"`;
  }

  /** @param {string} element with "?" in place of its id @param {string} kind @returns {string} the id */
  #define(element, kind) {
    let id = this.defined.get(element);
    if (!id) this.defined.set(element, (id = `${kind}${this.defined.size + 1}`));
    return id;
  }

  /** The picture so far. @param {string} title what a screen reader calls it */
  svg(title) {
    const size = `width="${short(this.width)}" height="${short(this.height)}" viewBox="0 0 ${short(this.width)} ${short(this.height)}"`;
    const definitions = [...this.defined].map(([element, id]) => element.replace('?', id)).join('');
    const open = '</g>'.repeat(this.saved.reduce((sum, { groups }) => sum + groups, this.groups));
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" font-family="${escaped(this.family)}"><title>${escaped(title)}</title><defs>${definitions}</defs>\n${this.parts.join('\n')}${open}\n</svg>\n`;
  }
}

class Gradient {
  /** @param {string} ends */
  constructor(ends) {
    this.ends = ends;
    this.stops = '';
  }

  /** @param {number} offset @param {string} colour */
  addColorStop(offset, colour) {
    const mixed = MIXED.exec(colour); // a colour that fades, in words that older programs know
    const share = mixed ? ` stop-opacity="${short(Number(mixed[2]) / 100)}"` : '';
    this.stops += `<stop offset="${short(offset)}" stop-color="${escaped(mixed?.[1] ?? colour)}"${share}/>`;
  }
}

/** @param {number} value */
function short(value) {
  if (!Number.isFinite(value)) throw new TypeError(`a picture has no place ${value}`);
  return String(Math.round(value * 100) / 100);
}
