// The buttons beside the timeline: play, step, ends; by event or by turn. Replay shows what was recorded; it calls no bot.

import { byId, fill, h } from 'lb/dom';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';

/** @typedef {import('lb/score').Score} Score */
/** @typedef {'event' | 'turn'} Unit */

// Milliseconds a step stays at speed 1: an event is glanced at, a turn is read.
const STAY = { event: 350, turn: 1400 };
const SPEEDS = [1, 2, 4, 8];

export class Transport {
  /** @param {{score: Score, live: () => boolean, onChange: () => void}} page */
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
    this.fast = h('button', { class: 'text-button step-speed', on: { click: () => this.#switchSpeed() } });
    this.range = h('div', { class: 'range' });
    fill(byId('transport'), h('div', { class: 'buttons-row' }, this.buttons.first, this.buttons.previous, this.play, this.buttons.next, this.buttons.last), h('div', { class: 'pace' }, this.by, this.fast), this.range);
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
      button.title = `${text(`transport.${name}`)} (${{ first: 'Home', previous: ',', next: '.', last: 'End' }[name]})`;
    }
    this.render();
  }

  render() {
    const { score } = this.page;
    const map = score.map;
    const last = map?.lastTurn ?? 0;
    const { from, to } = score.window;
    const low = Math.max(map?.firstTurn ?? 0, Math.floor(from + 1e-6));
    const high = Math.min(last, Math.ceil(to - 1e-6) - 1);
    const sign = JSON.stringify([low, high, last, this.playing, this.unit, this.speed, score.playhead, text('transport.play')]);
    if (sign === this.told) return;
    this.told = sign;
    fill(this.play, icon(this.playing ? 'pause' : 'play'));
    const label = text(this.playing ? 'transport.pause' : 'transport.play');
    this.play.setAttribute('aria-label', label);
    this.play.title = `${label} (Space)`;
    this.by.textContent = text(`transport.by.${this.unit}`);
    this.by.title = text('transport.unit');
    this.fast.textContent = `${this.speed}×`;
    this.fast.title = text('transport.speed');
    const bold = (/** @type {string | number} */ shown) => `\u0001${shown}\u0001`;
    let words = text('transport.range', { range: bold(low === high ? low : `${low}–${high}`), last });
    if (last < 1 || high < low) words = text('transport.turns', { n: bold(Math.max(0, last)) });
    else if (!low) words = text('transport.range.opening', { range: bold(text('score.opening')), high: bold(high), last });
    fill(this.range, words.split('\u0001').map((part, i) => (i % 2 ? h('b', null, part) : part)));
  }

  /** One step, by event or by turn. @param {1 | -1} direction */
  step(direction) {
    this.stop();
    this.#move(direction);
  }

  first() {
    this.stop();
    const { score } = this.page;
    const map = score.map;
    if (!map) return;
    score.follow(false);
    const { from, to } = score.window;
    score.setWindow(map.firstTurn, map.firstTurn + (to - from));
    this.#show(map.turn(map.firstTurn)?.seq ?? 1);
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
    this.timer = setTimeout(() => {
      this.#move(1);
      if (this.page.score.playhead !== null) this.#wait();
      else {
        this.timer = 0;
        this.page.onChange();
      }
    }, STAY[this.unit] / this.speed);
  }

  /** @param {1 | -1} direction */
  #move(direction) {
    const { score } = this.page;
    const map = score.map;
    if (!map) return;
    const at = score.playhead ?? map.cursor.seq;
    let next = at + direction;
    if (this.unit === 'turn') {
      // The last event of a turn shows the turn as a whole.
      const turn = map.turnOf(at);
      const whole = turn < 0 ? map.lastTurn : turn;
      const after = map.turn(whole + (direction > 0 ? 2 : 0));
      next = direction > 0 ? (after ? after.seq - 1 : map.cursor.seq) : (after?.seq ?? 2) - 1;
    }
    if (next >= map.cursor.seq) {
      score.setPlayhead(null);
      if (this.page.live()) score.follow(true);
      this.page.onChange();
    } else this.#show(Math.max(1, next));
  }

  /** Shows the moment after event `seq`, and its turn. @param {number} seq */
  #show(seq) {
    const { score } = this.page;
    const map = score.map;
    if (!map) return;
    score.follow(false);
    score.setPlayhead(seq);
    const turn = map.turnOf(seq);
    const { from, to } = score.window;
    if (turn < Math.floor(from) || turn + 1 > to) {
      const start = turn < from ? turn : turn + 1 - (to - from) * 0.7;
      score.setWindow(start, start + (to - from));
    }
    this.page.onChange();
  }

  #switchUnit() {
    this.unit = this.unit === 'event' ? 'turn' : 'event';
    this.render();
  }

  #switchSpeed() {
    this.speed = /** @type {number} */ (SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length]);
    this.render();
  }
}
