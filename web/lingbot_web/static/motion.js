// How the window moves: at once where the reader steers it, in a short slide where it goes by itself, and with the end
// while it follows.
import * as windows from 'lb/window';

/** @typedef {import('lb/types').Window} Window */

const SLIDE = 120;
/** When the window has been still so long, in ms, it has come to rest. */
const REST = 160;

export class Motion {
  /** @type {Window} */ window = { from: 1, to: 1 + windows.OPENING };
  following = false;
  /** @type {{from: Window, to: Window, start: number} | null} */ #slide = null;
  #timer = 0;

  /**
   * @param {object} on
   * @param {() => windows.Axis} on.axis
   * @param {(win: Window) => void} on.moved the window is another; to be painted
   * @param {() => void} on.sliding the next frame is to be painted, with `advance` before it
   * @param {() => void} on.rested
   * @param {(on: boolean) => void} on.followed it began or ended to follow
   * @param {() => boolean} on.still nothing may slide
   */
  constructor(on) {
    this.on = on;
  }

  get span() {
    return this.window.to - this.window.from;
  }

  get middle() {
    return (this.window.from + this.window.to) / 2;
  }

  get slides() {
    return this.#slide !== null;
  }

  /** Shows a window at once. @param {Window} win */
  show(win) {
    if (same(win, this.window)) return;
    this.window = win;
    this.on.moved(win);
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(this.on.rested, REST);
  }

  /** The reader moved the window: what leaves the end stops following. @param {Window} win */
  steer(win) {
    this.#slide = null;
    if (this.following && !windows.touchesEnd(win, this.on.axis())) this.follow(false);
    this.show(win);
  }

  /** @param {Window} win */
  slideTo(win) {
    if (same(win, this.window)) return;
    if (this.on.still() || document.hidden) {
      this.show(win);
      return;
    }
    this.#slide = { from: this.window, to: win, start: performance.now() };
    this.on.sliding();
  }

  /** One frame of the slide, if there is one. @param {number} now */
  advance(now) {
    const slide = this.#slide;
    if (!slide) return;
    const done = Math.min(1, Math.max(0, (now - slide.start) / SLIDE));
    const ease = 1 - (1 - done) ** 3;
    if (done >= 1) this.#slide = null;
    this.show({
      from: slide.from.from + (slide.to.from - slide.from.from) * ease,
      to: slide.from.to + (slide.to.to - slide.from.to) * ease,
    });
    if (this.#slide) this.on.sliding();
  }

  /** Ends a slide where it is. */
  halt() {
    this.#slide = null;
  }

  /** @param {boolean} on */
  follow(on) {
    if (on === this.following) return;
    this.following = on;
    this.on.followed(on);
  }

  stop() {
    clearTimeout(this.#timer);
  }
}

/** @param {Window} a @param {Window} b */
function same(a, b) {
  return a.from === b.from && a.to === b.to;
}
