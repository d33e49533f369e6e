// A design over the score: a strip in each turn's header, a sign at each mark, and the outline of what should have been there.
import { MARK } from 'lb/kinds';
import { DENSE, HEADER, SCORED } from 'lb/layout';
import { plain } from 'lb/lettering';
import { FONT } from 'lb/styles';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/design_shown').ShownTurn} ShownTurn */
/** @typedef {import('lb/design_shown').Badge} Badge */

/** Strip at the header's foot, above the utterances and what a search found. */
const STRIP = HEADER - 11;
/** What is later than the moment shown. */
const LATER = 0.34;
const BADGE = 4.5;
/** Kind of mark that a step of a kind would be, and the layer it would stand in. @type {Record<string, [number, 'flow' | 'state' | 'knowledge' | '']>} */
const PLACE = {
  utterance: [MARK.UTTERANCE, ''], route: [MARK.VISIT, 'flow'], dispatch: [MARK.VISIT, 'flow'], fail: [MARK.VISIT, 'flow'],
  write: [MARK.WRITE, 'state'], clear: [MARK.WRITE, 'state'], read: [MARK.READ, 'state'],
  retrieve: [MARK.QUESTION, 'knowledge'], fuse: [MARK.QUESTION, 'knowledge'], rerank: [MARK.QUESTION, 'knowledge'], prompt: [MARK.QUESTION, 'knowledge'],
  answer: [MARK.ANSWER, 'knowledge'],
};

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintDesign(ctx, scene) {
  const { design } = scene;
  if (!design) return;
  ctx.save();
  ctx.setLineDash([]);
  if (scene.lane < DENSE) paintTicks(ctx, scene);
  else {
    for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
      const held = design.turns.get(turn);
      if (held) paintTurn(ctx, scene, held);
    }
  }
  ctx.restore();
}

/** Far out: turns that are not as designed, one a pixel column. @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
function paintTicks(ctx, scene) {
  ctx.fillStyle = scene.tokens.bad;
  const width = Math.max(1.5, scene.lane - 1);
  let free = -Infinity;
  for (const turn of scene.design?.apart ?? []) {
    const x = scene.layout.x(turn);
    if (turn < scene.firstTurn || turn > scene.lastTurn || x < free) continue;
    ctx.fillRect(x, STRIP, width, 4);
    free = x + 1;
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ShownTurn} held */
function paintTurn(ctx, scene, held) {
  const { map, tokens, layout } = scene;
  const { turn, conforms } = held;
  const now = scene.seq === Infinity ? Infinity : map.turnOf(scene.seq);
  const x = layout.x(turn);
  const w = scene.lane;
  ctx.globalAlpha = turn > now ? LATER : 1;
  ctx.strokeStyle = ctx.fillStyle = conforms ? tokens.ok : tokens.bad;
  ctx.lineWidth = 2;
  ctx.setLineDash(conforms ? [] : [4, 3]);
  const words = !conforms && w > SCORED ? scene.lettering.fit(held.told, FONT.rank, w * 0.55) : '';
  const wide = words ? scene.lettering.width(words, FONT.rank) + 5 : 0;
  ctx.beginPath();
  ctx.moveTo(x + 5, STRIP);
  ctx.lineTo(x + Math.max(8, w - 5 - wide), STRIP);
  ctx.stroke();
  ctx.setLineDash([]);
  if (words) {
    ctx.fillStyle = tokens['bad-ink'];
    ctx.font = FONT.rank;
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    ctx.fillText(words, x + w - 5, STRIP + 0.5);
  }
  for (const [event, badge] of held.badges) {
    ctx.globalAlpha = event > scene.seq ? LATER : 1;
    paintBadge(ctx, scene, event, badge);
  }
  ctx.globalAlpha = turn > now ? LATER : 1;
  /** @type {Map<string, {kind: number, y: number, labels: string[], words: string}>} */
  const spots = new Map();
  for (const { kind, name, label, words } of held.ghosts) {
    const spot = spotOf(scene, turn, kind, name);
    if (!spot) continue;
    const key = `${spot[0]} ${Math.round(spot[1])}`;
    const known = spots.get(key);
    if (known) known.labels.push(label);
    else spots.set(key, { kind: spot[0], y: spot[1], labels: [label], words });
  }
  for (const spot of spots.values()) paintGhost(ctx, scene, turn, spot);
}

/** A tick where a step is as designed, a flag where it is not, at the upper right corner of its mark. @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {number} event @param {Badge} badge */
function paintBadge(ctx, scene, event, { status, label }) {
  const { map, tokens } = scene;
  for (const mark of map.marks.ofSeq(event)) {
    if (map.marks.kind.data[mark] === MARK.DOC) continue; // a retrieval's step is its question
    if (scene.hides(mark)) continue;
    const box = scene.box(mark);
    if (!box) continue;
    const right = status === 'matched';
    const small = box.w < 14; // beside it, for all of it would be covered
    const cx = box.x + box.w + (small ? 3 : -1);
    const cy = box.y + (small ? -2 : 1);
    ctx.fillStyle = right ? tokens.ok : tokens.bad;
    ctx.strokeStyle = tokens.map;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    if (right) ctx.arc(cx, cy, BADGE, 0, Math.PI * 2);
    else {
      ctx.moveTo(cx - BADGE - 1, cy - BADGE - 1);
      ctx.lineTo(cx + BADGE + 2, cy);
      ctx.lineTo(cx - BADGE - 1, cy + BADGE + 1);
      ctx.closePath();
    }
    ctx.stroke();
    ctx.fill();
    ctx.beginPath();
    ctx.lineWidth = 1.3;
    if (right) {
      ctx.moveTo(cx - 2.2, cy);
      ctx.lineTo(cx - 0.6, cy + 1.7);
      ctx.lineTo(cx + 2.2, cy - 1.7);
    } else {
      ctx.moveTo(cx - 3.6, cy);
      ctx.lineTo(cx + 0.4, cy);
      if (status === 'extra') {
        ctx.moveTo(cx - 1.6, cy - 2);
        ctx.lineTo(cx - 1.6, cy + 2);
      }
    }
    ctx.stroke();
    if (scene.wide && label && map.marks.kind.data[mark] !== MARK.UTTERANCE) {
      ctx.fillStyle = right ? tokens['text-3'] : tokens['bad-ink'];
      ctx.font = FONT.rank;
      ctx.textAlign = 'left';
      ctx.textBaseline = 'middle';
      ctx.fillText(label, cx + BADGE + 2.5, cy - 3);
    }
    return;
  }
}

/** The dashed outline of steps that are not there, in their lane and row. @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {number} turn @param {{kind: number, y: number, labels: string[], words: string}} spot */
function paintGhost(ctx, scene, turn, { kind, y, labels, words }) {
  const { layout, tokens } = scene;
  const all = labels.join(' ');
  const text = !scene.readable ? '' : !scene.wide || labels.length > 1 ? all : `${all} ${plain(words)}`;
  const fitted = text && scene.lettering.fit(text, FONT.rank, Math.max(18, scene.lane * 0.6));
  const w = fitted ? scene.lettering.width(fitted, FONT.rank) + 9 : Math.max(5, Math.min(10, scene.lane * 0.3));
  const h = scene.readable ? 15 : 8;
  const room = layout.x(turn) + scene.lane - w - 2;
  const x = Math.max(layout.x(turn) + 2, Math.min(room, layout.markX(kind, turn, 0, 0) - w / 2));
  const top = y - h / 2;
  ctx.fillStyle = tokens.map;
  ctx.strokeStyle = tokens.bad;
  ctx.lineWidth = 1.4;
  ctx.beginPath();
  ctx.roundRect(x, top, w, h, 4);
  ctx.fill();
  ctx.setLineDash([3, 2.5]);
  ctx.stroke();
  ctx.setLineDash([]);
  if (!fitted) return;
  ctx.fillStyle = tokens['bad-ink'];
  ctx.font = FONT.rank;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.fillText(fitted, x + 4.5, top + h / 2 + 0.5);
}

/** The kind of mark and the height of a step that is not there; a step whose row is not known stands in the head of its stave. @param {Scene} scene @param {number} turn @param {string} kind @param {string} name @returns {[number, number] | null} */
function spotOf(scene, turn, kind, name) {
  const { map, layout } = scene;
  const [mark, layer] = PLACE[kind] ?? [MARK.UTTERANCE, ''];
  if (!layer) return [mark, HEADER + 10];
  const stave = scene[layer];
  if (!stave) return null;
  if (mark === MARK.ANSWER) return [mark, layout.answerY(stave)];
  const node = name && layer !== 'knowledge' ? map.place(`${layer === 'flow' ? 'intent' : 'slot'}:${name}`) : undefined;
  const y = node === undefined ? NaN : layout.y(stave, map.rows.number[node]);
  if (!Number.isNaN(y)) return [mark, y];
  if (layer === 'flow') for (const each of map.lanes.of.get(turn)?.marks ?? []) if (map.marks.kind.data[each] === MARK.VISIT && !Number.isNaN(scene.y(each))) return [mark, scene.y(each) + 16];
  return [mark, stave.top + 14];
}
