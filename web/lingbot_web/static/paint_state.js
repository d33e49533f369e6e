// The state stave: boxes for writes, dots for reads, and between them the line of a value's life.
import { FLAG, LINK, MARK, badBit } from 'lb/kinds';
import { LEVEL, LEVELS } from 'lb/ink';
import { livesOf } from 'lb/lives';
import { S } from 'lb/styles';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/ink').Ink} Ink */

const OVERWRITE = badBit('overwrite');
const LEAK = badBit('leak');
const ALIVE = 0.42;

/** @param {Scene} scene @param {Ink} ink @param {CanvasRenderingContext2D} ctx lives that fade are drawn at once, beneath all the rest */
export function paintState(scene, ink, ctx) {
  const stave = scene.state;
  if (!stave) return;
  const rows = scene.map.rows.of.state;
  const end = Math.min(rows.length, stave.scroll + stave.room);
  for (let i = stave.scroll; i < end; i++) paintLives(scene, ink, ctx, rows[i], scene.layout.y(stave, i));
  const { marks, lanes } = scene.map;
  for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
    for (const mark of lanes.of.get(turn)?.marks ?? []) {
      const kind = marks.kind.data[mark];
      if ((kind !== MARK.WRITE && kind !== MARK.READ) || scene.hides(mark)) continue;
      if (kind === MARK.WRITE) paintWrite(scene, ink, mark);
      else paintRead(scene, ink, mark);
    }
  }
}

/** The lives of a slot's values that touch the window. @param {Scene} scene @param {Ink} ink @param {CanvasRenderingContext2D} ctx @param {import('lb/rows').Row} row @param {number} y */
function paintLives(scene, ink, ctx, row, y) {
  const { marks } = scene.map;
  const { writes } = row;
  if (scene.map.undone.length) {
    paintUndone(scene, ink, ctx, row, y);
    return;
  }
  let low = 0;
  let high = writes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (marks.turn.data[writes[middle]] < scene.firstTurn) low = middle + 1;
    else high = middle;
  }
  for (let i = Math.max(0, low - 1); i < writes.length && marks.turn.data[writes[i]] <= scene.lastTurn; i++) {
    const write = writes[i];
    if (marks.seq.data[write] > scene.seq) return;
    if (marks.flags.data[write] & (FLAG.EMPTY | FLAG.CLEARED)) continue;
    const next = i + 1 < writes.length && marks.seq.data[writes[i + 1]] <= scene.seq ? writes[i + 1] : -1;
    if (next >= 0) paintLife(scene, ink, write, next, scene.x(write), y);
    else paintNow(scene, ink, ctx, row, write, scene.x(write), marks.seq.data[write], y);
  }
}

/** The lives of a slot in a dialogue of which parts were undone. @param {Scene} scene @param {Ink} ink @param {CanvasRenderingContext2D} ctx @param {import('lb/rows').Row} row @param {number} y */
function paintUndone(scene, ink, ctx, row, y) {
  const { marks, lanes, undone } = scene.map;
  const first = lanes.of.get(scene.firstTurn)?.first ?? 0;
  const last = Math.min(scene.seq, lanes.of.get(scene.lastTurn)?.last ?? Infinity);
  const lives = livesOf(row, marks, undone);
  for (let i = 0; i < lives.length && lives[i].from <= last; i++) {
    const life = lives[i];
    if (life.to < first || life.write < 0 || marks.flags.data[life.write] & (FLAG.EMPTY | FLAG.CLEARED)) continue;
    const back = life.from > marks.seq.data[life.write];
    const x0 = back ? undoneAt(scene, lives[i - 1]) : scene.x(life.write);
    if (life.to === Infinity || life.to > scene.seq) paintNow(scene, ink, ctx, row, life.write, x0, life.from, y);
    else if (life.undone) {
      const level = scene.level(life.write);
      const x1 = undoneAt(scene, life);
      ink.line(S.life, level, x0, y, x1, y);
      ink.line(S.strike, level, x1 - 4, y + 5, x1 + 4, y - 5);
    } else paintLife(scene, ink, life.write, marks.writeAt(row.node, life.to), x0, y);
  }
}

/** Where a life was undone, clear of the box of its write. @param {Scene} scene @param {import('lb/lives').Life} life */
function undoneAt(scene, { write, to }) {
  const box = scene.slotBox(write);
  return Math.max(box.x + box.w + 6, scene.layout.x(scene.turnOfSeq(to)));
}

/** From a write, or from where it was brought back, to the one that ended it. @param {Scene} scene @param {Ink} ink @param {number} write @param {number} next @param {number} x0 @param {number} y */
function paintLife(scene, ink, write, next, x0, y) {
  const { marks } = scene.map;
  const level = scene.level(write);
  const box = scene.slotBox(next);
  if (marks.flags.data[next] & FLAG.CLEARED) {
    ink.line(S.life, level, x0, y, box.x - 5, y);
    ink.line(S.lifeEnd, level, box.x - 5, y - 4.5, box.x - 5, y + 4.5);
    return;
  }
  if (overwrites(scene, next)) {
    ink.line(S.stale, scene.linkLevel(write, next), x0, y, Math.max(x0, box.x - 8), y);
    ink.arrow(S.staleHead, scene.linkLevel(write, next), box.x - 1, y, 1, 0);
    return;
  }
  ink.line(S.life, level, x0, y, box.x, y);
}

/** Whether a write replaced a value that it is an anomaly to replace. @param {Scene} scene @param {number} write */
function overwrites(scene, write) {
  const { marks } = scene.map;
  for (let l = marks.inHead.data[write]; l >= 0; l = marks.linkIn.data[l]) if (scene.badLink(l) & OVERWRITE) return true;
  return false;
}

/** The life of the value that still holds at the moment shown: it fades as its time runs out. @param {Scene} scene @param {Ink} ink @param {CanvasRenderingContext2D} ctx @param {import('lb/rows').Row} row @param {number} write @param {number} x0 @param {number} from event since which it holds @param {number} y */
function paintNow(scene, ink, ctx, row, write, x0, from, y) {
  const { map, layout } = scene;
  const { marks } = map;
  const level = scene.level(write);
  const { expires_at: end } = map.list[row.node];
  const right = Math.min(layout.width, layout.x(scene.seq === Infinity ? map.lastTurn + 1 : scene.turnOfSeq(scene.seq)));
  if (end === null) {
    ink.line(S.life, level, x0, y, right, y);
    return;
  }
  let touch = write;
  for (let i = row.marks.length - 1; i >= 0 && row.marks[i] > write; i--) {
    if (marks.seq.data[row.marks[i]] <= scene.seq) {
      touch = row.marks[i];
      break;
    }
  }
  const shown = scene.timeShown();
  const touched = map.atOf(Math.max(from, marks.seq.data[touch]));
  const lifetime = map.about.policy?.slot_lifetime ?? 1800;
  const over = touched + lifetime <= shown;
  const stop = over ? Math.min(right, layout.x(map.turnOf(map.seqAt(touched + lifetime)) + 0.5) || right) : right;
  const left = over ? 0 : Math.max(0, 1 - (shown - touched) / lifetime);
  const x1 = Math.max(x0, scene.x(touch));
  if (x1 > x0) ink.line(S.life, level, x0, y, x1, y);
  if (stop <= x1) return;
  if (left > 0.97) {
    ink.line(S.life, level, x1, y, stop, y);
    return;
  }
  const fade = ctx.createLinearGradient(x1, 0, stop, 0);
  fade.addColorStop(0, scene.tokens.state);
  fade.addColorStop(1, `color-mix(in srgb, ${scene.tokens.state} ${Math.round(left * 100)}%, transparent)`);
  ctx.globalAlpha = ALIVE * LEVELS[level];
  ctx.strokeStyle = fade;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(x1, y);
  ctx.lineTo(stop, y);
  ctx.stroke();
  ctx.globalAlpha = 1;
}

/** @param {Scene} scene @param {Ink} ink @param {number} mark */
function paintWrite(scene, ink, mark) {
  const { marks } = scene.map;
  const y = scene.y(mark);
  if (Number.isNaN(y)) return;
  let level = scene.level(mark);
  const ghost = level === LEVEL.GHOST;
  if (!ghost && scene.faded(marks.node.data[mark])) level = Math.max(level, LEVEL.THIRD);
  const flags = marks.flags.data[mark];
  const bad = Boolean(scene.badMark(mark) & (OVERWRITE | LEAK)) && !ghost;
  const box = scene.slotBox(mark);
  paintTie(scene, ink, mark, LINK.ASSIGN, S.assign, level, box);
  if (!box.text || ghost) {
    ink.box(bad ? S.squareBad : flags & (FLAG.EMPTY | FLAG.CLEARED) ? S.squareNull : S.square, level, box.x, box.y, box.w, box.h, ghost && box.text ? 4 : 1.5);
  } else {
    const empty = flags & (FLAG.EMPTY | FLAG.CLEARED);
    ink.box(S.plate, LEVEL.FULL, box.x, box.y, box.w, box.h, 4);
    ink.box(empty ? (bad ? S.slotNullBad : S.slotNull) : bad ? S.slotBad : S.slot, level, box.x, box.y, box.w, box.h, 4);
    ink.text(bad ? S.slotTextBad : empty ? S.slotTextNull : S.slotText, level, box.text, box.x + box.w / 2, y + 0.5);
    if (flags & FLAG.CLEARED) ink.line(bad ? S.slotStrokeBad : S.slotStroke, level, box.x + 2, box.y + box.h - 2, box.x + box.w - 2, box.y + 2);
  }
  if (flags & FLAG.UNDONE) ink.line(S.strike, level, box.x - 3, y, box.x + box.w + 3, y);
}

/** @param {Scene} scene @param {Ink} ink @param {number} mark */
function paintRead(scene, ink, mark) {
  const { marks } = scene.map;
  const y = scene.y(mark);
  if (Number.isNaN(y)) return;
  const x = scene.x(mark);
  let level = scene.level(mark);
  const ghost = level === LEVEL.GHOST;
  if (!ghost && scene.faded(marks.node.data[mark])) level = Math.max(level, LEVEL.THIRD);
  const leak = Boolean(scene.badMark(mark) & LEAK) && !ghost;
  const write = marks.prev.data[mark];
  paintTie(scene, ink, mark, LINK.USE, leak ? S.leakTie : S.use, level, { x: x - 4, y: y - 4, w: 8, h: 8 });
  const r = scene.readable ? 3.5 : 2;
  if (leak) ink.dot(S.readLeak, level, x, y, r + 1);
  else ink.dot(write >= 0 && !ghost && replacedBadly(scene, write) ? S.readStale : S.read, level, x, y, r);
  if (marks.flags.data[mark] & FLAG.UNDONE) ink.line(S.strike, level, x - 7, y, x + 7, y);
}

/** Whether the value of `write` was later overwritten, as an anomaly. @param {Scene} scene @param {number} write */
function replacedBadly(scene, write) {
  const { marks } = scene.map;
  for (let l = marks.outHead.data[write]; l >= 0; l = marks.linkOut.data[l]) {
    if (scene.badLink(l) & OVERWRITE && marks.seq.data[marks.linkTo.data[l]] <= scene.seq) return true;
  }
  return false;
}

/**
 * The tie between a mark and the visit in the same lane that wrote or read it.
 * @param {Scene} scene @param {Ink} ink @param {number} mark @param {number} kind of link @param {number} style @param {number} level @param {import('lb/scene').Box} box
 */
function paintTie(scene, ink, mark, kind, style, level, box) {
  const { marks, rows } = scene.map;
  if (!scene.flow) return;
  const writes = kind === LINK.ASSIGN;
  for (let l = writes ? marks.inHead.data[mark] : marks.outHead.data[mark]; l >= 0; l = writes ? marks.linkIn.data[l] : marks.linkOut.data[l]) {
    if (marks.linkKind.data[l] !== kind) continue;
    const task = writes ? marks.linkFrom.data[l] : marks.linkTo.data[l];
    if (marks.turn.data[task] !== marks.turn.data[mark]) return;
    const visit = marks.kind.data[task] === MARK.VISIT;
    const x = scene.x(task);
    const y = visit ? scene.layout.endY(scene.flow, rows.number[marks.node.data[task]], scene.pillHeight, 1) : scene.y(task) + 3;
    const weak = Math.max(level, scene.level(task));
    const aim = box.x + (writes ? Math.min(6, box.w / 2) : box.w / 2);
    if (Math.abs(aim - x) < 3) {
      ink.line(style, weak, x, y, x, box.y);
    } else {
      const turn = Math.max(y + 2, box.y - 12);
      ink.line(style, weak, x, y, x, turn);
      ink.around(style, weak, x, box.y, aim, box.y + (writes ? 1 : 0));
    }
    return;
  }
}
