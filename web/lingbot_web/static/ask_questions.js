// The question that fits what is selected, where a cited item stands on the map, and the questions asked before.

import { foreign, h } from 'lb/dom';
import { known, text } from 'lb/i18n';
import { part } from 'lb/pane';
import { labelOf } from 'lb/past';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/fold').DialogueMap} DialogueMap */

const BEHIND = /** @type {Record<string, 'source' | 'target'>} */ ({ read: 'source', merge: 'target' });

/** "Why?" of what is selected; "" where there is nothing to ask. @param {DialogueMap} map @param {Selection} selection @returns {string} */
export function whyOf(map, selection) {
  const { turn } = selection;
  if (selection.kind === 'finding') {
    const finding = map.findings.get(selection.id);
    return finding ? text('ask.why.finding', { turn: finding.turn, name: finding.code }) : '';
  }
  const edge = selection.kind === 'edge' ? map.edge(selection.id) : null;
  const id = edge ? edge[BEHIND[edge.kind] ?? 'target'] : selection.id;
  const node = map.nodes.get(id);
  const at = edge?.turn || turn || node?.turn || 0;
  if (!at || at > map.lastTurn) return '';
  const name = id.slice(id.indexOf(':') + 1);
  if (node?.kind === 'slot') return text('ask.why.slot', { turn: at, name });
  if (node?.kind === 'intent') return text('ask.why.intent', { turn: at, name });
  if (node?.kind === 'doc') return text('ask.why.doc', { turn: at, name });
  return text('ask.why.answer', { turn: at });
}

/** Where a cited item is on the map, and what it is called; `selection` is null where the map does not hold it. @param {DialogueMap} map @param {string} id @returns {{label: string, selection: Selection | null}} */
export function placeOfItem(map, id) {
  const turn = /^t(\d{1,9})$/.exec(id);
  if (turn) {
    const number = Number(turn[1]);
    return { label: text('ask.turn', { turn: number }), selection: map.turn(number) ? { kind: 'turn', id: `utterance:${number}`, turn: number, seq: 0 } : null };
  }
  const finding = map.findings.get(id);
  if (finding) return { label: finding.code, selection: { kind: 'finding', id, turn: finding.turn, seq: finding.seq } };
  const node = map.nodes.get(id);
  if (node?.kind === 'answer') return { label: text('ask.answer', { turn: node.turn }), selection: { kind: 'node', id, turn: node.turn, seq: 0 } };
  if (node) return { label: labelOf(map, id), selection: { kind: 'node', id, turn: node.turn, seq: 0 } };
  const edge = map.edge(id);
  if (edge) return { label: labelOfEdge(edge), selection: { kind: 'edge', id, turn: edge.turn, seq: edge.seq } };
  return { label: id, selection: null };
}

/** "write, turn 12", "reranked #1". @param {import('lb/types').Edge} edge */
function labelOfEdge({ kind, turn, props }) {
  if (kind !== 'recall') return text('ask.edge.of', { edge: text(`ask.edge.${kind}`), turn });
  const stage = `stage.${props.stage}`;
  return `${known(stage) ? text(stage) : String(props.stage).slice(0, 20)} #${props.rank}`;
}

const MOST_EARLIER = 8;

/** What was asked before, each with how its answer begins. @param {import('lb/ask_talk').Talk} talk @param {(turn: import('lb/ask_talk').Turn) => void} show */
export function earlierPart(talk, show) {
  const others = talk.turns.filter((turn) => turn !== talk.shown).reverse().slice(0, MOST_EARLIER);
  if (!others.length) return null;
  return part(text('ask.earlier'), '', h('ul', { class: 'plain ask-earlier' }, others.map((turn) => h('li', null,
    h('button', { class: 'link', on: { click: () => show(turn) } }, foreign(turn.question, { most: 120 })),
    turn.told.answer && h('p', { class: 'quiet' }, foreign(turn.told.answer.sentences[0]?.text ?? '', { most: 90 }))))));
}
