// Which rows of a long list are in view. Pure: heights in, numbers out.

/**
 * Where each entry begins; one more than there are entries, the last being the height of all.
 * @param {number[]} heights @returns {Float64Array}
 */
export function topsOf(heights) {
  const tops = new Float64Array(heights.length + 1);
  heights.forEach((height, i) => {
    tops[i + 1] = /** @type {number} */ (tops[i]) + height;
  });
  return tops;
}

/**
 * The entries between `top` and `bottom`: first, and one past the last.
 * @param {Float64Array} tops @param {number} top @param {number} bottom @returns {[number, number]}
 */
export function between(tops, top, bottom) {
  const last = tops.length - 1;
  const first = Math.max(0, firstPast(tops, top) - 1);
  return [Math.min(first, last), Math.min(last, firstPast(tops, bottom - 1e-6))];
}

/** How many of `tops` are not past `y`. @param {Float64Array} tops @param {number} y */
function firstPast(tops, y) {
  let low = 0;
  let high = tops.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (/** @type {number} */ (tops[middle]) <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}
