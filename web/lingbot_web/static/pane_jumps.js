// Jumps between intents as the inspector lists them: from where to where, in which turn, and what let them through.

import { foreign, h, plain } from 'lb/dom';
import { score } from 'lb/format';
import { text } from 'lb/i18n';
import { labelOf } from 'lb/past';

/** @typedef {import('lb/pane').View} View */
/** @typedef {import('lb/types').Edge} Edge */
/** @typedef {import('lb/types').Finding} Finding */

/**
 * One jump. Both ends are named, or the one that is not the pane's own.
 * @param {View} view @param {Edge} edge @param {{end?: 'source' | 'target', closes?: boolean}} [how] `closes`: it closed a loop
 */
export function jump(view, edge, { end, closes = false } = {}) {
  const missing = Array.isArray(edge.props.missing) ? edge.props.missing.map((slot) => labelOf(view.map, `slot:${slot}`)) : [];
  const [from, to] = [edge.source, edge.target].map((id) => labelOf(view.map, id));
  const both = [foreign(from, { most: 60 }), ' → ', foreign(to, { most: 60 })];
  const one = end === 'source' ? [foreign(from, { most: 60 }), ' →'] : ['→ ', foreign(to, { most: 60 })];
  return h(
    'li',
    { class: view.blamed.has(edge.seq) ? 'bad' : null },
    h('button', {
      class: 'step', 'aria-current': view.selection.seq === edge.seq ? 'true' : null, title: end ? null : plain(`${from} → ${to}`, 200), dataset: { focus: `jump ${end ?? ''} ${edge.seq}` },
      on: { click: () => view.go({ kind: 'node', id: edge.target, turn: edge.turn, seq: edge.seq }) },
    }, h('span', { class: 'turn mono' }, String(edge.turn)), h('i', { class: 'dot round filled' }), h('span', { class: 'words' }, end ? (edge.source === edge.target ? text('intent.stayed') : one) : both), h('span', { class: 'end mono' }, score(edge.props.confidence))),
    h('div', { class: 'condition' },
      edge.props.condition && h('code', null, foreign(edge.props.condition, { most: 300 })),
      edge.props.predicted_by ? h('span', { class: 'quiet' }, text('intent.predicted', { name: plain(edge.props.predicted_by, 120) })) : !edge.props.condition && h('span', { class: 'quiet' }, text('intent.unconditional')),
      missing.length > 0 && h('span', { class: 'lack' }, text('intent.lacking', { slots: plain(missing.join(text('list.join')), 200) })),
      closes && h('b', { class: 'closes' }, text('intent.closes'))),
  );
}

/** Whether a jump closed a loop that was found by the moment shown. @param {View} view @param {Edge} edge */
export function closesLoop({ map, upto }, edge) {
  return edge.seq <= upto && [...map.findings.values()].some((finding) => closed(finding, edge));
}

/** @param {Finding} finding @param {Edge} edge */
function closed(finding, edge) {
  return finding.kind === 'loop' && finding.seq === edge.seq && finding.edges.includes(edge.id);
}

/**
 * The jumps of a loop that tell why it went round: those with a condition, and the one that closed it.
 * @param {View} view @param {Finding} finding @param {boolean} all also those that had none
 */
export function loopJumps(view, finding, all) {
  const { map } = view;
  const edges = finding.edges.flatMap((id) => map.edge(id) ?? []);
  // Where no jump of the loop itself had a condition, the reason tells that of the one that led into it.
  const entry = map.edge(`move:${finding.seqs[0]}`);
  if (entry?.props.condition && !edges.some(({ props }) => props.condition)) edges.unshift(entry);
  const shown = edges.filter((edge) => all || edge.props.condition || closed(finding, edge));
  return shown.length > 0 && h('ol', { class: 'jumps flow' }, shown.map((edge) => jump(view, edge, { closes: closed(finding, edge) })));
}
