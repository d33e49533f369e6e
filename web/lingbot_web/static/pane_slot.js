// A slot: every value it ever had, who wrote it in which turn and task, who read it, what was overwritten or leaked.

import { stepChart } from 'lb/charts';
import { foreign, h } from 'lb/dom';
import { clock, count, span, stamp, valueText } from 'lb/format';
import { known, text } from 'lb/i18n';
import { callouts, facts, heading, nodeLink, part, saidAt, steps, timeOf, whereabouts } from 'lb/pane';
import { findingsAbout, labelOf, lifeOf, overwritesOf } from 'lb/past';
import { expiryOf } from 'lb/past_moment';

/** @typedef {import('lb/pane').View} View */

const MOST = 40;

/** @param {View} view @param {import('lb/types').Node} node @returns {import('lb/pane').Pane} */
export function slotPane(view, node) {
  const { map, upto, selection } = view;
  const life = lifeOf(map, node.id, upto);
  const overwrites = overwritesOf(map, node.id, upto);
  const leaks = new Set(findingsAbout(map, { id: node.id }, upto).filter((finding) => finding.kind === 'leak').flatMap((finding) => finding.seqs));
  const readers = readersOf(life);
  const writes = life.filter((step) => step.what !== 'read').length;
  const props = map.propsAt(node.id, upto === Infinity ? null : upto) ?? {};
  const turns = { first: Math.max(1, map.firstTurn), last: map.lastTurn };
  const lasting = lifetime(view, node);
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
    overwrites.size > 0 && part(text('slot.overwrites'), count(overwrites.size), h('ol', { class: 'jumps state' }, [...overwrites.values()].slice(-MOST).map((edge) => overwritten(view, node.id, edge, life)))),
    readers.length > 0 && part(text('slot.readers'), count(life.length - writes), h('ul', { class: 'plain readers' }, readers.slice(0, MOST).map(({ id, reader, times, last }) => h('li', null, nodeLink(view, id, { turn: last.turn, seq: 0 }), reader && [' ', h('code', null, foreign(reader, { most: 80 }))], ' ', h('span', { class: 'quiet end' }, `× ${times} · ${text('slot.last', { turn: last.turn })}`))))),
    part(text('inspect.facts'), '', facts([
      [text('slot.now'), h('span', { class: 'mono' }, foreign(now, { most: 300 }))],
      [text('slot.scope'), props.scope ? (known(`slot.scope.${props.scope}`) ? text(`slot.scope.${props.scope}`) : foreign(props.scope, { most: 60 })) : ''],
      [text('slot.task'), props.task ? nodeLink(view, String(props.task).includes(':') ? props.task : `intent:${props.task}`) : ''],
      [text('slot.unread'), props.set !== false && life.length > 0 && life[life.length - 1]?.what === 'write' ? text('inspect.yes') : ''],
      [text('slot.life'), lasting?.element],
    ])),
  ];
  return { body, seqs: life.map((step) => step.edge.seq), tick: lasting?.tick };
}

/**
 * What is left of a value's lifetime at the moment shown; where that is now, it runs on by itself.
 * @param {View} view @param {import('lb/types').Node} node
 */
function lifetime({ map, upto, now }, node) {
  const expires = expiryOf(map, node.id, upto);
  if (expires === null) return null;
  // On the source's clock, as all times of the map; the two may run apart.
  const shown = saidAt(map, expires, upto === Infinity ? map.lastTurn : Math.max(0, map.turnOf(upto)));
  const element = h('span', { class: 'lifetime' });
  const tick = () => {
    const left = expires - now();
    const gone = left <= 0 || (upto === Infinity && node.expired);
    const words = gone ? text('slot.expired.at', { time: clock(shown) }) : text('slot.left', { time: span(left) });
    element.title = stamp(shown);
    element.classList.toggle('quiet', gone);
    if (element.textContent !== words) element.textContent = words;
  };
  tick();
  return { element, tick };
}

/** One overwrite: from which turn the old value was, and who wrote the new one. @param {View} view @param {string} id @param {import('lb/types').Edge} edge @param {ReturnType<typeof lifeOf>} life */
function overwritten(view, id, edge, life) {
  const by = life.find((step) => step.edge.seq === edge.seq)?.other ?? '';
  return h('li', { class: 'bad' }, h('button', { class: 'step', 'aria-current': view.selection.seq === edge.seq ? 'true' : null, dataset: { focus: `overwrite ${edge.seq}` }, on: { click: () => view.go({ kind: 'node', id, turn: edge.turn, seq: edge.seq }) } },
    h('span', { class: 'turn mono' }, String(edge.turn)), h('i', { class: 'dot filled' }),
    h('span', { class: 'words' }, h('span', { class: 'mono' }, foreign(valueText(edge.props.old), { most: 40 }), ' → ', h('b', null, foreign(valueText(edge.props.new), { most: 40 }))), h('span', { class: 'below' }, text('slot.overwritten', { turn: edge.props.old_turn ?? '' }), by && [' · ', foreign(labelOf(view.map, by), { most: 40 })]))));
}

/** Who read the slot, and how often, the latest first. @param {ReturnType<typeof lifeOf>} life */
function readersOf(life) {
  /** @type {Map<string, {id: string, reader: string, times: number, last: import('lb/types').Edge}>} */
  const readers = new Map();
  for (const { edge, what, other } of life) {
    if (what !== 'read') continue;
    const reader = String(edge.props.reader ?? '');
    const key = JSON.stringify([other, reader]);
    readers.set(key, { id: other, reader, times: (readers.get(key)?.times ?? 0) + 1, last: edge });
  }
  return [...readers.values()].sort((a, b) => b.last.seq - a.last.seq);
}
