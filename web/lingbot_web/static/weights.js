// How much a recall weighs, from 0 to 1, and what is printed of it.
//
// Scores that lie in 0..1 and are meant to (cosine, probability ...) are taken as they are. Others (bm25, rrf, logits of a
// cross-encoder) mean nothing beside one another, so they are spread over their own stage: the stage's best document is
// 1, its worst 0.2. Documents without a score weigh by their rank in the stage.

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */

/** Kinds of scores with an unbounded or tiny range, even if one stage's values happen to lie in 0..1. */
const UNBOUNDED = /bm25|rrf|tf-?idf|logit|distance|l2|dot/i;
const LEAST = 0.2;

/** @type {WeakMap<DialogueMap, {version: number, weights: Map<number, number>}>} */
const known = new WeakMap();

/** @param {DialogueMap} map @param {number} e place of a recall edge @returns {number} */
export function weightOf(map, e) {
  let kept = known.get(map);
  if (!kept || kept.version !== map.retired) known.set(map, (kept = { version: map.retired, weights: new Map() }));
  let weight = kept.weights.get(e);
  if (weight === undefined) {
    stage(map, e, kept.weights);
    weight = kept.weights.get(e) ?? LEAST;
  }
  return weight;
}

/** Weighs all documents of the stage that edge `e` is of: they are the recall edges of one event. @param {DialogueMap} map @param {number} e @param {Map<number, number>} weights */
function stage(map, e, weights) {
  const { edges } = map;
  const seq = edges.seq.data[e];
  const kind = edges.kind.data[e];
  const places = [];
  let low = Infinity;
  let high = -Infinity;
  for (let i = edges.ofSeq(seq); i < edges.size && edges.seq.data[i] === seq; i++) {
    if (edges.kind.data[i] !== kind) continue;
    places.push(i);
    const { score } = edges.props[i];
    if (typeof score === 'number') {
      low = Math.min(low, score);
      high = Math.max(high, score);
    }
  }
  const asIs = low >= 0 && high <= 1 && !UNBOUNDED.test(edges.props[e].score_kind ?? '');
  places.forEach((i, order) => {
    const { score, rank } = edges.props[i];
    if (typeof score !== 'number') weights.set(i, Math.max(LEAST, 1 - ((rank || order + 1) - 1) / Math.max(places.length, 1)));
    else if (asIs) weights.set(i, score);
    else weights.set(i, high > low ? LEAST + (1 - LEAST) * ((score - low) / (high - low)) : 1);
  });
}

/** @param {unknown} score */
export function scoreText(score) {
  if (typeof score !== 'number' || !Number.isFinite(score)) return '';
  const size = Math.abs(score);
  return size >= 100 ? String(Math.round(score)) : size >= 10 ? score.toFixed(1) : size > 0 && size < 0.01 ? score.toFixed(3) : score.toFixed(2);
}

/**
 * The stage of a document's mark that holds after event `seq`: place of its recall edge, -1 if none yet.
 * @param {DialogueMap} map @param {number} mark @param {number} seq
 */
export function stageAt(map, mark, seq) {
  const { marks, edges } = map;
  let e = marks.edge.data[mark];
  while (e >= 0 && edges.seq.data[e] > seq) e = marks.stages.data[e];
  return e;
}

/** The newest stage at or before edge `e` that gave a score. @param {DialogueMap} map @param {number} e */
export function scoredStage(map, e) {
  let stage = e;
  while (stage >= 0 && typeof map.edges.props[stage].score !== 'number') stage = map.marks.stages.data[stage];
  return stage < 0 ? e : stage;
}
