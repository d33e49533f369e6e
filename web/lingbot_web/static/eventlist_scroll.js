// A list of a million rows of one height, of which one may be open: the few in view are in the document. Beyond what a
// browser can scroll, the bar stands for the whole and a row's place is reckoned from its share.

import { arrange } from 'lb/dialogue_scroll';
import { h } from 'lb/dom';

/** @typedef {{sign: string, make: () => HTMLElement}} Row `sign` says what is in it: the same sign, the same element */

export const HIGH = 42;
/** Browsers stop at 17 to 33 million pixels. */
const LONGEST = 12_000_000;
const BEYOND = 6; // rows drawn above and below what is in view

export class RowScroll {
  /** @param {{row: (i: number) => Row, onReader: () => void, onRoom: () => void}} told the reader scrolled; there is more or less room */
  constructor({ row, onReader, onRoom }) {
    this.row = row;
    this.onReader = onReader;
    this.length = 0;
    /** The open row, -1 for none, and how much higher it is. */
    this.open = -1;
    this.extra = 0;
    this.offset = 0; // of the upper edge, in pixels of the whole list
    this.set = 0; // where the scroll stands, as far as we know: where we put it, or the reader
    this.room = 0;
    this.list = h('div', { class: 'event-rows', role: 'grid' });
    this.element = h('div', { class: 'event-scroll', tabindex: '-1' }, this.list);
    /** @type {Map<number, {sign: string, element: HTMLElement}>} */
    this.drawn = new Map();
    this.first = 0;
    this.end = 0;
    this.element.addEventListener('scroll', () => {
      const { scrollTop } = this.element;
      if (Math.abs(scrollTop - this.set) < 1) return;
      this.set = scrollTop;
      this.offset = scrollTop * this.#ratio();
      this.draw();
      this.onReader();
    }, { passive: true });
    new ResizeObserver(() => {
      this.room = this.element.clientHeight;
      this.draw();
      onRoom();
    }).observe(this.element);
  }

  /** Height of all rows together. */
  get #whole() {
    return this.length * HIGH + this.extra;
  }

  /** Pixels of the list for one of the scroll bar. */
  #ratio() {
    const shown = Math.min(this.#whole, LONGEST);
    return shown > this.room ? (this.#whole - this.room) / (shown - this.room) : 1;
  }

  /** @param {number} i */
  #top(i) {
    return i * HIGH + (this.open >= 0 && i > this.open ? this.extra : 0);
  }

  /** @param {number} y */
  #at(y) {
    if (this.open >= 0 && y > (this.open + 1) * HIGH) {
      if (y < (this.open + 1) * HIGH + this.extra) return this.open;
      return Math.floor((y - this.extra) / HIGH);
    }
    return Math.floor(y / HIGH);
  }

  /** Takes so many rows, row `open` open (-1: none). @param {number} length @param {number} open */
  take(length, open) {
    this.length = length;
    if (open !== this.open) {
      this.open = open;
      this.extra = 0;
    }
    this.draw();
  }

  draw() {
    const room = this.room;
    if (!room) return;
    for (let again = 0; again < 2; again++) {
      this.offset = Math.max(0, Math.min(this.offset, this.#whole - room));
      this.list.style.setProperty('height', `${Math.min(this.#whole, LONGEST)}px`);
      this.#put(this.offset / this.#ratio());
      this.#fill(room);
      const open = this.open >= this.first && this.open < this.end ? this.drawn.get(this.open)?.element : undefined;
      const extra = open ? open.getBoundingClientRect().height - HIGH : this.extra;
      if (Math.abs(extra - this.extra) < 1) break;
      this.extra = extra;
    }
  }

  /** @param {number} room */
  #fill(room) {
    this.first = Math.max(0, this.#at(this.offset) - BEYOND);
    this.end = Math.min(this.length, this.#at(this.offset + room) + BEYOND + 1);
    const shift = this.set - this.offset;
    /** @type {Map<number, {sign: string, element: HTMLElement}>} */
    const wanted = new Map();
    /** @type {HTMLElement | null} */
    let focused = null;
    for (let i = this.first; i < this.end; i++) {
      const row = this.row(i);
      let known = this.drawn.get(i);
      if (known?.sign !== row.sign) {
        const fresh = row.make();
        const had = known && known.element.contains(document.activeElement) ? document.activeElement : null;
        known?.element.replaceWith(fresh);
        if (had) focused = had instanceof HTMLButtonElement ? (fresh.querySelector('button') ?? fresh) : fresh;
        known = { sign: row.sign, element: fresh };
      }
      known.element.style.setProperty('transform', `translateY(${this.#top(i) + shift}px)`);
      wanted.set(i, known);
    }
    for (const [i, { element }] of this.drawn) if (!wanted.has(i) && element.contains(document.activeElement)) focused = this.element;
    this.drawn = wanted;
    arrange(this.list, [...wanted.values()].map(({ element }) => element));
    focused?.focus({ preventScroll: true });
  }

  /** @param {number} top */
  #put(top) {
    if (Math.abs(this.set - top) < 1) return;
    this.set = top;
    this.element.scrollTop = top;
  }

  /** Whether row `i` is in view. @param {number} i */
  sees(i) {
    if (i < 0 || i >= this.length) return true;
    return this.#top(i) < this.offset + this.room - 8 && this.#top(i) + HIGH > this.offset + 8;
  }

  /** Brings row `i` into view; what is in view stays where it is. @param {number} i */
  show(i) {
    const room = this.room;
    if (i < 0 || i >= this.length || !room) return;
    const high = HIGH + (i === this.open ? this.extra : 0);
    const to = Math.min(Math.max(this.offset, this.#top(i) + Math.min(high, room) - room), this.#top(i));
    // Far away it stands in the middle: what led to it is seen too.
    this.offset = Math.abs(to - this.offset) > room ? this.#top(i) - (room - HIGH) / 2 : to;
    this.draw();
  }

  /** The element of row `i`, brought into view. @param {number} i @returns {HTMLElement | undefined} */
  at(i) {
    this.show(i);
    return this.drawn.get(i)?.element;
  }

  clear() {
    this.length = 0;
    this.open = -1;
    this.extra = 0;
    this.offset = 0;
    this.drawn.clear();
    this.list.replaceChildren();
    this.list.style.setProperty('height', '0');
  }
}
