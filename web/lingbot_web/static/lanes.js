// What each turn holds, and counts of it per 2^k turns: far out a lane is less than a pixel wide.

/**
 * @typedef {object} Lane
 * @property {number} turn
 * @property {number[]} marks places of its marks in order of seq
 * @property {number[]} questions those of them that are questions
 * @property {number} utterance place of the utterance's mark, -1 before it
 * @property {number} answers
 * @property {number} visit place of the newest visit, -1 before the first
 * @property {number} first first seq of the turn, 0 before it
 * @property {number} last
 */

/** Channels of the pyramid: counts of the three layers, and the kinds of findings as bits. */
export const CHANNELS = 4;
const BITS = 3;

export class Lanes {
  constructor() {
    /** @type {Map<number, Lane>} */
    this.of = new Map();
    /** Level k holds CHANNELS numbers for each 2^k turns. @type {Int32Array[]} */
    this.levels = [new Int32Array(CHANNELS * 64)];
    /** Largest count of each layer and of all three together, by level. @type {number[][]} */
    this.most = [[0, 0, 0, 0]];
    this.first = Infinity;
    this.last = 0;
  }

  /** What `count` makes of many at once. @param {Int32Array} counts CHANNELS for each turn, for a power of two of turns */
  static tallied(counts) {
    const lanes = new Lanes();
    const most = [0, 0, 0, 0];
    for (let i = 0; i < counts.length; i += CHANNELS) {
      for (let c = 0; c < BITS; c++) if (counts[i + c] > most[c]) most[c] = counts[i + c];
      const all = counts[i] + counts[i + 1] + counts[i + 2];
      if (all > most[3]) most[3] = all;
      if (all) lanes.open(i / CHANNELS);
    }
    lanes.levels = [counts];
    lanes.most = [most];
    lanes.#reach(0);
    return lanes;
  }

  /** @param {number} turn @returns {Lane} */
  at(turn) {
    let lane = this.of.get(turn);
    if (!lane) {
      lane = { turn, marks: [], questions: [], utterance: -1, answers: 0, visit: -1, first: 0, last: 0 };
      this.of.set(turn, lane);
    }
    return lane;
  }

  /** @param {number} turn */
  open(turn) {
    if (turn > this.last) this.last = turn;
    if (turn < this.first) this.first = turn;
  }

  /** Event `seq` happened in `turn`. @param {number} turn @param {number} seq */
  event(turn, seq) {
    const lane = this.at(turn);
    if (!lane.first) lane.first = seq;
    lane.last = seq;
  }

  /** One more edge of `layer` in `turn`. @param {number} turn @param {number} layer */
  count(turn, layer) {
    this.open(turn);
    this.#reach(turn);
    for (let k = 0, i = turn; k < this.levels.length; k++, i >>= 1) {
      const level = this.levels[k];
      const most = this.most[k];
      const at = i * CHANNELS;
      level[at + layer]++;
      if (level[at + layer] > most[layer]) most[layer] = level[at + layer];
      if (level[at] + level[at + 1] + level[at + 2] > most[3]) most[3] = level[at] + level[at + 1] + level[at + 2];
    }
  }

  /** The kinds of findings of `turn`, as bits. @param {number} turn @param {number} bits */
  flag(turn, bits) {
    this.#reach(turn);
    this.levels[0][turn * CHANNELS + BITS] = bits;
    for (let k = 1, i = turn >> 1; k < this.levels.length; k++, i >>= 1) {
      const below = this.levels[k - 1];
      this.levels[k][i * CHANNELS + BITS] = below[2 * i * CHANNELS + BITS] | below[(2 * i + 1) * CHANNELS + BITS];
    }
  }

  /** @param {number} turn @returns {number} */
  bits(turn) {
    return turn < this.#width() ? this.levels[0][turn * CHANNELS + BITS] : 0;
  }

  /** Channel `channel` of block `block` at `level`. @param {number} level @param {number} block @param {number} channel */
  sum(level, block, channel) {
    const data = this.levels[level];
    return data?.[block * CHANNELS + channel] ?? 0;
  }

  #width() {
    return this.levels[0].length / CHANNELS;
  }

  /** Doubles the pyramid until it holds `turn`. @param {number} turn */
  #reach(turn) {
    while (turn >= this.#width()) {
      this.levels = this.levels.map((level) => {
        const wider = new Int32Array(level.length * 2);
        wider.set(level);
        return wider;
      });
    }
    while (this.levels[this.levels.length - 1].length > CHANNELS) {
      const below = this.levels[this.levels.length - 1];
      const level = new Int32Array(below.length / 2);
      for (let i = 0; i < level.length / CHANNELS; i++) {
        for (let c = 0; c < CHANNELS; c++) {
          const a = below[2 * i * CHANNELS + c];
          const b = below[(2 * i + 1) * CHANNELS + c];
          level[i * CHANNELS + c] = c === BITS ? a | b : a + b;
        }
      }
      this.levels.push(level);
      const most = [0, 0, 0, 0];
      for (let i = 0; i < level.length; i += CHANNELS) {
        for (let c = 0; c < BITS; c++) most[c] = Math.max(most[c], level[i + c]);
        most[3] = Math.max(most[3], level[i] + level[i + 1] + level[i + 2]);
      }
      this.most.push(most);
    }
  }
}
