// What the search box understands, as a small panel below it; a click on an example looks for it.

import { fill, h } from 'lb/dom';
import { lang, text } from 'lb/i18n';
import { showBelow } from 'lb/menu';

/** Examples by language, with the key of the words for what they do. @type {[zh: string, en: string, key: string][]} */
const EXAMPLES = [
  ['套餐 流量', 'plan data', 'search.grammar.words'],
  ['"到底能不能"', '"how much"', 'search.grammar.phrase'],
  ['intent:plan', 'intent:plan', 'search.grammar.intent'],
  ['slot:brand', 'slot:brand', 'search.grammar.slot'],
  ['slot:brand=星途', 'slot:brand=gold', 'search.grammar.value'],
  ['doc:规则', 'doc:returns', 'search.grammar.doc'],
  ['turn:12', 'turn:12', 'search.grammar.turn'],
  ['turn:5-9 kind:write', 'turn:5-9 kind:write', 'search.grammar.turns'],
  ['conf<0.6', 'conf<0.6', 'search.grammar.conf'],
  ['code:LM201', 'code:LM201', 'search.grammar.code'],
  ['kind:overwrite', 'kind:overwrite', 'search.grammar.kind'],
  ['套餐 -doc:规则', 'plan -intent:refund', 'search.grammar.not'],
];

export class Grammar {
  /** @param {(example: string) => void} onExample */
  constructor(onExample) {
    this.onExample = onExample;
    this.element = h('div', { class: 'grammar', popover: 'auto', role: 'dialog' });
  }

  get open() {
    return this.element.matches(':popover-open');
  }

  relabel() {
    this.element.setAttribute('aria-label', text('search.grammar'));
    fill(
      this.element,
      h('h2', null, text('search.grammar')),
      h('ul', null, EXAMPLES.map(([zh, en, key]) => {
        const example = lang() === 'zh' ? zh : en;
        return h('li', null, h('button', { class: 'mono', on: { click: () => this.#pick(example) } }, example), h('span', null, text(key)));
      })),
      h('p', { class: 'quiet' }, text('search.grammar.keys')),
    );
  }

  /** @param {HTMLElement} below */
  show(below) {
    showBelow(this.element, below, ({ left }) => left, 6);
    /** @type {HTMLElement | null} */ (this.element.querySelector('button'))?.focus();
  }

  /** @param {string} example */
  #pick(example) {
    this.element.hidePopover();
    this.onExample(example);
  }
}
