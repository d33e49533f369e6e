// The rows of the list of sessions. Of however many only those in view are in the page; the list is one stop of the Tab
// key, and arrows go from row to row.

import { h } from 'lb/dom';
import { count } from 'lb/format';
import { between, topsOf } from 'lb/session_window';

/** @typedef {import('lb/session_row').Summary} Summary */
/** @typedef {{label: string, count: string}} Head */
/** @typedef {Head | Summary} Entry */

/** Pixels above and below the view in which rows are ready, so that a quick scroll shows no blanks. */
const MARGIN = 240;
/** From so many entries before the end on the next page is asked for. */
const NEAR_END = 12;

/** @param {Entry} entry @returns {entry is Summary} */
const isRow = (entry) => 'key' in entry;

export class SessionList {
  /**
   * @param {{row: (summary: Summary) => HTMLElement, sign: (summary: Summary) => string, onEnd: () => void}} page
   *   `row` makes the row of a session, `sign` says whether it would be another than before
   */
  constructor(page) {
    this.page = page;
    this.list = h('ul', { class: 'sessions', role: 'list' });
    this.element = h('div', { class: 'session-list', on: { scroll: () => this.#draw() } }, this.list);
    this.element.addEventListener('keydown', (event) => this.#key(event));
    this.element.addEventListener('focusin', (event) => this.#focused(/** @type {HTMLElement} */ (event.target)));
    /** @type {Entry[]} */
    this.entries = [];
    this.tops = topsOf([]);
    /** @type {number[]} which row from the top an entry is */
    this.numbers = [];
    /** @type {Map<string, {sign: string, element: HTMLElement}>} */
    this.made = new Map();
    this.heights = { head: 32, row: 52 };
    /** The row that Tab comes to. */
    this.at = '';
    /** The row that is being edited: it stays as it is. */
    this.kept = '';
    this.total = 0;
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  /** Words or styles changed: every row is made anew. */
  forget(key = '') {
    if (key) this.made.delete(key);
    else this.made.clear();
  }

  /**
   * The focus of a row that is no more goes to the one beside it.
   * @param {Entry[]} entries @param {number} total of all there are, shown or not
   * @returns {boolean} whether the focus had a place to go to, if it was here
   */
  show(entries, total) {
    const worked = this.list.contains(document.activeElement) ? this.kept || this.at : '';
    const gone = worked && !entries.some((entry) => isRow(entry) && entry.key === worked);
    const beside = gone ? this.beside(worked) : '';
    if (gone) this.kept = '';
    this.entries = entries;
    this.total = total;
    this.#place();
    this.#draw();
    this.#measure();
    if (beside) this.focus(beside);
    return !gone || beside !== '';
  }

  #place() {
    let number = 0;
    this.numbers = this.entries.map((entry) => (isRow(entry) ? ++number : number));
    this.tops = topsOf(this.entries.map((entry) => (isRow(entry) ? this.heights.row : this.heights.head)));
    this.list.style.setProperty('height', `${this.tops[this.entries.length]}px`);
  }

  /** Rows are as high as the reader's letters make them. */
  #measure() {
    const row = this.list.querySelector('li:not(.session-head-row)');
    const tall = row?.firstElementChild instanceof HTMLElement ? row.firstElementChild.offsetHeight : 0;
    if (!tall || this.kept || tall + 1 === this.heights.row) return; // in a list that is not shown yet nothing has a height
    this.heights.row = tall + 1;
    this.#place();
    this.#draw();
  }

  #draw() {
    const { scrollTop, clientHeight } = this.element;
    const [first, last] = between(this.tops, scrollTop - MARGIN, scrollTop + clientHeight + MARGIN);
    const active = document.activeElement;
    const inside = active instanceof HTMLElement && this.list.contains(active) ? active : null;
    const focus = inside?.dataset.focus;
    const wanted = new Set();
    for (let i = first; i < last; i++) wanted.add(i);
    // What is being worked on stays, wherever the list is scrolled to.
    const working = inside ? this.entries.findIndex((entry) => isRow(entry) && entry.key === (this.kept || this.at)) : -1;
    if (working >= 0) wanted.add(working);
    const shown = [...wanted].sort((a, b) => a - b);
    if (!shown.some((i) => this.#keyOf(i) === this.at)) this.at = shown.map((i) => this.#keyOf(i)).find(Boolean) ?? '';
    const elements = shown.map((i) => {
      const entry = /** @type {Entry} */ (this.entries[i]);
      const element = isRow(entry) ? this.#row(entry) : this.#head(entry);
      element.style.setProperty('top', `${this.tops[i]}px`);
      if (isRow(entry)) {
        element.setAttribute('aria-posinset', String(this.numbers[i]));
        element.setAttribute('aria-setsize', String(this.total));
        for (const button of element.querySelectorAll('button')) button.tabIndex = entry.key === this.at ? 0 : -1;
      }
      return element;
    });
    this.#put(elements);
    if (focus && document.activeElement !== inside) this.#focus(focus);
    const keys = new Set(shown.map((i) => this.#keyOf(i)));
    for (const key of this.made.keys()) if (!keys.has(key)) this.made.delete(key);
    if (last >= this.entries.length - NEAR_END) this.page.onEnd();
  }

  /** @param {number} i */
  #keyOf(i) {
    const entry = this.entries[i];
    return entry && isRow(entry) ? entry.key : '';
  }

  /** What has the focus is not taken out and put back, it would lose it: the others are put around it. @param {HTMLElement[]} elements */
  #put(elements) {
    const stay = new Set(elements);
    for (const child of [...this.list.children]) if (!stay.has(/** @type {HTMLElement} */ (child))) child.remove();
    if (!elements.length) return;
    const active = document.activeElement;
    const still = Math.max(0, elements.findIndex((element) => element.contains(active)));
    const pivot = /** @type {HTMLElement} */ (elements[still]);
    if (pivot.parentNode !== this.list) this.list.prepend(pivot);
    /** @type {Element} */
    let at = pivot;
    for (const element of elements.slice(0, still).reverse()) {
      if (element.nextElementSibling !== at) this.list.insertBefore(element, at);
      at = element;
    }
    at = pivot;
    for (const element of elements.slice(still + 1)) {
      if (at.nextElementSibling !== element) at.after(element);
      at = element;
    }
  }

  /** @param {Summary} summary */
  #row(summary) {
    const sign = this.page.sign(summary);
    const made = this.made.get(summary.key);
    if (made && (made.sign === sign || summary.key === this.kept)) return made.element;
    const element = this.page.row(summary);
    this.made.set(summary.key, { sign, element });
    return element;
  }

  /** @param {Head} head */
  #head({ label, count: n }) {
    return h('li', { class: 'session-head-row' }, h('h2', { class: 'session-group' }, h('span', null, label), h('span', null, n)));
  }

  /** The element of the row, once it is in view. @param {string} key */
  reveal(key) {
    const i = this.entries.findIndex((entry) => isRow(entry) && entry.key === key);
    if (i < 0) return null;
    const top = /** @type {number} */ (this.tops[i]);
    const bottom = /** @type {number} */ (this.tops[i + 1]);
    const { scrollTop, clientHeight } = this.element;
    // The heading above a first row comes into view with it.
    const above = i > 0 && !isRow(/** @type {Entry} */ (this.entries[i - 1])) ? /** @type {number} */ (this.tops[i - 1]) : top;
    if (above < scrollTop) this.element.scrollTop = above;
    else if (bottom > scrollTop + clientHeight) this.element.scrollTop = bottom - clientHeight;
    this.at = key;
    this.#draw();
    return this.made.get(key)?.element ?? null;
  }

  /** @param {string} name */
  #focus(name) {
    for (const element of this.list.querySelectorAll('[data-focus]')) if (element instanceof HTMLElement && element.dataset.focus === name) element.focus();
  }

  /** The row that comes into its place when a session goes. @param {string} key */
  beside(key) {
    const rows = this.entries.filter(isRow);
    const i = rows.findIndex((row) => row.key === key);
    return rows[i + 1]?.key ?? rows[i - 1]?.key ?? '';
  }

  /** @param {string} key */
  focus(key) {
    if (this.reveal(key)) this.#focus(key);
  }

  /** @param {HTMLElement} target */
  #focused(target) {
    const key = target.dataset.focus?.split(' ')[0];
    if (!key || key === this.at) return;
    this.at = key;
    for (const button of this.list.querySelectorAll('button')) button.tabIndex = button.dataset.focus?.split(' ')[0] === key ? 0 : -1;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = event.target instanceof HTMLElement ? event.target : null;
    const [key, part] = target?.dataset.focus?.split(' ') ?? [];
    if (!key || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = this.entries.filter(isRow);
    const at = rows.findIndex((row) => row.key === key);
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.heights.row) - 1);
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: rows.length - 1 });
    const next = steps[event.key];
    if (next !== undefined) this.focus(rows[Math.max(0, Math.min(rows.length - 1, next))]?.key ?? key);
    else if (event.key === 'ArrowRight' && !part) this.#focus(`${key} menu`);
    else if (event.key === 'ArrowLeft' && part) this.#focus(key);
    else return;
    event.preventDefault();
  }
}

/** A group's count; "60+" where more of it may come. @param {number} n @param {boolean} whole */
export function headCount(n, whole) {
  return whole ? count(n) : `${count(n)}+`;
}
