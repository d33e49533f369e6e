// Growing typed arrays: what a session has by the ten thousand is kept in columns, not in objects.

/** @typedef {Uint8Array | Uint16Array | Int32Array | Float32Array | Float64Array} Numbers */

/** @template {Numbers} [A=Numbers] */
export class Column {
  /** @param {new (length: number) => A} type @param {number} [room] */
  constructor(type, room = 64) {
    this.type = type;
    this.data = new type(room);
    this.length = 0;
  }

  /** @param {number} value @returns {number} the place it got */
  push(value) {
    if (this.length === this.data.length) {
      const wider = new this.type(this.data.length * 2);
      wider.set(this.data);
      this.data = wider;
    }
    this.data[this.length] = value;
    return this.length++;
  }

  /** Takes over a whole array of values. @param {ArrayLike<number>} values */
  fill(values) {
    this.data = new this.type(Math.max(64, values.length));
    this.data.set(values);
    this.length = values.length;
  }

  /** Forgets the first `count` values. @param {number} count */
  drop(count) {
    this.data.copyWithin(0, count, this.length);
    this.length -= count;
  }

  /** @returns {number[]} */
  list() {
    return Array.from(this.data.subarray(0, this.length));
  }
}

/**
 * The first place of the ascending `values[0..length)` that holds at least `wanted`.
 * @param {ArrayLike<number>} values @param {number} wanted @param {number} length
 */
export function lowerBound(values, wanted, length) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
