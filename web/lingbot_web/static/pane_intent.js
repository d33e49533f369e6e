// An intent: how sure each visit was, what it needed, what it beat, and what let each jump through.

import { lineChart } from 'lb/charts';
import { foreign, h } from 'lb/dom';
import { score } from 'lb/format';
import { text } from 'lb/i18n';
import { callouts, facts, heading, nodeLink, part, steps, timeOf, whereabouts } from 'lb/pane';
import { findingsAbout, labelOf, visitsOf } from 'lb/past';

/** @typedef {import('lb/pane').View} View */
/** @typedef {import('lb/types').Edge} Edge */

/** @param {View} view @param {import('lb/types').Node} node @returns {import('lb/pane').Pane} */
export function intentPane(view, node) {
  const { map, upto, selection } = view;
  const { visits, moves } = visitsOf(map, node.id, upto);
  const chosen = visits.find((edge) => edge.seq === selection.seq) ?? visits.findLast((edge) => edge.turn === selection.turn) ?? visits[visits.length - 1];
  const props = map.propsAt(node.id, upto === Infinity ? null : upto) ?? {};
  const required = list(chosen?.props.required ?? props.required);
  const missing = new Set(list(chosen?.props.missing ?? props.missing));
  /** @type {[string, number][]} */
  const candidates = Array.isArray(chosen?.props.candidates ?? props.candidates) ? (chosen?.props.candidates ?? props.candidates) : [];
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
    required.length > 0 && part(text('intent.required'), chosen ? text('inspect.turn', { turn: chosen.turn }) : '', h('ul', { class: 'steps state' }, required.map((slot) => needed(view, slot, missing.has(slot))))),
    candidates.length > 0 && part(text('intent.candidates'), chosen ? text('inspect.turn', { turn: chosen.turn }) : '', h('ol', { class: 'bars' }, candidates.slice(0, 12).map(([name, confidence]) => bar(view, name, confidence, `intent:${name}` === node.id)))),
    moves.length > 0 && part(text('intent.jumps'), '', h('ol', { class: 'jumps' }, moves.slice(-40).map((edge) => jump(view, edge)))),
    part(text('inspect.facts'), '', facts([
      [text('intent.parent'), props.parent ? nodeLink(view, `intent:${props.parent}`) : ''],
      [text('inspect.first'), timeOf(view, node.created_at, node.turn)],
      [text('inspect.expired'), node.expired ? text('inspect.yes') : ''],
    ])),
  ];
  return { body, seqs: [...visits, ...moves].map((edge) => edge.seq) };
}

/** @param {unknown} value @returns {string[]} */
function list(value) {
  return Array.isArray(value) ? value.map(String) : [];
}

/** @param {View} view @param {string} slot @param {boolean} missing */
function needed(view, slot, missing) {
  return h('li', { class: `step ${missing ? 'bad' : ''}` }, h('span', { class: 'turn' }), h('i', { class: `dot ${missing ? '' : 'filled'}` }), h('span', { class: 'words mono' }, nodeLink(view, `slot:${slot}`, { words: slot })), h('span', { class: 'end' }, text(missing ? 'intent.missing' : 'intent.filled')));
}

/** @param {View} view @param {string} name @param {number} confidence @param {boolean} won */
function bar(view, name, confidence, won) {
  const share = Math.max(0, Math.min(1, Number(confidence) || 0));
  return h('li', { class: won ? 'won' : null }, h('span', { class: 'words' }, nodeLink(view, `intent:${name}`)), h('span', { class: 'bar' }, h('i', { style: { width: `${share * 100}%` } })), h('span', { class: 'end mono' }, score(confidence)));
}

/** @param {View} view @param {Edge} edge */
function jump(view, edge) {
  const missing = list(edge.props.missing);
  return h(
    'li',
    { class: view.blamed.has(edge.seq) ? 'bad' : null },
    h('div', null, h('span', { class: 'turn mono' }, String(edge.turn)), nodeLink(view, edge.source, { turn: edge.turn }), ' → ', foreign(labelOf(view.map, edge.target), { most: 60 }), h('span', { class: 'end mono' }, score(edge.props.confidence))),
    h('div', { class: 'condition' }, edge.props.condition ? h('code', null, foreign(edge.props.condition, { most: 300 })) : h('span', { class: 'quiet' }, text('intent.unconditional')), missing.length > 0 && h('span', { class: 'lack' }, text('intent.lacking', { slots: missing.join(', ') }))),
  );
}
