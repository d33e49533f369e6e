// What stands around the marks: lanes, row lines, the header with what was said, the gutter with the rows' names.
import { drawGlyph } from 'lb/glyphs';
import { FINDING_KINDS, badBit } from 'lb/kinds';
import { GUTTER, HEADER, READABLE, scrollable } from 'lb/layout';
import { plain } from 'lb/lettering';
import { FONT } from 'lb/styles';
import { ageText } from 'lb/tags';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/layout').Stave} Stave */
/** @typedef {import('lb/rows').Row} Row */

const STALE = badBit('stale');
const GAP = badBit('gap');
const LABEL_X = 22;
const VALUE_ROOM = 58;
const COLOUR = /** @type {const} */ ({ flow: 'flow', state: 'state', knowledge: 'know' });
const COLUMN = /** @type {const} */ ({ flow: 'score.visits', state: 'score.now', knowledge: 'score.hits' });

/** Lanes and row lines. @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintGround(ctx, scene) {
  const { layout, tokens, selection, matches } = scene;
  const { width, height } = layout;
  ctx.fillStyle = tokens.map;
  ctx.fillRect(0, 0, width, height);
  const w = scene.lane;
  if (w >= 4) {
    ctx.fillStyle = tokens['map-alt'];
    for (let turn = scene.firstTurn + (scene.firstTurn % 2); turn <= scene.lastTurn; turn += 2) ctx.fillRect(layout.x(turn), HEADER, w, height);
  }
  if (selection && selection.turn >= scene.firstTurn && selection.turn <= scene.lastTurn && (selection.seq || selection.kind === 'turn')) {
    ctx.fillStyle = tokens['sel-col'];
    ctx.fillRect(layout.x(selection.turn), HEADER, Math.max(1, w), height);
  }
  ctx.strokeStyle = tokens['line-2'];
  ctx.lineWidth = 1;
  for (const stave of layout.staves.staves) {
    const rows = scene.map.rows.of[stave.layer];
    const end = Math.min(rows.length, stave.scroll + stave.room);
    ctx.beginPath();
    for (let i = stave.scroll; i < end; i++) {
      const y = Math.round(layout.y(stave, i)) + 0.5;
      ctx.moveTo(GUTTER, y);
      ctx.lineTo(width, y);
    }
    ctx.stroke();
    if (!matches) continue;
    ctx.fillStyle = tokens['sel-col'];
    for (let i = stave.scroll; i < end; i++) {
      if (matches.nodes.has(scene.map.ids[rows[i].node])) ctx.fillRect(GUTTER, layout.y(stave, i) - layout.staves.rowHeight / 2, width, layout.staves.rowHeight);
    }
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
    ctx.lineTo(layout.width, y);
  }
  ctx.stroke();
  for (const stave of layout.staves.staves) {
    ctx.fillStyle = tokens[COLOUR[stave.layer]];
    ctx.beginPath();
    ctx.roundRect(12, stave.top + 9, 3, 11, 1.5);
    ctx.fill();
    ctx.fillStyle = tokens['text-3'];
    ctx.font = FONT.small;
    ctx.textAlign = 'right';
    ctx.fillText(scene.text(COLUMN[stave.layer]), GUTTER - 12, stave.top + 15);
    ctx.textAlign = 'left';
    ctx.fillStyle = tokens.text;
    ctx.font = FONT.labelStrong;
    ctx.fillText(scene.text(`score.${stave.layer}`), LABEL_X, stave.top + 15);
    paintRows(ctx, scene, stave);
    paintThumb(ctx, scene, stave);
  }
  ctx.textAlign = 'left';
  ctx.font = FONT.head;
  ctx.fillStyle = tokens['text-3'];
  ctx.fillText(scene.text('score.turn'), LABEL_X, 17);
  ctx.fillText(scene.text(scene.readable ? 'score.said' : 'score.anomaly'), LABEL_X, 41);
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
    ctx.fillText(scene.text('score.answer'), LABEL_X, layout.answerY(stave) + 0.5);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {Stave} stave @param {Row} row @param {number} y @param {boolean} first */
function paintRow(ctx, scene, stave, row, y, first) {
  const { layout, map, tokens, lettering } = scene;
  const node = map.list[row.node];
  const h = layout.staves.rowHeight;
  const chosen = scene.selection?.kind === 'node' && scene.selection.id === node.id;
  if (chosen || scene.matches?.nodes.has(node.id)) {
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
  const value = lettering.fit(rowValue(scene, stave, row), FONT.value, VALUE_ROOM);
  const age = bits & STALE ? staleAge(scene, row.node) : '';
  const room = GUTTER - 12 - x - (value ? lettering.width(value, FONT.value) + 8 : 0) - (age ? lettering.width(age, FONT.small) + 6 : 0);
  const font = bits || chosen ? FONT.labelStrong : FONT.label;
  const parent = row.under ? ` · ${plain(map.node(row.under)?.label ?? row.under.slice(7))}` : '';
  const name = lettering.fit(plain(node.label) + parent, font, room);
  const past = node.seq > scene.seq;
  ctx.globalAlpha = past ? 0.34 : scene.faded(row.node) ? 0.6 : 1;
  ctx.textAlign = 'left';
  ctx.font = font;
  ctx.fillStyle = bits ? tokens['bad-ink'] : chosen ? tokens.text : tokens['text-2'];
  ctx.fillText(name, x, y + 0.5);
  if (age) {
    ctx.font = FONT.small;
    ctx.fillText(age, x + lettering.width(name, font) + 6, y + 0.5);
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
  let days = NaN;
  for (const { finding, row } of scene.map.evidence.values()) if (row === place && finding.kind === 'stale' && scene.shows(finding)) days = finding.facts.age_days ?? days;
  return Number.isNaN(days) ? scene.text('score.tag.stale.plain') : ageText(scene, days);
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

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintHeader(ctx, scene) {
  const { layout, map, tokens } = scene;
  const w = scene.lane;
  ctx.save();
  ctx.beginPath();
  ctx.rect(GUTTER, 0, layout.width - GUTTER, HEADER + 4);
  ctx.clip();
  ctx.fillStyle = tokens.panel;
  ctx.fillRect(GUTTER, 0, layout.width - GUTTER, HEADER);
  const { selection } = scene;
  if (selection && selection.turn >= scene.firstTurn && selection.turn <= scene.lastTurn && (selection.seq || selection.kind === 'turn')) {
    ctx.fillStyle = tokens['sel-col'];
    ctx.fillRect(layout.x(selection.turn), 0, Math.max(1, w), HEADER);
  }
  ctx.textBaseline = 'middle';
  const until = scene.seq === Infinity ? Infinity : map.turnOf(scene.seq);
  const step = numberStep(w);
  if (w >= 12) {
    ctx.strokeStyle = tokens['line-2'];
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
      const x = Math.round(layout.x(turn)) + 0.5;
      ctx.moveTo(x, 0);
      ctx.lineTo(x, HEADER);
    }
    ctx.stroke();
    for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
      ctx.globalAlpha = turn > until ? 0.34 : 1;
      paintTurn(ctx, scene, turn, turn % step === 0 || (turn === scene.firstTurn && (turn % step) * w < (step * w) / 2));
    }
  } else {
    ctx.font = FONT.labelStrong;
    ctx.textAlign = 'left';
    ctx.fillStyle = tokens.text;
    for (let turn = Math.ceil(scene.firstTurn / step) * step; turn <= scene.lastTurn; turn += step) {
      ctx.globalAlpha = turn > until ? 0.34 : 1;
      ctx.fillText(String(turn), layout.x(turn) + 3, 17);
    }
  }
  ctx.globalAlpha = 1;
  ctx.restore();
  ctx.strokeStyle = tokens.line;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(0, HEADER + 0.5);
  ctx.lineTo(layout.width, HEADER + 0.5);
  ctx.stroke();
  if (w >= 12) paintHeads(ctx, scene);
}

/** So many turns apart numbers have room. @param {number} w */
export function numberStep(w) {
  for (const step of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]) if (step * w >= 34 || (step === 1 && w >= 26)) return step;
  return 2000;
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {number} turn @param {boolean} numbered */
function paintTurn(ctx, scene, turn, numbered) {
  const { layout, map, tokens, lettering } = scene;
  const w = scene.lane;
  const x = layout.x(turn);
  const bits = scene.seq !== Infinity && turn > map.turnOf(scene.seq) ? 0 : map.lanes.bits(turn);
  const red = bits & ~GAP;
  let left = x + (w > 26 ? 7 : 3);
  if (numbered) {
    const name = turn === 0 ? scene.text('score.opening') : String(turn);
    ctx.font = FONT.labelStrong;
    ctx.textAlign = 'left';
    ctx.fillStyle = red ? tokens['bad-ink'] : tokens.text;
    ctx.fillText(name, left, 17);
    left += lettering.width(name, FONT.labelStrong) + 4;
  }
  let right = x + w - 6;
  if (bits) right = paintGlyphs(ctx, scene, bits, x, w, left);
  if (w <= READABLE) return;
  const time = timeText(scene, turn, w > 96);
  if (time && right - left >= lettering.width(time, FONT.time)) {
    ctx.font = FONT.time;
    ctx.textAlign = 'right';
    ctx.fillStyle = tokens['text-3'];
    ctx.fillText(time, right, 17.5);
  }
  const utterance = map.lanes.of.get(turn)?.utterance ?? -1;
  if (utterance < 0) return;
  const node = map.list[map.marks.node.data[utterance]];
  ctx.font = FONT.said;
  ctx.textAlign = 'left';
  ctx.fillStyle = tokens['text-2'];
  const lines = lettering.wrap(plain(node.props.text ?? node.label), FONT.said, w - 12, 2);
  for (let i = 0; i < lines.length; i++) ctx.fillText(lines[i], x + 7, 34 + i * 14);
}

/** A lane's findings, as many glyphs as have room. @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {number} bits @param {number} x @param {number} w @param {number} left @returns {number} where room for the time ends */
function paintGlyphs(ctx, scene, bits, x, w, left) {
  const kinds = FINDING_KINDS.filter((kind) => bits & badBit(kind));
  const colour = (/** @type {import('lb/types').FindingKind} */ kind) => (kind === 'gap' ? scene.tokens.warn : scene.tokens.bad);
  if (w <= READABLE) {
    const fits = Math.max(1, Math.min(kinds.length, Math.floor(w / 13)));
    for (let i = 0; i < fits; i++) drawGlyph(ctx, kinds[i], x + w / 2 + (i - (fits - 1) / 2) * 13, 42, colour(kinds[i]));
    return x + w;
  }
  let right = x + w - 7;
  for (const kind of kinds) {
    if (right - 13 < left) break;
    drawGlyph(ctx, kind, right - 6, 16.5, colour(kind));
    right -= 16;
  }
  return right;
}

/** @type {Map<number, string>} */
const clocks = new Map();

/** Clock time, or the time since the dialogue began. @param {Scene} scene @param {number} number @param {boolean} clock */
function timeText(scene, number, clock) {
  const turn = scene.map.turn(number);
  if (!turn) return '';
  const at = turn.said_at ?? turn.at;
  if (clock) {
    const key = Math.floor(at);
    let shown = clocks.get(key);
    if (shown === undefined) {
      if (clocks.size > 2000) clocks.clear();
      const date = new Date(at * 1000);
      shown = Number.isNaN(date.getTime()) ? '' : [date.getHours(), date.getMinutes(), date.getSeconds()].map((n) => String(n).padStart(2, '0')).join(':');
      clocks.set(key, shown);
    }
    return shown;
  }
  const first = scene.map.turns[0];
  const since = Math.max(0, Math.round(at - (first.said_at ?? first.at)));
  const minutes = Math.floor(since / 60);
  const tail = String(since % 60).padStart(2, '0');
  return minutes < 60 ? `+${minutes}:${tail}` : `+${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${tail}`;
}

/** Utterances, on the header's lower border. @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
function paintHeads(ctx, scene) {
  const { map, layout, tokens } = scene;
  ctx.save();
  ctx.beginPath();
  ctx.rect(GUTTER, 0, layout.width, layout.height);
  ctx.clip();
  ctx.fillStyle = tokens.user;
  for (let turn = scene.firstTurn; turn <= scene.lastTurn; turn++) {
    const mark = map.lanes.of.get(turn)?.utterance ?? -1;
    if (mark < 0) continue;
    ctx.globalAlpha = HEAD_ALPHA[scene.level(mark)];
    ctx.beginPath();
    ctx.arc(scene.x(mark), HEADER + 0.5, scene.readable ? 3 : 2.5, 0, Math.PI * 2);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
  ctx.restore();
}

const HEAD_ALPHA = [1, 0.62, 0.34, 0.2, 0.2];
