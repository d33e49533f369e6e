// From a selection to the marks it stands for and back, and from one mark to its neighbours.
import { FINDING_KINDS, MARK } from 'lb/kinds';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/types').Selection} Selection */

/** @param {DialogueMap} map @param {number} mark @returns {Selection} */
export function selectionOf(map, mark) {
  const { node, turn, seq } = map.marks;
  return { kind: 'node', id: map.ids[node.data[mark]], turn: turn.data[mark], seq: seq.data[mark] };
}

/** The one mark that a selection names, -1 if it names none or many. @param {DialogueMap} map @param {Selection | null} sel */
export function markOf(map, sel) {
  if (!sel) return -1;
  const { marks } = map;
  if (sel.kind === 'edge') {
    const e = map.edges.find(sel.id);
    return e < 0 ? -1 : marks.ofEdge(e);
  }
  const place = sel.kind === 'node' ? map.place(sel.id) : undefined;
  if (place === undefined || !sel.seq) return -1;
  const question = marks.ofSeq(sel.seq).find((mark) => marks.node.data[mark] === place);
  if (question !== undefined) return question;
  // A later stage of a retrieval, or what came of an event in another way.
  for (let e = map.edges.ofSeq(sel.seq); e < map.edges.size && map.edges.seq.data[e] === sel.seq; e++) {
    const mark = marks.ofEdge(e);
    if (mark >= 0 && marks.node.data[mark] === place) return mark;
  }
  const row = map.rows.byNode[place];
  if (!row) return marks.single.get(place) ?? -1;
  for (let i = row.marks.length - 1; i >= 0; i--) if (marks.turn.data[row.marks[i]] === sel.turn && marks.seq.data[row.marks[i]] <= sel.seq) return row.marks[i];
  return -1;
}

/** All marks that a selection stands for. @param {DialogueMap} map @param {Selection | null} sel @returns {number[]} */
export function marksOf(map, sel) {
  if (!sel) return [];
  if (sel.kind === 'finding') return map.evidence.get(sel.id)?.marks ?? [];
  if (sel.kind === 'turn') return map.lanes.of.get(sel.turn)?.marks ?? [];
  const mark = markOf(map, sel);
  if (sel.kind === 'edge') {
    const e = map.edges.find(sel.id);
    const link = e < 0 ? -1 : map.marks.linkOf(e);
    return link < 0 ? (mark < 0 ? [] : [mark]) : [map.marks.linkFrom.data[link], map.marks.linkTo.data[link]];
  }
  if (mark >= 0) return [mark];
  const place = map.place(sel.id);
  if (place === undefined) return [];
  const row = map.rows.byNode[place];
  const single = map.marks.single.get(place);
  return row ? row.marks : single === undefined ? [] : [single];
}

/** The mark before (-1) or after (+1) on the row; for what has no row, the same kind of mark in the lanes beside. @param {DialogueMap} map @param {number} mark @param {number} step */
export function alongRow(map, mark, step) {
  const { marks } = map;
  const kind = marks.kind.data[mark];
  const row = kind === MARK.QUESTION ? null : map.rows.byNode[marks.node.data[mark]];
  if (row) return row.marks[row.marks.indexOf(mark) + step] ?? -1;
  for (let other = mark + step; other >= 0 && other < marks.size; other += step) if (marks.kind.data[other] === kind) return other;
  return -1;
}

/** The next mark below (+1) or above (-1) in the lane. @param {Scene} scene @param {number} mark @param {number} step */
export function alongLane(scene, mark, step) {
  const { marks, lanes } = scene.map;
  const y = scene.y(mark);
  let best = -1;
  let nearest = Infinity;
  for (const other of lanes.of.get(marks.turn.data[mark])?.marks ?? []) {
    const away = (scene.y(other) - y) * step;
    if (away > 0.5 && away < nearest) {
      nearest = away;
      best = other;
    }
  }
  return best;
}

/** The far end of a mark's first link downstream (+1), or of its newest upstream (-1). @param {DialogueMap} map @param {number} mark @param {number} step */
export function alongLink(map, mark, step) {
  const { marks } = map;
  if (step < 0) {
    const link = marks.inHead.data[mark];
    return link < 0 ? -1 : marks.linkFrom.data[link];
  }
  let first = -1;
  for (let l = marks.outHead.data[mark]; l >= 0; l = marks.linkOut.data[l]) first = l;
  return first < 0 ? -1 : marks.linkTo.data[first];
}

/** From which turn to which a selection reaches. @param {DialogueMap} map @param {Selection} sel @returns {[number, number] | null} */
export function turnsOf(map, sel) {
  if (sel.kind === 'finding') {
    const finding = map.findings.get(sel.id);
    return finding ? [finding.since, finding.turn] : null;
  }
  if (sel.kind === 'edge') {
    const marks = marksOf(map, sel).map((mark) => map.marks.turn.data[mark]);
    return marks.length ? [Math.min(...marks), Math.max(...marks)] : null;
  }
  return sel.seq || sel.kind === 'turn' ? [sel.turn, sel.turn] : null;
}

/** Where a selection stands, in CSS pixels of the map; null where it is not shown. @param {Scene} scene @param {Selection} sel */
export function boxOf(scene, sel) {
  const mark = markOf(scene.map, sel);
  if (mark >= 0) return scene.box(mark);
  const tag = scene.tags.find(({ id }) => id === sel.id);
  return tag ? { x: tag.x, y: tag.y, w: tag.w, h: tag.h } : null;
}

/**
 * The next or previous finding in order of turns, of those known by the moment shown: from the picked one, or else from
 * the turn `middle`; beyond the last comes the first. @param {Scene} scene @param {Selection | null} sel
 * @param {number} middle @param {1 | -1} step @returns {import('lb/types').Finding | null}
 */
export function findingBeside(scene, sel, middle, step) {
  const found = [...scene.map.findings.values()].filter((finding) => scene.shows(finding));
  if (!found.length) return null;
  found.sort((a, b) => a.turn - b.turn || a.seq - b.seq || FINDING_KINDS.indexOf(a.kind) - FINDING_KINDS.indexOf(b.kind));
  const now = sel?.kind === 'finding' ? found.findIndex(({ id }) => id === sel.id) : -1;
  let next = now + step;
  if (now < 0) {
    next = found.findIndex(({ turn }) => turn >= middle);
    if (step < 0) next = (next < 0 ? found.length : next) - 1;
    else if (next < 0) next = 0;
  }
  return found[(next + found.length) % found.length];
}
