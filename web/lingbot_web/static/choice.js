// What the reader picked, the trail that is lit from it, and what is hovered. The picked thing is mirrored in the page for
// screen readers.
import { marksOf } from 'lb/picking';
import { reach } from 'lb/reach';
import { describe } from 'lb/words';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/types').ScoreOptions} ScoreOptions */
/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/types').Trail} Trail */

export class Choice {
  /** @type {Selection | null} */ selection = null;
  /** @type {Selection | null} */ hovered = null;
  tracing = false;
  #told = 0;
  /** @type {[number, number, number]} */ #hops = [0, 0, 0];

  /** @param {HTMLElement} host @param {ScoreOptions} options @param {() => Scene} scene */
  constructor(host, options, scene) {
    this.host = host;
    this.options = options;
    this.scene = scene;
    this.mirror = document.createElement('div');
    this.mirror.className = 'sr';
    this.mirror.setAttribute('role', 'img');
    this.mirror.hidden = true;
    this.place = document.createElement('div');
    this.place.id = 'score-focus';
    this.place.append(this.mirror);
    host.append(this.place);
  }

  /** Another dialogue: nothing of it is picked. */
  clear() {
    this.selection = null;
    this.hovered = null;
    this.tracing = false;
  }

  /** @param {Selection | null} sel */
  pick(sel) {
    this.selection = sel;
    this.scene().selection = sel;
  }

  /** Lights what is up to three links away from the selection, or puts the light out. @param {boolean} on @returns {Trail} */
  trace(on) {
    this.tracing = on && this.selection !== null;
    this.retrace();
    if (!this.tracing) this.options.onTrace?.(null);
    return { hops: this.#hops };
  }

  /** Walks the trail anew: the map or the moment shown is another. */
  retrace() {
    const scene = this.scene();
    this.#hops = [0, 0, 0];
    scene.trail = null;
    if (!this.tracing) return;
    const { trail, hops } = reach(scene.map.marks, marksOf(scene.map, this.selection), scene.seq);
    this.#hops = hops;
    scene.trail = trail;
    this.options.onTrace?.({ hops });
  }

  /** @param {Selection | null} sel @returns {boolean} whether that is another one than before */
  hover(sel) {
    if (sel?.id === this.hovered?.id && sel?.seq === this.hovered?.seq) return false;
    this.hovered = sel;
    return true;
  }

  /** Words for the picked mark. */
  words() {
    return this.selection ? describe(this.scene(), this.selection, this.options.lang()) : '';
  }

  /** Tells screen readers what is picked. Each pick has a node of its own: that the same one says something else is not read. */
  tell() {
    const words = this.words();
    if (words === this.mirror.textContent) return;
    this.#told += 1;
    this.mirror.id = `score-focus-${this.#told}`;
    this.mirror.setAttribute('aria-label', words);
    this.mirror.textContent = words;
    this.mirror.hidden = !words;
    if (words) this.host.setAttribute('aria-activedescendant', this.mirror.id);
    else this.host.removeAttribute('aria-activedescendant');
  }
}
