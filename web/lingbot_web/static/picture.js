// What the reader sees of the score: four canvases, sized for the screen's pixels, and what paints them.
import { GUTTER, Layout } from 'lb/layout';
import { Lettering } from 'lb/lettering';
import { clipped, Painter } from 'lb/paint';
import { paintOverlay } from 'lb/paint_overlay';
import { ScrubLayout, ScrubPainter } from 'lb/scrub';
import { contextOf, Surface } from 'lb/surfaces';
import { near, Tiles } from 'lb/tiles';
import { readTokens } from 'lb/tokens';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/types').Window} Window */

/**
 * @typedef {object} Shown what is shown besides the map
 * @property {Window} window
 * @property {number | null} playhead
 * @property {boolean} live whether more is to come
 * @property {boolean} cut whether the line to it is down
 * @property {Selection | null} hovered
 * @property {boolean} resting the window has come to rest
 */

/** Parts of the picture, as bits. PAN: nothing but the window moved. */
export const PART = /** @type {const} */ ({ MAP: 1, OVER: 2, SCRUB: 4, PAN: 8 });
export const ALL = PART.MAP | PART.OVER | PART.SCRUB;

/** A window that moved by more of its width than this shares too little with the one before. */
const FAR = 0.75;
/** The narrowest map that is laid out, beside the gutter. */
const NARROWEST = 60;

/** The size of a host, in CSS pixels, of as many whole pixels of the screen as it has: one that is painted in part stays dark. @param {HTMLElement} host */
function wholePixels(host) {
  const ratio = devicePixelRatio || 1;
  const { width, height } = host.getBoundingClientRect();
  const whole = (/** @type {number} */ size) => Math.floor(size * ratio + 0.01) / ratio;
  return { width: whole(width), height: whole(height) };
}

export class Picture {
  /** The window as it was last drawn. */
  #from = NaN;
  #lane = 0;
  /** Whether anything is drawn on what lies over the map. */
  #inked = true;

  /** @param {HTMLElement} host @param {HTMLElement} scrubHost */
  constructor(host, scrubHost) {
    this.host = host;
    this.scrubHost = scrubHost;
    this.map = new Surface(host, 'score-map', true);
    this.gutter = new Surface(host, 'score-gutter', true);
    this.over = new Surface(host, 'score-over');
    // From the back to the front; the window moves without the others being painted again.
    this.scrub = {
      ground: new Surface(scrubHost, 'score-scrub', true),
      bars: new Surface(scrubHost, 'score-scrub-bars'),
      window: new Surface(scrubHost, 'score-scrub-window'),
      signs: new Surface(scrubHost, 'score-scrub-signs'),
    };
    this.tiles = new Tiles(host, this.gutter.element);
    this.layout = new Layout();
    this.timeline = new ScrubLayout();
    this.painter = new Painter();
    this.timelinePainter = new ScrubPainter();
    this.lettering = new Lettering(contextOf(document.createElement('canvas')));
    this.tokens = readTokens(document.documentElement);
  }

  /** The theme is another. @returns the colours of the new one */
  recolour() {
    this.tokens = readTokens(document.documentElement);
    return this.tokens;
  }

  /** Takes up the hosts' sizes. @returns {boolean} whether the map's height is another */
  fit() {
    const map = wholePixels(this.host);
    const scrub = wholePixels(this.scrubHost);
    this.map.fit(map.width, map.height);
    this.gutter.fit(GUTTER, map.height);
    this.over.fit(map.width, map.height);
    this.#inked = true;
    this.tiles.drop();
    for (const surface of Object.values(this.scrub)) surface.fit(scrub.width, scrub.height);
    const other = map.height !== this.layout.height;
    this.layout.width = Math.max(GUTTER + NARROWEST, map.width);
    this.layout.height = map.height;
    this.timeline.width = scrub.width;
    this.timeline.height = scrub.height;
    return other;
  }

  /** Sets the window: its left edge lies on a whole pixel of the screen, so that what moves with it stays crisp. @param {Window} win */
  place({ from, to }) {
    const { layout } = this;
    const pixels = (layout.width - GUTTER) * this.map.ratio;
    const turn = (to - from) / pixels;
    layout.from = Math.round(from / turn) * turn;
    layout.to = layout.from + (to - from);
  }

  /** Draws parts of it, now. @param {number} parts @param {Scene} scene @param {Shown} shown */
  draw(parts, scene, shown) {
    if (parts & (PART.MAP | PART.PAN)) this.#drawMap(scene, (parts & PART.MAP) !== 0, shown.resting);
    if (parts & (PART.MAP | PART.PAN | PART.OVER)) this.#drawOver(scene, shown);
    if (parts & (PART.SCRUB | PART.PAN)) this.timelinePainter.paint(this.scrub, scene, this.timeline, shown, (parts & PART.SCRUB) !== 0);
  }

  /** @param {Scene} scene @param {boolean} whole false: nothing but the window moved @param {boolean} resting */
  #drawMap(scene, whole, resting) {
    const { from, lane, to } = this.layout;
    const moved = Math.abs(from - this.#from);
    const panned = !whole && !resting && near(lane, this.#lane) && moved < (to - from) * FAR;
    if (moved === 0 && (panned || (!whole && !this.tiles.shown && near(lane, this.#lane)))) return;
    this.#from = from;
    this.#lane = lane;
    if (whole) this.tiles.drop();
    if (panned) {
      this.tiles.show(scene, this.map.ratio, (ctx) => this.painter.paintTile(ctx, scene));
      this.painter.paintGutter(this.gutter.ctx, scene, false, false);
    } else {
      this.painter.paint(this.map.ctx, this.gutter.ctx, scene, whole, resting);
      this.tiles.hide();
    }
  }

  /** @param {Scene} scene @param {Shown} shown */
  #drawOver(scene, { hovered, playhead }) {
    const { ctx } = this.over;
    const floats = this.tiles.shown;
    const some = floats || playhead !== null || hovered !== null || scene.selection !== null;
    if (this.#inked) ctx.clearRect(0, 0, this.layout.width, this.layout.height);
    this.#inked = some;
    if (floats) clipped(ctx, scene, () => this.painter.paintFloats(ctx, scene));
    if (some) paintOverlay(ctx, scene, hovered, playhead);
  }

  remove() {
    for (const surface of [this.map, this.gutter, this.over, this.tiles, ...Object.values(this.scrub)]) surface.remove();
  }
}
