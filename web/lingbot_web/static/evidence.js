// Which marks and links a finding is about, so that the score can draw it as a shape where it happened.
import { LINK, MARK, badBit } from 'lb/kinds';

/** @typedef {import('lb/types').Finding} Finding */
/** @typedef {import('lb/fold').DialogueMap} DialogueMap */

/**
 * @typedef {object} Evidence
 * @property {Finding} finding
 * @property {number[]} marks the red ones, in order
 * @property {number[]} links the red ones
 * @property {[number, number][]} ties pairs of marks to be tied: drift's winner and rival
 * @property {number[]} turns lanes whose header bears the glyph
 * @property {number} row place of the node whose row label turns red, -1 if none
 */

const BLOCK = 64;

/** Evidence by the turns it spans, in blocks: what touches a window is found without looking at the rest. */
export class Spans {
  constructor() {
    /** @type {Map<number, Set<Evidence>>} */
    this.blocks = new Map();
  }

  /** @param {Evidence} evidence */
  add(evidence) {
    const { since, turn } = evidence.finding;
    for (let block = Math.floor(since / BLOCK); block <= Math.floor(turn / BLOCK); block++) {
      const held = this.blocks.get(block);
      if (held) held.add(evidence);
      else this.blocks.set(block, new Set([evidence]));
    }
  }

  /** @param {Evidence} evidence */
  remove(evidence) {
    const { since, turn } = evidence.finding;
    for (let block = Math.floor(since / BLOCK); block <= Math.floor(turn / BLOCK); block++) this.blocks.get(block)?.delete(evidence);
  }

  /** In order of discovery within a block. @param {number} first @param {number} last turns @returns {Evidence[]} */
  between(first, last) {
    /** @type {Set<Evidence>} */
    const found = new Set();
    for (let block = Math.floor(first / BLOCK); block <= Math.floor(last / BLOCK); block++) {
      for (const evidence of this.blocks.get(block) ?? []) if (evidence.finding.since <= last && evidence.finding.turn >= first) found.add(evidence);
    }
    return [...found];
  }
}

/** @param {DialogueMap} map @param {Finding} finding @returns {Evidence} */
export function evidenceOf(map, finding) {
  const { edges } = map;
  /** @type {Evidence} */
  const found = { finding, marks: [], links: [], ties: [], turns: [finding.turn], row: -1 };
  const places = finding.edges.map((id) => edges.find(id)).filter((e) => e >= 0);
  if (finding.kind === 'loop') loop(map, found, places);
  else if (finding.kind === 'overwrite' || finding.kind === 'leak') state(map, found, places);
  else if (finding.kind === 'drift' || finding.kind === 'stale') knowledge(map, found, places);
  return found;
}

/** Marks the map's marks, links and lanes as part of a finding. @param {DialogueMap} map @param {Evidence} evidence */
export function mark({ marks, lanes }, evidence) {
  const bit = badBit(evidence.finding.kind);
  for (const place of evidence.marks) marks.bad.data[place] |= bit;
  for (const link of evidence.links) marks.linkBad.data[link] |= bit;
  for (const turn of evidence.turns) lanes.flag(turn, lanes.bits(turn) | bit);
}

/** The reverse; what other findings of its kind share with it must be marked again. @param {DialogueMap} map @param {Evidence} evidence */
export function unmark({ marks, lanes }, evidence) {
  const rest = ~badBit(evidence.finding.kind);
  for (const place of evidence.marks) marks.bad.data[place] &= rest;
  for (const link of evidence.links) marks.linkBad.data[link] &= rest;
  for (const turn of evidence.turns) lanes.flag(turn, lanes.bits(turn) & rest);
}

/**
 * A loop's rounds follow one another, so all visits from its first to the one that closed it are part of it. The finding
 * names the last round; the ones before are found by walking back to the turn in which it began.
 * @param {DialogueMap} map @param {Evidence} found @param {number[]} places
 */
function loop(map, found, places) {
  const { marks } = map;
  const { finding } = found;
  const closing = places.map((e) => marks.ofEdge(e)).filter((place) => place >= 0);
  const end = closing.length ? Math.max(...closing) : (marks.ofSeq(finding.seq).find((place) => marks.kind.data[place] === MARK.VISIT) ?? -1);
  if (end < 0) return;
  const start = map.place(`intent:${finding.facts.path?.[0]}`) ?? marks.node.data[end];
  const seen = [];
  for (let i = marks.visits.lastIndexOf(end); i >= 0 && marks.turn.data[marks.visits[i]] >= finding.since; i--) seen.unshift(marks.visits[i]);
  while (seen.length > 2 && marks.node.data[seen[0]] !== start) seen.shift(); // what the turn held before the loop began
  for (const place of seen.slice(1)) {
    for (let l = marks.inHead.data[place]; l >= 0; l = marks.linkIn.data[l]) if (marks.linkKind.data[l] === LINK.MOVE) found.links.push(l);
  }
  found.marks = seen;
  found.row = marks.node.data[end];
}

/** @param {DialogueMap} map @param {Evidence} found @param {number[]} places */
function state(map, found, places) {
  const { marks } = map;
  const wanted = found.finding.kind === 'leak' ? MARK.READ : MARK.WRITE;
  let end = -1;
  for (const e of places) {
    const mark = marks.ofEdge(e);
    if (mark >= 0 && marks.kind.data[mark] === wanted && (end < 0 || marks.seq.data[mark] > marks.seq.data[end])) end = mark;
  }
  if (end < 0) end = marks.ofSeq(found.finding.seq).find((mark) => marks.kind.data[mark] === wanted) ?? -1;
  if (end < 0) return;
  let start = marks.prev.data[end];
  for (let l = marks.inHead.data[end]; l >= 0; l = marks.linkIn.data[l]) {
    if (marks.linkKind.data[l] === (wanted === MARK.READ ? LINK.HOLD : LINK.OVERWRITE)) {
      start = marks.linkFrom.data[l];
      found.links.push(l);
    }
  }
  found.marks = start >= 0 ? [start, end] : [end];
  found.row = marks.node.data[end];
  if (wanted === MARK.READ) {
    const e = marks.edge.data[end];
    for (let l = marks.outHead.data[end]; l >= 0; l = marks.linkOut.data[l]) if (marks.linkEdge.data[l] === e) found.links.push(l);
  }
}

/** @param {DialogueMap} map @param {Evidence} found @param {number[]} places */
function knowledge(map, found, places) {
  const { marks } = map;
  const { finding } = found;
  const winner = docNode(map, finding.kind === 'drift' ? finding.facts.winner : finding.facts.doc);
  const rival = docNode(map, finding.facts.rival);
  const seen = new Set();
  for (const e of places) {
    const mark = marks.ofEdge(e);
    if (mark >= 0 && marks.kind.data[mark] === MARK.DOC) seen.add(mark);
  }
  for (const seq of winner < 0 ? [] : finding.seqs) {
    for (let e = map.edges.ofSeq(seq); e < map.edges.size && map.edges.seq.data[e] === seq; e++) {
      if (map.edges.target.data[e] === winner) seen.add(marks.ofEdge(e));
    }
  }
  const winners = [...seen].filter((mark) => winner < 0 || marks.node.data[mark] === winner);
  if (!winners.length && winner >= 0) {
    const mark = marks.latest(winner, MARK.DOC, finding.seq);
    if (mark >= 0) winners.push(mark);
  }
  winners.sort((a, b) => a - b);
  found.marks = winners;
  found.row = winner;
  if (finding.kind === 'drift') found.turns = [...new Set([...winners.map((mark) => marks.turn.data[mark]), finding.turn])];
  if (rival < 0 || finding.kind !== 'drift') return;
  for (const mark of winners) {
    const rivals = map.rows.byNode[rival]?.marks ?? [];
    for (let i = rivals.length - 1; i >= 0 && marks.turn.data[rivals[i]] >= marks.turn.data[mark]; i--) {
      if (marks.turn.data[rivals[i]] === marks.turn.data[mark] && marks.k.data[rivals[i]] === marks.k.data[mark]) found.ties.push([mark, rivals[i]]);
    }
  }
}

/** Facts name documents by id, with or without the node's prefix. @param {DialogueMap} map @param {unknown} name */
export function docNode(map, name) {
  if (typeof name !== 'string') return -1;
  return map.place(`doc:${name}`) ?? map.place(name) ?? -1;
}
