// What stands on the score, derived from nodes and edges as they come: marks (one for each thing that happened to an
// entity in a turn) and the links between them. A mark's place is (turn, row, k): nothing that comes later moves it.
import { Column, lowerBound } from 'lb/columns';
import { FLAG, LINK, MARK } from 'lb/kinds';

/** @typedef {import('lb/types').Node} Node */
/** @typedef {import('lb/edges').Edges} Edges */
/** @typedef {import('lb/rows').Rows} Rows */
/** @typedef {import('lb/lanes').Lanes} Lanes */

const KIND = { jump: 0, assign: 1, read: 2, overwrite: 3, recall: 4, merge: 5 };
const WRITE_FLAGS = /** @type {Record<string, number>} */ ({ null: FLAG.EMPTY, cleared: FLAG.CLEARED, same: FLAG.SAME });

export class Marks {
  /** @param {Node[]} nodes @param {Edges} edges @param {Rows} rows @param {Lanes} lanes */
  constructor(nodes, edges, rows, lanes) {
    this.nodes = nodes;
    this.edges = edges;
    this.rows = rows;
    this.lanes = lanes;

    this.kind = new Column(Uint8Array);
    this.node = new Column(Int32Array);
    this.turn = new Column(Int32Array);
    this.seq = new Column(Float64Array);
    /** Its place among the marks of its kind in the cell. */
    this.k = new Column(Uint8Array);
    this.flags = new Column(Uint16Array);
    /** Kinds of findings it is part of, as bits. */
    this.bad = new Column(Uint8Array);
    /** The edge it was made from (a document's: of its last stage), -1 for utterances and answers. */
    this.edge = new Column(Int32Array);
    /** The mark before it on its row: visit before visit, write before write and read, document before document. */
    this.prev = new Column(Int32Array);
    this.outHead = new Column(Int32Array);
    this.inHead = new Column(Int32Array);

    this.linkKind = new Column(Uint8Array);
    this.linkFrom = new Column(Int32Array);
    this.linkTo = new Column(Int32Array);
    this.linkEdge = new Column(Int32Array);
    this.linkBad = new Column(Uint8Array);
    this.linkOut = new Column(Int32Array);
    this.linkIn = new Column(Int32Array);

    /** For each edge: a recall's edge of the stage before for the same document, else -1. */
    this.stages = new Column(Int32Array);
    /** All visits in order of seq: the session's walk. @type {number[]} */
    this.visits = [];
    /** Mark of an utterance or answer, by place of its node. @type {Map<number, number>} */
    this.single = new Map();
    /** Overwrites whose write has not come yet. @type {number[]} */
    this.waiting = [];
  }

  get size() {
    return this.kind.length;
  }

  /** @param {number} kind @param {number} node @param {number} turn @param {number} seq @param {number} k @param {number} edge @param {number} prev @param {number} flags */
  #add(kind, node, turn, seq, k, edge, prev, flags) {
    this.node.push(node);
    this.turn.push(turn);
    this.seq.push(seq);
    this.k.push(Math.min(k, 255));
    this.flags.push(flags);
    this.bad.push(0);
    this.edge.push(edge);
    this.prev.push(prev);
    this.outHead.push(-1);
    this.inHead.push(-1);
    const mark = this.kind.push(kind);
    this.lanes.at(turn).marks.push(mark);
    const row = this.rows.byNode[node];
    if (row && kind !== MARK.QUESTION) {
      if (row.marks.length) row.marks.push(mark);
      else row.marks = [mark];
    }
    return mark;
  }

  /** @param {number} kind @param {number} from @param {number} to @param {number} edge */
  #link(kind, from, to, edge) {
    if (from < 0 || to < 0) return -1;
    this.linkFrom.push(from);
    this.linkTo.push(to);
    this.linkEdge.push(edge);
    this.linkBad.push(0);
    this.linkOut.push(this.outHead.data[from]);
    this.linkIn.push(this.inHead.data[to]);
    const link = this.linkKind.push(kind);
    this.outHead.data[from] = link;
    this.inHead.data[to] = link;
    return link;
  }

  /** A node appeared. @param {number} place */
  seeNode(place) {
    const node = this.nodes[place];
    if (node.kind === 'utterance') {
      const mark = this.#add(MARK.UTTERANCE, place, node.turn, node.seq, 0, -1, -1, 0);
      this.lanes.open(node.turn);
      this.lanes.at(node.turn).utterance = mark;
      this.single.set(place, mark);
    } else if (node.kind === 'answer') {
      const lane = this.lanes.at(node.turn);
      this.lanes.open(node.turn);
      this.single.set(place, this.#add(MARK.ANSWER, place, node.turn, node.seq, lane.answers++, -1, -1, 0));
    }
  }

  /** An edge appeared. @param {number} e its place */
  see(e) {
    this.stages.push(-1);
    const kind = this.edges.kind.data[e];
    if (kind === KIND.jump) this.#jump(e);
    else if (kind === KIND.assign) this.#assign(e);
    else if (kind === KIND.read) this.#read(e);
    else if (kind === KIND.overwrite) this.#overwrite(e);
    else if (kind === KIND.recall) this.#recall(e);
    else if (kind === KIND.merge) this.#merge(e);
  }

  /** The newest mark of `kind` on the row at or before `seq`, -1 if none. @param {number} node @param {number} kind @param {number} [seq] */
  latest(node, kind, seq = Infinity) {
    const marks = this.rows.byNode[node]?.marks;
    if (!marks) return -1;
    for (let i = marks.length - 1; i >= 0; i--) {
      const mark = marks[i];
      if (this.kind.data[mark] === kind && this.seq.data[mark] <= seq) return mark;
    }
    return -1;
  }

  /** How many marks of `kind` the cell has. @param {number} node @param {number} turn @param {number} kind */
  #inCell(node, turn, kind) {
    const marks = this.rows.byNode[node]?.marks ?? [];
    let k = 0;
    for (let i = marks.length - 1; i >= 0 && this.turn.data[marks[i]] === turn; i--) if (this.kind.data[marks[i]] === kind) k++;
    return k;
  }

  /** The visit of an intent at event `seq`, made if need be. @param {number} node @param {number} turn @param {number} seq @param {number} edge */
  #visit(node, turn, seq, edge) {
    const newest = this.latest(node, MARK.VISIT);
    if (newest >= 0 && this.seq.data[newest] === seq) return newest;
    const self = newest >= 0 && newest === this.visits[this.visits.length - 1] && this.turn.data[newest] === turn;
    const k = self ? this.k.data[newest] : this.#inCell(node, turn, MARK.VISIT);
    const mark = this.#add(MARK.VISIT, node, turn, seq, k, edge, newest, self ? FLAG.SELF : 0);
    this.visits.push(mark);
    this.lanes.at(turn).visit = mark;
    return mark;
  }

  /** @param {number} e */
  #jump(e) {
    const { source, target, turn, seq } = this.edges;
    const from = source.data[e];
    const at = seq.data[e];
    const routing = this.nodes[from].kind !== 'intent';
    const mark = this.#visit(target.data[e], turn.data[e], at, e);
    if (routing) {
      this.edge.data[mark] = e;
      this.#link(LINK.ROUTE, this.single.get(from) ?? -1, mark, e);
    } else {
      const newest = this.latest(from, MARK.VISIT);
      const left = newest === mark ? this.prev.data[mark] : newest;
      this.#link(LINK.MOVE, left, mark, e);
    }
  }

  /** The mark that stands for an edge's end in the flow: the intent's newest visit, or the turn's utterance. @param {number} node @param {number} seq */
  #task(node, seq) {
    return this.nodes[node].kind === 'intent' ? this.latest(node, MARK.VISIT, seq) : (this.single.get(node) ?? -1);
  }

  /** @param {number} e */
  #assign(e) {
    const { source, target, turn, seq, props } = this.edges;
    const node = target.data[e];
    const lane = turn.data[e];
    const row = this.rows.byNode[node];
    const before = row && row.writes.length ? row.writes[row.writes.length - 1] : -1;
    const read = this.#inCell(node, lane, MARK.READ) ? FLAG.PRECEDED : 0;
    const mark = this.#add(MARK.WRITE, node, lane, seq.data[e], this.#inCell(node, lane, MARK.WRITE), e, before, (WRITE_FLAGS[props[e].change] ?? 0) | read);
    if (row?.writes.length) row.writes.push(mark);
    else if (row) row.writes = [mark];
    if (before >= 0 && this.turn.data[before] === lane) this.flags.data[before] |= FLAG.FOLLOWED;
    this.#link(LINK.UPDATE, before, mark, -1);
    this.#link(LINK.ASSIGN, this.#task(source.data[e], seq.data[e]), mark, e);
    this.waiting = this.waiting.filter((w) => !this.#settle(w));
  }

  /** The write of a slot at event `seq`. @param {number} node @param {number} seq */
  writeAt(node, seq) {
    const writes = this.rows.byNode[node]?.writes ?? [];
    for (let i = writes.length - 1; i >= 0 && this.seq.data[writes[i]] >= seq; i--) if (this.seq.data[writes[i]] === seq) return writes[i];
    return -1;
  }

  /** @param {number} e */
  #read(e) {
    const { source, target, turn, seq, props } = this.edges;
    const node = source.data[e];
    const lane = turn.data[e];
    let written = this.writeAt(node, props[e].written);
    if (written < 0) written = this.latest(node, MARK.WRITE);
    const after = written >= 0 && this.turn.data[written] === lane ? FLAG.AFTER : 0;
    const mark = this.#add(MARK.READ, node, lane, seq.data[e], this.#inCell(node, lane, MARK.READ), e, written, after);
    if (after) this.flags.data[written] |= FLAG.SHARED;
    this.#link(LINK.HOLD, written, mark, -1);
    this.#link(LINK.USE, mark, this.#task(target.data[e], seq.data[e]), e);
  }

  /** @param {number} e */
  #overwrite(e) {
    if (!this.#settle(e)) this.waiting.push(e);
  }

  /** @param {number} e @returns {boolean} whether both writes of an overwrite were there to be joined */
  #settle(e) {
    const node = this.edges.target.data[e];
    const now = this.writeAt(node, this.edges.seq.data[e]);
    if (now < 0) return false;
    this.#link(LINK.OVERWRITE, this.writeAt(node, this.edges.props[e].old_seq), now, e);
    return true;
  }

  /** @param {number} e */
  #recall(e) {
    const { source, target, turn, seq, props } = this.edges;
    const lane = this.lanes.at(turn.data[e]);
    const query = props[e].query ?? '';
    let question = lane.questions.find((q) => (props[this.edge.data[q]].query ?? '') === query) ?? -1;
    if (question < 0) {
      question = this.#add(MARK.QUESTION, source.data[e], lane.turn, seq.data[e], lane.questions.length, e, -1, 0);
      lane.questions.push(question);
      this.#link(LINK.ASK, lane.visit >= 0 ? lane.visit : lane.utterance, question, -1);
    }
    const node = target.data[e];
    const k = this.k.data[question];
    const marks = this.rows.byNode[node]?.marks ?? [];
    let mark = -1;
    for (let i = marks.length - 1; i >= 0 && this.turn.data[marks[i]] === lane.turn; i--) if (this.k.data[marks[i]] === k) mark = marks[i];
    if (mark < 0) {
      mark = this.#add(MARK.DOC, node, lane.turn, seq.data[e], k, e, marks.length ? marks[marks.length - 1] : -1, 0);
      this.#link(LINK.RECALL, question, mark, e);
    } else {
      this.stages.data[e] = this.edge.data[mark];
      this.edge.data[mark] = e;
    }
    if (props[e].stage === 'prompt' && !props[e].dropped_because) this.flags.data[mark] |= FLAG.PROMPT;
  }

  /** @param {number} e */
  #merge(e) {
    const doc = this.latest(this.edges.source.data[e], MARK.DOC);
    if (doc < 0) return;
    this.flags.data[doc] |= FLAG.PROMPT;
    this.#link(LINK.MERGE, doc, this.single.get(this.edges.target.data[e]) ?? -1, e);
  }

  /** Strikes through what events `first` to `last` brought. @param {number} first @param {number} last */
  strike(first, last) {
    for (let i = lowerBound(this.seq.data, first, this.size); i < this.size && this.seq.data[i] <= last; i++) this.flags.data[i] |= FLAG.UNDONE;
  }

  /** The marks that event `seq` made. @param {number} seq @returns {number[]} */
  ofSeq(seq) {
    const found = [];
    for (let i = lowerBound(this.seq.data, seq, this.size); i < this.size && this.seq.data[i] === seq; i++) found.push(i);
    return found;
  }

  /** The mark that edge `e` leads to or made: a visit, write, read, document or answer; -1 if none. @param {number} e */
  ofEdge(e) {
    const kind = this.edges.kind.data[e];
    const node = kind === KIND.read ? this.edges.source.data[e] : this.edges.target.data[e];
    if (kind === KIND.merge) return this.single.get(node) ?? -1;
    if (kind === KIND.recall) return this.#docOf(node, e);
    for (const mark of this.ofSeq(this.edges.seq.data[e])) if (this.node.data[mark] === node) return mark;
    return -1;
  }

  /** @param {number} node @param {number} e */
  #docOf(node, e) {
    const marks = this.rows.byNode[node]?.marks ?? [];
    for (let i = marks.length - 1; i >= 0; i--) {
      for (let stage = this.edge.data[marks[i]]; stage >= 0; stage = this.stages.data[stage]) if (stage === e) return marks[i];
    }
    return -1;
  }

  /** The link that edge `e` is, -1 if none. @param {number} e */
  linkOf(e) {
    const to = this.edges.kind.data[e] === KIND.read ? -1 : this.ofEdge(e);
    if (to < 0) return -1;
    for (let l = this.inHead.data[to]; l >= 0; l = this.linkIn.data[l]) if (this.linkEdge.data[l] === e) return l;
    return -1;
  }
}
