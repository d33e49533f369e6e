// The tab "ask": questions to the session that is open, to diagrams, graphs and documents, answered with what they rest on.

import { afterPart } from 'lb/ask_after';
import { answerBody, chip, goOn, standingBody, waitingWords } from 'lb/ask_answer';
import { AskBases, SESSION } from 'lb/ask_bases';
import { chainPart, evidencePart, planPart, waterfall } from 'lb/ask_evidence';
import { AskForm } from 'lb/ask_form';
import { AskHead } from 'lb/ask_head';
import { AskLog } from 'lb/ask_log';
import { earlierPart, whyOf } from 'lb/ask_questions';
import { sourceView } from 'lb/ask_source';
import { AskStart } from 'lb/ask_start';
import { Talk } from 'lb/ask_talk';
import { copyText } from 'lb/clipboard';
import { Refused } from 'lb/api';
import { fill, h } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { part } from 'lb/pane';
import { toast } from 'lb/toast';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/ask_talk').Told} Told */
/** @typedef {import('lb/ask_talk').Turn} Turn */
/** @typedef {{base: string, question: string}} AskPlace */
/**
 * @typedef {object} Asked what the page shows
 * @property {import('lb/fold').DialogueMap | null} map
 * @property {string} key of the session
 * @property {number | null} playhead
 */

export class AskTab {
  /**
   * @param {import('lb/api').Api} api
   * @param {{asked: () => Asked, go: (selection: Selection) => void, show: () => void, onPlace: () => void}} page
   */
  constructor(api, page) {
    /** @type {import('lb/side').TabName} */
    this.name = 'ask';
    this.api = api;
    this.page = page;
    this.bases = new AskBases();
    /** @type {Map<string, Talk>} by base and session */
    this.talks = new Map();
    this.start = new AskStart(api, this.bases, { ask: (question) => { this.ask(question); }, pick: () => this.head.open.click(), onKnown: () => this.render() });
    /** @type {AskPlace | null} what a link asks for, until it can be asked */
    this.wanted = null;
    /** @type {import('lb/ask_source').Source | null} */
    this.source = null;
    this.allEvidence = false;
    /** @type {Set<number>} sentences of which all chips are shown */
    this.whole = new Set();
    this.loading = false;
    /** @type {HTMLElement | null} */
    this.way = null;
    this.began = 0;
    this.ticking = 0;
    this.key = '';
    this.waiting = new AbortController();
    this.head = new AskHead(this.bases, {
      choose: (id) => this.choose(id),
      take: (files) => this.take(files),
      changed: () => this.render(),
      renew: () => { this.talk.renew(); this.source = null; this.render(); this.form.focus(); },
      back: (topic) => { this.source = null; this.#fold(); this.talk.back(topic); this.render(); this.form.focus(); },
      widen: (wide) => this.element.classList.toggle('wide', wide),
    });
    this.form = new AskForm(api, {
      talk: () => this.talk,
      busy: () => this.busy,
      request: () => this.#request(),
      ask: (question, bound) => { this.ask(question, bound); },
      stop: () => this.stop(),
    });
    this.body = h('div', { class: 'ask-body', 'aria-live': 'polite' });
    this.opened = h('div', null);
    this.rest = h('div', null);
    this.log = new AskLog(api, {
      base: () => this.#logged,
      ask: (question) => this.ask(question),
    });
    this.element = h('div', { class: 'ask', dataset: { drop: '' }, on: { keydown: (/** @type {Event} */ event) => this.#escape(/** @type {KeyboardEvent} */ (event)), files: (/** @type {Event} */ event) => this.take(/** @type {CustomEvent<File[]>} */ (event).detail) } },
      h('div', { class: 'ask-asked' }, this.head.element, this.form.element, this.form.names, this.body, this.opened), h('div', { class: 'ask-behind' }, this.rest, this.log.element));
    this.element.classList.toggle('wide', this.head.wide);
    this.relabel();
  }

  relabel() {
    this.element.dataset.over = text('ask.drop.here');
    this.form.relabel(this.bases.id === SESSION ? text('ask.label') : text('ask.label.of', { name: this.bases.name() }));
    this.render();
  }

  /** What was answered stays until another session is open: a map that grows changes no answer. */
  soon() {
    if (this.bases.id === SESSION && this.page.asked().key !== this.key) this.render();
  }

  focus() {
    this.page.show();
    this.form.focus();
  }

  /** Whose log is read; a dropped diagram has none. @returns {Record<string, string> | null} */
  get #logged() {
    const { id } = this.bases;
    const { key } = this.page.asked();
    if (this.bases.dropped.has(id) || (id === SESSION && !key)) return null;
    return id === SESSION ? { session: key } : { base: id };
  }

  /** What names the base in a request; null where no session is open. @param {number | null} [at] */
  #request(at = this.page.asked().playhead) {
    const { key } = this.page.asked();
    return key || this.bases.id !== SESSION ? this.bases.request(key, at) : null;
  }

  /** What was asked of the base that is chosen. */
  get talk() {
    const id = this.bases.id === SESSION ? `${SESSION} ${this.page.asked().key}` : this.bases.id;
    let talk = this.talks.get(id);
    if (!talk) this.talks.set(id, (talk = new Talk()));
    return talk;
  }

  /** The base and the question for the address; none while the tab is as it opens. @returns {AskPlace | undefined} */
  get place() {
    const question = this.talk.shown?.question ?? '';
    return this.wanted ?? (question || this.bases.id !== SESSION ? { base: this.bases.id, question } : undefined);
  }

  /** Goes to what a link asks for. @param {AskPlace | undefined} place */
  restore(place) {
    this.wanted = place ?? null;
    this.render();
  }

  /** @param {string} id */
  choose(id) {
    this.#leave();
    this.bases.choose(id);
    this.relabel();
    this.log.forget();
    this.page.onPlace();
  }

  /** What is under way is of another base. */
  #leave() {
    this.waiting.abort();
    this.form.leave();
    this.source = null;
    this.#fold();
  }

  /** Of another answer only the first pieces are shown. */
  #fold() {
    this.allEvidence = false;
    this.whole = new Set();
  }

  /** Diagrams that were dropped here or chosen: the last of them is asked. @param {File[]} files */
  async take(files) {
    for (const file of files) {
      if (file.size > this.bases.largest) {
        toast(text('ask.drop.large', { name: file.name.slice(0, 60), most: count(Math.floor(this.bases.largest / 1024)) }));
        continue;
      }
      const content = await file.text().catch(() => null);
      if (content === null) {
        toast(text('ask.drop.unread', { name: file.name.slice(0, 60) }));
        continue;
      }
      const id = this.bases.take(file.name, content);
      this.talks.delete(id);
      this.start.forget(id);
      this.page.show();
      this.choose(id);
      this.form.focus();
    }
  }

  /** Asks why what is selected is as it is. @param {Selection} selection */
  why(selection) {
    const { map } = this.page.asked();
    const question = map ? whyOf(map, selection) : '';
    if (!question) return;
    if (this.bases.id !== SESSION) this.choose(SESSION);
    this.page.show();
    this.ask(question);
  }

  get busy() {
    return this.talk.shown?.told.state === 'busy';
  }

  stop() {
    this.waiting.abort();
    const told = this.talk.shown?.told;
    if (told?.state === 'busy') told.state = 'stopped';
    this.render();
    this.form.focus();
  }

  /** @param {string} question @param {import('lb/ask_talk').Bound} [bound] */
  async ask(question, bound = {}) {
    const at = this.bases.id === SESSION ? this.page.asked().playhead : null;
    const base = this.#request(at);
    if (!question.trim()) return;
    if (!base) {
      toast(text('ask.unopened'));
      return;
    }
    this.#leave();
    const waiting = this.waiting = new AbortController();
    const { talk } = this;
    const turn = talk.ask(question.trim(), bound, at);
    const { told } = turn;
    this.began = performance.now();
    this.render();
    this.page.onPlace();
    try {
      await this.api.lines('api/ask', { ...base, question: turn.question, bound, before: talk.earlier, conversation: talk.conversation }, (line) => this.#hear(turn, line), waiting.signal);
      if (told.state === 'busy') told.state = told.answer ? 'done' : 'away';
    } catch (error) {
      if (waiting.signal.aborted) {
        if (told.state === 'busy') told.state = 'stopped';
      } else if (told.state === 'busy') {
        const refused = error instanceof Refused ? error : new Refused(0, '');
        told.state = refused.status ? 'failed' : 'away';
        told.error = refused.status === 503 ? text('ask.crowded') : refused.message;
        told.remedy = refused.remedy;
      }
    }
    if (told.answer?.abstained) this.log.forget();
    if (this.talk.shown === turn) this.render();
  }

  /** @param {Turn} turn @param {any} line */
  #hear(turn, line) {
    const { told } = turn;
    if (!line || !(told.state === 'busy' || (told.state === 'done' && line.recorded))) return;
    if (line.opening) told.opening = true;
    if (line.bound) told.opening = false;
    if (line.bound) told.bound = line.bound;
    else if (line.step) told.steps.push(line.step);
    else if (line.evidence) told.evidence = line.evidence;
    else if (line.answer) told.answer = line.answer;
    else if (line.topics) Object.assign(told, { topics: line.topics, state: 'done' });
    else if (line.recorded) told.recorded = line.recorded;
    else if (line.error) Object.assign(told, { state: 'failed', error: String(line.error), remedy: String(line.remedy ?? '') });
    if (this.talk.shown !== turn) return;
    if (line.step) this.#renderWay(turn);
    else if (line.bound || line.opening || told.state === 'done') this.render();
  }

  /** Escape stops an answer, else closes what is open below it. @param {KeyboardEvent} event */
  #escape(event) {
    if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
    if (this.busy) this.stop();
    else if (this.source) this.#close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Shows where an item stands, or no longer. @param {string} id */
  async #open(id) {
    if (this.source?.id === id) return this.#close();
    /** @type {import('lb/ask_source').Source} */
    const source = this.source = { id, item: null, error: '' };
    this.render();
    try {
      source.item = await this.api.post('api/ask/item', { ...this.#request(this.talk.shown?.at ?? null), item: id });
    } catch (error) {
      source.error = (error instanceof Error && error.message) || text('error.away');
    }
    if (this.source !== source) return undefined;
    this.render();
    this.opened.scrollIntoView({ block: 'nearest' });
    const title = this.opened.querySelector('.ask-source-title');
    if (title instanceof HTMLElement) title.focus({ preventScroll: true });
    return undefined;
  }

  #close() {
    const id = this.source?.id ?? '';
    this.source = null;
    this.render();
    for (const each of this.element.querySelectorAll('[data-item]')) {
      if (each instanceof HTMLElement && each.dataset.item === id) return each.focus();
    }
    return this.form.focus();
  }

  /** Its reader says whether the answer was of use. @param {Turn} turn @param {boolean} useful */
  async #use({ question, told, at }, useful) {
    try {
      told.use = (await this.api.post('api/ask/use', { ...this.#request(at), question, useful })).kept ? 'ask.use.kept' : this.bases.id === SESSION ? 'ask.use.unkept' : 'ask.use.unkept.here';
    } catch {
      told.use = 'error.away';
    }
    this.render();
  }

  /** What the server offers, once; then what a link asks for. */
  async #load() {
    if (this.loading) return;
    this.loading = true;
    await this.bases.load(this.api).catch(() => {});
    this.loading = this.bases.loaded;
    if (this.bases.loaded) this.relabel();
  }

  /** @returns {boolean} whether a link's question is on its way now */
  #follow() {
    const { wanted } = this;
    if (!wanted || !this.bases.loaded || (wanted.base === SESSION && !this.page.asked().map)) return false;
    this.wanted = null;
    if (!this.bases.has(wanted.base)) {
      toast(text('ask.nowhere'));
      this.page.onPlace();
      return false;
    }
    if (this.bases.id !== wanted.base) this.choose(wanted.base);
    if (!wanted.question || this.talk.shown?.question === wanted.question) return false;
    this.ask(wanted.question);
    return true;
  }

  render() {
    if (!this.loading && this.element.isConnected && !this.element.parentElement?.hidden) this.#load();
    const { map, key } = this.page.asked();
    if (key !== this.key) {
      if (this.bases.id === SESSION) this.#leave();
      this.key = key;
      this.log.forget();
    }
    if (this.#follow()) return;
    const { talk } = this;
    const focused = document.activeElement instanceof HTMLElement && this.element.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
    this.head.render(talk);
    this.form.render();
    const turn = talk.shown;
    if (turn) this.#renderTurn(turn, map);
    else {
      fill(this.opened);
      fill(this.rest);
      fill(this.body, this.start.body());
    }
    this.log.render();
    if (focused && document.activeElement === document.body) for (const each of this.element.querySelectorAll('[data-focus]')) if (each instanceof HTMLElement && each.dataset.focus === focused) each.focus({ preventScroll: true });
  }

  /** @param {Turn} turn @param {import('lb/fold').DialogueMap | null} map */
  #renderTurn(turn, map) {
    const { told } = turn;
    const labels = { ...Object.fromEntries(told.evidence.map(({ item, title, kind }) => [item, { title, kind }])), ...told.answer?.labels };
    /** @type {import('lb/ask_answer').Shown} */
    const shown = { map: this.bases.id === SESSION ? map : null, labels, opened: this.source?.id ?? '', whole: this.whole, go: this.page.go, open: (id) => { this.#open(id); }, onWhole: (i) => { goOn(this.element, `.ask-said [data-sentence="${i}"]`, () => { this.whole.add(i); this.render(); }); } };
    const seconds = Math.floor((performance.now() - this.began) / 1000);
    const asking = this.talk.draft.trim() !== turn.question;
    fill(this.body,
      asking && h('p', { class: 'ask-question' }, turn.question),
      standingBody(told, seconds, () => this.ask(turn.question, turn.bound)),
      answerBody(shown, told),
      afterPart(told, (useful) => { this.#use(turn, useful); }));
    const quoted = new Set((told.answer?.sentences ?? []).map((sentence) => sentence.text));
    fill(this.opened, this.source && sourceView(this.source, quoted, () => this.#close()));
    const { answer } = told;
    const linked = (/** @type {string} */ id, /** @type {string | undefined} */ title) => chip(shown, id, title);
    this.way = h('div', null);
    fill(this.rest,
      answer && answer.chains.length > 0 && chainPart(answer, linked),
      told.evidence.length > 0 && evidencePart(told.evidence, linked, this.allEvidence, () => goOn(this.element, '.ask-evidence', () => { this.allEvidence = true; this.render(); })),
      answer?.query && planPart(answer.query, async (said) => toast(text((await copyText(said)) ? 'ask.plan.copied' : 'copied.failed'))),
      this.way,
      earlierPart(this.talk, (each) => { this.source = null; this.#fold(); this.talk.show(each); this.render(); this.page.onPlace(); }));
    this.#renderWay(turn);
    clearTimeout(this.ticking);
    if (told.state === 'busy') this.#tick(told);
  }

  /** Says every second how long it takes, to who looks; who listens hears it once. @param {Told} told */
  #tick(told) {
    this.ticking = setTimeout(() => {
      const words = this.body.querySelector('.ask-wait');
      if (!words || told.state !== 'busy') return;
      words.textContent = waitingWords(told, Math.floor((performance.now() - this.began) / 1000));
      this.#tick(told);
    }, 1000);
  }

  /** @param {Turn} turn */
  #renderWay({ told, at }) {
    if (this.way) fill(this.way, told.steps.length > 0 && part(text('ask.steps'), at === null ? '' : text('ask.moment', { seq: count(at) }), waterfall(told.steps)));
  }
}
