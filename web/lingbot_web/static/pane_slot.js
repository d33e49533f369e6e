// A slot: every value it ever had, who wrote it in which turn and task, who read it, what was overwritten or leaked.

import { stepChart } from 'lb/charts';
import { foreign, h } from 'lb/dom';
import { span, valueText } from 'lb/format';
import { text } from 'lb/i18n';
import { callouts, facts, heading, nodeLink, part, steps, timeOf, whereabouts } from 'lb/pane';
import { findingsAbout, labelOf, lifeOf, overwritesOf } from 'lb/past';

/** @typedef {import('lb/pane').View} View */

/** @param {View} view @param {import('lb/types').Node} node @returns {import('lb/pane').Pane} */
export function slotPane(view, node) {
  const { map, upto, selection } = view;
  const life = lifeOf(map, node.id, upto);
  const overwrites = overwritesOf(map, node.id, upto);
  const leaks = new Set(findingsAbout(map, { id: node.id }, upto).filter((finding) => finding.kind === 'leak').flatMap((finding) => finding.seqs));
  const writes = life.filter((step) => step.what !== 'read').length;
  const props = map.propsAt(node.id, upto === Infinity ? null : upto) ?? {};
  const turns = { first: Math.max(1, map.firstTurn), last: map.lastTurn };
  const left = node.expires_at === null || node.expires_at === undefined ? null : node.expires_at - map.at;
  const now = props.set === false ? text('slot.cleared') : valueText(props.value);
  const body = [
    heading(node.label, text('kind.slot'), 'state', whereabouts(view, node.id)),
    callouts(view, findingsAbout(map, { id: node.id }, upto)),
    part(
      text('slot.history'),
      text('slot.counts', { writes, reads: life.length - writes }),
      life.length > 0 && stepChart(life.map((step) => ({
        turn: step.edge.turn,
        what: step.what,
        value: valueText(step.edge.props.value),
        bad: overwrites.has(step.edge.seq) || (step.what === 'read' && leaks.has(step.edge.seq)),
        current: step.edge.seq === selection.seq,
      })), { turns, label: text('slot.history') }),
      steps(view, 'state', life.map((step) => {
        const { edge, what, other } = step;
        const over = overwrites.get(edge.seq);
        const leaked = what === 'read' && leaks.has(edge.seq);
        const did = over ? 'slot.overwrote' : leaked ? 'slot.leaked' : what === 'read' ? 'slot.read' : what === 'cleared' ? 'slot.did-clear' : edge.props.change === 'same' ? 'slot.same' : 'slot.wrote';
        return {
          turn: edge.turn,
          seq: edge.seq,
          id: node.id,
          dot: what === 'read' ? `round ${leaked ? 'filled' : ''}` : what === 'cleared' ? 'struck' : 'filled',
          bad: Boolean(over) || leaked,
          words: [what === 'write' && [h('b', { class: 'mono' }, foreign(valueText(edge.props.value), { most: 60 })), ' '], h('span', { class: 'who' }, foreign(labelOf(map, other), { most: 40 }), ' ', text(did))],
          end: timeOf(view, edge.at, edge.turn),
          title: edge.props.reader ? text('slot.reader', { reader: String(edge.props.reader).slice(0, 120) }) : '',
        };
      })),
    ),
    part(text('inspect.facts'), '', facts([
      [text('slot.now'), h('span', { class: 'mono' }, foreign(now, { most: 300 }))],
      [text('slot.scope'), props.scope ? foreign(props.scope, { most: 60 }) : ''],
      [text('slot.task'), props.task ? nodeLink(view, String(props.task).includes(':') ? props.task : `intent:${props.task}`) : ''],
      [text('slot.unread'), props.set !== false && life.length > 0 && life[life.length - 1]?.what === 'write' ? text('inspect.yes') : ''],
      [text('slot.life'), upto !== Infinity ? '' : node.expired ? text('slot.expired') : left === null ? '' : text('slot.left', { time: span(left) })],
    ])),
  ];
  return { body, seqs: life.map((step) => step.edge.seq) };
}
