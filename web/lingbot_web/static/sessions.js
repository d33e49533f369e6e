// The list of sessions: pinned and live ones, then by day, newest first; search, and a small menu for each. Incidents that
// come with the product stand below it, folded away once there are sessions of one's own.

import { Refused } from 'lb/api';
import { fill, h, plain } from 'lb/dom';
import { ago, count, sameDay } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { Known } from 'lb/session_known';
import { SessionList, headCount } from 'lb/session_list';
import { sessionMenu } from 'lb/session_menu';
import { nameField } from 'lb/session_name';
import { sessionRow, titleOf } from 'lb/session_row';
import { searchBox } from 'lb/session_search';
import { isLive } from 'lb/standing';

/** @typedef {import('lb/session_row').Summary} Summary */
/**
 * @typedef {object} Reactions
 * @property {(key: string) => void} onOpen
 * @property {(key: string) => void} onCompare a session is to be compared with the one that is open
 * @property {() => void} onImport
 * @property {(message: string, action?: import('lb/toast').ToastAction) => void} onToast
 * @property {(error: Refused) => void} onRefused
 * @property {() => void} onLearnt what the open session is called has come to be known
 * @property {(summary: Summary | null) => void} onGone the open session was deleted elsewhere
 * @property {(key: string) => void} onRemove a session is being deleted here
 */

const KEY_LENGTH = 32;
const RECOUNT_MS = 1000;

export class Sessions {
  /** @param {HTMLElement} host @param {import('lb/api').Api} api @param {Reactions} reactions */
  constructor(host, api, reactions) {
    this.host = host;
    this.api = api;
    this.reactions = reactions;
    this.all = new Known(api);
    this.open = '';
    /** @type {Summary | null} what was last known of the open session */
    this.last = null;
    /** Seconds by which the reader's clock is ahead of the server's: the least age of what just happened. */
    this.ahead = Infinity;
    this.alive = '';
    this.dayShown = 0;
    this.recounting = 0;
    this.stuck = false; // the next page was refused
    /** @type {boolean | null} whether the reader wants the demos unfolded */
    this.demosWanted = null;
    this.search = searchBox((query) => this.#find(query));
    this.list = new SessionList({ row: (summary) => this.#row(summary), sign: (summary) => this.#sign(summary), onEnd: () => this.#end() });
    this.none = h('p', { class: 'session-none', hidden: true });
    this.demoTitle = h('summary', { on: { click: () => { this.demosWanted = !this.demos.open; } } });
    this.demoList = h('ul', { class: 'sessions' });
    this.demos = h('details', { class: 'session-demos', hidden: true }, this.demoTitle, this.demoList);
    this.foot = h('div', { class: 'session-foot' });
    this.head = h('div', { class: 'session-head' });
    fill(host, this.head, this.list.element, this.none, this.demos, this.foot);
    this.relabel();
    setInterval(() => this.#tick(), 1000);
  }

  get loaded() {
    return this.all.loaded;
  }

  /** @returns {Map<string, Summary>} */
  get known() {
    return this.all.of;
  }

  /** What is known of the open session, though it be older than what the list has loaded or not what it is searched for. @returns {Summary | null} */
  get opened() {
    return this.known.get(this.open) ?? (this.last?.key === this.open ? this.last : null);
  }

  /** Words changed. */
  relabel() {
    this.host.setAttribute('aria-label', text('sessions.label'));
    this.host.setAttribute('role', 'group');
    this.search.placeholder = text('sessions.search');
    this.search.setAttribute('aria-label', text('sessions.search'));
    this.list.list.setAttribute('aria-label', text('sessions.label'));
    this.demoList.setAttribute('aria-label', text('sessions.demos'));
    fill(this.head, this.search, h('button', { class: 'icon-button', title: text('sessions.import'), 'aria-label': text('sessions.import'), on: { click: () => this.reactions.onImport() } }, icon('open')));
    this.list.forget();
    this.render();
  }

  /** @param {string} query */
  #find(query) {
    if (query === this.all.query) return;
    this.all.query = query;
    this.list.element.scrollTop = 0;
    this.load();
  }

  /** Asks for the first page (of the search, if there is one). */
  async load() {
    this.stuck = false;
    await this.#ask(() => this.all.load());
  }

  async #end() {
    if (!this.stuck && this.all.more()) await this.#ask(() => this.all.coming ?? Promise.resolve());
  }

  async more() {
    this.stuck = false;
    this.render();
    await this.#end();
  }

  /** @param {() => Promise<unknown>} ask */
  async #ask(ask) {
    try {
      if ((await ask()) !== false) this.render();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.stuck = true;
      this.render();
      this.reactions.onRefused(error);
    }
  }

  /**
   * The key that `name` is, or that alone begins with it; "" if there is none, null where the server refused to say.
   * @param {string} name @returns {Promise<string | null>}
   */
  async named(name) {
    if (this.known.has(name)) return name;
    if (name.length > KEY_LENGTH) return '';
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

  /** The server's time, as far as it can be told. */
  now() {
    return Date.now() / 1000 - (Number.isFinite(this.ahead) ? this.ahead : 0);
  }

  /** News over the socket. @param {Summary[]} changed @param {string[]} removed */
  update(changed, removed) {
    const open = this.opened;
    for (const summary of changed) {
      if (summary.key === this.open) this.last = summary;
      // A name or a pin is an event too, but then nothing was heard from the bot.
      if (summary.live && summary.updated_at > (this.known.get(summary.key)?.updated_at ?? Infinity)) this.ahead = Math.min(this.ahead, Date.now() / 1000 - summary.updated_at);
    }
    if (this.all.update(changed, removed) && this.loaded && !this.recounting) {
      this.recounting = setTimeout(() => {
        this.recounting = 0;
        this.#ask(() => this.all.recount());
      }, RECOUNT_MS);
    }
    if (removed.includes(this.open)) this.last = null;
    this.render();
    if (removed.includes(this.open)) this.reactions.onGone(open);
  }

  /** @param {string} key */
  select(key) {
    this.open = key;
    this.render();
    if (!key) return;
    this.list.reveal(key);
    if (!this.opened) this.#learn(key);
  }

  /** @param {string} key of a session that the list does not hold */
  async #learn(key) {
    try {
      const summary = await this.api.get(`api/sessions/${key}`);
      if (this.open !== key || this.opened) return;
      this.last = summary;
      this.reactions.onLearnt();
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // why it can't be read is told where its map would be
    }
  }

  /** The session to show when none is asked for: the newest live one, else the newest; a demo only when it is asked for. @returns {Summary | null} */
  first() {
    const own = this.all.newest().filter(({ origin }) => origin !== 'case');
    return own.find((summary) => isLive(summary, this.now())) ?? own[0] ?? null;
  }

  /** The newest live session that said something later than `summary`. @param {Summary} summary @returns {Summary | null} */
  newer(summary) {
    return this.all.newest().find((each) => each.key !== summary.key && each.origin === 'probe' && each.updated_at > summary.updated_at && isLive(each, this.now())) ?? null;
  }

  /** A recorded incident that comes with the product. @returns {Summary | null} */
  demo() {
    return this.all.newest().find(({ origin }) => origin === 'case') ?? null;
  }

  render() {
    this.last = this.opened;
    const { groups, demos } = this.all.groups(this.now());
    const words = { pinned: text('sessions.pinned'), live: text('sessions.live'), today: text('sessions.today'), earlier: text('sessions.earlier') };
    const bare = this.loaded && !groups.length;
    this.list.element.hidden = bare; // before it is filled: rows are measured as they come
    const placed = this.list.show(groups.flatMap(({ name, members, total, whole }) => [{ label: words[name], count: headCount(total, whole) }, ...members]), this.all.all - demos.length);
    this.none.hidden = !bare;
    this.none.textContent = bare ? text(this.all.query ? 'sessions.nothing' : 'sessions.none') : '';
    if (!placed) this.search.focus();
    this.#showDemos(demos, bare);
    fill(
      this.foot,
      this.all.total > 0 && h('span', null, text('sessions.shown', { shown: count(this.all.shown), total: count(this.all.all) })),
      this.stuck && this.all.next && h('button', { class: 'text-button', on: { click: () => this.more() } }, text('sessions.more')),
    );
  }

  /** @param {Summary[]} demos @param {boolean} alone nothing stands above them */
  #showDemos(demos, alone) {
    this.demos.hidden = !demos.length;
    this.demos.open = this.demosWanted ?? (alone || Boolean(this.all.query) || demos.some(({ key }) => key === this.open));
    fill(this.demoTitle, h('span', null, text('sessions.demos')), h('span', null, count(demos.length)));
    if (demos.some(({ key }) => key === this.list.kept)) return; // its name is being written
    const focused = document.activeElement instanceof HTMLElement && this.demoList.contains(document.activeElement) ? document.activeElement.dataset.focus : '';
    fill(this.demoList, demos.map((summary) => this.#row(summary)));
    if (focused) for (const element of this.demoList.querySelectorAll('[data-focus]')) if (element instanceof HTMLElement && element.dataset.focus === focused) element.focus();
  }

  /** @param {Summary} summary */
  #sign(summary) {
    return JSON.stringify([summary, this.open === summary.key, isLive(summary, this.now())]);
  }

  /** @param {Summary} summary */
  #row(summary) {
    const now = this.now();
    return sessionRow(summary, { current: summary.key === this.open, now, live: isLive(summary, now) }, { open: () => this.reactions.onOpen(summary.key), menu: (button) => this.#menu(summary, button) });
  }

  /** What is chosen is done to the session as it is by then: its row may have been made anew. @param {Summary} summary @param {HTMLElement} button */
  #menu({ key, pinned }, button) {
    /** @param {(summary: Summary) => void} act */
    const now = (act) => {
      const summary = this.known.get(key);
      if (summary) act(summary);
    };
    sessionMenu({ pinned }, button, {
      rename: () => now((summary) => this.#rename(summary)),
      pin: () => this.#write(key, { pinned: !pinned }),
      compare: this.open && key !== this.open ? () => this.reactions.onCompare(key) : null,
      remove: (byKeyboard) => now((summary) => this.#remove(summary, byKeyboard)),
    });
  }

  /** @param {Summary} summary */
  #rename({ key, name: old, title }) {
    const row = this.list.reveal(key) ?? this.demoList.querySelector(`[data-key="${CSS.escape(key)}"]`)?.closest('li');
    if (!row) return;
    this.list.kept = key;
    const field = nameField({ name: old, title }, (name, byKey) => {
      if (this.list.kept === key) this.list.kept = '';
      this.list.forget(key);
      if (name !== null && name !== old) this.#write(key, { name });
      else this.render();
      if (byKey) this.list.focus(key);
    });
    fill(row, field);
    field.focus();
    field.select();
  }

  /** @param {string} key @param {{name?: string, pinned?: boolean}} change */
  async #write(key, change) {
    const before = this.known.get(key);
    if (!before) return this.render();
    this.known.set(key, { ...before, ...change });
    this.render();
    try {
      await this.api.post(`api/sessions/${key}`, change);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const now = this.known.get(key);
      if (now) this.known.set(key, { ...now, name: before.name, pinned: before.pinned });
      this.render();
      this.reactions.onToast(text('sessions.unchanged', { why: error.message || text('error.away') }));
    }
  }

  /** Deleting waits for its toast to go, so that undo needs nothing of the server. @param {Summary} summary @param {boolean} byKeyboard */
  #remove(summary, byKeyboard) {
    const { key } = summary;
    const open = key === this.open;
    const beside = this.list.beside(key);
    this.all.leaving.add(key);
    this.render();
    const back = () => {
      this.all.leaving.delete(key);
      this.render();
    };
    this.reactions.onToast(text('sessions.deleted', { title: plain(titleOf(summary), 40) }), {
      label: text('sessions.undo'),
      focus: byKeyboard,
      back: () => this.list.focus(this.known.has(key) && !this.all.leaving.has(key) ? key : beside),
      run: () => {
        back();
        if (open) this.reactions.onOpen(key);
      },
      late: async () => {
        try {
          await this.api.remove(`api/sessions/${key}`);
          this.all.update([], [key]);
          this.render();
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          back();
          this.reactions.onToast(text('sessions.undeleted', { why: error.message || text('error.away') }));
        }
      },
    });
    if (open) this.reactions.onRemove(key);
  }

  #tick() {
    if (document.hidden) return;
    const now = this.now();
    const alive = [sameDay(now, this.dayShown), ...[...this.known.values()].filter((summary) => isLive(summary, now)).map(({ key }) => key)].join();
    if (alive !== this.alive) {
      this.alive = alive;
      this.dayShown = now;
      this.render();
    }
    for (const when of this.host.querySelectorAll('time')) {
      const shown = ago(Number(when.dataset.at), now);
      if (when.textContent !== shown) when.textContent = shown;
    }
  }
}
