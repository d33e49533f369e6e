// The turns of a window as rows: what the table on the page, the printed one and the CSV are made from.
// Pure: a map in, plain values out.

import { answersOf, docsOfTurn, labelOf, stepsOfTurn } from 'lb/past';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/types').Edge} Edge */
/** @typedef {import('lb/types').Finding} Finding */
/** @typedef {{id: string, name: string, label: string, seq: number}} Named a node, the bot's own name for it, what it is called on the page, and the event */
/** @typedef {Named & {confidence: unknown}} Visit */
/** @typedef {Named & {what: 'write' | 'cleared' | 'read', value: unknown, bad: boolean}} SlotStep */
/** @typedef {Named & {state: 'used' | 'prompt' | 'cut' | 'candidate', why: string, rank: number | null, score: unknown}} DocLine */
/**
 * @typedef {object} TurnRow
 * @property {number} turn 0: what came before the first utterance
 * @property {number | null} at Unix seconds, on the source's own clock where it told; null where no event is kept
 * @property {string} said
 * @property {Visit[]} intents in order
 * @property {SlotStep[]} slots writes and clearings in order, then each slot that was read, once
 * @property {DocLine[]} docs used, prompt, cut, candidate; by rank within each
 * @property {string[]} answers
 * @property {Finding[]} findings those found in this turn
 */

const STATES = ['used', 'prompt', 'cut', 'candidate'];

/**
 * The turns that a window shows at a moment.
 * @param {DialogueMap} map @param {import('lb/types').Window} window @param {number} upto seq, or Infinity
 * @returns {{first: number, last: number}} `last` is before `first` where there are none
 */
export function turnsIn(map, window, upto) {
  const reached = upto === Infinity ? map.lastTurn : Math.max(map.turnOf(upto), 0);
  return { first: Math.max(map.firstTurn, Math.floor(window.from + 0.01)), last: Math.min(map.lastTurn, reached, Math.ceil(window.to - 0.01) - 1) };
}

/** @param {DialogueMap} map @param {number} first @param {number} last turns, both included @param {number} upto seq, or Infinity @returns {TurnRow[]} */
export function rowsOf(map, first, last, upto) {
  const findings = findingsByTurn(map, upto);
  const rows = [];
  for (let turn = first; turn <= last; turn++) rows.push(rowOf(map, turn, upto, findings.get(turn) ?? []));
  return rows;
}

/**
 * A row without the kinds of things that the reader hides.
 * @param {TurnRow} row @param {ReadonlySet<import('lb/filters').Kind>} hidden @returns {TurnRow}
 */
export function sifted(row, hidden) {
  if (!hidden.size) return row;
  return {
    ...row,
    said: hidden.has('utterance') ? '' : row.said,
    intents: hidden.has('intent') ? [] : row.intents,
    slots: row.slots.filter(({ what }) => !hidden.has(what === 'read' ? 'read' : 'write')),
    docs: hidden.has('doc') ? [] : row.docs,
    answers: hidden.has('answer') ? [] : row.answers,
  };
}

/** The findings known by event `upto`, in order, by the turn that they were found in. @param {DialogueMap} map @param {number} upto */
export function findingsByTurn(map, upto) {
  /** @type {Map<number, Finding[]>} */
  const turns = new Map();
  for (const finding of map.findings.values()) {
    if (finding.seq > upto) continue;
    const held = turns.get(finding.turn);
    if (held) held.push(finding);
    else turns.set(finding.turn, [finding]);
  }
  for (const held of turns.values()) held.sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1));
  return turns;
}

/** @param {DialogueMap} map @param {number} turn @param {number} upto @param {Finding[]} findings @returns {TurnRow} */
function rowOf(map, turn, upto, findings) {
  const place = map.turn(turn);
  const steps = stepsOfTurn(map, turn, upto);
  const blamed = new Set(findings.flatMap(({ seqs }) => seqs));
  const first = map.lanes.of.get(turn)?.first ?? 0;
  const at = place ? (place.said_at ?? place.at) : first ? map.atOf(first) : NaN;
  return {
    turn,
    at: Number.isFinite(at) ? at : null,
    said: map.node(`utterance:${turn}`)?.label ?? '',
    intents: steps.filter(({ kind, source }) => kind === 'jump' && source.startsWith('utterance:')).map((edge) => ({ ...named(map, edge.target, edge.seq), confidence: edge.props.confidence })),
    slots: slotsOf(map, steps, blamed),
    docs: docsOf(map, turn, upto),
    answers: answersOf(map, turn, upto).map(({ label }) => label),
    findings,
  };
}

/** @param {DialogueMap} map @param {string} id @param {number} seq @returns {Named} */
function named(map, id, seq) {
  return { id, name: id.slice(id.indexOf(':') + 1), label: labelOf(map, id), seq };
}

/** @param {DialogueMap} map @param {Edge[]} steps @param {Set<number>} blamed @returns {SlotStep[]} */
function slotsOf(map, steps, blamed) {
  /** @type {SlotStep[]} */
  const writes = [];
  /** @type {Map<string, SlotStep>} */
  const reads = new Map();
  for (const { kind, source, target, seq, props } of steps) {
    const bad = blamed.has(seq);
    if (kind === 'assign') writes.push({ ...named(map, target, seq), what: props.change === 'cleared' ? 'cleared' : 'write', value: props.value, bad });
    else if (kind === 'read' && (!reads.has(source) || bad)) reads.set(source, { ...named(map, source, seq), what: 'read', value: props.value, bad });
  }
  return [...writes, ...reads.values()];
}

/** @param {DialogueMap} map @param {number} turn @param {number} upto @returns {DocLine[]} */
function docsOf(map, turn, upto) {
  const { used, prompt, cut } = docsOfTurn(map, turn, upto);
  /** @param {(typeof cut)[number] | (typeof used)[number]} entry @param {DocLine['state']} state @returns {DocLine} */
  const line = ({ doc, last, why }, state) => ({ ...named(map, doc, last?.seq ?? 0), state, why: state === 'cut' ? why : '', rank: last?.props.rank || null, score: last?.props.score });
  const lines = [...used.map((entry) => line(entry, 'used')), ...prompt.map((entry) => line(entry, 'prompt')), ...cut.map((entry) => line(entry, entry.why ? 'cut' : 'candidate'))];
  return lines.sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || (a.rank ?? Infinity) - (b.rank ?? Infinity) || (a.id < b.id ? -1 : 1));
}
