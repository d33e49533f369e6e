// The tab "ask": a question to the session that is open, answered by the server with what it rests on.

import { answerBody, boundNames, waterfall } from 'lb/ask_answer';
import { whyOf } from 'lb/ask_questions';
import { fill, h } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { part } from 'lb/pane';

/** @typedef {import('lb/types').Selection} Selection */
/**
 * @typedef {object} Asked what the page shows
 * @property {import('lb/fold').DialogueMap | null} map
 * @property {string} key of the session
 * @property {number | null} playhead
 */

const MOST = 2000; // characters of a question, as the server takes
const MOST_BEFORE = 5;
const TRY = ['ask.try.wrong', 'ask.try.lost', 'ask.try.low'];

export class AskTab {
  /**
   * @param {import('lb/api').Api} api
   * @param {{asked: () => Asked, go: (selection: Selection) => void, show: () => void}} page
   */
  constructor(api, page) {
    /** @type {import('lb/side').TabName} */
    this.name = 'ask';
    this.api = api;
    this.page = page;
    this.key = '';
    /** @type {string[]} questions that this one may go on from */
    this.before = [];
    this.question = '';
    /** @type {Record<string, string>} what the reader put right */
    this.bound = {};
    /** @type {import('lb/ask_answer').Told | null} */
    this.told = null;
    /** @type {number | null} the moment that is asked */
    this.at = null;
    this.waiting = new AbortController();
    this.input = h('input', { type: 'text', maxlength: MOST, autocomplete: 'off', spellcheck: 'false', class: 'ask-input' });
    this.send = h('button', { class: 'ask-send', type: 'submit' });
    this.form = h('form', { class: 'ask-form', on: { submit: (/** @type {Event} */ event) => { event.preventDefault(); this.ask(/** @type {HTMLInputElement} */ (this.input).value); } } }, this.input, this.send);
    this.names = h('div', null);
    this.body = h('div', { class: 'ask-body', 'aria-live': 'polite' });
    this.way = h('div', null);
    this.element = h('div', { class: 'ask' }, this.form, this.names, this.body, this.way);
    this.relabel();
  }

  relabel() {
    this.input.setAttribute('aria-label', text('ask.label'));
    this.input.setAttribute('placeholder', text('ask.label'));
    this.send.textContent = text('ask.send');
    this.render();
  }

  /** What was answered stays until another session is open: a map that grows changes no answer. */
  soon() {
    if (this.page.asked().key !== this.key) this.render();
  }

  focus() {
    this.page.show();
    this.input.focus();
  }

  /** Asks why what is selected is as it is. @param {Selection} selection */
  why(selection) {
    const { map } = this.page.asked();
    const question = map ? whyOf(map, selection) : '';
    if (!question) return;
    this.page.show();
    this.ask(question);
  }

  /** @param {string} question @param {Record<string, string>} [bound] */
  async ask(question, bound = {}) {
    const { key, playhead } = this.page.asked();
    if (!question.trim() || !key) return;
    this.waiting.abort();
    const waiting = this.waiting = new AbortController();
    if (this.question && question !== this.question && this.told?.answer) this.before = [...this.before, this.question].slice(-MOST_BEFORE);
    this.question = question;
    this.bound = bound;
    this.at = playhead;
    /** @type {HTMLInputElement} */ (this.input).value = question;
    const told = this.told = { bound: null, steps: [], evidence: [], answer: null, error: '', use: '' };
    this.render();
    try {
      await this.api.lines('api/ask', { session: key, question, bound, before: this.before, ...(playhead === null ? {} : { at: playhead }) }, (line) => this.#hear(told, line), waiting.signal);
    } catch (error) {
      if (waiting.signal.aborted) return;
      told.error = (error instanceof Error && error.message) || text('error.away');
    }
    if (this.told === told) this.render();
  }

  /** Whether the answer was of use: noted beside the recording. @param {import('lb/ask_answer').Told} told */
  #uses(told) {
    const { question, key } = this;
    const said = async (/** @type {boolean} */ useful) => {
      try {
        told.use = (await this.api.post('api/ask/use', { session: key, question, useful })).kept ? 'ask.use.kept' : 'ask.use.unkept';
      } catch {
        told.use = 'error.away';
      }
      if (this.told === told) this.render();
    };
    if (told.use) return h('p', { class: 'quiet ask-uses', role: 'status' }, text(told.use));
    return h('div', { class: 'ask-uses' },
      h('button', { class: 'text-button', dataset: { focus: 'useful' }, on: { click: () => said(true) } }, text('ask.use.yes')),
      h('button', { class: 'text-button', on: { click: () => said(false) } }, text('ask.use.no')));
  }

  /** @param {import('lb/ask_answer').Told} told @param {any} line */
  #hear(told, line) {
    if (this.told !== told) return;
    if (line.bound) told.bound = line.bound;
    else if (line.step) told.steps.push(line.step);
    else if (line.evidence) told.evidence = line.evidence;
    else if (line.answer) told.answer = line.answer;
    else if (line.error) told.error = String(line.error);
    if (line.bound) this.render();
  }

  render() {
    const { map, key } = this.page.asked();
    if (key !== this.key) {
      this.waiting.abort();
      this.key = key;
      this.before = [];
      this.question = '';
      this.told = null;
    }
    const { told } = this;
    if (!map || !told) {
      fill(this.names);
      fill(this.way);
      fill(this.body, h('p', { class: 'quiet ask-hint' }, text('ask.hint')), part(text('ask.some'), '', h('ul', { class: 'plain' }, TRY.map((name) => h('li', null, h('button', { class: 'link', on: { click: () => this.ask(text(name)) } }, text(name)))))));
      return;
    }
    const shown = { map, go: this.page.go };
    fill(this.names, told.bound && boundNames(shown, told.bound.mentions, (start, id) => this.ask(this.question, { ...this.bound, [start]: id })));
    fill(this.body,
      !told.answer && !told.error && h('p', { class: 'quiet ask-hint' }, text('ask.asking')),
      told.error && h('p', { class: 'ask-hint ask-error' }, text('ask.failed', { why: told.error })),
      answerBody(shown, told));
    this.body.querySelector('.ask-said')?.after(this.#uses(told));
    fill(this.way, told.answer && part(text('ask.steps'), this.at === null ? '' : text('ask.moment', { seq: count(this.at) }), waterfall(told.steps)));
  }
}
