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

/** @param {DialogueMap} map @param {Finding} finding @returns {Evidence} */
export function evidenceOf(map, finding) {
  const { marks, edges } = map;
  /** @type {Evidence} */
  const found = { finding, marks: [], links: [], ties: [], turns: [finding.turn], row: -1 };
  const places = finding.edges.map((id) => edges.find(id)).filter((e) => e >= 0);
  if (finding.kind === 'loop') loop(map, found, places);
  else if (finding.kind === 'overwrite' || finding.kind === 'leak') state(map, found, places);
  else if (finding.kind === 'drift' || finding.kind === 'stale') knowledge(map, found, places);
  const bit = badBit(finding.kind);
  for (const mark of found.marks) marks.bad.data[mark] |= bit;
  for (const link of found.links) marks.linkBad.data[link] |= bit;
  return found;
}

/** @param {DialogueMap} map @param {Evidence} found @param {number[]} places */
function loop(map, found, places) {
  const { marks } = map;
  const seen = new Set();
  for (const e of places) {
    const to = marks.ofEdge(e);
    if (to < 0 || marks.kind.data[to] !== MARK.VISIT) continue;
    seen.add(to);
    const link = marks.linkOf(e);
    if (link >= 0 && marks.linkKind.data[link] === LINK.MOVE) {
      found.links.push(link);
      seen.add(marks.linkFrom.data[link]);
    }
  }
  if (!found.links.length) {
    for (const seq of found.finding.seqs) for (const mark of marks.ofSeq(seq)) if (marks.kind.data[mark] === MARK.VISIT) seen.add(mark);
    for (const mark of seen) {
      for (let l = marks.inHead.data[mark]; l >= 0; l = marks.linkIn.data[l]) {
        if (marks.linkKind.data[l] === LINK.MOVE && seen.has(marks.linkFrom.data[l])) found.links.push(l);
      }
    }
  }
  found.marks = [...seen].sort((a, b) => a - b);
  const last = found.marks[found.marks.length - 1];
  if (last !== undefined) found.row = marks.node.data[last];
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
