// A dialogue told in a few words, as the deltas that the map's side would send: what the page's tests are built from.
import { DialogueMap } from 'lb/fold';

const LAYER = { utterance: 'flow', intent: 'flow', slot: 'state', doc: 'knowledge', answer: 'knowledge' };
const EDGE_LAYER = { jump: 'flow', assign: 'state', read: 'state', overwrite: 'state', recall: 'knowledge', merge: 'knowledge' };

/** @typedef {keyof typeof LAYER} NodeKind */
/** @typedef {keyof typeof EDGE_LAYER} EdgeKind */
/** @typedef {Record<string, any>} Props */

export class Telling {
  constructor(session = 's') {
    this.map = DialogueMap.empty(session);
    this.turn = 0;
    this.seq = 0;
    this.at = 1_750_000_000;
    this.intent = '';
    this.answers = 0;
  }

  /** @param {string} kind */
  event(kind) {
    this.seq++;
    this.at += 1;
    this.map.apply({ d: 'applied', seq: this.seq, at: this.at, turn: this.turn, kind, source: 'bot', n: this.seq });
  }

  /** @param {string} id @param {NodeKind} kind @param {Props} [props] @param {string} [label] */
  node(id, kind, props = {}, label = '') {
    if (this.map.node(id)) {
      this.map.apply({ d: 'update', id, seq: this.seq, at: this.at, props, expires_at: null });
      return;
    }
    const node = { id, kind, layer: LAYER[kind], label: label || id, turn: this.turn, seq: this.seq, created_at: this.at, updated_at: this.at, expires_at: null, expired: false, props };
    this.map.apply({ d: 'node', node });
  }

  /** @param {string} id @param {EdgeKind} kind @param {string} source @param {string} target @param {Props} props */
  edge(id, kind, source, target, props) {
    this.map.apply({ d: 'edge', edge: { id, kind, layer: EDGE_LAYER[kind], source, target, turn: this.turn, seq: this.seq, at: this.at, props } });
  }

  said(text = '') {
    this.turn++;
    this.answers = 0;
    this.event('turn_started');
    this.map.apply({ d: 'turn', turn: { number: this.turn, id: `t${this.turn}`, seq: this.seq, at: this.at, said_at: null } });
    this.node(`utterance:${this.turn}`, 'utterance', { text }, text);
    return this;
  }

  /** @param {string} intent @param {number} [confidence] @param {Props} [more] */
  routed(intent, confidence = 0.9, more = {}) {
    this.event('intent_routed');
    const id = `intent:${intent}`;
    this.node(id, 'intent', { confidence, ...more });
    this.edge(`jump:${this.seq}`, 'jump', `utterance:${this.turn}`, id, { confidence, ...more });
    if (this.intent) this.edge(`move:${this.seq}`, 'jump', this.intent, id, { confidence });
    this.intent = id;
    return this;
  }

  get task() {
    return this.intent || `utterance:${this.turn}`;
  }

  /** @param {string} slot @param {unknown} value @param {string} [change] */
  assigned(slot, value, change = 'set') {
    this.event(change === 'cleared' ? 'slot_cleared' : 'slot_assigned');
    const id = `slot:${slot}`;
    this.node(id, 'slot', { value, set: change !== 'cleared', seq: this.seq });
    this.edge(`assign:${this.seq}`, 'assign', this.task, id, { value, change });
    return this;
  }

  /** @param {string} slot */
  read(slot) {
    this.event('slot_read');
    const { value, seq } = this.map.node(`slot:${slot}`)?.props ?? {};
    this.edge(`read:${this.seq}`, 'read', `slot:${slot}`, this.task, { value, written: seq, written_turn: 1, age: 1 });
    return this;
  }

  /** Events from `first` on no longer hold, and the slots they wrote are as before. @param {number} first */
  undid(first) {
    this.event('undone');
    this.map.apply({ d: 'undone', first, last: this.seq - 1, why: 'rewind' });
    for (const node of this.map.nodesOfKind('slot')) {
      const props = this.map.propsAt(node.id, first - 1) ?? {};
      if (node.props.seq >= first) this.node(node.id, 'slot', 'seq' in props ? props : { value: null, set: false, seq: 0 });
    }
    return this;
  }

  /** @param {string} stage @param {Record<string, number | null>} docs @param {string} [query] @param {string} [score_kind] */
  recalled(stage, docs, query = 'q', score_kind = '') {
    this.event('retrieved');
    let rank = 0;
    for (const [doc, score] of Object.entries(docs)) {
      rank++;
      this.node(`doc:${doc}`, 'doc', { hits: 3 });
      this.edge(`recall:${this.seq}.${rank}`, 'recall', `utterance:${this.turn}`, `doc:${doc}`, { stage, score, rank, query, score_kind });
    }
    return this;
  }

  /** @param {string[]} docs */
  answered(...docs) {
    this.event('answered');
    const id = `answer:${this.turn}${this.answers++ ? `.${this.answers}` : ''}`;
    this.node(id, 'answer', { text: 'ok', docs }, 'ok');
    docs.forEach((doc, i) => this.edge(`merge:${this.seq}.${i + 1}`, 'merge', `doc:${doc}`, id, {}));
    return this;
  }

  /** @param {string} kind @param {number} since @param {string[]} edges @param {Props} facts */
  found(kind, since, edges, facts) {
    const finding = { id: `${kind}:${this.seq}`, code: 'LM000', kind, since, turn: this.turn, seq: this.seq, at: this.at, nodes: [], edges, seqs: [], facts, reason: { en: kind, zh: kind } };
    this.map.apply({ d: 'finding', finding });
    return this;
  }
}

/** A session of `turns` turns, each with an intent, two slots, `docs` documents of its own rows, an answer. @param {number} turns @param {number} docs @param {number} [rows] */
export function long(turns, docs, rows = 60) {
  const told = new Telling();
  for (let t = 1; t <= turns; t++) {
    told.said(`第 ${t} 轮说了什么`).routed(`i${t % 9}`, 0.5 + (t % 5) / 10);
    told.assigned(`s${t % 12}`, `v${t}`).read(`s${t % 12}`);
    /** @type {Record<string, number>} */
    const found = {};
    for (let k = 0; k < docs; k++) found[`d${(t * 7 + k) % rows}`] = 1 - k / (docs + 1);
    told.recalled('reranked', found, `q${t}`).answered(`d${(t * 7) % rows}`);
  }
  return told.map;
}
