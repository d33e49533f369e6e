// Turns of the session that the shown map does not hold: a quiet ground on the map with a word why, a hatch on the timeline.
import { HEADER } from 'lb/layout';
import { hatch } from 'lb/paint_findings';
import { FONT } from 'lb/styles';

/** @typedef {import('lb/scene').Scene} Scene */

/** Narrower than this, no words. */
const WORDS = 60;
const MOST_LINES = 4;

/** The stretches of the time axis that are not held: those before and those after. @param {Scene} scene @returns {[number, number][]} */
function gaps({ map, newest }) {
  return [
    [Math.min(1, map.firstTurn), map.retired ? map.firstTurn : Math.min(1, map.firstTurn)],
    newest ? [map.lastTurn + 1, newest.lastTurn + 1] : [0, 0],
  ];
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintBeyond(ctx, scene) {
  const { layout, tokens } = scene;
  ctx.fillStyle = tokens.bg;
  for (const [from, to] of gaps(scene)) {
    const x0 = Math.max(layout.x(from), layout.x(layout.from));
    const x1 = Math.min(layout.x(to), layout.width);
    if (x1 > x0) ctx.fillRect(x0, HEADER, x1 - x0, layout.height - HEADER);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintBeyondWords(ctx, scene) {
  const { layout, tokens } = scene;
  gaps(scene).forEach(([from, to], after) => {
    const x0 = Math.max(layout.x(from), layout.x(layout.from));
    const x1 = Math.min(layout.x(to), layout.width);
    if (x1 - x0 < WORDS) return;
    const range = { from, to: to - 1, most: scene.map.about.policy?.kept_turns ?? 1000 };
    ctx.font = FONT.label;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillStyle = tokens['text-3'];
    const words = scene.text(after ? 'moments.later' : 'moments.earlier', range);
    evenly(scene.lettering, words, x1 - x0 - 16).forEach((line, i) => ctx.fillText(line, (x0 + x1) / 2, HEADER + 40 + i * 18));
  });
}

/** As few lines as have room for the words, about as long as each other: none holds a last character alone. @param {import('lb/lettering').Lettering} lettering @param {string} words @param {number} room */
function evenly(lettering, words, room) {
  const lines = lettering.wrap(words, FONT.label, room, MOST_LINES);
  if (lines.length === 1 || lines.length === MOST_LINES) return lines;
  const even = lettering.wrap(words, FONT.label, Math.min(room, (lettering.width(words, FONT.label) / lines.length) * 1.15), MOST_LINES);
  return even.length === lines.length ? even : lines;
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {import('lb/scrub').ScrubLayout} layout @param {number} y @param {number} h */
export function hatchBeyond(ctx, scene, layout, y, h) {
  for (const [from, to] of gaps(scene)) {
    const x0 = layout.x(from);
    const x1 = layout.x(to);
    if (x1 - x0 > 1) hatch(ctx, x0, y, x1 - x0, h, scene.tokens['text-3']);
  }
}
