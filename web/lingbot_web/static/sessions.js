// The list of sessions: live ones, then recorded ones by day, newest first; search, paging, and a small menu for each.

import { Refused } from 'lb/api';
import { fill, h, plain } from 'lb/dom';
import { ago, count, day } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { sessionMenu } from 'lb/session_menu';
import { sessionRow, titleOf } from 'lb/session_row';
import { isLive } from 'lb/standing';

/** @typedef {import('lb/session_row').Summary} Summary */
/**
 * @typedef {object} Reactions
 * @property {(key: string) => void} onOpen
 * @property {() => void} onImport
 * @property {(message: string, action?: {label: string, run: () => void, late?: () => void}) => void} onToast
 * @property {(error: Refused) => void} onRefused
 * @property {(key: string) => void} onGone
 */

const PAGE = 60;
const KEY_LENGTH = 32;

/** @param {Summary} summary */
const isDemo = (summary) => summary.origin === 'case';

export class Sessions {
  /** @param {HTMLElement} host @param {import('lb/api').Api} api @param {Reactions} reactions */
  constructor(host, api, reactions) {
    this.host = host;
    this.api = api;
    this.reactions = reactions;
    /** @type {Map<string, Summary>} */
    this.known = new Map();
    /** @type {Set<string>} keys being deleted, in the grace period of their undo */
    this.leaving = new Set();
    this.total = 0;
    /** @type {string | null} */
    this.next = null;
    this.query = '';
    this.open = '';
    this.loaded = false;
    /** @type {Map<string, {sign: string, row: HTMLElement}>} */
    this.rows = new Map();
    this.asked = 0;
    /** Seconds by which the reader's clock is ahead of the server's: the least age of what just happened. */
    this.ahead = Infinity;
    this.alive = '';
    this.renaming = false;
    this.search = this.#searchBox();
    this.list = h('div', { class: 'session-list' });
    this.foot = h('div', { class: 'session-foot' });
    this.head = h('div', { class: 'session-head' });
    fill(host, this.head, this.list, this.foot);
    this.relabel();
    setInterval(() => this.#tick(), 1000);
  }

  /** Words changed. */
  relabel() {
    this.host.setAttribute('aria-label', text('sessions.label'));
    this.search.placeholder = text('sessions.search');
    this.search.setAttribute('aria-label', text('sessions.search'));
    fill(this.head, this.search, h('button', { class: 'icon-button', title: text('sessions.import'), 'aria-label': text('sessions.import'), on: { click: () => this.reactions.onImport() } }, icon('open')));
    this.rows.clear();
    this.render();
  }

  /** @returns {HTMLInputElement} */
  #searchBox() {
    let timer = 0;
    const box = h('input', {
      type: 'search',
      class: 'session-search',
      spellcheck: 'false',
      autocomplete: 'off',
      on: {
        input: (/** @type {Event} */ event) => {
          if (/** @type {InputEvent} */ (event).isComposing) return;
          clearTimeout(timer);
          timer = setTimeout(() => this.#find(box.value.trim()), 200);
        },
        compositionend: () => this.#find(box.value.trim()),
        keydown: (/** @type {Event} */ event) => {
          const { key, isComposing } = /** @type {KeyboardEvent} */ (event);
          if (key !== 'Escape' || isComposing) return;
          box.value = '';
          box.blur();
          this.#find('');
        },
      },
    });
    return box;
  }

  /** @param {string} query */
  #find(query) {
    if (query === this.query) return;
    this.query = query;
    this.load();
  }

  /** Asks for the first page (of the search, if there is one). Throws Refused. */
  async load() {
    const ask = ++this.asked;
    const page = await this.#page(undefined);
    if (ask !== this.asked || !page) return;
    this.known.clear();
    this.#take(page);
    this.loaded = true;
    this.render();
  }

  /**
   * The key that `name` is, or that alone begins with it; "" if there is none, null where the server refused to say.
   * @param {string} name @returns {Promise<string | null>}
   */
  async named(name) {
    if (this.known.has(name)) return name;
    try {
      const { sessions } = await this.api.get('api/sessions', { q: name, limit: 200 });
      const found = sessions.map((/** @type {Summary} */ { key }) => key).filter((/** @type {string} */ key) => key.startsWith(name));
      return found.length === 1 ? found[0] : '';
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.status === 0 && name.length === KEY_LENGTH) return name; // it opens once the server is back
      this.reactions.onRefused(error);
      return null;
    }
  }

  async more() {
    if (!this.next) return;
    const page = await this.#page(this.next);
    if (page) {
      this.#take(page);
      this.render();
    }
  }

  /** @param {string | undefined} before @returns {Promise<{sessions: Summary[], total: number, next: string | null} | null>} */
  async #page(before) {
    try {
      return await this.api.get('api/sessions', { q: this.query, before, limit: PAGE });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.reactions.onRefused(error);
      return null;
    }
  }

  /** @param {{sessions: Summary[], total: number, next: string | null}} page */
  #take(page) {
    for (const summary of page.sessions) this.known.set(summary.key, summary);
    this.total = page.total;
    this.next = page.next ?? null;
  }

  /** The server's time, as far as it can be told. */
  now() {
    return Date.now() / 1000 - (Number.isFinite(this.ahead) ? this.ahead : 0);
  }

  /** News over the socket. @param {Summary[]} changed @param {string[]} removed */
  update(changed, removed) {
    for (const summary of changed) {
      if (summary.live && summary.events > (this.known.get(summary.key)?.events ?? Infinity)) this.ahead = Math.min(this.ahead, Date.now() / 1000 - summary.updated_at);
      if (!this.known.has(summary.key)) {
        if (this.query) continue; // whether it matches is the server's to say
        this.total += 1;
      }
      this.known.set(summary.key, summary);
    }
    for (const key of removed) {
      if (this.known.delete(key)) this.total -= 1;
      if (key === this.open) this.reactions.onGone(key);
    }
    this.render();
  }

  /** @param {string} key */
  select(key) {
    this.open = key;
    this.render();
  }

  /** The session to show when none is asked for: the newest live one, else the newest; a demo only when it is asked for. @returns {Summary | null} */
  first() {
    const own = this.#sorted().filter((summary) => !isDemo(summary));
    return own.find((summary) => isLive(summary, this.now())) ?? own[0] ?? null;
  }

  /** A recorded incident that comes with the product. @returns {Summary | null} */
  demo() {
    return this.#sorted().find(isDemo) ?? null;
  }

  #sorted() {
    return [...this.known.values()]
      .filter((summary) => !this.leaving.has(summary.key))
      .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.updated_at - a.updated_at || (a.key < b.key ? -1 : 1));
  }

  render() {
    if (this.renaming) return; // the row being edited stays as it is; what changed shows when the name is in
    const now = this.now();
    const today = day(now);
    /** @type {[string, Summary[]][]} */
    const groups = [
      ['sessions.live', []],
      ['sessions.today', []],
      ['sessions.earlier', []],
      ['sessions.demos', []],
    ];
    for (const summary of this.#sorted()) {
      const group = isDemo(summary) ? 3 : isLive(summary, now) ? 0 : day(summary.updated_at) === today ? 1 : 2;
      /** @type {[string, Summary[]]} */ (groups[group])[1].push(summary);
    }
    const focused = document.activeElement instanceof HTMLElement && this.list.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
    const top = this.list.scrollTop;
    fill(
      this.list,
      groups.filter(([, members]) => members.length).map(([label, members]) => [
        h('h2', { class: 'session-group' }, h('span', null, text(label)), h('span', null, count(members.length))),
        h('ul', { class: 'sessions' }, members.map((summary) => this.#row(summary, now))),
      ]),
      this.loaded && !this.known.size && h('p', { class: 'session-none' }, text(this.query ? 'sessions.nothing' : 'sessions.none')),
    );
    this.list.scrollTop = top;
    if (focused) for (const element of this.list.querySelectorAll('[data-focus]')) if (element instanceof HTMLElement && element.dataset.focus === focused) element.focus();
    const shown = this.known.size - this.leaving.size;
    fill(
      this.foot,
      this.total > 0 && h('span', null, text('sessions.shown', { shown: count(shown), total: count(Math.max(shown, this.total - this.leaving.size)) })),
      this.next && h('button', { class: 'text-button', on: { click: () => this.more() } }, text('sessions.more')),
    );
  }

  /** @param {Summary} summary @param {number} now */
  #row(summary, now) {
    const live = isLive(summary, now);
    const sign = JSON.stringify([summary, this.open === summary.key, live]);
    const kept = this.rows.get(summary.key);
    if (kept?.sign === sign) return kept.row;
    const { key } = summary;
    const row = sessionRow(summary, { current: key === this.open, now, live }, { open: () => this.reactions.onOpen(key), menu: (button) => this.#menu(summary, row, button) });
    this.rows.set(key, { sign, row });
    return row;
  }

  /** @param {Summary} summary @param {HTMLElement} row @param {HTMLElement} button */
  #menu(summary, row, button) {
    sessionMenu(summary, button, {
      rename: () => this.#rename(summary, row),
      pin: () => this.#write(summary, { pinned: !summary.pinned }),
      remove: () => this.#remove(summary),
    });
  }

  /** @param {Summary} summary @param {HTMLElement} row */
  #rename(summary, row) {
    let done = false;
    /** @param {boolean} keep */
    const finish = (keep) => {
      if (done) return;
      done = true;
      this.renaming = false;
      this.rows.delete(summary.key);
      const name = input.value.trim();
      if (keep && name !== summary.name) this.#write(summary, { name });
      else this.render();
    };
    const input = h('input', {
      class: 'session-name',
      value: summary.name || summary.title,
      maxlength: '200',
      'aria-label': text('sessions.name'),
      on: {
        blur: () => finish(true),
        keydown: (/** @type {Event} */ event) => {
          const { key, isComposing } = /** @type {KeyboardEvent} */ (event);
          if (isComposing) return;
          if (key === 'Enter') finish(true);
          else if (key === 'Escape') finish(false);
        },
      },
    });
    this.renaming = true;
    fill(row, input);
    input.focus();
    input.select();
  }

  /** @param {Summary} summary @param {{name?: string, pinned?: boolean}} change */
  async #write(summary, change) {
    this.known.set(summary.key, { ...summary, ...change });
    this.render();
    try {
      await this.api.post(`api/sessions/${summary.key}`, change);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.known.set(summary.key, summary);
      this.render();
      this.reactions.onToast(text('sessions.unchanged', { why: error.message || text('error.away') }));
    }
  }

  /** Deleting waits for its toast to go, so that undo needs nothing of the server. @param {Summary} summary */
  #remove(summary) {
    this.leaving.add(summary.key);
    this.render();
    this.reactions.onToast(text('sessions.deleted', { title: plain(titleOf(summary), 40) }), {
      label: text('sessions.undo'),
      run: () => {
        this.leaving.delete(summary.key);
        this.render();
      },
      late: async () => {
        try {
          await this.api.remove(`api/sessions/${summary.key}`);
          this.leaving.delete(summary.key);
          this.update([], [summary.key]);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          this.leaving.delete(summary.key);
          this.render();
          this.reactions.onToast(text('sessions.undeleted', { why: error.message || text('error.away') }));
        }
      },
    });
  }

  #tick() {
    if (document.hidden) return;
    const now = this.now();
    const alive = [day(now), ...[...this.known.values()].filter((summary) => isLive(summary, now)).map(({ key }) => key)].join();
    if (alive !== this.alive) {
      this.alive = alive;
      this.render();
    }
    for (const when of this.list.querySelectorAll('time')) {
      const shown = ago(Number(when.dataset.at), now);
      if (when.textContent !== shown) when.textContent = shown;
    }
  }
}
