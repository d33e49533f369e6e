// Questions that found no answer, of the base that is asked: each can be asked again.

import { fill, foreign, h } from 'lb/dom';
import { count, stamp } from 'lb/format';
import { text } from 'lb/i18n';

/** @typedef {{question: string, at: number | null}} Entry */

export class AskLog {
  /** @param {import('lb/api').Api} api @param {{base: () => Record<string, string> | null, ask: (question: string) => void}} page `base`: as the server takes it, null where none is kept */
  constructor(api, page) {
    this.api = api;
    this.page = page;
    /** @type {Entry[] | null} */
    this.entries = null;
    this.error = '';
    this.body = h('div', null);
    this.title = h('summary', { dataset: { focus: 'log' } });
    this.element = h('details', { class: 'part ask-log', on: { toggle: () => this.element.open && this.load() } }, this.title, this.body);
  }

  /** Another base, or what it holds has changed. */
  forget() {
    this.entries = null;
    this.error = '';
    if (this.element.open) this.load();
    else this.render();
  }

  async load() {
    const base = this.page.base();
    if (!base) return this.render();
    try {
      const said = await this.api.get('api/ask/log', base);
      if (JSON.stringify(base) !== JSON.stringify(this.page.base())) return undefined;
      this.entries = said.entries;
      this.error = said.kept ? '' : text('ask.log.unkept');
    } catch (error) {
      this.error = (error instanceof Error && error.message) || text('error.away');
    }
    return this.render();
  }

  render() {
    const { entries } = this;
    this.element.hidden = this.page.base() === null;
    fill(this.title, text('ask.log'), entries?.length ? h('span', { class: 'quiet' }, count(entries.length)) : null);
    fill(this.body,
      this.error && h('p', { class: 'quiet' }, this.error),
      entries?.length === 0 && !this.error && h('p', { class: 'quiet' }, text('ask.log.none')),
      entries && entries.length > 0 && h('ul', { class: 'plain' }, entries.map((entry) => h('li', null,
        h('button', { class: 'link', on: { click: () => this.page.ask(entry.question) } }, foreign(entry.question, { most: 200 })),
        entry.at && h('time', { class: 'mono quiet' }, stamp(entry.at))))));
  }
}
