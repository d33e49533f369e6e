// The header: for each turn its number, its time, what was said, and glyphs of what was found there.
import { clock as clockText, zoneShown } from 'lb/format';
import { putGlyph, takePen } from 'lb/glyphs';
import { Ink } from 'lb/ink';
import { FINDING_KINDS, badBit } from 'lb/kinds';
import { DENSE, GUTTER, HEADER, READABLE, TOLD } from 'lb/layout';
import { plain } from 'lb/lettering';
import { FONT } from 'lb/styles';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/tokens').Tokens} Tokens */
/** @typedef {{kind: import('lb/types').FindingKind, x: number, y: number, alpha: number}} Sign */

const GAP = badBit('gap');
const H = /** @type {const} */ ({ number: 0, numberBad: 1, time: 2, said: 3 });
/** Turns later than the playhead. */
const LATER = 0.34;
/** Level of ink with about that opacity. */
const LATER_LEVEL = 2;
/** A number has so much room, in CSS pixels; lanes at least so wide have each its own. */
const NUMBERED = 34;
/** In lanes narrower than this a glyph keeps closer to the lane's edge, so that it has room beside the number. */
const TIGHT = 56;
const HEAD_ALPHA = [1, 0.62, 0.34, 0.2, 0.2];

export class HeaderPainter {
  constructor() {
    this.ink = new Ink();
    /** @type {Tokens | null} */ this.tokens = null;
    /** @type {Sign[]} */ this.signs = [];
    /** Lanes too narrow for what was said in them. @type {{x: number, alpha: number}[]} */ this.untold = [];
  }

  /** @param {Scene} scene */
  #use({ tokens }) {
    if (this.tokens !== tokens) {
      this.tokens = tokens;
      this.ink.use([
        { font: FONT.labelStrong, fill: tokens.text },
        { font: FONT.labelStrong, fill: tokens['bad-ink'] },
        { font: FONT.time, fill: tokens['text-3'], align: 'right' },
        { font: FONT.said, fill: tokens['text-2'] },
      ]);
    }
  }

  /** All but what `paintNumbers` does. @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
  paint(ctx, scene) {
    const { tokens } = scene;
    this.#use(scene);
    paintBack(ctx, scene);
    const w = scene.lane;
    if (w < DENSE) return;
    const until = shownUntil(scene);
    this.signs.length = this.untold.length = 0;
    for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) this.#turn(scene, turn, turn > until);
    this.ink.flush(ctx);
    if (this.untold.length) paintUntold(ctx, tokens, this.untold);
    paintSigns(ctx, tokens, this.signs);
    paintHeads(ctx, scene);
  }

  /**
   * The numbers of lanes too narrow for one each. Which of them have room depends on the window: the first lane has its own
   * where the next number is far enough, and none is cut at the right edge. @param {CanvasRenderingContext2D} ctx @param {Scene} scene
   */
  paintNumbers(ctx, scene) {
    const w = scene.lane;
    if (w >= NUMBERED) return;
    const step = numberStep(w);
    this.#use(scene);
    const { layout, lettering } = scene;
    const until = shownUntil(scene);
    const first = nextNumbered(scene, scene.firstTurn, step);
    const margin = w > 26 ? 7 : 3;
    let free = -Infinity;
    for (let turn = w >= DENSE && (first - scene.firstTurn) * w >= NUMBERED ? scene.firstTurn : first; turn <= scene.lastTurn; turn = turn < first ? first : nextNumbered(scene, turn + 1, step)) {
      const name = turn === 0 ? lettering.fit(scene.word('score.opening'), FONT.labelStrong, Math.max(w - 10, 20)) : scene.headOf(turn);
      const x = layout.x(turn);
      const width = lettering.width(name, FONT.labelStrong);
      const room = layout.width - width - 3;
      const bad = w >= DENSE && scene.badTurn(turn) & ~GAP;
      const left = Math.min(x + margin, Math.max(x, room));
      if (left < free) continue;
      free = left + width + 4;
      this.ink.text(bad ? H.numberBad : H.number, turn > until ? LATER_LEVEL : 0, name, left, 17);
    }
    this.ink.flush(ctx);
  }

  /** @param {Scene} scene @param {number} turn @param {boolean} later */
  #turn(scene, turn, later) {
    const { layout, map, lettering } = scene;
    const w = scene.lane;
    const x = layout.x(turn);
    const level = later ? LATER_LEVEL : 0;
    const bits = scene.badTurn(turn);
    let left = x + 7;
    if (w >= NUMBERED) {
      const name = turn === 0 ? lettering.fit(scene.word('score.opening'), FONT.labelStrong, Math.max(w - 10, 20)) : scene.headOf(turn);
      const width = lettering.width(name, FONT.labelStrong);
      this.ink.text(bits & ~GAP ? H.numberBad : H.number, level, name, left, 17);
      left += width + 4;
    }
    const right = bits ? this.#glyphs(bits, x, w, left, later ? LATER : 1) : x + w - 6;
    if (w <= READABLE) return;
    const time = timeText(scene, turn, w > 96);
    if (time && right - left >= lettering.width(time, FONT.time) + 2) this.ink.text(H.time, level, time, right, 17.5);
    const utterance = map.lanes.of.get(turn)?.utterance ?? -1;
    if (utterance < 0 || scene.hides(utterance)) return;
    const node = map.list[map.marks.node.data[utterance]];
    if (w < TOLD) {
      if (node.props.text ?? node.label) this.untold.push({ x, alpha: later ? LATER : 1 });
      return;
    }
    const lines = lettering.wrap(plain(node.props.text ?? node.label), FONT.said, w - 11, 2);
    for (let i = 0; i < lines.length; i++) this.ink.text(H.said, level, lines[i], x + 7, 34 + i * 14);
  }

  /** As many of a lane's glyphs as have room. @param {number} bits @param {number} x @param {number} w @param {number} left @param {number} alpha @returns {number} where room for the time ends */
  #glyphs(bits, x, w, left, alpha) {
    const kinds = FINDING_KINDS.filter((kind) => bits & badBit(kind));
    if (w <= READABLE) {
      const fits = Math.max(1, Math.min(kinds.length, Math.floor(w / 13)));
      for (let i = 0; i < fits; i++) this.signs.push({ kind: kinds[i], x: x + w / 2 + (i - (fits - 1) / 2) * 13, y: 42, alpha });
      return x + w;
    }
    let right = x + w - (w < TIGHT ? 3 : 7);
    for (const kind of kinds) {
      if (right - 13 < left) break;
      this.signs.push({ kind, x: right - 6, y: 16.5, alpha });
      right -= 16;
    }
    return right;
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Tokens} tokens @param {Sign[]} signs */
function paintSigns(ctx, tokens, signs) {
  takePen(ctx);
  let pen = '';
  let strength = 1;
  for (const { kind, x, y, alpha } of signs) {
    const colour = kind === 'gap' ? tokens.warn : tokens.bad;
    if (colour !== pen) ctx.strokeStyle = ctx.fillStyle = pen = colour;
    if (alpha !== strength) ctx.globalAlpha = strength = alpha;
    putGlyph(ctx, kind, x, y);
  }
  ctx.globalAlpha = 1;
}

/** Lines without words: the tooltip has them. @param {CanvasRenderingContext2D} ctx @param {Tokens} tokens @param {{x: number, alpha: number}[]} lanes */
function paintUntold(ctx, tokens, lanes) {
  ctx.fillStyle = tokens.user;
  for (const { x, alpha } of lanes) {
    ctx.globalAlpha = alpha;
    ctx.fillRect(Math.round(x) + 8, 35, 18, 2);
    ctx.fillRect(Math.round(x) + 8, 41, 12, 2);
  }
  ctx.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
function paintBack(ctx, scene) {
  const { layout, tokens, selection } = scene;
  ctx.fillStyle = tokens.panel;
  ctx.fillRect(GUTTER, 0, layout.width - GUTTER, HEADER);
  if (selection && selection.turn >= scene.firstTurn && selection.turn <= scene.lastTurn && (selection.seq || selection.kind === 'turn')) {
    ctx.fillStyle = tokens['sel-col'];
    ctx.fillRect(layout.x(selection.turn), 0, Math.max(1, scene.lane), HEADER);
  }
  if (scene.lane >= DENSE) {
    ctx.fillStyle = tokens['line-2'];
    for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) ctx.fillRect(Math.round(layout.x(turn)), 0, 1, HEADER);
  }
  ctx.fillStyle = tokens.line;
  ctx.fillRect(GUTTER, HEADER, layout.width, 1);
  for (const stave of layout.staves.staves) ctx.fillRect(GUTTER, Math.round(stave.top - 2), layout.width, 1);
}

/** The last turn that is not faint. @param {Scene} scene */
function shownUntil({ map, seq }) {
  return seq === Infinity ? Infinity : map.turnOf(seq);
}

/** So many turns apart numbers have room. @param {number} w */
export function numberStep(w) {
  for (const step of [1, 5, 10, 20, 50, 100, 200, 500, 1000]) if (step * w >= NUMBERED || (step === 1 && w >= 26)) return step;
  return 2000;
}

/** The first lane from `lane` on whose number is a multiple of `step`: its own number, where it stands on an axis of others. @param {Scene} scene @param {number} lane @param {number} step */
function nextNumbered(scene, lane, step) {
  if (!scene.numbers) return Math.ceil(lane / step) * step;
  while (lane <= scene.lastTurn && (!scene.headOf(lane) || Number(scene.headOf(lane)) % step !== 0)) lane++;
  return lane;
}

/** @type {Map<string, string>} */
const clocks = new Map();

/** Clock time, or the time since the dialogue began. @param {Scene} scene @param {number} number @param {boolean} clock */
function timeText(scene, number, clock) {
  const turn = scene.map.turn(number);
  if (!turn || scene.map.about.timed === false) return '';
  const at = turn.said_at ?? turn.at;
  if (clock) {
    const key = `${zoneShown()} ${Math.floor(at)}`;
    let shown = clocks.get(key);
    if (shown === undefined) {
      if (clocks.size > 2000) clocks.clear();
      shown = clockText(at);
      clocks.set(key, shown);
    }
    return shown;
  }
  const first = scene.map.turns[0];
  const since = Math.max(0, Math.round(at - (first.said_at ?? first.at)));
  const minutes = Math.floor(since / 60);
  const tail = String(since % 60).padStart(2, '0');
  return minutes < 60 ? `+${minutes}:${tail}` : `+${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${tail}`;
}

/** Utterances, on the header's lower border. @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
function paintHeads(ctx, scene) {
  const { map, tokens } = scene;
  ctx.fillStyle = tokens.user;
  const r = scene.readable ? 3 : 2.5;
  let strength = 1;
  for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
    const mark = map.lanes.of.get(turn)?.utterance ?? -1;
    if (mark < 0) continue;
    const alpha = HEAD_ALPHA[scene.level(mark)] ?? 0;
    if (alpha !== strength) ctx.globalAlpha = strength = alpha;
    ctx.beginPath();
    ctx.arc(scene.x(mark), HEADER + 0.5, r, 0, Math.PI * 2);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
}
