// What the pointer is over, in words: narrow lanes draw dots without any, and labels may be cut.

import { byId, foreign, fill, h } from 'lb/dom';
import { lang } from 'lb/i18n';
import { explain } from 'lb/words';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {{x: number, y: number, w: number, h: number}} Box */

const GAP = 8;
const LONGEST = 400;

export class Tip {
  /** @param {() => {scene: import('lb/scene').Scene}} score @param {HTMLElement} [host] the map that it lies over */
  constructor(score, host = byId('map')) {
    this.score = score;
    this.host = host;
    // Screen readers are told of the focused mark, not of what the mouse passes over.
    this.element = h('div', { class: 'tip', 'aria-hidden': 'true', hidden: true });
    host.append(this.element);
  }

  /** @param {Selection | null} selection @param {Box | null} box in CSS pixels of the host */
  show(selection, box) {
    const words = selection && box ? explain(this.score().scene, selection, lang()) : '';
    this.element.hidden = !words;
    if (!words || !box) return;
    fill(this.element, foreign(words, { most: LONGEST }));
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const { host } = this;
    const above = box.y - GAP - height;
    const x = Math.max(GAP, Math.min(host.clientWidth - width - GAP, box.x + box.w / 2 - width / 2));
    this.element.style.setProperty('left', `${Math.round(x)}px`);
    this.element.style.setProperty('top', `${Math.round(above > 0 ? above : box.y + box.h + GAP)}px`);
  }
}
