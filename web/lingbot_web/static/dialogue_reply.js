// The line under the dialogue: what is typed goes to the bot, and comes back as a turn by the bot's own probes.

import { Refused } from 'lb/api';
import { fill, foreign, h, plain } from 'lb/dom';
import { count } from 'lb/format';
import { known, text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { titleOf } from 'lb/session_row';
import { voice } from 'lb/voice';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/**
 * @typedef {object} Spoken whom the line speaks to
 * @property {DialogueMap | null} map the newest
 * @property {string} key of the session
 * @property {boolean} ended
 * @property {boolean} open whether the line to the server is
 * @property {boolean} standalone the page is a file and has no server
 * @property {import('lb/session_row').Summary | null} newer the live session, where this one says nothing more
 */
/**
 * Something that was said and is not a turn of the map yet.
 * @typedef {object} Said
 * @property {string} words
 * @property {number} after the newest turn when it was sent
 * @property {'sending' | 'taken' | 'unseen' | 'failed'} state taken: the bot answered; unseen: and no turn came of it
 * @property {{code: string, sentence: string}} why it failed
 * @property {string[]} answers
 * @property {AbortController} sending
 */

/** Bytes that the server takes. */
// A pseudonym in a session's id: the bot knows it by another one and would begin another session.
const MASKED_ID = /\[[a-z]{2,10}:[0-9a-f]{10}\]/;
const MOST = 4096;
/** So long after the bot's answer its probes may take to tell of it. */
const UNSEEN_MS = 5000;
const TALLEST = 120;

export class ReplyLine {
  /** @param {import('lb/api').Api} api @param {{spoken: () => Spoken, latest: () => void, openNewer: () => void}} page */
  constructor(api, page) {
    this.api = api;
    this.page = page;
    this.key = '';
    /** @type {Map<string, string>} */
    this.drafts = new Map();
    /** @type {Map<string, Said[]>} */
    this.said = new Map();
    this.told = '';
    this.field = h('textarea', { class: 'reply-field', rows: 1, spellcheck: 'false', on: { input: () => this.#typed(), keydown: (/** @type {Event} */ event) => this.#press(/** @type {KeyboardEvent} */ (event)) } });
    this.send = h('button', { class: 'icon-button reply-send', on: { click: () => this.#send() } }, icon('send'));
    this.pending = h('div', { class: 'reply-pending' });
    this.hint = h('p', { class: 'quiet reply-hint' });
    this.form = h('div', { class: 'reply-form' }, this.field, this.send);
    this.element = h('div', { class: 'reply' }, this.pending, this.form, this.hint);
    this.sent = () => {};
  }

  /** `then` is called whenever something was sent. @param {() => void} then */
  onSend(then) {
    this.sent = then;
  }

  relabel() {
    this.told = '';
    this.render();
  }

  render() {
    const { key, map } = this.page.spoken();
    if (key !== this.key) this.#turnTo(key);
    if (map) this.#settle(map);
    this.#print();
  }

  /** @param {string} key */
  #turnTo(key) {
    this.drafts.set(this.key, this.field.value);
    this.key = key;
    this.field.value = this.drafts.get(key) ?? '';
    this.#grow();
  }

  /** What has become a turn is no longer pending. @param {DialogueMap} map */
  #settle(map) {
    const waiting = this.said.get(this.key);
    if (!waiting?.length) return;
    const left = waiting.filter((said) => {
      if (said.state === 'failed') return true;
      for (let turn = map.lastTurn; turn > said.after; turn--) {
        if (map.nodes.get(`utterance:${turn}`)?.label.trim() === said.words) return false;
        if (said.answers.length && map.nodes.get(`answer:${turn}`)?.label === said.answers[0]) return false; // it may tell the words otherwise
      }
      return true;
    });
    if (left.length !== waiting.length) this.said.set(this.key, left);
  }

  /** Whether there is a line, and if not why. @returns {'none' | 'ready' | 'ended' | 'closed' | 'masked' | 'away'} */
  #standing() {
    const { map, ended, open, standalone } = this.page.spoken();
    if (!map || standalone || (map.about.origin ?? 'probe') !== 'probe') return 'none';
    const url = map.about.meta?.reply_url;
    if (typeof url !== 'string' || !url) return ended ? 'none' : 'closed';
    if (ended) return 'ended';
    if (MASKED_ID.test(map.session)) return 'masked';
    return open ? 'ready' : 'away';
  }

  #print() {
    const standing = this.#standing();
    const said = this.said.get(this.key) ?? [];
    const long = new TextEncoder().encode(this.field.value).length;
    const busy = said.some(({ state }) => state === 'sending');
    const newer = standing === 'ended' ? this.page.spoken().newer : null;
    const told = JSON.stringify([standing, newer && titleOf(newer), said, busy, long > MOST && long, this.field.value.trim() === '', this.key, text('dialogue.reply.label')]);
    if (told === this.told) return;
    this.told = told;
    this.element.hidden = standing === 'none';
    this.form.hidden = standing !== 'ready' && standing !== 'away';
    this.field.setAttribute('aria-label', text('dialogue.reply.label'));
    this.field.placeholder = text('dialogue.reply.label');
    this.field.title = text('dialogue.reply.keys', { to: plain(hostOf(this.page.spoken().map?.about.meta?.reply_url), 80) });
    this.send.setAttribute('aria-label', text('dialogue.reply.send'));
    this.send.title = text('dialogue.reply.send');
    this.send.disabled = standing !== 'ready' || busy || long > MOST || !this.field.value.trim();
    fill(this.pending, said.map((each) => this.#row(each)));
    const hint = { none: '', ready: '', ended: text('dialogue.reply.ended'), closed: text('dialogue.reply.closed'), masked: text('dialogue.reply.masked'), away: text('error.away') }[standing];
    fill(this.hint, long > MOST ? text('dialogue.reply.long', { n: count(long), most: count(MOST) }) : hint, newer && [' ', h('button', { class: 'link', on: { click: () => this.page.openNewer() } }, text('pill.newer'), foreign(titleOf(newer), { most: 60 }))]);
    this.hint.classList.toggle('warn', long > MOST);
    this.hint.hidden = !this.hint.textContent;
  }

  /** @param {Said} said */
  #row(said) {
    const { state, words, why, answers } = said;
    /** @param {string} key @param {() => void} act */
    const button = (key, act) => h('button', { class: 'text-button', on: { click: act } }, text(key));
    return h(
      'div',
      { class: `pending ${state}` },
      h('div', { class: 'user' }, h('p', { class: 'bubble' }, foreign(words, { most: 6000, lines: true }))),
      h(
        'div',
        { class: 'state' },
        h('span', null, state === 'failed' ? [text('dialogue.reply.failed'), foreign(this.#why(why), { most: 400 })] : text(`dialogue.reply.${state}`)),
        state === 'sending' && button('dialogue.reply.cancel', () => said.sending.abort()),
        state === 'failed' && button('dialogue.reply.retry', () => this.#again(said)),
        (state === 'failed' || state === 'unseen') && button('dialogue.reply.drop', () => this.#drop(said)),
      ),
      state === 'unseen' && answers.map((answer) => h('div', { class: 'bot' }, h('p', { class: 'bubble' }, foreign(answer, { most: 6000, lines: true })))),
    );
  }

  /** In the reader's language where there are words for it. @param {Said['why']} why */
  #why({ code, sentence }) {
    const key = `dialogue.reply.why.${code}`;
    if (known(key)) return text(key, { to: plain(hostOf(this.page.spoken().map?.about.meta?.reply_url), 80) });
    return sentence || text('error.away');
  }

  // --- typing ---

  #typed() {
    this.#grow();
    this.#print();
  }

  #grow() {
    this.field.style.setProperty('height', 'auto');
    this.field.style.setProperty('height', `${Math.min(TALLEST, Math.max(this.field.scrollHeight, 20) + 2)}px`);
  }

  /** An input method's own Enter sends nothing. @param {KeyboardEvent} event */
  #press(event) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!this.send.disabled) this.#send();
  }

  #send() {
    const words = this.field.value.trim();
    if (!words) return;
    this.field.value = '';
    this.#grow();
    this.field.focus();
    this.#say(words);
  }

  /** @param {Said} said */
  #again(said) {
    this.#drop(said);
    this.#say(said.words);
  }

  /** @param {Said} said */
  #drop(said) {
    this.said.set(this.key, (this.said.get(this.key) ?? []).filter((each) => each !== said));
    this.#print();
    this.field.focus();
  }

  /** @param {string} words */
  async #say(words) {
    const { key } = this;
    const { map } = this.page.spoken();
    /** @type {Said} */
    const said = { words, after: map?.lastTurn ?? 0, state: 'sending', why: { code: '', sentence: '' }, answers: [], sending: new AbortController() };
    this.said.set(key, [...(this.said.get(key) ?? []), said]);
    this.page.latest();
    this.sent();
    this.#print();
    try {
      said.answers = (await this.api.post(`api/sessions/${key}/reply`, { text: words }, said.sending.signal)).answers;
      said.state = 'taken';
      setTimeout(() => {
        said.state = 'unseen';
        this.render();
      }, UNSEEN_MS);
    } catch (error) {
      if (!(error instanceof Refused) && !said.sending.signal.aborted) throw error;
      said.state = 'failed';
      said.why = error instanceof Refused ? { code: error.code, sentence: error.message } : { code: 'cancelled', sentence: '' };
      voice.say(plain(`${text('dialogue.reply.failed')}${this.#why(said.why)}`));
    }
    this.render();
  }
}

/** @param {unknown} url */
function hostOf(url) {
  try {
    return new URL(String(url)).host;
  } catch {
    return '';
  }
}
