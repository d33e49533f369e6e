// Line icons on a 16 px box, drawn here; finding glyphs come from the score so that both show the same shape.

import { svg } from 'lb/dom';
import { GLYPHS } from 'lb/glyphs';

/** @typedef {import('lb/types').FindingKind} FindingKind */

/** @type {Record<string, [string, ...string[]]>} path to stroke, then paths to fill */
const PATHS = {
  search: ['M7 2.7a4.3 4.3 0 1 0 0 8.6a4.3 4.3 0 0 0 0-8.6M10.2 10.2L13.4 13.4'],
  theme: ['M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11', 'M8 2.5v11a5.5 5.5 0 0 0 0-11'],
  help: ['M5.7 6.1a2.3 2.3 0 1 1 3.4 2q-1.1.6-1.1 1.9M8 12.6v.2'],
  first: ['M3.7 3.4v9.2M12.6 3.6L6.8 8l5.8 4.4z'],
  previous: ['M9.9 3.3L5.2 8l4.7 4.7'],
  play: ['', 'M4.8 3.2v9.6L12.6 8z'],
  pause: ['', 'M4 3.3h3v9.4h-3zM9 3.3h3v9.4h-3z'],
  next: ['M6.1 3.3L10.8 8l-4.7 4.7'],
  last: ['M12.3 3.4v9.2M3.4 3.6L9.2 8l-5.8 4.4z'],
  filter: ['M2.6 4h10.8M4.6 8h6.8M6.6 12h2.8'],
  up: ['M4.2 9.6L8 5.8l3.8 3.8'],
  down: ['M4.2 6.4L8 10.2l3.8-3.8'],
  send: ['M8 12.8V3.4M4.2 7.2L8 3.4l3.8 3.8'],
  left: ['M9.6 4.2L5.8 8l3.8 3.8'],
  right: ['M6.4 4.2L10.2 8l-3.8 3.8'],
  menu: ['M2.5 4.5h11M2.5 8h11M2.5 11.5h11'],
  panel: ['M2.5 3.5h11v9h-11zM9.8 3.5v9'],
  open: ['M8 10.3V2.8M5.2 5.5L8 2.7l2.8 2.8M2.8 10.2v2.7h10.4v-2.7'],
  save: ['M8 2.7v7.5M5.2 7.5L8 10.3l2.8-2.8M2.8 10.2v2.7h10.4v-2.7'],
  more: ['', 'M3 7h2v2H3zM7 7h2v2H7zM11 7h2v2h-2z'],
  pin: ['M6 2.7h4l-.6 4 2.1 2.3H4.5l2.1-2.3zM8 9.2v4.3'],
  offline: ['M2.3 6.2q5.7-4.6 11.4 0M4.7 8.9q3.3-2.6 6.6 0M2.7 2.7l10.6 10.6', 'M7 11h2v2H7z'],
  warning: ['M8 2.6l6 10.7H2zM8 6.4v3.3M8 11.4v.2'],
  close: ['M4 4l8 8M12 4l-8 8'],
  stop: ['', 'M4.2 4.2h7.6v7.6H4.2z'],
  swap: ['M5.2 3v9.4M2.8 10.2l2.4 2.4l2.4-2.4M10.8 13V3.6M8.4 5.8l2.4-2.4l2.4 2.4'],
  copy: ['M5.8 5.8h7v7h-7zM10.2 5.8V3.2h-7v7h2.6'],
  table: ['M2.5 3.5h11v9h-11zM2.5 6.6h11M6 3.5v9'],
  check: ['M8 2.2l4.8 1.9v3.5q0 4-4.8 6.2q-4.8-2.2-4.8-6.2V4.1zM5.8 7.8l1.6 1.6l2.9-3'],
  link: ['M6.8 9.2l2.4-2.4M7.3 4.9l1.4-1.4a2.7 2.7 0 0 1 3.8 3.8l-1.4 1.4M8.7 11.1l-1.4 1.4a2.7 2.7 0 0 1-3.8-3.8l1.4-1.4'],
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  const [stroke, ...fills] = /** @type {[string, ...string[]]} */ (PATHS[name]);
  return svg('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, stroke && svg('path', { class: 'stroke', d: stroke }), fills.map((d) => svg('path', { class: 'fill', d })));
}

/** The glyph of a kind of finding. @param {string} kind */
export function glyph(kind) {
  const shape = GLYPHS[/** @type {FindingKind} */ (kind)];
  return svg('svg', { class: 'glyph', viewBox: '0 0 12 12', 'aria-hidden': 'true' }, shape?.stroke && svg('path', { class: 'stroke', d: shape.stroke }), shape?.fill && svg('path', { class: 'fill', d: shape.fill }));
}

/** The page's own mark: three staves and the one red note. */
export function mark() {
  return svg(
    'svg',
    { class: 'mark', viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    svg('path', { class: 'flow', d: 'M2 5.5h3.5c4.5 0 4.5 5 9 5H18' }),
    svg('path', { class: 'state', d: 'M2 10.5h3c4 0 5-5 9-5h4' }),
    svg('path', { class: 'knowledge', d: 'M2 15.5h16' }),
    svg('circle', { class: 'spot', cx: 14, cy: 10.5, r: 2.5 }),
  );
}
