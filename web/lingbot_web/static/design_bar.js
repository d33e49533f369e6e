// The pill that says how the session stands to the design that is drawn over it.

import { byId, fill, foreign, h, plain } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { voice } from 'lb/voice';

/** @typedef {import('lb/design_shown').Shown} Shown */

export class DesignBar {
  /** @param {{step: (by: 1 | -1) => void, close: () => void}} actions */
  constructor(actions) {
    this.named = h('span', { class: 'design-words' });
    this.words = h('span', { class: 'design-words design-said' });
    /** What the voice said last. */
    this.told = '';
    this.previous = h('button', { class: 'icon-button', on: { click: () => actions.step(-1) } }, icon('left'));
    this.next = h('button', { class: 'icon-button', on: { click: () => actions.step(1) } }, icon('right'));
    this.off = h('button', { class: 'icon-button', on: { click: () => actions.close() } }, icon('close'));
    this.element = h('div', { class: 'pill design', role: 'group', hidden: true }, this.named, this.previous, this.next, this.off, this.words); // a drawer over the map leaves the buttons in sight
    byId('pills').append(this.element);
    this.relabel();
  }

  relabel() {
    this.element.setAttribute('aria-label', text('design.label'));
    for (const [button, key, letter] of /** @type {const} */ ([[this.previous, 'design.previous', ''], [this.next, 'design.next', ' (D)'], [this.off, 'design.close', '']])) {
      button.setAttribute('aria-label', text(key));
      button.title = text(key) + letter;
    }
  }

  /** The first answer is under way. @param {string} name */
  busy(name) {
    if (!this.element.hidden) return;
    this.element.hidden = false;
    this.previous.hidden = this.next.hidden = true;
    fill(this.named, foreign(name, { most: 40 }));
    fill(this.words, h('span', { class: 'quiet' }, text('design.reading')));
  }

  hide() {
    this.told = '';
    this.element.hidden = true;
  }

  /** @param {Shown} shown */
  render(shown) {
    const { turns, apart, unmapped } = shown;
    this.element.hidden = false;
    this.previous.hidden = this.next.hidden = !apart.length;
    const nothing = !shown.matched ? text('design.nothing') : shown.blind ? text('design.blind') : '';
    const said = nothing || (apart.length ? text('design.apart', { n: count(apart.length), of: count(turns.size) }) : text('design.all', { n: count(turns.size) }));
    const right = shown.conforms && !nothing;
    const told = `${plain(shown.name, 40)}: ${said}`;
    if (told !== this.told) voice.say(told);
    this.told = told;
    fill(
      this.named,
      h('span', { class: `design-sign ${right ? 'ok' : 'apart'}`, 'aria-hidden': 'true' }, right ? '✓' : '≠'),
      h('b', { title: plain(shown.name, 200) }, foreign(shown.name, { most: 40 })),
    );
    fill(
      this.words,
      h('span', { class: right ? null : 'apart', title: said }, said),
      unmapped.length > 0 && h('span', { class: 'warn', title: text('design.unmapped.why', { names: plain(unmapped.join(', '), 300) }) }, text('design.unmapped', { n: count(unmapped.length) })),
    );
  }
}
