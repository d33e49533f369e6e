// How high each turn of the dialogue is: as measured once it has been drawn, as guessed before. Pure.

const LINE = 19; // of the text, in CSS pixels
const AROUND = 72; // head, chips, padding
const BUBBLE = 18;
const WIDE = 13; // of a CJK character at 13 px
const NARROW = 6.6;

/** What `words` will take, in pixels. @param {string} words @param {number} width of the text, in pixels */
export function guess(words, width) {
  let lines = 1;
  let used = 0;
  const end = Math.min(words.length, 4000);
  for (let i = 0; i < end; i++) {
    const code = words.charCodeAt(i);
    if (code === 10) {
      lines++;
      used = 0;
      continue;
    }
    used += code > 0x2e7f ? WIDE : NARROW;
    if (used > width) {
      lines++;
      used = code > 0x2e7f ? WIDE : NARROW;
    }
  }
  return lines * LINE + BUBBLE;
}

/** What a turn will take, in pixels. @param {string} utterance @param {string[]} answers @param {number} width */
export function guessTurn(utterance, answers, width) {
  return AROUND + guess(utterance, width) + answers.reduce((sum, words) => sum + guess(words, width), 0);
}

export class Heights {
  /** @param {(key: number) => number} first the guess for the row `key` */
  constructor(first) {
    this.first = first;
    /** @type {Map<number, number>} */
    this.known = new Map();
    /** @type {number[]} */
    this.keys = [];
    this.tops = new Float64Array(1);
    this.length = 0;
    this.valid = 0; // tops[0..valid] hold
  }

  /** Takes the rows as they are now; what stayed at its place keeps its top. @param {number[]} keys */
  take(keys) {
    if (keys.length + 1 > this.tops.length) {
      const wider = new Float64Array(Math.max(64, keys.length * 2));
      wider.set(this.tops);
      this.tops = wider;
    }
    if (this.length && keys[0] !== this.keys[0]) this.valid = 0;
    this.keys = keys;
    this.length = keys.length;
    this.valid = Math.min(this.valid, this.length);
  }

  /** Everything is to be guessed anew: the width changed. */
  forget() {
    this.known.clear();
    this.valid = 0;
  }

  /** @param {number} i @returns {number} */
  height(i) {
    const key = this.keys[i];
    let known = this.known.get(key);
    if (known === undefined) this.known.set(key, (known = this.first(key)));
    return known;
  }

  /** @param {number} i @param {number} height @returns {boolean} whether it differs */
  measured(i, height) {
    if (Math.abs(this.height(i) - height) < 0.5) return false;
    this.known.set(this.keys[i], height);
    this.valid = Math.min(this.valid, i);
    return true;
  }

  /** Where row `i` begins; `top(length)` is the height of them all. @param {number} i @returns {number} */
  top(i) {
    for (; this.valid < i; this.valid++) this.tops[this.valid + 1] = this.tops[this.valid] + this.height(this.valid);
    return this.tops[i];
  }

  /** The row at `y`, the first or last for what lies beyond. @param {number} y @returns {number} */
  at(y) {
    this.top(this.length);
    let low = 0;
    let high = this.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
