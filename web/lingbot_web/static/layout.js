// Where things stand. A place follows from (turn, row, k-th mark in that cell) alone; nothing here looks at time.
import { FLAG, LAYERS, MARK } from 'lb/kinds';

/** @typedef {import('lb/types').Layer} Layer */
/** @typedef {import('lb/types').Layers} Layers */

export const GUTTER = 152;
export const HEADER = 70;
export const STAVE_HEAD = 28;
/** Kept free at the foot of the map, for what floats there. */
export const FOOT = 44;
const STAVE_GAP = 3;
const ANSWER_ROWS = 1.4;
const SMALLEST_ROW = 20;
const LARGEST_ROW = 68;
/** A stave has room for at least so many rows, so that a young session's staves need not be moved as it grows. */
const FEWEST_ROWS = 8;

/** Levels of detail by lane width. */
export const WIDE = 150;
export const SCORED = 92;
export const READABLE = 42;
/** Lanes at least so wide tell what was said: three characters of Chinese on a line; of less nobody makes a word. */
export const TOLD = 44;
export const DENSE = 12;

/**
 * @typedef {object} Stave
 * @property {Layer} layer
 * @property {number} top of its head
 * @property {number} rows top of its first row
 * @property {number} bottom of its last shown row (not the answers')
 * @property {number} room how many rows it shows
 * @property {number} scroll how many rows are scrolled away at the top
 */

/** @typedef {{rowHeight: number, staves: Stave[], bottom: number}} Staves */

/**
 * Chooses the height of the rows and each stave's share, once per view: for a size, a choice of layers, a map.
 * @param {number} height of the map @param {Layers} layers @param {Record<Layer, number>} counts of rows
 * @param {number} [foot] what is kept free @returns {Staves}
 */
export function chooseStaves(height, layers, counts, foot = FOOT) {
  const shown = LAYERS.filter((layer) => layers[layer]);
  const answers = layers.knowledge ? ANSWER_ROWS : 0;
  const room = Math.max(60, height - HEADER - 4 - foot - shown.length * (STAVE_HEAD + STAVE_GAP));
  const wanted = shown.map((layer) => Math.max(FEWEST_ROWS, counts[layer]));
  const all = wanted.reduce((sum, n) => sum + n, 0) + answers;
  const rowHeight = Math.min(LARGEST_ROW, Math.max(SMALLEST_ROW, Math.floor((room / all) * 4) / 4));
  const shares = share(wanted, Math.max(shown.length, Math.floor(room / rowHeight - answers)));
  let y = HEADER + 4;
  const staves = shown.map((layer, i) => {
    const rows = y + STAVE_HEAD;
    const stave = { layer, top: y, rows, bottom: rows + shares[i] * rowHeight, room: shares[i], scroll: 0 };
    y = stave.bottom + (layer === 'knowledge' ? answers * rowHeight : 0) + STAVE_GAP;
    return stave;
  });
  return { rowHeight, staves, bottom: y };
}

/** Shares `room` rows: small wants are met, large ones get the same. @param {number[]} wanted @param {number} room */
function share(wanted, room) {
  const shares = wanted.map(() => 0);
  let left = room;
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  order.forEach((i, done) => {
    shares[i] = Math.max(1, Math.min(wanted[i], Math.floor(left / (order.length - done))));
    left -= shares[i];
  });
  return shares;
}

/** @param {Stave} stave @param {number} count rows there are @returns {number} how far it may scroll */
export function scrollable(stave, count) {
  return Math.max(0, count - stave.room);
}

export class Layout {
  constructor() {
    this.width = 0;
    this.height = 0;
    this.from = 1;
    this.to = 14;
    /** What is kept free at the foot. */
    this.foot = FOOT;
    /** @type {Staves} */
    this.staves = { rowHeight: SMALLEST_ROW, staves: [], bottom: 0 };
  }

  /** Chooses the staves for a choice of layers; those that were there stay scrolled. @param {Layers} layers @param {Record<Layer, {length: number}>} rows */
  choose(layers, rows) {
    const before = this.staves.staves;
    const counts = { flow: rows.flow.length, state: rows.state.length, knowledge: rows.knowledge.length };
    this.staves = chooseStaves(this.height, layers, counts, this.foot);
    for (const stave of this.staves.staves) {
      const scroll = before.find(({ layer }) => layer === stave.layer)?.scroll ?? 0;
      stave.scroll = Math.min(scroll, scrollable(stave, counts[stave.layer]));
    }
  }

  /** Width of a lane. */
  get lane() {
    return (this.width - GUTTER) / (this.to - this.from);
  }

  /** Left edge of a turn's lane. @param {number} turn (may be fractional) */
  x(turn) {
    return GUTTER + (turn - this.from) * this.lane;
  }

  /** @param {number} x @returns {number} the turn there, fractional */
  turnAt(x) {
    return this.from + (x - GUTTER) / this.lane;
  }

  /** @param {Layer} layer @returns {Stave | null} */
  stave(layer) {
    for (const stave of this.staves.staves) if (stave.layer === layer) return stave;
    return null;
  }

  /** Middle of a row; NaN where it is not shown. @param {Stave | null} stave @param {number} row */
  y(stave, row) {
    if (!stave) return NaN;
    const shown = row - stave.scroll;
    return shown >= 0 && shown < stave.room ? stave.rows + (shown + 0.5) * this.staves.rowHeight : NaN;
  }

  /** Middle of a row, or the edge of the stave behind which it is scrolled away. @param {Stave} stave @param {number} row */
  edgeY(stave, row) {
    const shown = row - stave.scroll;
    if (shown < 0) return stave.rows;
    return shown < stave.room ? stave.rows + (shown + 0.5) * this.staves.rowHeight : stave.bottom;
  }

  /** The foot (1) or the head (-1) of what stands on a row and is `tall`; the edge of the stave where that is scrolled away. @param {Stave} stave @param {number} row @param {number} tall @param {1 | -1} side */
  endY(stave, row, tall, side) {
    const shown = row - stave.scroll;
    return this.edgeY(stave, row) + (shown >= 0 && shown < stave.room ? (side * tall) / 2 : 0);
  }

  /** The answers' row, at the foot of the knowledge stave. @param {Stave} stave */
  answerY(stave) {
    return stave.bottom + this.staves.rowHeight * 0.8;
  }

  /** The row at a height. @param {number} y @returns {{stave: Stave, row: number} | null} */
  rowAt(y) {
    for (const stave of this.staves.staves) {
      if (y >= stave.rows && y < stave.bottom) return { stave, row: stave.scroll + Math.floor((y - stave.rows) / this.staves.rowHeight) };
    }
    return null;
  }

  /** The stave at a height, its head included. @param {number} y */
  staveAt(y) {
    for (const stave of this.staves.staves) if (y >= stave.top && y < stave.bottom) return stave;
    return null;
  }

  /** Middle of a mark. @param {number} kind @param {number} turn @param {number} k @param {number} flags */
  markX(kind, turn, k, flags) {
    const w = this.lane;
    return this.x(turn) + Math.min(w - Math.min(8, w * 0.12), offset(kind, w, k, flags));
  }

  /** Width of an intent's pill. */
  get pill() {
    const w = this.lane;
    return w > WIDE ? 92 : Math.max(w > READABLE ? 24 : 6, Math.min(30, w * 0.46));
  }
}

/** From the left edge of a lane of width `w`. @param {number} kind @param {number} w @param {number} k @param {number} flags */
function offset(kind, w, k, flags) {
  switch (kind) {
    case MARK.VISIT:
      return visits(w) + k * Math.min(w > WIDE ? 98 : 34, w * 0.22);
    case MARK.WRITE:
      return w * 0.5 + k * Math.max(2, Math.min(12, w * 0.12));
    case MARK.READ:
      return flags & FLAG.AFTER ? afterWrite(w) : beforeWrite(w) + k * Math.min(9, w * 0.08);
    case MARK.QUESTION:
      return Math.min(w * 0.6, documents(w) - w * 0.16) + k * Math.min(18, w * 0.1);
    case MARK.ANSWER: // all of a turn share a mark
      return documents(w);
    case MARK.DOC:
      return documents(w) + k * Math.min(18, w * 0.1);
    default:
      return visits(w);
  }
}

/** A read that follows a write in its cell stands at the lane's right edge, to the right of the box. @param {number} w */
export function afterWrite(w) {
  return w - Math.min(9, w * 0.12);
}

/** Other reads stand under the intent that reads, to the left of the box. @param {number} w */
export function beforeWrite(w) {
  return visits(w);
}

/** Visits at 27 %, further right where half a pill and its outline need more: a lane's pill never lies over the one before. @param {number} w */
function visits(w) {
  return Math.max(w * 0.27, w > WIDE ? 48 : w > READABLE ? 14 : 0);
}

/** Documents at 80 %, further left where a printed score needs room, but always to the right of the slots. @param {number} w */
function documents(w) {
  return w > SCORED ? Math.max(w * 0.53, Math.min(w * 0.8, w - 62)) : w * 0.8;
}
