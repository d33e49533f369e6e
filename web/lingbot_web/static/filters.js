// What the map, the list of events and the timeline leave out: kinds of things, what is no anomaly, what expired. Rows
// keep their place whatever is left out. Pure: it draws nothing.
import { Counts } from 'lb/filters_counts';
import { MARK } from 'lb/kinds';

/** @typedef {import('lb/types').Layers} Layers */
/** @typedef {'utterance' | 'intent' | 'write' | 'read' | 'doc' | 'answer' | 'other'} Kind */

/** @type {readonly Kind[]} */
export const KINDS = ['utterance', 'intent', 'write', 'read', 'doc', 'answer', 'other'];

/** The kind that an event counts as; what is not named is 'other'. @type {Record<string, Kind>} */
export const KIND_OF_EVENT = { turn_started: 'utterance', intent_routed: 'intent', slot_assigned: 'write', slot_cleared: 'write', slot_read: 'read', retrieved: 'doc', answered: 'answer' };

/** By kind of mark. @type {Kind[]} */
const KIND_OF_MARK = [];
for (const [name, kind] of /** @type {[keyof typeof MARK, Kind][]} */ ([['UTTERANCE', 'utterance'], ['VISIT', 'intent'], ['WRITE', 'write'], ['READ', 'read'], ['QUESTION', 'doc'], ['DOC', 'doc'], ['ANSWER', 'answer']])) KIND_OF_MARK[MARK[name]] = kind;

/** The layer that a kind belongs to; 'utterance' and 'other' to none. @type {Partial<Record<Kind, keyof Layers>>} */
const LAYER_OF = { intent: 'flow', write: 'state', read: 'state', doc: 'knowledge', answer: 'knowledge' };

export class Filters {
  constructor() {
    /** @type {Layers} kept equal to the score's */
    this.layers = { flow: true, state: true, knowledge: true };
    /** @type {Set<Kind>} */
    this.hidden = new Set();
    /** Only what is evidence of an anomaly. */
    this.anomalies = false;
    /** Without slots that expired. */
    this.fresh = false;
    /** @type {(() => void)[]} */
    this.ears = [];
    this.counts = new Counts(this);
  }

  /** Whether anything is left out besides layers. */
  get active() {
    return this.hidden.size > 0 || this.anomalies || this.fresh;
  }

  /** What tells one setting from another, layers included. */
  get sign() {
    return `${Object.values(this.layers)} ${this.write()}`;
  }

  /** The filters as a list of events takes them: layers hide events, too. */
  get sieve() {
    const { sign, anomalies } = this;
    return { active: this.active || Object.values(this.layers).includes(false), sign, anomalies, passesEvent: (/** @type {string} */ kind, /** @type {boolean} */ anomalous) => this.passesEvent(kind, anomalous) };
  }

  /** `ear` is called after every change. @param {() => void} ear */
  listen(ear) {
    this.ears.push(ear);
  }

  #tell() {
    for (const ear of this.ears) ear();
  }

  /** @param {Layers} layers */
  useLayers(layers) {
    if (JSON.stringify(layers) === JSON.stringify(this.layers)) return;
    this.layers = { ...layers };
    this.#tell();
  }

  /** @param {Kind} kind */
  toggle(kind) {
    if (!this.hidden.delete(kind)) this.hidden.add(kind);
    this.#tell();
  }

  /** @param {{anomalies?: boolean, fresh?: boolean}} what */
  only({ anomalies = this.anomalies, fresh = this.fresh }) {
    this.anomalies = anomalies;
    this.fresh = fresh;
    this.#tell();
  }

  /** Leaves nothing out; layers stay as they are. */
  reset() {
    this.read('');
  }

  /** Whether an event is shown. @param {string} kind as `map.kindOf` says it @param {boolean} anomalous whether it is evidence of an anomaly */
  passesEvent(kind, anomalous) {
    const of = KIND_OF_EVENT[kind] ?? 'other';
    const layer = LAYER_OF[of];
    return (!layer || this.layers[layer]) && !this.hidden.has(of) && (!this.anomalies || anomalous);
  }

  /**
   * Whether a mark is shown, its layer apart.
   * @param {number} kind of the mark @param {number} bad kinds of anomalies that it is part of, as bits @param {boolean} faded whether it is of a slot that expired
   */
  passesMark(kind, bad, faded) {
    return !this.hidden.has(KIND_OF_MARK[kind]) && (!this.anomalies || bad !== 0) && (!this.fresh || !faded);
  }

  /** As a link holds it: "" when nothing is left out. */
  write() {
    return [...(this.anomalies ? ['anomalies'] : []), ...(this.fresh ? ['fresh'] : []), ...KINDS.filter((kind) => this.hidden.has(kind)).map((kind) => `-${kind}`)].join(',');
  }

  /** @param {string} written what is unknown in it is left out */
  read(written) {
    const parts = new Set(written.split(','));
    this.anomalies = parts.has('anomalies');
    this.fresh = parts.has('fresh');
    this.hidden = new Set(KINDS.filter((kind) => parts.has(`-${kind}`)));
    this.#tell();
  }
}
