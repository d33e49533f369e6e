// What stands in the tab before anything was asked: how this base answers, and questions that it does answer.

import { h } from 'lb/dom';
import { lang, text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { part } from 'lb/pane';
import { SESSION } from 'lb/ask_bases';

const TRY = ['ask.try.wrong', 'ask.try.lost', 'ask.try.low'];

export class AskStart {
  /** @param {import('lb/api').Api} api @param {import('lb/ask_bases').AskBases} bases @param {{ask: (question: string) => void, pick: () => void, onKnown: () => void}} page `pick` chooses another diagram */
  constructor(api, bases, page) {
    this.api = api;
    this.bases = bases;
    this.page = page;
    /** @type {Map<string, string[] | string | null>} by base and language: questions, or why there are none; null while they are asked for */
    this.known = new Map();
  }

  /** What is known of a base is of another text now. @param {string} id */
  forget(id) {
    for (const key of [...this.known.keys()]) if (key.startsWith(`${id} `)) this.known.delete(key);
  }

  /** @returns {string[] | string | null} */
  #examples() {
    if (this.bases.id === SESSION) return TRY.map((name) => text(name));
    const id = `${this.bases.id} ${lang()}`;
    if (this.known.has(id)) return this.known.get(id) ?? null;
    if (!this.bases.loaded && !this.bases.dropped.has(this.bases.id)) return null;
    this.known.set(id, null);
    this.api.post('api/ask/examples', { ...this.bases.request('', null), lang: lang() })
      .then((said) => said.examples, (error) => [error.message || text('error.away'), error.remedy].filter(Boolean).join('; '))
      .then((found) => { this.known.set(id, found); this.page.onKnown(); });
    return null;
  }

  /** Asks for them again. */
  #again() {
    this.forget(this.bases.id);
    this.page.onKnown();
  }

  /** A dropped text stays as it is, so another file is chosen; what is on the server's disk may have been mended. */
  #remedy() {
    const own = this.bases.dropped.has(this.bases.id);
    return h('button', { class: 'text-button', dataset: { focus: 'again' }, on: { click: () => (own ? this.page.pick() : this.#again()) } }, text(own ? 'ask.drop.again' : 'ask.read.again'));
  }

  body() {
    const known = this.#examples();
    return [
      h('p', { class: 'quiet ask-hint' }, text(`ask.hint.${this.bases.kind()}`)),
      typeof known === 'string' && h('div', { class: 'ask-notice failed', role: 'alert' }, icon('warning'), h('div', null, h('p', null, known), this.#remedy())),
      known === null && h('p', { class: 'ask-hint ask-busy' }, h('i', { class: 'ask-dots', 'aria-hidden': 'true' }), text('ask.opening')),
      Array.isArray(known) && known.length > 0 && part(text('ask.some'), '', h('ul', { class: 'plain ask-try' }, known.map((question) => h('li', null, h('button', { class: 'link', on: { click: () => this.page.ask(question) } }, question))))),
    ];
  }
}
