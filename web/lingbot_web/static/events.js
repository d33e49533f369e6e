// The raw events behind what is shown: fetched by number, kept, printed as text in the order of seq.

import { Refused } from 'lb/api';
import { fill, foreign, h } from 'lb/dom';
import { clock, count, stamp } from 'lb/format';
import { text } from 'lb/i18n';

/** @typedef {{seq: number, at: number, source?: string, n?: number, turn?: number, said_at?: number, late?: boolean, signal: {kind: string} & Record<string, unknown>}} RawEvent */

const KEPT = 3000;
const NEAR = 50; // numbers this close come in one request
const MOST = 1000; // what the server gives at once
const STEP = 8;

export class RawEvents {
  /** @param {import('lb/api').Api} api */
  constructor(api) {
    this.api = api;
    /** @type {Map<number, RawEvent>} */
    this.kept = new Map();
    this.of = '';
    /** @type {number[]} */
    this.seqs = [];
    this.shown = STEP;
    this.told = '';
    this.body = h('div', { class: 'raw' });
    this.title = h('h2', null);
    this.element = h('section', { class: 'part' }, this.title, this.body);
  }

  /**
   * @param {string} key @param {string} epoch @param {number[]} seqs those to show, newest ones first when there are too many
   * @param {string} about what they belong to: a new subject starts with few again
   */
  show(key, epoch, seqs, about) {
    const of = `${key} ${epoch}`;
    if (of !== this.of) this.kept.clear();
    const sign = `${of} ${about}`;
    if (sign !== this.told) this.shown = STEP;
    this.of = of;
    this.told = sign;
    this.key = key;
    this.seqs = [...new Set(seqs)].filter((seq) => seq > 0).sort((a, b) => a - b);
    this.element.hidden = !this.seqs.length;
    this.#load();
  }

  async #load() {
    const { of, told, key } = this;
    const wanted = this.seqs.slice(-this.shown);
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
      if (told === this.told) this.#print(this.seqs.slice(-this.shown), '');
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (told === this.told) this.#print(wanted, error.message || text('error.away'));
    }
  }

  /** @param {number[]} wanted @param {string} trouble */
  #print(wanted, trouble) {
    const older = this.seqs.length - wanted.length;
    const found = wanted.map((seq) => this.kept.get(seq)).filter((event) => event !== undefined);
    fill(this.title, h('span', null, text('events.title')), h('span', null, text('events.order')));
    fill(
      this.body,
      older > 0 && h('button', {
        class: 'text-button',
        on: {
          click: () => {
            this.shown *= 4;
            this.#load();
          },
        },
      }, text('events.older', { n: count(older) })),
      found.length > 0 && h('pre', { class: 'mono events', tabindex: '0' }, found.map(printed)),
      !found.length && !trouble && h('p', { class: 'quiet' }, text('events.loading')),
      trouble && h('p', { class: 'quiet' }, trouble),
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

/** @param {RawEvent} event */
function printed(event) {
  const { kind, ...said } = event.signal;
  const place = [event.turn ? `turn ${event.turn}` : '', event.n ? `n ${event.n}` : '', event.late ? 'late' : ''].filter(Boolean).join(' · ');
  return h(
    'div',
    { class: 'event', dataset: { seq: String(event.seq) } },
    h('span', { class: 'quiet' }, count(event.seq)),
    ' ',
    h('span', { class: kind === 'failed' || kind === 'gap' ? 'bad' : 'kind' }, foreign(kind, { most: 60 })),
    '  ',
    h('span', { class: 'quiet', title: `${stamp(event.at)}${event.source ? `\n${event.source}` : ''}` }, clock(event.at), place && ` ${place}`),
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
