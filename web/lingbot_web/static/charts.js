// The two small charts of the inspector: a value over turns as steps, and a number over turns as a line.

import { plain, svg } from 'lb/dom';
import { text } from 'lb/i18n';

/** @typedef {import('lb/types').Layer} Layer */

const WIDTH = 296;
const HEIGHT = 78;
const SIDE = 10;
const BASE = 62;
const TOP = 10;
/** Values so far above one another do not touch. */
const LINE = 14;

/** @typedef {{first: number, last: number}} Turns */

/** @param {Turns} turns */
function along({ first, last }) {
  const width = (WIDTH - 2 * SIDE) / Math.max(1, last - first);
  return (/** @type {number} */ turn) => SIDE + (last === first ? 0 : (turn - first) * width);
}

/** About five round turn numbers. @param {Turns} turns */
export function ticks({ first, last }) {
  const rough = Math.max(1, (last - first) / 4);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = /** @type {number} */ ([1, 2, 5, 10].map((n) => n * unit).find((n) => n >= rough));
  const marks = [first];
  for (let turn = Math.ceil((first + step * 0.6) / step) * step; turn < last - step * 0.4; turn += step) marks.push(turn);
  if (last > first) marks.push(last);
  return marks;
}

/** @param {Turns} turns */
function axis(turns) {
  const x = along(turns);
  return [svg('path', { class: 'axis', d: `M${SIDE} ${BASE + 0.5}H${WIDTH - SIDE}` }), ticks(turns).map((turn) => svg('text', { class: 'tick-label', x: x(turn), y: BASE + 13 }, turn))];
}

/** @param {string} label @param {import('lb/dom').Child[]} shapes */
function chart(label, ...shapes) {
  return svg('svg', { class: 'chart', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label }, shapes);
}

/**
 * A number over turns. `threshold` draws the line below which it is low.
 * @param {{turn: number, value: number, bad: boolean, current: boolean}[]} points
 * @param {{turns: Turns, layer: Layer, threshold?: number | undefined, label: string}} how
 */
export function lineChart(points, { turns, layer, threshold, label }) {
  const x = along(turns);
  const values = points.map((point) => point.value);
  const unit = values.every((value) => value >= 0 && value <= 1);
  const low = unit ? Math.min(0.4, ...values) : Math.min(...values);
  const high = unit ? 1 : Math.max(...values);
  const y = (/** @type {number} */ value) => (high > low ? BASE - 6 - ((value - low) / (high - low)) * (BASE - 6 - TOP) : (BASE + TOP) / 2);
  return chart(
    label,
    threshold !== undefined && [
      svg('rect', { class: 'low', x: SIDE, y: y(threshold), width: WIDTH - 2 * SIDE, height: BASE - y(threshold) }),
      svg('path', { class: 'threshold', d: `M${SIDE} ${y(threshold)}H${WIDTH - SIDE}` }),
      svg('text', { class: 'threshold-label', x: WIDTH - SIDE, y: y(threshold) - 4 }, text('chart.threshold', { value: threshold.toFixed(2) })),
    ],
    axis(turns),
    svg('path', { class: `curve ${layer}`, d: points.map((point, i) => `${i ? 'L' : 'M'}${x(point.turn).toFixed(1)} ${y(point.value).toFixed(1)}`).join('') }),
    points.map((point) => svg('circle', { class: `point ${layer} ${point.bad ? 'bad' : ''}`, cx: x(point.turn), cy: y(point.value), r: point.current ? 4.5 : 2.8 })),
  );
}

/**
 * A slot's values over turns: a level for each value, an end where it was cleared, a dot for each read.
 * @param {{turn: number, what: 'write' | 'read' | 'cleared', value: string, bad: boolean, current: boolean}[]} steps
 * @param {{turns: Turns, label: string}} how
 */
export function stepChart(steps, { turns, label }) {
  const x = along(turns);
  const levels = [...new Set(steps.filter((step) => step.what === 'write').map((step) => step.value))];
  const y = (/** @type {string} */ value) => (levels.length < 2 ? BASE - 20 : BASE - 10 - (levels.indexOf(value) / (levels.length - 1)) * (BASE - 10 - TOP - 8));
  /** @type {import('lb/dom').Child[]} */
  const lines = [];
  /** @type {import('lb/dom').Child[]} */
  const marks = [];
  let level = /** @type {{x: number, y: number, value: string} | null} */ (null);
  /** @type {{x: number, y: number}[]} */
  const labels = []; // where they end
  for (const step of steps) {
    const at = x(step.turn);
    if (step.what === 'read') {
      if (level) marks.push(svg('circle', { class: `read ${step.bad ? 'bad' : ''}`, cx: at, cy: level.y, r: step.current ? 4 : 2.8 }));
      continue;
    }
    if (level) lines.push(svg('path', { class: 'level', d: `M${level.x} ${level.y}H${at}` }));
    if (step.what === 'cleared') {
      if (level) marks.push(svg('path', { class: 'stop', d: `M${at} ${level.y - 5}v10` }));
      level = null;
      continue;
    }
    const to = y(step.value);
    if (level && level.y !== to) lines.push(svg('path', { class: `rise ${step.bad ? 'bad' : ''}`, d: `M${at} ${level.y}V${to}` }));
    const size = step.current ? 5 : 3.5;
    marks.push(svg('rect', { class: `write ${step.bad ? 'bad' : ''}`, x: at - size, y: to - size, width: 2 * size, height: 2 * size, rx: 2 }));
    if (step.value !== level?.value && labels.every((other) => at >= other.x || Math.abs(to - other.y) >= LINE)) {
      marks.push(svg('text', { class: `value ${step.bad ? 'bad' : ''}`, x: Math.min(at + 5, WIDTH - 60), y: to - 6 }, plain(step.value, 14)));
      labels.push({ x: at + 44, y: to });
    }
    level = { x: at, y: to, value: step.value };
  }
  if (level) lines.push(svg('path', { class: 'level', d: `M${level.x} ${level.y}H${WIDTH - SIDE}` }));
  return chart(label, axis(turns), lines, marks);
}
