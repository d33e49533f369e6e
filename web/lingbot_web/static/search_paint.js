// What a search found, as drawn: a ring around each mark, a bar under what was said, ticks far out and on the timeline.
import { MARK } from 'lb/kinds';
import { DENSE, HEADER } from 'lb/layout';

/** @typedef {import('lb/scene').Scene} Scene */

const RING = 3;

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintFound(ctx, scene) {
  const { found, map, layout, tokens } = scene;
  if (!found) return;
  ctx.strokeStyle = ctx.fillStyle = tokens.focus;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([]);
  if (scene.lane < DENSE) {
    ticks(ctx, scene, (turn) => layout.x(turn), scene.lane, scene.firstTurn, scene.lastTurn, HEADER - 6, 4);
    return;
  }
  for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
    for (const mark of map.lanes.of.get(turn)?.marks ?? []) {
      if (!found.has(mark) || scene.hides(mark)) continue;
      if (map.marks.kind.data[mark] === MARK.UTTERANCE) {
        ctx.fillRect(layout.x(turn) + 3, HEADER - 6, scene.lane - 6, 2.5);
        continue;
      }
      const box = scene.box(mark);
      if (!box) continue;
      ctx.globalAlpha = map.marks.seq.data[mark] > scene.seq ? 0.4 : 1;
      ctx.beginPath();
      ctx.roundRect(box.x - RING, box.y - RING, box.w + 2 * RING, box.h + 2 * RING, map.marks.kind.data[mark] === MARK.WRITE ? 6 : Math.min(13, box.h / 2 + RING));
      ctx.stroke();
    }
  }
  ctx.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {import('lb/scrub').ScrubLayout} layout @param {number} y */
export function paintFoundTicks(ctx, scene, layout, y) {
  if (!scene.found) return;
  ctx.fillStyle = scene.tokens.focus;
  ticks(ctx, scene, (turn) => layout.x(turn), layout.lane, scene.map.firstTurn, scene.map.lastTurn, y, 3);
}

/** At most one a pixel column. @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {(turn: number) => number} at @param {number} lane @param {number} first @param {number} last @param {number} y @param {number} high */
function ticks(ctx, scene, at, lane, first, last, y, high) {
  const width = Math.max(1.5, Math.min(lane - 1, 24));
  let free = -Infinity;
  for (let turn = first; turn <= last; turn++) {
    if (!scene.found?.turns.has(turn)) continue;
    const x = at(turn) + Math.max(0, (lane - width) / 2);
    if (x < free) continue;
    ctx.fillRect(x, y, width, high);
    free = x + 1;
  }
}
