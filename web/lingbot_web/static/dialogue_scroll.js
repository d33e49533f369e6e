// The list of turns as it scrolls: only those in view are in the document, and one that grows above the reader's eye
// moves nothing under it.

import { h } from 'lb/dom';
import { Heights } from 'lb/dialogue_heights';

/** A row in the document; its height is asked for once, since asking makes the browser lay out everything. @typedef {{sign: string, element: HTMLElement, measured: boolean}} Drawn */
/** @typedef {{sign: string, make: () => HTMLElement}} Row `sign` says what is in it: the same sign, the same element */

/** So far beyond the edge rows are drawn, so that a turn of the wheel finds them there. */
const BEYOND = 400;
const ROOM = 12;

export class Scroll {
  /**
   * @param {object} told
   * @param {(i: number) => Row} told.row
   * @param {(key: number) => number} told.guess height of a row that was never drawn
   * @param {() => void} told.onReader the reader scrolled
   * @param {() => void} told.onRoom there is more or less room
   */
  constructor({ row, guess, onReader, onRoom }) {
    this.row = row;
    this.heights = new Heights(guess);
    this.list = h('div', { class: 'turns', role: 'feed' });
    this.element = h('div', { class: 'turns-scroll', tabindex: '-1' }, this.list);
    /** @type {Map<number, Drawn>} */
    this.drawn = new Map();
    this.first = 0;
    this.end = 0;
    this.set = 0; // where the scroll stands, as far as we know: where we put it, or the reader
    this.width = 0;
    this.room = 0;
    this.element.addEventListener('scroll', () => {
      const { scrollTop } = this.element;
      if (Math.abs(scrollTop - this.set) < 1) return;
      this.set = scrollTop;
      this.draw();
      onReader();
    }, { passive: true });
    new ResizeObserver(() => {
      this.#resized();
      onRoom();
    }).observe(this.element);
  }

  #resized() {
    const { clientWidth, clientHeight } = this.element;
    this.room = clientHeight;
    if (!clientWidth) return;
    if (clientWidth !== this.width) {
      this.width = clientWidth;
      const at = this.#anchor();
      this.heights.forget();
      for (const drawn of this.drawn.values()) drawn.measured = false;
      this.#hold(at);
    }
    this.draw();
  }

  /** Takes the rows as they are now; they are drawn by what comes next. @param {number[]} keys */
  take(keys) {
    const at = this.#anchor();
    const { keys: before } = this.heights;
    this.heights.take(keys);
    // What was forgotten at the top, or found there, pushes nothing.
    if (at.i >= 0 && before[at.i] !== keys[at.i]) this.#hold({ i: keys.indexOf(before[at.i]), away: at.away });
  }

  /** Another dialogue. */
  clear() {
    this.heights.forget();
    this.heights.take([]);
    this.drawn.clear();
    this.list.replaceChildren();
    this.#put(0);
  }

  /** Draws what is in view, and once more where what was drawn turned out higher or lower than guessed. */
  draw() {
    if (!this.room) return;
    for (let again = 0; again < 4; again++) {
      const at = this.#anchor();
      this.#fill();
      if (!this.#measure()) break;
      this.#hold(at);
    }
  }

  #fill() {
    const { heights } = this;
    this.first = heights.length ? heights.at(this.set - BEYOND) : 0;
    this.end = heights.length ? heights.at(this.set + this.room + BEYOND) + 1 : 0;
    /** @type {Map<number, Drawn>} */
    const wanted = new Map();
    /** @type {HTMLElement[]} */
    const shown = [];
    for (let i = this.first; i < this.end; i++) {
      const key = heights.keys[i];
      const row = this.row(i);
      let known = this.drawn.get(key);
      if (known?.sign !== row.sign) known = { sign: row.sign, element: this.#instead(known?.element, row.make()), measured: false };
      wanted.set(key, known);
      shown.push(known.element);
    }
    this.drawn = wanted;
    if (this.list.contains(document.activeElement) && !shown.some((row) => row === document.activeElement)) this.element.focus({ preventScroll: true });
    arrange(this.list, shown);
    this.list.style.setProperty('padding-top', `${heights.top(this.first) + ROOM}px`);
    this.list.style.setProperty('padding-bottom', `${heights.top(heights.length) - heights.top(this.end) + ROOM}px`);
  }

  /** A row that is drawn anew keeps the focus. @param {HTMLElement | undefined} old @param {HTMLElement} fresh */
  #instead(old, fresh) {
    if (old && old === document.activeElement) queueMicrotask(() => fresh.focus({ preventScroll: true }));
    old?.remove();
    return fresh;
  }

  /** @returns {boolean} whether something was not as high as taken */
  #measure() {
    let differs = false;
    for (let i = this.first; i < this.end; i++) {
      const drawn = this.drawn.get(this.heights.keys[i]);
      if (!drawn || drawn.measured) continue;
      drawn.measured = true;
      if (this.heights.measured(i, drawn.element.getBoundingClientRect().height)) differs = true;
    }
    return differs;
  }

  /** The row at the upper edge, and how far it is from it. */
  #anchor() {
    const { heights } = this;
    if (!heights.length) return { i: -1, away: 0 };
    const i = heights.at(Math.max(0, this.set - ROOM));
    return { i, away: this.set - heights.top(i) };
  }

  /** @param {{i: number, away: number}} at */
  #hold({ i, away }) {
    if (i < 0) return;
    const top = this.heights.top(i) + away;
    if (Math.abs(top - this.set) < 1) return;
    this.#stretch();
    this.#put(top);
  }

  /** Makes the list as long as it is taken to be, so that the scroll finds its place. */
  #stretch() {
    const { heights } = this;
    const inside = heights.top(this.end) - heights.top(this.first);
    this.list.style.setProperty('padding-bottom', `${Math.max(ROOM, heights.top(heights.length) - heights.top(this.first) - inside + ROOM)}px`);
  }

  /** @param {number} top */
  #put(top) {
    this.set = Math.max(0, Math.min(top, this.heights.top(this.heights.length) + 2 * ROOM - this.room));
    this.element.scrollTop = this.set;
  }

  /** Whether any of row `i` is in view. @param {number} i */
  sees(i) {
    const { heights } = this;
    if (i < 0 || i >= heights.length) return true;
    const top = heights.top(i) + ROOM;
    return top < this.set + this.room - 8 && top + heights.height(i) > this.set + 8;
  }

  /** Brings row `i` into view, whole if it fits; what is in view stays where it is. @param {number} i */
  show(i) {
    const { heights, room } = this;
    this.draw();
    if (i < 0 || i >= heights.length || !room) return;
    // What is guessed is drawn on the way, which may take it elsewhere: look again until it stands.
    for (let again = 0; again < 4; again++) {
      const top = heights.top(i) + ROOM;
      const high = Math.min(heights.height(i), room - 2 * ROOM);
      const to = Math.min(Math.max(this.set, top + high + ROOM - room), Math.max(0, top - ROOM));
      if (Math.abs(to - this.set) < 1) break;
      // Far away it stands in the middle: what led to it is seen too.
      const far = Math.abs(to - this.set) > room;
      this.#stretch();
      this.#put(far ? top - (room - high) / 2 : to);
      this.draw();
    }
  }

  /** The element of row `i`, drawn if need be. @param {number} i @returns {HTMLElement | undefined} */
  at(i) {
    this.show(i);
    return this.drawn.get(this.heights.keys[i])?.element;
  }
}

/** Makes `elements` the children of `parent`, moving none that stands right. @param {HTMLElement} parent @param {HTMLElement[]} elements */
export function arrange(parent, elements) {
  const kept = new Set(elements);
  for (const child of [...parent.children]) if (!kept.has(/** @type {HTMLElement} */ (child))) child.remove();
  elements.forEach((element, i) => {
    if (parent.children[i] !== element) parent.insertBefore(element, parent.children[i] ?? null);
  });
}
