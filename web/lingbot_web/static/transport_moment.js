// What is typed into the readout of the moment, and how long a step of the replay stays. Pure.

/** @typedef {'event' | 'turn'} Unit */
/** `clock`: seconds since midnight, in the zone that is shown. @typedef {{turn: number} | {seq: number} | {clock: number}} Typed */

/** Speeds of the replay; 0 is as it was, with long pauses made short. */
export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 0];
/** Milliseconds a step stays at speed 1: an event is glanced at, a turn is read. */
const STAY = { event: 350, turn: 1400 };
/** As it was: a step stays at least and at most so long. */
const SHORTEST = 40;
const LONGEST = 2000;
const DAY = 86_400;

const TURN = /^(?:第|turn|t|轮次?)?\s*(\d{1,9})\s*轮?$/;
const SEQ = /^(?:seq|#|事件|event)\s*[:：]?\s*(\d{1,15})$/;
const CLOCK = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/** "12", "turn 12", "第 12 轮"; "#130", "seq 130"; "14:20", "14:20:14". @param {string} text @returns {Typed | null} */
export function readMoment(text) {
  const typed = text.normalize('NFKC').trim().toLowerCase().replace(/(?<=\d)[,\s](?=\d{3}\b)/gu, '');
  const [clock, hours, minutes, seconds] = CLOCK.exec(typed) ?? [];
  if (clock !== undefined) return { clock: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0) };
  const [, turn] = TURN.exec(typed) ?? [];
  if (turn !== undefined) return { turn: Number(turn) };
  const [, seq] = SEQ.exec(typed) ?? [];
  return seq === undefined ? null : { seq: Number(seq) };
}

/**
 * The last event of a map at a time of day, which shows how it stood then; null where the map holds none of that time.
 * @param {import('lb/fold').DialogueMap} map @param {number} clock seconds since midnight, a whole second is taken as it ends
 * @param {(seq: number) => number} timeOf Unix time of an event as it is shown
 * @param {(at: number) => number} clockOf seconds since midnight of a Unix time, in the zone that is shown
 */
export function seqAtClock(map, clock, timeOf, clockOf) {
  let first = Infinity;
  let last = -Infinity;
  for (let seq = map.firstMoment; seq <= map.cursor.seq; seq++) {
    first = Math.min(first, timeOf(seq));
    last = Math.max(last, timeOf(seq));
  }
  let end = first - clockOf(first) + clock + 1;
  if (end <= first) end += DAY;
  if (!(last >= end - 1)) return null;
  // Sources' clocks differ, so times need not rise with the events: the last event that had come by then counts.
  let seq = map.cursor.seq;
  while (timeOf(seq) >= end) seq--;
  return seq;
}

/**
 * How long a step stays, in ms.
 * @param {Unit} unit @param {number} speed one of SPEEDS @param {number} pause until the next step when it happened, in seconds; NaN where unknown
 */
export function stay(unit, speed, pause) {
  if (speed) return STAY[unit] / speed;
  return Number.isFinite(pause) ? Math.min(LONGEST, Math.max(SHORTEST, pause * 1000)) : STAY[unit];
}

/**
 * The event that ends the step from `at`: the next one, or the last of the next turn, which shows that turn as a whole.
 * @param {import('lb/fold').DialogueMap} map that is shown @param {number} at @param {1 | -1} direction @param {Unit} unit
 * @returns {number} may lie before the first or after the last event of the map
 */
export function stepFrom(map, at, direction, unit) {
  if (unit === 'event') return at + direction;
  const turn = map.turnOf(at);
  const whole = turn < 0 ? map.lastTurn : turn;
  if (direction > 0) {
    // From within a turn its end comes first.
    const next = map.turn(whole + 1);
    if (next && at < next.seq - 1) return next.seq - 1;
    const after = map.turn(whole + 2);
    return after ? after.seq - 1 : map.cursor.seq;
  }
  const began = map.turn(whole);
  return began ? began.seq - 1 : Math.min(at, map.firstMoment) - 1;
}
