// What has arrived from one source: all up to `mark` but for the `missing` ranges.

/** Of a source interleaved with others so many runs are kept; undoing reaches back no further. */
const RUNS_KEPT = 4096;

export class Source {
  /** @param {number} [mark] @param {[number, number][]} [missing] @param {[number, number][]} [runs] (n, seq) where their distance changes */
  constructor(mark = 0, missing = [], runs = []) {
    this.mark = mark;
    this.missing = missing;
    this.runs = runs;
  }

  /** Number `n` arrived as event `seq`. @param {number} n @param {number} seq */
  see(n, seq) {
    if (n <= this.mark) {
      this.#late(n);
      return;
    }
    if (n > this.mark + 1) this.missing.push([this.mark + 1, n - 1]);
    this.mark = n;
    const last = this.runs[this.runs.length - 1];
    if (!last || last[1] - last[0] !== seq - n) {
      this.runs.push([n, seq]);
      if (this.runs.length > RUNS_KEPT) this.runs.splice(0, RUNS_KEPT / 2);
    }
  }

  /** All up to `last` that has not come is missing, not awaited. @param {number} last */
  lose(last) {
    if (last <= this.mark) return;
    this.missing.push([this.mark + 1, last]);
    this.mark = last;
  }

  /** @param {number} n */
  #late(n) {
    const i = this.missing.findIndex(([first, last]) => first <= n && n <= last);
    if (i < 0) return;
    const [first, last] = this.missing[i];
    /** @type {[number, number][]} */
    const left = [[first, n - 1], [n + 1, last]];
    this.missing.splice(i, 1, ...left.filter(([a, b]) => a <= b));
  }
}
