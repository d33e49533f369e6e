// One event of the list: number, kind, turn, time, and what it says in one line; open, all of it as it was logged.

import { foreign, h, plain } from 'lb/dom';
import { clock, count, stamp } from 'lb/format';
import { lang, text } from 'lb/i18n';
import { LAYER_OF_KIND, idsOf, keptOf } from 'lb/eventlist_rows';
import { icon } from 'lb/icons';

/** @typedef {import('lb/events').RawEvent} RawEvent */
/**
 * @typedef {object} ShownEvent how an event stands in the list
 * @property {number} seq
 * @property {string} kind "" where it is not known yet
 * @property {number} turn -1 where it is not known
 * @property {number} at when it came, on the source's clock; NaN where it is not known
 * @property {RawEvent | undefined} event once it is here
 * @property {string} line what it says, in one line
 * @property {boolean} absent the log has no such event
 * @property {number} missing how many events were lost before it, where it tells of a loss
 * @property {boolean} current
 * @property {boolean} later than the moment
 * @property {boolean} struck
 * @property {boolean} bad evidence of a finding
 * @property {string | null} unplaced why it has no place on the map
 * @property {boolean} open
 * @property {boolean} reached the tab key comes here
 * @property {boolean} timed whether the source gave times
 * @property {boolean} sourced the session has more than one source
 */

const MOST = 200; // of the one line
const MOST_IDS = 20; // named when the line is pointed at
const MOST_RAW = 200_000;

/** What is in a row: two with the same sign look the same. @param {ShownEvent} shown */
export function signOf({ event, ...rest }) {
  return JSON.stringify([rest, event !== undefined, lang()]);
}

/** @param {ShownEvent} shown @param {{toggle: (seq: number) => void, copy: (words: string) => void}} page @returns {HTMLElement} */
export function eventRow(shown, page) {
  const { seq, turn, at, event, line, absent, missing, current, later, struck, bad, unplaced, open, reached, timed, sourced } = shown;
  const kind = shown.kind || event?.signal.kind || '';
  const lost = kind === 'gap';
  const layer = LAYER_OF_KIND[kind] ?? '';
  const time = event?.said_at ?? (Number.isFinite(at) || !timed ? at : event?.at);
  const inTurn = event?.turn ?? turn;
  const ids = event ? idsOf(event).slice(0, MOST_IDS).map((id) => plain(id, 80)).join('\n') : '';
  const title = [timed ? stamp(event?.at ?? at) : '', event?.said_at ? `${text('inspect.said')} ${stamp(event.said_at)}` : '', event?.source ? `${plain(event.source, 80)} n ${event.n}` : ''].filter(Boolean).join('\n');
  return h(
    'div',
    {
      class: ['event-row', layer, current && 'current', later && 'later', struck && 'undone', bad && 'bad', lost && 'lost', open && 'open'].filter(Boolean).join(' '),
      role: 'row', dataset: { seq: String(seq) }, tabindex: reached ? '0' : '-1', 'aria-rowindex': seq, 'aria-current': current ? 'true' : null,
    },
    h(
      'div',
      { class: 'event-head' },
      h('span', { class: 'seq mono', role: 'gridcell' }, count(seq)),
      h('span', { class: 'event-kind', role: 'gridcell', title: plain(kind, 40) }, h('i', { class: 'dot' }), kind ? kindName(kind) : text('eventlist.coming')),
      event?.late && h('span', { class: 'mark' }, text('events.late')),
      unplaced !== null && h('span', { class: 'mark', title: unplaced ? plain(unplaced, 200) : null }, text('eventlist.unplaced')),
      struck && h('span', { class: 'mark' }, text('dialogue.undone')),
      h('span', { class: 'spring' }),
      h('span', { class: 'in-turn', role: 'gridcell' }, inTurn > 0 ? text('inspect.turn', { turn: inTurn }) : ''),
      h('time', { class: 'mono', role: 'gridcell', title }, clock(time)),
    ),
    h('div', { class: 'event-said', role: 'gridcell' }, h('span', { class: 'words', title: ids || null }, said()), sourced && event?.source ? h('span', { class: 'source mono', title: plain(event.source, 80) }, foreign(event.source, { most: 12 })) : ''),
    h('div', { class: 'disclose', role: 'gridcell' }, h('button', { class: 'icon-button', tabindex: '-1', 'aria-label': text(open ? 'eventlist.close' : 'eventlist.open', { seq }), 'aria-expanded': String(open), on: { click: () => page.toggle(seq) } }, icon(open ? 'up' : 'down'))),
    open && h('div', { class: 'event-raw', role: 'gridcell' }, raw(event, absent, page.copy)),
  );

  /** @returns {import('lb/dom').Child} */
  function said() {
    if (lost && missing > 0) return text('eventlist.lost', { n: count(missing) });
    if (absent) return text('eventlist.hole');
    const words = line.replace(/\s+/g, ' ');
    const kept = keptOf(kind, words);
    return [foreign(kept ? words.slice(0, -kept) : words, { most: MOST, class: 'cut' }), kept > 0 && foreign(words.slice(-kept), { class: 'kept' })];
  }
}

/** @param {string} kind */
function kindName(kind) {
  const known = text(`event.${kind}`);
  return known === `event.${kind}` ? foreign(kind, { most: 40 }) : known;
}

/** @param {RawEvent | undefined} event @param {boolean} absent @param {(words: string) => void} copy */
function raw(event, absent, copy) {
  if (!event) return h('p', { class: 'quiet' }, text(absent ? 'eventlist.hole' : 'events.loading'));
  const json = JSON.stringify(event, null, 2);
  return [
    h('pre', { class: 'mono', tabindex: '0' }, foreign(json, { most: MOST_RAW, lines: true })),
    h('button', { class: 'text-button', on: { click: () => copy(json) } }, text('eventlist.copy')),
  ];
}
