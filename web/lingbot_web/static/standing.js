// Whether a session still goes on: a bot that died never says so, so one from which nothing comes counts as quiet.

/** @typedef {import('lb/session_row').Summary} Summary */

/** Seconds without an event after which a session is quiet: longer than a user thinks before answering, as a rule. */
const QUIET_S = 120;

/** What the map says of itself: a slot that fades or a name that is given is no word from the bot. */
const OWN = new Set(['tick', 'gap', 'epoch_started', 'policy_set', 'described']);

/** Whether something still happens in a session. @param {Summary} summary @param {number} now the server's time */
export function isLive(summary, now) {
  return summary.live && summary.ended_at === null && now - summary.updated_at < QUIET_S;
}

/**
 * How the session that is open stands; its map may be ahead of its summary, and the list may not hold its summary.
 * @param {Summary | null} summary @param {import('lb/fold').DialogueMap | null} map @param {number} now the server's time
 * @returns {{ended: boolean, live: boolean, last: number}} `last`: when its last event came
 */
export function standingOf(summary, map, now) {
  const about = map?.about;
  const ended = !(summary?.live ?? (about?.ended_at === null && (about.origin ?? 'probe') === 'probe')); // an import may lack an end
  const last = Math.max(summary?.updated_at ?? 0, map ? lastSaid(map) : 0);
  return { ended, live: !ended && now - last < QUIET_S, last };
}

/** When the bot's last event came; 0 if the map holds none. @param {import('lb/fold').DialogueMap} map */
function lastSaid(map) {
  for (let seq = map.cursor.seq; seq >= map.firstMoment; seq--) if (!OWN.has(map.kindOf(seq))) return map.atOf(seq) || 0;
  return 0;
}
