// The turns of the window as a table in place of the score: the same moment, the same layers, the same selection.

import { byId, fill, h } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { leftOut, turnTable } from 'lb/table_body';
import { printed } from 'lb/table_print';
import { findingsByTurn, rowsOf, sifted, turnsIn } from 'lb/table_rows';

/** @typedef {import('lb/types').Selection} Selection */
/**
 * @typedef {object} Tabled what the page shows
 * @property {import('lb/fold').DialogueMap | null} map
 * @property {Selection | null} selection
 * @property {number | null} playhead
 * @property {import('lb/types').Window} window
 * @property {import('lb/types').Layers} layers
 * @property {boolean} anomalies only turns in which something was found
 * @property {ReadonlySet<import('lb/filters').Kind>} hidden kinds of things that are left out
 * @property {string} title of the session
 */

const PACE_MS = 300;
/** Rows of one page: enough to read on, few enough to be drawn at once. */
export const PAGE = 100;

export class TurnTable {
  /** @param {{shown: () => Tabled, go: (selection: Selection) => void, onToggle: () => void}} page */
  constructor(page) {
    this.page = page;
    this.open = false;
    this.at = 0; // the page of rows that is shown
    this.of = ''; // the turns that the pages are of
    this.picked = '';
    this.timer = 0;
    this.switch = h('button', { class: 'icon-button table-switch', on: { click: () => this.show(!this.open) } }, icon('table'));
    this.title = h('h2', { id: 'table-title' });
    this.range = h('span', { class: 'quiet', role: 'status' });
    this.previous = h('button', { class: 'icon-button', on: { click: () => this.#turn(-1) } }, icon('left'));
    this.next = h('button', { class: 'icon-button', on: { click: () => this.#turn(1) } }, icon('right'));
    this.print = h('button', { class: 'text-button', on: { click: () => print() } });
    this.close = h('button', { class: 'icon-button', on: { click: () => this.show(false) } }, icon('close'));
    this.body = h('div', { class: 'table-scroll', tabindex: '0', role: 'group', 'aria-labelledby': 'table-title' });
    this.element = h('section', { class: 'table-view', 'aria-labelledby': 'table-title', hidden: true, on: { keydown: (/** @type {Event} */ event) => this.#key(/** @type {KeyboardEvent} */ (event)) } },
      h('div', { class: 'table-bar' }, this.title, this.range, this.previous, this.next, h('span', { class: 'spring' }), this.print, this.close),
      this.body);
    byId('main').append(this.element);
    (byId('transport').querySelector('.pace') ?? byId('transport')).append(this.switch);
    // Alt turns a letter into another on some keyboards, so the key is told by its place.
    document.addEventListener('keydown', (event) => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== 'KeyT' || event.isComposing) return;
      event.preventDefault();
      this.show(!this.open);
    });
    printed(() => this.page.shown());
    this.relabel();
  }

  relabel() {
    this.title.textContent = text('table.title');
    /** @type {[HTMLElement, string][]} */
    const named = [[this.previous, 'table.previous'], [this.next, 'table.next'], [this.close, 'table.close']];
    this.switch.title = `${text('table.title')} (Alt+T)`;
    this.switch.setAttribute('aria-label', text('table.title'));
    for (const [button, key] of named) {
      button.setAttribute('aria-label', text(key));
      button.title = text(key);
    }
    this.print.textContent = text('table.print');
    this.render();
  }

  /** @param {boolean} open @param {boolean} [focus] whether the reader asked for it, and goes along */
  show(open, focus = true) {
    if (open === this.open) return;
    this.open = open;
    this.element.hidden = !open;
    for (const id of ['map', 'pills']) byId(id).inert = open;
    if (open) {
      this.render();
      if (focus) this.body.focus({ preventScroll: true });
    } else if (focus) byId('map').focus();
    this.switch.setAttribute('aria-pressed', String(open));
    this.page.onToggle();
  }

  /** What of it belongs into a link. @returns {{table?: boolean}} */
  get place() {
    return this.open ? { table: true } : {};
  }

  /** The map, the window or the moment changed. */
  soon() {
    if (this.open && !this.timer) this.timer = setTimeout(() => this.render(), PACE_MS);
  }

  /** @param {1 | -1} step */
  #turn(step) {
    this.at += step;
    this.render();
    this.body.scrollTop = 0;
  }

  render() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.open) return;
    const { map, selection, playhead, window, layers, anomalies, hidden } = this.page.shown();
    const upto = playhead ?? Infinity;
    const { first, last } = map ? turnsIn(map, window, upto) : { first: 1, last: 0 };
    if (!map || last < first) {
      this.range.textContent = '';
      this.previous.hidden = this.next.hidden = true;
      fill(this.body, h('p', { class: 'table-empty quiet' }, text(map?.lastTurn ? 'table.empty.window' : 'table.empty')));
      return;
    }
    const found = anomalies ? findingsByTurn(map, upto) : null;
    const turns = Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((turn) => !found || found.has(turn));
    this.#turnTo(turns, selection);
    const shown = turns.slice(this.at * PAGE, (this.at + 1) * PAGE);
    const rows = shown.length && shown[shown.length - 1] - shown[0] + 1 === shown.length ? rowsOf(map, shown[0], shown[shown.length - 1], upto) : shown.flatMap((turn) => rowsOf(map, turn, turn, upto));
    const pages = Math.max(1, Math.ceil(turns.length / PAGE));
    const words = shown.length
      ? text('table.range', { from: shown[0], to: shown[shown.length - 1], total: count(map.lastTurn) }) + (found ? ` · ${text('table.only', { shown: count(turns.length), total: count(last - first + 1) })}` : '')
      : text('table.only', { shown: 0, total: count(last - first + 1) });
    const moment = [playhead === null ? '' : text('inspect.moment', { seq: count(playhead), turn: Math.max(0, map.turnOf(playhead)) }), leftOut(layers, hidden)].filter(Boolean);
    const told = [words, ...moment].join(' · ');
    if (this.range.textContent !== told) this.range.textContent = told;
    this.previous.hidden = this.next.hidden = pages < 2;
    this.previous.disabled = this.at === 0;
    this.next.disabled = this.at >= pages - 1;
    const caption = [text('table.caption', { from: first, to: last }), ...moment].join(' · ');
    const focused = document.activeElement instanceof HTMLElement && this.body.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
    const { scrollTop } = this.body;
    fill(this.body, rows.length ? turnTable(rows.map((row) => sifted(row, hidden)), { caption, layers, selection, go: this.page.go }) : h('p', { class: 'table-empty quiet' }, text('table.empty.filter')));
    this.body.scrollTop = scrollTop;
    if (focused) for (const element of this.body.querySelectorAll('[data-focus]')) if (element instanceof HTMLElement && element.dataset.focus === focused) element.focus({ preventScroll: true });
    this.#reveal(selection);
  }

  /** Keeps to the page of the turn that is selected, when another is; to the first, when the turns are others. @param {number[]} turns @param {Selection | null} selection */
  #turnTo(turns, selection) {
    const of = `${turns[0]}`;
    if (of !== this.of) this.at = 0;
    this.of = of;
    const place = selection && JSON.stringify(selection) !== this.picked ? turns.indexOf(selection.turn) : -1;
    if (place >= 0) this.at = Math.floor(place / PAGE);
    this.at = Math.max(0, Math.min(this.at, Math.ceil(turns.length / PAGE) - 1));
  }

  /** A turn that was selected elsewhere comes into view. @param {Selection | null} selection */
  #reveal(selection) {
    const picked = JSON.stringify(selection);
    if (picked !== this.picked) this.body.querySelector('tr.picked')?.scrollIntoView({ block: 'nearest' });
    this.picked = picked;
  }

  /** Up and down go from row to row; what scrolls the table is not the map's. @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      this.show(false);
      return;
    }
    if (/^(Arrow|Page|Home|End| |Enter)/.test(event.key)) event.stopPropagation();
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!step || !(event.target instanceof Element)) return;
    const buttons = [...this.body.querySelectorAll('.turn-button')];
    const row = event.target.closest('tr');
    const at = row ? buttons.findIndex((button) => row.contains(button)) : -1;
    const next = buttons[row ? at + step : step > 0 ? 0 : buttons.length - 1];
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus();
  }
}
