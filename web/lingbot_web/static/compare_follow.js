// What keeps a comparison up to date: when a session that grows is asked for again, and where the reader's place is then.

import * as windows from 'lb/window';

/** @typedef {import('lb/compare').Difference} Difference */
/** @typedef {import('lb/types').Window} Window */
/** @typedef {[number | null, number | null]} Row turns of the one side and the other; null: it lacks it */

/** A session is asked for again so long after it grew at the earliest, in ms ... */
const PAUSE_MS = 1000;
/** ... and, where asking takes long, after so many times that: a long session's map is megabytes. */
const SHARE = 4;

export class Following {
  /** @param {(keys: Set<string>) => Promise<void>} again asks for these sessions */
  constructor(again) {
    this.again = again;
    /** @type {Set<string>} */
    this.grown = new Set();
    this.timer = 0;
    this.busy = false;
    this.pause = PAUSE_MS;
  }

  /** @param {string} key of a session that grew */
  heard(key) {
    this.grown.add(key);
    this.#soon();
  }

  #soon() {
    if (!this.timer && !this.busy) this.timer = window.setTimeout(() => this.#run(), this.pause);
  }

  async #run() {
    const keys = this.grown;
    const begun = performance.now();
    this.grown = new Set();
    this.timer = 0;
    this.busy = true;
    try {
      await this.again(keys);
    } finally {
      this.busy = false;
      this.pause = Math.max(PAUSE_MS, SHARE * (performance.now() - begun));
      if (this.grown.size) this.#soon();
    }
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.grown.clear();
  }
}

/** The place of the difference that was looked at; of the one that has taken its place where it is no more; of the first where there was none to look at; -1 while there is none. @param {Difference[]} differences @param {Difference | undefined} looked @param {number} place it had */
export function placeOfSame(differences, looked, place) {
  if (!differences.length) return -1;
  if (!looked) return 0;
  const found = differences.findIndex(({ kind, a, b, name }) => kind === looked.kind && a === looked.a && b === looked.b && name === looked.name);
  return found < 0 ? Math.min(place, differences.length - 1) : found;
}

/**
 * The window over rows that took the place of others. It goes with the end that it showed, unless what is looked at would
 * leave it; else the turns in it keep their places.
 * @param {Window} win @param {Row[]} before @param {Row[]} rows @param {number} looked lane of the difference that is looked at; 0 for none
 */
export function carriedOver(win, before, rows, looked) {
  const axis = axisOf(rows);
  const span = win.to - win.from;
  const latest = windows.atEnd(span, axis);
  if (windows.touchesEnd(win, axisOf(before)) && (!looked || looked >= latest.from)) return latest;
  const lane = Math.floor(win.from);
  const [a, b] = before[lane - 1] ?? [null, null];
  const now = rows.findIndex((row) => (a === null ? b !== null && row[1] === b : row[0] === a));
  return windows.place(win.from + (now < 0 ? 0 : now + 1 - lane), span, axis);
}

/** @param {Row[]} rows @returns {import('lb/window').Axis} */
export function axisOf(rows) {
  return { first: 1, end: rows.length + 1, least: windows.SPARSE };
}
