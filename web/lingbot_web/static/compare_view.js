// Two sessions, one above the other on one axis: turns with the same words share a lane, and what differs is marked in both
// and listed beside them. A dialog over the page; while it is open the address holds `?compare=KEY`.

import { Refused } from 'lb/api';
import { compare, factsOf } from 'lb/compare';
import { Following, axisOf, carriedOver, placeOfSame } from 'lb/compare_follow';
import { listen, press } from 'lb/compare_gestures';
import { inLanes, numbersOf } from 'lb/compare_lanes';
import { ComparedScore } from 'lb/compare_score';
import { placeOf, wordsOf } from 'lb/compare_words';
import { fill, foreign, h, plain } from 'lb/dom';
import { DialogueMap } from 'lb/fold';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { titleOf } from 'lb/session_row';
import * as windows from 'lb/window';

/** @typedef {import('lb/compare').Comparison} Comparison */
/** @typedef {import('lb/types').Window} Window */
/** @typedef {import('lb/session_row').Summary} Summary */
/** One of the two sessions, as it was when it was last asked for. @typedef {{key: string, keyframe: Record<string, any>, map: DialogueMap, summary: Summary, gone: boolean}} Compared */

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
  /** @param {import('lb/api').Api} api @param {{tell: (message: string) => void, live: (summary: Summary) => boolean}} page */
  constructor(api, page) {
    this.api = api;
    this.page = page;
    /** @type {HTMLDialogElement | null} */
    this.dialog = null;
    /** @type {ComparedScore[]} */
    this.scores = [];
    /** @type {Compared[]} */
    this.sides = [];
    /** @type {HTMLElement[]} */
    this.heads = [];
    /** @type {HTMLElement[]} how each side stands */
    this.states = [];
    this.cut = false;
    this.following = new Following((keys) => this.#again(keys));
    /** @type {Comparison} */
    this.comparison = { rows: [], differences: [] };
    /** @type {Window} */
    this.window = { from: 1, to: 1 + windows.OPENING };
    this.current = -1;
    this.frame = 0;
    /** @type {HTMLButtonElement[]} to the difference before and the next one */
    this.steps = [];
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
    /** @type {Compared[]} */
    let sides;
    try {
      sides = await Promise.all([a, b].map((key) => this.#ask(key)));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      keepInAddress('');
      this.page.tell(text('compare.refused', { why: error.message || text('error.away') }));
      return;
    }
    if (this.dialog) return;
    this.sides = sides;
    this.#compare();
    this.current = -1;
    this.#show();
  }

  /** A session as it is now. Throws Refused. @param {string} key @returns {Promise<Compared>} */
  async #ask(key) {
    const [keyframe, summary] = await Promise.all([this.api.get(`api/sessions/${key}/keyframe`), this.api.get(`api/sessions/${key}`)]);
    return { key, keyframe, map: DialogueMap.fromKeyframe(keyframe), summary, gone: false };
  }

  #compare() {
    const [ours, theirs] = this.sides.map(({ map }) => factsOf(map));
    this.comparison = compare(ours, theirs);
  }

  /** News of sessions: those that are compared are asked for again. @param {Summary[]} changed @param {string[]} removed */
  heard(changed, removed) {
    if (!this.dialog) return;
    for (const side of this.sides) {
      const summary = changed.find(({ key }) => key === side.key);
      if (removed.includes(side.key)) side.gone = true;
      if (!summary || side.gone) continue;
      side.summary = summary;
      this.following.heard(side.key);
    }
    this.#tellStates();
  }

  /** How the line to the server stands, at least once a second. @param {boolean} cut */
  line(cut) {
    if (!this.dialog) return;
    // What came while it was cut, nobody told of.
    if (this.cut && !cut) for (const { key, gone } of this.sides) if (!gone) this.following.heard(key);
    this.cut = cut;
    this.#tellStates();
  }

  /** @param {Set<string>} keys of sessions that grew */
  async #again(keys) {
    const { dialog, sides } = this;
    try {
      const fresh = await Promise.all(sides.map((side) => (keys.has(side.key) && !side.gone ? this.#ask(side.key) : side)));
      if (this.dialog !== dialog || this.sides !== sides) return;
      const grown = fresh.some(({ map }, i) => map.cursor.seq !== sides[i].map.cursor.seq || map.cursor.epoch !== sides[i].map.cursor.epoch);
      this.sides = fresh.map((side, i) => ({ ...side, gone: sides[i].gone }));
      if (grown) this.#take();
      this.#tellStates();
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // it is asked for again with the next news, and what is shown stays
    }
  }

  /** Shows the sessions as they are by now, at the reader's place. */
  #take() {
    const { rows, differences } = this.comparison;
    const looked = differences[this.current];
    this.#compare();
    this.current = placeOfSame(this.comparison.differences, looked, this.current);
    this.window = carriedOver(this.window, rows, this.comparison.rows, this.current < 0 ? 0 : this.comparison.differences[this.current].row + 1);
    const different = this.#different();
    this.scores.forEach((score, i) => score.take(this.#sideOf(i), different));
    this.#fillList();
    this.#tell(false);
    this.soon();
  }

  /** Lanes with a difference. */
  #different() {
    return new Set(this.comparison.differences.map(({ row }) => row + 1));
  }

  /** @param {number} i */
  #sideOf(i) {
    const turns = this.comparison.rows.map((row) => row[i]);
    return { map: DialogueMap.fromKeyframe(inLanes(this.sides[i].keyframe, turns)), numbers: numbersOf(turns) };
  }

  #fillList() {
    const { list } = this;
    if (!list) return;
    const { differences } = this.comparison;
    const maps = this.sides.map(({ map }) => map);
    const { scrollTop } = list;
    const focused = [...list.querySelectorAll('button')].findIndex((item) => item === document.activeElement);
    list.hidden = !differences.length;
    fill(list, differences.slice(0, MOST_LISTED).map((difference, i) => h('li', null, h('button', { class: 'compare-item', on: { click: () => this.go(i) } }, h('span', { class: 'mono' }, placeOf(difference)), h('span', null, wordsOf(difference, maps))))),
      differences.length > MOST_LISTED && h('li', { class: 'quiet' }, text('compare.more', { n: count(differences.length - MOST_LISTED) })));
    list.scrollTop = scrollTop;
    if (focused >= 0) (list.querySelectorAll('button')[Math.min(focused, differences.length - 1)] ?? list.parentElement?.querySelector('.compare-scores'))?.focus({ preventScroll: true });
    for (const each of this.steps) each.disabled = !differences.length;
  }

  /** What each side is called, and whether more is to come of it. */
  #tellStates() {
    this.sides.forEach(({ summary, gone }, i) => {
      const live = !gone && this.page.live(summary);
      const state = gone ? 'badge.gone' : live ? (this.cut ? 'badge.offline' : 'badge.live') : '';
      const title = titleOf(summary);
      const sign = JSON.stringify([title, state, text('badge.live')]);
      if (this.heads[i].dataset.told === sign) return;
      this.heads[i].dataset.told = sign;
      fill(this.heads[i], h('b', null, 'AB'[i]), ' ', foreign(title, { most: 120 }));
      fill(this.states[i], state && [h('i', { class: live && !this.cut ? 'live-dot' : '' }), text(state)]);
      this.states[i].className = `compare-state ${state.slice(6)}`;
    });
  }

  #show() {
    const { differences } = this.comparison;
    const hosts = this.sides.map(({ summary }, i) => h('div', { class: 'compare-score', role: 'img', 'aria-label': text('compare.side', { side: 'AB'[i], title: plain(titleOf(summary), 80) }) }));
    this.heads = hosts.map(() => h('h2', null));
    this.states = hosts.map(() => h('span', { class: 'compare-state' }));
    this.told = h('p', { class: 'compare-told', role: 'status' });
    this.list = h('ol', { class: 'compare-list', 'aria-label': text('compare.list') });
    /** @param {string} words @param {string} name @param {() => void} click */
    const button = (words, name, click) => h('button', { class: 'icon-button', title: words, 'aria-label': words, on: { click } }, icon(name));
    this.steps = [button(`${text('compare.previous')} [`, 'previous', () => this.step(-1)), button(`${text('compare.next')} ]`, 'next', () => this.step(1))];
    const dialog = h(
      'dialog',
      { class: 'compare', 'aria-label': text('compare.title'), on: { close: () => this.#closed(dialog), keydown: (/** @type {Event} */ event) => press(this, /** @type {KeyboardEvent} */ (event)) } },
      h('header', { class: 'compare-head' },
        h('h1', null, text('compare.title')),
        h('span', { class: 'spring' }),
        this.steps[0],
        this.told,
        this.steps[1],
        button(text('compare.close'), 'close', () => dialog.close()),
      ),
      h('div', { class: 'compare-body' },
        h('div', { class: 'compare-scores', tabindex: '0', autofocus: true, role: 'group', 'aria-label': text('compare.keys') },
          hosts.map((host, i) => h('section', { class: 'compare-side' }, h('header', null, this.heads[i], this.states[i]), host)),
        ),
        this.list,
      ),
    );
    this.dialog = dialog;
    document.body.append(dialog);
    dialog.showModal();
    this.window = windows.place(1, windows.OPENING, this.axis);
    this.scores = hosts.map((host, i) => {
      const score = new ComparedScore(host, this.#sideOf(i), this.#different());
      listen(this, host, score);
      return score;
    });
    this.watcher = new ResizeObserver(() => {
      for (const score of this.scores) score.fit();
      this.soon();
    });
    for (const host of hosts) this.watcher.observe(host);
    this.#fillList();
    this.#tellStates();
    if (differences.length) this.go(0);
    else this.#tell();
  }

  get axis() {
    return axisOf(this.comparison.rows);
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
    for (const score of this.scores) {
      score.leave();
      score.reveal(lane);
    }
    this.#tell();
    this.soon();
  }

  /** @param {boolean} [gone] the reader went to the difference, and its line comes into view */
  #tell(gone = true) {
    const { differences } = this.comparison;
    const { told, list } = this;
    if (!told || !list) return;
    told.textContent = differences.length ? text('compare.at', { i: count(this.current + 1), n: count(differences.length) }) : text('compare.same');
    for (const [i, item] of [...list.querySelectorAll('button')].entries()) {
      if (i !== this.current) item.removeAttribute('aria-current');
      else {
        item.setAttribute('aria-current', 'true');
        if (gone) item.scrollIntoView({ block: 'nearest' });
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
    this.following.stop();
    for (const score of this.scores) score.remove();
    this.scores = [];
    this.sides = [];
    this.dialog = null;
    keepInAddress('');
  }

  themeChanged() {
    for (const score of this.scores) score.recolour();
    this.soon();
  }

  soon() {
    if (!this.frame && this.scores.length) this.frame = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.frame = 0;
    const lane = this.current < 0 ? 0 : this.comparison.differences[this.current].row + 1;
    for (const score of this.scores) score.draw(this.window, lane);
  }

  /** @param {Window} win */
  steer(win) {
    this.window = win;
    for (const score of this.scores) score.leave(); // what was under the pointer has moved away
    this.soon();
  }
}
