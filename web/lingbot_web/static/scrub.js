// The timeline under the map: how much happened in each turn, where findings are, the window and the playhead.
import { drawGlyph } from 'lb/glyphs';
import { badBit } from 'lb/kinds';
import { hatch } from 'lb/paint_findings';
import { FONT } from 'lb/styles';
import { OPENING } from 'lb/window';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/types').Window} Window */
/** @typedef {import('lb/types').FindingKind} FindingKind */

export const PAD = 18;
const TOP = 8;
const FLOOR = 80;
const TALLEST = 40;
const AXIS = 91;
/** Tracks of finding bars; what finds no free one is a tick. */
const TRACKS = [18, 31];
/** More findings than this are shown as ticks alone, one a column. */
const MOST_BARS = 120;
const SMALLEST_BLOCK = 3;
const BITS = 3;
const GAP = badBit('gap');
/** Opacity of what lies outside the window. */
const BEYOND = 0.35;
const COLOURS = /** @type {const} */ (['flow', 'state', 'know']);

export class ScrubLayout {
  constructor() {
    this.width = 0;
    this.height = 104;
    this.first = 1;
    this.end = 2;
  }

  /** @param {import('lb/window').Axis} axis */
  span({ first, end, least = OPENING }) {
    this.first = first;
    this.end = Math.max(end, first + least);
  }

  get lane() {
    return (this.width - 2 * PAD) / (this.end - this.first);
  }

  /** @param {number} turn */
  x(turn) {
    return PAD + (turn - this.first) * this.lane;
  }

  /** @param {number} x @returns {number} */
  turnAt(x) {
    return this.first + (x - PAD) / this.lane;
  }

  /**
   * What a pointer at (x, y) takes hold of.
   * @param {number} x @param {number} y @param {Window} win @param {number} head where the playhead stands, in turns
   * @returns {'playhead' | 'from' | 'to' | 'body' | 'axis' | 'outside'}
   */
  grip(x, y, win, head) {
    if (Math.abs(x - this.x(head)) <= 5 && (y < TOP + 8 || y > FLOOR - 8)) return 'playhead';
    if (y > FLOOR + 2) return 'axis';
    if (Math.abs(x - this.x(win.from)) <= 6) return 'from';
    if (Math.abs(x - this.x(win.to)) <= 6) return 'to';
    if (Math.abs(x - this.x(head)) <= 3) return 'playhead';
    return x > this.x(win.from) && x < this.x(win.to) ? 'body' : 'outside';
  }
}

/** What the timeline shows besides the map. @typedef {{window: Window, playhead: number | null, live: boolean}} Shown */

/** Keeps what does not move with the window as pictures: bars beneath it, findings and axis above it. */
export class ScrubPainter {
  constructor() {
    /** @type {HTMLCanvasElement | null} */ this.below = null;
    /** @type {HTMLCanvasElement | null} */ this.above = null;
  }

  /**
   * @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout @param {Shown} shown
   * @param {boolean} whole false: nothing but the window moved since the last frame
   */
  paint(ctx, scene, layout, shown, whole) {
    const { tokens, map } = scene;
    const { width, height } = layout;
    const { window: win } = shown;
    ctx.fillStyle = tokens.panel;
    ctx.fillRect(0, 0, width, height);
    if (map.lastTurn < map.firstTurn) {
      ctx.fillStyle = tokens.line;
      ctx.fillRect(PAD, FLOOR, width - 2 * PAD, 1);
      return;
    }
    if (whole || !this.below || !this.above) {
      this.below = picture(this.below, ctx, (bars) => paintBars(bars, scene, layout));
      this.above = picture(this.above, ctx, (signs) => {
        paintMatches(signs, scene, layout);
        paintLosses(signs, scene, layout);
        paintFindings(signs, scene, layout);
        paintAxis(signs, scene, layout);
      });
    }
    const x0 = Math.max(0, layout.x(win.from));
    const x1 = Math.min(width, layout.x(win.to));
    ctx.globalAlpha = BEYOND;
    ctx.drawImage(this.below, 0, 0, width, height);
    ctx.globalAlpha = 1;
    paintWindow(ctx, scene, layout, win, false);
    ctx.save();
    ctx.beginPath();
    ctx.rect(x0, 0, Math.max(0, x1 - x0), height);
    ctx.clip();
    ctx.drawImage(this.below, 0, 0, width, height);
    ctx.restore();
    paintWindow(ctx, scene, layout, win, true);
    ctx.drawImage(this.above, 0, 0, width, height);
    paintHead(ctx, scene, layout, shown.playhead, shown.live);
  }
}

/** Draws on a canvas of the size and scale of `like`'s. @param {HTMLCanvasElement | null} old @param {CanvasRenderingContext2D} like @param {(ctx: CanvasRenderingContext2D) => void} draw */
function picture(old, like, draw) {
  const canvas = old ?? document.createElement('canvas');
  canvas.width = like.canvas.width; // also when it stays the same: it empties the canvas
  canvas.height = like.canvas.height;
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  ctx.setTransform(like.getTransform());
  draw(ctx);
  return canvas;
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout */
function paintBars(ctx, scene, layout) {
  const { lanes } = scene.map;
  const level = Math.max(0, Math.min(lanes.levels.length - 1, Math.ceil(Math.log2(SMALLEST_BLOCK / layout.lane))));
  const turns = 2 ** level;
  const width = layout.lane * turns;
  const gap = width > 6 ? 2 : width > 3 ? 1 : 0;
  const scale = TALLEST / Math.max(1, lanes.most[level][3]);
  const until = scene.seq === Infinity ? Infinity : scene.map.turnOf(scene.seq);
  const last = Math.floor(scene.map.lastTurn / turns);
  COLOURS.forEach((colour, channel) => {
    ctx.fillStyle = scene.tokens[colour];
    for (let block = Math.floor(layout.first / turns); block <= last; block++) {
      const turn = block * turns;
      const count = lanes.sum(level, block, channel);
      if (!count) continue;
      let below = 0;
      for (let c = 0; c < channel; c++) below += barHeight(lanes.sum(level, block, c), scale);
      ctx.globalAlpha = turn > until ? 0.3 : 1;
      const h = barHeight(count, scale);
      const x = Math.round(layout.x(turn));
      ctx.fillRect(x, FLOOR - below - h, Math.max(1, Math.round(layout.x(turn + turns)) - x - gap), h - (h > 4 ? 0.75 : 0));
    }
  });
  ctx.globalAlpha = 1;
}

/** @param {number} count @param {number} scale */
function barHeight(count, scale) {
  return count ? Math.max(1.5, count * scale) : 0;
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout */
function paintMatches(ctx, scene, layout) {
  if (!scene.matches) return;
  ctx.fillStyle = scene.tokens.focus;
  for (const turn of scene.matches.turns) ctx.fillRect(layout.x(turn), FLOOR + 1, Math.max(1.5, layout.lane - 1), 2);
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout */
function paintLosses(ctx, scene, layout) {
  let free = -Infinity;
  ctx.font = FONT.small;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const lost of scene.map.losses) {
    if (lost.seq > scene.seq) continue;
    const x = layout.x(scene.turnOfSeq(lost.seq));
    hatch(ctx, x - 3, FLOOR - TALLEST, 6, TALLEST, scene.tokens.warn);
    const label = scene.text('score.tag.gap', { n: lost.missing });
    const width = scene.lettering.width(label, FONT.small);
    const left = Math.min(layout.width - width - 4, x + 6);
    if (left < free) continue;
    ctx.fillStyle = scene.tokens.warn;
    ctx.fillText(label, left, FLOOR - TALLEST - 6);
    free = left + width + 8;
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout @param {Window} win @param {boolean} frame */
function paintWindow(ctx, scene, layout, win, frame) {
  const x0 = Math.max(2, layout.x(win.from));
  const x1 = Math.min(layout.width - 2, layout.x(win.to));
  const { tokens } = scene;
  if (!frame) {
    ctx.fillStyle = tokens['sel-col'];
    ctx.beginPath();
    ctx.roundRect(x0, TOP, x1 - x0, FLOOR - TOP, 6);
    ctx.fill();
    return;
  }
  ctx.strokeStyle = tokens.focus;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.roundRect(x0, TOP, x1 - x0, FLOOR - TOP, 6);
  ctx.stroke();
  ctx.fillStyle = tokens.map;
  for (const x of [x0, x1]) {
    ctx.beginPath();
    ctx.roundRect(x - 3.5, (TOP + FLOOR) / 2 - 10, 7, 20, 3.5);
    ctx.fill();
    ctx.stroke();
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout */
function paintFindings(ctx, scene, layout) {
  const { map, tokens } = scene;
  if (map.findings.size > MOST_BARS) {
    paintFindingTicks(ctx, scene, layout);
    return;
  }
  const busy = TRACKS.map(() => -Infinity);
  for (const { finding, turns } of map.evidence.values()) {
    if (finding.kind === 'gap' || !scene.shows(finding)) continue;
    const x1 = layout.x(finding.turn + 0.5);
    const since = finding.kind === 'drift' ? Math.min(...turns) : finding.since;
    const x0 = Math.min(layout.x(since + 0.5), x1);
    const track = busy.findIndex((end) => end + 10 < x0);
    ctx.fillStyle = tokens.bad;
    if (track < 0) {
      ctx.fillRect(x1 - 0.75, TOP + 2, 1.5, 8);
      continue;
    }
    busy[track] = x1 + 8;
    const y = TRACKS[track];
    if (x1 - x0 > 14) {
      ctx.fillRect(x0, y - 1, x1 - x0 - 8, 2);
      ctx.beginPath();
      ctx.arc(x0, y, 2.5, 0, Math.PI * 2);
      ctx.fill();
    }
    ctx.fillStyle = tokens.panel;
    ctx.beginPath();
    ctx.arc(x1, y, 7.5, 0, Math.PI * 2);
    ctx.fill();
    drawGlyph(ctx, finding.kind, x1, y, tokens.bad);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout */
function paintFindingTicks(ctx, scene, layout) {
  const { lanes } = scene.map;
  const level = Math.max(0, Math.min(lanes.levels.length - 1, Math.ceil(Math.log2(2 / layout.lane))));
  const turns = 2 ** level;
  ctx.fillStyle = scene.tokens.bad;
  for (let block = Math.floor(layout.first / turns); block <= Math.floor(scene.map.lastTurn / turns); block++) {
    if (lanes.sum(level, block, BITS) & ~GAP) ctx.fillRect(Math.round(layout.x(block * turns)), TOP + 4, Math.max(1.5, Math.min(4, layout.lane * turns - 0.5)), 18);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout */
function paintAxis(ctx, scene, layout) {
  const { map, tokens } = scene;
  ctx.fillStyle = tokens['text-3'];
  ctx.font = FONT.small;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  let step = 1;
  for (const wider of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]) {
    step = wider;
    if (wider * layout.lane >= 44) break;
  }
  const turns = [map.firstTurn || 1];
  for (let turn = Math.ceil((map.firstTurn + step * 0.6) / step) * step; turn <= map.lastTurn; turn += step) if (turn > turns[0]) turns.push(turn);
  for (const turn of turns) ctx.fillText(String(turn), layout.x(turn + 0.5), AXIS);
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout @param {number | null} playhead @param {boolean} live */
function paintHead(ctx, scene, layout, playhead, live) {
  const { map, tokens } = scene;
  const x = Math.min(layout.width - 4, layout.x(playhead === null ? map.lastTurn + 1 : scene.turnOfSeq(playhead)));
  ctx.fillStyle = playhead === null && live ? tokens.ok : tokens.focus;
  ctx.fillRect(x - 1, TOP, 2, FLOOR - TOP + 3);
  ctx.beginPath();
  if (playhead === null) ctx.arc(x, TOP, 3.5, 0, Math.PI * 2);
  else {
    ctx.moveTo(x - 5.5, TOP - 6);
    ctx.lineTo(x + 5.5, TOP - 6);
    ctx.lineTo(x, TOP + 2);
    ctx.closePath();
  }
  ctx.fill();
}
