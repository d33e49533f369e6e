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
 * @property {(selection: Selection) => void} go
 * @property {(id: string) => void} open
 */

const MOST_CHIPS = 12;
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
  return [
    h('div', { class: `ask-said ${answer.abstained ? 'none' : ''}` },
      answer.abstained && h('p', { class: 'ask-verdict' }, text(shown.map ? 'ask.none' : 'ask.none.here')),
      answer.verdict && !answer.abstained && h('p', { class: `ask-verdict ${answer.verdict}` }, text(`ask.verdict.${answer.verdict}`)),
      answer.worded && h('p', { class: 'ask-extracted' }, text('ask.worded')),
      answer.extracted && h('p', { class: 'ask-extracted' }, text(answer.chains.length ? 'ask.extracted.chain' : 'ask.extracted')),
      answer.sentences.map((sentence) => h('p', null, foreign(sentence.text, { most: 2000 }), sentence.cites.length > 0 && h('span', { class: 'ask-cites' }, sentence.cites.slice(0, MOST_CHIPS).map((id) => chip(shown, id)), sentence.cites.length > MOST_CHIPS && h('span', { class: 'quiet' }, text('ask.more', { n: sentence.cites.length - MOST_CHIPS })))))),
    answer.open_points.length > 0 && h('ul', { class: 'ask-open' }, answer.open_points.map((point) => h('li', null, foreign(point, { most: 300 })))),
  ];
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

/** What the words of a question stand for, each to be put right. @param {Mention[]} mentions @param {boolean} before whether it was not asked yet @param {(start: number, id: string) => void} correct */
export function boundNames(mentions, before, correct) {
  const named = mentions.filter((mention) => mention.label && mention.options.length);
  if (!named.length) return null;
  return h('div', { class: 'ask-bound' }, h('span', { class: 'quiet' }, text(before ? 'ask.bound.before' : 'ask.bound')), named.map((mention) => {
    const unsure = mention.others.length > 0 || mention.how === 'near';
    const carried = mention.how === 'before';
    return h('label', { class: [unsure && 'unsure', mention.how === 'corrected' && 'corrected', carried && 'carried'].filter(Boolean).join(' ') || null, title: unsure ? text('ask.bound.unsure') : null },
      h('span', { class: 'sr' }, text('ask.bound.change', { word: plain(mention.text, 60) })),
      h('bdi', { 'aria-hidden': 'true' }, carried ? text('ask.bound.carried') : plain(mention.text, 40)),
      h('select', { disabled: carried, dataset: { focus: `bound ${mention.start}` }, on: { change: (/** @type {Event} */ event) => correct(mention.start, /** @type {HTMLSelectElement} */ (event.target).value) } },
        mention.options.map(({ id, label }) => h('option', { value: id, selected: id === mention.id }, plain(label, 60)))));
  }));
}
