// Where a query matches on a map: the marks, the findings, and the rows that have no mark. A search keeps its place, so
// that what comes later costs only what is new, and a whole map can be gone through in slices. Pure: it draws nothing.
import { MARK } from 'lb/kinds';
import { selectionOf } from 'lb/picking';
import { fold } from 'lb/search_query';
import { Terms } from 'lb/search_terms';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/types').Finding} Finding */
/** A match that is no mark. @typedef {{sel: Selection, seq: number}} Other */

/** Folded texts of a map's nodes, kept from one search to the next. */
export class Folded {
  constructor() {
    /** @type {string[]} */ this.labels = [];
    /** @type {string[]} */ this.texts = [];
    /** @type {Map<string, string>} */ this.values = new Map();
  }

  /** Label and name of a node; of what was said, the words alone. @param {DialogueMap} map @param {number} place */
  node(map, place) {
    const { label, kind, id } = map.list[place];
    if (this.labels[place] !== label) {
      this.labels[place] = label;
      this.texts[place] = fold(kind === 'utterance' || kind === 'answer' ? label : `${label}\n${id.slice(id.indexOf(':') + 1)}`);
    }
    return this.texts[place];
  }

  /** @param {any} value of a slot */
  value(value) {
    if (value === undefined) return '';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    let folded = this.values.get(text);
    if (folded === undefined) {
      folded = fold(text);
      if (text.length < 200) this.values.set(text, folded);
    }
    return folded;
  }
}

export class Search {
  /** @param {DialogueMap} map @param {import('lb/search_query').Term[]} terms at least one @param {Folded} [folded] of the same map */
  constructor(map, terms, folded = new Folded()) {
    this.map = map;
    this.marks = map.marks; // a map that retires turns makes its marks anew: then this search is of no use any more
    this.terms = new Terms(map, terms, folded);
    /** Matching marks, ascending. @type {number[]} */ this.hits = [];
    /** In order of seq. @type {Other[]} */ this.others = [];
    /** How many matches a row has, by place of its node. @type {Map<number, number>} */ this.rows = new Map();
    /** How many matches a turn has. @type {Map<number, number>} */ this.turns = new Map();
    /** 1 for each mark that matches. */
    this.lit = new Uint8Array(1024);
    /** Evidence of findings that match. @type {Set<number>} */ this.evidence = new Set();
    /** Marks looked at. */
    this.at = 0;
    /** Marks before it belong to turns that are over: nothing comes to them any more. */
    this.settled = 0;
    /** Whether all has been looked at once; a search in slices is not, between them. */
    this.done = false;
    this.nodes = 0;
    /** Event up to which the map was looked at. */
    this.seen = -1;
    /** @type {Map<string, Finding>} */ this.findings = new Map();
  }

  /** How many matches there are. */
  get size() {
    return this.hits.length + this.others.length;
  }

  /** Whether there may be something new to look at. */
  get stale() {
    const { map } = this;
    return this.at !== this.marks.size || this.nodes !== map.list.length || this.seen !== map.cursor.seq;
  }

  /** Looks at what is new, but at no more than `most` marks. @param {number} [most] @returns {boolean} whether all has been looked at */
  advance(most = Infinity) {
    const { marks, lanes } = this.map;
    if (this.done) this.#takeBack();
    const end = Math.min(marks.size, this.at + most);
    if (end > this.lit.length) {
      const wider = new Uint8Array(Math.max(marks.size, 2 * this.lit.length));
      wider.set(this.lit);
      this.lit = wider;
    }
    const newest = marks.size ? (lanes.of.get(marks.turn.data[marks.size - 1])?.marks[0] ?? 0) : 0;
    for (; this.at < end; this.at++) {
      const hit = this.terms.mark(this.at);
      this.lit[this.at] = hit ? 1 : 0;
      if (hit) this.#add(this.at, 1);
    }
    this.settled = Math.min(newest, this.at);
    this.done = this.at === marks.size;
    if (!this.done) return false;
    this.#rows();
    this.#findings();
    this.seen = this.map.cursor.seq;
    return true;
  }

  /** The marks of the turn that is going on are looked at again: their routing, stages and words may have come since. */
  #takeBack() {
    while (this.hits.length && this.hits[this.hits.length - 1] >= this.settled) this.#add(/** @type {number} */ (this.hits.pop()), -1);
    this.at = this.settled;
  }

  /** @param {number} mark @param {1 | -1} step */
  #add(mark, step) {
    if (step > 0) this.hits.push(mark);
    const { node, turn, kind } = this.marks;
    if (kind.data[mark] !== MARK.QUESTION) count(this.rows, node.data[mark], step);
    count(this.turns, turn.data[mark], step);
  }

  /** Rows without a mark of their own, such as a parent that was never routed to. */
  #rows() {
    const { list, rows } = this.map;
    for (; this.nodes < list.length; this.nodes++) {
      const row = rows.byNode[this.nodes];
      if (!row || row.marks.length || !this.terms.row(this.nodes)) continue;
      const { id, turn, seq } = list[this.nodes];
      this.#other({ sel: { kind: 'node', id, turn, seq: 0 }, seq });
      count(this.rows, this.nodes, 1);
    }
  }

  #findings() {
    const { map } = this;
    let changed = map.findings.size !== this.findings.size;
    if (!changed) for (const [id, finding] of map.findings) if (this.findings.get(id) !== finding) changed = true;
    if (!changed) return;
    for (const { sel } of this.others) if (sel.kind === 'finding') count(this.turns, sel.turn, -1);
    this.others = this.others.filter(({ sel }) => sel.kind !== 'finding');
    this.evidence.clear();
    this.findings = new Map(map.findings);
    for (const finding of map.findings.values()) {
      if (!this.terms.finding(finding)) continue;
      this.#other({ sel: { kind: 'finding', id: finding.id, turn: finding.turn, seq: finding.seq }, seq: finding.seq });
      count(this.turns, finding.turn, 1);
      for (const mark of map.evidence.get(finding.id)?.marks ?? []) this.evidence.add(mark);
    }
  }

  /** @param {Other} other */
  #other(other) {
    let i = this.others.length;
    while (i && this.others[i - 1].seq > other.seq) i--;
    this.others.splice(i, 0, other);
  }

  /** Whether a mark is lit. @param {number} mark */
  has(mark) {
    return this.lit[mark] === 1 || this.evidence.has(mark);
  }

  /** The match at place `i` in order of events. @param {number} i @returns {Selection | null} */
  stop(i) {
    for (let k = 0; k < this.others.length; k++) {
      const place = k + this.#upTo(this.others[k].seq);
      if (place === i) return this.others[k].sel;
      if (place > i) return this.#mark(i - k);
    }
    return this.#mark(i - this.others.length);
  }

  /** @param {number} i @returns {Selection | null} */
  #mark(i) {
    return i >= 0 && i < this.hits.length ? selectionOf(this.map, this.hits[i]) : null;
  }

  /** The place of a match among all; -1 if it is none. @param {Selection | null} sel */
  placeOf(sel) {
    if (!sel) return -1;
    const k = this.others.findIndex(({ sel: other }) => other.kind === sel.kind && other.id === sel.id && other.seq === sel.seq);
    if (k >= 0) return k + this.#upTo(this.others[k].seq);
    const { seq } = this.marks;
    for (let i = this.#before(sel.seq); i < this.hits.length && seq.data[this.hits[i]] === sel.seq; i++) {
      const mark = selectionOf(this.map, this.hits[i]);
      if (mark.id === sel.id && sel.kind === 'node') return i + this.others.filter((other) => other.seq < sel.seq).length;
    }
    return -1;
  }

  /** The place of the first match at `turn` or later; of the very first, if there is none. @param {number} turn */
  placeAt(turn) {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.stop(middle)?.turn ?? 0) < turn) low = middle + 1;
      else high = middle;
    }
    return low < this.size ? low : 0;
  }

  /** How many matching marks were made by event `seq`. @param {number} seq */
  #upTo(seq) {
    return this.#before(seq + 0.5);
  }

  /** @param {number} seq */
  #before(seq) {
    let low = 0;
    let high = this.hits.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.marks.seq.data[this.hits[middle]] < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** @param {Map<number, number>} counts @param {number} key @param {1 | -1} step */
function count(counts, key, step) {
  const now = (counts.get(key) ?? 0) + step;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}
