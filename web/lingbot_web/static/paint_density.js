// Far out: one column a pixel and layer, from counts kept for every 2^k turns. Findings get their tick whatever the zoom.
import { HEADER } from 'lb/layout';
import { LAYERS, badBit } from 'lb/kinds';
import { CHANNELS } from 'lb/lanes';

/** @typedef {import('lb/scene').Scene} Scene */

const GAP = badBit('gap');
const COLOURS = /** @type {const} */ (['flow', 'state', 'know']);
const BITS = 3;

/** The level of the pyramid whose blocks are at least a pixel wide. @param {number} lane width of a lane */
export function blockLevel(lane) {
  return Math.max(0, Math.ceil(Math.log2(1 / lane)));
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintDensity(ctx, scene) {
  const { layout, map, tokens } = scene;
  const lanes = scene.counted;
  const level = Math.min(blockLevel(scene.lane), lanes.levels.length - 1);
  const turns = 2 ** level;
  const first = Math.floor(scene.firstTurn / turns);
  const last = Math.floor(scene.lastTurn / turns);
  const gap = scene.lane * turns > 4 ? 1 : 0;
  const until = scene.seq === Infinity ? Infinity : map.turnOf(scene.seq);
  LAYERS.forEach((layer, channel) => {
    const stave = layout.stave(layer);
    if (!stave) return;
    const counts = lanes.levels[level];
    const most = lanes.most[level][channel] || 1;
    const room = stave.bottom - stave.rows - 4;
    ctx.fillStyle = tokens[COLOURS[channel]];
    ctx.globalAlpha = 0.85;
    let later = false;
    let x = Math.round(layout.x(first * turns)); // whole pixels, or neighbours of 1.3 px beat against the grid
    for (let block = first; block <= last; block++) {
      const left = x;
      x = Math.round(layout.x((block + 1) * turns));
      const count = counts[block * CHANNELS + channel];
      if (!count) continue;
      if (!later && block * turns > until) {
        later = true;
        ctx.globalAlpha = 0.15;
      }
      const h = Math.max(2, room * Math.sqrt(count / most));
      ctx.fillRect(left, stave.bottom - h, Math.max(1, x - left - gap), h);
    }
  });
  ctx.globalAlpha = 1;
}

/** One tick for each pixel column with findings, in the header. @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintTicks(ctx, scene) {
  const { layout, map, tokens } = scene;
  const level = Math.min(blockLevel(scene.lane), map.lanes.levels.length - 1);
  const turns = 2 ** level;
  const width = Math.max(1, Math.min(3, Math.round(scene.lane * turns)));
  const last = Math.floor(scene.lastTurn / turns);
  let colour = '';
  for (let block = Math.floor(scene.firstTurn / turns); block <= last; block++) {
    const bits = map.lanes.sum(level, block, BITS);
    if (!bits) continue;
    const wanted = bits & ~GAP ? tokens.bad : tokens.warn;
    if (wanted !== colour) ctx.fillStyle = colour = wanted;
    ctx.fillRect(Math.round(layout.x(block * turns)), HEADER - 34, width, 26);
  }
}
