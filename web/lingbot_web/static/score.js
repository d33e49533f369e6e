// The score view: the public face of a dialogue's picture, window, playhead, selection and trail. Painting is asked for,
// never done at once: one animation frame draws whatever asked, and data asks at most every 50 ms.
import { Choice } from 'lb/choice';
import { DIRTY, DialogueMap } from 'lb/fold';
import { Frames } from 'lb/frames';
import { listen } from 'lb/gestures';
import { hitTest } from 'lb/hit';
import { LAYERS } from 'lb/kinds';
import { press } from 'lb/keys';
import { GUTTER } from 'lb/layout';
import { Motion } from 'lb/motion';
import { boxOf, findingBeside, turnsOf } from 'lb/picking';
import { ALL, PART, Picture } from 'lb/picture';
import { Scene } from 'lb/scene';
import { Scrolling } from 'lb/scrolling';
import { listenTimeline } from 'lb/timeline';
import * as windows from 'lb/window';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/types').Window} Window */
/** @typedef {import('lb/types').Layer} Layer */
/** @typedef {import('lb/types').Layers} Layers */
/** @typedef {import('lb/types').ScoreOptions} ScoreOptions */
/** @typedef {import('lb/types').Trail} Trail */

const { MAP, OVER, SCRUB, PAN } = PART;
/** A panel over the map is reckoned to leave at least this share of it clear. */
const LEAST_CLEAR = 0.3;

export class Score {
  /** @type {DialogueMap | null} */ map = null;
  /** Last event shown; null for the newest. @type {number | null} */ playhead = null;
  /** @type {Layers} */ layers = { flow: true, state: true, knowledge: true };

  /** @type {(() => void)[]} */ #undo = [];
  #rested = false;
  /** The map grew since it was last drawn. */
  #grown = false;

  /** @param {HTMLElement} host @param {HTMLElement} scrubHost @param {ScoreOptions} options */
  constructor(host, scrubHost, options) {
    this.host = host;
    this.scrubHost = scrubHost;
    this.options = options;
    this.picture = new Picture(host, scrubHost);
    this.layout = this.picture.layout;
    this.timeline = this.picture.timeline;
    this.choice = new Choice(host, options, () => this.scene);
    this.scene = this.#newScene(DialogueMap.empty(''));
    this.scrolling = new Scrolling(this.layout, () => this.scene);
    this.frames = new Frames((parts, now) => this.draw(parts, now));
    this.motion = new Motion({
      axis: () => this.axis,
      moved: (win) => {
        options.onWindow?.(win);
        this.#ask(PAN);
      },
      sliding: () => this.#ask(PAN),
      rested: () => this.#rest(),
      followed: (on) => options.onFollow?.(on),
      still: options.reducedMotion ?? (() => matchMedia('(prefers-reduced-motion: reduce)').matches),
    });
    this.#undo.push(listen(this), listenTimeline(this));
    const watcher = new ResizeObserver(() => this.resize());
    watcher.observe(host);
    watcher.observe(scrubHost);
    this.#undo.push(() => watcher.disconnect());
    this.resize();
  }

  /** The stretch of turns shown. @returns {Window} */
  get window() {
    return this.motion.window;
  }

  /** Whether the window goes with the newest turn. */
  get following() {
    return this.motion.following;
  }

  /** @returns {Selection | null} */
  get selection() {
    return this.choice.selection;
  }

  get tracing() {
    return this.choice.tracing;
  }

  get hovered() {
    return this.choice.hovered;
  }

  /** @param {DialogueMap} map */
  #newScene(map) {
    return new Scene(map, this.layout, this.picture.lettering, this.picture.tokens, this.options.text, this.options.filters ?? null);
  }

  /** Everything there is, in turns. @returns {windows.Axis} */
  get axis() {
    const axis = windows.axisOf(this.scene.map);
    return this.options.moments?.extent(axis) ?? axis;
  }

  // --- the map ---

  /** Shows another map. The same session's again (after a reconnection) keeps window, selection and scroll. @param {DialogueMap | null} map */
  setMap(map) {
    this.hover(null);
    const same = map !== null && this.map !== null && map.session === this.map.session;
    this.map = map;
    this.scene = this.#newScene(map ?? DialogueMap.empty(''));
    this.motion.halt();
    if (!same) {
      this.choice.clear();
      this.playhead = null;
      this.#chooseStaves();
      this.motion.follow(map !== null && windows.grows(map));
      this.motion.show(windows.atEnd(windows.OPENING, this.axis));
      this.scrolling.toNewest(false);
      this.#rest();
      this.options.onSelect?.(null);
    } else {
      this.motion.show(this.following ? windows.atEnd(this.motion.span, this.axis) : windows.place(this.window.from, this.motion.span, this.axis));
    }
    this.scene.selection = this.selection;
    this.scene.seq = this.playhead ?? Infinity;
    this.scene.refresh();
    this.choice.retrace();
    this.#ask(ALL);
  }

  /** Deltas were folded into the map. @param {number} dirty what they touched: DIRTY bits */
  changed(dirty) {
    if (!dirty && this.playhead !== null) return;
    if (dirty & DIRTY.FINDINGS) this.scene.refresh();
    if (dirty & DIRTY.LANES && this.tracing) this.choice.retrace();
    this.#grown = true;
    this.frames.askInTime(ALL);
  }

  // --- window ---

  /** The reader moved the window. @param {Window} win */
  #steer(win) {
    if (!this.selection || this.selection.turn < win.from || this.selection.turn >= win.to) this.scrolling.release();
    this.motion.steer(win);
  }

  #rest() {
    this.#rested = true;
    this.#ask(PAN);
  }

  /** @param {number} from @param {number} to */
  setWindow(from, to) {
    this.#steer(windows.place(from, to - from, this.axis));
  }

  /** Shows `turns` turns around the same middle, or at the end while following. @param {number} turns */
  openWindow(turns) {
    this.#steer(this.following ? windows.atEnd(turns, this.axis) : windows.place(this.motion.middle - turns / 2, turns, this.axis));
  }

  /** All turns, and rows as high as fits them. */
  fit() {
    this.#chooseStaves();
    this.#steer(windows.place(this.axis.first, windows.longest(this.axis), this.axis));
    this.#ask(MAP | OVER);
  }

  /** @param {number} factor above 1 shows more @param {number} [about] the turn that keeps its place */
  zoom(factor, about = this.motion.middle) {
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
    this.motion.follow(on);
    if (on) {
      this.setPlayhead(null);
      this.scrolling.toNewest();
      this.motion.slideTo(windows.atEnd(this.motion.span, this.axis));
      this.#ask(MAP | OVER);
    }
  }

  // --- the moment shown ---

  /** Shows the map as it stood after event `seq` (null: as it is). Nothing moves; what came later fades. @param {number | null} seq */
  setPlayhead(seq) {
    if (this.options.moments?.elsewhere(seq)) return;
    const map = this.scene.map;
    const wanted = seq === null || seq >= map.cursor.seq ? null : Math.max(map.firstMoment, Math.round(seq));
    if (wanted === this.playhead) return;
    this.playhead = wanted;
    this.scene.seq = wanted ?? Infinity;
    this.scene.refresh();
    this.choice.retrace();
    if (wanted !== null) {
      this.motion.follow(false);
      const turn = Math.floor(this.scene.turnOfSeq(wanted));
      this.scrolling.release();
      for (const mark of map.marks.ofSeq(wanted)) this.scrolling.to(map.marks.node.data[mark]);
      if (turn + 1 <= this.window.from || turn >= this.window.to) this.motion.show(windows.showing(this.window, turn, turn, this.axis));
      this.#rest();
    }
    this.options.onPlayhead?.(wanted);
    this.#ask(ALL);
  }

  // --- selection and trail ---

  /** @param {Selection | null} sel @param {{trace?: boolean, reveal?: boolean}} [how] */
  select(sel, how = {}) {
    this.choice.pick(sel);
    if (sel && how.reveal) this.reveal(sel);
    this.options.onSelect?.(sel);
    this.trace(how.trace ?? (sel !== null && this.tracing));
    this.choice.tell();
    this.#ask(MAP | OVER);
  }

  /** Slides the window and scrolls the staves so that all of a selection is in view. @param {Selection} sel */
  reveal(sel) {
    const map = this.scene.map;
    const span = turnsOf(map, sel);
    if (span) {
      const clear = 1 - (this.options.covered?.() ?? 0) / (this.layout.width - GUTTER);
      const win = windows.showing(this.window, span[0], span[1], this.axis, Math.max(LEAST_CLEAR, clear));
      if (this.following && !windows.touchesEnd(win, this.axis)) this.motion.follow(false);
      this.motion.slideTo(win);
    }
    this.scrolling.toPicked(sel);
    this.#rest();
    this.#ask(MAP | OVER);
  }

  /** Scrolls to the nearest row above (-1) or below (+1) that has a mark in the window. @param {Layer} layer @param {1 | -1} step */
  scrollToHidden(layer, step) {
    if (this.scrolling.toHidden(layer, step)) this.#ask(MAP | OVER);
  }

  /** Lights what is up to three links away from the selection, or puts the light out. @param {boolean} on @returns {Trail} */
  trace(on) {
    const trail = this.choice.trace(on);
    if (this.tracing && this.selection) this.scrolling.toPicked(this.selection);
    this.#ask(MAP | OVER);
    return trail;
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
    const finding = findingBeside(this.scene, this.selection, this.motion.middle, step);
    if (!finding) return null;
    /** @type {Selection} */
    const sel = { kind: 'finding', id: finding.id, turn: finding.turn, seq: finding.seq };
    this.select(sel, { trace: false, reveal: true });
    return sel;
  }

  /** What a search found, lit in rows, lanes and timeline. @param {import('lb/search').Search | null} found */
  matches(found) {
    this.scene.matches = found;
    this.#ask(MAP | SCRUB);
  }

  /** Words for the picked mark. */
  focusText() {
    return this.choice.words();
  }

  /** Where a selection stands, in CSS pixels of the host. @param {Selection} sel */
  boxOf(sel) {
    return boxOf(this.scene, sel);
  }

  // --- layers, keys, pointer ---

  /** At least one layer stays on. @param {Layers} layers */
  setLayers(layers) {
    if (!LAYERS.some((layer) => layers[layer])) return;
    this.layers = { ...layers };
    this.#chooseStaves();
    this.#rest();
    this.#ask(MAP | OVER);
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
    if (!this.choice.hover(sel)) return;
    this.options.onHover?.(sel, hit?.box ?? null);
    this.#ask(OVER);
  }

  /** Scrolls a stave by whole rows. @param {Layer} layer @param {number} rows */
  scroll(layer, rows) {
    if (this.scrolling.by(layer, rows)) this.#ask(MAP | OVER);
  }

  // --- painting ---

  themeChanged() {
    this.scene.tokens = this.picture.recolour();
    this.#ask(ALL);
  }

  /** The words of the interface changed. */
  languageChanged() {
    this.scene.words.clear();
    this.choice.tell();
    this.#ask(MAP | SCRUB);
  }

  resize() {
    if (this.picture.fit()) this.#chooseStaves();
    this.#ask(ALL);
  }

  #chooseStaves() {
    this.layout.choose(this.layers, this.scene.map.rows.of);
    this.options.onLayout?.();
  }

  /** Where the staves stand, in CSS pixels of the host, also those without rows. */
  staves() {
    return this.layout.staves.staves.map(({ layer, rows, bottom }) => ({ layer, y: rows, h: bottom - rows, rows: this.scene.map.rows.of[layer].length }));
  }

  /** @param {number} parts */
  #ask(parts) {
    this.frames.ask(parts);
  }

  /** Draws the parts asked for, now. @param {number} [parts] @param {number} [now] the frame's time */
  draw(parts = ALL, now = performance.now()) {
    this.motion.advance(now);
    if (this.#grown && this.following) {
      this.motion.slideTo(windows.atEnd(this.motion.span, this.axis));
      this.scrolling.toNewest();
    }
    this.#grown = false;
    this.picture.place(this.window);
    this.timeline.span(this.axis);
    this.scene.begin();
    let resting = false;
    if (parts & (MAP | PAN)) {
      resting = this.#rested && !this.motion.slides;
      if (resting) this.#rested = false;
      const settled = resting && this.scrolling.settle();
      if (this.scrolling.uncover(this.window) || settled) parts |= MAP;
    }
    const live = this.map !== null && windows.grows(this.map) && !this.options.closed?.();
    this.picture.draw(parts, this.scene, { window: this.window, playhead: this.playhead, live, cut: this.options.cut?.() ?? false, hovered: this.hovered, resting });
  }

  destroy() {
    this.frames.stop();
    this.motion.stop();
    for (const undo of this.#undo) undo();
    this.picture.remove();
    this.choice.place.remove();
  }
}
