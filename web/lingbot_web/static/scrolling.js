// Which rows the staves show. They scroll by whole rows: to what the reader picked, to the newest, and, when the window
// has come to rest, to where they show most of it.
import { bestScroll, nearestRow, newestNodes } from 'lb/cover';
import { hiddenMarks } from 'lb/hidden';
import { scrollable } from 'lb/layout';

/** @typedef {import('lb/layout').Layout} Layout */
/** @typedef {import('lb/layout').Stave} Stave */
/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/types').Layer} Layer */
/** @typedef {import('lb/types').Window} Window */

export class Scrolling {
  /** Rows that were scrolled into view on purpose, the first and the last of each stave. @type {Map<Layer, [number, number]>} */ #kept = new Map();

  /** @param {Layout} layout @param {() => Scene} scene */
  constructor(layout, scene) {
    this.layout = layout;
    this.scene = scene;
  }

  /** What was scrolled into view on purpose need not stay there. */
  release() {
    this.#kept.clear();
  }

  /** @param {Stave} stave @param {number} scroll @returns {boolean} whether it moved */
  #move(stave, scroll) {
    const to = Math.max(0, Math.min(scrollable(stave, this.scene().map.rows.of[stave.layer].length), scroll));
    if (to === stave.scroll) return false;
    stave.scroll = to;
    return true;
  }

  /** Scrolls a stave just so far that a node's row is shown. @param {number} node */
  to(node) {
    const { rows, list } = this.scene().map;
    const row = rows.number[node] ?? -1;
    const stave = row < 0 ? null : this.layout.stave(list[node].layer);
    if (!stave) return;
    const kept = this.#kept.get(stave.layer);
    this.#kept.set(stave.layer, kept ? [Math.min(kept[0], row), Math.max(kept[1], row)] : [row, row]);
    if (row < stave.scroll) stave.scroll = row;
    else if (row >= stave.scroll + stave.room) stave.scroll = row - stave.room + 1;
  }

  /** Shows each stave's newest row, where a stave has more rows than room. @param {boolean} [keep] false: it may give way to where the faults of the window are */
  toNewest(keep = true) {
    this.release();
    for (const node of newestNodes(this.scene().map)) this.to(node);
    if (!keep) this.release();
  }

  /** A stave none of whose shown rows has a mark in the window, though others have, scrolls to the nearest that has. @param {Window} win @returns {boolean} whether one did */
  uncover(win) {
    let moved = false;
    const hidden = hiddenMarks(this.scene());
    for (const stave of this.layout.staves.staves) {
      const [above, below, shown] = hidden[stave.layer] ?? [0, 0, 0];
      if (!shown && (above || below)) moved = this.#move(stave, nearestRow(this.scene(), stave, (win.from + win.to) / 2)) || moved;
    }
    return moved;
  }

  /** Staves that show little of the window scroll to where they show most. @returns {boolean} whether one did */
  settle() {
    let moved = false;
    for (const stave of this.layout.staves.staves) moved = this.#move(stave, bestScroll(this.scene(), stave, this.#kept.get(stave.layer))) || moved;
    return moved;
  }

  /** @param {Layer} layer @param {number} rows @returns {boolean} whether it moved */
  by(layer, rows) {
    const stave = this.layout.stave(layer);
    return stave !== null && this.#move(stave, stave.scroll + rows);
  }

  /** Scrolls to the nearest row above (-1) or below (+1) that has a mark in the window. @param {Layer} layer @param {1 | -1} step @returns {boolean} whether it moved */
  toHidden(layer, step) {
    const { firstTurn, lastTurn, map } = this.scene();
    const { marks, lanes, rows, list } = map;
    const stave = this.layout.stave(layer);
    if (!stave) return false;
    let best = -1;
    for (let turn = firstTurn; turn <= lastTurn; turn++) {
      for (const mark of lanes.of.get(turn)?.marks ?? []) {
        const node = marks.node.data[mark];
        const row = list[node].layer === layer ? rows.number[node] : -1;
        if (step < 0 ? row >= 0 && row < stave.scroll && row > best : row >= stave.scroll + stave.room && (best < 0 || row < best)) best = row;
      }
    }
    return best >= 0 && this.#move(stave, step < 0 ? best : best - stave.room + 1);
  }
}
