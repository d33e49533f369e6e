// The map: what it holds, and what it can be asked. It is folded from deltas (folding.js), the same deltas into the same
// map here as in the mapper, to the last value.
// Numerous things (edges, marks, moments) are columns; nodes, turns and findings are plain objects, never to be changed
// by those who read them.
import { Column, lowerBound } from 'lb/columns';
import { Edges } from 'lb/edges';
import { Spans } from 'lb/evidence';
import { derive, DIRTY, fold, joined, keep, turnPlace } from 'lb/folding';
import { EVENT_KINDS } from 'lb/kinds';
import { Lanes } from 'lb/lanes';
import { Marks } from 'lb/marks';
import { NodesById } from 'lb/nodes';
import { Rows } from 'lb/rows';
import { Source } from 'lb/sources';

/** @typedef {import('lb/types').Node} Node */
/** @typedef {import('lb/types').Edge} Edge */
/** @typedef {import('lb/types').Turn} Turn */
/** @typedef {import('lb/types').Finding} Finding */
/** @typedef {import('lb/types').Lost} Lost */
/** @typedef {import('lb/types').Unplaced} Unplaced */
/** @typedef {import('lb/types').Delta} Delta */
/** @typedef {import('lb/types').Props} Props */
/** @typedef {import('lb/evidence').Evidence} Evidence */

export { DIRTY };

export class DialogueMap {
  constructor(session = '') {
    this.session = session;
    this.cursor = { epoch: '', seq: 0 };
    this.at = 0;
    /** @type {Props} */ this.about = {};
    this.nodes = new NodesById(this);
    /** @type {Turn[]} */ this.turns = [];
    /** @type {Map<string, Finding>} */ this.findings = new Map();
    /** @type {Lost[]} */ this.losses = [];
    /** @type {[number, number, string][]} */ this.undone = [];
    /** @type {Unplaced[]} */ this.unplaced = [];
    /** @type {Map<string, Source>} */ this.sources = new Map();
    /** @type {Record<string, number>} */ this.totals = { nodes: 0, edges: 0, turns: 0 };
    this.retired = 0;

    this.firstMoment = 1;
    this.momentTurn = new Column(Int32Array);
    this.momentKind = new Column(Uint8Array);
    this.momentAt = new Column(Float64Array);

    this.edges = new Edges();
    /** Nodes by place; edges, marks and rows name them by it. @type {Node[]} */ this.list = [];
    /** @type {string[]} */ this.ids = [];
    /** @type {Map<string, number>} */ this.places = new Map();
    /** By place of the node; null for one that never changed, as most do (`stepsOf`). @type {([number, Props][] | null)[]} */ this.steps = [];
    this.lanes = new Lanes();
    this.rows = new Rows();
    this.marks = new Marks(this.list, this.edges, this.rows, this.lanes);
    /** @type {Map<string, Evidence>} */ this.evidence = new Map();
    this.spans = new Spans();
  }

  /** @param {string} session */
  static empty(session) {
    return new DialogueMap(session);
  }

  /** @param {any} kf a keyframe as the server sends it @returns {DialogueMap} */
  static fromKeyframe(kf) {
    const map = new DialogueMap(kf.session);
    map.cursor = { ...kf.cursor };
    map.at = kf.at;
    map.about = kf.about;
    map.retired = kf.retired ?? 0;
    const { nodes, turns, edges, history, moments } = kf;
    for (let i = 0; i < turns.number.length; i++) map.turns.push({ number: turns.number[i], id: turns.id[i], seq: turns.seq[i], at: turns.at[i], said_at: turns.said_at[i] });
    for (let i = 0; i < nodes.id.length; i++) {
      const props = nodes.props[i];
      // A document's label is its title, word for word: kept once.
      keep(map, {
        id: nodes.id[i], kind: nodes.kind[i], layer: nodes.layer[i], label: props.title === nodes.label[i] ? props.title : nodes.label[i], turn: nodes.turn[i], seq: nodes.seq[i],
        created_at: nodes.created_at[i], updated_at: nodes.updated_at[i], expires_at: nodes.expires_at[i], expired: nodes.expired[i], props,
      });
      map.steps[i] = null;
    }
    const changes = new Int32Array(nodes.id.length);
    for (const place of history.node) changes[place]++;
    for (let i = 0; i < history.node.length; i++) {
      const place = history.node[i];
      if (changes[place] === 1 && history.seq[i] === map.list[place].seq) continue;
      (map.steps[place] ??= []).push([history.seq[i], history.props[i]]);
    }
    map.firstMoment = moments.first;
    map.momentTurn.fill(moments.turn);
    map.momentKind.fill(moments.kind);
    map.momentAt.fill(moments.at);
    for (let i = 0; i < edges.id.length; i++) {
      const { id, kind, layer, turn, seq, at, props } = edges;
      const edge = { id: id[i], kind: kind[i], layer: layer[i], source: '', target: '', turn: turn[i], seq: seq[i], at: at[i], props: props[i] };
      map.edges.push(edge, edges.source[i], edges.target[i]);
    }
    map.undone = kf.undone.map((/** @type {[number, number, string]} */ entry) => [...entry]);
    for (const finding of kf.findings) map.findings.set(finding.id, finding);
    derive(map);
    map.losses = [...kf.losses];
    map.unplaced = [...kf.unplaced];
    for (const [name, source] of Object.entries(kf.sources)) map.sources.set(name, new Source(source.mark, source.missing, source.runs));
    Object.assign(map.totals, kf.totals);
    return map;
  }

  /** Folds one delta in. @param {Delta} delta @returns {number} what it touched, DIRTY bits */
  apply(delta) {
    return fold(this, delta);
  }

  /** @param {string} id */
  node(id) {
    return this.nodes.get(id) ?? null;
  }

  /** @param {string} id @returns {number | undefined} */
  place(id) {
    return this.places.get(id);
  }

  /** @param {import('lb/types').NodeKind} kind */
  nodesOfKind(kind) {
    return this.list.filter((node) => node.kind === kind);
  }

  get edgeCount() {
    return this.edges.size;
  }

  /** @param {string} id @returns {Edge | null} */
  edge(id) {
    const e = this.edges.find(id);
    return e < 0 ? null : this.edges.row(e, this.ids);
  }

  /** In order of seq. @param {string} id @returns {Edge[]} */
  edgesOf(id) {
    const place = this.places.get(id);
    if (place === undefined) return [];
    const { size, source, target } = this.edges;
    const found = [];
    for (let e = 0; e < size; e++) if (source.data[e] === place || target.data[e] === place) found.push(this.edges.row(e, this.ids));
    return found;
  }

  /** @param {number} seq @returns {Edge[]} */
  edgesOfSeq(seq) {
    const found = [];
    for (let e = this.edges.ofSeq(seq); e < this.edges.size && this.edges.seq.data[e] === seq; e++) found.push(this.edges.row(e, this.ids));
    return found;
  }

  /** @param {number} turn @returns {Edge[]} */
  edgesOfTurn(turn) {
    const lane = this.lanes.of.get(turn);
    if (!lane) return [];
    const found = [];
    for (let e = this.edges.ofSeq(lane.first); e < this.edges.size && this.edges.seq.data[e] <= lane.last; e++) {
      if (this.edges.turn.data[e] === turn) found.push(this.edges.row(e, this.ids));
    }
    return found;
  }

  /** @param {number} number @returns {Turn | null} */
  turn(number) {
    const i = turnPlace(this.turns, number);
    return this.turns[i]?.number === number ? this.turns[i] : null;
  }

  /** The first lane: 0 when something stands before the first utterance. */
  get firstTurn() {
    if (this.retired) return this.retired + 1;
    return this.lanes.first === 0 ? 0 : 1;
  }

  get lastTurn() {
    return this.lanes.last;
  }

  /** What changed, step by step. @param {string} id @returns {{seq: number, props: Props}[]} */
  historyOf(id) {
    const place = this.places.get(id);
    return place === undefined ? [] : this.stepsOf(place).map(([seq, props]) => ({ seq, props }));
  }

  /** A node's properties as they were first and each change since. @param {number} place @returns {[number, Props][]} */
  stepsOf(place) {
    const { seq, props } = this.list[place];
    return this.steps[place] ?? [[seq, props]];
  }

  /** A node's props as they stood after event `seq` (null: now). @param {string} id @param {number | null} seq @returns {Props | null} */
  propsAt(id, seq) {
    const place = this.places.get(id);
    if (place === undefined) return null;
    if (seq === null) return this.list[place].props;
    const steps = this.stepsOf(place);
    return joined(steps.slice(0, stepsUpTo(steps, seq)));
  }

  /** One of a node's props after event `seq` (null: now). @param {string} id @param {string} key @param {number | null} seq @returns {any} */
  valueAt(id, key, seq) {
    const place = this.places.get(id);
    return place === undefined ? undefined : this.value(place, key, seq);
  }

  /** @param {number} place @param {string} key @param {number | null} seq @returns {any} */
  value(place, key, seq) {
    if (seq === null) return this.list[place].props[key];
    const steps = this.stepsOf(place);
    for (let i = stepsUpTo(steps, seq) - 1; i >= 0; i--) if (key in steps[i][1]) return steps[i][1][key];
    return undefined;
  }

  /** @param {number} seq @returns {number} -1 when not kept */
  turnOf(seq) {
    const i = seq - this.firstMoment;
    return i >= 0 && i < this.momentTurn.length ? this.momentTurn.data[i] : -1;
  }

  /** @param {number} seq @returns {number} NaN when not kept */
  atOf(seq) {
    const i = seq - this.firstMoment;
    return i >= 0 && i < this.momentAt.length ? this.momentAt.data[i] : NaN;
  }

  /** @param {number} seq @returns {string} "" when not kept */
  kindOf(seq) {
    const i = seq - this.firstMoment;
    return i >= 0 && i < this.momentKind.length ? EVENT_KINDS[this.momentKind.data[i]] : '';
  }

  /** The first event at or after time `at`; one past the last if there is none. @param {number} at */
  seqAt(at) {
    return this.firstMoment + lowerBound(this.momentAt.data, at, this.momentAt.length);
  }

  /** @param {number} seq */
  isUndone(seq) {
    return this.undone.some(([first, last]) => first <= seq && seq <= last);
  }

  /** The map as plain JSON; equal maps, and only they, have equal dumps. */
  dump() {
    return {
      session: this.session,
      cursor: { ...this.cursor },
      at: this.at,
      about: this.about,
      nodes: Object.fromEntries(this.nodes),
      history: Object.fromEntries(this.ids.map((id, i) => [id, this.stepsOf(i)])),
      edges: Object.fromEntries(this.edges.ids.map((id, i) => [id, this.edges.row(i, this.ids)])),
      turns: this.turns,
      findings: Object.fromEntries(this.findings),
      losses: this.losses,
      undone: this.undone,
      unplaced: this.unplaced,
      sources: Object.fromEntries([...this.sources].map(([name, s]) => [name, [s.mark, s.missing, s.runs]])),
      moments: { first: this.firstMoment, turn: this.momentTurn.list(), kind: this.momentKind.list(), at: this.momentAt.list() },
      retired: this.retired,
      totals: this.totals,
    };
  }
}

/** @param {[number, Props][]} steps @param {number} seq how many of them happened up to event `seq` */
function stepsUpTo(steps, seq) {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (steps[middle][0] <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
