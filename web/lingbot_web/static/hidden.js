// Marks of the window that stand on rows scrolled away: the gutter tells of them, and staves scroll by them.
import { LAYERS } from 'lb/kinds';
import { DENSE, scrollable } from 'lb/layout';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/layout').Stave} Stave */
/** @typedef {import('lb/types').Layer} Layer */
/** Marks above, below and on the rows shown. @typedef {[number, number, number]} Hidden */

/** The stave on which a mark's node has its row, by kind of mark; a question's node is the intent that asked. */
const LAYER_OF_MARK = [0, 0, 1, 1, 0, 2, 2];
/** What was counted last: it is asked for several times in a frame, and as the window moves only lanes that came and went are counted. @type {WeakMap<import('lb/fold').DialogueMap, Counted>} */
const told = new WeakMap();
/** @type {Hidden} */
const NONE = [0, 0, 0];

/**
 * @typedef {object} Counted
 * @property {number} first lane counted
 * @property {number} last
 * @property {number} seq last event shown
 * @property {number} size how many marks there were
 * @property {number} retired
 * @property {string} rows which rows the staves showed, and how many there were
 * @property {Partial<Record<Layer, Hidden>>} hidden
 */

/** How many marks of the lanes in view stand on rows scrolled away above and below, and how many on rows shown; for the staves that scroll. @param {Scene} scene @returns {Partial<Record<Layer, Hidden>>} */
export function hiddenMarks(scene) {
  const { map, lane, firstTurn, lastTurn, seq } = scene;
  if (lane < DENSE) return {};
  if (scene.filters?.active) return count(scene, counters(scene), firstTurn, lastTurn, 1);
  const rows = rowsShown(scene);
  const { size } = map.marks;
  const known = told.get(map);
  if (!known || known.seq !== seq || known.size !== size || known.retired !== map.retired || known.rows !== rows || known.last < firstTurn || known.first > lastTurn) {
    const hidden = count(scene, counters(scene), firstTurn, lastTurn, 1);
    told.set(map, { first: firstTurn, last: lastTurn, seq, size, retired: map.retired, rows, hidden });
    return hidden;
  }
  const { first, last, hidden } = known;
  known.first = firstTurn;
  known.last = lastTurn;
  count(scene, hidden, first, firstTurn - 1, -1);
  count(scene, hidden, lastTurn + 1, last, -1);
  count(scene, hidden, firstTurn, first - 1, 1);
  return count(scene, hidden, last + 1, lastTurn, 1);
}

/** @param {Scene} scene */
function rowsShown({ map, layout }) {
  let sign = '';
  for (const { layer, scroll, room } of layout.staves.staves) sign += `${layer} ${scroll} ${room} ${map.rows.of[layer].length},`;
  return sign;
}

/** @param {Scene} scene @returns {Partial<Record<Layer, Hidden>>} nought for each stave that scrolls */
function counters({ map, layout }) {
  /** @type {Partial<Record<Layer, Hidden>>} */
  const hidden = {};
  for (const stave of layout.staves.staves) if (scrollable(stave, map.rows.of[stave.layer].length)) hidden[stave.layer] = [0, 0, 0];
  return hidden;
}

/** Adds the marks of lanes `first` to `last`, or takes them away. @param {Scene} scene @param {Partial<Record<Layer, Hidden>>} hidden @param {number} first @param {number} last @param {1 | -1} step */
function count(scene, hidden, first, last, step) {
  if (first > last) return hidden;
  const { map, layout, seq } = scene;
  const { node, seq: seqs, kind } = map.marks;
  const staves = LAYERS.map((layer) => layout.stave(layer));
  for (let turn = first; turn <= last; turn++) {
    const marks = map.lanes.of.get(turn)?.marks;
    if (!marks) continue;
    for (const mark of marks) {
      const row = map.rows.number[node.data[mark]];
      if (row < 0 || seqs.data[mark] > seq || scene.hides(mark)) continue;
      const layer = LAYER_OF_MARK[kind.data[mark]];
      const counts = hidden[LAYERS[layer]];
      if (!counts) continue;
      const stave = /** @type {Stave} */ (staves[layer]);
      counts[row < stave.scroll ? 0 : row >= stave.scroll + stave.room ? 1 : 2] += step;
    }
  }
  return hidden;
}

/** The same for one stave. @param {Scene} scene @param {Stave} stave @returns {Hidden} */
export function hiddenOn(scene, stave) {
  return hiddenMarks(scene)[stave.layer] ?? NONE;
}

/** What the gutter tells of it, to see whether it is another. @param {Scene} scene */
export function hiddenTold(scene) {
  const { flow = NONE, state = NONE, knowledge = NONE } = hiddenMarks(scene);
  return `${flow[0]} ${flow[1]} ${state[0]} ${state[1]} ${knowledge[0]} ${knowledge[1]}`;
}
