// An answer as it is read: its sentences with chips, the chain of causes, the evidence, and how it came about.

import { foreign, h, plain } from 'lb/dom';
import { known, text } from 'lb/i18n';
import { placeOfItem } from 'lb/ask_questions';
import { part } from 'lb/pane';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/dom').Child} Child */
/** @typedef {{text: string, start: number, id: string, kind: string, how: string, others: string[]}} Mention */
/** @typedef {{name: string, status: string, detail: string, evidence_count: number, ms: number}} Step */
/** @typedef {{item: string, title: string, kind: string, snippet: string, route: string, selection_reason: string, ranks: Record<string, number>}} Evidence */
/**
 * @typedef {object} Told what has come of an answer so far
 * @property {{mentions: Mention[]} | null} bound
 * @property {Step[]} steps
 * @property {Evidence[]} evidence
 * @property {{sentences: {text: string, cites: string[]}[], abstained: boolean, chains: {items: string[], links: string[]}[], open_points: string[]} | null} answer
 * @property {string} error
 * @property {string} use what became of its reader's verdict, as a word's key
 */
/** @typedef {{map: import('lb/fold').DialogueMap, go: (selection: Selection) => void}} Shown */

const MOST_CHIPS = 6;
const MOST_EVIDENCE = 20;
const MOST_STEPS_IN_CHAIN = 14;

/** A cited item that leads to its place on the map. @param {Shown} shown @param {string} id @param {string} [title] */
export function chip({ map, go }, id, title = id) {
  const { label, selection } = placeOfItem(map, id);
  if (!selection) return h('span', { class: 'ask-chip gone', title: plain(title, 200) }, foreign(label, { most: 40 }));
  return h('button', { class: `ask-chip ${selection.kind}`, title: plain(title, 200), dataset: { item: id }, on: { click: () => go(selection) } }, foreign(label, { most: 40 }));
}

/** @param {Shown} shown @param {Told} told @returns {Child[]} */
export function answerBody(shown, told) {
  const { answer } = told;
  if (!answer) return [];
  return [
    h('div', { class: `ask-said ${answer.abstained ? 'none' : ''}` },
      answer.abstained && h('p', { class: 'quiet' }, text('ask.none')),
      answer.sentences.map((sentence) => h('p', null, foreign(sentence.text, { most: 2000 }), ' ', sentence.cites.slice(0, MOST_CHIPS).map((id) => [chip(shown, id), ' ']))),
      answer.open_points.map((point) => h('p', { class: 'quiet' }, foreign(point, { most: 300 })))),
    answer.chains.length > 0 && part(text('ask.chain'), '', answer.chains.slice(0, 5).map((chain) => chainList(shown, chain))),
    told.evidence.length > 0 && part(text('ask.evidence'), String(told.evidence.length), h('ol', { class: 'ask-evidence' }, told.evidence.slice(0, MOST_EVIDENCE).map((item) => evidenceLine(shown, item)))),
  ];
}

/** @param {Shown} shown @param {{items: string[], links: string[]}} chain */
function chainList(shown, { items }) {
  return h('ol', { class: 'ask-chain' }, items.slice(0, MOST_STEPS_IN_CHAIN).map((id) => h('li', null, chip(shown, id))));
}

/** @param {Shown} shown @param {Evidence} item */
function evidenceLine(shown, item) {
  return h('li', null,
    h('div', { class: 'ask-evidence-head' }, chip(shown, item.item), h('span', { class: 'mono quiet' }, foreign(item.item, { most: 60 }))),
    h('div', { class: 'ask-snippet' }, foreign(item.snippet, { most: 200 })),
    h('div', { class: 'quiet' }, item.route === 'operator' ? text('ask.computed') : foreign(item.selection_reason, { most: 200 })));
}

/** The steps, each a bar as long as it took, one after the other. @param {Step[]} steps */
export function waterfall(steps) {
  const whole = Math.max(0.001, steps.reduce((sum, step) => sum + step.ms, 0));
  let begun = 0;
  const lines = steps.map((step) => {
    const from = begun;
    begun += step.ms;
    const name = known(`ask.step.${step.name}`) ? text(`ask.step.${step.name}`) : step.name;
    return h('li', { class: step.status, title: plain(`${step.status} ${step.detail}`, 200) },
      h('span', { class: 'ask-step-name' }, foreign(name, { most: 40 })),
      h('span', { class: 'ask-bar' }, h('i', { style: { '--from': `${(from / whole) * 100}%`, '--long': `${Math.max(1, (step.ms / whole) * 100)}%` } })),
      h('span', { class: 'mono end' }, text('ask.took', { ms: step.ms.toFixed(1) })));
  });
  return h('ol', { class: 'ask-steps' }, lines);
}

/** What the words of a question stand for, each to be put right. @param {Shown} shown @param {Mention[]} mentions @param {(start: number, id: string) => void} correct */
export function boundNames({ map }, mentions, correct) {
  const named = mentions.filter((mention) => map.nodes.has(mention.id));
  if (!named.length) return null;
  return h('div', { class: 'ask-bound' }, h('span', { class: 'quiet' }, text('ask.bound')), named.map((mention) => {
    const ids = [...new Set([mention.id, ...mention.others, ...others(map, mention.id)])].filter((id) => map.nodes.has(id));
    return h('label', null, h('span', { class: 'sr' }, text('ask.bound.change', { word: plain(mention.text, 60) })),
      h('bdi', { 'aria-hidden': 'true' }, plain(mention.text, 40)),
      h('select', { on: { change: (/** @type {Event} */ event) => correct(mention.start, /** @type {HTMLSelectElement} */ (event.target).value) } },
        ids.map((id) => h('option', { value: id, selected: id === mention.id }, plain(id, 60)))));
  }));
}

const MOST_OTHERS = 60;

/** Other things of the same kind. @param {import('lb/fold').DialogueMap} map @param {string} id */
function others(map, id) {
  const kind = map.nodes.get(id)?.kind;
  const found = [];
  for (const node of map.nodes.values()) if (node.kind === kind && found.push(node.id) >= MOST_OTHERS) break;
  return found;
}
