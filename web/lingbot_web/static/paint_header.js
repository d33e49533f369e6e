// The header: for each turn its number, its time, what was said, and glyphs of what was found there.
import { clock as clockText, zoneShown } from 'lb/format';
import { drawGlyph } from 'lb/glyphs';
import { Ink } from 'lb/ink';
import { FINDING_KINDS, badBit } from 'lb/kinds';
import { DENSE, GUTTER, HEADER, READABLE } from 'lb/layout';
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
const HEAD_ALPHA = [1, 0.62, 0.34, 0.2, 0.2];

export class HeaderPainter {
  constructor() {
    this.ink = new Ink();
    /** @type {Tokens | null} */ this.tokens = null;
    /** @type {Sign[]} */ this.signs = [];
  }

  /** @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
  paint(ctx, scene) {
    const { layout, tokens, map } = scene;
    if (this.tokens !== tokens) {
      this.tokens = tokens;
      this.ink.use([
        { font: FONT.labelStrong, fill: tokens.text },
        { font: FONT.labelStrong, fill: tokens['bad-ink'] },
        { font: FONT.time, fill: tokens['text-3'], align: 'right' },
        { font: FONT.said, fill: tokens['text-2'] },
      ]);
    }
    ctx.save();
    ctx.beginPath();
    ctx.rect(GUTTER, 0, layout.width - GUTTER, layout.height);
    ctx.clip();
    paintBack(ctx, scene);
    const w = scene.lane;
    const until = scene.seq === Infinity ? Infinity : map.turnOf(scene.seq);
    const step = numberStep(w);
    this.signs.length = 0;
    if (w < DENSE) {
      for (let turn = Math.ceil(scene.firstTurn / step) * step; turn <= scene.lastTurn; turn += step) {
        const room = layout.width - scene.lettering.width(String(turn), FONT.labelStrong) - 3;
        this.ink.text(H.number, turn > until ? LATER_LEVEL : 0, String(turn), Math.min(layout.x(turn) + 3, room), 17);
      }
    } else {
      for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
        const numbered = turn % step === 0 || (turn === scene.firstTurn && (step - (turn % step)) * w >= 34);
        this.#turn(scene, turn, numbered, turn > until);
      }
    }
    this.ink.flush(ctx);
    for (const { kind, x, y, alpha } of this.signs) {
      ctx.globalAlpha = alpha;
      drawGlyph(ctx, kind, x, y, kind === 'gap' ? tokens.warn : tokens.bad);
    }
    ctx.globalAlpha = 1;
    if (w >= DENSE) paintHeads(ctx, scene);
    ctx.restore();
  }

  /** @param {Scene} scene @param {number} turn @param {boolean} numbered @param {boolean} later */
  #turn(scene, turn, numbered, later) {
    const { layout, map, lettering } = scene;
    const w = scene.lane;
    const x = layout.x(turn);
    const level = later ? LATER_LEVEL : 0;
    const bits = scene.badTurn(turn);
    let left = x + (w > 26 ? 7 : 3);
    if (numbered) {
      const name = turn === 0 ? lettering.fit(scene.word('score.opening'), FONT.labelStrong, Math.max(w - 10, 20)) : String(turn);
      const width = lettering.width(name, FONT.labelStrong);
      this.ink.text(bits & ~GAP ? H.numberBad : H.number, level, name, w < 26 ? Math.min(left, Math.max(x, layout.width - width - 3)) : left, 17);
      left += width + 4;
    }
    const right = bits ? this.#glyphs(bits, x, w, left, later ? LATER : 1) : x + w - 6;
    if (w <= READABLE) return;
    const time = timeText(scene, turn, w > 96);
    if (time && right - left >= lettering.width(time, FONT.time) + 2) this.ink.text(H.time, level, time, right, 17.5);
    const utterance = map.lanes.of.get(turn)?.utterance ?? -1;
    if (utterance < 0) return;
    const node = map.list[map.marks.node.data[utterance]];
    const lines = lettering.wrap(plain(node.props.text ?? node.label), FONT.said, w - 12, 2);
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
    let right = x + w - 7;
    for (const kind of kinds) {
      if (right - 13 < left) break;
      this.signs.push({ kind, x: right - 6, y: 16.5, alpha });
      right -= 16;
    }
    return right;
  }
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

/** So many turns apart numbers have room. @param {number} w */
export function numberStep(w) {
  for (const step of [1, 5, 10, 20, 50, 100, 200, 500, 1000]) if (step * w >= 34 || (step === 1 && w >= 26)) return step;
  return 2000;
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
  for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
    const mark = map.lanes.of.get(turn)?.utterance ?? -1;
    if (mark < 0) continue;
    ctx.globalAlpha = HEAD_ALPHA[scene.level(mark)];
    ctx.beginPath();
    ctx.arc(scene.x(mark), HEADER + 0.5, r, 0, Math.PI * 2);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
}
