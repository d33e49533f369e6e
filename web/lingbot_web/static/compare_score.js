// One of two scores on a shared axis: painted like the score of the page, over a map whose turns stand in shared lanes.
// What to show is told from outside; it has no keys, no timeline and no live edge.

import { hitTest } from 'lb/hit';
import { GUTTER, HEADER } from 'lb/layout';
import { PART, Picture } from 'lb/picture';
import { Scene } from 'lb/scene';
import { Scrolling } from 'lb/scrolling';
import { text } from 'lb/i18n';
import { Tip } from 'lb/tip';

/** @typedef {import('lb/types').Window} Window */
/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {{map: DialogueMap, numbers: Map<number, string>}} Side */

const LAYERS = { flow: true, state: true, knowledge: true };
const LAYER_NAMES = /** @type {const} */ (['flow', 'state', 'knowledge']);
/** What a lane without a turn, and one with a difference, is marked with. */
const LACKING = 0.55;
const EDGE = 2;
/** Nothing floats over a compared score. */
const FOOT = 6;

export class ComparedScore {
  /** @param {HTMLElement} host @param {Side} side @param {Set<number>} different lanes with a difference */
  constructor(host, { map, numbers }, different) {
    this.host = host;
    this.picture = new Picture(host, document.createElement('div'));
    this.layout = this.picture.layout;
    this.layout.foot = FOOT;
    this.tip = new Tip(() => this, host);
    /** @type {import('lb/types').Selection | null} what the pointer is over */
    this.hovered = null;
    /** @type {{x: number, y: number} | null} where the pointer is, while it lies still on what was drawn there */
    this.pointer = null;
    this.numbers = numbers;
    this.different = different;
    this.again = false;
    this.scene = this.#sceneOf({ map, numbers });
    this.scrolling = new Scrolling(this.layout, () => this.scene);
    this.fit();
  }

  /** Shows another map, or the same session's as it is by now: the staves stay scrolled. @param {Side} side @param {Set<number>} different */
  take({ map, numbers }, different) {
    const before = this.scene.map.rows.of;
    this.numbers = numbers;
    this.different = different;
    this.scene = this.#sceneOf({ map, numbers });
    // Rows keep their height; only a stave that was empty gets room.
    if (LAYER_NAMES.some((layer) => !before[layer].length && map.rows.of[layer].length)) this.layout.choose(LAYERS, map.rows.of);
    this.again = this.pointer !== null;
  }

  /** @param {Side} side */
  #sceneOf({ map, numbers }) {
    const scene = new Scene(map, this.layout, this.picture.lettering, this.picture.tokens, text);
    scene.numbers = new Map([...numbers].map(([lane, turn]) => [lane, turn === '0' ? text('score.opening') : turn]));
    scene.refresh();
    return scene;
  }

  /** Tells what lies at a point of the host. @param {number} x @param {number} y @returns {boolean} whether that is another thing than before */
  hover(x, y) {
    this.pointer = { x, y };
    const hit = hitTest(this.scene, x, y);
    const sel = hit && this.numbers.get(hit.sel.turn) !== '' ? hit.sel : null; // a lane that this side lacks holds nothing
    if (sel?.id === this.hovered?.id && sel?.seq === this.hovered?.seq && sel?.kind === this.hovered?.kind) return false;
    this.hovered = sel;
    this.tip.show(sel, hit?.box ?? null);
    return true;
  }

  /** Something else may lie under a pointer that lies still. @param {{x: number, y: number}} pointer */
  #lookAgain({ x, y }) {
    this.again = false;
    this.leave();
    this.hover(x, y);
  }

  /** The pointer went away, or what was under it did. @returns {boolean} whether there was anything */
  leave() {
    const some = this.hovered !== null;
    this.pointer = null;
    this.hovered = null;
    this.tip.show(null, null);
    return some;
  }

  /** Takes up the host's size. */
  fit() {
    this.picture.fit();
    this.layout.choose(LAYERS, this.scene.map.rows.of);
  }

  /** Brings the rows of a lane into view. @param {number} lane */
  reveal(lane) {
    this.scrolling.toPicked({ kind: 'turn', id: '', turn: lane, seq: 0 });
  }

  /** @param {Window} win @param {number} current the lane of the difference that is looked at; 0 for none */
  draw(win, current) {
    const { scene, picture } = this;
    picture.place(win);
    scene.selection = current ? { kind: 'turn', id: '', turn: current, seq: 0 } : null;
    scene.begin();
    if (!current) this.scrolling.uncover(win);
    if (this.again && this.pointer) this.#lookAgain(this.pointer);
    picture.draw(PART.MAP, scene, { window: win, playhead: null, live: false, cut: false, hovered: this.hovered, resting: true });
    this.#mark(win, current);
  }

  /** Lanes that this side lacks, and those in which the two differ. @param {Window} win @param {number} current */
  #mark(win, current) {
    const { layout } = this;
    const { ctx } = this.picture.map;
    const { tokens } = this.scene;
    ctx.save();
    ctx.beginPath();
    ctx.rect(GUTTER, 0, layout.width - GUTTER, layout.height);
    ctx.clip();
    for (let lane = Math.max(1, Math.floor(win.from)); lane < win.to; lane++) {
      const number = this.numbers.get(lane);
      if (number === undefined) continue;
      const x = layout.x(lane);
      if (number === '') {
        ctx.globalAlpha = LACKING;
        ctx.fillStyle = tokens.line;
        ctx.fillRect(x, 0, layout.lane, layout.height);
        ctx.globalAlpha = 1;
      }
      if (lane === current) {
        ctx.strokeStyle = tokens.focus;
        ctx.lineWidth = EDGE;
        ctx.strokeRect(x + 1, 1, Math.max(1, layout.lane - 2), layout.height - 2);
      } else if (this.different.has(lane)) {
        ctx.fillStyle = tokens.focus;
        ctx.fillRect(x + 1, HEADER - 3, Math.max(1, layout.lane - 2), EDGE);
      }
    }
    ctx.restore();
  }

  recolour() {
    this.scene.tokens = this.picture.recolour();
  }

  remove() {
    this.picture.remove();
    this.tip.element.remove();
  }
}
