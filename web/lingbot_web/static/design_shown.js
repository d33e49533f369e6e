// What the server says of a design, as it is drawn: by turn and by event.

/** @typedef {'matched' | 'missing' | 'extra' | 'elsewhere'} Status */
/** @typedef {{status: Status, message: string, label: string, line: number, condition: string, event: number, kind: string, name: string}} Step */
/** @typedef {{status: Status, label: string}} Badge what a mark bears: how its event stands, and the messages that it is */
/** @typedef {{kind: string, name: string, label: string, words: string, status: Status}} Ghost a designed step that is not where it should be */
/** @typedef {{turn: number, conforms: boolean, fault: string, steps: Step[], badges: Map<number, Badge>, ghosts: Ghost[], told: string}} ShownTurn */
/**
 * @typedef {object} Shown
 * @property {string} key of the session
 * @property {string} name of the design
 * @property {boolean} conforms
 * @property {boolean} blind
 * @property {number} matched
 * @property {Map<number, ShownTurn>} turns
 * @property {number[]} apart turns that are not as designed
 * @property {string[]} unmapped messages that are not checked
 * @property {number} at the turn that was stepped to last; 0 for none
 */

/** Which of two badges a mark shows: what is wrong before what is right. @type {Record<Status, number>} */
const WEIGHT = { matched: 0, elsewhere: 1, missing: 1, extra: 2 };

/** @param {any} report of `api/design` @param {string} key @param {string} name @returns {Shown} */
export function shownOf(report, key, name) {
  /** @type {Map<string, {kind: string, name: string}>} */
  const meant = new Map(report.read_as.map((/** @type {any} */ each) => [each.message, each]));
  /** @type {Map<number, ShownTurn>} */
  const turns = new Map(report.turns.map((/** @type {any} */ turn) => [turn.turn, shownTurn(turn, meant)]));
  return {
    key,
    name,
    conforms: report.conforms,
    blind: report.blind,
    matched: report.matched,
    turns,
    apart: [...turns.values()].filter(({ conforms }) => !conforms).map(({ turn }) => turn),
    unmapped: report.read_as.filter((/** @type {any} */ each) => !each.by).map((/** @type {any} */ each) => `${each.message} ${each.label}`),
    at: 0,
  };
}

/** @param {{turn: number, conforms: boolean, fault: string, steps: Step[]}} turn @param {Map<string, {kind: string, name: string}>} meant @returns {ShownTurn} */
function shownTurn({ turn, conforms, fault, steps }, meant) {
  /** @type {Map<number, Badge>} */
  const badges = new Map();
  /** @type {Ghost[]} */
  const ghosts = [];
  for (const { status, message, label: words, event, kind, name } of steps) {
    if (event) {
      const known = badges.get(event);
      const label = [known?.label, message].filter(Boolean).join(' ');
      badges.set(event, { status: known && WEIGHT[known.status] > WEIGHT[status] ? known.status : status, label });
    }
    if (status === 'missing' || status === 'elsewhere') {
      const wanted = meant.get(message) ?? { kind, name };
      ghosts.push({ kind: wanted.kind, name: wanted.name || name, label: message, words, status });
    }
  }
  const extra = steps.filter(({ status }) => status === 'extra').length;
  const told = [ghosts.length ? `−${ghosts.map(({ label }) => label).join(' ')}` : '', extra ? `+${extra}` : ''].filter(Boolean).join(' ');
  return { turn, conforms, fault, steps, badges, ghosts, told: told || (fault ? '!' : '') };
}
