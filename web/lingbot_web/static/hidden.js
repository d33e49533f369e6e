// Marks of the window that stand on rows scrolled away: the gutter tells of them, and staves scroll by them.
import { LAYERS } from 'lb/kinds';
import { DENSE, scrollable } from 'lb/layout';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/layout').Stave} Stave */
/** @typedef {import('lb/types').Layer} Layer */
/** Marks above, below and on the rows shown. @typedef {[number, number, number]} Hidden */

/** The stave on which a mark's node has its row, by kind of mark; a question's node is the intent that asked. */
const LAYER_OF_MARK = [0, 0, 1, 1, 0, 2, 2];
/** What was counted last: it is asked for several times in a frame. @type {WeakMap<import('lb/fold').DialogueMap, {sign: string, hidden: Partial<Record<Layer, Hidden>>}>} */
const told = new WeakMap();
/** @type {Hidden} */
const NONE = [0, 0, 0];

/** How many marks of the lanes in view stand on rows scrolled away above and below, and how many on rows shown; for the staves that scroll. @param {Scene} scene @returns {Partial<Record<Layer, Hidden>>} */
export function hiddenMarks(scene) {
  if (scene.filters?.active) return count(scene);
  const { map, layout, lane, firstTurn, lastTurn, seq } = scene;
  const staves = layout.staves.staves.map(({ layer, scroll, room }) => `${layer} ${scroll} ${room}`).join();
  const sign = `${lane < DENSE} ${firstTurn} ${lastTurn} ${seq} ${map.marks.size} ${map.retired} ${staves}`;
  const known = told.get(map);
  if (known?.sign === sign) return known.hidden;
  const hidden = count(scene);
  told.set(map, { sign, hidden });
  return hidden;
}

/** @param {Scene} scene @returns {Partial<Record<Layer, Hidden>>} */
function count(scene) {
  const { map, layout, lane, firstTurn, lastTurn, seq } = scene;
  /** @type {Partial<Record<Layer, Hidden>>} */
  const hidden = {};
  if (lane < DENSE) return hidden;
  let some = false;
  for (const stave of layout.staves.staves) {
    if (!scrollable(stave, map.rows.of[stave.layer].length)) continue;
    hidden[stave.layer] = [0, 0, 0];
    some = true;
  }
  if (!some) return hidden;
  const staves = { flow: layout.stave('flow'), state: layout.stave('state'), knowledge: layout.stave('knowledge') };
  const { node, seq: seqs, kind } = map.marks;
  for (let turn = firstTurn; turn <= lastTurn; turn++) {
    const marks = map.lanes.of.get(turn)?.marks;
    if (!marks) continue;
    for (const mark of marks) {
      const place = node.data[mark];
      const row = map.rows.number[place];
      if (row < 0 || seqs.data[mark] > seq || scene.hides(mark)) continue;
      const layer = LAYERS[LAYER_OF_MARK[kind.data[mark]]];
      const counts = hidden[layer];
      if (!counts) continue;
      const stave = /** @type {Stave} */ (staves[layer]);
      counts[row < stave.scroll ? 0 : row >= stave.scroll + stave.room ? 1 : 2]++;
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
