// The score view: canvases, window, playhead, selection and trail of one dialogue. Painting is asked for, never done at
// once: one animation frame draws whatever asked, and data asks at most every 50 ms.
import { bestScroll, nearestRow, newestNodes } from 'lb/cover';
import { DIRTY, DialogueMap } from 'lb/fold';
import { listen } from 'lb/gestures';
import { hitTest } from 'lb/hit';
import { FINDING_KINDS, LAYERS } from 'lb/kinds';
import { press } from 'lb/keys';
import { chooseStaves, GUTTER, Layout, scrollable } from 'lb/layout';
import { Lettering } from 'lb/lettering';
import { Painter } from 'lb/paint';
import { hiddenMarks } from 'lb/paint_gutter';
import { paintOverlay } from 'lb/paint_overlay';
import { markOf, marksOf, turnsOf } from 'lb/picking';
import { reach } from 'lb/reach';
import { Scene } from 'lb/scene';
import { ScrubLayout, ScrubPainter } from 'lb/scrub';
import { listenTimeline } from 'lb/timeline';
import { readTokens } from 'lb/tokens';
import * as windows from 'lb/window';
import { describe } from 'lb/words';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/types').Window} Window */
/** @typedef {import('lb/types').Layer} Layer */
/** @typedef {import('lb/types').Layers} Layers */
/** @typedef {import('lb/types').ScoreOptions} ScoreOptions */
/** @typedef {import('lb/types').Trail} Trail */

const MAP = 1;
const OVER = 2;
const SCRUB = 4;
/** Nothing but the window moved. */
const PAN = 8;
/** Data is painted at most so often, in ms; gestures as often as the display shows. */
const DATA_PAUSE = 50;
const SLIDE = 120;
/** When the window has been at rest so long, in ms, staves that show little of it scroll to more. */
const REST = 160;
/** A panel over the map is reckoned to leave at least this share of it clear. */
const LEAST_CLEAR = 0.3;

export class Score {
  /** @type {DialogueMap | null} */ map = null;
  /** @type {Selection | null} */ selection = null;
  /** @type {Window} */ window = { from: 1, to: 1 + windows.OPENING };
  /** Last event shown; null for the newest. @type {number | null} */ playhead = null;
  following = false;
  /** @type {Layers} */ layers = { flow: true, state: true, knowledge: true };
  tracing = false;
  /** @type {Selection | null} */ hovered = null;

  #asked = 0;
  #frame = 0;
  #timer = 0;
  #painted = -Infinity;
  /** @type {{from: Window, to: Window, start: number} | null} */ #slide = null;
  /** @type {(() => void)[]} */ #undo = [];
  /** @type {[number, number, number]} */ #hops = [0, 0, 0];
  /** Rows that were scrolled into view on purpose, the first and the last of each stave. @type {Map<Layer, [number, number]>} */ #kept = new Map();
  #restTimer = 0;
  #rested = false;

  /** @param {HTMLElement} host @param {HTMLElement} scrubHost @param {ScoreOptions} options */
  constructor(host, scrubHost, options) {
    this.host = host;
    this.scrubHost = scrubHost;
    this.options = options;
    this.mapCanvas = canvas(host, 'score-map');
    this.gutterCanvas = canvas(host, 'score-gutter');
    this.overCanvas = canvas(host, 'score-over');
    this.scrubCanvas = canvas(scrubHost, 'score-scrub');
    this.mirror = document.createElement('div');
    this.mirror.id = 'score-focus';
    this.mirror.className = 'sr';
    host.append(this.mirror);
    this.layout = new Layout();
    this.timeline = new ScrubLayout();
    this.painter = new Painter();
    this.timelinePainter = new ScrubPainter();
    this.lettering = new Lettering(context(document.createElement('canvas')));
    this.tokens = readTokens(document.documentElement);
    this.scene = this.#newScene(DialogueMap.empty(''));
    this.#undo.push(listen(this), listenTimeline(this));
    const watcher = new ResizeObserver(() => this.resize());
    watcher.observe(host);
    watcher.observe(scrubHost);
    this.#undo.push(() => watcher.disconnect());
    this.resize();
  }

  /** @param {DialogueMap} map */
  #newScene(map) {
    return new Scene(map, this.layout, this.lettering, this.tokens, this.options.text);
  }

  /** Everything there is, in turns. @returns {windows.Axis} */
  get axis() {
    const map = this.scene.map;
    const first = map.firstTurn;
    return { first, end: Math.max(map.lastTurn + 1, first + 1), least: this.#grows(map) ? windows.OPENING : windows.SPARSE };
  }

  // --- the map ---

  /** Shows another map. The same session's again (after a reconnection) keeps window, selection and scroll. @param {DialogueMap | null} map */
  setMap(map) {
    const same = map !== null && this.map !== null && map.session === this.map.session;
    this.map = map;
    const before = this.scene;
    this.scene = this.#newScene(map ?? DialogueMap.empty(''));
    this.scene.matches = same ? before.matches : null;
    this.#slide = null;
    if (!same) {
      this.selection = null;
      this.playhead = null;
      this.hovered = null;
      this.tracing = false;
      this.#chooseStaves();
      this.#follow(map !== null && this.#grows(map));
      this.#show(windows.atEnd(windows.OPENING, this.axis));
      this.#scrollToNewest();
      this.#rest();
      this.options.onSelect?.(null);
    } else {
      this.#show(this.following ? windows.atEnd(this.#span, this.axis) : windows.place(this.window.from, this.#span, this.axis));
    }
    this.scene.selection = this.selection;
    this.scene.seq = this.playhead ?? Infinity;
    this.scene.refresh();
    this.#retrace();
    this.#ask(MAP | OVER | SCRUB);
  }

  /** Deltas were folded into the map. @param {number} dirty what they touched: DIRTY bits */
  changed(dirty) {
    if (!dirty && this.playhead !== null) return;
    if (dirty & DIRTY.FINDINGS) this.scene.refresh();
    if (dirty & DIRTY.LANES && this.tracing) this.#retrace();
    if (this.following) {
      this.#slideTo(windows.atEnd(this.#span, this.axis));
      this.#scrollToNewest();
    }
    const wait = this.#painted + DATA_PAUSE - performance.now();
    if (wait <= 0) this.#ask(MAP | OVER | SCRUB);
    else if (!this.#timer) {
      this.#timer = window.setTimeout(() => {
        this.#timer = 0;
        this.#ask(MAP | OVER | SCRUB);
      }, wait);
    }
  }

  /** Whether more is to come: what was imported may lack an end, but grows no more. @param {DialogueMap} map */
  #grows({ about }) {
    return !about.ended_at && (about.origin ?? 'probe') === 'probe';
  }

  // --- window ---

  get #span() {
    return this.window.to - this.window.from;
  }

  /** @param {Window} win */
  #show(win) {
    if (win.from === this.window.from && win.to === this.window.to) return;
    this.window = win;
    this.options.onWindow?.(win);
    clearTimeout(this.#restTimer);
    this.#restTimer = window.setTimeout(() => this.#rest(), REST);
    this.#ask(PAN);
  }

  #rest() {
    this.#rested = true;
    this.#ask(MAP | OVER);
  }

  /** The reader moved the window: what leaves the end stops following. @param {Window} win */
  #steer(win) {
    this.#slide = null;
    if (!this.selection || this.selection.turn < win.from || this.selection.turn >= win.to) this.#kept.clear();
    if (this.following && !windows.touchesEnd(win, this.axis)) this.#follow(false);
    this.#show(win);
  }

  /** @param {Window} win */
  #slideTo(win) {
    if (win.from === this.window.from && win.to === this.window.to) return;
    const still = this.options.reducedMotion ? this.options.reducedMotion() : matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (still || document.hidden) {
      this.#show(win);
      return;
    }
    this.#slide = { from: this.window, to: win, start: performance.now() };
    this.#ask(PAN);
  }

  /** @param {number} from @param {number} to */
  setWindow(from, to) {
    this.#steer(windows.place(from, to - from, this.axis));
  }

  /** Shows `turns` turns around the same middle, or at the end while following. @param {number} turns */
  openWindow(turns) {
    const middle = (this.window.from + this.window.to) / 2;
    this.#steer(this.following ? windows.atEnd(turns, this.axis) : windows.place(middle - turns / 2, turns, this.axis));
  }

  /** All turns, and rows as high as fits them. */
  fit() {
    this.#chooseStaves();
    this.#steer(windows.place(this.axis.first, windows.longest(this.axis), this.axis));
    this.#ask(MAP | OVER);
  }

  /** @param {number} factor above 1 shows more @param {number} [about] the turn that keeps its place */
  zoom(factor, about = (this.window.from + this.window.to) / 2) {
    this.#steer(windows.zoomed(this.window, factor, about, this.axis));
  }

  /** @param {number} turns */
  pan(turns) {
    this.#steer(windows.panned(this.window, turns, this.axis));
  }

  /** How many turns lie to the right of the window. */
  liveTurns() {
    return Math.max(0, Math.floor(this.axis.end - this.window.to + 0.01));
  }

  /** Keeps the newest turn in view. @param {boolean} on */
  follow(on) {
    this.#follow(on);
    if (on) {
      this.setPlayhead(null);
      this.#scrollToNewest();
      this.#slideTo(windows.atEnd(this.#span, this.axis));
    }
  }

  /** @param {boolean} on */
  #follow(on) {
    if (on === this.following) return;
    this.following = on;
    this.options.onFollow?.(on);
  }

  // --- the moment shown ---

  /** Shows the map as it stood after event `seq` (null: as it is). Nothing moves; what came later fades. @param {number | null} seq */
  setPlayhead(seq) {
    const map = this.scene.map;
    const last = map.cursor.seq;
    const wanted = seq === null || seq >= last ? null : Math.max(map.firstMoment, Math.round(seq));
    if (wanted === this.playhead) return;
    this.playhead = wanted;
    this.scene.seq = wanted ?? Infinity;
    this.scene.refresh();
    this.#retrace();
    if (wanted !== null) {
      this.#follow(false);
      const turn = Math.floor(this.scene.turnOfSeq(wanted));
      this.#kept.clear();
      for (const mark of map.marks.ofSeq(wanted)) this.#scrollTo(map.marks.node.data[mark]);
      if (turn + 1 <= this.window.from || turn >= this.window.to) this.#show(windows.showing(this.window, turn, turn, this.axis));
      this.#rest();
    }
    this.options.onPlayhead?.(wanted);
    this.#ask(MAP | OVER | SCRUB);
  }

  /** @param {number} events */
  step(events) {
    this.setPlayhead((this.playhead ?? this.scene.map.cursor.seq) + events);
  }

  // --- selection and trail ---

  /** @param {Selection | null} sel @param {{trace?: boolean, reveal?: boolean}} [how] */
  select(sel, how = {}) {
    this.selection = sel;
    this.scene.selection = sel;
    if (sel && how.reveal) this.reveal(sel);
    this.options.onSelect?.(sel);
    this.trace(how.trace ?? (sel !== null && this.tracing));
    const words = this.focusText();
    this.mirror.textContent = words;
    if (words) this.host.setAttribute('aria-activedescendant', this.mirror.id);
    else this.host.removeAttribute('aria-activedescendant');
    this.#ask(MAP | OVER);
  }

  /** Slides the window and scrolls the staves so that all of a selection is in view. @param {Selection} sel */
  reveal(sel) {
    const map = this.scene.map;
    const span = turnsOf(map, sel);
    this.#kept.clear();
    if (span) {
      const clear = 1 - (this.options.covered?.() ?? 0) / (this.layout.width - GUTTER);
      const win = windows.showing(this.window, span[0], span[1], this.axis, Math.max(LEAST_CLEAR, clear));
      if (this.following && !windows.touchesEnd(win, this.axis)) this.#follow(false);
      this.#slideTo(win);
    }
    const nodes = sel.kind === 'node' ? [map.place(sel.id) ?? -1] : marksOf(map, sel).map((mark) => map.marks.node.data[mark]);
    for (const node of new Set(nodes)) {
      this.#scrollTo(node);
    }
    this.#rest();
  }

  /** Scrolls a stave just so far that a node's row is shown. @param {number} node */
  #scrollTo(node) {
    const { rows, list } = this.scene.map;
    const row = rows.number[node] ?? -1;
    const stave = row < 0 ? null : this.layout.stave(list[node].layer);
    if (!stave) return;
    const kept = this.#kept.get(stave.layer);
    this.#kept.set(stave.layer, kept ? [Math.min(kept[0], row), Math.max(kept[1], row)] : [row, row]);
    if (row < stave.scroll) stave.scroll = row;
    else if (row >= stave.scroll + stave.room) stave.scroll = row - stave.room + 1;
  }

  /** Shows each stave's newest row, where a stave has more rows than room. */
  #scrollToNewest() {
    this.#kept.clear();
    for (const node of newestNodes(this.scene.map)) this.#scrollTo(node);
  }

  /** A stave none of whose shown rows has a mark in the window, though others have, scrolls to the nearest that has. @returns {boolean} whether one did */
  #uncover() {
    let moved = false;
    for (const stave of this.layout.staves.staves) {
      const [above, below, shown] = hiddenMarks(this.scene, stave);
      if (shown || !(above || below)) continue;
      stave.scroll = Math.max(0, Math.min(scrollable(stave, this.scene.map.rows.of[stave.layer].length), nearestRow(this.scene, stave, (this.window.from + this.window.to) / 2)));
      moved = true;
    }
    return moved;
  }

  /** The window has come to rest: staves that show little of it scroll to where they show most. @returns {boolean} whether one did */
  #settle() {
    if (!this.#rested || this.#slide) return false;
    this.#rested = false;
    let moved = false;
    for (const stave of this.layout.staves.staves) {
      const to = bestScroll(this.scene, stave, this.#kept.get(stave.layer));
      if (to === stave.scroll) continue;
      stave.scroll = to;
      moved = true;
    }
    return moved;
  }

  /** Scrolls to the nearest row above (-1) or below (+1) that has a mark in the window. @param {Layer} layer @param {1 | -1} step */
  scrollToHidden(layer, step) {
    const { marks, lanes, rows, list } = this.scene.map;
    const stave = this.layout.stave(layer);
    if (!stave) return;
    let best = -1;
    for (let turn = this.scene.firstTurn; turn <= this.scene.lastTurn; turn++) {
      for (const mark of lanes.of.get(turn)?.marks ?? []) {
        const node = marks.node.data[mark];
        const row = list[node].layer === layer ? rows.number[node] : -1;
        if (step < 0 ? row >= 0 && row < stave.scroll && row > best : row >= stave.scroll + stave.room && (best < 0 || row < best)) best = row;
      }
    }
    if (best >= 0) this.scroll(layer, step < 0 ? best - stave.scroll : best - stave.scroll - stave.room + 1);
  }

  /** Lights what is up to three links away from the selection, or puts the light out. @param {boolean} on @returns {Trail} */
  trace(on) {
    this.tracing = on && this.selection !== null;
    this.#retrace();
    this.options.onTrace?.(this.tracing ? { hops: this.#hops } : null);
    this.#ask(MAP | OVER);
    return { hops: this.#hops };
  }

  #retrace() {
    this.#hops = [0, 0, 0];
    this.scene.trail = null;
    if (!this.tracing) return;
    const starts = marksOf(this.scene.map, this.selection);
    const { trail, hops } = reach(this.scene.map.marks, starts, this.scene.seq);
    this.#hops = hops;
    this.scene.trail = trail;
  }

  /** One step out: first the trail goes, then the selection. @returns {boolean} whether there was anything to leave */
  back() {
    if (this.tracing) this.trace(false);
    else if (this.selection) this.select(null);
    else return false;
    return true;
  }

  /** Selects the next or previous finding, from the selected one or the middle of the window. @param {1 | -1} step @returns {Selection | null} */
  nextFinding(step) {
    const found = [...this.scene.map.findings.values()].filter((finding) => this.scene.shows(finding));
    if (!found.length) return null;
    found.sort((a, b) => a.turn - b.turn || a.seq - b.seq || FINDING_KINDS.indexOf(a.kind) - FINDING_KINDS.indexOf(b.kind));
    const now = this.selection?.kind === 'finding' ? found.findIndex(({ id }) => id === this.selection?.id) : -1;
    const middle = (this.window.from + this.window.to) / 2;
    let next = now + step;
    if (now < 0) {
      next = found.findIndex(({ turn }) => turn >= middle);
      if (step < 0) next = (next < 0 ? found.length : next) - 1;
      else if (next < 0) next = 0;
    }
    const finding = found[(next + found.length) % found.length];
    /** @type {Selection} */
    const sel = { kind: 'finding', id: finding.id, turn: finding.turn, seq: finding.seq };
    this.select(sel, { trace: false, reveal: true });
    return sel;
  }

  /** Hits of a search, lit in rows, lanes and timeline. @param {{nodes: Set<string>, turns: Set<number>} | null} found */
  matches(found) {
    this.scene.matches = found;
    this.#ask(MAP | SCRUB);
  }

  /** Words for the picked mark. */
  focusText() {
    return this.selection ? describe(this.scene, this.selection, this.options.lang()) : '';
  }

  /** Where a selection stands, in CSS pixels of the host. @param {Selection} sel */
  boxOf(sel) {
    const mark = markOf(this.scene.map, sel);
    if (mark >= 0) return this.scene.box(mark);
    const tag = this.scene.tags.find(({ id }) => id === sel.id);
    return tag ? { x: tag.x, y: tag.y, w: tag.w, h: tag.h } : null;
  }

  // --- layers, keys, pointer ---

  /** At least one layer stays on. @param {Layers} layers */
  setLayers(layers) {
    if (!LAYERS.some((layer) => layers[layer])) return;
    this.layers = { ...layers };
    this.#chooseStaves();
    this.#rest();
  }

  /** @param {Layer} layer */
  toggleLayer(layer) {
    this.setLayers({ ...this.layers, [layer]: !this.layers[layer] });
    this.options.onLayers?.(this.layers);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it was one of the map's keys */
  key(event) {
    return press(this, event);
  }

  /** What lies at a point of the host. @param {number} x @param {number} y */
  at(x, y) {
    return hitTest(this.scene, x, y);
  }

  /** @param {ReturnType<typeof hitTest>} hit */
  hover(hit) {
    const sel = hit?.sel ?? null;
    if (sel?.id === this.hovered?.id && sel?.seq === this.hovered?.seq) return;
    this.hovered = sel;
    this.options.onHover?.(sel, hit?.box ?? null);
    this.#ask(OVER);
  }

  /** Scrolls a stave by whole rows. @param {Layer} layer @param {number} rows */
  scroll(layer, rows) {
    const stave = this.layout.stave(layer);
    if (!stave) return;
    const to = Math.max(0, Math.min(scrollable(stave, this.scene.map.rows.of[layer].length), stave.scroll + rows));
    if (to === stave.scroll) return;
    stave.scroll = to;
    this.#ask(MAP | OVER);
  }

  // --- painting ---

  themeChanged() {
    this.tokens = readTokens(document.documentElement);
    this.scene.tokens = this.tokens;
    this.#ask(MAP | OVER | SCRUB);
  }

  /** The words of the interface changed. */
  languageChanged() {
    this.scene.words.clear();
    this.mirror.textContent = this.focusText();
    this.#ask(MAP | SCRUB);
  }

  resize() {
    const map = this.host.getBoundingClientRect();
    const scrub = this.scrubHost.getBoundingClientRect();
    fitCanvas(this.mapCanvas, map.width, map.height);
    fitCanvas(this.gutterCanvas, GUTTER, map.height);
    fitCanvas(this.overCanvas, map.width, map.height);
    fitCanvas(this.scrubCanvas, scrub.width, scrub.height);
    const taller = map.height !== this.layout.height;
    this.layout.width = Math.max(GUTTER + 60, map.width);
    this.layout.height = map.height;
    this.timeline.width = scrub.width;
    this.timeline.height = scrub.height;
    if (taller) this.#chooseStaves();
    this.#ask(MAP | OVER | SCRUB);
  }

  #chooseStaves() {
    const { of } = this.scene.map.rows;
    const scrolls = Object.fromEntries(this.layout.staves.staves.map((stave) => [stave.layer, stave.scroll]));
    const counts = { flow: of.flow.length, state: of.state.length, knowledge: of.knowledge.length };
    this.layout.staves = chooseStaves(this.layout.height, this.layers, counts);
    for (const stave of this.layout.staves.staves) stave.scroll = Math.min(scrolls[stave.layer] ?? 0, scrollable(stave, counts[stave.layer]));
    this.options.onLayout?.();
  }

  /** Where the staves stand, in CSS pixels of the host, also those without rows. */
  staves() {
    return this.layout.staves.staves.map(({ layer, rows, bottom }) => ({ layer, y: rows, h: bottom - rows, rows: this.scene.map.rows.of[layer].length }));
  }

  /** @param {number} parts */
  #ask(parts) {
    this.#asked |= parts;
    if (!this.#frame) this.#frame = requestAnimationFrame((now) => this.#paint(now));
  }

  /** @param {number} now */
  #paint(now) {
    this.#frame = 0;
    const parts = this.#asked;
    this.#asked = 0;
    if (this.#slide) this.#advance(now);
    this.draw(parts);
    this.#painted = performance.now();
  }

  /** @param {number} now */
  #advance(now) {
    const slide = this.#slide;
    if (!slide) return;
    const done = Math.min(1, Math.max(0, (now - slide.start) / SLIDE));
    const ease = 1 - (1 - done) ** 3;
    if (done >= 1) this.#slide = null;
    this.#show({
      from: slide.from.from + (slide.to.from - slide.from.from) * ease,
      to: slide.from.to + (slide.to.to - slide.from.to) * ease,
    });
    if (this.#slide) this.#ask(PAN);
  }

  /** Draws the parts asked for, now. @param {number} [parts] */
  draw(parts = MAP | OVER | SCRUB) {
    this.layout.from = this.window.from;
    this.layout.to = this.window.to;
    const { first, end, least } = this.axis;
    this.timeline.span(first, end, least);
    this.scene.begin();
    if (parts & (MAP | PAN) && [this.#settle(), this.#uncover()].includes(true)) parts |= MAP;
    if (parts & (MAP | PAN)) this.painter.paint(scaled(this.mapCanvas, true), scaled(this.gutterCanvas, true), this.scene, (parts & MAP) !== 0);
    if (parts & (MAP | PAN | OVER)) paintOverlay(scaled(this.overCanvas), this.scene, this.hovered, this.playhead);
    if (parts & (SCRUB | PAN)) {
      const live = this.map !== null && this.#grows(this.map);
      this.timelinePainter.paint(scaled(this.scrubCanvas, true), this.scene, this.timeline, { window: this.window, playhead: this.playhead, live }, (parts & SCRUB) !== 0);
    }
  }

  destroy() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    clearTimeout(this.#restTimer);
    for (const undo of this.#undo) undo();
    for (const element of [this.mapCanvas, this.gutterCanvas, this.overCanvas, this.scrubCanvas, this.mirror]) element.remove();
  }
}

/** @param {HTMLElement} host @param {string} name */
function canvas(host, name) {
  const element = document.createElement('canvas');
  element.className = name;
  element.setAttribute('aria-hidden', 'true');
  for (const [property, value] of [['position', 'absolute'], ['left', '0'], ['top', '0'], ['display', 'block']]) element.style.setProperty(property, value);
  if (name === 'score-over') element.style.setProperty('pointer-events', 'none');
  host.append(element);
  return element;
}

/** @param {HTMLCanvasElement} element @param {boolean} [opaque] nothing shows through it @returns {CanvasRenderingContext2D} */
function context(element, opaque = false) {
  const ctx = element.getContext('2d', { alpha: !opaque });
  if (!ctx) throw new Error('this browser gives no 2D canvas');
  return ctx;
}

/** @param {HTMLCanvasElement} element @param {number} width @param {number} height */
function fitCanvas(element, width, height) {
  const ratio = devicePixelRatio || 1;
  const w = Math.max(1, Math.round(width * ratio));
  const h = Math.max(1, Math.round(height * ratio));
  if (element.width !== w) element.width = w;
  if (element.height !== h) element.height = h;
  element.style.setProperty('width', `${width}px`);
  element.style.setProperty('height', `${height}px`);
}

/** A context whose unit is a CSS pixel. @param {HTMLCanvasElement} element @param {boolean} [opaque] */
function scaled(element, opaque = false) {
  const ctx = context(element, opaque);
  const ratio = devicePixelRatio || 1;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return ctx;
}
