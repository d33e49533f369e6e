// What is typed into the readout of the moment, and how long a step of the replay stays. Pure.

/** @typedef {'event' | 'turn'} Unit */
/** @typedef {{turn: number} | {seq: number}} Typed */

/** Speeds of the replay; 0 is as it was, with long pauses made short. */
export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 0];
/** Milliseconds a step stays at speed 1: an event is glanced at, a turn is read. */
const STAY = { event: 350, turn: 1400 };
/** As it was: a step stays at least and at most so long. */
const SHORTEST = 40;
const LONGEST = 2000;

const TURN = /^(?:第|turn|t|轮次?)?\s*(\d{1,9})\s*轮?$/;
const SEQ = /^(?:seq|#|事件|event)\s*[:：]?\s*(\d{1,15})$/;

/** "12", "turn 12", "第 12 轮"; "#130", "seq 130". @param {string} text @returns {Typed | null} */
export function readMoment(text) {
  const typed = text.normalize('NFKC').trim().toLowerCase().replace(/(?<=\d)[,\s](?=\d{3}\b)/gu, '');
  const [, turn] = TURN.exec(typed) ?? [];
  if (turn !== undefined) return { turn: Number(turn) };
  const [, seq] = SEQ.exec(typed) ?? [];
  return seq === undefined ? null : { seq: Number(seq) };
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
