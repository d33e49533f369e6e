// The map, folded from deltas: the same deltas give the same map here as in the mapper, to the last value.
// Numerous things (edges, marks, moments) are columns; nodes, turns and findings are plain objects, never to be changed
// by those who read them.
import { Column, lowerBound } from 'lb/columns';
import { Edges } from 'lb/edges';
import { evidenceOf, mark, Spans, unmark } from 'lb/evidence';
import { EVENT_KINDS, EVENT_NUMBER, LAYER_OF_EDGE } from 'lb/kinds';
import { Lanes } from 'lb/lanes';
import { Marks } from 'lb/marks';
import { Rows } from 'lb/rows';
import { Source } from 'lb/sources';
import { Unapplied } from 'lb/unapplied';

/** @typedef {import('lb/types').Node} Node */
/** @typedef {import('lb/types').Edge} Edge */
/** @typedef {import('lb/types').Turn} Turn */
/** @typedef {import('lb/types').Finding} Finding */
/** @typedef {import('lb/types').Lost} Lost */
/** @typedef {import('lb/types').Unplaced} Unplaced */
/** @typedef {import('lb/types').Delta} Delta */
/** @typedef {import('lb/types').Props} Props */
/** @typedef {import('lb/evidence').Evidence} Evidence */

/** What a delta touched, as bits. */
export const DIRTY = /** @type {const} */ ({ LANES: 1, ROWS: 2, TURNS: 4, FINDINGS: 8, SESSION: 16 });

const GAP = /** @type {number} */ (EVENT_NUMBER.get('gap'));
const RAW = /** @type {number} */ (EVENT_NUMBER.get('raw'));

export class DialogueMap {
  constructor(session = '') {
    this.session = session;
    this.cursor = { epoch: '', seq: 0 };
    this.at = 0;
    /** @type {Props} */ this.about = {};
    /** @type {Map<string, Node>} */ this.nodes = new Map();
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
    /** By place of the node. @type {[number, Props][][]} */ this.steps = [];
    /** Places of the edges that touch a node, by its place. @type {number[][]} */ this.touching = [];
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
      map.#keep({
        id: nodes.id[i], kind: nodes.kind[i], layer: nodes.layer[i], label: nodes.label[i], turn: nodes.turn[i], seq: nodes.seq[i],
        created_at: nodes.created_at[i], updated_at: nodes.updated_at[i], expires_at: nodes.expires_at[i], expired: nodes.expired[i], props: nodes.props[i],
      });
      map.steps[i] = [];
    }
    for (let i = 0; i < history.node.length; i++) map.steps[history.node[i]].push([history.seq[i], history.props[i]]);
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
    map.#derive();
    map.losses = [...kf.losses];
    map.unplaced = [...kf.unplaced];
    for (const [name, source] of Object.entries(kf.sources)) map.sources.set(name, new Source(source.mark, source.missing, source.runs));
    Object.assign(map.totals, kf.totals);
    return map;
  }

  /** Folds one delta in. @param {Delta} delta @returns {number} what it touched, DIRTY bits */
  apply(delta) {
    switch (delta.d) {
      case 'applied':
        return this.#applied(delta);
      case 'session':
        this.about = { ...this.about, ...delta.props };
        if ('epoch' in delta.props) this.cursor = { epoch: delta.props.epoch, seq: this.cursor.seq };
        return DIRTY.SESSION;
      case 'turn':
        this.#turn(delta.turn);
        return DIRTY.TURNS;
      case 'node':
        return this.#node(delta.node) ? DIRTY.ROWS | DIRTY.LANES : DIRTY.LANES;
      case 'update':
        return this.#update(delta);
      case 'expire': {
        const place = this.places.get(delta.id);
        if (place !== undefined) this.#replace(place, { ...this.list[place], expired: true });
        return DIRTY.LANES;
      }
      case 'edge':
        this.#edge(delta.edge);
        return DIRTY.LANES;
      case 'finding':
        this.#finding(delta.finding);
        return DIRTY.FINDINGS;
      case 'lost':
        this.#lost(delta.lost);
        return DIRTY.FINDINGS;
      case 'undone':
        this.#undo(delta.first, delta.last, delta.why);
        return DIRTY.LANES;
      case 'retire':
        this.#retire(delta.turn, delta.before);
        return DIRTY.LANES | DIRTY.ROWS | DIRTY.TURNS | DIRTY.FINDINGS;
      case 'unplaced':
        this.unplaced.push(delta.unplaced);
        return DIRTY.SESSION;
      default:
        throw new Unapplied('unapplied.delta', { d: String(JSON.stringify(delta.d)) });
    }
  }

  // --- looking things up ---

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
    return place === undefined ? [] : this.touching[place].map((e) => this.edges.row(e, this.ids));
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
    const i = this.#turnPlace(number);
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
    return place === undefined ? [] : this.steps[place].map(([seq, props]) => ({ seq, props }));
  }

  /** A node's props as they stood after event `seq` (null: now). @param {string} id @param {number | null} seq @returns {Props | null} */
  propsAt(id, seq) {
    const place = this.places.get(id);
    if (place === undefined) return null;
    if (seq === null) return this.list[place].props;
    const steps = this.steps[place];
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
    const steps = this.steps[place];
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
      history: Object.fromEntries(this.ids.map((id, i) => [id, this.steps[i]])),
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

  // --- folding ---

  /** @param {Delta} delta */
  #applied(delta) {
    const { seq, turn, at, source = '', n = 0 } = delta;
    const expected = this.firstMoment + this.momentAt.length;
    if (expected === 1) this.firstMoment = seq;
    else for (let s = expected; s < seq; s++) this.#moment(turn, GAP, this.at, s);
    this.cursor = { epoch: this.cursor.epoch, seq };
    this.at = at;
    this.#moment(turn, EVENT_NUMBER.get(delta.kind) ?? RAW, at, seq);
    if (n) this.#source(source).see(n, seq);
    return 0;
  }

  /** @param {string} name */
  #source(name) {
    let known = this.sources.get(name);
    if (!known) this.sources.set(name, (known = new Source()));
    return known;
  }

  /** @param {number} turn @param {number} kind @param {number} at @param {number} seq */
  #moment(turn, kind, at, seq) {
    this.momentTurn.push(turn);
    this.momentKind.push(kind);
    this.momentAt.push(at);
    this.lanes.event(turn, seq);
  }

  /** Place of the first turn numbered at least `number`. @param {number} number */
  #turnPlace(number) {
    let low = 0;
    let high = this.turns.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.turns[middle].number < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @param {Turn} turn */
  #turn(turn) {
    const i = this.#turnPlace(turn.number);
    this.turns.splice(i, this.turns[i]?.number === turn.number ? 1 : 0, turn);
    if (turn.number > this.totals.turns) this.totals.turns = turn.number;
    this.lanes.open(turn.number);
  }

  /** @param {Node} node @returns {number} its place */
  #keep(node) {
    const place = this.list.length;
    this.list.push(node);
    this.ids.push(node.id);
    this.places.set(node.id, place);
    this.nodes.set(node.id, node);
    return place;
  }

  /** @param {Node} node @returns {boolean} whether it brought a row */
  #node(node) {
    const place = this.#keep(node);
    this.steps.push([[node.seq, node.props]]);
    this.touching.push([]);
    this.totals.nodes++;
    const added = this.rows.see(node, place);
    this.marks.seeNode(place);
    return added;
  }

  /** @param {number} place @param {Node} node */
  #replace(place, node) {
    this.list[place] = node;
    this.nodes.set(node.id, node);
  }

  /** @param {Delta} delta */
  #update(delta) {
    const place = this.places.get(delta.id);
    if (place === undefined) return 0;
    const old = this.list[place];
    const changed = Object.keys(delta.props).length > 0;
    if (changed) this.steps[place].push([delta.seq, delta.props]);
    this.#replace(place, {
      ...old,
      label: delta.label || old.label,
      updated_at: delta.at,
      expires_at: delta.expires_at,
      expired: false,
      props: changed ? { ...old.props, ...delta.props } : old.props,
    });
    return DIRTY.LANES;
  }

  /** @param {Edge} edge */
  #edge(edge) {
    const source = this.places.get(edge.source);
    const target = this.places.get(edge.target);
    if (source === undefined || target === undefined) throw new Unapplied('unapplied.edge', { id: edge.id });
    this.totals.edges++;
    this.#place(this.edges.push(edge, source, target));
  }

  /** Puts an edge into everything that is derived from edges. @param {number} e */
  #place(e) {
    const { source, target, turn, kind } = this.edges;
    this.touching[source.data[e]].push(e);
    if (source.data[e] !== target.data[e]) this.touching[target.data[e]].push(e);
    this.lanes.count(turn.data[e], LAYER_OF_EDGE[kind.data[e]]);
    this.marks.see(e);
  }

  /** @param {Finding} finding */
  #finding(finding) {
    if (!this.findings.has(finding.id)) {
      const kind = `finding:${finding.kind}`;
      this.totals[kind] = (this.totals[kind] ?? 0) + 1;
    }
    this.findings.set(finding.id, finding);
    this.#show(finding);
  }

  /** @param {Finding} finding */
  #show(finding) {
    this.#hide(finding.id);
    const found = evidenceOf(this, finding);
    this.evidence.set(finding.id, found);
    this.spans.add(found);
    this.lanes.open(finding.turn);
    mark(this, found);
  }

  /** @param {string} id */
  #hide(id) {
    const old = this.evidence.get(id);
    if (!old) return;
    this.evidence.delete(id);
    this.spans.remove(old);
    unmark(this, old);
    for (const other of this.evidence.values()) if (other.finding.kind === old.finding.kind) mark(this, other);
  }

  /** @param {Lost} lost */
  #lost(lost) {
    const i = this.losses.findIndex((old) => old.source === lost.source && old.first === lost.first);
    if (lost.missing) {
      if (i < 0) this.losses.push(lost);
      else this.losses[i] = lost;
      if (lost.source) this.#source(lost.source).lose(lost.last);
      return;
    }
    if (i >= 0) this.losses.splice(i, 1);
    const id = `gap:${lost.source}:${lost.first}`;
    if (!this.findings.delete(id)) return;
    this.#hide(id);
    this.totals['finding:gap']--;
  }

  /** @param {number} first @param {number} last @param {string} why */
  #undo(first, last, why) {
    this.undone.push([first, last, why]);
    this.marks.strike(first, last);
  }

  /** Forgets what came before event `before`; see the map's side for what goes. @param {number} turn @param {number} before */
  #retire(turn, before) {
    this.retired = turn;
    this.edges.drop(this.edges.ofSeq(before));
    const held = new Set();
    for (let e = 0; e < this.edges.size; e++) held.add(this.edges.source.data[e]).add(this.edges.target.data[e]);
    /** @type {number[]} */
    const moved = [];
    const old = { list: this.list, steps: this.steps };
    this.list = [];
    this.ids = [];
    this.steps = [];
    this.places = new Map();
    for (const [place, node] of old.list.entries()) {
      moved.push(-1);
      if (node.seq < before && (node.kind === 'utterance' || node.kind === 'answer') && !held.has(place)) {
        this.nodes.delete(node.id);
        continue;
      }
      moved[place] = this.list.length;
      this.places.set(node.id, this.list.length);
      this.list.push(node);
      this.ids.push(node.id);
      this.steps.push(merged(old.steps[place], before));
    }
    for (let e = 0; e < this.edges.size; e++) {
      this.edges.source.data[e] = moved[this.edges.source.data[e]];
      this.edges.target.data[e] = moved[this.edges.target.data[e]];
    }
    this.turns = this.turns.filter(({ number }) => number > turn);
    for (const [id, finding] of this.findings) if (finding.seq < before) this.findings.delete(id);
    this.losses = this.losses.filter(({ seq }) => seq >= before);
    this.undone = this.undone.filter(([, last]) => last >= before);
    this.unplaced = this.unplaced.filter(({ seq }) => seq >= before);
    const skip = before - this.firstMoment;
    if (skip > 0) {
      this.firstMoment = before;
      for (const column of [this.momentTurn, this.momentKind, this.momentAt]) column.drop(Math.min(skip, column.length));
    }
    this.#derive();
  }

  /** Builds what is derived from nodes, edges and findings anew. */
  #derive() {
    this.lanes = new Lanes();
    this.rows = new Rows();
    this.marks = new Marks(this.list, this.edges, this.rows, this.lanes);
    this.touching = this.list.map(() => []);
    this.evidence = new Map();
    this.spans = new Spans();
    for (const { number } of this.turns) this.lanes.open(number);
    for (let i = 0; i < this.momentTurn.length; i++) this.lanes.event(this.momentTurn.data[i], this.firstMoment + i);
    this.list.forEach((node, place) => this.rows.see(node, place));
    let place = 0;
    for (let e = 0; e < this.edges.size; e++) {
      while (place < this.list.length && this.list[place].seq <= this.edges.seq.data[e]) this.marks.seeNode(place++);
      this.#place(e);
    }
    while (place < this.list.length) this.marks.seeNode(place++);
    for (const [first, last] of this.undone) this.marks.strike(first, last);
    for (const finding of this.findings.values()) this.#show(finding);
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

/** Steps whose successor still lies before event `before` become one. @param {[number, Props][]} steps @param {number} before @returns {[number, Props][]} */
function merged(steps, before) {
  let keep = 0;
  while (keep + 1 < steps.length && steps[keep + 1][0] < before) keep++;
  if (!keep) return steps;
  return [[steps[keep][0], joined(steps.slice(0, keep + 1))], ...steps.slice(keep + 1)];
}

/** Later props over earlier ones. Spread, not assigned: a key may be called `__proto__`. @param {[number, Props][]} steps @returns {Props} */
function joined(steps) {
  return steps.reduce((props, [, changed]) => ({ ...props, ...changed }), /** @type {Props} */ ({}));
}
