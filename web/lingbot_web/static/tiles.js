// The map's lanes cut into tiles: while nothing but the window moves, what was painted once is moved by the browser and
// only what comes into view is painted. Edges of tiles lie on whole pixels of the screen, counted from turn 0 on.
import { GUTTER } from 'lb/layout';
import { contextOf } from 'lb/surfaces';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {{element: HTMLCanvasElement, ctx: CanvasRenderingContext2D}} Tile */

/** Width of a tile in CSS pixels: a pan paints one in several frames, and in it few lanes twice. */
const WIDE = 256;

export class Tiles {
  /** Painted tiles by their number. @type {Map<number, Tile>} */ #painted = new Map();
  /** @type {Tile[]} */ #free = [];
  /** The tile at the box's left edge. */
  #base = 0;
  #lane = 0;
  #ratio = 1;
  #shown = false;

  /** @param {HTMLElement} host @param {Element} before which element it lies beneath */
  constructor(host, before) {
    this.box = document.createElement('div');
    this.box.className = 'score-tiles';
    this.box.setAttribute('aria-hidden', 'true');
    for (const [property, value] of [['position', 'absolute'], ['left', '0'], ['top', '0'], ['visibility', 'hidden'], ['will-change', 'transform']]) this.box.style.setProperty(property, value);
    host.insertBefore(this.box, before);
  }

  get shown() {
    return this.#shown;
  }

  /** What was painted no longer holds. */
  drop() {
    this.#free.push(...this.#painted.values());
    this.#painted.clear();
  }

  hide() {
    if (!this.#shown) return;
    this.#shown = false;
    this.box.style.setProperty('visibility', 'hidden');
  }

  /**
   * Shows the lanes of the scene's window, whose left edge lies on a whole pixel of the screen.
   * @param {Scene} scene @param {number} ratio pixels of the screen a CSS pixel
   * @param {(ctx: CanvasRenderingContext2D) => void} paint paints the lanes of the scene's window, as it is when called
   */
  show(scene, ratio, paint) {
    const { layout } = scene;
    if (!near(layout.lane, this.#lane) || ratio !== this.#ratio) this.drop();
    const wide = Math.round(WIDE * ratio);
    const left = Math.round(layout.from * layout.lane * ratio);
    const first = Math.floor(left / wide);
    const last = Math.floor((left + (layout.width - GUTTER) * ratio) / wide);
    if (!this.#painted.size) {
      this.#base = first;
      this.#lane = layout.lane;
      this.#ratio = ratio;
    }
    for (const [number, tile] of this.#painted) {
      if (number >= first && number <= last) continue;
      this.#painted.delete(number);
      this.#free.push(tile);
    }
    for (let number = first; number <= last; number++) if (!this.#painted.has(number)) this.#painted.set(number, this.#paint(scene, number, wide, paint));
    const x = Math.round(GUTTER * ratio) + this.#base * wide - left;
    this.box.style.setProperty('transform', `translate3d(${x / ratio}px, 0, 0)`);
    if (this.#shown) return;
    this.#shown = true;
    this.box.style.setProperty('visibility', 'visible');
  }

  /** @param {Scene} scene @param {number} number @param {number} wide @param {(ctx: CanvasRenderingContext2D) => void} paint @returns {Tile} */
  #paint(scene, number, wide, paint) {
    const { layout } = scene;
    const ratio = this.#ratio;
    const tile = this.#free.pop() ?? this.#tile();
    const high = Math.max(1, Math.round(layout.height * ratio));
    if (tile.element.width !== wide) tile.element.width = wide;
    if (tile.element.height !== high) tile.element.height = high;
    tile.element.style.setProperty('width', `${wide / ratio}px`);
    tile.element.style.setProperty('height', `${high / ratio}px`);
    tile.element.style.setProperty('left', `${((number - this.#base) * wide) / ratio}px`);
    tile.ctx.setTransform(ratio, 0, 0, ratio, -GUTTER * ratio, 0);
    const { from, to, width } = layout;
    layout.width = GUTTER + wide / ratio;
    layout.from = (number * wide) / (this.#lane * ratio);
    layout.to = layout.from + wide / (this.#lane * ratio);
    scene.begin(1);
    paint(tile.ctx);
    Object.assign(layout, { from, to, width });
    scene.begin();
    return tile;
  }

  /** @returns {Tile} */
  #tile() {
    const element = document.createElement('canvas');
    element.style.setProperty('position', 'absolute');
    element.style.setProperty('top', '0');
    this.box.append(element);
    return { element, ctx: contextOf(element, true) };
  }

  remove() {
    this.box.remove();
  }
}

/** Equal but for rounding. @param {number} a @param {number} b */
export function near(a, b) {
  return Math.abs(a - b) < 1e-7 * Math.abs(a);
}
