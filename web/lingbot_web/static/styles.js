// Every style of the map in its order on the canvas: the first lies at the very back.
import { MONO, TEXT } from 'lb/tokens';

/** @typedef {import('lb/ink').Style} Style */
/** @typedef {import('lb/tokens').Tokens} Tokens */

/** Recall lines come in so many steps of weight. */
export const WEIGHTS = 8;

const NAMES = /** @type {const} */ ([
  'docTie', 'mergeLine', 'ask', 'route', 'use', 'assign', 'life', 'lifeEnd', 'stale', 'leakTie', 'staleHead',
  'move', 'moveLow', 'moveCloses', 'moveBad', 'moveHead', 'selfArc', 'selfArcBad', 'tie', 'bracket',
  'square', 'squareNull', 'squareBad', 'plate', 'pill', 'pillLow', 'pillBad', 'pillBadLow', 'tick', 'tickMissing', 'tickMissingBad',
  'read', 'readStale', 'readLeak', 'slot', 'slotNull', 'slotBad', 'slotNullBad', 'slotStroke', 'slotStrokeBad',
  'question', 'docUsed', 'docSeen', 'docBad', 'docBadSeen', 'ring', 'answer', 'answerLines', 'strike',
  'pillText', 'pillTextBad', 'pillName', 'pillNameBad', 'selfText', 'selfTextBad', 'slotText', 'slotTextBad', 'slotTextNull', 'answerText', 'rank', 'rankBad', 'score',
]);

/** @typedef {typeof NAMES[number]} StyleName */

/** Number of a style. @type {Record<StyleName, number>} */
export const S = /** @type {Record<StyleName, number>} */ (Object.fromEntries(NAMES.map((name, i) => [name, WEIGHTS + i])));

export const FONT = {
  mark: `600 10.5px ${MONO}`,
  name: `600 11.5px ${TEXT}`,
  value: `500 10.5px ${MONO}`,
  rank: `700 9.5px ${MONO}`,
  label: `400 12px ${TEXT}`,
  labelStrong: `600 12px ${TEXT}`,
  small: `400 10.5px ${TEXT}`,
  tag: `600 11px ${TEXT}`,
  said: `400 11px ${TEXT}`,
  time: `400 10px ${MONO}`,
  head: `400 11px ${TEXT}`,
};

/** @param {Tokens} c @returns {Style[]} */
export function mapStyles(c) {
  /** @type {Record<StyleName, Style>} */
  const named = {
    docTie: { stroke: c.know, width: 1, alpha: 0.2 },
    mergeLine: { stroke: c.know, width: 1.2, alpha: 0.6 },
    ask: { stroke: c.know, width: 1, alpha: 0.32, dash: [2, 3] },
    route: { stroke: c.user, width: 1, alpha: 0.5 },
    use: { stroke: c.state, width: 1, alpha: 0.26 },
    assign: { stroke: c.state, width: 1.3, alpha: 0.62 },
    life: { stroke: c.state, width: 2, alpha: 0.42 },
    lifeEnd: { stroke: c.state, width: 2, alpha: 0.8 },
    stale: { stroke: c.bad, width: 2.75 },
    leakTie: { stroke: c.bad, width: 1.75 },
    staleHead: { fill: c.bad },
    move: { stroke: c.flow, width: 2, alpha: 0.9 },
    moveLow: { stroke: c.flow, width: 2, alpha: 0.75, dash: [4, 4] },
    moveCloses: { stroke: c.bad, width: 1.25, alpha: 0.9 },
    moveBad: { stroke: c.bad, width: 2.75 },
    moveHead: { fill: c.bad },
    selfArc: { stroke: c.flow, width: 1.5 },
    selfArcBad: { stroke: c.bad, width: 2 },
    tie: { stroke: c.bad, width: 1.75, dash: [3, 3] },
    bracket: { stroke: c.bad, width: 1.5 },
    plate: { fill: c.map, solid: true },
    pill: { fill: c['flow-bg'], stroke: c.flow, width: 1.5 },
    pillLow: { fill: c['flow-bg'], stroke: c.flow, width: 1.5, dash: [3, 2] },
    pillBad: { fill: c['bad-bg'], stroke: c.bad, width: 2 },
    pillBadLow: { fill: c['bad-bg'], stroke: c.bad, width: 2, dash: [3, 2] },
    tick: { fill: c.state, stroke: c.state, width: 1 },
    tickMissing: { stroke: c['text-3'], width: 1 },
    tickMissingBad: { stroke: c.bad, width: 1 },
    read: { fill: c.map, stroke: c.state, width: 1.5 },
    readStale: { fill: c.map, stroke: c.bad, width: 1.75 },
    readLeak: { fill: c.bad, stroke: c.bad, width: 1.5 },
    slot: { fill: c['state-bg'], stroke: c.state, width: 1.25 },
    slotNull: { fill: c.map, stroke: c.state, width: 1.25, dash: [3, 2] },
    slotBad: { fill: c['bad-bg'], stroke: c.bad, width: 2 },
    slotNullBad: { fill: c['bad-bg'], stroke: c.bad, width: 2, dash: [3, 2] },
    square: { fill: c.state },
    squareNull: { fill: c.map, stroke: c.state, width: 1.25, dash: [2, 2] },
    squareBad: { fill: c.bad },
    slotStroke: { stroke: c.state, width: 1.5 },
    slotStrokeBad: { stroke: c.bad, width: 1.5 },
    question: { fill: c.know },
    docUsed: { fill: c.know },
    docSeen: { fill: c.map, stroke: c.know, width: 1.25 },
    docBad: { fill: c.bad },
    docBadSeen: { fill: c.map, stroke: c.bad, width: 1.5 },
    ring: { stroke: c.bad, width: 1.5 },
    answer: { fill: c['know-bg'], stroke: c.know, width: 1.25 },
    answerLines: { stroke: c.know, width: 1.25 },
    strike: { stroke: c.text, width: 1.5 },
    pillText: { font: FONT.mark, fill: c.text, align: 'center' },
    pillTextBad: { font: FONT.mark, fill: c['bad-ink'], align: 'center' },
    pillName: { font: FONT.name, fill: c.text },
    pillNameBad: { font: FONT.name, fill: c['bad-ink'] },
    selfText: { font: FONT.rank, fill: c.flow, align: 'center' },
    selfTextBad: { font: FONT.rank, fill: c['bad-ink'], align: 'center' },
    slotText: { font: FONT.value, fill: c.text, align: 'center' },
    slotTextBad: { font: FONT.value, fill: c['bad-ink'], align: 'center' },
    slotTextNull: { font: FONT.value, fill: c['text-2'], align: 'center' },
    answerText: { font: FONT.rank, fill: c.text, align: 'center' },
    rank: { font: FONT.rank, fill: c['know-on'], align: 'center' },
    rankBad: { font: FONT.rank, fill: c['bad-on'], align: 'center' },
    score: { font: FONT.value, fill: c['text-2'] },
  };
  // Opacity 0.12 + 0.8·w² and width 0.8 + 1.2·w² in WEIGHTS steps, the last of them at full weight.
  const combs = Array.from({ length: WEIGHTS }, (_, i) => {
    const weight = (i + 1) / WEIGHTS;
    return { stroke: c.know, width: 0.8 + 1.2 * weight * weight, alpha: 0.12 + 0.8 * weight * weight };
  });
  return [...combs, ...NAMES.map((name) => named[name])];
}
