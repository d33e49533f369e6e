// The plain dialogue: turn by turn what the user said and what the bot answered, at the moment that the map shows.

import { fill, h } from 'lb/dom';
import { guessTurn } from 'lb/dialogue_heights';
import { signOf, turnRow } from 'lb/dialogue_row';
import { Scroll } from 'lb/dialogue_scroll';
import { failuresByTurn, kindsOf, placeOfMoment, placeOfTurn, toldOf } from 'lb/dialogue_turns';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { Pacing, placeByKey } from 'lb/pacing';
import { saidAt } from 'lb/pane';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/types').Finding} Finding */
/**
 * @typedef {object} Heard what the dialogue is asked to show
 * @property {import('lb/fold').DialogueMap | null} map
 * @property {string} key of the session
 * @property {Selection | null} selection
 * @property {number | null} playhead
 * @property {boolean} live more is to come
 * @property {boolean} timed whether the source gave times
 * @property {boolean} playing the moment moves by itself
 * @property {(turn: number) => number} bits kinds of findings of a turn, known by the moment
 */
/** The line to type into, below the turns. @typedef {{element: HTMLElement, render: () => void, relabel: () => void, onSend: (then: () => void) => void}} Below */

const PAGE = 5;
const TEXT_WIDTH = 0.8; // share of the list's width that a bubble's text may take

export class Dialogue {
  /** @param {{heard: () => Heard, show: (turn: number) => void}} page @param {Below | null} [below] */
  constructor(page, below = null) {
    /** @type {import('lb/side').TabName} */
    this.name = 'dialogue';
    this.page = page;
    this.below = below;
    /** @type {Heard} */
    this.heard = page.heard();
    this.scroll = new Scroll({ row: (i) => this.#row(i), guess: (key) => this.#guess(key), onReader: () => this.#read(), onRoom: () => this.#keep() });
    this.bar = h('div', { class: 'pane-bar' });
    this.note = h('p', { class: 'quiet dialogue-note' });
    this.back = h('button', { class: 'pill back', on: { click: () => this.#goBack() } });
    this.element = h('div', { class: 'dialogue' }, this.bar, this.note, h('div', { class: 'turns-room' }, this.scroll.element, this.back), below?.element);
    this.key = '';
    /** @type {number | null} */
    this.playhead = null;
    this.picked = 0; // turn of the selection; -1 for none
    this.sign = '';
    this.current = -1; // place of the turn that the moment lies in
    this.focus = -1; // number of the turn that has the keys; -1: the current one
    this.attached = true; // the list goes where the moment goes; until the reader looks elsewhere
    /** @type {Map<number, Finding[]>} */
    this.failures = new Map();
    this.answers = true;
    /** Nodes among which no answer was. @type {{map: import('lb/fold').DialogueMap | null, retired: number, upto: number}} */
    this.looked = { map: null, retired: 0, upto: 0 };
    this.pacing = new Pacing(() => this.render());
    below?.onSend(() => {
      this.attached = true;
      this.sign = '';
      this.render();
    });
    this.scroll.list.addEventListener('click', (event) => this.#click(event));
    this.scroll.element.addEventListener('keydown', (event) => this.#press(event));
  }

  relabel() {
    this.scroll.list.setAttribute('aria-label', text('dialogue.label'));
    this.sign = '';
    this.below?.relabel();
    this.render();
  }

  /** The map grew or the moment moved. */
  soon() {
    this.pacing.soon();
  }

  render() {
    this.pacing.drawn();
    this.heard = this.page.heard();
    const { map, key, playhead, selection } = this.heard;
    this.below?.render();
    if (!map || key !== this.key) this.#forget(key);
    this.#lookForAnswers(map);
    this.#head();
    if (!map?.turns.length) {
      this.scroll.clear();
      this.back.hidden = true;
      return;
    }
    this.failures = failuresByTurn(map);
    const moved = playhead !== this.playhead;
    if (moved && !this.heard.playing) this.attached = true;
    this.playhead = playhead;
    this.current = placeOfMoment(map, playhead);
    this.scroll.take(map.turns.map(({ number }) => number));
    if (!this.#follow(map, selection)) this.scroll.draw();
    this.#offerBack();
  }

  /** Whether the source records answers at all: each node is looked at once. @param {import('lb/fold').DialogueMap | null} map */
  #lookForAnswers(map) {
    if (this.answers || !map) return;
    if (map !== this.looked.map || map.retired !== this.looked.retired) this.looked = { map, retired: map.retired, upto: 0 };
    while (!this.answers && this.looked.upto < map.list.length) this.answers = map.list[this.looked.upto++].kind === 'answer';
  }

  /** @param {string} key */
  #forget(key) {
    this.key = key;
    this.playhead = null;
    this.picked = -1;
    this.sign = '';
    this.focus = -1;
    this.attached = true;
    this.answers = false;
    this.scroll.clear();
  }

  /** Brings into view what was picked on the map or, while attached, where the moment lies. @param {import('lb/fold').DialogueMap} map @param {Selection | null} selection @returns {boolean} whether that drew the list */
  #follow(map, selection) {
    if (!this.scroll.room) return false; // while another tab is shown nothing can be scrolled
    const picked = pickedTurn(selection);
    const fresh = picked !== this.picked;
    this.picked = picked;
    const at = picked < 0 || !fresh ? -1 : placeOfTurn(map, picked);
    if (at >= 0) {
      this.scroll.show(at);
      this.attached = this.scroll.sees(this.current);
      return true;
    }
    const sign = JSON.stringify([this.current, this.playhead, this.current >= 0 && signOf(this.#shown(this.current))]);
    if (sign === this.sign) return false;
    this.sign = sign;
    if (this.attached) this.scroll.show(Math.max(0, this.current));
    return this.attached;
  }

  #head() {
    const { map, playhead } = this.heard;
    fill(this.bar, map && playhead !== null && h('span', { class: 'moment mono' }, text('inspect.moment', { seq: count(playhead), turn: Math.max(0, map.turnOf(playhead)) })));
    let note = '';
    if (!map?.turns.length) note = text('dialogue.none');
    else if (map.retired) note = text('dialogue.retired', { n: count(map.retired) });
    else if (!this.answers && map.turns.length > 1) note = text('dialogue.mute');
    if (this.note.textContent !== note) this.note.textContent = note;
    this.note.hidden = !note;
  }

  // --- rows ---

  /** @param {number} i @returns {import('lb/dialogue_row').Shown} */
  #shown(i) {
    const { map, playhead, live, timed, bits, selection } = this.heard;
    if (!map) throw new Error('no map is open');
    const turn = map.turns[i];
    const upto = playhead ?? Infinity;
    const told = toldOf(map, turn, upto, { live, failures: this.failures });
    if (told.standing === 'unanswered' && !this.answers) told.standing = 'answered'; // the source records no answers
    return {
      told,
      at: timed ? saidAt(map, turn.at, turn.number) : NaN,
      kinds: told.later ? [] : kindsOf(bits(turn.number)),
      current: i === this.current,
      picked: turn.number === pickedTurn(selection),
      reached: i === this.#reached(),
      place: i + 1,
      of: map.turns.length,
      low: map.about.policy?.low_confidence ?? 0.6,
    };
  }

  /** @param {number} i @returns {import('lb/dialogue_scroll').Row} */
  #row(i) {
    const shown = this.#shown(i);
    return { sign: signOf(shown), make: () => turnRow(shown) };
  }

  /** Where the tab key comes in: the turn that had the keys, else the current one, else the first in view. */
  #reached() {
    const { map } = this.heard;
    const kept = this.focus >= 0 && map ? placeOfTurn(map, this.focus) : -1;
    const wanted = kept >= 0 ? kept : this.current;
    return wanted >= this.scroll.first && wanted < this.scroll.end ? wanted : this.scroll.first;
  }

  /** @param {number} number */
  #guess(number) {
    const { map } = this.heard;
    const answer = map?.nodes.get(`answer:${number}`);
    return guessTurn(map?.nodes.get(`utterance:${number}`)?.label ?? '', answer ? [answer.label] : [], Math.max(120, this.scroll.width * TEXT_WIDTH));
  }

  // --- the reader ---

  #read() {
    this.attached = this.scroll.sees(this.current);
    this.#offerBack();
  }

  /** There is room at all, or less of it, as where the line below grows: what was in view stays so. */
  #keep() {
    if (!this.scroll.room) return;
    this.render();
    if (this.attached && this.current >= 0) this.scroll.show(this.current);
    this.#offerBack();
  }

  #offerBack() {
    const { map, playhead, live } = this.heard;
    const away = !!map && this.current >= 0 && !this.scroll.sees(this.current);
    this.back.hidden = !away;
    if (!away) return;
    const turn = /** @type {import('lb/types').Turn} */ (map.turns[this.current]).number;
    fill(this.back, icon(this.scroll.first > this.current ? 'up' : 'down'), text(playhead === null && live ? 'dialogue.back.latest' : 'dialogue.back', { turn }));
  }

  #goBack() {
    this.attached = true;
    this.scroll.at(this.current)?.focus({ preventScroll: true });
    this.#offerBack();
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const row = event.target instanceof Element ? event.target.closest('.said') : null;
    if (!(row instanceof HTMLElement) || !getSelection()?.isCollapsed) return; // text that is being picked out is no click
    this.#choose(Number(row.dataset.turn));
  }

  /** @param {number} turn */
  #choose(turn) {
    this.focus = turn;
    this.picked = turn; // it is in view: nothing has to move here
    this.page.show(turn);
    this.render();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { map } = this.heard;
    if (!map?.turns.length || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const now = this.#reached();
    const place = placeByKey(event, now, map.turns.length - 1, PAGE);
    if (place === undefined) {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      this.#choose(/** @type {import('lb/types').Turn} */ (map.turns[now]).number);
      return;
    }
    event.preventDefault();
    this.focus = /** @type {import('lb/types').Turn} */ (map.turns[place]).number;
    this.scroll.show(place);
    this.scroll.draw();
    this.scroll.at(place)?.focus({ preventScroll: true });
    this.#read();
  }
}

/** The turn that a selection lies in; -1 for none. @param {Selection | null} selection */
function pickedTurn(selection) {
  return selection && (selection.turn || selection.seq || selection.kind === 'turn') ? selection.turn : -1;
}
