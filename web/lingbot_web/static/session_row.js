// One row of the list of sessions: what it is called, how much it holds, what was found in it.

import { foreign, h, plain } from 'lb/dom';
import { ago, stamp } from 'lb/format';
import { text } from 'lb/i18n';
import { glyph, icon } from 'lb/icons';
import { LAYERS } from 'lb/link';

/** @typedef {import('lb/types').Layer} Layer */
/** @typedef {Partial<Record<Layer, 'full' | 'partial' | 'none'>>} Coverage what of each layer a source records */
/**
 * @typedef {object} Summary one row, as the server gives it
 * @property {string} key
 * @property {string} id
 * @property {string} title
 * @property {string} name
 * @property {boolean} pinned
 * @property {boolean} live it has not ended, as far as the server knows
 * @property {string} origin
 * @property {number} started_at
 * @property {number} updated_at
 * @property {number | null} ended_at
 * @property {number} turns
 * @property {number} events
 * @property {number} nodes
 * @property {number} edges
 * @property {Record<string, number>} findings
 * @property {Coverage} coverage
 * @property {number} [masked] values that were masked
 * @property {boolean} [unmasked] it was imported without masking
 * @property {number} missing
 * @property {string} last_utterance
 * @property {boolean} [timed] false: its source gave no times
 * @property {string} [damaged] why its recording can't be read; "" if it can
 */
// The line has room for so many kinds; from so many on the key gives way to them.
const MOST_KINDS = 5;
const CROWDED = 4;
// In pixels: the line's width, a glyph with its gap, a digit, a character of Chinese, the ellipsis for kinds that have no room.
const LINE = 184;
const GLYPH = 19;
const DIGIT = 7;
const WIDE = 11;
const REST = 18;

/**
 * What a session is called: the name given to it, else its title, else its id, the first that can be seen; never its last
 * words, which change. An id of blanks alone is named by its key. @param {Summary} summary
 */
export function titleOf(summary) {
  return [summary.name, summary.title, summary.id].find((name) => name.trim()) ?? summary.key.slice(0, 12);
}

/**
 * @param {Summary} summary @param {{current: boolean, now: number, live: boolean}} how
 * @param {{open: () => void, menu: (button: HTMLElement) => void}} actions
 */
export function sessionRow(summary, { current, now, live }, actions) {
  const { key } = summary;
  const title = titleOf(summary);
  const found = findingsOf(summary);
  return h(
    'li',
    null,
    h(
      'button',
      { class: 'session', 'aria-current': String(current), dataset: { focus: key, key }, title: plain(title, 200), on: { click: actions.open } },
      h(
        'span',
        { class: 'line' },
        live && h('span', { class: 'live-dot', title: text('badge.live') }, h('span', { class: 'sr' }, text('badge.live'))),
        summary.pinned && h('span', { class: 'pinned', title: text('sessions.pinned') }, icon('pin'), h('span', { class: 'sr' }, text('sessions.pinned'))),
        h('span', { class: 'title' }, foreign(title, { most: 120 })),
        h('time', { class: 'when', dataset: { at: String(summary.updated_at) }, title: text(summary.timed === false ? 'sessions.untimed' : 'sessions.at', { at: stamp(summary.updated_at) }) }, ago(summary.updated_at, now)),
      ),
      h(
        'span',
        { class: 'line', title: summary.last_utterance ? plain(summary.last_utterance, 200) : null },
        h('span', { class: 'about' },
          h('span', null, summary.damaged ? h('span', { class: 'damaged', title: plain(summary.damaged, 300) }, text('sessions.damaged')) : text('sessions.turns', { n: summary.turns }), originOf(summary)),
          found.length < CROWDED && h('span', { class: 'key' }, ' · ', h('span', { class: 'mono' }, key.slice(0, 6))),
        ),
        coverageOf(summary.coverage),
        found.length > 0 && h('span', { class: 'counts' }, found),
      ),
    ),
    h('button', {
      class: 'icon-button session-more',
      dataset: { focus: `${key} menu` },
      title: text('sessions.menu'),
      'aria-label': text('sessions.menu.of', { title: plain(title, 80) }),
      on: { click: (/** @type {Event} */ event) => actions.menu(/** @type {HTMLElement} */ (event.currentTarget)) },
    }, icon('more')),
  );
}

/** @param {Summary} summary */
function originOf(summary) {
  return summary.origin && summary.origin !== 'probe' && summary.origin !== 'case' && h('span', { class: 'origin', title: [text('sessions.origin'), summary.unmasked ? text('stats.unmasked.title') : ''].filter(Boolean).join('\n') }, plain(summary.origin.replace(/^import:/, ''), 24));
}

/** Shown only where something is not recorded in full. @param {Coverage | undefined} coverage */
export function coverageOf(coverage) {
  if (!coverage || LAYERS.every((layer) => (coverage[layer] ?? 'full') === 'full')) return null;
  const words = LAYERS.map((layer) => `${text(`score.${layer}`)}: ${text(`coverage.${coverage[layer] ?? 'full'}`)}`).join(' · ');
  return h('span', { class: 'coverage', role: 'img', title: words, 'aria-label': words }, LAYERS.map((layer) => h('i', { class: `${layer} ${coverage[layer] ?? 'full'}` })));
}

/** @param {Summary} summary */
function findingsOf(summary) {
  const kinds = Object.entries(summary.findings ?? {}).filter(([, n]) => n > 0);
  const turns = text('sessions.turns', { n: summary.turns });
  const room = LINE - [...turns].reduce((sum, char) => sum + (char > '\u2e80' ? WIDE : DIGIT - 1), 0);
  const wide = (/** @type {number} */ some) => kinds.slice(0, some).reduce((sum, [, n]) => sum + GLYPH + DIGIT * String(n).length, some < kinds.length ? REST : 0);
  let most = Math.min(MOST_KINDS, kinds.length);
  while (most > 1 && wide(most) > room) most--;
  const fits = kinds.slice(0, most);
  const rest = kinds.slice(fits.length).map(([kind, n]) => `${text(`finding.${kind}`)} ${n}`).join(' · ');
  return [...fits.map(([kind, n]) => h('span', { class: kind === 'gap' ? 'gap' : null, title: text(`finding.${kind}`) }, glyph(kind), h('span', { class: 'sr' }, text(`finding.${kind}`)), String(n))), rest && h('span', { title: rest }, '…', h('span', { class: 'sr' }, rest))].filter(Boolean);
}
