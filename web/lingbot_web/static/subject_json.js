// What the inspector shows, as JSON for other programs: as of the moment, nothing from after it. Pure.

import { docsOfTurn, stepsOfTurn } from 'lb/past';

/** @typedef {import('lb/types').Selection} Selection */

/** @param {import('lb/fold').DialogueMap} map @param {Selection} selection @param {number} upto seq, or Infinity @returns {object} */
export function subjectJson(map, selection, upto) {
  const head = { session: map.session, epoch: map.cursor.epoch, seq: Math.min(upto, map.cursor.seq) };
  const edge = selection.kind === 'edge' ? map.edge(selection.id) : null;
  if (selection.kind === 'finding') return { ...head, finding: map.findings.get(selection.id) ?? null };
  if (edge) return { ...head, edge };
  const node = selection.kind === 'node' ? map.node(selection.id) : null;
  if (node) {
    const props = map.propsAt(node.id, upto === Infinity ? null : upto) ?? {};
    // Of the past only the props are known: whether the node had faded then is not kept.
    const told = upto === Infinity ? node : { id: node.id, kind: node.kind, layer: node.layer, label: node.label, turn: node.turn, seq: node.seq, created_at: node.created_at };
    return { ...head, node: { ...told, props }, history: map.historyOf(node.id).filter(({ seq }) => seq <= upto), edges: map.edgesOf(node.id).filter(({ seq }) => seq <= upto) };
  }
  const { turn } = selection;
  const { used, prompt, cut } = docsOfTurn(map, turn, upto);
  return { ...head, turn: map.turn(turn) ?? turn, said: map.node(`utterance:${turn}`)?.label ?? '', edges: stepsOfTurn(map, turn, upto), used: used.map(({ doc }) => doc), prompt: prompt.map(({ doc }) => doc), cut: cut.map(({ doc, why }) => ({ doc, why })) };
}
