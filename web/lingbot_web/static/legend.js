// The key to the marks, below the list of sessions.

import { fill, h, svg } from 'lb/dom';
import { text } from 'lb/i18n';
import { glyph } from 'lb/icons';

const KINDS = ['loop', 'overwrite', 'leak', 'drift', 'stale', 'gap', 'failure'];

/** @param {HTMLElement} host @param {boolean} designed whether a design is drawn over the score @param {(() => void) | null} choose brings one; null where none can be held */
export function legend(host, designed = false, choose = null) {
  fill(
    host,
    h('h2', null, text('legend.title'), choose && h('button', { class: 'text-button', title: `${text('design.choose.why')} (D)`, on: { click: choose } }, text('design.choose'))),
    h(
      'div',
      { class: 'legend-marks' },
      picture(svg('rect', { class: 'pill', x: 1, y: 1.2, width: 24, height: 8.6, rx: 4.3 }), svg('path', { class: 'tick', d: 'M7 12.4h3M12 12.4h3' }), svg('path', { class: 'tick missing', d: 'M17 12.4h3' })),
      h('span', null, text('legend.intent')),
      picture(svg('path', { class: 'life', d: 'M1 7h24' }), svg('rect', { class: 'box', x: 4, y: 2.5, width: 12, height: 9, rx: 2.5 }), svg('circle', { class: 'read', cx: 21, cy: 7, r: 2.6 })),
      h('span', null, text('legend.slot')),
      picture(svg('circle', { class: 'used', cx: 7, cy: 7, r: 4.8 }), svg('circle', { class: 'candidate', cx: 19.5, cy: 7, r: 4 })),
      h('span', null, text('legend.doc')),
      picture(svg('path', { class: 'heavy', d: 'M1 4.5h24' }), svg('path', { class: 'light', d: 'M1 10h24' })),
      h('span', null, text('legend.recall')),
      picture(svg('path', { class: 'progress-loop', d: 'M1 11.5C10 11.5 8 2.5 13 2.5S16 11.5 25 11.5' })),
      h('span', null, text('legend.progress')),
      designed && [
        picture(svg('circle', { class: 'design-matched', cx: 13, cy: 7, r: 5 }), svg('path', { class: 'design-tick', d: 'M10.6 7L12.3 8.9L15.4 5.2' })),
        h('span', null, text('legend.design.matched')),
        picture(svg('rect', { class: 'design-missing', x: 2, y: 1.5, width: 22, height: 11, rx: 4 })),
        h('span', null, text('legend.design.missing')),
        picture(svg('path', { class: 'design-extra', d: 'M8 1.5L19 7L8 12.5Z' }), svg('path', { class: 'design-tick', d: 'M9.6 7H14.4M12 4.8V9.2' })),
        h('span', null, text('legend.design.extra')),
      ],
    ),
    h('div', { class: 'legend-kinds' }, KINDS.map((kind) => h('span', { class: kind === 'gap' ? 'gap' : null }, glyph(kind), text(`finding.short.${kind}`)))),
  );
}

/** @param {Element[]} shapes */
function picture(...shapes) {
  return svg('svg', { class: 'legend-mark', viewBox: '0 0 26 14', 'aria-hidden': 'true' }, shapes);
}
