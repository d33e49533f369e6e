// Questions the inspector asks of a map, answered as of a moment: what a node went through up to event `upto`.
// Pure: a map in, plain values out.

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/types').Edge} Edge */
/** @typedef {import('lb/types').Finding} Finding */

/** The name to show for a node, also where the map no longer holds it. @param {DialogueMap} map @param {string} id */
export function labelOf(map, id) {
  return map.nodes.get(id)?.label || id.slice(id.indexOf(':') + 1);
}

/** @param {DialogueMap} map @param {string} id @param {number} upto @returns {Edge[]} in order of seq */
function touching(map, id, upto) {
  return map.edgesOf(id).filter((edge) => edge.seq <= upto);
}

/**
 * The times an intent was routed to, and the moves that led to it.
 * @param {DialogueMap} map @param {string} id @param {number} upto
 */
export function visitsOf(map, id, upto) {
  const edges = touching(map, id, upto).filter((edge) => edge.kind === 'jump' && edge.target === id);
  const visits = edges.filter((edge) => edge.source.startsWith('utterance:'));
  const moves = edges.filter((edge) => edge.source.startsWith('intent:'));
  return { visits, moves };
}

/**
 * Everything that happened to a slot's value.
 * @param {DialogueMap} map @param {string} id @param {number} upto
 * @returns {{edge: Edge, what: 'write' | 'read' | 'cleared', other: string}[]} `other` is the intent or utterance at the other end
 */
export function lifeOf(map, id, upto) {
  /** @type {{edge: Edge, what: 'write' | 'read' | 'cleared', other: string}[]} */
  const steps = [];
  for (const edge of touching(map, id, upto)) {
    if (edge.kind === 'assign' && edge.target === id) steps.push({ edge, what: edge.props.change === 'cleared' ? 'cleared' : 'write', other: edge.source });
    else if (edge.kind === 'read' && edge.source === id) steps.push({ edge, what: 'read', other: edge.target });
  }
  return steps;
}

/**
 * The overwrites of a slot, by the event that overwrote.
 * @param {DialogueMap} map @param {string} id @param {number} upto @returns {Map<number, Edge>}
 */
export function overwritesOf(map, id, upto) {
  return new Map(touching(map, id, upto).filter((edge) => edge.kind === 'overwrite').map((edge) => [edge.seq, edge]));
}

/** The stages in the order in which a document passes them. */
export const STAGES = ['vector', 'keyword', 'fused', 'reranked', 'prompt'];

/** @typedef {{turn: number, seq: number, at: number, stages: Edge[], used: boolean}} Recall one turn's way of one document */

/**
 * A document's way through each turn that recalled it.
 * @param {DialogueMap} map @param {string} id @param {number} upto @returns {Recall[]}
 */
export function recallsOf(map, id, upto) {
  /** @type {Map<number, Recall>} */
  const turns = new Map();
  for (const edge of touching(map, id, upto)) {
    if (edge.kind !== 'recall' && edge.kind !== 'merge') continue;
    let recall = turns.get(edge.turn);
    if (!recall) turns.set(edge.turn, (recall = { turn: edge.turn, seq: edge.seq, at: edge.at, stages: [], used: false }));
    if (edge.kind === 'recall') recall.stages.push(edge);
    else recall.used = true;
  }
  for (const recall of turns.values()) recall.stages.sort((a, b) => STAGES.indexOf(a.props.stage) - STAGES.indexOf(b.props.stage) || a.seq - b.seq);
  return [...turns.values()];
}

/** The score a recall was decided by: the re-ranker's, else that of the last stage with one. @param {Recall} recall */
export function decidingStage(recall) {
  const scored = recall.stages.filter((edge) => typeof edge.props.score === 'number');
  return scored.find((edge) => edge.props.stage === 'reranked') ?? scored[scored.length - 1] ?? null;
}

/** The answers of a turn, in order. @param {DialogueMap} map @param {number} turn @param {number} upto */
export function answersOf(map, turn, upto) {
  const answers = [];
  for (let node = map.node(`answer:${turn}`), k = 2; node; node = map.node(`answer:${turn}.${k++}`)) if (node.seq <= upto) answers.push(node);
  return answers;
}

/**
 * The documents of a turn: those the answer was made from; those that were in the prompt, but it is not known to have been
 * made from; and those that were cut before, with the reason if one was given.
 * @param {DialogueMap} map @param {number} turn @param {number} upto @param {string} [answer] this answer's alone
 */
export function docsOfTurn(map, turn, upto, answer) {
  const edges = map.edgesOfTurn(turn).filter((edge) => edge.seq <= upto);
  const used = new Set(edges.filter((edge) => edge.kind === 'merge' && (!answer || edge.target === answer)).map((edge) => edge.source));
  /** @type {Map<string, {doc: string, last: Edge, why: string, prompt: boolean}>} */
  const docs = new Map();
  for (const edge of edges) {
    if (edge.kind !== 'recall') continue;
    const before = docs.get(edge.target);
    const why = String(edge.props.dropped_because ?? '') || before?.why || '';
    const prompt = edge.props.stage === 'prompt' && !edge.props.dropped_because;
    docs.set(edge.target, { doc: edge.target, last: edge, why, prompt: prompt || (before?.prompt ?? false) });
  }
  const all = [...docs.values()];
  return {
    used: [...used].map((doc) => docs.get(doc) ?? { doc, last: null, why: '', prompt: false }),
    prompt: all.filter((entry) => !used.has(entry.doc) && entry.prompt),
    cut: all.filter((entry) => !used.has(entry.doc) && !entry.prompt),
  };
}

/**
 * The findings that a node, or something between two events, is evidence of.
 * @param {DialogueMap} map @param {{id?: string, seqs?: [number, number]}} about @param {number} upto @returns {Finding[]}
 */
export function findingsAbout(map, { id, seqs }, upto) {
  return [...map.findings.values()].filter((finding) => {
    if (finding.seq > upto) return false;
    if (id !== undefined) return finding.nodes.includes(id) || finding.edges.includes(id);
    return seqs !== undefined && (finding.seqs.length ? finding.seqs : [finding.seq]).some((seq) => seqs[0] <= seq && seq <= seqs[1]);
  });
}

/** Events that are evidence of some finding: their marks are red. @param {DialogueMap} map @param {number} upto @returns {Set<number>} */
export function blamedSeqs(map, upto) {
  /** @type {Set<number>} */
  const seqs = new Set();
  for (const finding of map.findings.values()) if (finding.seq <= upto && finding.kind !== 'gap') for (const seq of finding.seqs) seqs.add(seq);
  return seqs;
}

/** All that happened in a turn, in order. @param {DialogueMap} map @param {number} turn @param {number} upto @returns {Edge[]} */
export function stepsOfTurn(map, turn, upto) {
  return map.edgesOfTurn(turn).filter((edge) => edge.seq <= upto);
}

/** First and last seq of a turn. @param {DialogueMap} map @param {number} turn @returns {[number, number]} */
export function seqsOfTurn(map, turn) {
  const at = map.turns.findIndex((entry) => entry.number === turn);
  if (at < 0) return [1, map.cursor.seq];
  return [/** @type {{seq: number}} */ (map.turns[at]).seq, (map.turns[at + 1]?.seq ?? map.cursor.seq + 1) - 1];
}

/**
 * How much had happened by event `upto`. Nodes, edges and findings are those that the map still holds.
 * @param {DialogueMap} map @param {number} upto Infinity for now
 */
export function sizeOf(map, upto) {
  const before = (/** @type {{seq: number}} */ { seq }) => seq <= upto;
  let nodes = 0;
  for (const node of map.nodes.values()) if (before(node)) nodes++;
  return {
    turns: upto === Infinity ? map.lastTurn : (map.turns.findLast(before)?.number ?? 0),
    nodes,
    edges: map.edges.ofSeq(upto + 1),
    events: Math.min(map.cursor.seq, upto),
    unplaced: map.unplaced.filter(before).length,
    missing: map.losses.filter(before).reduce((sum, loss) => sum + loss.missing, 0),
    at: upto < map.cursor.seq ? map.atOf(upto) : map.at,
  };
}

/** How many findings were known by event `upto`. @param {DialogueMap} map @param {number} upto */
export function findingsBy(map, upto) {
  if (upto === Infinity) return map.findings.size;
  let known = 0;
  for (const { seq } of map.findings.values()) if (seq <= upto) known++;
  return known;
}
