// The card that stands on the map while there is nothing to draw: no event yet, no token, or no such session.

import { byId, fill, foreign, h } from 'lb/dom';
import { text } from 'lb/i18n';
import { copyText } from 'lb/clipboard';

/** @typedef {'none' | 'waiting' | 'silent' | 'unauthorised' | 'restarted' | 'missing' | 'damaged' | 'loading'} CardKind */
/**
 * @typedef {object} CardActions
 * @property {() => void} onDemo
 * @property {() => void} onImport
 * @property {(token: string) => void} onToken
 * @property {() => string | null} demo key of a recorded demo session, if there is one
 * @property {(message: string) => void} onToast
 */

/** What to paste into the bot: word, then the class that colours it. @type {[string, string][][]} */
const SNIPPET = [
  [['from', 'key'], [' lingbot_probes ', ''], ['import', 'key'], [' Probe', '']],
  [],
  [['probe = Probe(', ''], ['"my-bot"', 'text'], [', endpoint=', ''], ['SERVER', 'text'], [')', '']],
  [],
  [['@probe.turn', 'name'], ['                       # user text → answer', 'quiet']],
  [['def', 'key'], [' reply(session, text): ...', '']],
  [],
  [['@probe.intent', 'name'], ['                     # → ("refund", 0.93)', 'quiet']],
  [['def', 'key'], [' route(text): ...', '']],
  [],
  [['@probe.slots', 'name'], ['                      # → {"phone": ...}', 'quiet']],
  [['def', 'key'], [' slots_of(session): ...', '']],
  [],
  [['@probe.retrieval', 'name'], ['(stage=', ''], ['"vector"', 'text'], [')  ', ''], ['# → [(doc, score)]', 'quiet']],
  [['def', 'key'], [' search(query): ...', '']],
];

export class Card {
  /** @param {CardActions} actions */
  constructor(actions) {
    this.actions = actions;
    this.host = byId('card');
    /** @type {CardKind} */
    this.kind = 'none';
    this.told = '';
    this.why = '';
  }

  /** @param {CardKind} kind @param {string} [why] the server's words for it, or what became of the token that was given */
  show(kind, why = this.why) {
    this.kind = kind;
    this.why = why;
    const sign = `${kind} ${text('card.waiting')} ${this.actions.demo()} ${why}`;
    if (sign === this.told) return;
    this.told = sign;
    this.host.classList.toggle('light', kind === 'restarted'); // the map it lies on is still good to look at
    this.host.hidden = kind === 'none';
    if (kind === 'waiting') fill(this.host, this.#waiting());
    else if (kind === 'unauthorised' || kind === 'restarted') fill(this.host, this.#unauthorised(kind));
    else if (kind === 'missing' || kind === 'silent') fill(this.host, frame(text(`card.${kind}`), text(`card.${kind}.why`), this.#open()));
    else if (kind === 'damaged') fill(this.host, frame(text('card.damaged'), foreign(why, { most: 600 }), this.#open()));
    else if (kind === 'loading') fill(this.host, h('div', { class: 'loading' }, text('card.loading')));
    else fill(this.host);
  }

  #waiting() {
    const server = new URL('.', document.baseURI).href.replace(/\/$/, '');
    const lines = SNIPPET.map((words) => words.map(([word, name]) => ({ word: word === 'SERVER' ? `"${server}"` : word, name })));
    const code = lines.map((words) => words.map(({ word }) => word).join('')).join('\n');
    return frame(
      text('card.waiting'),
      text('card.waiting.why'),
      h(
        'div',
        { class: 'snippet' },
        h('pre', { class: 'mono', tabindex: '0' }, lines.map((words, i) => [i ? '\n' : null, words.map(({ word, name }) => (name ? h('span', { class: `code-${name}` }, word) : word))])),
        h('button', {
          class: 'text-button',
          on: {
            click: async () => {
              if (await copyText(code)) this.actions.onToast(text('copied.snippet'));
            },
          },
        }, text('card.copy')),
      ),
      h('div', { class: 'buttons' }, this.actions.demo() && h('button', { class: 'button primary', on: { click: () => this.actions.onDemo() } }, text('card.demo')), this.#open()),
      h('p', { class: 'quiet' }, text('card.replay')),
    );
  }

  #open() {
    return h('button', { class: 'button', on: { click: () => this.actions.onImport() } }, text('card.open'));
  }

  /** @param {'unauthorised' | 'restarted'} kind */
  #unauthorised(kind) {
    const field = h('input', { class: 'token mono', type: 'password', autocomplete: 'off', spellcheck: 'false', 'aria-label': text('card.token'), placeholder: text('card.token') });
    const form = h(
      'form',
      {
        class: 'buttons',
        on: {
          submit: (/** @type {Event} */ event) => {
            event.preventDefault();
            // What is pasted may be the token or the whole address that was printed.
            const token = field.value.trim().replace(/^.*#t=/, '').replace(/&.*$/, '');
            if (token) this.actions.onToken(token);
          },
        },
      },
      field,
      h('button', { class: 'button primary', type: 'submit' }, text('card.enter')),
    );
    return frame(text(`card.${kind}`), text(`card.${kind}.why`), this.why && h('p', { class: 'refused', role: 'alert' }, this.why), kind === 'unauthorised' && h('div', { class: 'snippet' }, h('pre', { class: 'mono' }, `${text('card.printed')}\n  ${new URL('.', document.baseURI).href}#t=…`)), form);
  }
}

/** @param {string} title @param {import('lb/dom').Child} why @param {import('lb/dom').Child[]} rest */
function frame(title, why, ...rest) {
  return h('div', { class: 'card', role: 'group', 'aria-label': title }, h('h1', null, title), h('p', null, why), rest);
}
