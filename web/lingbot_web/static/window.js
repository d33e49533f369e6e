// The stretch of the time axis that is shown: arithmetic only. `axis` is all there is, in turns.

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/types').Window} Window */
/** @typedef {{first: number, end: number, least?: number}} Axis first lane, one past the last, and how many are shown even if there are fewer */

export const SHORTEST = 3;
/** So many turns are shown at first. */
export const OPENING = 13;
/** A session that grows no more fills the map, but lanes are no wider than for so many turns. */
export const SPARSE = 6;

/** Whether more is to come: what was imported may lack an end, but grows no more. @param {DialogueMap} map */
export function grows({ about }) {
  return !about.ended_at && (about.origin ?? 'probe') === 'probe';
}

/** Everything there is of a map. @param {DialogueMap} map @returns {Axis} */
export function axisOf(map) {
  const first = map.firstTurn;
  return { first, end: Math.max(map.lastTurn + 1, first + 1), least: grows(map) ? OPENING : SPARSE };
}

/** The longest window: everything, but never less than the opening, so that a young session's lanes keep their width. @param {Axis} axis */
export function longest(axis) {
  return Math.max(axis.end - axis.first, axis.least ?? OPENING);
}

/** @param {number} from @param {number} span @param {Axis} axis @returns {Window} */
export function place(from, span, axis) {
  const width = Math.min(longest(axis), Math.max(SHORTEST, span));
  const latest = Math.max(axis.first, axis.end - width);
  const start = Math.min(latest, Math.max(axis.first, from));
  return { from: start, to: start + width };
}

/** The newest turns at the right edge. @param {number} span @param {Axis} axis */
export function atEnd(span, axis) {
  return place(axis.end - Math.min(longest(axis), Math.max(SHORTEST, span)), span, axis);
}

/** `factor` above 1 shows more turns; `about` keeps its place on the screen. @param {Window} win @param {number} factor @param {number} about @param {Axis} axis */
export function zoomed(win, factor, about, axis) {
  const span = win.to - win.from;
  const wanted = Math.min(longest(axis), Math.max(SHORTEST, span * factor));
  const share = (about - win.from) / span;
  return place(about - share * wanted, wanted, axis);
}

/** @param {Window} win @param {number} turns @param {Axis} axis */
export function panned(win, turns, axis) {
  return place(win.from + turns, win.to - win.from, axis);
}

/**
 * The window slid, and widened if need be, so that turns `since` to `turn` are in it with a lane to spare; in the left
 * `clear` of it, where a panel lies over the rest. It begins with a whole lane. Only then may it reach beyond the axis: what does lies behind the panel.
 * @param {Window} win @param {number} since @param {number} turn @param {Axis} axis @param {number} [clear]
 */
export function showing(win, since, turn, axis, clear = 1) {
  const span = Math.max(win.to - win.from, (turn + 1 - since + 2) / clear);
  if (since >= win.from && turn + 1 <= win.from + (win.to - win.from) * clear) return win;
  return place(Math.round((since + turn + 1 - span * clear) / 2), span, clear < 1 ? { ...axis, end: axis.end + span * (1 - clear) } : axis);
}

/** Whether the window shows the end of the axis. @param {Window} win @param {Axis} axis */
export function touchesEnd(win, axis) {
  return win.to >= axis.end - 0.01;
}
