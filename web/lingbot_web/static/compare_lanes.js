// A map on an axis that it shares with another: its turns stand in the lanes of their pairs, and bear their own numbers.

/** A keyframe as the server sends it. @typedef {Record<string, any>} Keyframe */

/**
 * The keyframe with every turn at its lane, from 1 on, all else as it is.
 * @param {Keyframe} kf @param {(number | null)[]} turns the turn of each lane; null: this map has none there
 * @returns {Keyframe}
 */
export function inLanes(kf, turns) {
  const lanes = new Map(turns.map((turn, i) => [turn, i + 1]));
  // What happened before the first turn that is compared, or in none, stands before them all.
  const lane = (/** @type {number} */ turn) => lanes.get(turn) ?? 0;
  const column = (/** @type {number[]} */ of) => of.map(lane);
  const row = (/** @type {Record<string, any>} */ of) => ({ ...of, turn: lane(of.turn) });
  return {
    ...kf,
    retired: 0,
    totals: { ...kf.totals, turns: turns.length },
    turns: { ...kf.turns, number: column(kf.turns.number) },
    nodes: { ...kf.nodes, turn: column(kf.nodes.turn) },
    edges: { ...kf.edges, turn: column(kf.edges.turn) },
    moments: { ...kf.moments, turn: column(kf.moments.turn) },
    findings: kf.findings.map((/** @type {Record<string, any>} */ finding) => ({ ...row(finding), since: lane(finding.since) })),
    losses: kf.losses.map(row),
    unplaced: kf.unplaced.map(row),
  };
}

/** What each lane is headed with: "" where the map has no turn. @param {(number | null)[]} turns @returns {Map<number, string>} */
export function numbersOf(turns) {
  return new Map(turns.map((turn, i) => [i + 1, turn === null ? '' : String(turn)]));
}
