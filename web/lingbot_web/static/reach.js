// The trail of a mark: what led to it and what came of it, one, two and three links away.

/** @typedef {import('lb/marks').Marks} Marks */

export const FARTHEST = 3;

/**
 * Distances from `starts`, upstream and downstream apart: a mark's causes' other effects are not on its trail.
 * @param {Marks} marks @param {number[]} starts @param {number} [until] marks of later events are not reached
 * @returns {{trail: Uint8Array, hops: [number, number, number]}} `trail` holds distance plus 1, 0 off the trail
 */
export function reach(marks, starts, until = Infinity) {
  const trail = new Uint8Array(marks.size);
  /** @type {[number, number, number]} */
  const hops = [0, 0, 0];
  for (const start of starts) trail[start] = 1;
  for (const down of [true, false]) {
    const head = (down ? marks.outHead : marks.inHead).data;
    const next = (down ? marks.linkOut : marks.linkIn).data;
    const end = (down ? marks.linkTo : marks.linkFrom).data;
    // A mark may be near downstream and nearer still upstream: each way is walked in full, the nearer one counts.
    const seen = new Set(starts);
    let edge = starts;
    for (let hop = 1; hop <= FARTHEST; hop++) {
      const beyond = [];
      for (const mark of edge) {
        for (let l = head[mark]; l >= 0; l = next[l]) {
          const other = end[l];
          if (seen.has(other) || marks.seq.data[other] > until) continue;
          seen.add(other);
          beyond.push(other);
          if (!trail[other] || trail[other] > hop + 1) trail[other] = hop + 1;
        }
      }
      edge = beyond;
    }
  }
  for (const distance of trail) if (distance > 1) hops[distance - 2]++;
  return { trail, hops };
}
