// A note inside an empty stave when its source records nothing of that layer: empty must not look like "nothing happened".

import { byId, fill, h } from 'lb/dom';
import { lang, text } from 'lb/i18n';

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
    const staves = map ? this.score.staves() : [];
    const shown = staves.filter(({ layer, rows }) => coverage[layer] === 'none' || (coverage[layer] === 'partial' && !rows));
    const sign = JSON.stringify([shown, lang()]);
    if (sign === this.told) return;
    this.told = sign;
    fill(this.host, shown.map(({ layer, y, h: height }) => h('p', { class: `note ${layer}`, style: { top: `${y + Math.max(0, Math.min(height / 2, 60))}px` } }, text(coverage[layer] === 'none' ? 'coverage.note' : 'coverage.note.partial', { layer: text(`score.${layer}`) }))));
  }
}
