// What can be done with an answer: see on the map how it came about, and say whether it was of use.

import { h } from 'lb/dom';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { writePlace } from 'lb/link';

/** @typedef {import('lb/ask_talk').Told} Told */

/** @param {Told} told @param {(useful: boolean) => void} said */
export function afterPart(told, said) {
  if (!told.answer || told.state === 'busy') return [];
  return [howPart(told.recorded), usePart(told, said)];
}

/** The way to the turn that the question is on the map; none where it was not recorded. @param {Told['recorded']} recorded */
function howPart(recorded) {
  if (!recorded) return null;
  const { session, turn } = recorded;
  const place = writePlace({ session, selection: { kind: 'turn', id: `utterance:${turn}`, turn, seq: 0 } });
  return h('p', { class: 'ask-how' }, h('a', { class: 'text-button', href: `#${place}`, title: text('ask.how.title'), dataset: { focus: 'how' } }, icon('link'), text('ask.how')));
}

/** Whether it was of use: noted in the log. @param {Told} told @param {(useful: boolean) => void} said */
function usePart({ use }, said) {
  if (use) return h('p', { class: 'quiet ask-uses', role: 'status' }, text(use));
  return h('div', { class: 'ask-uses' },
    h('button', { class: 'text-button', dataset: { focus: 'useful' }, on: { click: () => said(true) } }, text('ask.use.yes')),
    h('button', { class: 'text-button', dataset: { focus: 'useless' }, on: { click: () => said(false) } }, text('ask.use.no')));
}
