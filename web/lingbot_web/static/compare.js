// What two maps differ in: turns matched by what was said, then the flow, slots, recalls and findings of each. It says the
// same as the map's own `compare`. Pure: maps in, plain values out.

import { align } from 'lb/align';
import { EDGE_KINDS } from 'lb/kinds';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {'turn' | 'jump' | 'slot' | 'recall' | 'answer' | 'finding'} Kind */
/**
 * @typedef {object} Facts what happened in a turn, without what was undone later
 * @property {number} number
 * @property {string} said
 * @property {string[]} flow intents
 * @property {Map<string, {value: unknown} | null>} slots what was written last; null: cleared
 * @property {Map<string, string[]>} recalled documents by stage
 * @property {string[]} used documents of the answers
 * @property {string[]} findings codes, sorted
 */
/**
 * @typedef {object} Difference of one pair of turns
 * @property {Kind} kind
 * @property {number} row the pair's place
 * @property {number | null} a turn on the one side; null: it lacks it
 * @property {number | null} b
 * @property {string} name of the slot, the stage or the code; "" for the others
 * @property {number} rank of the first document that differs; 0 for the others
 * @property {unknown[]} was what the one side has: intents, documents, a value, a count; none: nothing
 * @property {unknown[]} is
 */
/** @typedef {{rows: [number | null, number | null][], differences: Difference[]}} Comparison */

const STAGES = ['vector', 'keyword', 'fused', 'reranked', 'prompt'];
const CLEARED = Symbol('cleared');
const [JUMP, ASSIGN, RECALL, MERGE] = /** @type {const} */ (['jump', 'assign', 'recall', 'merge']).map((kind) => EDGE_KINDS.indexOf(kind));

/** @param {DialogueMap} map @returns {Facts[]} in order */
export function factsOf(map) {
  /** @type {Map<number, Facts>} */
  const found = new Map();
  for (const { number } of map.turns) {
    const said = map.node(`utterance:${number}`)?.props.text;
    found.set(number, { number, said: typeof said === 'string' ? said : '', flow: [], slots: new Map(), recalled: new Map(), used: [], findings: [] });
  }
  const { edges, ids } = map;
  for (let e = 0; e < edges.size; e++) {
    const facts = found.get(edges.turn.data[e]);
    if (!facts || map.isUndone(edges.seq.data[e])) continue;
    const kind = edges.kind.data[e];
    const to = ids[edges.target.data[e]];
    const props = edges.props[e];
    if (kind === JUMP && edges.ids[e].startsWith('jump:')) facts.flow.push(to.slice(7));
    else if (kind === ASSIGN) {
      const name = to.slice(5);
      facts.slots.delete(name);
      facts.slots.set(name, props.change === 'cleared' ? null : { value: props.value });
    } else if (kind === RECALL) facts.recalled.set(props.stage, [...(facts.recalled.get(props.stage) ?? []), to.slice(4)]);
    else if (kind === MERGE) facts.used.push(ids[edges.source.data[e]].slice(4));
  }
  for (const finding of map.findings.values()) found.get(finding.turn)?.findings.push(finding.code);
  for (const facts of found.values()) facts.findings.sort();
  return [...found.values()].sort((a, b) => a.number - b.number);
}

/** @param {Facts[]} a @param {Facts[]} b @returns {Comparison} */
export function compare(a, b) {
  /** @type {Comparison} */
  const found = { rows: [], differences: [] };
  let [i, j] = [0, 0];
  for (const [k, m] of [...align(a.map(({ said }) => said), b.map(({ said }) => said)), [a.length, b.length]]) {
    for (const ours of a.slice(i, k)) lacking(found, ours, null);
    for (const theirs of b.slice(j, m)) lacking(found, null, theirs);
    if (k < a.length) {
      inTurn(found.differences, a[k], b[m], found.rows.length);
      found.rows.push([a[k].number, b[m].number]);
    }
    [i, j] = [k + 1, m + 1];
  }
  return found;
}

/** @param {Comparison} found @param {Facts | null} ours @param {Facts | null} theirs */
function lacking({ rows, differences }, ours, theirs) {
  const [a, b] = [ours?.number ?? null, theirs?.number ?? null];
  differences.push({ kind: 'turn', row: rows.length, a, b, name: '', rank: 0, was: ours ? [ours.said] : [], is: theirs ? [theirs.said] : [] });
  rows.push([a, b]);
}

/** @param {Difference[]} out @param {Facts} a @param {Facts} b @param {number} row */
function inTurn(out, a, b, row) {
  /** @param {Kind} kind @param {string} name @param {unknown[]} was @param {unknown[]} is @param {number} [rank] */
  const differ = (kind, name, was, is, rank = 0) => out.push({ kind, row, a: a.number, b: b.number, name, rank, was, is });
  if (!equal(a.flow, b.flow)) differ('jump', '', a.flow, b.flow);
  for (const name of new Set([...a.slots.keys(), ...b.slots.keys()])) {
    const [was, is] = [held(a, name), held(b, name)];
    if (!equal(was, is)) differ('slot', name, was, is);
  }
  for (const stage of [...new Set([...a.recalled.keys(), ...b.recalled.keys()])].sort(byStage)) {
    const [ours, theirs] = [a.recalled.get(stage) ?? [], b.recalled.get(stage) ?? []];
    if (equal(ours, theirs)) continue;
    let rank = 0;
    while (rank < Math.min(ours.length, theirs.length) && ours[rank] === theirs[rank]) rank++;
    differ('recall', stage, ours.slice(rank, rank + 1), theirs.slice(rank, rank + 1), rank + 1);
  }
  if (!equal(a.used, b.used)) differ('answer', '', a.used, b.used);
  for (const code of [...new Set([...a.findings, ...b.findings])].sort()) {
    const [was, is] = [a, b].map(({ findings }) => findings.filter((each) => each === code).length);
    if (was !== is) differ('finding', code, was ? [was] : [], is ? [is] : []);
  }
}

/** What a turn did to a slot: a value, CLEARED, or nothing. @param {Facts} facts @param {string} name @returns {unknown[]} */
function held({ slots }, name) {
  const write = slots.get(name);
  return write === undefined ? [] : [write === null ? CLEARED : write.value];
}

/** @param {unknown} value */
export function isCleared(value) {
  return value === CLEARED;
}

/** @param {string} a @param {string} b */
function byStage(a, b) {
  const place = (/** @type {string} */ stage) => (STAGES.includes(stage) ? STAGES.indexOf(stage) : STAGES.length);
  return place(a) - place(b) || (a < b ? -1 : 1);
}

/** @param {unknown} a @param {unknown} b @returns {boolean} */
function equal(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value, i) => equal(value, b[i]));
  if (a && b && typeof a === 'object' && typeof b === 'object' && !Array.isArray(a) && !Array.isArray(b)) {
    const [x, y] = /** @type {Record<string, unknown>[]} */ ([a, b]);
    const keys = Object.keys(x);
    return keys.length === Object.keys(y).length && keys.every((key) => Object.hasOwn(y, key) && equal(x[key], y[key]));
  }
  return a === b;
}
