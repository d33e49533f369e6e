// What lies over the map and changes without it: rings around what is hovered and picked, and the playhead.
import { DENSE, FOOT, GUTTER, HEADER } from 'lb/layout';
import { MARK } from 'lb/kinds';
import { markOf, marksOf } from 'lb/picking';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/types').Selection} Selection */

const RING = 4;

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {Selection | null} hover @param {number | null} playhead */
export function paintOverlay(ctx, scene, hover, playhead) {
  const { layout, tokens, selection } = scene;
  ctx.save();
  ctx.beginPath();
  ctx.rect(GUTTER, 0, layout.width - GUTTER, layout.height);
  ctx.clip();
  if (playhead !== null) paintPlayhead(ctx, scene, playhead);
  if (scene.lane >= DENSE) {
    if (hover && !same(hover, selection)) rings(ctx, scene, hover, tokens['text-3'], 1.5);
    if (selection) rings(ctx, scene, selection, tokens.focus, 2.25);
  }
  ctx.restore();
}

/** @param {Selection} a @param {Selection | null} b */
function same(a, b) {
  return b !== null && a.kind === b.kind && a.id === b.id && a.seq === b.seq;
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {Selection} sel @param {string} colour @param {number} width */
function rings(ctx, scene, sel, colour, width) {
  const marks = sel.kind === 'finding' || sel.kind === 'edge' ? marksOf(scene.map, sel) : [markOf(scene.map, sel)];
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash([]);
  for (const mark of marks) {
    if (mark < 0) continue;
    const box = scene.box(mark);
    if (!box) continue;
    const h = box.h + 2 * RING;
    ctx.beginPath();
    ctx.roundRect(box.x - RING, box.y - RING, box.w + 2 * RING, h, scene.map.marks.kind.data[mark] === MARK.WRITE ? 7 : Math.min(14, h / 2));
    ctx.stroke();
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {number} playhead */
function paintPlayhead(ctx, scene, playhead) {
  const { layout, tokens } = scene;
  const x = Math.round(layout.x(scene.turnOfSeq(playhead)));
  ctx.fillStyle = tokens.focus;
  ctx.fillRect(x - 0.75, HEADER, 1.5, layout.height - HEADER - FOOT / 2);
  ctx.beginPath();
  ctx.moveTo(x - 5, HEADER - 5);
  ctx.lineTo(x + 5, HEADER - 5);
  ctx.lineTo(x, HEADER + 2);
  ctx.closePath();
  ctx.fill();
}
