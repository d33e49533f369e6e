// The buttons beside the timeline: play, step, ends; by event or by turn; and the moment shown, which can be typed into.
// Replay shows what was recorded; it calls no bot.

import { byId, fill, h } from 'lb/dom';
import { clock, clockSeconds, count, minute, stamp } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { saidAt } from 'lb/pane';
import { seqsOfTurn } from 'lb/past';
import { readMoment, seqAtClock, SPEEDS, stay, stepFrom } from 'lb/transport_moment';
import { typeSpan } from 'lb/span';

/** @typedef {import('lb/score').Score} Score */
/** @typedef {import('lb/transport_moment').Unit} Unit */
/**
 * @typedef {object} Around
 * @property {Score} score
 * @property {import('lb/moments').Moments} moments
 * @property {() => import('lb/fold').DialogueMap | null} newest
 * @property {() => boolean} live
 * @property {() => void} onChange
 * @property {(message: string) => void} tell
 */

/** Turn and event in more digits' width than this leave no room for seconds, in more than this for no time at all. */
const ROOMY = 11;
const CRAMPED = 13;
/** A Chinese character beside a digit. */
const FULL_WIDTH = 1.7;
/** From so many turns on there is room for few words beside the window's turns, and for none. */
const MANY = 100;
const LONG = 1000;

export class Transport {
  /** @param {Around} page */
  constructor(page) {
    this.page = page;
    /** @type {Unit} */
    this.unit = 'event';
    this.speed = 1;
    this.timer = 0;
    this.told = '';
    this.play = h('button', { class: 'icon-button play', on: { click: () => this.toggle() } });
    this.buttons = {
      first: h('button', { class: 'icon-button', on: { click: () => this.first() } }, icon('first')),
      previous: h('button', { class: 'icon-button', on: { click: () => this.step(-1) } }, icon('previous')),
      next: h('button', { class: 'icon-button', on: { click: () => this.step(1) } }, icon('next')),
      last: h('button', { class: 'icon-button', on: { click: () => this.last() } }, icon('last')),
    };
    this.by = h('button', { class: 'text-button step-unit', on: { click: () => this.#switchUnit() } });
    this.fast = h('button', { class: 'text-button step-speed', on: { click: (/** @type {Event} */ event) => this.#switchSpeed(/** @type {MouseEvent} */ (event).shiftKey ? -1 : 1) } });
    this.moment = h('input', {
      class: 'moment-field mono', type: 'text', spellcheck: 'false', autocomplete: 'off', maxlength: 40,
      on: {
        focus: () => this.moment.select(),
        blur: () => this.#tellMoment(true),
        input: () => this.moment.removeAttribute('aria-invalid'),
        keydown: (/** @type {Event} */ event) => this.#typed(/** @type {KeyboardEvent} */ (event)),
      },
    });
    this.range = h('div', { class: 'range', on: { click: () => this.typeSpan() } });
    fill(byId('transport'), h('div', { class: 'buttons-row' }, this.buttons.first, this.buttons.previous, this.play, this.buttons.next, this.buttons.last), h('div', { class: 'pace' }, this.by, this.fast), this.moment, this.range);
    this.relabel();
  }

  get playing() {
    return this.timer !== 0;
  }

  relabel() {
    this.told = '';
    byId('transport').setAttribute('aria-label', text('transport.label'));
    byId('transport').setAttribute('role', 'group');
    for (const [name, button] of Object.entries(this.buttons)) {
      button.setAttribute('aria-label', text(`transport.${name}`));
      button.title = `${text(`transport.${name}`)} (${{ first: 'Shift Home', previous: ',', next: '.', last: 'Shift End' }[name]})`;
    }
    this.moment.setAttribute('aria-label', text('moment.label'));
    this.render();
  }

  /** Asks how many turns the window is to show. */
  typeSpan() {
    typeSpan(this.range, this.page.score);
  }

  render() {
    const { score } = this.page;
    const map = score.map;
    const last = this.page.newest()?.lastTurn ?? map?.lastTurn ?? 0;
    const { from, to } = score.window;
    const low = Math.max(score.axis.first, Math.floor(from + 1e-6));
    const high = Math.min(last, Math.ceil(to - 1e-6) - 1);
    this.#tellMoment(false);
    const sign = JSON.stringify([low, high, last, this.playing, this.unit, this.speed, text('transport.play')]);
    if (sign === this.told) return;
    this.told = sign;
    fill(this.play, icon(this.playing ? 'pause' : 'play'));
    const label = text(this.playing ? 'transport.pause' : 'transport.play');
    this.play.setAttribute('aria-label', label);
    this.play.title = `${label} (Space)`;
    this.by.textContent = text(`transport.by.${this.unit}`);
    this.by.title = text('transport.unit');
    this.fast.textContent = this.speed ? `${this.speed}×` : text('transport.real');
    this.range.title = `${text('transport.span')} (N)`;
    this.fast.title = text(this.speed ? 'transport.speed' : 'transport.speed.real');
    const bold = (/** @type {string | number} */ shown) => `\u0001${shown}\u0001`;
    let words = text(last < MANY ? 'transport.range' : last < LONG ? 'transport.range.many' : 'transport.range.long', { range: bold(low === high ? low : `${low}–${high}`), last });
    if (last < 1 || high < low) words = text('transport.turns', { n: bold(Math.max(0, last)) });
    else if (!low) words = text('transport.range.opening', { range: bold(text('score.opening')), high: bold(high), last });
    fill(this.range, words.split('\u0001').map((part, i) => (i % 2 ? h('b', null, part) : part)));
  }

  /** Says which moment is shown, unless one is being typed. @param {boolean} over typing is over */
  #tellMoment(over) {
    const { score, moments } = this.page;
    const map = score.map;
    if (document.activeElement === this.moment && !over) return;
    this.moment.removeAttribute('aria-invalid');
    const seq = score.playhead ?? map?.cursor.seq ?? 0;
    const turn = map?.turnOf(seq) ?? 0;
    const at = !map || map.about.timed === false ? NaN : saidAt(map, score.playhead === null ? map.at : map.atOf(seq), turn);
    const where = `${text('moment.turn', { turn: Math.max(0, turn) })} #${seq}`;
    const wide = [...where].reduce((sum, char) => sum + (char > '⺀' ? FULL_WIDTH : 1), 0);
    const shown = !map || !seq ? '' : moments.waiting ? text('moment.fetching') : `${where} ${wide > CRAMPED ? '' : wide > ROOMY ? minute(at) : clock(at)}`.trim();
    if (this.moment.value !== shown) this.moment.value = shown;
    const title = !map || !seq ? '' : `${text('moment.title', { turn: Math.max(0, turn), seq: count(seq), at: stamp(at) })}\n${text('moment.how')}`;
    if (this.moment.title !== title) this.moment.title = title;
    this.moment.classList.toggle('past', score.playhead !== null);
  }

  /** @param {KeyboardEvent} event */
  #typed(event) {
    if (event.isComposing || event.keyCode === 229) return; // 229: some input methods end a composition with it
    if (event.key === 'Escape') this.moment.blur();
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const wanted = readMoment(this.moment.value);
    if (wanted && this.go(wanted)) this.moment.blur();
    else {
      this.moment.setAttribute('aria-invalid', 'true');
      this.moment.select();
      const newest = this.page.newest();
      this.page.tell(wanted && newest ? noneSuch(newest) : text('moment.how'));
    }
  }

  /** Goes to the end of a turn, or to the moment after an event. @param {import('lb/transport_moment').Typed} wanted @returns {boolean} false when there is none such */
  go(wanted) {
    const { score, moments } = this.page;
    const newest = this.page.newest() ?? score.map;
    if (!newest) return false;
    this.stop();
    if ('seq' in wanted) {
      if (wanted.seq < 1 || wanted.seq > newest.cursor.seq) return false;
      this.#show(wanted.seq);
      return true;
    }
    if ('clock' in wanted) {
      for (const map of new Set([newest, score.map])) {
        const seq = map && seqAtClock(map, wanted.clock, (each) => timeOf(map, each), clockSeconds);
        if (seq === null) continue;
        this.#show(seq);
        return true;
      }
      return false;
    }
    if (wanted.turn < 1 || wanted.turn > newest.lastTurn) return false;
    const held = [newest, score.map].find((map) => map?.turn(wanted.turn));
    if (held) this.#show(seqsOfTurn(held, wanted.turn)[1]);
    else moments.seekTurn(wanted.turn);
    return true;
  }

  /** One step by the unit that is picked, or by another. @param {1 | -1} direction @param {Unit} [unit] */
  step(direction, unit = this.unit) {
    this.stop();
    this.#move(direction, unit);
  }

  /** To the moment at which the next or previous anomaly was found. @param {1 | -1} direction */
  stepFinding(direction) {
    this.stop();
    const { score } = this.page;
    const map = score.map;
    if (!map) return;
    const at = score.playhead ?? map.cursor.seq;
    /** @type {import('lb/types').Finding | null} */
    let found = null;
    for (const finding of map.findings.values()) {
      if ((finding.seq - at) * direction > 0 && (!found || (found.seq - finding.seq) * direction > 0)) found = finding;
    }
    if (!found) return;
    this.#show(found.seq);
    score.select({ kind: 'finding', id: found.id, turn: found.turn, seq: found.seq }, { trace: false, reveal: true });
  }

  first() {
    this.stop();
    const { score } = this.page;
    const map = score.map;
    if (!map) return;
    score.follow(false);
    const { from, to } = score.window;
    const { first } = score.axis;
    score.setWindow(first, first + (to - from));
    this.#show(map.turn(first)?.seq ?? 1);
  }

  last() {
    this.stop();
    const { score } = this.page;
    score.setPlayhead(null);
    score.follow(true);
    this.page.onChange();
  }

  toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    const { score } = this.page;
    const map = score.map;
    if (!map || !map.cursor.seq) return;
    // Played from the end means from the start of what is in view.
    if (score.playhead === null) this.#show(map.turn(Math.max(map.firstTurn, Math.floor(score.window.from)))?.seq ?? 1);
    this.#wait();
    this.page.onChange();
  }

  stop() {
    if (!this.playing) return;
    clearTimeout(this.timer);
    this.timer = 0;
    this.page.onChange();
  }

  #wait() {
    const { score, moments } = this.page;
    const map = score.map;
    const at = score.playhead ?? 0;
    const pause = map ? map.atOf(stepFrom(map, at, 1, this.unit)) - map.atOf(at) : NaN;
    this.timer = setTimeout(() => {
      if (!moments.waiting) this.#move(1, this.unit);
      if (score.playhead !== null || moments.waiting) this.#wait();
      else {
        this.timer = 0;
        this.page.onChange();
      }
    }, stay(this.unit, this.speed, pause));
  }

  /** @param {1 | -1} direction @param {Unit} unit */
  #move(direction, unit) {
    const { score, moments } = this.page;
    const map = score.map;
    const newest = this.page.newest() ?? map;
    if (!map || !newest || moments.waiting) return;
    const next = stepFrom(map, score.playhead ?? map.cursor.seq, direction, unit);
    if (next >= newest.cursor.seq) {
      score.setPlayhead(null);
      if (this.page.live()) score.follow(true);
      this.page.onChange();
    } else this.#show(Math.max(1, next));
  }

  /** Shows the moment after event `seq`, and its turn. @param {number} seq */
  #show(seq) {
    const { score, moments } = this.page;
    score.follow(false);
    score.setPlayhead(seq);
    const { map } = score;
    if (map && !moments.waiting) {
      const turn = map.turnOf(seq);
      const { from, to } = score.window;
      if (turn < Math.floor(from) || turn + 1 > to) {
        const start = turn < from ? turn : turn + 1 - (to - from) * 0.7;
        score.setWindow(start, start + (to - from));
      }
    }
    this.page.onChange();
  }

  #switchUnit() {
    this.unit = this.unit === 'event' ? 'turn' : 'event';
    this.render();
  }

  /** @param {1 | -1} step */
  #switchSpeed(step) {
    this.speed = /** @type {number} */ (SPEEDS[(SPEEDS.indexOf(this.speed) + step + SPEEDS.length) % SPEEDS.length]);
    this.render();
  }
}

/** When an event came to be, as the page shows it; NaN where the recording knows no times. @param {import('lb/fold').DialogueMap} map @param {number} seq */
function timeOf(map, seq) {
  return map.about.timed === false ? NaN : saidAt(map, map.atOf(seq), map.turnOf(seq));
}

/** What there is, for whoever asked for a moment that there is not. @param {import('lb/fold').DialogueMap} map */
function noneSuch(map) {
  const from = clock(timeOf(map, map.turn(map.firstTurn)?.seq ?? map.firstMoment));
  return text(from ? 'moment.none.timed' : 'moment.none', { turn: map.lastTurn, seq: map.cursor.seq, from, to: clock(timeOf(map, map.cursor.seq)) });
}
