// What the page knows of the sessions: page after page from the server, and the news in between. No DOM.

import { sameDay } from 'lb/format';
import { isLive } from 'lb/standing';

/** @typedef {import('lb/session_row').Summary} Summary */
/** @typedef {{sessions: Summary[], total: number, next: string | null}} Answer */
/** @typedef {'pinned' | 'live' | 'today' | 'earlier'} GroupName */
/** @typedef {{name: GroupName, members: Summary[], total: number, whole: boolean}} Group `total` where all of it is known (`whole`), else those that are */

const PAGE = 60;
const MOST_APART = 200;

/** A recorded incident that comes with the product. @param {Summary} summary */
export const isDemo = (summary) => summary.origin === 'case';

export class Known {
  /** @param {import('lb/api').Api} api */
  constructor(api) {
    this.api = api;
    /** @type {Map<string, Summary>} */
    this.of = new Map();
    /** @type {Set<string>} keys being deleted, in the grace period of their undo */
    this.leaving = new Set();
    this.total = 0;
    /** @type {string | null} */
    this.next = null;
    this.query = '';
    this.loaded = false;
    this.asked = 0;
    /** @type {Promise<void> | null} the page that is under way */
    this.coming = null;
    /** The oldest moment up to which the list is whole. */
    this.reach = Infinity;
  }

  /** Asks for the first page, and for what stands apart however old it is. Throws Refused. @returns {Promise<boolean>} whether the answer still mattered */
  async load() {
    const ask = ++this.asked;
    const [page, ...apart] = await Promise.all([this.#page({ limit: PAGE }), this.#page({ apart: 'pinned', limit: MOST_APART }), this.#page({ apart: 'case', limit: MOST_APART })]);
    if (ask !== this.asked) return false;
    this.of.clear();
    for (const { sessions } of apart) this.#put(sessions);
    this.#take(page);
    this.loaded = true;
    return true;
  }

  /** The next page, if there is one and it isn't under way. Throws Refused. @returns {Promise<void> | null} */
  more() {
    if (!this.next || this.coming) return null;
    const ask = this.asked;
    this.coming = this.#page({ before: this.next, limit: PAGE })
      .then((page) => {
        if (ask === this.asked) this.#take(page);
      })
      .finally(() => {
        this.coming = null;
      });
    return this.coming;
  }

  /** How many there are, and whether the newest fit the search: news of sessions tell neither. Throws Refused. */
  async recount() {
    const ask = this.asked;
    const page = await this.#page({ limit: PAGE });
    if (ask !== this.asked) return;
    this.#put(page.sessions);
    this.total = page.total;
  }

  /** @param {{before?: string, apart?: 'pinned' | 'case', limit: number}} which @returns {Promise<Answer>} */
  #page(which) {
    return this.api.get('api/sessions', { q: this.query, ...which });
  }

  /** @param {Answer} page */
  #take(page) {
    this.#put(page.sessions);
    this.total = page.total;
    this.next = page.next ?? null;
    this.reach = this.next ? (page.sessions.at(-1)?.updated_at ?? this.reach) : -Infinity;
  }

  /** @param {Summary[]} sessions */
  #put(sessions) {
    for (const summary of sessions) this.of.set(summary.key, summary);
  }

  /** News over the socket. @param {Summary[]} changed @param {string[]} removed @returns {boolean} whether to count again */
  update(changed, removed) {
    let unsure = false;
    for (const summary of changed) {
      if (this.of.has(summary.key)) this.of.set(summary.key, summary);
      else if (this.query || this.next) {
        unsure = true; // whether it matches, or is new at all, is the server's to say
        if (!this.query) this.of.set(summary.key, summary);
      } else {
        this.of.set(summary.key, summary);
        this.total += 1;
      }
    }
    for (const key of removed) {
      if (this.of.delete(key)) this.total -= 1;
      else unsure = true;
      this.leaving.delete(key);
    }
    return unsure;
  }

  /** Newest first, without those that are being deleted. */
  newest() {
    return [...this.of.values()].filter(({ key }) => !this.leaving.has(key)).sort((a, b) => b.updated_at - a.updated_at || (a.key < b.key ? 1 : -1));
  }

  /** How many of those that are there are known. */
  get shown() {
    return this.of.size - this.leaving.size;
  }

  get all() {
    return Math.max(this.shown, this.total - this.leaving.size);
  }

  /** @param {number} now the server's time @returns {{groups: Group[], demos: Summary[]}} groups that have members, in order */
  groups(now) {
    /** @type {Record<GroupName, Summary[]>} */
    const by = { pinned: [], live: [], today: [], earlier: [] };
    const demos = [];
    for (const summary of this.newest()) {
      if (isDemo(summary)) demos.push(summary);
      // Beyond what was asked for there may be others: those few that are known would stand there as if nothing were between.
      else if (summary.updated_at < this.reach && !summary.pinned) continue;
      else by[summary.pinned ? 'pinned' : isLive(summary, now) ? 'live' : sameDay(summary.updated_at, now) ? 'today' : 'earlier'].push(summary);
    }
    const days = by.live.length + by.today.length + by.earlier.length;
    const names = /** @type {GroupName[]} */ (Object.keys(by)).filter((name) => by[name].length);
    const last = names.at(-1);
    const groups = names.map((name) => {
      const members = by[name];
      const whole = name === 'pinned' || !this.next || name !== last;
      const rest = this.all - by.pinned.length - demos.length - (days - members.length);
      return name === 'earlier' ? { name, members, total: Math.max(members.length, rest), whole: true } : { name, members, total: members.length, whole };
    });
    return { groups, demos };
  }
}
