// How the events of the open session fared, at the foot of the left column: what came, what is shown, what is missing,
// how many values of theirs were masked, and whether they came without a mask.

import { byId, fill, h } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';

export class Stats {
  constructor() {
    this.host = h('dl', { class: 'stats', hidden: true });
    this.told = '';
    byId('left').append(this.host);
  }

  /** @param {import('lb/fold').DialogueMap | null} map the newest @param {import('lb/feed').Feed} feed */
  render(map, feed) {
    this.host.hidden = !map;
    if (!map) return;
    const shown = map.cursor.seq - feed.failures.length - map.unplaced.length;
    const missing = map.losses.reduce((sum, loss) => sum + loss.missing, 0);
    const masked = Number(map.about.masked) || 0;
    const open = map.about.unmasked === true;
    const sign = JSON.stringify([feed.received, shown, missing, masked, open, text('stats.received')]);
    if (sign === this.told) return;
    this.told = sign;
    /** @param {string} name @param {number} n @param {string} [mark] */
    const one = (name, n, mark = '') => h('div', { class: mark || null }, h('dt', null, text(name)), h('dd', null, count(n)));
    fill(this.host, one('stats.received', Math.max(feed.received, shown)), one('stats.shown', shown), one('stats.missing', missing, missing ? 'lost' : ''), masked > 0 && maskedOf(masked), open && h('div', { class: 'unmasked', title: text(unmaskedTitle(map.about.origin)) }, h('dt', null, text(masked > 0 ? 'stats.unmasked.part' : 'stats.unmasked'))));
  }
}

/** How many values of the session were masked. @param {number} n */
function maskedOf(n) {
  return h('div', { class: 'masked', title: text('stats.masked.title', { n: count(n) }) }, h('dt', null, text('stats.masked')), h('dd', null, count(n)));
}

/** Which sentence says that nothing was masked: of spans that came live, or of an import. @param {unknown} origin */
export function unmaskedTitle(origin) {
  return (origin ?? 'probe') === 'probe' ? 'stats.unmasked.live' : 'stats.unmasked.title';
}
