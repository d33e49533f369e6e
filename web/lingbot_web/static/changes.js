// The tab "changes": two moments side by side, what the slots, the flow and the documents at hand differ in, and who did it.

import { copyText } from 'lb/clipboard';
import { differenceOf, endOf, momentsOf } from 'lb/diff';
import { changesBody } from 'lb/changes_body';
import { fill, h } from 'lb/dom';
import { clock, count, stamp } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { saidAt } from 'lb/pane';
import { toast } from 'lb/toast';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/diff').Moments} Moments */
/**
 * @typedef {object} Shown what the page shows
 * @property {import('lb/fold').DialogueMap | null} map
 * @property {string} key of the session
 * @property {Selection | null} selection
 * @property {number | null} playhead
 */

// As the inspector: what grows is redrawn at most this often.
const PACE_MS = 300;
/** @type {('a' | 'b')[]} */
const SIDES = ['a', 'b'];

export class Changes {
  /** @param {{shown: () => Shown, go: (selection: Selection) => void, copyLink: () => void, onPin: () => void}} page */
  constructor(page) {
    /** @type {import('lb/side').TabName} */
    this.name = 'changes';
    this.page = page;
    /** @type {Moments} */
    this.pinned = { a: null, b: null };
    /** @type {Moments | null} what a link asks for, until its session is open */
    this.asked = null;
    this.key = '';
    this.turn = 0; // the selected turn, which stands for the moment shown while that is the newest
    this.own = ''; // the selection that a click in here made: it does not move the moments
    this.timer = 0;
    this.now = { a: 0, b: 0 };
    this.sign = '';
    this.fields = { a: this.#field('a'), b: this.#field('b') };
    this.swap = h('button', { class: 'icon-button swap', dataset: { focus: 'swap' }, on: { click: () => this.pin({ a: this.now.b, b: this.now.a }) } }, icon('swap'));
    this.follow = h('button', { class: 'text-button', dataset: { focus: 'follow' }, on: { click: () => this.pin({ a: null, b: null }) } });
    this.copy = h('button', { class: 'text-button', dataset: { focus: 'copy' }, on: { click: () => this.#copy() } });
    this.link = h('button', { class: 'text-button', dataset: { focus: 'link' }, on: { click: () => this.page.copyLink() } });
    this.state = h('span', { class: 'quiet' });
    this.head = h('div', { class: 'moments' },
      h('div', { class: 'moment-rows' }, SIDES.map((side) => this.fields[side].row), this.swap),
      h('div', { class: 'moment-acts' }, this.state, this.follow, h('span', { class: 'spring' }), this.copy, this.link));
    this.body = h('div', { class: 'changes-body' });
    this.element = h('div', { class: 'changes' }, this.head, this.body);
    this.words();
  }

  /** One moment: its turn to type, its event and time, and "here". @param {'a' | 'b'} side */
  #field(side) {
    const turn = h('input', {
      class: 'turn-field mono', type: 'text', inputmode: 'numeric', autocomplete: 'off', maxlength: 9, dataset: { focus: `turn-${side}` },
      on: { change: () => this.#typed(side), focus: () => turn.select(), keydown: (/** @type {Event} */ event) => this.#stepped(side, /** @type {KeyboardEvent} */ (event)) },
    });
    const label = h('label', { class: 'turn-label' }, h('b', { class: 'side-name mono', 'aria-hidden': 'true' }, side.toUpperCase()), h('span', null), turn);
    const at = h('span', { class: 'at mono quiet' });
    const here = h('button', { class: 'text-button', dataset: { focus: `here-${side}` }, on: { click: () => this.pin({ ...this.pinned, [side]: this.#here() }) } });
    return { row: h('div', { class: 'moment-row' }, label, at, here), label, turn, at, here };
  }

  words() {
    for (const side of SIDES) {
      const { label, turn, here } = this.fields[side];
      /** @type {HTMLElement} */ (label.children[1]).textContent = text('changes.turn');
      turn.setAttribute('aria-label', text(`changes.moment.${side}`));
      here.textContent = text('changes.here');
      here.setAttribute('aria-label', text('changes.here.why', { side: side.toUpperCase() }));
      here.title = text('changes.here.why', { side: side.toUpperCase() });
    }
    this.swap.setAttribute('aria-label', text('changes.swap'));
    this.swap.title = text('changes.swap');
    fill(this.follow, text('changes.follow'));
    fill(this.copy, icon('copy'), 'JSON');
    this.copy.setAttribute('aria-label', text('copy.json'));
    this.copy.title = text('copy.json');
    fill(this.link, icon('link'), text('inspect.copy'));
  }

  relabel() {
    this.words();
    this.sign = '';
    this.render();
  }

  soon() {
    if (!this.timer) this.timer = setTimeout(() => this.render(), PACE_MS);
  }

  /** What of it belongs into a link. @returns {{compared?: Moments}} */
  get place() {
    if (this.pinned.a !== null || this.pinned.b !== null) return { compared: { ...this.pinned } };
    return this.own ? { compared: { ...this.now } } : {};
  }

  /** What a link asks for: at once, or when its session opens. @param {Moments | undefined} moments @param {string} session as the link names it, "" for the open one */
  ask(moments = { a: null, b: null }, session = '') {
    if (this.key && this.key.startsWith(session)) this.pinned = { ...moments };
    else this.asked = moments;
    this.own = '';
  }

  /** @param {Moments} moments */
  pin(moments) {
    this.pinned = { ...moments };
    this.own = '';
    this.page.onPin();
    this.render();
  }

  /** The moment that the page shows. */
  #here() {
    const { map, playhead } = this.page.shown();
    return map ? momentsOf(map, { a: null, b: null }, { playhead, turn: this.turn }).b : 0;
  }

  /** @param {'a' | 'b'} side */
  #typed(side) {
    const { map } = this.page.shown();
    const field = this.fields[side].turn;
    const turn = Number.parseInt(field.value, 10);
    if (!map || !Number.isFinite(turn)) {
      field.value = '';
      this.sign = '';
      this.render();
      return;
    }
    const first = Math.max(0, map.firstTurn - 1);
    const asked = Math.min(Math.max(turn, first), map.lastTurn);
    field.value = String(asked);
    this.pin({ ...this.pinned, [side]: asked <= first ? map.firstMoment - 1 : endOf(map, asked) });
  }

  /** Up and down go from turn to turn. @param {'a' | 'b'} side @param {KeyboardEvent} event */
  #stepped(side, event) {
    const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const field = this.fields[side].turn;
    field.value = String((Number.parseInt(field.value, 10) || 0) + step);
    this.#typed(side);
  }

  /** The selection stands for "this turn" until a click in here picks another. @param {Selection | null} selection */
  #heed(selection) {
    const picked = JSON.stringify(selection);
    if (picked === this.own) return;
    this.own = '';
    this.turn = selection?.turn ?? 0;
  }

  render() {
    clearTimeout(this.timer);
    this.timer = 0;
    const { map, key, selection, playhead } = this.page.shown();
    this.head.hidden = !map?.cursor.seq;
    if (map && key !== this.key) {
      this.pinned = this.asked ?? { a: null, b: null };
      this.asked = null;
      this.key = key;
      this.turn = 0;
      this.own = '';
    }
    if (!map || !map.cursor.seq) {
      this.sign = '';
      fill(this.body, h('section', { class: 'part' }, h('h2', null, text('changes.none')), h('p', { class: 'quiet' }, text('changes.none.why'))));
      return;
    }
    this.#heed(selection);
    this.now = momentsOf(map, this.pinned, { playhead, turn: this.turn });
    const { a, b } = this.now;
    for (const side of SIDES) this.#show(map, side);
    const pinned = this.pinned.a !== null || this.pinned.b !== null;
    this.follow.hidden = !pinned;
    this.state.hidden = pinned;
    this.state.textContent = text('changes.following');
    const sign = JSON.stringify([key, map.cursor.epoch, map.retired, a, b, b === map.cursor.seq ? map.cursor.seq : 0]);
    if (sign === this.sign) return;
    this.sign = sign;
    const focused = document.activeElement instanceof HTMLElement && this.body.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
    fill(this.body, changesBody(map, this.now, (/** @type {Selection} */ there) => this.#go(there)));
    if (focused) for (const element of this.body.querySelectorAll('[data-focus]')) if (element instanceof HTMLElement && element.dataset.focus === focused) element.focus({ preventScroll: true });
  }

  /** @param {import('lb/fold').DialogueMap} map @param {'a' | 'b'} side */
  #show(map, side) {
    const { turn, at, label } = this.fields[side];
    const seq = this.now[side];
    const number = seq < map.firstMoment ? Math.max(0, map.firstTurn - 1) : Math.max(0, map.turnOf(seq));
    if (document.activeElement !== turn || Number.parseInt(turn.value, 10) !== number) turn.value = String(number);
    label.classList.toggle('pinned', this.pinned[side] !== null);
    if (seq < map.firstMoment) at.textContent = text(map.retired ? 'changes.retired' : 'changes.start');
    else fill(at, h('span', null, `seq ${count(seq)}`), h('span', { title: stamp(saidAt(map, map.atOf(seq), number)) }, clock(saidAt(map, map.atOf(seq), number))));
  }

  /** @param {Selection} selection */
  #go(selection) {
    this.own = JSON.stringify(selection);
    this.page.go(selection);
  }

  async #copy() {
    const { map, key } = this.page.shown();
    if (!map) return;
    const { a, b } = this.now;
    const value = JSON.stringify({ session: map.session, key, a, b, ...differenceOf(map, a, b) }, null, 2);
    toast(text((await copyText(value)) ? 'copied.json' : 'copied.failed'));
  }
}
