// In narrow windows the panel on the right and the list of sessions lie over the map. What is open takes the keyboard when
// it was opened by its button, gives it back when it goes, and never hides the mark that was picked.

import { byId } from 'lb/dom';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {'menu' | 'panel'} Name */

const HOSTS = { menu: 'left', panel: 'right' };
const NARROW = { menu: '(max-width: 899px)', panel: '(max-width: 1199px)' };

export class Drawers {
  /** @param {{score: () => import('lb/score').Score, button: (name: Name) => HTMLElement}} page */
  constructor(page) {
    this.page = page;
    for (const name of /** @type {Name[]} */ (['menu', 'panel'])) {
      byId(HOSTS[name]).addEventListener('keydown', (event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || !this.over(name)) return;
        event.preventDefault();
        this.show(name, false);
      });
    }
  }

  /** Whether it lies over the map. @param {Name} name */
  over(name) {
    return this.isOpen(name) && matchMedia(NARROW[name]).matches;
  }

  /** @param {Name} name */
  isOpen(name) {
    return document.body.classList.contains(`${name}-open`);
  }

  /** @param {Name} name @param {boolean} open @param {boolean} [enter] the keyboard goes into it */
  show(name, open, enter = false) {
    const host = byId(HOSTS[name]);
    const inside = host.contains(document.activeElement);
    document.body.classList.toggle(`${name}-open`, open);
    const button = this.page.button(name);
    button.setAttribute('aria-expanded', String(open));
    if (open && enter) {
      const first = host.querySelector(name === 'menu' ? '.session[tabindex="0"]' : '[role=tab][aria-selected=true]') ?? host.querySelector('input, button');
      if (first instanceof HTMLElement) first.focus();
    } else if (!open && inside) {
      (button.checkVisibility() ? button : byId('map')).focus();
    }
  }

  /** @param {Name} name */
  toggle(name) {
    this.show(name, !this.isOpen(name), true);
  }

  /** How much of the map's right the panel hides, in CSS pixels. */
  get covered() {
    return matchMedia(NARROW.panel).matches ? byId('right').offsetWidth : 0;
  }

  /** A mark that was picked where the panel has opened comes out from under it. @param {Selection} selection */
  uncover(selection) {
    const score = this.page.score();
    const box = selection.seq ? score.boxOf(selection) : null;
    if (box && this.over('panel') && box.x + box.w > byId('map').clientWidth - this.covered) score.reveal(selection);
  }
}
