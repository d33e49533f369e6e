// An answer as it is read: its sentences with chips, the names it was bound to, and how it stands while it is on its way.

import { foreign, h, plain } from 'lb/dom';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { placeOfItem } from 'lb/ask_questions';
import { kindOf } from 'lb/ask_source';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/dom').Child} Child */
/** @typedef {import('lb/ask_talk').Told} Told */
/** @typedef {import('lb/ask_talk').Mention} Mention */
/**
 * Where chips lead: to the map for what it holds, else to where the item stands.
 * @typedef {object} Shown
 * @property {import('lb/fold').DialogueMap | null} map null for what isn't a session
 * @property {Record<string, {title: string, kind: string}>} labels
 * @property {string} opened the item that is open below the answer
 * @property {Set<number>} whole the sentences of which all chips are shown
 * @property {(sentence: number) => void} onWhole
 * @property {(selection: Selection) => void} go
 * @property {(id: string) => void} open
 */

const FIRST_CHIPS = 8;
const IN_MAP = /^(?:t\d+$|answer:|slot:|intent:|doc:|utterance:)/;

/** A cited item that leads to its place. @param {Shown} shown @param {string} id @param {string} [title] @returns {HTMLElement} */
export function chip({ map, labels, opened, go, open }, id, title = labels[id]?.title ?? id) {
  if (map) {
    const { label, selection } = placeOfItem(map, id);
    if (selection) return h('button', { class: `ask-chip ${selection.kind}`, title: plain(title, 200), dataset: { item: id, focus: `item ${id}` }, on: { click: () => go(selection) } }, foreign(label, { most: 40 }));
    if (!labels[id] || IN_MAP.test(id)) return h('span', { class: 'ask-chip gone', title: plain(title, 200) }, foreign(label, { most: 40 }));
  }
  const kind = labels[id]?.kind ?? '';
  return h('button', { class: `ask-chip ${/^[a-z]+$/.test(kind) ? `of-${kind}` : ''}`, title: plain(`${kindOf(kind)} ${id}`.trim(), 200), 'aria-expanded': String(opened === id), dataset: { item: id, focus: `item ${id}` }, on: { click: () => open(id) } }, labelOf(id, title));
}

/** "m4 retryCharge(amount)", "Roadmap #1", "林岚 DIRECTED 星河彼岸". @param {string} id @param {string} title */
function labelOf(id, title) {
  const short = /(?:^|#)([mfnl]\d{1,6})$/.exec(id)?.[1];
  if (short) return [h('b', null, short), title !== id && title !== short ? foreign(title, { most: 34 }) : null];
  const sentence = /#(\d{1,6})$/.exec(id)?.[1];
  return [foreign(title, { most: 40 }), sentence && h('b', null, `#${sentence}`)];
}

/** What is said, sentence by sentence. @param {Shown} shown @param {Told} told @returns {Child[]} */
export function answerBody(shown, told) {
  const { answer } = told;
  if (!answer) return [];
  const open = answer.open_points.filter((point) => !answer.sentences.some((sentence) => sentence.text.includes(point))); // said already
  return [
    h('div', { class: `ask-said ${answer.abstained ? 'none' : ''}` },
      answer.abstained && h('p', { class: 'ask-verdict' }, text(shown.map ? 'ask.none' : 'ask.none.here')),
      answer.verdict && !answer.abstained && h('p', { class: `ask-verdict ${answer.verdict}` }, text(`ask.verdict.${answer.verdict}`)),
      answer.worded && h('p', { class: 'ask-extracted' }, text('ask.worded')),
      answer.extracted && h('p', { class: 'ask-extracted' }, text(answer.chains.length ? 'ask.extracted.chain' : 'ask.extracted')),
      answer.sentences.map((sentence, i) => h('p', null, foreign(answer.abstained ? withoutVerdict(sentence.text) : sentence.text, { most: 2000 }), cited(shown, sentence.cites, i)))),
    open.length > 0 && h('div', { class: 'ask-open' }, h('p', { class: 'quiet', id: 'ask-open' }, text('ask.open')), h('ul', { 'aria-labelledby': 'ask-open' }, open.map((point) => h('li', null, foreign(point, { most: 300 }))))),
  ];
}

/** The chips of a sentence: the first of them, and all on request. @param {Shown} shown @param {string[]} cites @param {number} sentence */
function cited(shown, cites, sentence) {
  if (!cites.length) return null;
  const all = shown.whole.has(sentence) || cites.length <= FIRST_CHIPS + 1;
  return h('span', { class: 'ask-cites', dataset: { sentence: String(sentence) } },
    (all ? cites : cites.slice(0, FIRST_CHIPS)).map((id) => chip(shown, id)),
    !all && h('button', { class: 'text-button', dataset: { focus: `cites ${sentence}` }, on: { click: () => shown.onWhole(sentence) } }, text('ask.more', { n: cites.length - FIRST_CHIPS })));
}

/** Shows the rest of a list and goes on where its first part ended: the button that did it is gone. @param {HTMLElement} host @param {string} list @param {() => void} show */
export function goOn(host, list, show) {
  const chips = () => [...(host.querySelector(list)?.querySelectorAll('.ask-chip') ?? [])];
  const before = chips().length;
  show();
  const next = chips()[before];
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

/** "Not recorded: this session has only 19 turns." stands below a sign that says as much. @param {string} said */
function withoutVerdict(said) {
  return said.replace(/^(?:Not recorded: |This is not in the diagram: |没有记录：|图中未涉及：)(.)/u, (_, first) => first.toUpperCase());
}

/** @param {Told} told @param {number} seconds */
export function waitingWords({ opening }, seconds) {
  return text(opening ? 'ask.opening' : seconds >= 3 ? 'ask.long' : 'ask.asking', { n: seconds });
}

/** How it stands where there is no answer. @param {Told} told @param {number} seconds it took so far @param {() => void} again @returns {Child} */
export function standingBody(told, seconds, again) {
  if (told.state === 'busy') {
    return h('p', { class: 'ask-hint ask-busy' }, h('i', { class: 'ask-dots', 'aria-hidden': 'true' }), h('span', { class: 'sr' }, text(told.opening ? 'ask.opening' : 'ask.asking')), h('span', { class: 'ask-wait', 'aria-hidden': 'true' }, waitingWords(told, seconds)));
  }
  if (told.state === 'done') return null;
  const words = { failed: 'ask.failed', away: 'ask.away', stopped: 'ask.stopped' }[told.state];
  return h('div', { class: `ask-notice ${told.state}`, role: told.state === 'stopped' ? null : 'alert' },
    told.state === 'away' && icon('offline'), told.state === 'failed' && icon('warning'),
    h('div', null,
      h('p', null, told.error ? foreign(told.error, { most: 600 }) : text(words)),
      told.remedy && h('p', { class: 'quiet' }, foreign(told.remedy, { most: 300 })),
      h('button', { class: 'text-button', dataset: { focus: 'again' }, on: { click: again } }, text('ask.again'))));
}

/** It may stand for something else, and the reader has not said which. @param {Mention} mention */
function isUnsure({ others, how }) {
  return how !== 'corrected' && (others.length > 0 || how === 'near');
}

/** What the words of a question stand for, each to be put right. @param {Mention[]} mentions @param {string} question @param {boolean} before whether it was not asked yet @param {(start: number, id: string) => void} correct */
export function boundNames(mentions, question, before, correct) {
  /** As it was typed: the server names it in small letters. @param {Mention} mention */
  const typed = ({ text: word, start }) => {
    const there = question.slice(start, start + word.length);
    return there.toLowerCase() === word.toLowerCase() ? there : word;
  };
  const named = mentions.filter((mention) => mention.label && mention.options.length);
  if (!named.length) return null;
  return h('div', { class: 'ask-bound' }, h('span', { class: 'quiet' }, text(before ? 'ask.bound.before' : 'ask.bound'), named.some(isUnsure) && h('span', { class: 'warn' }, ' · ', text('ask.bound.unsure'))), named.map((mention) => {
    const unsure = isUnsure(mention);
    const carried = mention.how === 'before';
    return h('label', { class: [unsure && 'unsure', mention.how === 'corrected' && 'corrected', carried && 'carried'].filter(Boolean).join(' ') || null },
      h('span', { class: 'sr' }, text('ask.bound.change', { word: plain(typed(mention), 60) })),
      h('bdi', { 'aria-hidden': 'true' }, carried ? text('ask.bound.carried') : plain(typed(mention), 40)),
      h('select', { disabled: carried, dataset: { focus: `bound ${mention.start}` }, on: { change: (/** @type {Event} */ event) => correct(mention.start, /** @type {HTMLSelectElement} */ (event.target).value) } },
        mention.options.map(({ id, label }) => h('option', { value: id, selected: id === mention.id }, plain(label, 60)))));
  }));
}
