// Which rows a stave shows when it has more rows than room.
import { LAYERS } from 'lb/kinds';
import { DENSE, scrollable } from 'lb/layout';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/layout').Stave} Stave */
/** @typedef {import('lb/types').Layer} Layer */
/** Rows that must stay in view, the first and the last. @typedef {[number, number]} Kept */

/** A stave is moved only when it shows less than this share of the window's marks, or fewer of its faults than it could: a glance must not set it off. */
const ENOUGH = 0.4;
/** A mark of a finding counts as so many others: the fault is what the reader came for. */
const BAD = 20;
/** So far back a stave's newest row is looked for. */
const NEWEST_TURNS = 12;

/**
 * Where a stave had better be scrolled to; its present scroll where that is good enough.
 * @param {Scene} scene @param {Stave} stave @param {Kept | undefined} kept @returns {number}
 */
export function bestScroll(scene, stave, kept) {
  const weights = weightsOf(scene, stave);
  if (!weights) return stave.scroll;
  const { room, scroll } = stave;
  const most = scrollable(stave, scene.map.rows.of[stave.layer].length);
  const low = kept ? Math.max(0, Math.min(most, kept[1] - room + 1)) : 0;
  const high = kept ? Math.max(low, Math.min(most, kept[0])) : most;
  let all = 0;
  let shown = 0;
  for (const [row, weight] of weights) {
    all += weight;
    if (row >= scroll && row < scroll + room) shown += weight;
  }
  const faults = (/** @type {number} */ at) => weights.reduce((sum, [row, , bad]) => (row >= at && row < at + room ? sum + bad : sum), 0);
  const enough = shown >= all * ENOUGH;
  if (enough && faults(scroll) === weights.reduce((sum, [, , bad]) => sum + bad, 0)) return scroll;
  // What is shown changes only where a row that weighs comes in or goes out: a stave may have a hundred thousand others.
  const turns = new Set([low]);
  for (const [row] of weights) for (const at of [row - room + 1, row + 1]) if (at > low && at <= high) turns.add(at);
  const starts = [...turns].sort((a, b) => a - b);
  let best = scroll;
  let top = shown;
  let held = 0;
  let into = 0;
  let out = 0;
  for (let i = 0; i < starts.length; i++) {
    const at = starts[i];
    while (into < weights.length && weights[into][0] < at + room) held += weights[into++][1];
    while (out < into && weights[out][0] < at) held -= weights[out++][1];
    const nearest = Math.max(at, Math.min(scroll, (starts[i + 1] ?? high + 1) - 1));
    if (held > top || (held === top && best !== scroll && Math.abs(nearest - scroll) < Math.abs(best - scroll))) {
      best = nearest;
      top = held;
    }
  }
  return enough && faults(best) <= faults(scroll) ? scroll : best;
}

/** What the window's marks weigh on each row, and how many are a fault's, in order of rows; null where all rows fit or marks are too many to tell apart. @param {Scene} scene @param {Stave} stave @returns {[number, number, number][] | null} */
function weightsOf(scene, stave) {
  const { map } = scene;
  if (!scrollable(stave, map.rows.of[stave.layer].length) || scene.lane < DENSE) return null;
  /** @type {Map<number, [number, number]>} */
  const weights = new Map();
  for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
    for (const mark of map.lanes.of.get(turn)?.marks ?? []) {
      const node = map.marks.node.data[mark];
      if (map.list[node].layer !== stave.layer || map.marks.seq.data[mark] > scene.seq) continue;
      const row = map.rows.number[node];
      if (row < 0) continue;
      const [weight, bad] = weights.get(row) ?? [0, 0];
      weights.set(row, scene.badMark(mark) ? [weight + BAD, bad + 1] : [weight + 1, bad]);
    }
  }
  return [...weights].map(([row, [weight, bad]]) => /** @type {[number, number, number]} */ ([row, weight, bad])).sort((a, b) => a[0] - b[0]);
}

/**
 * The row of the turn nearest to `middle`: it stays in view longest as the window moves on. -1 where no turn has one.
 * @param {Scene} scene @param {Stave} stave @param {number} middle
 */
export function nearestRow(scene, stave, middle) {
  const { marks, lanes, list, rows } = scene.map;
  let best = -1;
  let nearest = Infinity;
  for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
    if (Math.abs(turn + 0.5 - middle) >= nearest) continue;
    for (const mark of lanes.of.get(turn)?.marks ?? []) {
      const node = marks.node.data[mark];
      if (list[node].layer !== stave.layer || rows.number[node] < 0) continue;
      best = rows.number[node];
      nearest = Math.abs(turn + 0.5 - middle);
      break;
    }
  }
  return best;
}

/** The node that was last heard of in each layer: the newest visit and slot, but the best document. @param {import('lb/fold').DialogueMap} map */
export function newestNodes({ marks, lanes, list, rows, firstTurn, lastTurn }) {
  /** @type {Map<Layer, number>} */
  const newest = new Map();
  for (let turn = lastTurn; turn >= Math.max(firstTurn, lastTurn - NEWEST_TURNS) && newest.size < LAYERS.length; turn--) {
    /** @type {Map<Layer, number>} */
    const inLane = new Map();
    for (const mark of lanes.of.get(turn)?.marks ?? []) {
      const node = marks.node.data[mark];
      const { layer } = list[node];
      // A stage's documents come best first.
      if (rows.number[node] >= 0 && !(layer === 'knowledge' && inLane.has(layer))) inLane.set(layer, node);
    }
    for (const [layer, node] of inLane) if (!newest.has(layer)) newest.set(layer, node);
  }
  return newest.values();
}
