// The page: makes the parts, passes what one says to the others, and keeps the address bar true.

import { Address, copyPlace, openingPlace, pick, placeOf } from 'lb/address';
import { Api, storeToken, storedToken } from 'lb/api';
import { badgeOf } from 'lb/badge';
import { Card } from 'lb/card';
import { Changes } from 'lb/changes';
import { CompareView } from 'lb/compare_view';
import { Designs } from 'lb/design';
import { designPart } from 'lb/design_pane';
import { Dialogue } from 'lb/dialogue';
import { ReplyLine } from 'lb/dialogue_reply';
import { byId } from 'lb/dom';
import { Drawers } from 'lb/drawers';
import { Exporting } from 'lb/exporting';
import { EventList } from 'lb/eventlist';
import { Feed } from 'lb/feed';
import { DIRTY } from 'lb/fold';
import { FilterMenu } from 'lb/filters_menu';
import { Filters } from 'lb/filters';
import { Finder } from 'lb/finder';
import { count, setLocales, setZone } from 'lb/format';
import { lang, langOf, setLang, text } from 'lb/i18n';
import { showHelp } from 'lb/help';
import { Importing } from 'lb/importing';
import { Inspector } from 'lb/inspect';
import { listen } from 'lb/shortcuts';
import { legend } from 'lb/legend';
import { Moments } from 'lb/moments';
import { Notes } from 'lb/notes';
import { OpenSession } from 'lb/open_session';
import { findingsBy, seqsOfTurn } from 'lb/past';
import { Pills } from 'lb/pills';
import { Score } from 'lb/score';
import { titleOf } from 'lb/session_row';
import { Sessions } from 'lb/sessions';
import { Side } from 'lb/side';
import { carried } from 'lb/standalone';
import { isLive, standingOf } from 'lb/standing';
import { Banner } from 'lb/states';
import { Stats } from 'lb/stats';
import { chooseLang, chosenLang, chosenZone, setTheme, startTheme, theme } from 'lb/theme';
import { TurnTable } from 'lb/table';
import { Tip } from 'lb/tip';
import { toast } from 'lb/toast';
import { Toolbar } from 'lb/toolbar';
import { Transport } from 'lb/transport';
import { ZoneSwitch } from 'lb/zone_switch';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/link').Place} Place */
/** @typedef {import('lb/session_row').Summary} Summary */

export class Page {
  constructor() {
    const file = carried();
    const { token, place } = file ? file.opening() : openingPlace();
    if (token) storeToken(token);
    this.session = new OpenSession(this, place);
    setLang(place.lang ?? chosenLang() ?? langOf(navigator.languages));
    setLocales(navigator.languages);
    setZone(place.zone ?? chosenZone() ?? 'local');
    startTheme(place.theme, () => { this.score.themeChanged(); this.compared.themeChanged(); });

    this.api = file ?? new Api(token || storedToken());
    /** @type {Selection | null} */
    this.selection = null;
    /** @type {import('lb/types').Trail | null} */ this.trail = null;
    this.frame = 0;

    this.filters = new Filters();
    this.compared = new CompareView(this.api, { tell: toast, live: (summary) => isLive(summary, this.sessions.now()) });
    this.moments = new Moments({
      newest: () => this.feed?.map ?? null,
      key: () => this.session.key,
      score: () => this.score,
      api: this.api,
      onChange: () => { this.side.soon(); this.soon(); },
      onRefused: (error) => toast(error.message || text('error.away')),
    });
    this.drawers = new Drawers({ score: () => this.score, button: (name) => this.toolbar?.[name] ?? byId('map') });
    this.score = new Score(byId('map'), byId('scrub'), {
      text, lang,
      filters: this.filters,
      moments: this.moments,
      covered: () => this.drawers.covered,
      closed: () => this.api.standalone || this.session.deleted !== null,
      cut: () => this.feed.line === 'waiting',
      onSelect: (selection) => this.#selected(selection),
      onTrace: (trail) => { this.trail = trail; this.soon(); },
      onHover: (selection, box) => this.tip.show(selection, box),
      onWindow: () => { this.score?.hover(null); this.soon(); }, // what was under the pointer has moved away
      onPlayhead: () => this.#moved(),
      onFollow: (on) => { if (on) this.session.held = 0; this.soon(); },
      onLayers: (layers) => { this.filters.useLayers(layers); this.soon(); },
    });
    this.feed = new Feed(this.api, {
      onMap: (map, why) => { this.session.opened(map, why); this.compared.openAsked(this.session.key); },
      onDirty: (dirty) => this.session.grew(dirty),
      onLine: () => this.session.line(),
      onFailure: () => this.banner.render(),
      onCaughtUp: (n) => toast(text('toast.caught-up', { n: count(n) })),
      onSessions: (changed, removed) => { this.session.listed(changed, removed); this.compared.heard(changed, removed); },
      onMissing: () => this.session.gone(this.summary),
      onDamaged: (why) => (this.score.map ? toast(why) : this.card.show('damaged', why)),
    });
    this.tip = new Tip(() => this.score);
    this.banner = new Banner(this.feed, (seq) => this.#showEvent(seq));
    this.notes = new Notes(this.score);
    this.stats = new Stats();
    this.zone = new ZoneSwitch(() => this.relabel());
    this.importing = new Importing(this.api, { onDone: (keys) => this.sessions.load().then(() => this.session.open(keys[0] ?? '')), onToast: toast, other: (file) => this.#takesDesign(file) });
    this.sessions = new Sessions(byId('left-list'), this.api, {
      onOpen: (key) => this.session.open(key, true),
      onCompare: (key) => this.compared.open(this.session.key, key),
      onImport: () => this.importing.pick(),
      onToast: toast,
      onRefused: (error) => this.session.refused(error),
      onLearnt: () => this.soon(),
      onGone: (summary) => this.session.gone(summary),
      onRemove: () => this.session.leave(),
    });
    this.card = new Card({
      onDemo: () => this.session.open(this.sessions.demo()?.key ?? ''),
      onImport: () => this.importing.pick(),
      onToken: (given) => this.session.admit(given),
      demo: () => this.sessions.demo()?.key ?? null,
      onToast: toast,
    });
    this.finder = new Finder({
      map: () => this.score.map,
      from: () => this.score.window.from,
      onMatches: (found) => { this.score.matches(found); this.soon(); },
      onStop: (stop) => this.go(stop),
    });
    this.transport = new Transport({ score: this.score, moments: this.moments, newest: () => this.feed.map, live: () => this.live, onChange: () => this.soon(), tell: toast });
    this.inspector = new Inspector(this.api, {
      subject: () => ({ map: this.score.map, key: this.session.key, selection: this.selection, playhead: this.score.playhead, feed: this.feed, now: () => (this.standing.ended ? null : this.sessions.now()) }),
      go: (selection) => this.go(selection),
      copyLink: (selection) => copyPlace({ ...this.place(selection), window: { from: this.score.window.from, to: this.score.window.to } }),
    });
    this.dialogue = new Dialogue({
      heard: () => ({ map: this.score.map, key: this.session.key, selection: this.selection, playhead: this.score.playhead, live: this.live, playing: this.transport.playing, timed: this.feed.map?.about.timed !== false, bits: (turn) => this.score.scene.badTurn(turn) }),
      show: (turn) => this.showTurn(turn),
    }, new ReplyLine(this.api, {
      spoken: () => ({ map: this.feed.map ?? this.score.map, key: this.session.key, ended: this.standing.ended, open: this.feed.line === 'open', standalone: this.api.standalone, newer: this.session.newer }),
      openNewer: () => this.session.openNewer(),
      latest: () => { if (this.score.playhead !== null || this.session.held) this.transport.last(); },
    }));
    this.changes = new Changes({
      shown: () => ({ map: this.score.map, key: this.session.key, selection: this.selection, playhead: this.score.playhead }),
      go: (selection) => this.go(selection),
      copyLink: () => copyPlace(this.place(this.selection)),
      onPin: () => this.soon(),
    });
    this.events = new EventList(this.api, {
      listed: () => ({ map: this.score.map, newest: this.feed.map ?? this.score.map, key: this.session.key, playhead: this.score.playhead, live: this.live, playing: this.transport.playing, timed: this.feed.map?.about.timed !== false }),
      sieve: () => this.filters.sieve,
      show: (seq) => { this.transport.stop(); this.score.setPlayhead(seq); },
      tell: toast,
    });
    this.side = new Side(byId('right'), [this.inspector, this.dialogue, this.events, this.changes], { onTab: () => this.soon(), onClose: () => this.showPanel(false) });
    this.table = new TurnTable({
      shown: () => ({ map: this.score.map, selection: this.selection, playhead: this.score.playhead, window: this.score.window, layers: this.score.layers, anomalies: this.filters.anomalies, hidden: this.filters.hidden, title: this.summary ? titleOf(this.summary) : '' }),
      go: (selection) => this.go(selection),
      onToggle: () => this.soon(),
    });
    this.address = new Address({ place: () => this.place(this.selection), name: () => (this.summary ? titleOf(this.summary) : '') });
    this.pills = new Pills({ onLatest: () => this.transport.last(), onTraceOff: () => this.score.trace(false), onNewer: () => this.session.openNewer() });
    this.exporting = new Exporting(() => ({ api: this.api, score: this.score, summary: this.summary, place: { ...this.#exported, window: { from: this.score.window.from, to: this.score.window.to } } }));
    this.designs = new Designs(this.api, {
      map: () => this.feed.map ?? this.score.map,
      key: () => this.session.key,
      middle: () => (this.score.window.from + this.score.window.to) / 2,
      score: () => this.score,
      onShown: () => { this.#legend(); this.side.render(); this.soon(); },
      go: (selection) => this.go(selection),
      tell: toast,
    });
    this.inspector.page.designed = ({ turn }) => (this.designs.shown ? designPart(this.designs.shown, turn, (of, seq) => this.go({ kind: 'turn', id: `utterance:${of}`, turn: of, seq })) : null);
    this.toolbar = new Toolbar({
      onLayer: (layer) => this.score.toggleLayer(layer),
      onFinding: (step) => this.score.nextFinding(step),
      onBadge: () => this.pressBadge(),
      onLang: () => this.switchLang(),
      onTheme: () => this.switchTheme(),
      onHelp: () => showHelp(),
      onMenu: () => this.drawers.toggle('menu'),
      onPanel: () => this.drawers.toggle('panel'),
    }, this.finder.element, this.exporting.element);
    this.filterMenu = new FilterMenu(this.filters, this.toolbar.segment);
    /** @type {import('lb/ask').AskTab | null} */
    this.ask = null;
    if (document.documentElement.dataset.ask !== undefined) import('lb/ask').then(({ AskTab }) => this.#offerAsk(AskTab));
    this.filters.listen(() => { this.score.changed(DIRTY.FINDINGS); this.side.soon(); this.soon(); });
    this.relabel();
    listen(this);
    // As the event tells it: by the time it comes, the page may have written its own place into the address again.
    addEventListener('hashchange', (event) => this.session.followLink(new URL(event.newURL).hash));
    byId('main').addEventListener('pointerdown', () => this.showMenu(false));
    // The rate and the delay fall to rest when nothing comes in.
    setInterval(() => document.hidden || this.render(), 1000);
  }

  /** @returns {Summary | null} */
  get summary() {
    const { opened } = this.sessions;
    return opened?.key === this.session.key ? opened : this.session.deleted;
  }

  get standing() {
    return standingOf(this.summary, this.feed.map ?? this.score.map, this.sessions.now());
  }

  get live() {
    return this.standing.live;
  }

  /** @param {Selection | null} selection */
  #selected(selection) {
    const fresh = JSON.stringify(selection) !== JSON.stringify(this.selection);
    this.selection = selection;
    if (fresh) {
      this.side.render();
      if (selection) {
        this.showPanel(true);
        this.drawers.uncover(selection);
      }
    }
    this.soon();
  }

  #moved() {
    if (this.score.playhead !== this.session.held) this.session.held = 0;
    this.side.soon();
    this.soon();
  }

  /** The server answers questions: a tab, and "Why?" in the inspector. @param {typeof import('lb/ask').AskTab} AskTab */
  #offerAsk(AskTab) {
    const ask = this.ask = new AskTab(this.api, {
      asked: () => ({ map: this.score.map, key: this.session.key, playhead: this.score.playhead }),
      go: (selection) => this.go(selection),
      show: () => { this.side.show('ask'); this.showPanel(true); },
      onPlace: () => this.address.soon(),
    });
    this.side.add(ask);
    this.session.askOffered(ask);
    this.inspector.page.why = (selection) => ask.why(selection);
    this.side.render();
  }

  /** A diagram that is dropped on the map is a design. @param {File} file */
  #takesDesign(file) {
    if (this.api.standalone || !this.score.map || !Designs.takes(file)) return false;
    this.designs.take(file);
    return true;
  }

  #legend() {
    legend(byId('legend'), this.designs.shown !== null, this.api.standalone ? null : () => this.designs.pick());
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

  /** Goes to the moment after turn `turn`, and selects it. @param {number} turn */
  showTurn(turn) {
    const { map } = this.score;
    if (!map) return;
    this.transport.stop();
    this.score.setPlayhead(seqsOfTurn(map, turn)[1]);
    this.go({ kind: 'turn', id: `utterance:${turn}`, turn, seq: 0 });
  }

  /** Live: hold the picture, or let it go on. A recording: play or pause. */
  space() {
    if (!this.live || this.transport.playing) this.transport.toggle();
    else if (this.session.held || this.score.playhead !== null) this.transport.last();
    else this.hold();
  }

  hold() {
    const { score } = this;
    if (!score.map) return;
    score.follow(false);
    this.session.held = score.map.cursor.seq;
    this.soon();
  }

  pressBadge() {
    if (this.feed.line === 'waiting') this.feed.retryNow();
    else if (this.session.held || this.score.playhead !== null || !this.score.following) this.transport.last();
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
    this.drawers.show('panel', open);
  }

  /** Under 900 px the list of sessions is a menu. @param {boolean} open */
  showMenu(open) {
    this.drawers.show('menu', open);
  }

  relabel() {
    document.documentElement.lang = lang() === 'zh' ? 'zh-CN' : 'en';
    byId('map').setAttribute('aria-label', text('map.label'));
    byId('map-hint').textContent = text('map.hint');
    this.#legend();
    this.designs.relabel();
    this.api.present(byId('about-file'));
    this.sessions.relabel();
    this.toolbar.relabel();
    this.finder.relabel();
    this.filterMenu.relabel();
    this.exporting.relabel();
    this.transport.relabel();
    this.side.relabel();
    this.table.relabel();
    this.card.show(this.card.kind);
    this.banner.render();
    this.score.languageChanged();
    this.render();
  }

  /** The place for a file, which can't be asked. @returns {Place} */
  get #exported() {
    const { ask, tab, ...place } = this.place(this.selection);
    return tab && tab !== 'ask' ? { ...place, tab } : place;
  }

  /** What is asked, while its tab is shown. @returns {Pick<Place, 'ask'>} */
  get #askPlace() {
    const place = this.side.shown.name === 'ask' ? this.ask?.place : undefined;
    return place ? { ask: place } : {};
  }

  /** @param {Selection | null} selection @returns {Place} */
  place(selection) {
    return this.session.key && this.score.map ? { ...placeOf(this.score, this.session.key, selection), query: this.finder.query, filters: this.filters.write(), tab: this.side.shown.name, ...this.#askPlace, ...this.changes.place, ...this.table.place } : { ...this.session.asked, ...(this.side.shown.name === 'ask' ? { tab: 'ask', ...this.#askPlace } : {}) };
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
    const newest = feed.map ?? map;
    this.toolbar.render({
      summary: this.summary,
      layers: { ...score.layers },
      findings: map ? findingsBy(map, score.playhead ?? Infinity) : 0,
      ...badgeOf({ feed, score, card: this.card.kind, standing: this.standing, held: this.session.held !== 0, started: this.summary?.started_at ?? 0, gone: this.session.deleted !== null }),
      stats: newest ? text('stats.line', { received: count(feed.received), shown: count(newest.cursor.seq - feed.failures.length - newest.unplaced.length), missing: count(newest.losses.reduce((sum, loss) => sum + loss.missing, 0)) }) : '',
    });
    this.moments.follow();
    this.designs.follow();
    this.finder.follow();
    this.filterMenu.render(map);
    this.transport.render();
    this.table.soon();
    if (this.pills.render(map ? score.liveTurns() : 0, score.playhead !== null, this.trail, this.session.newer)) this.side.soon();
    this.notes.render(map);
    this.zone.render(feed.map ?? map);
    this.stats.render(feed.map ?? map, feed);
    this.compared.line(feed.line === 'waiting');
    this.address.soon();
  }
}

const page = new Page();
page.session.start();
