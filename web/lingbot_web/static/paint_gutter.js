// What the marks stand on: lanes and row lines, and the gutter with the rows' names and values at the moment shown.
import { hiddenMarks } from 'lb/hidden';
import { badBit } from 'lb/kinds';
import { GUTTER, HEADER, STAVE_HEAD, scrollable } from 'lb/layout';
import { plain } from 'lb/lettering';
import { paintBeyond } from 'lb/moments_paint';
import { FONT } from 'lb/styles';
import { ageText } from 'lb/tags';
import { codeName } from 'lb/words';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/layout').Stave} Stave */
/** @typedef {import('lb/rows').Row} Row */

const STALE = badBit('stale');
const LABEL_X = 22;
/** A title that ends in a word is known by its beginning; one that ends in a number, a bracket or Chinese also by its end. */
const PROSE = /\p{Script=Latin}$/u;
/** A value has at most so much room, and so much even beside a long name. */
const LARGEST_VALUE = 62;
const SMALLEST_VALUE = 34;
/** Rows so high tell the id below the name, lower ones after it. */
const TWO_LINES = 30;
/** Pixels between the lines of an empty stave. */
const RULE = 32;
const KIND = /** @type {const} */ ({ flow: 'kind.intent', state: 'kind.slot', knowledge: 'kind.doc' });
const COLOUR = /** @type {const} */ ({ flow: 'flow', state: 'state', knowledge: 'know' });
const COLUMN = /** @type {const} */ ({ flow: 'score.visits', state: 'score.now', knowledge: 'score.hits' });
/** Beside the longest of the staves' own names. */
const SHORT = 'score.hits.short';
/** Between what is scrolled away and what the column holds. */
const BESIDE = 8;

/** Lanes and row lines. @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintGround(ctx, scene) {
  const { layout, tokens, selection } = scene;
  const { width, height } = layout;
  const w = scene.lane;
  if (w >= 4) {
    ctx.fillStyle = tokens['map-alt'];
    for (let turn = scene.firstTurn + (scene.firstTurn % 2); turn <= scene.lastTurn; turn += 2) ctx.fillRect(layout.x(turn), HEADER, w, height);
  }
  if (selection && selection.turn >= scene.firstTurn && selection.turn <= scene.lastTurn && (selection.seq || selection.kind === 'turn')) {
    ctx.fillStyle = tokens['sel-col'];
    ctx.fillRect(layout.x(selection.turn), HEADER, Math.max(1, w), height);
  }
  paintBeyond(ctx, scene);
  ctx.strokeStyle = tokens['line-2'];
  ctx.lineWidth = 1;
  for (const stave of layout.staves.staves) {
    const rows = scene.map.rows.of[stave.layer];
    const end = Math.min(rows.length, stave.scroll + stave.room);
    ctx.beginPath();
    // Before there is anything the staves are ruled, as a sheet is before it is written on.
    if (!scene.map.lanes.of.size) for (let y = Math.round(stave.rows) + RULE / 2 + 0.5; y < stave.bottom; y += RULE) {
      ctx.moveTo(GUTTER, y);
      ctx.lineTo(width, y);
    }
    for (let i = stave.scroll; i < end; i++) {
      const y = Math.round(layout.y(stave, i)) + 0.5;
      ctx.moveTo(GUTTER, y);
      ctx.lineTo(width, y);
    }
    ctx.stroke();
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintGutter(ctx, scene) {
  const { layout, tokens } = scene;
  ctx.fillStyle = tokens.panel;
  ctx.fillRect(0, 0, GUTTER, layout.height);
  ctx.textBaseline = 'middle';
  ctx.strokeStyle = tokens.line;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(GUTTER - 0.5, 0);
  ctx.lineTo(GUTTER - 0.5, layout.height);
  for (const stave of layout.staves.staves) {
    const y = Math.round(stave.top - 2) + 0.5;
    ctx.moveTo(0, y);
    ctx.lineTo(GUTTER, y);
  }
  ctx.moveTo(0, HEADER + 0.5);
  ctx.lineTo(GUTTER, HEADER + 0.5);
  ctx.stroke();
  for (const stave of layout.staves.staves) {
    ctx.fillStyle = tokens[COLOUR[stave.layer]];
    ctx.beginPath();
    ctx.roundRect(12, stave.top + 9, 3, 11, 1.5);
    ctx.fill();
    ctx.textAlign = 'left';
    ctx.fillStyle = tokens.text;
    ctx.font = FONT.labelStrong;
    ctx.fillText(scene.word(`score.${stave.layer}`), LABEL_X, stave.top + 15);
    if (scene.map.lanes.of.size) paintRows(ctx, scene, stave);
    else {
      ctx.font = FONT.label;
      ctx.fillStyle = tokens['text-3'];
      ctx.fillText(scene.word(KIND[stave.layer]), LABEL_X, Math.round(stave.rows) + RULE / 2 + 0.5);
    }
    paintThumb(ctx, scene, stave);
  }
  paintColumns(ctx, scene);
  ctx.textAlign = 'left';
  ctx.font = FONT.head;
  ctx.fillStyle = tokens['text-3'];
  ctx.fillText(scene.word('score.turn'), LABEL_X, 17);
  ctx.fillText(scene.word(scene.readable ? 'score.said' : 'score.anomaly'), LABEL_X, 41);
}

/** What the staves' right columns hold; and before it, where rows are scrolled away, how many marks of the window stand on them. All on one line: where there is no room for both the column has its short name, and none where that is too long. @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintColumns(ctx, scene) {
  const { layout, tokens } = scene;
  const hidden = hiddenMarks(scene);
  ctx.font = FONT.small;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  for (const stave of layout.staves.staves) {
    const [above, below] = hidden[stave.layer] ?? [0, 0];
    const left = LABEL_X + scene.lettering.width(scene.word(`score.${stave.layer}`), FONT.labelStrong) + 4;
    const right = GUTTER - 12;
    const wide = (/** @type {string} */ words) => (words ? scene.lettering.width(words, FONT.small) : 0);
    let told = [above ? `▲${above}` : '', below ? `▼${below}` : ''].join(' ').trim();
    if (left + wide(told) > right) told = `${above ? '▲' : ''}${below ? '▼' : ''}`;
    const names = [scene.word(COLUMN[stave.layer]), stave.layer === 'knowledge' ? scene.word(SHORT) : ''];
    const column = names.find((name) => !told || left + wide(told) + BESIDE + wide(name) <= right) ?? '';
    ctx.fillStyle = tokens.panel;
    ctx.fillRect(left, stave.top + 1, GUTTER - 1 - left, STAVE_HEAD - 2);
    ctx.fillStyle = tokens['text-3'];
    if (column) ctx.fillText(column, right, stave.top + 15);
    if (!told) continue;
    ctx.fillStyle = tokens['text-2'];
    ctx.fillText(told, column ? right - wide(column) - BESIDE : right, stave.top + 15);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {Stave} stave */
function paintRows(ctx, scene, stave) {
  const { layout, map, tokens } = scene;
  const rows = map.rows.of[stave.layer];
  const end = Math.min(rows.length, stave.scroll + stave.room);
  for (let i = stave.scroll; i < end; i++) paintRow(ctx, scene, stave, rows[i], layout.y(stave, i), i === 0);
  if (stave.layer === 'knowledge' && map.lanes.of.size) {
    ctx.textAlign = 'left';
    ctx.font = FONT.label;
    ctx.fillStyle = tokens['text-2'];
    ctx.fillText(scene.word('score.answer'), LABEL_X, layout.answerY(stave) + 0.5);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {Stave} stave @param {Row} row @param {number} y @param {boolean} first */
function paintRow(ctx, scene, stave, row, y, first) {
  const { layout, map, tokens, lettering } = scene;
  const node = map.list[row.node];
  const h = layout.staves.rowHeight;
  const chosen = scene.selection?.kind === 'node' && scene.selection.id === node.id;
  if (chosen || scene.found?.rows.has(row.node)) {
    ctx.fillStyle = tokens['sel-col'];
    ctx.fillRect(0, y - h / 2, GUTTER - 1, h);
    if (!chosen) {
      ctx.fillStyle = tokens.focus;
      ctx.fillRect(0, y - h / 2 + 3, 3, h - 6);
    }
  }
  const bits = scene.red.get(row.node) ?? 0;
  let x = LABEL_X;
  if (row.depth) {
    x = 36;
    ctx.strokeStyle = tokens.line;
    ctx.beginPath();
    ctx.moveTo(26.5, first ? y - 4 : y - h / 2 + 4);
    ctx.lineTo(26.5, y + 0.5);
    ctx.lineTo(32, y + 0.5);
    ctx.stroke();
  }
  const parent = row.under ? ` · ${plain(map.node(row.under)?.label ?? row.under.slice(7))}` : '';
  const label = plain(node.label) + parent;
  const font = bits || chosen ? FONT.labelStrong : FONT.label;
  const left = GUTTER - 20 - x - lettering.width(label, font);
  const value = lettering.fitEnds(rowValue(scene, stave, row), FONT.value, Math.min(LARGEST_VALUE, Math.max(SMALLEST_VALUE, left)));
  const age = bits & STALE ? staleAge(scene, row.node) : '';
  const aged = age ? lettering.width(age, FONT.small) + 4 : 0;
  const all = GUTTER - 12 - x - (value ? lettering.width(value, FONT.value) + 6 : 0);
  const room = all - aged;
  const name = stave.layer === 'knowledge' && !PROSE.test(label) ? lettering.fitEnds(label, font, room) : lettering.fit(label, font, room);
  const id = codeName(node);
  const below = id !== '' && h >= TWO_LINES;
  const line = below ? y - 6 : y + 0.5;
  const past = node.seq > scene.seq;
  ctx.globalAlpha = past ? 0.34 : scene.faded(row.node) ? 0.6 : 1;
  ctx.textAlign = 'left';
  ctx.font = font;
  ctx.fillStyle = bits ? tokens['bad-ink'] : chosen ? tokens.text : tokens['text-2'];
  ctx.fillText(name, x, line);
  if (age) {
    ctx.font = FONT.small;
    ctx.fillText(age, x + lettering.width(name, font) + 4, line);
  }
  const after = below ? 0 : lettering.width(name, font) + aged + 5;
  // Half an id is not what anybody looks for; the tooltip has it.
  const told = id && lettering.fit(id, FONT.value, all - after) === id;
  if (told) {
    ctx.font = FONT.value;
    ctx.fillStyle = tokens['text-3'];
    ctx.fillText(id, x + after, below ? y + 7.5 : line);
  }
  if (value && !past) {
    ctx.textAlign = 'right';
    ctx.font = FONT.value;
    ctx.fillStyle = bits && stave.layer === 'knowledge' ? tokens['bad-ink'] : tokens['text-3'];
    ctx.fillText(value, GUTTER - 12, y + 0.5);
  }
  ctx.globalAlpha = 1;
}

/** What a row's right column shows, as it stood at the moment shown. @param {Scene} scene @param {Stave} stave @param {Row} row */
function rowValue(scene, stave, row) {
  const { map } = scene;
  if (stave.layer === 'flow') {
    if (scene.seq === Infinity) return String(row.marks.length);
    let low = 0;
    let high = row.marks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (map.marks.seq.data[row.marks[middle]] <= scene.seq) low = middle + 1;
      else high = middle;
    }
    return String(low);
  }
  if (stave.layer === 'state') {
    const value = map.value(row.node, 'value', scene.moment);
    if (map.value(row.node, 'set', scene.moment) === false || value === null) return '∅';
    return plain(value);
  }
  const hits = map.value(row.node, 'hits', scene.moment);
  return typeof hits === 'number' ? String(hits) : '';
}

/** @param {Scene} scene @param {number} place */
function staleAge(scene, place) {
  const days = scene.ages.get(place) ?? NaN;
  return Number.isNaN(days) ? scene.word('score.tag.stale.plain') : ageText(scene, days);
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {Stave} stave */
function paintThumb(ctx, scene, stave) {
  const count = scene.map.rows.of[stave.layer].length;
  const most = scrollable(stave, count);
  if (!most) return;
  const track = stave.bottom - stave.rows;
  const length = Math.max(18, (track * stave.room) / count);
  ctx.fillStyle = scene.tokens['line-2'];
  ctx.fillRect(GUTTER - 7, stave.rows, 4, track);
  ctx.fillStyle = scene.tokens['text-3'];
  ctx.beginPath();
  ctx.roundRect(GUTTER - 7, stave.rows + ((track - length) * stave.scroll) / most, 4, length, 2);
  ctx.fill();
}
