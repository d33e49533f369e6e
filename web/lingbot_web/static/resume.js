// Where a batch belongs, and when to try again. Pure: numbers in, decisions out.

/** @typedef {{epoch: string, seq: number}} Cursor */
/** @typedef {{epoch: string, first: number, last: number}} Span */
/** @typedef {'apply' | 'repeat' | 'hole' | 'stranger'} Verdict */

/**
 * What to do with a batch at `cursor`: `apply` what lies past the cursor; it is a `repeat`; a `hole` lies before it
 * (ask again from the cursor); or it belongs to a `stranger`, another epoch or session.
 * @param {Cursor} cursor @param {Span} batch @returns {Verdict}
 */
export function judge(cursor, batch) {
  if (batch.epoch !== cursor.epoch) return 'stranger';
  if (batch.last <= cursor.seq) return 'repeat';
  return batch.first > cursor.seq + 1 ? 'hole' : 'apply';
}

/**
 * Cuts a batch into its events and drops those at or before `seq`: each event's deltas begin with its `applied`.
 * Deltas before the first `applied` belong to no event and are dropped.
 * @template {{d: string}} D
 * @param {D[]} deltas @param {number} seq @returns {{seq: number, deltas: D[]}[]}
 */
export function eventsAfter(deltas, seq) {
  /** @type {{seq: number, deltas: D[]}[]} */
  const events = [];
  /** @type {{seq: number, deltas: D[]} | null} */
  let current = null;
  let top = seq;
  for (const delta of deltas) {
    if (delta.d === 'applied') {
      const at = /** @type {number} */ (/** @type {any} */ (delta).seq);
      current = at > top ? { seq: at, deltas: [] } : null;
      if (current) {
        top = at;
        events.push(current);
      }
    }
    current?.deltas.push(delta);
  }
  return events;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/**
 * Milliseconds to wait before try number `attempt` (1, 2 ...): doubling from half a second to 15 s, spread by a fifth
 * so that the viewers of a restarted server don't come back all at once.
 * @param {number} attempt @param {number} chance 0..1
 */
export function waitBefore(attempt, chance) {
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(attempt - 1, 10));
  return Math.round(wait * (0.8 + 0.4 * chance));
}

/** Events per second over the last few seconds. */
export class Rate {
  /** @param {number} [span] milliseconds looked back on */
  constructor(span = 4000) {
    this.span = span;
    /** @type {[number, number][]} */
    this.counts = [];
  }

  /** @param {number} now @param {number} count */
  add(now, count) {
    this.counts.push([now, count]);
    this.perSecond(now);
  }

  /** @param {number} now */
  perSecond(now) {
    while (this.counts.length && /** @type {[number, number]} */ (this.counts[0])[0] <= now - this.span) this.counts.shift();
    return this.counts.reduce((sum, [, count]) => sum + count, 0) / (this.span / 1000);
  }
}
