// The timeline under the map: how much happened in each turn, where findings are, the window and the playhead.
import { drawGlyph } from 'lb/glyphs';
import { badBit } from 'lb/kinds';
import { hatch } from 'lb/paint_findings';
import { hatchBeyond } from 'lb/moments_paint';
import { paintFoundTicks } from 'lb/search_paint';
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
/** Tracks of finding bars. One that finds no free track is cut short on the one that has most of it to spare; a tick, where not even its glyph has room. */
const TRACKS = [18, 31];
/** Between a glyph and the range that begins behind it on the same track: room for the bar that closes the one off from the other. */
const APART = 6;
/** So much room, in CSS pixels, have numbers that are told for each turn and for every other one; and others, which are round. */
const ROOM = /** @type {Record<number, number>} */ ({ 1: 32, 2: 52 });
const ROUND = 44;
/** More findings than this are shown as ticks alone, one a column. */
const MOST_BARS = 120;
const SMALLEST_BLOCK = 3;
const BITS = 3;
const GAP = badBit('gap');
/** Opacity of what lies outside the window. */
const BEYOND = 0.35;
/** Bars reach no higher: what there is least of has its height all the same. */
const VEIL = FLOOR - TALLEST - 6;
/** Height of the hatch where turns are not held. */
const BEYOND_TALL = 14;
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

/** What the timeline shows besides the map; `cut`: the line to what is live is down. @typedef {{window: Window, playhead: number | null, live: boolean, cut?: boolean}} Shown */

/** What it is drawn on, from the back to the front. @typedef {Record<'ground' | 'bars' | 'window' | 'signs', {ctx: CanvasRenderingContext2D}>} Sheets */

/** What does not move with the window has sheets of its own: bars beneath the window's frame, findings and axis above it. */
export class ScrubPainter {
  /**
   * @param {Sheets} sheets @param {Scene} scene @param {ScrubLayout} layout @param {Shown} shown
   * @param {boolean} whole false: nothing but the window moved since the last frame
   */
  paint(sheets, scene, layout, shown, whole) {
    const { tokens, map } = scene;
    const { width, height } = layout;
    const ground = sheets.ground.ctx;
    const none = map.lastTurn < map.firstTurn;
    ground.fillStyle = tokens.panel;
    ground.fillRect(0, 0, width, height);
    if (none) {
      ground.fillStyle = tokens.line;
      ground.fillRect(PAD, FLOOR, width - 2 * PAD, 1);
    }
    if (whole) {
      for (const { ctx } of [sheets.bars, sheets.signs]) ctx.clearRect(0, 0, width, height);
      if (!none) paintStill(sheets, scene, layout, shown);
    }
    sheets.window.ctx.clearRect(0, 0, width, height);
    if (!none) paintWindow(sheets, scene, layout, shown.window);
  }
}

/** @param {Sheets} sheets @param {Scene} scene @param {ScrubLayout} layout @param {Shown} shown */
function paintStill(sheets, scene, layout, shown) {
  const { map, newest } = scene;
  hatchBeyond(sheets.bars.ctx, scene, layout, FLOOR - BEYOND_TALL, BEYOND_TALL);
  paintBars(sheets.bars.ctx, scene, layout, scene.counted, Math.max(layout.first, map.firstTurn), map.lastTurn);
  if (newest) paintBars(sheets.bars.ctx, scene, layout, newest.lanes, Math.max(map.lastTurn + 1, newest.firstTurn), newest.lastTurn);
  const { ctx } = sheets.signs;
  paintFoundTicks(ctx, scene, layout, FLOOR + 1);
  paintLosses(ctx, scene, layout);
  paintFindings(ctx, scene, layout);
  paintAxis(ctx, scene, layout);
  paintHead(ctx, scene, layout, shown);
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout @param {import('lb/lanes').Lanes} lanes @param {number} first @param {number} newest turns */
function paintBars(ctx, scene, layout, lanes, first, newest) {
  const level = Math.max(0, Math.min(lanes.levels.length - 1, Math.ceil(Math.log2(SMALLEST_BLOCK / layout.lane))));
  const turns = 2 ** level;
  const width = layout.lane * turns;
  const gap = width > 6 ? 2 : width > 3 ? 1 : 0;
  const scale = TALLEST / Math.max(1, lanes.most[level][3]);
  const until = scene.seq === Infinity ? Infinity : scene.map.turnOf(scene.seq);
  const last = Math.floor(newest / turns);
  COLOURS.forEach((colour, channel) => {
    ctx.fillStyle = scene.tokens[colour];
    for (let block = Math.floor(first / turns); block <= last; block++) {
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

/** Its ground beneath the bars; over them a veil on what lies outside of it, its frame and its handles. @param {Sheets} sheets @param {Scene} scene @param {ScrubLayout} layout @param {Window} win */
function paintWindow(sheets, { tokens }, layout, win) {
  const x0 = Math.max(2, layout.x(win.from));
  const x1 = Math.min(layout.width - 2, layout.x(win.to));
  const ground = sheets.ground.ctx;
  ground.fillStyle = tokens['sel-col'];
  ground.beginPath();
  ground.roundRect(x0, TOP, x1 - x0, FLOOR - TOP, 6);
  ground.fill();
  const { ctx } = sheets.window;
  ctx.globalAlpha = 1 - BEYOND;
  ctx.fillStyle = tokens.panel;
  ctx.fillRect(0, VEIL, x0, FLOOR - VEIL);
  ctx.fillRect(x1, VEIL, layout.width - x1, FLOOR - VEIL);
  ctx.globalAlpha = 1;
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
    const free = busy.findIndex((end) => end + 10 < x0);
    const track = free < 0 ? busy.indexOf(Math.min(...busy)) : free;
    const left = Math.max(x0, busy[track] + APART);
    ctx.fillStyle = tokens.bad;
    if (free < 0 && left + 8 > x1) {
      ctx.fillRect(x1 - 0.75, TOP + 2, 1.5, 8);
      continue;
    }
    busy[track] = x1 + 8;
    const y = TRACKS[track];
    if (x1 - left > 14) {
      ctx.fillRect(left, y - 1, x1 - left - 8, 2);
      if (left === x0) {
        ctx.beginPath();
        ctx.arc(x0, y, 2.5, 0, Math.PI * 2);
        ctx.fill();
      } else ctx.fillRect(left - 1, y - 5, 2, 10); // it began further to the left, where another one stands
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
  const until = scene.seq === Infinity ? Infinity : scene.map.turnOf(scene.seq);
  ctx.fillStyle = scene.tokens.bad;
  for (let block = Math.floor(layout.first / turns); block * turns <= until && block <= Math.floor(scene.map.lastTurn / turns); block++) {
    if (lanes.sum(level, block, BITS) & ~GAP) ctx.fillRect(Math.round(layout.x(block * turns)), TOP + 4, Math.max(1.5, Math.min(4, layout.lane * turns - 0.5)), 18);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout */
function paintAxis(ctx, scene, layout) {
  const { map, tokens } = scene;
  const first = map.retired ? Math.min(layout.first, map.firstTurn) : map.firstTurn;
  const { lastTurn } = scene.newest ?? map;
  ctx.fillStyle = tokens['text-3'];
  ctx.font = FONT.small;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  let step = 1;
  for (const wider of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]) {
    step = wider;
    if (wider * layout.lane >= (ROOM[wider] ?? ROUND)) break;
  }
  const turns = [first || 1];
  // Every other turn is counted from the first one that is told: 1 3 5, not 1 4 6.
  const from = step === 2 ? turns[0] % 2 : 0;
  for (let turn = Math.ceil((first + step * 0.6 - from) / step) * step + from; turn <= lastTurn; turn += step) if (turn > turns[0]) turns.push(turn);
  for (const turn of turns) ctx.fillText(String(turn), layout.x(turn + 0.5), AXIS);
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {ScrubLayout} layout @param {Shown} shown */
function paintHead(ctx, scene, layout, { playhead, live, cut }) {
  const { map, tokens } = scene;
  const x = Math.min(layout.width - 4, layout.x(playhead === null ? map.lastTurn + 1 : scene.turnOfSeq(playhead)));
  ctx.fillStyle = playhead === null && live ? (cut ? tokens.warn : tokens.ok) : tokens.focus;
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
