// The raw events behind what is shown: fetched by number, kept, printed as text in the order of seq.

import { Refused } from 'lb/api';
import { copyText } from 'lb/clipboard';
import { fill, foreign, h, plain } from 'lb/dom';
import { clock, count, stamp } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';

/** @typedef {{seq: number, at: number, source?: string, n?: number, turn?: number, said_at?: number, late?: boolean, signal: {kind: string} & Record<string, unknown>}} RawEvent */

const KEPT = 3000;
const NEAR = 50; // numbers this close come in one request
const MOST = 1000; // what the server gives at once
const STEP = 8;

export class RawEvents {
  /** @param {import('lb/api').Api} api @param {(message: string) => void} onToast */
  constructor(api, onToast) {
    this.api = api;
    this.onToast = onToast;
    /** @type {Map<number, RawEvent>} */
    this.kept = new Map();
    this.of = '';
    /** @type {number[]} */
    this.seqs = [];
    this.shown = STEP;
    this.told = '';
    this.key = '';
    this.focus = 0;
    this.timed = true; // whether the source gave times; else they are those of the import
    this.body = h('div', { class: 'raw' });
    this.title = h('h2', null);
    this.copy = h('button', { class: 'text-button', dataset: { focus: 'events-json' }, on: { click: () => this.#copy() } });
    this.element = h('section', { class: 'part raw-events' }, h('div', { class: 'part-head' }, this.title, this.copy), this.body);
  }

  /**
   * @param {string} key @param {string} epoch @param {number[]} seqs
   * @param {string} about what they belong to: a new subject starts with few again
   * @param {number} focus the one that was picked; where there are too many, those around it are shown (0: the last)
   */
  show(key, epoch, seqs, about, focus) {
    const of = `${key} ${epoch}`;
    if (of !== this.of) this.kept.clear();
    const sign = `${of} ${about} ${focus}`;
    if (sign !== this.told) this.shown = STEP;
    this.of = of;
    this.told = sign;
    this.key = key;
    this.focus = focus;
    this.seqs = [...new Set(seqs)].filter((seq) => seq > 0).sort((a, b) => a - b);
    this.element.hidden = !this.seqs.length;
    this.#load();
  }

  async #load() {
    const { of, told, key } = this;
    const wanted = this.#wanted();
    const missing = wanted.filter((seq) => !this.kept.has(seq));
    this.#print(wanted, '');
    if (!missing.length) return;
    try {
      for (const [from, to] of spans(missing)) {
        const { events } = await this.api.get(`api/sessions/${key}/events`, { from, to });
        if (of !== this.of) return;
        for (const event of events) this.kept.set(event.seq, event);
      }
      if (this.kept.size > KEPT) for (const seq of [...this.kept.keys()].slice(0, this.kept.size - KEPT)) this.kept.delete(seq);
      if (told === this.told) this.#print(this.#wanted(), '');
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (told === this.told) this.#print(wanted, error.message || text('error.away'));
    }
  }

  /** All of them, as the recording holds them, in the order of seq; what is not here yet is fetched first. */
  async #copy() {
    const { seqs, key, kept } = this;
    try {
      /** @type {Map<number, RawEvent>} */
      const found = new Map();
      const missing = seqs.filter((seq) => !kept.has(seq));
      for (const [from, to] of spans(missing)) for (const event of (await this.api.get(`api/sessions/${key}/events`, { from, to })).events) found.set(event.seq, event);
      const events = seqs.map((seq) => kept.get(seq) ?? found.get(seq)).filter((event) => event !== undefined);
      this.onToast((await copyText(JSON.stringify(events, null, 2))) ? text('copied.events', { n: count(events.length) }) : text('copied.failed'));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.onToast(text('copied.unread', { why: error.message || text('error.away') }));
    }
  }

  #wanted() {
    const at = this.focus ? this.seqs.findIndex((seq) => seq >= this.focus) : -1;
    const to = at < 0 ? this.seqs.length : Math.min(this.seqs.length, Math.max(at + this.shown / 2, this.shown));
    return this.seqs.slice(Math.max(0, to - this.shown), to);
  }

  /** @param {number[]} wanted @param {string} trouble */
  #print(wanted, trouble) {
    const older = Math.max(0, this.seqs.indexOf(/** @type {number} */ (wanted[0])));
    const newer = this.seqs.length - wanted.length - older;
    const found = wanted.map((seq) => this.kept.get(seq)).filter((event) => event !== undefined);
    /** @param {string} words */
    const more = (words) =>
      h('button', {
        class: 'text-button',
        on: {
          click: () => {
            this.shown *= 4;
            this.#load();
          },
        },
      }, words);
    fill(this.title, h('span', null, text('events.title')), h('span', null, text('events.order')));
    fill(this.copy, icon('copy'), 'JSON');
    this.copy.title = text('events.copy');
    this.copy.setAttribute('aria-label', text('events.copy'));
    fill(
      this.body,
      older > 0 && more(text('events.older', { n: count(older) })),
      found.length > 0 && h('pre', { class: 'mono events', tabindex: '0' }, found.map((event) => printed(event, event.seq === this.focus, this.timed))),
      newer > 0 && more(text('events.newer', { n: count(newer) })),
      !found.length && !trouble && h('p', { class: 'quiet' }, text('events.loading')),
      trouble && h('p', { class: 'quiet' }, text('events.trouble', { why: trouble }), ' ', h('button', { class: 'text-button', dataset: { focus: 'events-again' }, on: { click: () => this.#load() } }, text('events.again'))),
    );
  }
}

/** Numbers gathered into few requests. @param {number[]} seqs ascending @returns {[number, number][]} */
export function spans(seqs) {
  /** @type {[number, number][]} */
  const out = [];
  for (const seq of seqs) {
    const last = out[out.length - 1];
    if (last && seq - last[1] <= NEAR && seq - last[0] < MOST) last[1] = seq;
    else out.push([seq, seq]);
  }
  return out;
}

/** @param {RawEvent} event @param {boolean} picked @param {boolean} timed */
function printed(event, picked, timed) {
  const { kind, ...said } = event.signal;
  const place = [event.turn ? text('inspect.turn', { turn: event.turn }) : '', event.late ? text('events.late') : ''].filter(Boolean).join(' · ');
  const origin = [stamp(event.at), event.said_at ? `${text('inspect.said')} ${stamp(event.said_at)}` : '', event.source ? `${plain(event.source, 80)} n ${event.n}` : ''];
  return h(
    'div',
    { class: `event ${picked ? 'picked' : ''}`, dataset: { seq: String(event.seq) } },
    h('span', { class: 'quiet' }, count(event.seq)),
    ' ',
    h('span', { class: kind === 'failed' || kind === 'gap' ? 'bad' : 'kind' }, foreign(kind, { most: 60 })),
    '  ',
    h('span', { class: 'quiet', title: origin.filter(Boolean).join('\n') }, timed && clock(event.said_at ?? event.at), place && `${timed ? ' · ' : ''}${place}`),
    '\n',
    members(said).map(([name, value]) => ['  ', name, ' ', outline(value, 4), '\n']),
  );
}

/**
 * A value as an indented outline, each part in the colour of its kind; a list of objects gets a line for each.
 * @param {unknown} value @param {number} indent spaces before a new line @returns {import('lb/dom').Child}
 */
function outline(value, indent) {
  if (typeof value === 'string') return h('span', { class: 'string' }, foreign(JSON.stringify(value), { most: 4000 }));
  if (typeof value !== 'object' || value === null) return h('span', { class: 'number' }, String(value));
  const start = `\n${' '.repeat(indent)}`;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== 'object' || item === null || Array.isArray(item))) return ['[', value.map((item, i) => [i ? ', ' : '', outline(item, indent)]), ']'];
    return value.map((item) => [start, '- ', members(item).map(([name, member], i) => [i ? ' · ' : '', name, ' ', outline(member, indent + 2)])]);
  }
  const inside = members(value);
  return inside.length ? inside.map(([name, member]) => [start, name, ' ', outline(member, indent + 2)]) : '{}';
}

/** @param {unknown} value @returns {[Node, unknown][]} */
function members(value) {
  return Object.entries(/** @type {object} */ (value ?? {})).map(([name, member]) => [h('span', { class: 'quiet' }, foreign(name, { most: 80 })), member]);
}
