// A designed diagram that turns are held against: where it comes from, what the server says of it, the pill that tells it.

import { Refused } from 'lb/api';
import { DesignBar } from 'lb/design_bar';
import { shownOf } from 'lb/design_shown';
import { h, plain } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { PART } from 'lb/picture';
import { voice } from 'lb/voice';

/** @typedef {import('lb/design_shown').Shown} Shown */
/** @typedef {import('lb/types').Selection} Selection */
/**
 * @typedef {object} DesignPage what the page has and does
 * @property {() => import('lb/fold').DialogueMap | null} map
 * @property {() => string} key of the session
 * @property {() => number} middle the turn in the middle of the window
 * @property {() => {scene: import('lb/scene').Scene, frames: import('lb/frames').Frames}} score
 * @property {() => void} onShown another answer lies over the score, or none
 * @property {(selection: Selection) => void} go
 * @property {(message: string) => void} tell
 */

const ENDS = /\.(puml|plantuml|pu|iuml|wsd|mmd|mermaid|xmi|uml)$/i;
const MOST = 256 * 1024;
/** While a session grows it is held against the design at most this often. */
const PACE_MS = 1500;

export class Designs {
  /** @param {import('lb/api').Api} api @param {DesignPage} page */
  constructor(api, page) {
    this.api = api;
    this.page = page;
    /** @type {{name: string, text: string} | null} */
    this.design = null;
    /** @type {Shown | null} */
    this.shown = null;
    this.error = '';
    this.asked = '';
    this.timer = 0;
    this.input = h('input', { type: 'file', hidden: true, accept: '.puml,.plantuml,.pu,.iuml,.wsd,.mmd,.mermaid,.xmi,.uml,.xml,.md,.txt', on: { change: () => this.#picked() } });
    document.body.append(this.input);
    this.waiting = new AbortController();
    this.bar = new DesignBar({ step: (by) => this.step(by), close: () => this.close() });
    if (!api.standalone) this.#named();
  }

  /** Whether a file is a diagram by its name. @param {File} file */
  static takes(file) {
    return ENDS.test(file.name);
  }

  /** The design that the operator named when the map was started. */
  async #named() {
    const said = await this.api.get('api/design').catch(() => null);
    const design = said?.design;
    if (!design || this.design) return;
    this.design = { name: String(design.name), text: String(design.text) };
    this.follow();
  }

  pick() {
    this.input.click();
  }

  #picked() {
    const [file] = this.input.files ?? [];
    if (file) this.take(file);
    this.input.value = ''; // the same file may be chosen again, after it was changed
  }

  /** @param {File} file */
  async take(file) {
    const name = plain(file.name, 60);
    if (file.size > 4 * MOST) return this.page.tell(text('design.large', { name, most: MOST / 1024 }));
    const content = await file.text().catch(() => null);
    if (content === null) return this.page.tell(text('design.unread', { name }));
    if (content.length > MOST) return this.page.tell(text('design.large', { name, most: MOST / 1024 }));
    const before = this.design;
    this.design = { name: file.name, text: content };
    this.asked = '';
    if (await this.#load(true)) return undefined; // the pill and the voice say how it went
    this.design = before; // what could not be read replaces nothing
    this.asked = '';
    return this.follow();
  }

  /** Keeps up with the session that is open; called whenever the page draws. */
  follow() {
    const map = this.page.map();
    if (!this.design || this.api.standalone || !map?.cursor.seq) return;
    const key = this.page.key();
    if (this.shown && this.shown.key !== key) this.#show(null);
    else if (this.shown !== this.page.score().scene.design) this.#draw(); // the score shows a map anew
    const wanted = `${key} ${map.cursor.epoch} ${map.cursor.seq}`;
    if (wanted === this.asked || this.timer) return;
    const soon = this.shown === null && !this.error ? 0 : PACE_MS;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.#load(false);
    }, soon);
  }

  /** @param {boolean} taken the reader has just brought it: what is wrong with it is told. @returns {Promise<boolean>} */
  async #load(taken) {
    const map = this.page.map();
    const design = this.design;
    if (!design || !map) return false;
    this.waiting.abort();
    const waiting = (this.waiting = new AbortController());
    const key = this.page.key();
    this.asked = `${key} ${map.cursor.epoch} ${map.cursor.seq}`;
    this.bar.busy(design.name);
    try {
      const report = await this.api.post('api/design', { session: key, ...design }, waiting.signal);
      if (waiting.signal.aborted || design !== this.design) return true;
      this.error = '';
      this.#show(shownOf(report, key, design.name));
      return true;
    } catch (error) {
      if (waiting.signal.aborted || design !== this.design) return true;
      if (!(error instanceof Refused)) throw error;
      const why = [error.sentenceOn(design.name) || text('error.away'), error.remedy].filter(Boolean).map((said) => plain(said, 300)).join('; ');
      if (taken) this.page.tell(text('design.failed', { name: plain(design.name, 60), why }));
      this.error = why;
      if (!this.shown) this.bar.hide();
      else this.bar.render(this.shown);
      return false;
    }
  }

  /** @param {Shown | null} shown */
  #show(shown) {
    this.shown = shown;
    if (shown) this.bar.render(shown);
    else this.bar.hide();
    this.#draw();
    this.page.onShown();
  }

  /** From the next frame on it lies over the score. */
  #draw() {
    const { scene, frames } = this.page.score();
    scene.design = this.shown;
    frames.ask(PART.MAP);
  }

  relabel() {
    this.bar.relabel();
    if (this.shown) this.bar.render(this.shown);
  }

  close() {
    this.waiting.abort();
    clearTimeout(this.timer);
    this.timer = 0;
    this.design = null;
    this.asked = this.error = '';
    this.#show(null);
  }

  /** The key D: brings a design, or goes on to the next turn that doesn't follow it. */
  key() {
    if (this.api.standalone) return false;
    if (this.shown) this.step(1);
    else this.pick();
    return true;
  }

  /** @param {1 | -1} by */
  step(by) {
    const apart = this.shown?.apart ?? [];
    if (!apart.length) return;
    const from = this.shown && this.shown.at ? this.shown.at : Math.floor(this.page.middle());
    const next = by > 0 ? (apart.find((turn) => turn > from) ?? apart[0]) : (apart.findLast((turn) => turn < from) ?? apart[apart.length - 1]);
    if (this.shown) this.shown.at = next;
    this.page.go({ kind: 'turn', id: `utterance:${next}`, turn: next, seq: 0 });
    voice.say(`${text('turn.title', { turn: count(next) })}: ${text('design.turn.apart')}`);
  }
}
