// What is red across lanes: brackets over loops, ties to the document that should have won, labels. And the amber of gaps.
import { drawGlyph, putGlyph, takePen } from 'lb/glyphs';
import { MARK, badBit } from 'lb/kinds';
import { HEADER } from 'lb/layout';
import { LEVELS } from 'lb/ink';
import { FONT, S } from 'lb/styles';
import { placeTags } from 'lb/tags';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/ink').Ink} Ink */
/** @typedef {import('lb/evidence').Evidence} Evidence */
/** @typedef {import('lb/tags').Tag} Tag */

const LEAK = badBit('leak');
const BEYOND_TRAIL = 0.55;
const HATCH = 6;

/** @param {Scene} scene @param {Ink} ink @param {Evidence[]} findings */
export function paintEvidence(scene, ink, findings) {
  for (const { finding, marks, ties } of findings) {
    if (finding.kind === 'loop' && scene.flow && marks.length) {
      const y = scene.flow.top + 21;
      const reach = scene.pill / 2 + 2;
      const x0 = scene.x(marks[0]) - reach;
      const x1 = scene.x(marks[marks.length - 1]) + reach;
      const level = scene.trail ? 1 : 0;
      ink.line(S.bracket, level, x0, y + 5, x0, y);
      ink.to(S.bracket, level, x1, y);
      ink.to(S.bracket, level, x1, y + 5);
    }
    if (finding.kind === 'leak') for (const mark of marks) paintLeak(scene, ink, mark);
    for (const [winner, rival] of ties) {
      const y0 = scene.y(winner);
      const y1 = scene.y(rival);
      if (Number.isNaN(y0) || Number.isNaN(y1)) continue;
      const down = Math.sign(y1 - y0);
      ink.line(S.tie, scene.linkLevel(winner, rival), scene.x(rival), y1 - down * (scene.radius(rival) + 1), scene.x(winner), y0 + down * (scene.radius(winner) + 4));
    }
  }
}

/** From a read of another task's value back to the write, wherever in the session either stands. @param {Scene} scene @param {Ink} ink @param {number} read */
function paintLeak(scene, ink, read) {
  const { marks } = scene.map;
  const write = marks.prev.data[read];
  const y = scene.y(read);
  if (marks.kind.data[read] !== MARK.READ || write < 0 || Number.isNaN(y) || !(scene.badMark(read) & LEAK)) return;
  ink.line(S.leakTie, scene.linkLevel(write, read), scene.x(write), y, scene.x(read) - 4, y);
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {Evidence[]} findings */
export function paintTags(ctx, scene, findings) {
  const { tokens, trail } = scene;
  const tags = (scene.tags = placeTags(scene, findings));
  const near = (/** @type {number} */ mark) => trail !== null && trail[mark] > 0 && trail[mark] <= 2;
  const beyond = trail ? new Set(tags.filter(({ evidence }) => !evidence.marks.some(near))) : null;
  // None lies over another: first all grounds, then all glyphs, then all words, with few changes of colour.
  const each = (/** @type {string} */ bad, /** @type {string} */ gap, /** @type {(tag: Tag) => void} */ paint) => {
    let colour = '';
    for (const tag of tags) {
      const wanted = tag.kind === 'gap' ? gap : bad;
      if (wanted !== colour) ctx.fillStyle = ctx.strokeStyle = colour = wanted;
      if (beyond) ctx.globalAlpha = beyond.has(tag) ? BEYOND_TRAIL : 1;
      paint(tag);
    }
  };
  each(tokens.bad, tokens.map, ({ kind, x, y, w, h }) => {
    ctx.beginPath();
    ctx.roundRect(x, y, w, h, h / 2);
    ctx.fill();
    if (kind !== 'gap') return;
    ctx.strokeStyle = tokens.warn;
    ctx.lineWidth = 1.25;
    ctx.stroke();
  });
  takePen(ctx);
  each(tokens['bad-on'], tokens.warn, ({ kind, text, x, y, w, h }) => putGlyph(ctx, kind, x + (text ? 13 : w / 2), y + h / 2));
  ctx.font = FONT.tag;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  each(tokens['bad-on'], tokens.warn, ({ text, x, y, h }) => {
    if (text) ctx.fillText(text, x + 22, y + h / 2 + 0.5);
  });
  ctx.globalAlpha = 1;
}

/** Clocks of stale documents. @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {{x: number, y: number, level: number}[]} clocks */
export function paintClocks(ctx, scene, clocks) {
  for (const { x, y, level } of clocks) {
    ctx.globalAlpha = LEVELS[level];
    ctx.fillStyle = scene.tokens.map;
    ctx.beginPath();
    ctx.arc(x, y, 6, 0, Math.PI * 2);
    ctx.fill();
    drawGlyph(ctx, 'stale', x, y, scene.tokens.bad);
  }
  ctx.globalAlpha = 1;
}

/** Amber hatching where events were lost. @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {Evidence[]} findings */
export function paintGaps(ctx, scene, findings) {
  for (const { finding } of findings) {
    if (finding.kind !== 'gap') continue;
    const w = Math.max(3, Math.min(26, scene.lane * 0.34));
    hatch(ctx, scene.layout.x(scene.turnOfSeq(finding.seq)) - w / 2, HEADER + 4, w, scene.layout.height - HEADER - scene.layout.foot - 4, scene.tokens.warn);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} w @param {number} h @param {string} colour */
export function hatch(ctx, x, y, w, h, colour) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, w, h);
  ctx.clip();
  ctx.globalAlpha = 0.1;
  ctx.fillStyle = colour;
  ctx.fillRect(x, y, w, h);
  ctx.globalAlpha = 0.55;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.25;
  for (let step = y - w; step < y + h; step += HATCH * 40) {
    ctx.beginPath();
    for (let i = 0; i < 40 && step + i * HATCH < y + h; i++) {
      ctx.moveTo(x, step + i * HATCH + w);
      ctx.lineTo(x + w, step + i * HATCH);
    }
    ctx.stroke();
  }
  ctx.restore();
}
