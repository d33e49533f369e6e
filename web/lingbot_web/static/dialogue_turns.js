// What was said in a turn, as of a moment. Pure: a map in, plain values out.

import { FINDING_KINDS, FLAG, MARK } from 'lb/kinds';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/types').Finding} Finding */
/** @typedef {import('lb/types').FindingKind} FindingKind */
/** @typedef {{id: string, text: string, seq: number, struck: boolean, later: boolean}} Answer */
/** @typedef {{id: string, label: string, confidence: number | null, seq: number, struck: boolean, later: boolean}} Visit */
/**
 * @typedef {object} Told one turn of the dialogue
 * @property {number} number 0 is what came before the first utterance
 * @property {number} seq its first event
 * @property {string} utterance "" where nothing was said, or nothing recorded
 * @property {boolean} later it began after the moment
 * @property {boolean} struck it was taken back by the moment
 * @property {Visit[]} visits the intents it was routed to, one after the other; a repeat at once is one
 * @property {Answer[]} answers
 * @property {Finding[]} failures known by the moment
 * @property {'answered' | 'open' | 'unanswered'} standing open: it is the newest and the bot may still answer
 */

/**
 * @param {DialogueMap} map @param {import('lb/types').Turn} turn @param {number} upto Infinity for now
 * @param {{live: boolean, failures: Map<number, Finding[]>}} about `live`: more is to come
 * @returns {Told}
 */
export function toldOf(map, { number, seq }, upto, { live, failures }) {
  const answers = answersOf(map, number, upto);
  const failed = (failures.get(number) ?? []).filter((finding) => finding.seq <= upto);
  const open = live && number === map.lastTurn && !failed.length;
  return {
    number,
    seq,
    utterance: map.nodes.get(`utterance:${number}`)?.label ?? '',
    later: seq > upto,
    struck: undoneBy(map, seq, upto),
    visits: visitsIn(map, number, upto),
    answers,
    failures: failed,
    standing: answers.length ? 'answered' : open ? 'open' : 'unanswered',
  };
}

/** The bot's answers of a turn: `answer:7`, then `answer:7.2` and so on. @param {DialogueMap} map @param {number} turn @param {number} upto @returns {Answer[]} */
function answersOf(map, turn, upto) {
  const answers = [];
  for (let k = 1; ; k++) {
    const node = map.nodes.get(k === 1 ? `answer:${turn}` : `answer:${turn}.${k}`);
    if (!node) return answers;
    answers.push({ id: node.id, text: node.label, seq: node.seq, struck: undoneBy(map, node.seq, upto), later: node.seq > upto });
  }
}

/** @param {DialogueMap} map @param {number} turn @param {number} upto @returns {Visit[]} */
function visitsIn(map, turn, upto) {
  const { marks, edges } = map;
  /** @type {Visit[]} */
  const visits = [];
  for (const mark of map.lanes.of.get(turn)?.marks ?? []) {
    if (marks.kind.data[mark] !== MARK.VISIT) continue;
    const node = map.list[marks.node.data[mark]];
    const seq = marks.seq.data[mark];
    const confidence = edges.props[marks.edge.data[mark]]?.confidence;
    const visit = {
      id: node.id, label: node.label, confidence: typeof confidence === 'number' ? confidence : null, seq,
      struck: (marks.flags.data[mark] & FLAG.UNDONE) !== 0 && undoneBy(map, seq, upto), later: seq > upto,
    };
    if (visits.at(-1)?.id === node.id) visits[visits.length - 1] = visit;
    else visits.push(visit);
  }
  return visits;
}

/** Whether event `seq` had been taken back by the moment: the event that did it comes right after the last it undid. @param {DialogueMap} map @param {number} seq @param {number} upto */
export function undoneBy(map, seq, upto) {
  return map.undone.some(([first, last]) => first <= seq && seq <= last && last < upto);
}

/** The bot's failures, by turn. @param {DialogueMap} map @returns {Map<number, Finding[]>} */
export function failuresByTurn(map) {
  /** @type {Map<number, Finding[]>} */
  const turns = new Map();
  for (const finding of map.findings.values()) {
    if (finding.kind !== 'failure') continue;
    const known = turns.get(finding.turn);
    if (known) known.push(finding);
    else turns.set(finding.turn, [finding]);
  }
  return turns;
}

/** Kinds of findings from a lane's bits. @param {number} bits @returns {FindingKind[]} */
export function kindsOf(bits) {
  return FINDING_KINDS.filter((_, i) => bits & (1 << i));
}

/**
 * The place in `turns` of the turn that the moment lies in; -1 before the first.
 * @param {DialogueMap} map @param {number | null} playhead
 */
export function placeOfMoment(map, playhead) {
  if (playhead === null) return map.turns.length - 1;
  const wanted = map.turnOf(playhead);
  return wanted < 0 ? -1 : placeOfTurn(map, wanted, true);
}

/** The place in `turns` of turn `number`, or with `before` of the nearest that is not after it; -1 if there is none. @param {DialogueMap} map @param {number} number @param {boolean} [before] */
export function placeOfTurn(map, number, before = false) {
  const { turns } = map;
  let low = 0;
  let high = turns.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (turns[middle].number <= number) low = middle + 1;
    else high = middle;
  }
  const place = low - 1;
  return before || turns[place]?.number === number ? place : -1;
}
