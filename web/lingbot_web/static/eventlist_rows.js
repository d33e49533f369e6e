// Which events the list shows, in which order, and what each is in one line. Pure.

import { Column, lowerBound } from 'lb/columns';
import { count, score, valueText } from 'lb/format';
import { text } from 'lb/i18n';
import { EVENT_KINDS } from 'lb/kinds';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/events').RawEvent} RawEvent */
/**
 * What the reader wants to see. `sign` changes with it; "" lets everything pass.
 * @typedef {{sign: string, passes: (kind: string, anomalous: boolean) => boolean, blamed: () => Set<number>}} Choice
 */

/** Layer of each kind that has one; it lends the colour. @type {Readonly<Record<string, string>>} */
export const LAYER_OF_KIND = {
  turn_started: 'flow', intent_routed: 'flow', slot_assigned: 'state', slot_read: 'state', slot_cleared: 'state',
  retrieved: 'knowledge', answered: 'knowledge', failed: 'bad', gap: 'lost',
};

/** What the map says itself can't be taken back by a bot. */
export const OWN_KINDS = new Set(['tick', 'gap', 'epoch_started', 'policy_set', 'described']);

export class EventRows {
  constructor() {
    /** Numbers of the events that pass; null where all do. @type {Column<Float64Array> | null} */
    this.seqs = null;
    this.total = 0;
    this.scanned = 0;
    this.sign = '';
    /** @type {DialogueMap | null} */
    this.map = null;
  }

  get length() {
    return this.seqs ? this.seqs.length : this.total;
  }

  /** Takes up what is new; all of it anew where the choice or the map is another. @param {DialogueMap} map @param {Choice} choice */
  take(map, choice) {
    this.total = map.cursor.seq;
    if (!choice.sign) {
      this.seqs = null;
      this.map = null;
      this.sign = '';
      return;
    }
    if (map !== this.map || choice.sign !== this.sign || !this.seqs || this.scanned > this.total || map.firstMoment > this.scanned + 1) {
      this.seqs = new Column(Float64Array);
      this.scanned = map.firstMoment - 1;
      this.map = map;
      this.sign = choice.sign;
    }
    const passes = EVENT_KINDS.flatMap((kind) => [choice.passes(kind, false), choice.passes(kind, true)]);
    const gap = EVENT_KINDS.indexOf('gap');
    const blamed = choice.blamed();
    const { data } = map.momentKind;
    for (let seq = this.scanned + 1; seq <= this.total; seq++) {
      const kind = data[seq - map.firstMoment];
      if (passes[kind * 2 + (kind === gap || blamed.has(seq) ? 1 : 0)]) this.seqs.push(seq);
    }
    this.scanned = this.total;
  }

  /** @param {number} i @returns {number} */
  seq(i) {
    return this.seqs ? this.seqs.data[i] : i + 1;
  }

  /** The row of event `seq`, or of the last before it that is shown; -1 if there is none. @param {number} seq */
  place(seq) {
    if (!this.seqs) return Math.min(seq, this.total) - 1;
    return lowerBound(this.seqs.data, seq + 1, this.seqs.length) - 1;
  }
}

/**
 * An event in one line, as plain text. Intents, slots and documents go by the name they have elsewhere on the page, be it
 * that another event gave it.
 * @param {RawEvent} event @param {(id: string) => string} [labelOf] the label of a node, "" where there is none @returns {string}
 */
export function summaryOf({ signal }, labelOf = () => '') {
  const said = /** @type {Record<string, any>} */ (signal);
  /** @param {string} kind @param {any} own @param {any} id */
  const name = (kind, own, id) => labelOf(`${kind}:${id}`) || words(own || id);
  switch (signal.kind) {
    case 'session_started':
      return words(said.title);
    case 'turn_started':
      return words(said.utterance);
    case 'intent_routed':
      return [name('intent', said.label, said.intent), words(said.condition), words(said.predicted_by), score(said.confidence)].filter(Boolean).join(' · ');
    case 'slot_assigned':
      return `${name('slot', said.label, said.slot)} = ${valueText(said.value)}`;
    case 'slot_read':
    case 'slot_cleared':
      return name('slot', said.label, said.slot);
    case 'retrieved': {
      const docs = Array.isArray(said.docs) ? said.docs : [];
      return [said.stage ? stage(said.stage) : '', words(said.query), docs.length > 0 && name('doc', docs[0]?.title, docs[0]?.id), text('eventlist.docs', { n: docs.length })].filter(Boolean).join(' · ');
    }
    case 'answered':
      return words(said.text);
    case 'failed':
      return [words(said.where), words(said.error)].filter(Boolean).join(': ');
    case 'undone':
      return [words(said.turn), words(said.why)].filter(Boolean).join(' · ');
    case 'session_ended':
      return words(said.reason);
    case 'raw':
      return [words(said.name), said.data === undefined ? '' : JSON.stringify(said.data)].filter(Boolean).join(' ');
    case 'gap':
      return [text('eventlist.lost', { n: count(said.last - said.first + 1) }), words(said.why), words(said.source)].filter(Boolean).join(' · ');
    case 'epoch_started':
      return [words(said.epoch), words(said.why)].filter(Boolean).join(' · ');
    case 'policy_set':
      return Object.keys(said.values ?? {}).join(', ');
    case 'described':
      return Object.entries(said.facts ?? {}).map(([name, value]) => `${name} ${valueText(value)}`).join(' · ');
    default:
      return '';
  }
}

/** What is kept of a line's end: a number with what belongs to it, such as "40 GB" or "T20250612-07". */
const ENDS_IN = /(?<![\p{Script=Latin}\p{N}])[^\s=·]{0,12}\p{N}\S{0,8}(?: \S{1,4})?$/u;
/** A value or a count and the words around it are kept whole up to so many characters. */
const MOST_KEPT = 24;

/**
 * How many characters at the end of an event's line stay where the line has no room: a line is cut before the number
 * that it ends in. @param {string} kind @param {string} line what `summaryOf` made of it
 */
export function keptOf(kind, line) {
  const mark = kind === 'retrieved' || kind === 'intent_routed' ? ' · ' : kind === 'slot_assigned' ? ' = ' : '';
  const at = mark ? line.lastIndexOf(mark) : -1;
  if (at > 0 && line.length - at <= MOST_KEPT) return line.length - at;
  return ENDS_IN.exec(line.slice(-MOST_KEPT))?.[0].length ?? 0;
}

/** The bot's own ids of what an event is about. @param {RawEvent} event @returns {string[]} */
export function idsOf({ signal }) {
  const { intent, slot, docs } = /** @type {Record<string, any>} */ (signal);
  return [intent, slot, ...(Array.isArray(docs) ? docs.map((doc) => doc?.id ?? doc) : [])].filter((id) => typeof id === 'string' && id);
}

/** @param {unknown} value */
function words(value) {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : valueText(value);
}

/** @param {string} name */
function stage(name) {
  const known = text(`stage.${name}`);
  return known === `stage.${name}` ? name : known;
}
