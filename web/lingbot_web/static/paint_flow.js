// The flow stave: a pill for each visit of an intent, a curve for each move to the next.
import { FLAG, LINK, MARK, badBit } from 'lb/kinds';
import { LEVEL } from 'lb/ink';
import { plain } from 'lb/lettering';
import { FONT, S } from 'lb/styles';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/ink').Ink} Ink */

const LOOP = badBit('loop');
const TICK = 6;
const TICK_STEP = 8.5;

/** @param {Scene} scene @param {Ink} ink */
export function paintFlow(scene, ink) {
  if (!scene.flow) return;
  paintMoves(scene, ink);
  const { marks, lanes } = scene.map;
  for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
    const lane = lanes.of.get(turn);
    if (!lane) continue;
    let pending = -1;
    let rounds = 0;
    for (const mark of lane.marks) {
      if (marks.kind.data[mark] !== MARK.VISIT || scene.hides(mark)) continue;
      if (pending >= 0 && marks.flags.data[mark] & FLAG.SELF) {
        if (marks.seq.data[mark] > scene.seq) continue;
        rounds++;
      } else {
        if (pending >= 0) paintVisit(scene, ink, pending, rounds);
        rounds = 0;
      }
      pending = mark;
    }
    if (pending >= 0) paintVisit(scene, ink, pending, rounds);
  }
}

/** The first visit of the walk at or after `turn`. @param {Scene} scene @param {number} turn */
function visitFrom(scene, turn) {
  const { visits, turn: turns } = scene.map.marks;
  let low = 0;
  let high = visits.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (turns.data[visits[middle]] < turn) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Moves whose either end is in the window, and the one that passes over it. @param {Scene} scene @param {Ink} ink */
function paintMoves(scene, ink) {
  const { marks } = scene.map;
  const { visits } = marks;
  const last = Math.min(visits.length - 1, visitFrom(scene, scene.lastTurn + 1));
  for (let i = visitFrom(scene, scene.firstTurn); i <= last; i++) {
    const mark = visits[i];
    for (let l = marks.inHead.data[mark]; l >= 0; l = marks.linkIn.data[l]) if (marks.linkKind.data[l] === LINK.MOVE) paintMove(scene, ink, l);
  }
}

/** @param {Scene} scene @param {Ink} ink @param {number} link */
function paintMove(scene, ink, link) {
  const { marks, edges } = scene.map;
  const from = marks.linkFrom.data[link];
  const to = marks.linkTo.data[link];
  const place = moveEnds(scene, from, to);
  if (!place) return;
  const { x0, y0, x1, y1 } = place;
  const level = scene.linkLevel(from, to);
  const bad = Boolean(scene.badLink(link) & LOOP) && level !== LEVEL.GHOST;
  const props = edges.props[marks.linkEdge.data[link]];
  const low = typeof props.confidence === 'number' && props.confidence < scene.low;
  // An intent that simply goes on closes a loop of one; that is no news.
  const closes = props.closes && marks.node.data[from] !== marks.node.data[to];
  const style = bad ? S.moveBad : closes ? S.moveCloses : low ? S.moveLow : S.move;
  if (place.bow) {
    ink.curve(style, level, x0, y0, x0 + place.bow, y0, x1 + place.bow, y1, x1, y1);
    if (bad) ink.arrow(S.moveHead, level, x1 - 1, y1, -1, 0);
    return;
  }
  const end = x1 - (bad ? 6 : 0);
  if (Math.abs(y0 - y1) < 1) ink.line(style, level, x0, y0, end, y1);
  else {
    const middle = (x0 + end) / 2;
    ink.curve(style, level, x0, y0, Math.max(middle, x0 + 6), y0, Math.min(middle, end - 6), y1, end, y1);
  }
  if (bad) ink.arrow(S.moveHead, level, x1, y1, 1, 0);
}

/**
 * Where a move runs; `bow` is how far it swings out where both ends stand in one lane. Null where it is not drawn.
 * @param {Scene} scene @param {number} from @param {number} to
 */
export function moveEnds(scene, from, to) {
  const { marks, rows } = scene.map;
  const stave = scene.flow;
  if (!stave || marks.flags.data[to] & FLAG.SELF) return null;
  const row0 = rows.number[marks.node.data[from]];
  const row1 = rows.number[marks.node.data[to]];
  if (Math.max(row0, row1) < stave.scroll || Math.min(row0, row1) >= stave.scroll + stave.room) return null;
  const y0 = scene.layout.edgeY(stave, row0);
  const y1 = scene.layout.edgeY(stave, row1);
  // To a row that is scrolled away a curve runs on as far as the middle of the pill that is not drawn.
  const half = (/** @type {number} */ row) => (Number.isNaN(scene.layout.y(stave, row)) ? 0 : scene.pill / 2);
  const x0 = scene.x(from) + half(row0);
  const x1 = scene.x(to) - half(row1);
  if (x1 - x0 >= 2) return { x0, y0, x1, y1, bow: 0 };
  if (marks.turn.data[from] !== marks.turn.data[to]) return { x0: scene.x(from), y0, x1: scene.x(to), y1, bow: 0 };
  return { x0, y0, x1: x1 + scene.pill, y1, bow: Math.max(6, Math.min(26, scene.lane * 0.2)) };
}

/** @param {Scene} scene @param {Ink} ink @param {number} mark @param {number} rounds how often the intent came back in the same cell */
function paintVisit(scene, ink, mark, rounds) {
  const { marks, edges } = scene.map;
  const y = scene.y(mark);
  const x = scene.x(mark);
  const level = scene.level(mark);
  paintRoute(scene, ink, mark, x, level);
  if (Number.isNaN(y)) return;
  const ghost = level === LEVEL.GHOST;
  const bad = Boolean(scene.badMark(mark) & LOOP) && !ghost;
  const e = marks.edge.data[mark];
  const props = edges.props[e];
  const low = typeof props.confidence === 'number' && props.confidence < scene.low;
  const w = scene.pill;
  const h = scene.pillHeight;
  if (!ghost) ink.box(S.plate, LEVEL.FULL, x - w / 2, y - h / 2, w, h, h / 2);
  ink.box(bad ? (low ? S.pillBadLow : S.pillBad) : low ? S.pillLow : S.pill, level, x - w / 2, y - h / 2, w, h, h / 2);
  if (rounds) {
    const r = Math.min(9, w * 0.4);
    const arc = bad ? S.selfArcBad : S.selfArc;
    ink.curve(arc, level, x - r, y - h / 2, x - r, y - h / 2 - 11, x + r, y - h / 2 - 11, x + r, y - h / 2 - 1);
    if (scene.readable) ink.text(bad ? S.selfTextBad : S.selfText, level, `×${rounds + 1}`, x + r + 11, y - h / 2 - 5);
  }
  if (marks.flags.data[mark] & FLAG.UNDONE) ink.line(S.strike, level, x - w / 2 - 3, y, x + w / 2 + 3, y);
  if (!scene.readable || ghost) return;
  const sure = typeof props.confidence === 'number' ? String(Math.round(props.confidence * 100)) : '';
  if (scene.wide) {
    const room = w - 20 - (sure ? 20 : 0);
    const name = scene.lettering.fit(plain(scene.map.list[marks.node.data[mark]].label), FONT.name, room);
    ink.text(bad ? S.pillNameBad : S.pillName, level, name, x - w / 2 + 10, y + 0.5);
    if (sure) ink.text(bad ? S.pillTextBad : S.pillText, level, sure, x + w / 2 - 16, y + 0.5);
  } else if (sure) ink.text(bad ? S.pillTextBad : S.pillText, level, sure, x, y + 0.5);
  paintTicks(scene, ink, props, level, x, y + h / 2 + 3.5, bad);
}

/** The required slots, at the pill's foot. @param {Scene} scene @param {Ink} ink @param {import('lb/types').Props} props @param {number} level @param {number} x @param {number} y @param {boolean} bad */
function paintTicks(scene, ink, props, level, x, y, bad) {
  /** @type {string[]} */
  const required = props.required ?? [];
  const missing = props.missing ?? [];
  const count = Math.min(required.length, Math.max(1, Math.floor((scene.lane - 8) / TICK_STEP)));
  let left = x - (count * TICK_STEP - (TICK_STEP - TICK)) / 2;
  for (let i = 0; i < count; i++, left += TICK_STEP) {
    const gone = missing.includes(required[i]);
    ink.box(gone ? (bad ? S.tickMissingBad : S.tickMissing) : S.tick, level, left + 0.5, y, TICK - 1, 2, 0);
  }
}

/** From the utterance in the header down to its intent. @param {Scene} scene @param {Ink} ink @param {number} mark @param {number} x @param {number} level */
function paintRoute(scene, ink, mark, x, level) {
  const { marks, rows } = scene.map;
  if (!scene.flow) return;
  for (let l = marks.inHead.data[mark]; l >= 0; l = marks.linkIn.data[l]) {
    if (marks.linkKind.data[l] !== LINK.ROUTE) continue;
    const from = marks.linkFrom.data[l];
    const top = scene.y(from);
    if (marks.k.data[mark] > 0 && !(marks.flags.data[mark] & FLAG.SELF)) return; // it came back in the same cell: the move tells
    const foot = scene.layout.endY(scene.flow, rows.number[marks.node.data[mark]], scene.pillHeight, -1);
    ink.line(S.route, Math.max(level, scene.level(from)), x, top + 3, x, foot);
    return;
  }
}
