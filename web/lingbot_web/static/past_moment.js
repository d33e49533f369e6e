// More of what the inspector asks of a map as of a moment: lifetimes, what leads out of an intent, how a document stood
// beside its rivals. Pure: a map in, plain values out.

import { labelOf } from 'lb/past';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/types').Edge} Edge */

// The policy's own default, for a recording that does not say.
const SLOT_LIFETIME_S = 30 * 60;

/** The moves out of an intent into another one. @param {DialogueMap} map @param {string} id @param {number} upto @returns {Edge[]} */
export function leavesOf(map, id, upto) {
  return map.edgesOf(id).filter((edge) => edge.kind === 'jump' && edge.source === id && edge.target !== id && edge.seq <= upto);
}

/**
 * A slot at a moment, as a requirement looks at it.
 * @param {DialogueMap} map @param {string} name @param {number} upto
 * @returns {{filled: boolean, value: unknown, turn: number, seq: number}} `turn` and `seq` of the write; 0 before the first
 */
export function requiredAt(map, name, upto) {
  const props = map.propsAt(`slot:${name}`, upto === Infinity ? null : upto) ?? {};
  return { filled: Boolean(props.set) && props.value !== null && props.value !== undefined, value: props.value, turn: props.turn ?? 0, seq: props.seq ?? 0 };
}

/**
 * When a slot's value expires, or expired, if nobody touches it: the slot lifetime after it was last written or read.
 * @param {DialogueMap} map @param {string} id @param {number} upto @returns {number | null} Unix seconds; null where nothing expires
 */
export function expiryOf(map, id, upto) {
  const node = map.node(id);
  if (!node || node.kind !== 'slot') return null;
  if (upto === Infinity) return node.expires_at ?? null;
  const lifetime = Number(map.about.policy?.slot_lifetime ?? SLOT_LIFETIME_S);
  const touched = map.edgesOf(id).filter(({ kind, seq }) => (kind === 'assign' || kind === 'read') && seq <= upto).map(({ at }) => at);
  // An undoing gives back the value of before, with a fresh lifetime and no edge.
  const steps = map.historyOf(id).filter(({ seq }) => seq <= upto).map(({ seq }) => map.atOf(seq)).filter(Number.isFinite);
  const last = Math.max(...touched, ...steps);
  return Number.isFinite(last) && lifetime > 0 ? last + lifetime : null;
}

/** @typedef {{id: string, label: string, hits: number, own: boolean, near: number | null, rank: number | null}} Rival */

/**
 * A document and those that it stood beside in a turn, or is known to be similar to, by their hits in seven days.
 * @param {DialogueMap} map @param {string} id @param {number} turn @param {number} upto @param {number} most
 * @returns {Rival[]} most hits first, the document itself always among them; empty where no hits are told of it
 */
export function rivalsOf(map, id, turn, upto, most = 6) {
  const at = upto === Infinity ? null : upto;
  const hitsOf = (/** @type {string} */ doc) => map.valueAt(doc, 'hits', at);
  if (typeof hitsOf(id) !== 'number') return [];
  /** @type {Map<string, number>} */
  const near = new Map((map.valueAt(id, 'near', at) ?? []).map((/** @type {[string, number]} */ [doc, alike]) => [`doc:${doc}`, alike]));
  /** @type {Map<string, number | null>} */
  const ranks = new Map([...near.keys()].filter((doc) => map.node(doc)).map((doc) => [doc, null]));
  for (const edge of map.edgesOfTurn(turn)) if (edge.kind === 'recall' && edge.seq <= upto) ranks.set(edge.target, edge.props.rank ?? null);
  ranks.set(id, ranks.get(id) ?? null);
  const all = [...ranks].flatMap(([doc, rank]) => (typeof hitsOf(doc) === 'number' ? [{ id: doc, label: labelOf(map, doc), hits: hitsOf(doc), own: doc === id, near: near.get(doc) ?? null, rank }] : []));
  all.sort((a, b) => b.hits - a.hits || (a.id < b.id ? -1 : 1));
  // Those that are similar are the ones to compare with; they go before the merely popular.
  const kept = new Set([...all].sort((a, b) => Number(b.own) - Number(a.own) || (b.near ?? 0) - (a.near ?? 0) || b.hits - a.hits).slice(0, most));
  return all.filter((rival) => kept.has(rival));
}

/** @typedef {{stage: string, edge: Edge | null, of: number, moved: number | null}} Passed one stage of a turn: the document's place in it, if it had one, among `of`; `moved` places up since the stage before (the better of the two recalls, which run side by side) */

/**
 * A document's way through the stages that its turn's retrieval recorded, those that did not return it included.
 * @param {DialogueMap} map @param {string} id @param {number} turn @param {number} upto @param {readonly string[]} order @returns {Passed[]}
 */
export function stagesOf(map, id, turn, upto, order) {
  /** @type {Map<string, {edge: Edge | null, of: Set<string>}>} */
  const stages = new Map();
  for (const edge of map.edgesOfTurn(turn)) {
    if (edge.kind !== 'recall' || edge.seq > upto) continue;
    const stage = String(edge.props.stage ?? '');
    const held = stages.get(stage) ?? { edge: null, of: new Set() };
    held.of.add(edge.target);
    if (edge.target === id) held.edge = edge;
    stages.set(stage, held);
  }
  const place = (/** @type {string} */ stage) => (order.indexOf(stage) + 1 || order.length + 1);
  let before = /** @type {number | null} */ (null);
  return [...stages].sort(([a], [b]) => place(a) - place(b)).map(([stage, { edge, of }]) => {
    const rank = edge?.props.rank ?? null;
    const recall = stage === 'vector' || stage === 'keyword';
    const moved = rank !== null && before !== null && !recall ? before - rank : null;
    if (rank !== null) before = recall && before !== null ? Math.min(before, rank) : rank;
    return { stage, edge, of: of.size, moved };
  });
}
