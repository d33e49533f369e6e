// The session that is open: which one, how it came to be, and what follows when its map or the line to it changes.

import { openingPlace, showPlace, visit } from 'lb/address';
import { Refused, storeToken } from 'lb/api';
import { plain } from 'lb/dom';
import { DIRTY } from 'lb/fold';
import { zoneShown } from 'lb/format';
import { lang, text } from 'lb/i18n';
import { titleOf } from 'lb/session_row';
import { isLive } from 'lb/standing';
import { toast } from 'lb/toast';
import { theme } from 'lb/theme';
import { voice } from 'lb/voice';

/** @typedef {import('lb/link').Place} Place */
/** @typedef {import('lb/session_row').Summary} Summary */

export class OpenSession {
  /** @param {import('lb/app').Page} page @param {Place} asked */
  constructor(page, asked) {
    this.page = page;
    /** @type {Place | null} what the address asks for, until it has been shown */
    this.asked = asked;
    this.opening = asked; // as the page was opened
    this.key = '';
    /** @type {Summary | null} what was known of it when it was deleted elsewhere; its map stays until the reader leaves it */
    this.deleted = null;
    /** A token was given since the line was last open. */
    this.given = false;
    /** @type {Summary | null} */
    this.offered = null;
    this.picked = false; // out of the list when it was dead: then it is not followed
    this.held = 0; // the event at which the picture was paused at the live edge; 0 when it was not
    this.seen = { turns: 0, findings: 0 };
  }

  get score() {
    return this.page.score;
  }

  get sessions() {
    return this.page.sessions;
  }

  async start() {
    this.page.card.show('loading');
    if (this.asked?.tab) this.#showTab(this.asked.tab);
    this.page.changes.ask(this.asked?.compared);
    this.page.table.show(this.asked?.table ?? false, false);
    await this.sessions.load();
    if (!this.sessions.loaded) return;
    const wanted = this.sessions.first()?.key ?? '';
    if (this.asked?.session) await visit(this);
    else if (wanted) await this.open(wanted);
    else {
      this.page.card.show('waiting');
      await this.page.feed.watch('');
    }
  }

  /** @param {string} key @param {boolean} [picked] out of the list */
  async open(key, picked = false) {
    if (key === this.key && this.score.map && !this.deleted) return;
    this.page.transport.stop();
    const summary = this.sessions.known.get(key);
    this.picked = picked && summary !== undefined && !isLive(summary, this.sessions.now());
    this.key = key;
    this.deleted = null;
    this.page.selection = null;
    this.held = 0;
    this.page.moments.reset();
    this.score.setMap(null);
    this.sessions.select(key);
    this.page.showMenu(false);
    this.page.card.show('loading');
    this.page.side.render();
    await this.page.feed.watch(key);
  }

  /** It was deleted elsewhere: what is on the screen stays. @param {Summary | null} summary */
  gone(summary) {
    if (!this.score.map) this.page.card.show('missing');
    else if (!this.deleted && summary) {
      this.deleted = summary;
      toast(text('toast.gone', { title: plain(titleOf(summary), 40) }));
      this.page.feed.abandon();
      this.score.resize(); // the timeline's end is no longer live
      this.page.render();
    }
  }

  leave() {
    this.key = '';
    this.deleted = null;
    this.page.moments.reset();
    this.score.setMap(null);
    const next = this.sessions.first();
    if (next) this.open(next.key);
    else {
      this.page.feed.watch('');
      this.page.card.show('waiting');
      this.page.side.render();
    }
  }

  /** @param {import('lb/fold').DialogueMap} map @param {'opened' | 'behind' | 'epoch'} why */
  opened(map, why) {
    const kept = why === 'opened' ? null : { window: { ...this.score.window }, following: this.score.following, playhead: this.score.playhead };
    this.page.moments.reset();
    this.score.setMap(map);
    this.seen = { turns: map.lastTurn, findings: map.findings.size };
    if (kept) {
      if (!kept.following) this.score.setWindow(kept.window.from, kept.window.to);
      if (kept.playhead !== null && why === 'behind') this.score.setPlayhead(kept.playhead);
      this.page.moments.keep(kept.window);
      if (why === 'epoch') toast(text('toast.epoch'));
    } else if (this.asked && (this.asked.session ?? this.key) === this.key) {
      const place = this.asked; // one that leads to another session is still on its way there
      this.asked = null;
      showPlace(this.page, place);
    }
    this.#showCard();
    this.page.side.render();
    this.page.banner.render();
    this.page.render();
  }

  /** @param {string} hash */
  followLink(hash) {
    const { token, place } = openingPlace(hash);
    if (place.theme && place.theme !== theme()) this.page.switchTheme();
    if (place.lang && place.lang !== lang()) this.page.switchLang();
    if (place.zone && place.zone !== zoneShown()) this.page.zone.switch(place.zone);
    this.asked = place;
    this.#showTab(place.tab ?? 'inspect');
    if (place.tab === 'ask') this.page.ask?.restore(place.ask);
    this.page.changes.ask(place.compared, place.session);
    this.page.table.show(place.table ?? false, false);
    if (token && (token !== this.page.api.token || this.page.feed.line === 'unauthorised')) this.admit(token);
    else visit(this);
  }

  /** @param {import('lb/side').TabName} name */
  #showTab(name) {
    this.page.side.show(name);
    if (name !== 'inspect') this.page.showPanel(true);
  }

  /** The server answers questions after all: a link may lead there. @param {import('lb/ask').AskTab} ask */
  askOffered(ask) {
    if (this.opening.tab !== 'ask') return;
    ask.restore(this.opening.ask);
    this.#showTab('ask');
  }

  /** There is nothing at the address: what is open stays, and no other session opens in its stead. @param {string} name */
  async nowhere(name) {
    toast(text('toast.no-session', { key: plain(name, 64) }));
    this.page.address.soon();
    if (this.score.map) return;
    this.key = name;
    this.page.card.show('missing');
    await this.page.feed.watch('');
  }

  #showCard() {
    const map = this.score.map;
    this.page.card.show(map && (map.lastTurn > 0 || map.nodes.size > 0) ? 'none' : !this.page.standing.ended || !map?.cursor.seq ? 'waiting' : 'silent');
  }

  /** @param {number} dirty */
  grew(dirty) {
    const map = this.page.feed.map;
    if (!map || !this.score.map) return;
    // A picture held at the newest event has a moment of its own only once something comes after it.
    if (this.held && this.score.playhead === null) this.score.setPlayhead(this.held);
    this.score.changed(dirty);
    if (this.page.card.kind !== 'none') this.#showCard();
    if (map.lastTurn > this.seen.turns || map.findings.size > this.seen.findings) {
      voice.news(map.lastTurn - this.seen.turns, [...map.findings.values()].slice(this.seen.findings).map((finding) => finding.kind));
      this.seen = { turns: map.lastTurn, findings: map.findings.size };
    }
    if (dirty & DIRTY.SESSION) this.page.banner.render();
    this.page.side.soon();
    this.page.soon();
  }

  /** The session that a bot talks in while the one that is followed says nothing more. @returns {Summary | null} */
  get newer() {
    const { summary, standing } = this.page;
    if (!summary || summary.origin !== 'probe' || !this.score.map) return null;
    if (standing.live && !this.deleted) this.picked = false;
    else if (!this.picked) return this.sessions.newer(summary);
    return null;
  }

  openNewer() {
    const { newer } = this;
    if (newer) this.open(newer.key);
    return newer !== null;
  }

  /** The bot goes on under the same name: what is read stays, and the new one is offered once. @param {Summary} old */
  #offerAgain(old) {
    if (this.offered === old) return;
    this.offered = old;
    toast(text('toast.again', { title: plain(titleOf(old), 40) }), { label: text('toast.open'), run: () => this.open(old.key) });
  }

  /** The list of sessions changed. @param {Summary[]} changed @param {string[]} removed */
  listed(changed, removed) {
    this.sessions.update(changed, removed);
    if (this.deleted && changed.some(({ key }) => key === this.key)) this.#offerAgain(this.deleted);
    const first = changed.find((summary) => isLive(summary, this.sessions.now()));
    if (!this.key && first) this.open(first.key);
    else this.page.soon();
  }

  line() {
    if (this.page.feed.line === 'unauthorised') this.#askForToken();
    if (this.page.feed.line === 'open') this.given = false;
    if (this.page.feed.line === 'open' && !this.sessions.loaded) this.sessions.load();
    this.page.banner.render();
    this.page.soon();
  }

  /** @param {Refused} error */
  refused(error) {
    if (error.status === 401 || error.status === 403) {
      this.#askForToken();
      this.page.side.render();
      this.page.render();
    } else if (!this.sessions.loaded) {
      this.page.card.show('none');
      this.page.feed.away(() => this.start());
    } else toast(error.message || text('error.away'));
  }

  /** A map that is shown had a token that held until the server was started anew; one given since then is another matter. */
  #askForToken() {
    const { map } = this.score;
    const refused = map ? this.given : this.page.api.token !== '';
    this.page.card.show(map ? 'restarted' : 'unauthorised', refused ? text('card.refused') : '');
  }

  /** @param {string} token */
  admit(token) {
    this.given = true;
    storeToken(token);
    this.page.feed.admit(token);
    if (!this.score.map) this.start();
    else {
      // A server that was started anew has a new token; the map goes on from its cursor.
      this.page.card.show('none');
      this.sessions.load();
      this.page.feed.connect();
      visit(this);
    }
  }
}
