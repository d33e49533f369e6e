// One turn of the dialogue as it is read: who said what, and small beside it what the bot took it for and what went wrong.

import { foreign, h, plain } from 'lb/dom';
import { clock, score, stamp } from 'lb/format';
import { lang, text } from 'lb/i18n';
import { glyph } from 'lb/icons';

/** @typedef {import('lb/dialogue_turns').Told} Told */
/** @typedef {import('lb/types').FindingKind} FindingKind */
/**
 * @typedef {object} Shown how a turn stands in the list
 * @property {Told} told
 * @property {number} at when it began, on the source's clock
 * @property {FindingKind[]} kinds findings known by the moment
 * @property {boolean} current the moment lies in it
 * @property {boolean} picked it is what is selected
 * @property {boolean} reached the tab key comes here
 * @property {number} place from 1
 * @property {number} of
 * @property {number} low routings below this are unsure
 */

const MOST = 6000;
const MOST_VISITS = 3;
const MOST_ANSWERS = 40;

/** What is in a row: two with the same sign look the same. @param {Shown} shown */
export function signOf({ told, ...rest }) {
  return JSON.stringify([{ ...told, failures: told.failures.map(({ id }) => id) }, rest, lang()]);
}

/** @param {Shown} shown @returns {HTMLElement} */
export function turnRow({ told, at, kinds, current, picked, reached, place, of, low }) {
  const { number, utterance, visits, answers, failures } = told;
  const title = number ? text('turn.title', { turn: number }) : text('score.opening');
  const id = `said-${number}`;
  return h(
    'article',
    {
      class: ['said', current && 'current', picked && 'picked', told.later && 'later', told.struck && 'undone'].filter(Boolean).join(' '),
      dataset: { turn: String(number) },
      tabindex: reached ? '0' : '-1',
      'aria-posinset': place,
      'aria-setsize': of,
      'aria-labelledby': id,
      'aria-current': current ? 'true' : null,
    },
    h(
      'header',
      { class: 'said-head' },
      h('span', { class: 'number mono', id, 'aria-label': title, title }, number ? String(number) : '–'),
      Number.isFinite(at) && h('time', { class: 'mono', title: stamp(at) }, clock(at)),
      current && h('span', { class: 'sr' }, text('dialogue.current')),
      told.struck && h('span', { class: 'mark' }, text('dialogue.undone')),
      h('span', { class: 'spring' }),
      kinds.map((kind) => h('span', { class: `kind ${kind}`, title: text(`finding.${kind}`) }, glyph(kind), h('span', { class: 'sr' }, text(`finding.${kind}`)))),
    ),
    number > 0 && h('div', { class: 'user' }, h('span', { class: 'sr' }, text('dialogue.user')), utterance ? h('p', { class: 'bubble' }, words(utterance)) : h('p', { class: 'quiet nothing' }, text('inspect.silent'))),
    visits.length > 0 && h('div', { class: 'visits' }, visits.slice(0, MOST_VISITS).map((visit) => chip(visit, low)), visits.length > MOST_VISITS && h('span', { class: 'quiet' }, `+${visits.length - MOST_VISITS}`)),
    answers.slice(0, MOST_ANSWERS).map((answer) =>
      h('div', { class: ['bot', answer.later && !told.later && 'later', answer.struck && !told.struck && 'undone'].filter(Boolean).join(' ') }, h('span', { class: 'sr' }, text('dialogue.bot')), answer.text ? h('p', { class: 'bubble' }, words(answer.text)) : h('p', { class: 'quiet nothing' }, text('dialogue.empty'))),
    ),
    answers.length > MOST_ANSWERS && h('p', { class: 'quiet nothing' }, text('dialogue.more', { n: answers.length - MOST_ANSWERS })),
    failures.map((finding) => h('p', { class: 'failed' }, glyph('failure'), foreign(finding.reason[lang()] || finding.reason.en, { most: 400 }))),
    told.standing === 'open' && h('div', { class: 'bot' }, h('p', { class: 'bubble open' }, h('i'), h('i'), h('i'), h('span', { class: 'sr' }, text('dialogue.open')))),
    told.standing === 'unanswered' && number > 0 && !failures.length && h('p', { class: 'quiet nothing' }, text('dialogue.unanswered')),
  );
}

/** @param {string} said */
function words(said) {
  return foreign(said, { most: MOST, lines: true });
}

/** @param {import('lb/dialogue_turns').Visit} visit @param {number} low */
function chip({ label, id, confidence, struck, later }, low) {
  const unsure = confidence !== null && confidence < low;
  return h('span', { class: ['visit', unsure && 'unsure', later && 'later', struck && 'undone'].filter(Boolean).join(' '), title: plain(id.slice(id.indexOf(':') + 1), 120) }, foreign(label, { most: 40 }), confidence !== null && h('span', { class: 'mono' }, score(confidence).replace(/^0/, '')));
}
