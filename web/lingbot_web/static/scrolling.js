// Which rows the staves show. They scroll by whole rows: to what the reader picked, to the newest, and, when the window
// has come to rest, to where they show most of it.
import { bestScroll, nearestRow, newestNodes } from 'lb/cover';
import { hiddenMarks } from 'lb/hidden';
import { scrollable } from 'lb/layout';
import { markOf, marksOf } from 'lb/picking';

/** @typedef {import('lb/layout').Layout} Layout */
/** @typedef {import('lb/layout').Stave} Stave */
/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/types').Layer} Layer */
/** @typedef {import('lb/types').Selection} Selection */
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

  /** Scrolls just so far that what is picked is shown, and of what one link leads to as many rows as fit beside it. @param {Selection} sel */
  toPicked(sel) {
    const scene = this.scene();
    const { map } = scene;
    this.release();
    const picked = marksOf(map, sel);
    const turn = sel.kind === 'turn';
    if (sel.kind === 'node') this.to(map.place(sel.id) ?? -1);
    else if (!turn) for (const node of new Set(picked.map((mark) => map.marks.node.data[mark]))) this.to(node);
    // All of a row, or of a lane, is linked to too much to be gathered around it.
    const near = turn ? picked : sel.kind === 'finding' || markOf(map, sel) < 0 ? [] : linkedTo(scene, picked);
    for (const stave of this.layout.staves.staves) this.#gather(stave, near);
  }

  /** Scrolls a stave to the nearest place where it shows most of the rows of `marks` and all that was scrolled into view on purpose. @param {Stave} stave @param {number[]} marks */
  #gather(stave, marks) {
    const { rows, list, marks: all } = this.scene().map;
    const wanted = [...new Set(marks.map((mark) => all.node.data[mark]))].filter((node) => list[node].layer === stave.layer && rows.number[node] >= 0).map((node) => rows.number[node]);
    if (!wanted.length) return;
    const kept = this.#kept.get(stave.layer);
    const most = scrollable(stave, rows.of[stave.layer].length);
    const low = kept ? Math.max(0, kept[1] - stave.room + 1) : 0;
    const high = kept ? Math.min(most, kept[0]) : most;
    const shown = (/** @type {number} */ at) => wanted.filter((row) => row >= at && row < at + stave.room);
    let best = stave.scroll;
    let top = shown(best);
    for (const row of wanted) {
      for (const at of [row, row - stave.room + 1]) {
        if (at < low || at > high) continue;
        const found = shown(at);
        if (found.length > top.length || (found.length === top.length && Math.abs(at - stave.scroll) < Math.abs(best - stave.scroll))) [best, top] = [at, found];
      }
    }
    this.#move(stave, best);
    if (top.length) this.#kept.set(stave.layer, [Math.min(kept?.[0] ?? Infinity, ...top), Math.max(kept?.[1] ?? 0, ...top)]);
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

/** The marks one link away, of those shown. @param {Scene} scene @param {number[]} picked */
function linkedTo(scene, picked) {
  const { marks } = scene.map;
  const found = [];
  for (const mark of picked) {
    for (let l = marks.inHead.data[mark]; l >= 0; l = marks.linkIn.data[l]) found.push(marks.linkFrom.data[l]);
    for (let l = marks.outHead.data[mark]; l >= 0; l = marks.linkOut.data[l]) found.push(marks.linkTo.data[l]);
  }
  return found.filter((mark) => marks.seq.data[mark] <= scene.seq && !scene.hides(mark));
}
