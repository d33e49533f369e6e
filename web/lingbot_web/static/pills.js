// The two pills that float over the lowest 44 px of the map: back to the latest turn, and how far the trail reaches.

import { byId, fill, h } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';

export class Pills {
  /** @param {{onLatest: () => void, onTraceOff: () => void}} actions */
  constructor(actions) {
    this.trail = h('div', { class: 'pill trail', hidden: true });
    this.latest = h('button', { class: 'pill latest', hidden: true, on: { click: () => actions.onLatest() } });
    this.off = () => actions.onTraceOff();
    this.told = '';
    fill(byId('pills'), this.trail, this.latest);
  }

  /** @param {number} behind turns after the window @param {boolean} held a moment of the past is shown @param {import('lb/types').Trail | null} trail */
  render(behind, held, trail) {
    const sign = JSON.stringify([behind, held, trail?.hops, text('pill.latest')]);
    if (sign === this.told) return;
    this.told = sign;
    this.latest.hidden = behind <= 0 && !held;
    fill(this.latest, text('pill.latest'), behind > 0 && h('span', { class: 'quiet' }, text('pill.behind', { n: count(behind) })), h('kbd', null, 'F'));
    this.trail.hidden = !trail;
    if (trail) {
      fill(
        this.trail,
        h('b', null, text('pill.trail')),
        trail.hops.map((n, i) => h('span', { class: `hop hop-${i + 1}` }, h('i', null), text('pill.hop', { k: i + 1, n: count(n) }))),
        h('button', { class: 'text-button', on: { click: this.off } }, h('kbd', null, 'Esc'), text('pill.off')),
      );
    }
  }
}
