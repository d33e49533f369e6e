// Events as they were logged, fetched by number for those in view and no others, and kept while they may be looked at again.

import { Refused } from 'lb/api';
import { spans } from 'lb/events';
import { text } from 'lb/i18n';

/** @typedef {import('lb/events').RawEvent} RawEvent */

const KEPT = 4000;
/** What only flies past is not asked for. */
const REST_MS = 70;
/** An event's neighbours come along: the next turn of the wheel finds them. */
const MARGIN = 40;

export class Pages {
  /** @param {import('lb/api').Api} api @param {() => void} onNews */
  constructor(api, onNews) {
    this.api = api;
    this.onNews = onNews;
    /** @type {Map<number, RawEvent>} */
    this.kept = new Map();
    this.of = '';
    this.trouble = '';
    this.timer = 0;
    /** @type {AbortController | null} */
    this.loading = null;
    /** @type {number[]} */
    this.wanted = [];
    /** Asked for, and not there: the log has no such event. @type {Set<number>} */
    this.absent = new Set();
  }

  /** @param {number} seq */
  get(seq) {
    return this.kept.get(seq);
  }

  /**
   * Says which events are in view.
   * @param {string} key @param {string} epoch @param {number[]} seqs ascending @param {number} last number of the newest
   */
  want(key, epoch, seqs, last) {
    const of = `${key} ${epoch}`;
    if (of !== this.of) {
      this.loading?.abort();
      this.loading = null;
      this.kept.clear();
      this.absent.clear();
      this.trouble = '';
      this.of = of;
    }
    this.key = key;
    this.last = last;
    this.wanted = seqs;
    if (!this.timer && !this.loading && this.#missing().length) this.timer = setTimeout(() => this.#load(), REST_MS);
  }

  #missing() {
    return this.wanted.filter((seq) => !this.kept.has(seq) && !this.absent.has(seq));
  }

  async #load() {
    this.timer = 0;
    const missing = this.#missing();
    if (!missing.length) return;
    const loading = new AbortController();
    this.loading = loading;
    try {
      for (const [from, to] of spans(missing)) {
        const first = Math.max(1, from - MARGIN);
        const end = Math.min(this.last ?? to, to + MARGIN);
        const { events } = await this.api.get(`api/sessions/${this.key}/events`, { from: first, to: end }, loading.signal);
        if (loading.signal.aborted) return;
        for (const event of events) {
          this.kept.delete(event.seq);
          this.kept.set(event.seq, event);
        }
        for (const seq of missing) if (seq >= first && seq <= end && !this.kept.has(seq)) this.absent.add(seq);
      }
      this.trouble = '';
    } catch (error) {
      if (loading.signal.aborted) return;
      if (!(error instanceof Refused)) throw error;
      this.trouble = error.message || text('error.away');
    } finally {
      if (this.loading === loading) this.loading = null;
    }
    if (this.kept.size > KEPT) for (const seq of [...this.kept.keys()].slice(0, this.kept.size - KEPT)) this.kept.delete(seq);
    this.onNews();
  }
}
