// The pills that float over the lowest 44 px of the map: back to the latest turn, how far the trail reaches, and that
// another session is the live one.

import { byId, fill, foreign, h, plain } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { titleOf } from 'lb/session_row';
import { voice } from 'lb/voice';

export class Pills {
  /** @param {{onLatest: () => void, onTraceOff: () => void, onNewer: () => void}} actions */
  constructor(actions) {
    this.trail = h('div', { class: 'pill trail', hidden: true });
    this.latest = h('button', { class: 'pill latest', hidden: true, on: { click: () => actions.onLatest() } });
    this.newer = h('button', { class: 'pill newer', hidden: true, on: { click: () => actions.onNewer() } });
    this.newerKey = '';
    this.off = () => actions.onTraceOff();
    this.told = '';
    fill(byId('pills'), this.trail, this.newer, this.latest);
  }

  /**
   * @param {number} behind turns after the window @param {boolean} held a moment of the past is shown @param {import('lb/types').Trail | null} trail
   * @param {import('lb/session_row').Summary | null} newer the live session, where the open one is dead
   * @returns {boolean} whether another session is the live one than before
   */
  render(behind, held, trail, newer) {
    const title = newer ? titleOf(newer) : '';
    const sign = JSON.stringify([behind, held, trail?.hops, newer?.key, title, text('pill.latest')]);
    if (sign === this.told) return false;
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
    this.newer.hidden = !newer;
    fill(this.newer, h('i', { class: 'live-dot' }), h('span', { class: 'words' }, text('pill.newer'), foreign(title, { most: 60 })), h('b', null, text('pill.newer.open')), h('kbd', null, 'O'));
    const another = this.newerKey !== (newer?.key ?? '');
    this.newerKey = newer?.key ?? '';
    if (another && newer) voice.say(`${text('pill.newer')}${plain(title, 60)}`);
    return another;
  }
}
