// What lies under a point. Only marks of the lanes at the point are looked at.
import { LINK, MARK } from 'lb/kinds';
import { DENSE, GUTTER, HEADER } from 'lb/layout';
import { moveEnds } from 'lb/paint_flow';
import { selectionOf } from 'lb/picking';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/scene').Box} Box */
/** @typedef {import('lb/types').Selection} Selection */

/** Every mark's area is grown by so much on each side. */
const GROWN = 3;
/** ... and where nothing else is hit, to a square of so many pixels: the least target of WCAG 2.2, 2.5.8. */
const TARGET = 24;
const LINE_REACH = 5;
const CURVE_STEPS = 12;

/** @param {Scene} scene @param {number} x @param {number} y @returns {{sel: Selection, box: Box} | null} */
export function hitTest(scene, x, y) {
  const { layout, map } = scene;
  for (const tag of scene.tags) {
    const finding = map.findings.get(tag.id);
    if (finding && inside(tag, x, y, 0, 0)) return { sel: { kind: 'finding', id: tag.id, turn: finding.turn, seq: finding.seq }, box: tag };
  }
  if (x < GUTTER) return hitRow(scene, y);
  const turn = Math.floor(layout.turnAt(x));
  if (y < HEADER - 4) {
    if (turn < map.firstTurn || turn > map.lastTurn) return null;
    return { sel: { kind: 'turn', id: String(turn), turn, seq: map.lanes.of.get(turn)?.last ?? 0 }, box: { x: layout.x(turn), y: 0, w: scene.lane, h: HEADER } };
  }
  if (scene.lane < DENSE) return null;
  const mark = hitMark(scene, turn, x, y, 0);
  if (mark >= 0) return hitOf(scene, mark);
  const move = hitMove(scene, turn, x, y);
  if (move) return move;
  const beside = hitMark(scene, turn, x, y, TARGET);
  return beside < 0 ? null : hitOf(scene, beside);
}

/** @param {Scene} scene @param {number} mark */
function hitOf(scene, mark) {
  return { sel: selectionOf(scene.map, mark), box: /** @type {Box} */ (scene.box(mark)) };
}

/** @param {Scene} scene @param {number} turn @param {number} x @param {number} y @param {number} least width and height of a mark's area @returns {number} */
function hitMark(scene, turn, x, y, least) {
  const { marks, lanes } = scene.map;
  let best = -1;
  let nearest = Infinity;
  for (let lane = turn - 1; lane <= turn + 1; lane++) {
    for (const mark of lanes.of.get(lane)?.marks ?? []) {
      if (marks.seq.data[mark] > scene.seq || scene.hides(mark)) continue;
      const at = scene.y(mark);
      if (Number.isNaN(at) || Math.abs(at - y) > 16) continue;
      if (best >= 0 && marks.kind.data[mark] === MARK.ANSWER && marks.kind.data[best] === MARK.ANSWER && marks.turn.data[best] === lane) continue; // the first of those that share a mark
      const box = scene.box(mark);
      if (!box || !inside(box, x, y, Math.max(GROWN, (least - box.w) / 2), Math.max(GROWN, (least - box.h) / 2))) continue;
      const away = Math.hypot(box.x + box.w / 2 - x, at - y);
      if (away <= nearest) {
        nearest = away;
        best = mark;
      }
    }
  }
  return best;
}

/** Moves between intents can be picked too: they carry the condition that let them through. @param {Scene} scene @param {number} turn @param {number} x @param {number} y */
function hitMove(scene, turn, x, y) {
  const { map } = scene;
  const { marks, lanes } = map;
  if (!scene.flow || y < scene.flow.rows || y > scene.flow.bottom) return null;
  for (let lane = turn; lane <= turn + 1; lane++) {
    for (const mark of lanes.of.get(lane)?.marks ?? []) {
      if (marks.kind.data[mark] !== MARK.VISIT || marks.seq.data[mark] > scene.seq || scene.hides(mark)) continue;
      for (let l = marks.inHead.data[mark]; l >= 0; l = marks.linkIn.data[l]) {
        if (marks.linkKind.data[l] !== LINK.MOVE) continue;
        const ends = moveEnds(scene, marks.linkFrom.data[l], mark);
        if (!ends || !near(ends, x, y)) continue;
        const e = marks.linkEdge.data[l];
        const box = { x: Math.min(ends.x0, ends.x1), y: Math.min(ends.y0, ends.y1), w: Math.abs(ends.x1 - ends.x0), h: Math.abs(ends.y1 - ends.y0) };
        return { sel: { kind: /** @type {const} */ ('edge'), id: map.edges.ids[e], turn: marks.turn.data[mark], seq: map.edges.seq.data[e] }, box };
      }
    }
  }
  return null;
}

/** Whether (x, y) is near the curve that a move is drawn as. @param {{x0: number, y0: number, x1: number, y1: number, bow: number}} ends @param {number} x @param {number} y */
function near({ x0, y0, x1, y1, bow }, x, y) {
  const a = bow ? x0 + bow : (x0 + x1) / 2;
  const b = bow ? x1 + bow : (x0 + x1) / 2;
  let px = x0;
  let py = y0;
  for (let i = 1; i <= CURVE_STEPS; i++) {
    const t = i / CURVE_STEPS;
    const u = 1 - t;
    const qx = u * u * u * x0 + 3 * u * u * t * a + 3 * u * t * t * b + t * t * t * x1;
    const qy = u * u * u * y0 + 3 * u * u * t * y0 + 3 * u * t * t * y1 + t * t * t * y1;
    if (toSegment(x, y, px, py, qx, qy) <= LINE_REACH) return true;
    px = qx;
    py = qy;
  }
  return false;
}

/** @param {number} x @param {number} y @param {number} ax @param {number} ay @param {number} bx @param {number} by */
function toSegment(x, y, ax, ay, bx, by) {
  const dx = bx - ax;
  const dy = by - ay;
  const t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(ax + t * dx - x, ay + t * dy - y);
}

/** @param {Scene} scene @param {number} y @returns {{sel: Selection, box: Box} | null} */
function hitRow(scene, y) {
  const found = scene.layout.rowAt(y);
  const row = found && scene.map.rows.of[found.stave.layer][found.row];
  if (!found || !row) return null;
  const h = scene.layout.staves.rowHeight;
  return {
    sel: { kind: 'node', id: scene.map.ids[row.node], turn: scene.map.list[row.node].turn, seq: 0 },
    box: { x: 0, y: scene.layout.y(found.stave, found.row) - h / 2, w: GUTTER, h },
  };
}

/** @param {Box} box @param {number} x @param {number} y @param {number} wide so much wider on either side @param {number} high */
function inside(box, x, y, wide, high) {
  return x >= box.x - wide && x <= box.x + box.w + wide && y >= box.y - high && y <= box.y + box.h + high;
}
