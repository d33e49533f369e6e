// Two sessions, one above the other on one axis: turns with the same words share a lane, and what differs is marked in both
// and listed beside them. A dialog over the page; while it is open the address holds `?compare=KEY`.

import { Refused } from 'lb/api';
import { compare, factsOf } from 'lb/compare';
import { inLanes, numbersOf } from 'lb/compare_lanes';
import { ComparedScore } from 'lb/compare_score';
import { placeOf, wordsOf } from 'lb/compare_words';
import { fill, foreign, h, plain } from 'lb/dom';
import { DialogueMap } from 'lb/fold';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { GUTTER } from 'lb/layout';
import { titleOf } from 'lb/session_row';
import * as windows from 'lb/window';

/** @typedef {import('lb/compare').Comparison} Comparison */
/** @typedef {import('lb/types').Window} Window */

const ZOOM = 1.25;
const ZOOM_A_PIXEL = 0.0015;
const LINE = 16;
/** Differences that are listed; the others are reached by keys, and counted. */
const MOST_LISTED = 500;

/** The session that the address asks to compare with; "" for none. */
function comparedInAddress() {
  const key = new URLSearchParams(location.search).get('compare') ?? '';
  return /^[0-9a-f]{32}$/.test(key) ? key : '';
}

/** @param {string} key "" for none */
function keepInAddress(key) {
  const url = new URL(location.href);
  if (key) url.searchParams.set('compare', key);
  else url.searchParams.delete('compare');
  history.replaceState(null, '', url);
}

export class CompareView {
  /** @param {import('lb/api').Api} api @param {{tell: (message: string) => void}} page */
  constructor(api, page) {
    this.api = api;
    this.page = page;
    /** @type {HTMLDialogElement | null} */
    this.dialog = null;
    /** @type {ComparedScore[]} */
    this.scores = [];
    /** @type {Comparison} */
    this.comparison = { rows: [], differences: [] };
    /** @type {Window} */
    this.window = { from: 1, to: 1 + windows.OPENING };
    this.current = -1;
    this.frame = 0;
    /** A session that the address asks for. */
    this.asked = comparedInAddress();
  }

  /** Opens what the address asked for when the page was loaded, once a session is open. @param {string} key of that session */
  openAsked(key) {
    const { asked } = this;
    this.asked = '';
    if (asked && !this.api.standalone) this.open(key, asked);
  }

  /** @param {string} a key of the session above @param {string} b of the one below */
  async open(a, b) {
    if (this.dialog) return;
    keepInAddress(b);
    const keys = [a, b];
    /** @type {Record<string, any>[]} */
    let keyframes;
    /** @type {import('lb/session_row').Summary[]} */
    let summaries;
    try {
      [keyframes, summaries] = await Promise.all([Promise.all(keys.map((key) => this.api.get(`api/sessions/${key}/keyframe`))), Promise.all(keys.map((key) => this.api.get(`api/sessions/${key}`)))]);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      keepInAddress('');
      this.page.tell(text('compare.refused', { why: error.message || text('error.away') }));
      return;
    }
    if (this.dialog) return;
    const maps = keyframes.map((kf) => DialogueMap.fromKeyframe(kf));
    const [ours, theirs] = maps.map(factsOf);
    this.comparison = compare(ours, theirs);
    this.current = -1;
    this.#show(summaries.map(titleOf), keyframes, maps);
  }

  /** @param {string[]} titles @param {Record<string, any>[]} keyframes @param {DialogueMap[]} maps */
  #show(titles, keyframes, maps) {
    const { rows, differences } = this.comparison;
    const different = new Set(differences.map(({ row }) => row + 1));
    const hosts = titles.map((title, i) => h('div', { class: 'compare-score', role: 'img', 'aria-label': text('compare.side', { side: 'AB'[i], title: plain(title, 80) }) }));
    this.told = h('p', { class: 'compare-told', role: 'status' });
    this.list = h('ol', { class: 'compare-list', 'aria-label': text('compare.list'), hidden: !differences.length });
    /** @param {string} words @param {string} name @param {() => void} click */
    const button = (words, name, click) => h('button', { class: 'icon-button', title: words, 'aria-label': words, disabled: name !== 'close' && !differences.length, on: { click } }, icon(name));
    const dialog = h(
      'dialog',
      { class: 'compare', 'aria-label': text('compare.title'), on: { close: () => this.#closed(dialog), keydown: (/** @type {Event} */ event) => this.#key(/** @type {KeyboardEvent} */ (event)) } },
      h('header', { class: 'compare-head' },
        h('h1', null, text('compare.title')),
        h('span', { class: 'spring' }),
        button(`${text('compare.previous')} [`, 'previous', () => this.step(-1)),
        this.told,
        button(`${text('compare.next')} ]`, 'next', () => this.step(1)),
        button(text('compare.close'), 'close', () => dialog.close()),
      ),
      h('div', { class: 'compare-body' },
        h('div', { class: 'compare-scores', tabindex: '0', autofocus: true, role: 'group', 'aria-label': text('compare.keys') },
          titles.map((title, i) => h('section', { class: 'compare-side' }, h('h2', null, h('b', null, 'AB'[i]), ' ', foreign(title, { most: 120 })), hosts[i])),
        ),
        this.list,
      ),
    );
    this.dialog = dialog;
    document.body.append(dialog);
    dialog.showModal();
    this.window = windows.place(1, windows.OPENING, this.axis);
    this.scores = hosts.map((host, i) => {
      const turns = rows.map((row) => row[i]);
      const score = new ComparedScore(host, { map: DialogueMap.fromKeyframe(inLanes(keyframes[i], turns)), numbers: numbersOf(turns) }, different);
      this.#listen(host, score);
      return score;
    });
    this.watcher = new ResizeObserver(() => {
      for (const score of this.scores) score.fit();
      this.#soon();
    });
    for (const host of hosts) this.watcher.observe(host);
    fill(this.list, differences.slice(0, MOST_LISTED).map((difference, i) => h('li', null, h('button', { class: 'compare-item', on: { click: () => this.go(i) } }, h('span', { class: 'mono' }, placeOf(difference)), h('span', null, wordsOf(difference, maps))))),
      differences.length > MOST_LISTED && h('li', { class: 'quiet' }, text('compare.more', { n: count(differences.length - MOST_LISTED) })));
    if (differences.length) this.go(0);
    else this.#tell();
  }

  get axis() {
    return { first: 1, end: this.comparison.rows.length + 1, least: windows.SPARSE };
  }

  /** The next or the previous difference, round the ends. @param {1 | -1} step */
  step(step) {
    const { length } = this.comparison.differences;
    if (length) this.go((this.current + step + length) % length);
  }

  /** @param {number} i the place of a difference */
  go(i) {
    this.current = i;
    const lane = this.comparison.differences[i].row + 1;
    this.window = windows.showing(this.window, lane, lane, this.axis);
    for (const score of this.scores) score.reveal(lane);
    this.#tell();
    this.#soon();
  }

  #tell() {
    const { differences } = this.comparison;
    const { told, list } = this;
    if (!told || !list) return;
    told.textContent = differences.length ? text('compare.at', { i: count(this.current + 1), n: count(differences.length) }) : text('compare.same');
    for (const [i, item] of [...list.querySelectorAll('button')].entries()) {
      if (i !== this.current) item.removeAttribute('aria-current');
      else {
        item.setAttribute('aria-current', 'true');
        item.scrollIntoView({ block: 'nearest' });
      }
    }
  }

  close() {
    this.dialog?.close();
  }

  /** @param {HTMLDialogElement} dialog */
  #closed(dialog) {
    dialog.remove();
    if (this.dialog !== dialog) return;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.watcher?.disconnect();
    for (const score of this.scores) score.remove();
    this.scores = [];
    this.dialog = null;
    keepInAddress('');
  }

  themeChanged() {
    for (const score of this.scores) score.recolour();
    this.#soon();
  }

  #soon() {
    if (!this.frame && this.scores.length) this.frame = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.frame = 0;
    const lane = this.current < 0 ? 0 : this.comparison.differences[this.current].row + 1;
    for (const score of this.scores) score.draw(this.window, lane);
  }

  /** @param {Window} win */
  #steer(win) {
    this.window = win;
    this.#soon();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const span = this.window.to - this.window.from;
    const middle = (this.window.from + this.window.to) / 2;
    if (event.key === ']' || event.key === '[') this.step(event.key === ']' ? 1 : -1);
    else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') this.#steer(windows.panned(this.window, event.key === 'ArrowRight' ? 1 : -1, this.axis));
    else if (event.key === '+' || event.key === '=') this.#steer(windows.zoomed(this.window, 1 / ZOOM, middle, this.axis));
    else if (event.key === '-' || event.key === '−') this.#steer(windows.zoomed(this.window, ZOOM, middle, this.axis));
    else if (event.key === '0') this.#steer(windows.place(1, windows.longest(this.axis), this.axis));
    else if (event.key === 'Home') this.#steer(windows.place(1, span, this.axis));
    else if (event.key === 'End') this.#steer(windows.atEnd(span, this.axis));
    else return;
    event.preventDefault();
  }

  /** The wheel zooms about the pointer, drag and shift-wheel pan, the wheel over the gutter scrolls a stave. @param {HTMLElement} host @param {ComparedScore} score */
  #listen(host, score) {
    const { layout, scrolling } = score;
    /** @type {{x: number, win: Window} | null} */
    let drag = null;
    let rest = 0;
    host.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      drag = { x: event.clientX, win: this.window };
      host.setPointerCapture(event.pointerId);
    });
    host.addEventListener('pointermove', (event) => {
      if (drag) this.#steer(windows.panned(drag.win, (drag.x - event.clientX) / layout.lane, this.axis));
    });
    for (const end of ['pointerup', 'pointercancel']) host.addEventListener(end, () => { drag = null; });
    host.addEventListener('wheel', (event) => {
      event.preventDefault();
      const box = host.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
      const [dx, dy] = [event.deltaX * scale, event.deltaY * scale];
      if (event.altKey || x < GUTTER) {
        const stave = layout.staveAt(y);
        rest += dy / layout.staves.rowHeight;
        const rows = Math.trunc(rest);
        rest -= rows;
        if (stave && rows && scrolling.by(stave.layer, rows)) this.#soon();
      } else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) this.#steer(windows.panned(this.window, (dx || dy) / layout.lane, this.axis));
      else this.#steer(windows.zoomed(this.window, Math.exp(dy * ZOOM_A_PIXEL), layout.turnAt(x), this.axis));
    }, { passive: false });
  }
}
