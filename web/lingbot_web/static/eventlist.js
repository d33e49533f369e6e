// The events of the session, all of them, in the order of their numbers. Numbers, kinds, turns and times come from the
// map; what an event says is fetched for those in view.

import { copyText } from 'lb/clipboard';
import { undoneBy } from 'lb/dialogue_turns';
import { fill, h } from 'lb/dom';
import { Pages } from 'lb/eventlist_pages';
import { eventRow, signOf } from 'lb/eventlist_row';
import { EventRows, OWN_KINDS, summaryOf } from 'lb/eventlist_rows';
import { RowScroll } from 'lb/eventlist_scroll';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { Pacing, placeByKey } from 'lb/pacing';
import { saidAt } from 'lb/pane';
import { blamedSeqs } from 'lb/past';
import { voice } from 'lb/voice';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/**
 * @typedef {object} Listed what the list is asked to show
 * @property {DialogueMap | null} map as shown
 * @property {DialogueMap | null} newest the same but where the moment lies before what the newest map holds
 * @property {string} key of the session
 * @property {number | null} playhead
 * @property {boolean} live more is to come
 * @property {boolean} timed whether the source gave times
 * @property {boolean} playing the moment moves by itself
 */
/** The filters, as far as they concern events. @typedef {{active: boolean, anomalies: boolean, sign: string, passesEvent: (kind: string, anomalous: boolean) => boolean}} Sieve */

const PAGE = 12;
const AGAIN_MS = 500;

export class EventList {
  /**
   * @param {import('lb/api').Api} api
   * @param {{listed: () => Listed, sieve: () => Sieve | null, show: (seq: number) => void, tell: (words: string) => void}} page
   */
  constructor(api, page) {
    /** @type {import('lb/side').TabName} */
    this.name = 'events';
    this.page = page;
    this.listed = page.listed();
    this.rows = new EventRows();
    this.pages = new Pages(api, () => this.render());
    this.scroll = new RowScroll({ row: (i) => this.#row(i), onReader: () => this.#read(), onRoom: () => this.#keep() });
    this.bar = h('div', { class: 'pane-bar' });
    this.trouble = h('p', { class: 'quiet dialogue-note' });
    this.back = h('button', { class: 'pill back', on: { click: () => this.#goBack() } });
    this.element = h('div', { class: 'event-list' }, this.bar, this.trouble, h('div', { class: 'turns-room' }, this.scroll.element, this.back));
    this.key = '';
    /** @type {number | null} */
    this.playhead = null;
    this.current = -1; // row of the moment's event, or of the last before it that is shown
    this.focus = -1; // number of the event that has the keys; -1: the current one
    this.open = -1; // number of the event that is open
    this.attached = true; // the list goes where the moment goes; until the reader looks elsewhere
    /** @type {Map<number, string>} */
    this.unplaced = new Map();
    /** @type {Map<number, number>} */
    this.missing = new Map();
    /** @type {Set<number>} */
    this.blamed = new Set();
    /** @type {{map: DialogueMap | null, upto: number, unplaced: number, findings: number, until: number}} */
    this.looked = { map: null, upto: 0, unplaced: 0, findings: 0, until: 0 };
    this.pacing = new Pacing(() => this.render());
    this.told = '';
    this.scroll.list.addEventListener('click', (event) => this.#click(event));
    this.scroll.element.addEventListener('keydown', (event) => this.#press(event));
  }

  relabel() {
    this.scroll.list.setAttribute('aria-label', text('eventlist.label'));
    this.told = '';
    this.render();
  }

  /** The map grew or the moment moved. */
  soon() {
    this.pacing.soon();
  }

  render() {
    this.pacing.drawn();
    this.listed = this.page.listed();
    const { newest, key, playhead, playing } = this.listed;
    if (!newest || key !== this.key) this.#forget(key);
    if (!newest) {
      this.#head();
      this.back.hidden = true;
      return;
    }
    const upto = playhead ?? Infinity;
    this.#lookUp(newest, upto);
    const sieve = this.page.sieve();
    const sign = sieve?.active ? `${sieve.sign}${sieve.anomalies ? ` ${newest.findings.size} ${upto}` : ''}` : '';
    this.rows.take(newest, { sign, passes: (kind, anomalous) => !sieve || sieve.passesEvent(kind, anomalous), blamed: () => this.blamed });
    this.current = this.rows.place(Math.min(upto, newest.cursor.seq));
    const moved = playhead !== this.playhead;
    if (moved && !playing) this.attached = true;
    this.playhead = playhead;
    this.scroll.list.setAttribute('aria-rowcount', String(newest.cursor.seq));
    this.scroll.take(this.rows.length, this.open < 0 || this.rows.seq(this.rows.place(this.open)) !== this.open ? -1 : this.rows.place(this.open));
    const told = `${this.current} ${this.rows.length} ${sign} ${playhead}`;
    if (told !== this.told && this.attached) this.scroll.show(this.current);
    this.told = told;
    this.#ask();
    this.#head();
    this.#offerBack();
  }

  /** What the map says of single events, made anew only when it may say something else. @param {DialogueMap} map @param {number} upto */
  #lookUp(map, upto) {
    if (map !== this.looked.map || map.unplaced.length !== this.looked.unplaced) this.unplaced = new Map(map.unplaced.map(({ seq, why }) => [seq, why]));
    const now = performance.now();
    // Findings also grow without getting more; ten thousand of them are not gone through at every change.
    if (map !== this.looked.map || upto !== this.looked.upto || map.findings.size !== this.looked.findings || now > this.looked.until) {
      this.blamed = blamedSeqs(map, upto);
      this.missing = new Map(map.losses.map(({ seq, missing }) => [seq, missing]));
      this.looked = { map, upto, unplaced: map.unplaced.length, findings: map.findings.size, until: now + AGAIN_MS };
    }
    this.looked.unplaced = map.unplaced.length;
  }

  /** @param {string} key */
  #forget(key) {
    this.key = key;
    this.playhead = null;
    this.focus = -1;
    this.open = -1;
    this.told = '';
    this.attached = true;
    this.scroll.clear();
  }

  #head() {
    const { newest, playhead } = this.listed;
    const total = newest?.cursor.seq ?? 0;
    fill(
      this.bar,
      h('span', { class: 'quiet counted' }, this.rows.seqs ? text('eventlist.shown', { shown: count(this.rows.length), total: count(total) }) : text('eventlist.all', { n: count(total) })),
      h('span', { class: 'spring' }),
      playhead !== null && h('span', { class: 'moment mono' }, `seq ${count(playhead)}`),
    );
    const words = this.pages.trouble || (newest && !this.rows.length ? text('eventlist.none') : '');
    if (this.trouble.textContent !== words) {
      this.trouble.textContent = words;
      voice.say(words);
    }
    this.trouble.hidden = !words;
  }

  /** Asks for the events in view that are not here. */
  #ask() {
    const { newest, key } = this.listed;
    if (!newest || !this.scroll.element.clientHeight) return;
    const seqs = [];
    for (let i = this.scroll.first; i < this.scroll.end; i++) seqs.push(this.rows.seq(i));
    this.pages.want(key, newest.cursor.epoch, seqs, newest.cursor.seq);
  }

  // --- rows ---

  /** @param {number} i @returns {import('lb/eventlist_row').ShownEvent} */
  #shown(i) {
    const { map, newest, playhead, timed } = this.listed;
    const seq = this.rows.seq(i);
    const upto = playhead ?? Infinity;
    // What the newest map has forgotten, one of the past may hold.
    const holder = newest && newest.firstMoment <= seq ? newest : map && map.firstMoment <= seq && seq <= map.cursor.seq ? map : null;
    const kind = holder?.kindOf(seq) ?? '';
    const event = this.pages.get(seq);
    return {
      seq,
      kind,
      turn: holder?.turnOf(seq) ?? -1,
      at: holder && timed ? saidAt(holder, holder.atOf(seq), holder.turnOf(seq)) : NaN,
      event,
      line: event ? summaryOf(event, (id) => newest?.nodes.get(id)?.label ?? '') : '',
      absent: this.pages.absent.has(seq),
      missing: this.missing.get(seq) ?? 0,
      current: i === this.current && seq === Math.min(upto, newest?.cursor.seq ?? 0),
      later: seq > upto,
      struck: !!newest && !OWN_KINDS.has(kind) && undoneBy(newest, seq, upto),
      bad: this.blamed.has(seq),
      unplaced: this.unplaced.get(seq) ?? null,
      open: seq === this.open,
      reached: i === this.#reached(),
      timed,
      sourced: (newest?.sources.size ?? 0) > 1,
    };
  }

  /** @param {number} i @returns {import('lb/eventlist_scroll').Row} */
  #row(i) {
    const shown = this.#shown(i);
    return { sign: signOf(shown), make: () => eventRow(shown, { toggle: (seq) => this.#toggle(seq), copy: (words) => this.#copy(words) }) };
  }

  /** Where the tab key comes in: the event that had the keys, else the current one, else the first in view. */
  #reached() {
    const kept = this.focus > 0 ? this.rows.place(this.focus) : -1;
    const wanted = kept >= 0 ? kept : this.current;
    return wanted >= this.scroll.first && wanted < this.scroll.end ? wanted : this.scroll.first;
  }

  // --- the reader ---

  #read() {
    this.attached = this.scroll.sees(this.current);
    this.#ask();
    this.#offerBack();
  }

  #keep() {
    if (!this.scroll.room) return;
    if (this.attached && this.current >= 0) this.scroll.show(this.current);
    this.#ask();
    this.#offerBack();
  }

  #offerBack() {
    const away = this.current >= 0 && !this.scroll.sees(this.current);
    this.back.hidden = !away;
    if (!away) return;
    const { playhead, live } = this.listed;
    fill(this.back, icon(this.scroll.first > this.current ? 'up' : 'down'), text(playhead === null && live ? 'eventlist.back.latest' : 'eventlist.back', { seq: count(this.rows.seq(this.current)) }));
  }

  #goBack() {
    this.attached = true;
    this.focus = -1;
    this.scroll.at(this.current)?.focus({ preventScroll: true });
    this.#ask();
    this.#offerBack();
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const target = event.target instanceof Element ? event.target : null;
    const row = target?.closest('.event-row');
    if (!(row instanceof HTMLElement) || target?.closest('button, .event-raw') || !getSelection()?.isCollapsed) return;
    this.#choose(Number(row.dataset.seq));
  }

  /** @param {number} seq */
  #choose(seq) {
    this.focus = seq;
    this.page.show(seq);
    this.render();
  }

  /** @param {number} seq */
  #toggle(seq) {
    this.open = this.open === seq ? -1 : seq;
    this.focus = seq;
    this.render();
    this.scroll.show(this.rows.place(seq));
  }

  /** @param {string} words */
  async #copy(words) {
    this.page.tell(text((await copyText(words)) ? 'eventlist.copied' : 'copied.not'));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (!this.rows.length || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target instanceof Element && event.target.closest('button, pre')) return;
    const now = this.#reached();
    const place = placeByKey(event, now, this.rows.length - 1, PAGE);
    if (place !== undefined) {
      event.preventDefault();
      this.focus = this.rows.seq(place);
      this.scroll.show(place);
      this.scroll.draw();
      this.scroll.at(place)?.focus({ preventScroll: true });
      this.#read();
      return;
    }
    const seq = this.rows.seq(now);
    if (event.key === 'Enter') this.#choose(seq);
    else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      if ((event.key === 'ArrowRight') !== (this.open === seq)) this.#toggle(seq);
    } else return;
    event.preventDefault();
  }
}
