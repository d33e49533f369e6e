// The line where a question is typed, and the names in it as the server reads them: put right before it is asked, or after.

import { boundNames } from 'lb/ask_answer';
import { fill, h } from 'lb/dom';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';

/** @typedef {import('lb/ask_talk').Mention} Mention */
/** @typedef {import('lb/ask_talk').Talk} Talk */
/**
 * @typedef {object} Asking
 * @property {() => Talk} talk
 * @property {() => boolean} busy
 * @property {() => Record<string, unknown> | null} request what names the base; null where there is nothing to ask
 * @property {(question: string, bound: import('lb/ask_talk').Bound) => void} ask
 * @property {() => void} stop
 */

const MOST = 2000; // characters of a question, as the server takes
const TALLEST = 120; // px
const TYPED_MS = 250; // after the last key a question is read, so that its names are there before it is asked

export class AskForm {
  /** @param {import('lb/api').Api} api @param {Asking} page */
  constructor(api, page) {
    this.api = api;
    this.page = page;
    this.typing = 0;
    this.reading = new AbortController();
    this.input = h('textarea', { rows: '1', maxlength: MOST, autocomplete: 'off', spellcheck: 'false', class: 'ask-input', dataset: { focus: 'question' }, on: { input: () => this.#typed(), keydown: (/** @type {Event} */ event) => this.#key(/** @type {KeyboardEvent} */ (event)) } });
    this.send = h('button', { class: 'ask-send', type: 'submit', dataset: { focus: 'send' } });
    this.names = h('div', { 'aria-live': 'polite' });
    let wide = 0; // the line has another width when "Ask" becomes "Stop" and when the panel does: its lines break elsewhere
    new ResizeObserver(() => { if (this.input.clientWidth !== wide) { wide = this.input.clientWidth; this.#grow(); } }).observe(this.input);
    this.element = h('form', { class: 'ask-form', on: { submit: (/** @type {Event} */ event) => { event.preventDefault(); this.#press(); } } }, this.input, this.send);
  }

  /** @param {string} label */
  relabel(label) {
    this.input.setAttribute('aria-label', label);
    this.input.setAttribute('placeholder', label);
  }

  focus() {
    this.input.focus();
  }

  /** What is read is of another base, or is asked now. */
  leave() {
    clearTimeout(this.typing);
    this.reading.abort();
  }

  render() {
    const talk = this.page.talk();
    if (this.input.value !== talk.draft) {
      this.input.value = talk.draft;
      this.#grow();
    }
    const busy = this.page.busy();
    fill(this.send, busy ? [icon('stop'), text('ask.stop')] : text('ask.send'));
    this.send.classList.toggle('stop', busy);
    const turn = talk.shown;
    if (turn && turn.question === talk.draft.trim()) this.#name(turn.told.bound?.mentions ?? null);
    else if (!talk.draft.trim()) this.#name(null);
  }

  #press() {
    const { draft, bound } = this.page.talk();
    if (this.page.busy()) this.page.stop();
    else this.page.ask(draft, bound);
  }

  #typed() {
    this.#grow();
    const talk = this.page.talk();
    talk.draft = this.input.value;
    talk.bound = {};
    this.leave();
    this.#name(null);
    this.typing = setTimeout(() => this.#read(), TYPED_MS);
  }

  /** Reads what is typed, so that its names can be put right before it is asked. */
  async #read() {
    const talk = this.page.talk();
    const question = talk.draft.trim();
    const base = this.page.request();
    if (!question || !base || this.page.busy()) return;
    const reading = this.reading = new AbortController();
    await this.api.lines('api/ask', { ...base, question, bound: talk.bound, before: talk.goesOn, only: 'bound' }, (line) => {
      if (!reading.signal.aborted && line?.bound && talk === this.page.talk() && talk.draft.trim() === question) this.#name(line.bound.mentions);
    }, reading.signal).catch(() => {}); // it only helps: what fails here fails again when it is asked, and is told then
  }

  /** Return asks, Shift with it makes a line; up on an empty line brings the last question back. @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      this.#press();
    } else if (event.key === 'ArrowUp' && !this.input.value) {
      const talk = this.page.talk();
      const last = talk.turns.at(-1);
      if (!last) return;
      event.preventDefault();
      talk.draft = last.question;
      talk.bound = last.bound;
      this.render();
    }
  }

  #grow() {
    this.input.style.setProperty('height', 'auto');
    this.input.style.setProperty('height', `${Math.min(TALLEST, this.input.scrollHeight + 2)}px`);
  }

  /** @param {Mention[] | null} mentions */
  #name(mentions) {
    const talk = this.page.talk();
    const turn = talk.shown;
    const asked = turn !== null && turn.question === talk.draft.trim();
    fill(this.names, mentions && boundNames(mentions, talk.draft.trim(), !asked, (start, id) => {
      const bound = { ...talk.bound, [start]: id };
      if (asked) this.page.ask(turn.question, bound);
      else {
        talk.bound = bound;
        this.#read();
      }
    }));
  }
}
