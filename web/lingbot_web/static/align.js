// Which turn of one dialogue is which of another, by what was said in them. The same as the map's own alignment, step by
// step; both are held to one set of vectors. Pure: texts in, pairs of places out.

/** Of a table of all pairs of turns; beyond it, texts that both say just once divide it. */
const MOST_CELLS = 1_000_000;
/** Pairs of texts that are compared letter by letter between two matches. */
const MOST_SIMILAR = 2_500;
/** Thousandths of their letter pairs that two texts must share to be taken for one another. */
const SIMILAR = 500;

/** @typedef {[number, number]} Pair a place in the one and one in the other, or the first and one past the last */

/** Places that belong together, growing in both. @param {readonly string[]} a @param {readonly string[]} b @returns {Pair[]} */
export function align(a, b) {
  const ours = a.map(plain);
  const theirs = b.map(plain);
  /** @type {Pair[]} */
  const out = [];
  let [i, j] = [-1, -1];
  for (const [k, m] of [...same(ours, theirs), /** @type {Pair} */ ([ours.length, theirs.length])]) {
    out.push(...similar(ours, theirs, [i + 1, k], [j + 1, m]));
    if (k < ours.length) out.push([k, m]);
    [i, j] = [k, m];
  }
  return out;
}

/** @param {string} text */
function plain(text) {
  return text.toLowerCase().split(/\s+/u).filter(Boolean).join(' ');
}

/** The matches of equal texts. @param {string[]} a @param {string[]} b @returns {Pair[]} */
function same(a, b) {
  const least = Math.min(a.length, b.length);
  /** @type {Pair[]} */
  const out = [];
  let first = 0;
  while (first < least && a[first] === b[first]) out.push([first, first++]);
  let last = 0;
  while (last < least - first && a[a.length - 1 - last] === b[b.length - 1 - last]) last++;
  between(a, b, [first, a.length - last], [first, b.length - last], false, out);
  for (let place = last; place > 0; place--) out.push([a.length - place, b.length - place]);
  return out;
}

/** @param {string[]} a @param {string[]} b @param {Pair} inA @param {Pair} inB @param {boolean} divided @param {Pair[]} out */
function between(a, b, inA, inB, divided, out) {
  const cells = (inA[1] - inA[0]) * (inB[1] - inB[0]);
  if (!cells) return;
  if (cells <= MOST_CELLS) {
    for (const [i, j] of longest(a.slice(...inA), b.slice(...inB))) out.push([inA[0] + i, inB[0] + j]);
    return;
  }
  if (divided) return; // too much of it says the same again and again: no table of it is made
  let [i, j] = [inA[0], inB[0]];
  for (const [k, p] of [...anchors(a, b, inA, inB), /** @type {Pair} */ ([inA[1], inB[1]])]) {
    between(a, b, [i, k], [j, p], true, out);
    if (k < inA[1]) out.push([k, p]);
    [i, j] = [k + 1, p + 1];
  }
}

/** The longest common subsequence; of several the one whose matches come first in `a`. @param {string[]} a @param {string[]} b @returns {Pair[]} */
function longest(a, b) {
  const [n, m] = [a.length, b.length];
  const wide = m + 1;
  const best = new Uint16Array((n + 1) * wide);
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      best[i * wide + j] = a[i] === b[j] ? best[(i + 1) * wide + j + 1] + 1 : Math.max(best[(i + 1) * wide + j], best[i * wide + j + 1]);
    }
  }
  /** @type {Pair[]} */
  const out = [];
  for (let i = 0, j = 0; i < n && j < m; ) {
    if (a[i] === b[j]) out.push([i++, j++]);
    else if (best[(i + 1) * wide + j] > best[i * wide + j + 1]) i++;
    else j++;
  }
  return out;
}

/** The longest growing run of texts that both say exactly once. @param {string[]} a @param {string[]} b @param {Pair} inA @param {Pair} inB @returns {Pair[]} */
function anchors(a, b, inA, inB) {
  const theirs = once(b, inB);
  /** @typedef {{pair: Pair, before: Link | null}} Link */
  /** @type {Link[]} */
  const heads = [];
  for (const [text, i] of once(a, inA)) {
    const j = theirs.get(text);
    if (j === undefined) continue;
    let [low, high] = [0, heads.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (heads[middle].pair[1] < j) low = middle + 1;
      else high = middle;
    }
    heads[low] = { pair: [i, j], before: low ? heads[low - 1] : null };
  }
  /** @type {Pair[]} */
  const out = [];
  for (let at = heads.at(-1) ?? null; at; at = at.before) out.push(at.pair);
  return out.reverse();
}

/** @param {string[]} texts @param {Pair} within @returns {Map<string, number>} */
function once(texts, [first, end]) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (let i = first; i < end; i++) counts.set(texts[i], (counts.get(texts[i]) ?? 0) + 1);
  /** @type {Map<string, number>} */
  const found = new Map();
  for (let i = first; i < end; i++) if (counts.get(texts[i]) === 1) found.set(texts[i], i);
  return found;
}

/** The pairs of similar texts that are most alike in all; none where there are too many. @param {string[]} a @param {string[]} b @param {Pair} inA @param {Pair} inB @returns {Pair[]} */
function similar(a, b, inA, inB) {
  const [n, m] = [inA[1] - inA[0], inB[1] - inB[0]];
  if (n <= 0 || m <= 0 || n * m > MOST_SIMILAR) return [];
  const ours = a.slice(...inA).map(letterPairs);
  const theirs = b.slice(...inB).map(letterPairs);
  const alike = ours.map((x) => theirs.map((y) => likeness(x, y)));
  const best = Array.from({ length: n + 1 }, () => new Int32Array(m + 1));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) best[i][j] = Math.max(alike[i][j] >= SIMILAR ? alike[i][j] + best[i + 1][j + 1] : 0, best[i + 1][j], best[i][j + 1]);
  }
  /** @type {Pair[]} */
  const out = [];
  for (let i = 0, j = 0; i < n && j < m; ) {
    if (alike[i][j] >= SIMILAR && best[i][j] === alike[i][j] + best[i + 1][j + 1]) out.push([inA[0] + i++, inB[0] + j++]);
    else if (best[i][j] === best[i + 1][j]) i++;
    else j++;
  }
  return out;
}

/** @param {string} text */
function letterPairs(text) {
  const letters = ['\u0002', ...text, '\u0003'];
  return new Set(letters.slice(1).map((letter, i) => letters[i] + letter));
}

/** @param {Set<string>} a @param {Set<string>} b */
function likeness(a, b) {
  let both = 0;
  for (const pair of a) if (b.has(pair)) both++;
  return Math.floor((2000 * both) / (a.size + b.size));
}
