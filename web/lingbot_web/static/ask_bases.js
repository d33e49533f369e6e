// What can be asked: the session that is open, what the map was started with, and diagrams that were dropped here. Those
// are kept by the page alone; in this browser only where the reader says so.

import { plain } from 'lb/dom';
import { text } from 'lb/i18n';

/** @typedef {{name: string, text: string, kept: boolean}} Dropped */
/** @typedef {{id: string, kind: string, name: string, error: string}} Base */

const CHOSEN = 'lingbot-map.ask.base';
const KEPT = 'lingbot-map.ask.diagrams';
const MOST = 5; // dropped diagrams at a time
export const SESSION = 'session';
const DROPPED = 'dropped:';

export class AskBases {
  constructor() {
    /** @type {Base[]} that the map was started with */
    this.named = [];
    this.loaded = false;
    this.largest = 256 * 1024;
    /** @type {Map<string, Dropped>} */
    this.dropped = new Map(readKept().map((each) => [DROPPED + each.name, each]));
    this.id = read(CHOSEN) ?? SESSION;
  }

  /** @param {import('lb/api').Api} api */
  async load(api) {
    const said = await api.get('api/ask/bases');
    this.named = said.bases;
    this.largest = said.largest;
    this.loaded = true;
    if (!this.has(this.id)) this.id = SESSION;
  }

  /** @param {string} id */
  has(id) {
    return id === SESSION || this.dropped.has(id) || this.named.some((base) => base.id === id);
  }

  /** Whether there is anything to choose. */
  get several() {
    return this.named.length + this.dropped.size > 0;
  }

  /** @param {string} id */
  choose(id) {
    this.id = id;
    keep(CHOSEN, id);
  }

  /** "diagram", "graph", "docs", "chains" or "session". @param {string} [id] */
  kind(id = this.id) {
    if (this.dropped.has(id)) return 'diagram';
    return this.named.find((base) => base.id === id)?.kind ?? SESSION;
  }

  /** @param {string} [id] */
  name(id = this.id) {
    const dropped = this.dropped.get(id);
    if (dropped) return plain(dropped.name, 60);
    const base = this.named.find((each) => each.id === id);
    return base ? plain(base.name, 60) : text('ask.base.session');
  }

  /** The groups of the switch: (title, (id, name) of each). @returns {[string, [string, string][]][]} */
  get groups() {
    /** @type {[string, [string, string][]][]} */
    const groups = [[text('ask.base.sessions'), [[SESSION, text('ask.base.session')]]]];
    for (const kind of ['diagram', 'graph', 'docs']) {
      const of = this.named.filter((base) => base.kind === kind || (kind === 'docs' && base.kind === 'chains'));
      if (of.length) groups.push([text(`ask.base.${kind}`), of.map((base) => [base.id, base.kind === 'chains' ? text('ask.base.chains', { name: plain(base.name, 40) }) : plain(base.name, 60)])]);
    }
    if (this.dropped.size) groups.push([text('ask.base.dropped'), [...this.dropped].map(([id, each]) => [id, plain(each.name, 60)])]);
    return groups;
  }

  /** What names the base in a request. @param {string} key of the session that is open @param {number | null} at @returns {Record<string, unknown>} */
  request(key, at) {
    if (this.id === SESSION) return { session: key, ...(at === null ? {} : { at }) };
    const dropped = this.dropped.get(this.id);
    return dropped ? { base: 'dropped', diagram: { name: dropped.name, text: dropped.text } } : { base: this.id };
  }

  /** Takes a diagram in and chooses it. @param {string} name @param {string} content */
  take(name, content) {
    const id = DROPPED + name;
    this.dropped.delete(id);
    this.dropped.set(id, { name, text: content, kept: false });
    for (const old of [...this.dropped.keys()].slice(0, -MOST)) this.dropped.delete(old);
    this.choose(id);
    this.#store();
    return id;
  }

  /** Whether a dropped diagram stays in this browser. @param {string} id @param {boolean} kept @returns {boolean} whether that could be done */
  keepHere(id, kept) {
    const dropped = this.dropped.get(id);
    if (!dropped) return false;
    dropped.kept = kept;
    if (this.#store()) return true;
    dropped.kept = false;
    this.#store();
    return false;
  }

  /** @param {string} id */
  remove(id) {
    this.dropped.delete(id);
    if (this.id === id) this.choose(SESSION);
    this.#store();
  }

  #store() {
    const kept = [...this.dropped.values()].filter((each) => each.kept).map(({ name, text: content }) => ({ name, text: content }));
    return keep(KEPT, kept.length ? JSON.stringify(kept) : null);
  }
}

/** @param {string} name */
export function read(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // storage may be off: the choice then lasts as long as the page
  }
}

/** @param {string} name @param {string | null} value */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
    return true;
  } catch {
    return false; // off, or full
  }
}

/** @returns {Dropped[]} */
function readKept() {
  try {
    const kept = JSON.parse(read(KEPT) ?? '[]');
    if (!Array.isArray(kept)) return [];
    return kept.filter((each) => typeof each?.name === 'string' && typeof each?.text === 'string').slice(0, MOST).map(({ name, text: content }) => ({ name, text: content, kept: true }));
  } catch {
    return []; // somebody else's
  }
}
