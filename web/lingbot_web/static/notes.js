// A note inside an empty stave when its source records nothing of that layer: empty must not look like "nothing happened".

import { byId, fill, h } from 'lb/dom';
import { lang, text } from 'lb/i18n';

/** What stands in the rows of each stave. */
const ROW = /** @type {const} */ ({ flow: 'intent', state: 'slot', knowledge: 'doc' });

export class Notes {
  /** @param {import('lb/score').Score} score */
  constructor(score) {
    this.score = score;
    this.host = h('div', { class: 'notes' });
    this.told = '';
    byId('main').append(this.host);
  }

  /** @param {import('lb/fold').DialogueMap | null} map */
  render(map) {
    const coverage = map?.about.coverage ?? {};
    const shown = !map ? [] : this.score.layout.staves.staves.filter(({ layer }) => coverage[layer] === 'none' || (coverage[layer] === 'partial' && !map.nodesOfKind(ROW[layer]).length));
    const sign = JSON.stringify([shown.map(({ layer, rows, bottom }) => [layer, rows, bottom]), lang()]);
    if (sign === this.told) return;
    this.told = sign;
    fill(this.host, shown.map(({ layer, rows, bottom }) => h('p', { class: `note ${layer}`, style: { top: `${rows + Math.min((bottom - rows) / 2, 60)}px` } }, text(coverage[layer] === 'none' ? 'coverage.note' : 'coverage.note.partial', { layer: text(`score.${layer}`) }))));
  }
}
