// The knowledge stave: from a question a comb to its documents, from those that were used a line to the answer.
import { FLAG, LINK, MARK, badBit } from 'lb/kinds';
import { LEVEL } from 'lb/ink';
import { S, WEIGHTS } from 'lb/styles';
import { scoreText, scoredStage } from 'lb/weights';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/ink').Ink} Ink */

const DRIFT = badBit('drift');
const STALE = badBit('stale');
/** Marks of a document so near one another are tied. */
const NEAR_TURNS = 6;
/** The printed score begins and ends so far from the document's middle; lines leave it free. */
const SCORE_X = 14;
const SCORE_END = 40;

/** @param {Scene} scene @param {Ink} ink @param {{x: number, y: number, level: number}[]} clocks where a stale document's clock goes */
export function paintKnowledge(scene, ink, clocks) {
  if (!scene.knowledge) return;
  const { marks, lanes } = scene.map;
  const last = Math.min(scene.map.lastTurn, scene.lastTurn + NEAR_TURNS);
  /** Where the comb of the question begins whose documents come one after the other. */
  const comb = { question: -1, x: 0, y: 0 };
  for (let turn = scene.firstTurn; turn <= last; turn++) {
    let answer = -1;
    let strongest = /** @type {number} */ (LEVEL.HIDDEN);
    for (const mark of lanes.of.get(turn)?.marks ?? []) {
      if (scene.hides(mark)) continue;
      const kind = marks.kind.data[mark];
      if (kind === MARK.DOC) {
        paintSame(scene, ink, mark);
        if (turn <= scene.lastTurn) paintDoc(scene, ink, mark, clocks, comb);
      } else if (turn > scene.lastTurn) continue;
      else if (kind === MARK.QUESTION) paintQuestion(scene, ink, mark);
      else if (kind === MARK.ANSWER) {
        if (answer < 0) answer = mark;
        strongest = Math.min(strongest, scene.level(mark));
      }
    }
    if (answer >= 0) paintAnswer(scene, ink, answer, strongest);
  }
}

/** A faint line to the document's mark before. @param {Scene} scene @param {Ink} ink @param {number} mark */
function paintSame(scene, ink, mark) {
  const { marks } = scene.map;
  const before = marks.prev.data[mark];
  if (before < 0 || marks.turn.data[mark] - marks.turn.data[before] > NEAR_TURNS) return;
  const y = scene.y(mark);
  if (Number.isNaN(y)) return;
  const x0 = scene.x(before) + (scene.scored && marks.k.data[before] === 0 ? SCORE_END : 6);
  const x1 = scene.x(mark) - 6;
  if (x1 > x0) ink.line(S.docTie, scene.linkLevel(before, mark), x0, y, x1, y);
}

/** @param {Scene} scene @param {Ink} ink @param {number} mark */
function paintQuestion(scene, ink, mark) {
  const { marks, rows } = scene.map;
  const x = scene.x(mark);
  const y = scene.y(mark);
  const level = scene.level(mark);
  ink.diamond(S.question, level, x, y, scene.readable ? 4.5 : Math.max(2.5, Math.min(4.5, scene.lane * 0.16)));
  if (!scene.flow || marks.k.data[mark] > 0) return;
  for (let l = marks.inHead.data[mark]; l >= 0; l = marks.linkIn.data[l]) {
    const from = marks.linkFrom.data[l];
    if (marks.kind.data[from] !== MARK.VISIT || marks.turn.data[from] !== marks.turn.data[mark]) continue;
    const top = scene.layout.endY(scene.flow, rows.number[marks.node.data[from]], scene.pillHeight, 1);
    const weak = Math.max(level, scene.level(from));
    const left = scene.x(from);
    ink.line(S.ask, weak, left, top, left, top + 1);
    ink.around(S.ask, weak, left, top + 14, x, top + 20);
    ink.to(S.ask, weak, x, y - 5);
  }
}

/** @param {Scene} scene @param {Ink} ink @param {number} mark @param {{x: number, y: number, level: number}[]} clocks @param {{question: number, x: number, y: number}} comb */
function paintDoc(scene, ink, mark, clocks, comb) {
  const { marks, edges, rows } = scene.map;
  const x = scene.x(mark);
  const y = scene.y(mark);
  const level = scene.level(mark);
  const ghost = level === LEVEL.GHOST;
  const stave = scene.knowledge;
  if (!stave) return;
  const weight = scene.weight(mark);
  for (let l = marks.inHead.data[mark]; l >= 0; l = marks.linkIn.data[l]) {
    const question = marks.linkFrom.data[l];
    if (marks.linkKind.data[l] !== LINK.RECALL || scene.hides(question)) continue;
    if (question !== comb.question) Object.assign(comb, { question, x: scene.x(question), y: scene.y(question) + 4 });
    const { x: left, y: top } = comb;
    const foot = scene.layout.edgeY(stave, rows.number[marks.node.data[mark]]);
    const style = Math.min(WEIGHTS - 1, Math.max(0, Math.ceil(weight * WEIGHTS) - 1));
    const r = Math.min(6, (x - left) * 0.6);
    ink.line(style, level, left, top, left, Math.max(top, foot - r));
    if (Number.isNaN(y)) return;
    ink.around(style, level, left, foot, left + r, foot);
    ink.to(style, level, x - 3, foot);
  }
  if (Number.isNaN(y)) return;
  const used = scene.used(mark);
  const r = scene.radius(mark);
  const drift = Boolean(scene.badMark(mark) & DRIFT) && !ghost;
  if (used) paintUse(scene, ink, mark, x, y, level);
  if (!ghost) ink.dot(S.plate, LEVEL.FULL, x, y, r + 0.5);
  if (used) ink.dot(drift ? S.docBad : S.docUsed, level, x, y, r);
  else ink.dot(drift ? S.docBadSeen : S.docSeen, level, x, y, r);
  if (drift) ink.dot(S.ring, level, x, y, r + (scene.readable ? 3 : 2.5));
  if (scene.badMark(mark) & STALE && !ghost) clocks.push({ x: x - r - (drift ? 8 : 5), y: y - r - (drift ? 5 : 3), level });
  if (marks.flags.data[mark] & FLAG.UNDONE) ink.line(S.strike, level, x - r - 3, y, x + r + 3, y);
  if (!scene.readable || ghost) return;
  const props = edges.props[scene.stage(mark)];
  if (used && props.rank && r >= roomFor(props.rank)) ink.text(drift ? S.rankBad : S.rank, level, String(props.rank), x, y + 0.5);
  const printed = scene.scored && marks.k.data[mark] === 0 ? scoreText(edges.props[scoredStage(scene.map, scene.stage(mark))].score) : '';
  if (printed) ink.text(S.score, level, printed, x + SCORE_X, y + 0.5);
}

/** The radius of a circle that a rank of 9.5 px stands in without touching its edge: half the diagonal of its digits and a little more. @param {number} rank */
function roomFor(rank) {
  return rank < 10 ? 5.2 : rank < 100 ? 7.4 : Infinity;
}

/** From a used document along the lane's right edge down to the answers it was used in. @param {Scene} scene @param {Ink} ink @param {number} mark @param {number} x @param {number} y @param {number} level */
function paintUse(scene, ink, mark, x, y, level) {
  const { marks } = scene.map;
  let answer = -1;
  let weak = /** @type {number} */ (LEVEL.HIDDEN);
  for (let l = marks.outHead.data[mark]; l >= 0; l = marks.linkOut.data[l]) {
    const to = marks.linkTo.data[l];
    if (marks.linkKind.data[l] !== LINK.MERGE || marks.turn.data[to] !== marks.turn.data[mark]) continue;
    answer = to;
    weak = Math.min(weak, Math.max(level, scene.level(to)));
  }
  if (answer < 0) return;
  const foot = scene.y(answer);
  const edge = scene.layout.x(marks.turn.data[mark]) + scene.lane;
  const right = scene.scored ? Math.min(edge - 2, Math.max(x + SCORE_END + 4, edge - 10)) : edge - scene.lane * 0.03;
  const r = Math.max(0, Math.min(6, right - x - 4));
  if (scene.scored && marks.k.data[mark] === 0) {
    ink.line(S.mergeLine, weak, x + 4, y, x + SCORE_X - 3, y);
    ink.line(S.mergeLine, weak, x + SCORE_END, y, Math.max(x + SCORE_END, right - r), y);
  } else ink.line(S.mergeLine, weak, x + 4, y, Math.max(x + 4, right - r), y);
  ink.around(S.mergeLine, weak, right, y, right, y + r);
  ink.to(S.mergeLine, weak, right, foot - r);
  ink.around(S.mergeLine, weak, right, foot, right - r, foot);
  ink.to(S.mergeLine, weak, scene.x(answer) + 4, foot);
}

/** The mark of all answers of a turn. @param {Scene} scene @param {Ink} ink @param {number} mark the first of them @param {number} level */
function paintAnswer(scene, ink, mark, level) {
  const { marks } = scene.map;
  const x = scene.x(mark);
  const y = scene.y(mark);
  if (!scene.readable) {
    const w = Math.max(2, Math.min(7, scene.lane * 0.24));
    ink.box(S.answer, level, x - w / 2, y - w / 2, w, w, 1);
    return;
  }
  const answers = scene.answers(marks.turn.data[mark]);
  const w = scene.answerWidth(answers);
  const left = x + 8 - w;
  if (level !== LEVEL.GHOST) ink.box(S.plate, LEVEL.FULL, left, y - 7, w, 14, 3);
  ink.box(S.answer, level, left, y - 7, w, 14, 3);
  if (answers > 1) ink.text(S.answerText, level, `×${answers}`, left + w / 2, y + 0.5);
  else {
    ink.line(S.answerLines, level, x - 4, y - 2, x + 4, y - 2);
    ink.line(S.answerLines, level, x - 4, y + 2, x + 2, y + 2);
  }
  if (marks.flags.data[mark] & FLAG.UNDONE) ink.line(S.strike, level, left - 3, y, x + 11, y);
}
