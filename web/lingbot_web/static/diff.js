// What two moments of a map differ in: slots, the flow, the documents at hand. The slots' part says the same as the
// map's own `slots_between`, and both are held to one set of vectors. Pure: a map in, plain values out.

import { EDGE_KINDS } from 'lb/kinds';
import { docsOfTurn, labelOf, seqsOfTurn } from 'lb/past';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/types').Edge} Edge */

/** @typedef {'added' | 'changed' | 'deleted' | 'rewritten'} Change */
/** @typedef {'expired' | 'task' | 'turn'} Staleness */
/**
 * A slot that is not as it was, and the event that last made it so. `by` is the intent or utterance that wrote it, ""
 * where an undoing brought the value back. `times` is how often it was written in between.
 * @typedef {{change: Change, id: string, name: string, label: string, old: unknown, new: unknown, seq: number, turn: number, by: string, times: number}} SlotChange
 */
/** A read of a value that was past its time. @typedef {{why: Staleness, id: string, name: string, label: string, value: unknown, seq: number, turn: number, by: string, written: {turn: number, seq: number}}} StaleRead */
/** @typedef {{id: string, turn: number, seq: number, times: number}} Passage an intent, and the visit of it that is spoken of */
/** @typedef {'used' | 'prompt' | 'kept'} Use by the answer; in the prompt alone; neither is told, but no stage dropped it */
/** @typedef {{id: string, turn: number, seq: number, rank: number | null, score: unknown, use: Use}} DocChange */
/** @typedef {DocChange & {was: DocChange}} DocMove a document at hand at both moments, of another rank or put to another use */
/**
 * @typedef {object} Difference
 * @property {SlotChange[]} slots
 * @property {StaleRead[]} stale
 * @property {{from: string, to: string, entered: Passage[], left: Passage[]}} flow
 * @property {{into: DocChange[], out: DocChange[], moved: DocMove[], kept: number}} docs `kept`: at hand at both moments
 */

/** @typedef {{a: number | null, b: number | null}} Moments two moments by seq; null: not pinned */

const READ = EDGE_KINDS.indexOf('read');
const JUMP = EDGE_KINDS.indexOf('jump');
const RECALL = EDGE_KINDS.indexOf('recall');

// What a recording's policy says by default; see the map's policy.
const SHARED = ['session', 'user', 'conversation', 'global'];

/**
 * The two moments to compare: those that are pinned, else the moment shown and the end of the turn before its turn.
 * @param {DialogueMap} map @param {Moments} pinned
 * @param {{playhead: number | null, turn: number}} shown `turn` is the selected one, 0 for none; it counts at the newest moment only
 * @returns {{a: number, b: number}} seqs; 0 is before everything
 */
export function momentsOf(map, { a, b }, { playhead, turn }) {
  const last = map.cursor.seq;
  const here = playhead ?? (turn && map.turn(turn) ? endOf(map, turn) : last);
  const to = Math.min(b ?? here, last);
  return { a: Math.min(a ?? beforeTurnOf(map, to), last), b: to };
}

/** The last event of a turn. @param {DialogueMap} map @param {number} turn */
export function endOf(map, turn) {
  return seqsOfTurn(map, turn)[1];
}

/** The last event before the turn in which event `seq` happened. @param {DialogueMap} map @param {number} seq */
function beforeTurnOf(map, seq) {
  const at = map.turns.findLast((turn) => turn.seq <= seq);
  return at ? at.seq - 1 : 0;
}

/** @param {DialogueMap} map @param {number} a seq of one moment @param {number} b seq of the other; it may be the earlier one @returns {Difference} */
export function differenceOf(map, a, b) {
  const low = Math.min(a, b);
  const high = Math.max(a, b);
  return { slots: slotsBetween(map, a, b), stale: staleBetween(map, low, high), flow: flowBetween(map, a, b), docs: docsBetween(map, a, b) };
}

/** @param {DialogueMap} map @param {number} a @param {number} b @returns {SlotChange[]} by name */
export function slotsBetween(map, a, b) {
  const low = Math.min(a, b);
  const high = Math.max(a, b);
  /** @type {SlotChange[]} */
  const found = [];
  for (const { id, label } of map.nodesOfKind('slot')) {
    const old = map.propsAt(id, a) ?? {};
    const now = map.propsAt(id, b) ?? {};
    if ((old.seq ?? 0) === (now.seq ?? 0)) continue;
    const was = Boolean(old.set);
    const is = Boolean(now.set);
    if (!was && !is) continue;
    const change = !was ? 'added' : !is ? 'deleted' : same(old.value, now.value) ? 'rewritten' : 'changed';
    const step = map.historyOf(id).findLast(({ seq, props }) => seq <= high && 'seq' in props);
    const seq = step?.seq ?? Math.max(old.seq ?? 0, now.seq ?? 0);
    const writes = map.edgesOf(id).filter((edge) => edge.kind === 'assign' && edge.target === id && edge.seq > low && edge.seq <= high);
    const by = writes.find((edge) => edge.seq === seq)?.source ?? '';
    found.push({ change, id, name: id.slice(5), label, old: was ? old.value : undefined, new: is ? now.value : undefined, seq, turn: Math.max(0, map.turnOf(seq)), by, times: writes.length });
  }
  return found.sort((x, y) => (x.id < y.id ? -1 : 1));
}

/** @param {DialogueMap} map @param {number} low @param {number} high @returns {StaleRead[]} in order of seq */
export function staleBetween(map, low, high) {
  /** @type {StaleRead[]} */
  const found = [];
  for (const edge of edgesBetween(map, low, high, READ)) {
    const why = whyStale(map, edge);
    if (why) found.push({ why, id: edge.source, name: edge.source.slice(5), label: labelOf(map, edge.source), value: edge.props.value, seq: edge.seq, turn: edge.turn, by: edge.target, written: { turn: edge.props.written_turn, seq: edge.props.written } });
  }
  return found;
}

/**
 * Why the value that a read used should not have been: nobody had touched it for the slot lifetime; it was written for
 * another task, in a scope that tasks do not share; its scope was a turn that had passed.
 * @param {DialogueMap} map @param {Edge} edge @returns {Staleness | ''}
 */
export function whyStale(map, edge) {
  if (edge.kind !== 'read') return '';
  if (edge.props.stale) return 'expired';
  const slot = map.propsAt(edge.source, edge.seq);
  if (!slot?.set || slot.value === null) return '';
  const { task: owner, scope = '' } = slot;
  const { task } = edge.props;
  if (scope === 'turn' && slot.turn < edge.turn) return 'turn';
  /** @type {string[]} */
  const shared = map.about.policy?.shared_scopes ?? SHARED;
  return owner && task && owner !== task && !shared.includes(scope) ? 'task' : '';
}

/** @param {DialogueMap} map @param {number} a @param {number} b */
function flowBetween(map, a, b) {
  const from = intentAt(map, a);
  const to = intentAt(map, b);
  /** @type {Map<string, Passage>} */
  const seen = new Map();
  for (const edge of edgesBetween(map, Math.min(a, b), Math.max(a, b), JUMP)) {
    if (!edge.source.startsWith('utterance:')) continue;
    seen.set(edge.target, { id: edge.target, turn: edge.turn, seq: edge.seq, times: (seen.get(edge.target)?.times ?? 0) + 1 });
  }
  const left = [...seen.values()].filter(({ id }) => id !== to?.id && id !== from?.id);
  if (from && from.id !== to?.id) left.unshift(from);
  return { from: from?.id ?? '', to: to?.id ?? '', entered: [...seen.values()].filter(({ id }) => id !== from?.id), left };
}

/** The intent that the dialogue was in after event `seq`. @param {DialogueMap} map @param {number} seq @returns {Passage | null} */
function intentAt(map, seq) {
  const { edges } = map;
  for (let e = edges.ofSeq(seq + 1) - 1; e >= 0; e--) {
    if (edges.kind.data[e] !== JUMP || !edges.ids[e].startsWith('jump:')) continue;
    return { id: map.ids[edges.target.data[e]], turn: edges.turn.data[e], seq: edges.seq.data[e], times: 0 };
  }
  return null;
}

/** @param {DialogueMap} map @param {number} a @param {number} b */
function docsBetween(map, a, b) {
  const old = docsAt(map, a);
  const now = docsAt(map, b);
  const kept = [...now.values()].flatMap((doc) => {
    const was = old.get(doc.id);
    return was ? [{ ...doc, was }] : [];
  });
  return {
    into: [...now.values()].filter(({ id }) => !old.has(id)),
    out: [...old.values()].filter(({ id }) => !now.has(id)),
    moved: kept.filter(({ rank, use, was }) => rank !== was.rank || use !== was.use),
    kept: kept.length,
  };
}

/**
 * The documents at hand after event `seq`: those of the newest retrieval that went into the prompt or the answer; where
 * the source tells of neither, those that no stage had dropped. Their rank is that of the last stage that gave one.
 * @param {DialogueMap} map @param {number} seq @returns {Map<string, DocChange>}
 */
function docsAt(map, seq) {
  const { edges } = map;
  let e = edges.ofSeq(seq + 1) - 1;
  while (e >= 0 && edges.kind.data[e] !== RECALL) e--;
  if (e < 0) return new Map();
  const turn = edges.turn.data[e];
  const { used, prompt, cut } = docsOfTurn(map, turn, seq);
  const held = used.length || prompt.length ? [...used, ...prompt] : cut.filter((entry) => !entry.why);
  const ranks = new Map(map.edgesOfTurn(turn).filter((edge) => edge.kind === 'recall' && edge.seq <= seq && edge.props.rank).map((edge) => [edge.target, edge.props.rank]));
  const answered = new Set(used.map(({ doc }) => doc));
  return new Map(held.map(({ doc, last, prompt: given }) => [doc, { id: doc, turn, seq: last?.seq ?? 0, rank: ranks.get(doc) ?? null, score: last?.props.score, use: answered.has(doc) ? 'used' : given ? 'prompt' : 'kept' }]));
}

/** Edges of one kind that came after event `low`, up to event `high`. @param {DialogueMap} map @param {number} low @param {number} high @param {number} kind @returns {Edge[]} */
function edgesBetween({ edges, ids }, low, high, kind) {
  const found = [];
  for (let e = edges.ofSeq(low + 1), end = edges.ofSeq(high + 1); e < end; e++) if (edges.kind.data[e] === kind) found.push(edges.row(e, ids));
  return found;
}

/** Whether two JSON values are equal, whatever the order of their keys. @param {any} a @param {any} b @returns {boolean} */
export function same(a, b) {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}
