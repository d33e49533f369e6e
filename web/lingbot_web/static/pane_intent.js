// An intent: how sure each visit was, what it needed, what it beat, and what let each jump through.

import { lineChart } from 'lb/charts';
import { foreign, h } from 'lb/dom';
import { score, valueText } from 'lb/format';
import { text } from 'lb/i18n';
import { callouts, facts, heading, nodeLink, part, steps, timeOf, whereabouts } from 'lb/pane';
import { closesLoop, jump } from 'lb/pane_jumps';
import { findingsAbout, labelOf, visitsOf } from 'lb/past';
import { leavesOf, requiredAt } from 'lb/past_moment';

/** @typedef {import('lb/pane').View} View */
/** @typedef {import('lb/types').Edge} Edge */

const MOST_CANDIDATES = 12;
const MOST_JUMPS = 40;

/** @param {View} view @param {import('lb/types').Node} node @returns {import('lb/pane').Pane} */
export function intentPane(view, node) {
  const { map, upto, selection } = view;
  const { visits, moves } = visitsOf(map, node.id, upto);
  const chosen = visits.find((edge) => edge.seq === selection.seq) ?? visits.findLast((edge) => edge.turn === selection.turn) ?? visits[visits.length - 1];
  const props = map.propsAt(node.id, upto === Infinity ? null : upto) ?? {};
  const leaves = leavesOf(map, node.id, upto);
  const required = list(chosen?.props.required ?? props.required);
  const missing = new Set(list(chosen ? chosen.props.missing : props.missing));
  const filled = required.filter((slot) => requiredAt(map, slot, upto).filled).length;
  const sure = visits.filter((edge) => typeof edge.props.confidence === 'number');
  const low = Number(map.about.policy?.low_confidence ?? 0.6);
  const turns = { first: Math.max(1, map.firstTurn), last: map.lastTurn };
  const body = [
    heading(node.label, text('kind.intent'), 'flow', whereabouts(view, node.id)),
    callouts(view, findingsAbout(map, { id: node.id }, upto)),
    part(
      text('intent.confidence'),
      text('intent.merged', { n: visits.length }),
      sure.length > 0
        ? lineChart(sure.map((edge) => ({ turn: edge.turn, value: edge.props.confidence, bad: view.blamed.has(edge.seq), current: edge === chosen })), { turns, layer: 'flow', threshold: low, label: text('intent.confidence') })
        : h('p', { class: 'quiet' }, text('intent.unsure')),
    ),
    visits.length > 0 && part(text('intent.visits'), '', steps(view, 'flow', visits.map((edge) => ({
      turn: edge.turn,
      seq: edge.seq,
      id: node.id,
      dot: `round filled ${Number(edge.props.confidence) < low ? 'low' : ''}`,
      bad: view.blamed.has(edge.seq),
      words: foreign(map.nodes.get(edge.source)?.label || text('inspect.silent'), { most: 120 }),
      end: score(edge.props.confidence),
    })))),
    chosen && part(text('intent.candidates'), text('inspect.turn', { turn: chosen.turn }), beaten(view, node.id, chosen)),
    required.length > 0 && part(text('intent.required'), text('intent.required.n', { n: filled, total: required.length }), h('ul', { class: 'steps state' }, required.map((slot) => needed(view, slot, missing.has(slot), chosen)))),
    jumps(view, text('intent.in'), moves, 'source'),
    jumps(view, text('intent.out'), leaves, 'target'),
    part(text('inspect.facts'), '', facts([
      [text('intent.parent'), props.parent ? nodeLink(view, `intent:${props.parent}`) : ''],
      [text('inspect.first'), timeOf(view, node.created_at, node.turn)],
      [text('inspect.expired'), node.expired ? text('inspect.yes') : ''],
    ])),
  ];
  return { body, seqs: [...visits, ...moves, ...leaves].map((edge) => edge.seq) };
}

/** @param {unknown} value @returns {string[]} */
function list(value) {
  return Array.isArray(value) ? value.map(String) : [];
}

/**
 * The intents that a visit was chosen from, itself first.
 * @param {View} view @param {string} id @param {Edge} visit
 */
function beaten(view, id, visit) {
  /** @type {[string, number | null][]} */
  const told = Array.isArray(visit.props.candidates) ? visit.props.candidates : [];
  const rest = told.filter(([name]) => `intent:${name}` !== id);
  if (!rest.length) return h('p', { class: 'quiet' }, text('intent.candidates.none'));
  const own = told.find(([name]) => `intent:${name}` === id)?.[1] ?? visit.props.confidence;
  return [
    h('ol', { class: 'bars' }, bar(view, id, own, true), rest.slice(0, MOST_CANDIDATES).map(([name, confidence]) => bar(view, `intent:${name}`, confidence, false))),
    rest.length > MOST_CANDIDATES && h('p', { class: 'quiet' }, text('inspect.some', { shown: MOST_CANDIDATES, total: rest.length })),
  ];
}

/** One required slot at the moment shown, and where that differs, at the visit. @param {View} view @param {string} slot @param {boolean} lacked @param {Edge | undefined} visit */
function needed(view, slot, lacked, visit) {
  const { filled, value, turn } = requiredAt(view.map, slot, view.upto);
  const changed = visit && lacked === filled;
  return h(
    'li',
    { class: `step ${filled ? '' : 'bad'}`, title: changed ? text(lacked ? 'intent.lacked' : 'intent.had', { turn: visit.turn }) : null },
    h('span', { class: 'turn mono' }, turn ? String(turn) : ''),
    h('i', { class: `dot ${filled ? 'filled' : ''}` }),
    h('span', { class: 'words' }, nodeLink(view, `slot:${slot}`, { words: labelOf(view.map, `slot:${slot}`) }), filled && [' ', h('b', { class: 'mono' }, foreign(valueText(value), { most: 60 }))], changed && h('span', { class: 'below' }, text(lacked ? 'intent.lacked' : 'intent.had', { turn: visit.turn }))),
    h('span', { class: 'end' }, text(filled ? 'intent.filled' : 'intent.missing')),
  );
}

/** @param {View} view @param {string} id @param {unknown} confidence @param {boolean} won */
function bar(view, id, confidence, won) {
  const share = Math.max(0, Math.min(1, Number(confidence) || 0));
  return h('li', { class: won ? 'won' : null }, h('span', { class: 'words' }, nodeLink(view, id)), h('span', { class: 'bar' }, h('i', { style: { width: `${share * 100}%` } })), h('span', { class: 'end mono' }, score(confidence)));
}

/** The jumps in or out, newest last, each with the condition that let it through. @param {View} view @param {string} title @param {Edge[]} edges @param {'source' | 'target'} end the end to name */
function jumps(view, title, edges, end) {
  if (!edges.length) return null;
  return part(title, String(edges.length), h('ol', { class: 'jumps flow' }, edges.slice(-MOST_JUMPS).map((edge) => jump(view, edge, { end, closes: closesLoop(view, edge) }))), edges.length > MOST_JUMPS && h('p', { class: 'quiet' }, text('inspect.some', { shown: MOST_JUMPS, total: edges.length })));
}
