// The page: makes the parts, passes what one says to the others, and keeps the address bar true.

import { Address, copyPlace, openingPlace, pick, placeOf, showPlace, visit } from 'lb/address';
import { Api, Refused, storeToken, storedToken } from 'lb/api';
import { badgeOf } from 'lb/badge';
import { Card } from 'lb/card';
import { byId, plain } from 'lb/dom';
import { Feed } from 'lb/feed';
import { Finder } from 'lb/finder';
import { DIRTY } from 'lb/fold';
import { count } from 'lb/format';
import { lang, langOf, setLang, text } from 'lb/i18n';
import { showHelp } from 'lb/help';
import { Importing } from 'lb/importing';
import { Inspector } from 'lb/inspect';
import { listen } from 'lb/shortcuts';
import { legend } from 'lb/legend';
import { Notes } from 'lb/notes';
import { findingsBy } from 'lb/past';
import { Pills } from 'lb/pills';
import { Score } from 'lb/score';
import { titleOf } from 'lb/session_row';
import { Sessions } from 'lb/sessions';
import { isLive, standingOf } from 'lb/standing';
import { Banner, Voice, toast } from 'lb/states';
import { chooseLang, chosenLang, setTheme, startTheme, theme } from 'lb/theme';
import { Tip } from 'lb/tip';
import { Toolbar } from 'lb/toolbar';
import { Transport } from 'lb/transport';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/link').Place} Place */
/** @typedef {import('lb/session_row').Summary} Summary */

class Page {
  constructor() {
    const { token, place } = openingPlace();
    if (token) storeToken(token);
    /** @type {Place | null} what the address asks for, until it has been shown */
    this.asked = place;
    setLang(place.lang ?? chosenLang() ?? langOf(navigator.languages));
    startTheme(place.theme, () => this.score.themeChanged());

    this.api = new Api(token || storedToken());
    this.key = '';
    /** @type {Selection | null} */
    this.selection = null;
    /** @type {import('lb/types').Trail | null} */
    this.trail = null;
    this.held = 0; // the event at which the picture was paused at the live edge; 0 when it was not
    this.seen = { turns: 0, findings: 0 };
    this.frame = 0;

    this.score = new Score(byId('map'), byId('scrub'), {
      text, lang,
      covered: () => (matchMedia('(max-width: 1199px)').matches ? byId('right').offsetWidth : 0),
      onSelect: (selection) => this.#selected(selection),
      onTrace: (trail) => { this.trail = trail; this.soon(); },
      onHover: (selection, box) => this.tip.show(selection, box),
      onWindow: () => this.soon(),
      onPlayhead: () => this.#moved(),
      onFollow: (on) => { if (on) this.held = 0; this.soon(); },
      onLayers: () => this.soon(),
    });
    this.feed = new Feed(this.api, {
      onMap: (map, why) => this.#opened(map, why),
      onDirty: (dirty) => this.#grew(dirty),
      onLine: () => this.#line(),
      onFailure: () => this.banner.render(),
      onCaughtUp: (n) => toast(text('toast.caught-up', { n: count(n) })),
      onSessions: (changed, removed) => this.#sessions(changed, removed),
      onMissing: () => this.card.show('missing'),
    });
    this.tip = new Tip(() => this.score);
    this.banner = new Banner(this.feed, (seq) => this.#showEvent(seq));
    this.voice = new Voice();
    this.notes = new Notes(this.score);
    this.importing = new Importing(this.api, { onDone: (keys) => this.sessions.load().then(() => this.open(keys[0] ?? '')), onToast: toast });
    this.sessions = new Sessions(byId('left-list'), this.api, {
      onOpen: (key) => this.open(key),
      onImport: () => this.importing.pick(),
      onToast: toast,
      onRefused: (error) => this.#refused(error),
      onGone: (key) => key === this.key && this.#leave(),
    });
    this.card = new Card({
      onDemo: () => this.open(this.sessions.demo()?.key ?? ''),
      onImport: () => this.importing.pick(),
      onToken: (given) => this.#admit(given),
      demo: () => this.sessions.demo()?.key ?? null,
      onToast: toast,
    });
    this.finder = new Finder({
      nodes: () => this.score.map?.nodes.values() ?? [],
      onMatches: (matches) => this.score.matches(matches),
      onStop: (stop) => this.go(stop),
    });
    this.transport = new Transport({ score: this.score, live: () => this.live, onChange: () => this.soon() });
    this.inspector = new Inspector(byId('right'), this.api, {
      subject: () => ({ map: this.score.map, key: this.key, selection: this.selection, playhead: this.score.playhead, feed: this.feed }),
      go: (selection) => this.go(selection),
      copyLink: (selection) => copyPlace({ ...this.place(selection), window: { from: this.score.window.from, to: this.score.window.to } }),
      onClose: () => this.showPanel(false),
    });
    this.address = new Address({ place: () => this.place(this.selection), name: () => (this.summary ? titleOf(this.summary) : '') });
    this.pills = new Pills({ onLatest: () => this.transport.last(), onTraceOff: () => this.score.trace(false) });
    this.toolbar = new Toolbar({
      onLayer: (layer) => this.score.toggleLayer(layer),
      onFinding: (step) => this.score.nextFinding(step),
      onBadge: () => this.pressBadge(),
      onLang: () => this.switchLang(),
      onTheme: () => this.switchTheme(),
      onHelp: () => showHelp(),
      onMenu: () => this.showMenu(!document.body.classList.contains('menu-open')),
      onPanel: () => this.showPanel(!document.body.classList.contains('panel-open')),
    }, this.finder.element);
    this.relabel();
    listen(this);
    // As the event tells it: by the time it comes, the page may have written its own place into the address again.
    addEventListener('hashchange', (event) => this.#followLink(new URL(event.newURL).hash));
    byId('main').addEventListener('pointerdown', () => this.showMenu(false));
    // The rate and the delay fall to rest when nothing comes in.
    setInterval(() => document.hidden || this.render(), 1000);
  }

  /** @returns {Summary | null} */
  get summary() {
    return this.sessions.known.get(this.key) ?? null;
  }

  get standing() {
    return standingOf(this.summary, this.score.map, this.sessions.now());
  }

  get live() {
    return this.standing.live;
  }

  async start() {
    this.card.show('loading');
    await this.sessions.load();
    if (!this.sessions.loaded) return;
    const wanted = this.sessions.first()?.key ?? '';
    if (this.asked?.session) await visit(this);
    else if (wanted) await this.open(wanted);
    else {
      this.card.show('waiting');
      await this.feed.watch('');
    }
  }

  /** @param {string} key */
  async open(key) {
    if (key === this.key && this.score.map) return;
    this.transport.stop();
    this.key = key;
    this.selection = null;
    this.held = 0;
    this.score.setMap(null);
    this.sessions.select(key);
    this.showMenu(false);
    this.card.show('loading');
    this.inspector.render();
    await this.feed.watch(key);
  }

  #leave() {
    this.key = '';
    this.score.setMap(null);
    const next = this.sessions.first();
    if (next) this.open(next.key);
    else {
      this.feed.watch('');
      this.card.show('waiting');
      this.inspector.render();
    }
  }

  /** @param {import('lb/fold').DialogueMap} map @param {'opened' | 'behind' | 'epoch'} why */
  #opened(map, why) {
    const kept = why === 'opened' ? null : { window: { ...this.score.window }, following: this.score.following, playhead: this.score.playhead };
    this.score.setMap(map);
    this.seen = { turns: map.lastTurn, findings: map.findings.size };
    if (kept) {
      if (!kept.following) this.score.setWindow(kept.window.from, kept.window.to);
      if (kept.playhead !== null && why === 'behind') this.score.setPlayhead(kept.playhead);
      if (why === 'epoch') toast(text('toast.epoch'));
    } else if (this.asked && (this.asked.session ?? this.key) === this.key) {
      const place = this.asked; // one that leads to another session is still on its way there
      this.asked = null;
      showPlace(this.score, place);
    }
    this.#cardForMap();
    this.inspector.render();
    this.banner.render();
    this.render();
  }

  /** @param {string} hash */
  #followLink(hash) {
    const { token, place } = openingPlace(hash);
    if (place.theme && place.theme !== theme()) this.switchTheme();
    if (place.lang && place.lang !== lang()) this.switchLang();
    this.asked = place;
    if (token && (token !== this.api.token || this.feed.line === 'unauthorised')) this.#admit(token);
    else visit(this);
  }

  /** There is nothing at the address: what is open stays, and no other session opens in its stead. @param {string} name */
  async nowhere(name) {
    toast(text('toast.no-session', { key: plain(name, 64) }));
    this.address.soon();
    if (this.score.map) return;
    this.key = name;
    this.card.show('missing');
    await this.feed.watch('');
  }

  #cardForMap() {
    const map = this.score.map;
    this.card.show(map && (map.lastTurn > 0 || map.nodes.size > 0) ? 'none' : !this.standing.ended || !map?.cursor.seq ? 'waiting' : 'silent');
  }

  /** @param {number} dirty */
  #grew(dirty) {
    const map = this.score.map;
    if (!map) return;
    // A picture held at the newest event has a moment of its own only once something comes after it.
    if (this.held && this.score.playhead === null) this.score.setPlayhead(this.held);
    this.score.changed(dirty);
    if (this.card.kind !== 'none') this.#cardForMap();
    if (map.lastTurn > this.seen.turns || map.findings.size > this.seen.findings) {
      this.voice.news(map.lastTurn - this.seen.turns, [...map.findings.values()].slice(this.seen.findings).map((finding) => finding.kind));
      this.seen = { turns: map.lastTurn, findings: map.findings.size };
    }
    if (dirty & DIRTY.SESSION) this.banner.render();
    this.inspector.soon();
    this.soon();
  }

  /** @param {Summary[]} changed @param {string[]} removed */
  #sessions(changed, removed) {
    this.sessions.update(changed, removed);
    const first = changed.find((summary) => isLive(summary, this.sessions.now()));
    if (!this.key && first) this.open(first.key);
    else this.soon();
  }

  #line() {
    if (this.feed.line === 'unauthorised') this.card.show(this.score.map ? 'restarted' : 'unauthorised');
    if (this.feed.line === 'open' && !this.sessions.loaded) this.sessions.load();
    this.banner.render();
    this.soon();
  }

  /** @param {Refused} error */
  #refused(error) {
    if (error.status === 401 || error.status === 403) {
      this.card.show(this.score.map ? 'restarted' : 'unauthorised');
      this.inspector.render();
      this.render();
    } else if (!this.sessions.loaded) {
      this.card.show('none');
      this.feed.away(() => this.start());
    } else toast(error.message || text('error.away'));
  }

  /** @param {string} token */
  #admit(token) {
    storeToken(token);
    this.feed.admit(token);
    if (!this.score.map) this.start();
    else {
      // A server that was started anew has a new token; the map goes on from its cursor.
      this.card.show('none');
      this.sessions.load();
      this.feed.connect();
      visit(this);
    }
  }

  /** @param {Selection | null} selection */
  #selected(selection) {
    const fresh = JSON.stringify(selection) !== JSON.stringify(this.selection);
    this.selection = selection;
    if (fresh) {
      this.inspector.render();
      if (selection) this.showPanel(true);
    }
    this.soon();
  }

  #moved() {
    if (this.score.playhead !== this.held) this.held = 0;
    this.inspector.soon();
    this.soon();
  }

  /** @param {number} seq */
  #showEvent(seq) {
    const { map } = this.score;
    const turn = Math.max(0, map?.turnOf(seq) ?? 0);
    this.go({ kind: 'turn', id: `utterance:${turn}`, turn, seq });
  }

  /** @param {Selection} selection */
  go(selection) {
    pick(this.score, selection, true);
  }

  /** Live: hold the picture, or let it go on. A recording: play or pause. */
  space() {
    if (!this.live || this.transport.playing) this.transport.toggle();
    else if (this.held || this.score.playhead !== null) this.transport.last();
    else this.hold();
  }

  hold() {
    const { score } = this;
    if (!score.map) return;
    score.follow(false);
    this.held = score.map.cursor.seq;
    this.soon();
  }

  pressBadge() {
    if (this.feed.line === 'waiting') this.feed.retryNow();
    else if (this.held || this.score.playhead !== null || !this.score.following) this.transport.last();
    else if (this.live) this.hold();
  }

  switchLang() {
    setLang(lang() === 'zh' ? 'en' : 'zh');
    chooseLang(lang());
    this.relabel();
  }

  switchTheme() {
    setTheme(theme() === 'dark' ? 'light' : 'dark', true);
    this.score.themeChanged();
    this.soon();
  }

  /** Under 1200 px the inspector is a drawer. @param {boolean} open */
  showPanel(open) {
    document.body.classList.toggle('panel-open', open);
  }

  /** Under 900 px the list of sessions is a menu. @param {boolean} open */
  showMenu(open) {
    document.body.classList.toggle('menu-open', open);
  }

  relabel() {
    document.documentElement.lang = lang() === 'zh' ? 'zh-CN' : 'en';
    byId('map').setAttribute('aria-label', text('map.label'));
    byId('map-hint').textContent = text('map.hint');
    legend(byId('legend'));
    this.sessions.relabel();
    this.toolbar.relabel();
    this.finder.relabel();
    this.transport.relabel();
    this.inspector.relabel();
    this.card.show(this.card.kind);
    this.banner.render();
    this.score.languageChanged();
    this.render();
  }

  /** @param {Selection | null} selection @returns {Place} */
  place(selection) {
    return this.key && this.score.map ? placeOf(this.score, this.key, selection) : (this.asked ?? {});
  }

  /** Redraws what stands around the map, once a frame. */
  soon() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.render());
  }

  render() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { score, feed } = this;
    const map = score.map;
    this.toolbar.render({
      summary: this.summary,
      layers: { ...score.layers },
      findings: map ? findingsBy(map, score.playhead ?? Infinity) : 0,
      ...badgeOf({ feed, score, card: this.card.kind, standing: this.standing, held: this.held !== 0, started: this.summary?.started_at ?? 0 }),
      stats: map ? text('stats.line', { received: count(feed.received), shown: count(map.cursor.seq - feed.failures.length - map.unplaced.length), missing: count(map.losses.reduce((sum, loss) => sum + loss.missing, 0)) }) : '',
    });
    this.transport.render();
    this.pills.render(map ? score.liveTurns() : 0, score.playhead !== null, this.trail);
    this.notes.render(map);
    this.address.soon();
  }
}

const page = new Page();
page.start();
