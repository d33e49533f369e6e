// What the reader sees of the score: four canvases, sized for the screen's pixels, and what paints them.
import { GUTTER, Layout } from 'lb/layout';
import { Lettering } from 'lb/lettering';
import { Painter } from 'lb/paint';
import { paintOverlay } from 'lb/paint_overlay';
import { ScrubLayout, ScrubPainter } from 'lb/scrub';
import { contextOf, Surface } from 'lb/surfaces';
import { readTokens } from 'lb/tokens';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/types').Window} Window */

/** Parts of the picture, as bits. PAN: nothing but the window moved. */
export const PART = /** @type {const} */ ({ MAP: 1, OVER: 2, SCRUB: 4, PAN: 8 });
export const ALL = PART.MAP | PART.OVER | PART.SCRUB;

/** The narrowest map that is laid out, beside the gutter. */
const NARROWEST = 60;

export class Picture {
  /** @param {HTMLElement} host @param {HTMLElement} scrubHost */
  constructor(host, scrubHost) {
    this.host = host;
    this.scrubHost = scrubHost;
    this.map = new Surface(host, 'score-map', true);
    this.gutter = new Surface(host, 'score-gutter', true);
    this.over = new Surface(host, 'score-over');
    this.scrub = new Surface(scrubHost, 'score-scrub', true);
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
    const map = this.host.getBoundingClientRect();
    const scrub = this.scrubHost.getBoundingClientRect();
    this.map.fit(map.width, map.height);
    this.gutter.fit(GUTTER, map.height);
    this.over.fit(map.width, map.height);
    this.scrub.fit(scrub.width, scrub.height);
    const other = map.height !== this.layout.height;
    this.layout.width = Math.max(GUTTER + NARROWEST, map.width);
    this.layout.height = map.height;
    this.timeline.width = scrub.width;
    this.timeline.height = scrub.height;
    return other;
  }

  /** Draws parts of it, now. @param {number} parts @param {Scene} scene @param {{window: Window, playhead: number | null, live: boolean, hovered: Selection | null}} shown */
  draw(parts, scene, shown) {
    if (parts & (PART.MAP | PART.PAN)) this.painter.paint(this.map.ctx, this.gutter.ctx, scene, (parts & PART.MAP) !== 0);
    if (parts & (PART.MAP | PART.PAN | PART.OVER)) paintOverlay(this.over.ctx, scene, shown.hovered, shown.playhead);
    if (parts & (PART.SCRUB | PART.PAN)) this.timelinePainter.paint(this.scrub.ctx, scene, this.timeline, shown, (parts & PART.SCRUB) !== 0);
  }

  remove() {
    for (const surface of [this.map, this.gutter, this.over, this.scrub]) surface.remove();
  }
}
