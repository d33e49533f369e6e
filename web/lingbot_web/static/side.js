// The panel on the right: one subject at a time, picked by tab. Only the tab that is shown is kept up to date.

import { fill, h } from 'lb/dom';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';

/** @typedef {'inspect' | 'dialogue' | 'events' | 'changes' | 'ask'} TabName */
/**
 * @typedef {object} Tab
 * @property {TabName} name `side.<name>` is its title
 * @property {HTMLElement} element
 * @property {() => void} render shows the moment and the selection as they are now
 * @property {() => void} soon the map grew or the moment moved: renders, but no more often than can be read
 * @property {() => void} relabel the words of the interface changed: renders with the new ones
 */

export class Side {
  /** @param {HTMLElement} host @param {Tab[]} tabs @param {{onTab: () => void, onClose: () => void}} page */
  constructor(host, tabs, page) {
    this.host = host;
    this.tabs = tabs;
    this.page = page;
    this.shown = /** @type {Tab} */ (tabs[0]);
    /** Tabs whose words are those of another language or zone, or that have none yet: they get them when they are shown. */
    this.unlabelled = new Set(tabs);
    this.buttons = tabs.map(({ name }, i) => this.#button(name, i));
    this.panels = tabs.map(panelOf);
    this.bar = h('div', { class: 'tabs', role: 'tablist' }, this.buttons);
    this.close = h('button', { class: 'icon-button close-panel', on: { click: () => page.onClose() } }, icon('close'));
    fill(host, h('div', { class: 'side-head' }, this.bar, this.close), this.panels);
    this.relabel();
    this.#mark();
  }

  /** One more, after the others: what the server offers is known only once the page is there. @param {Tab} tab */
  add(tab) {
    const button = this.#button(tab.name, this.tabs.length);
    const panel = panelOf(tab);
    this.tabs = [...this.tabs, tab];
    this.buttons.push(button);
    this.panels.push(panel);
    this.bar.append(button);
    this.host.append(panel);
    this.host.classList.add('many-tabs');
    button.textContent = text(`side.${tab.name}`);
    this.unlabelled.add(tab);
    this.#mark();
  }

  /** @param {TabName} name @param {number} i */
  #button(name, i) {
    return h('button', {
      role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}`, dataset: { focus: name },
      on: { click: () => this.show(name), keydown: (/** @type {Event} */ event) => this.#key(/** @type {KeyboardEvent} */ (event), i) },
    });
  }

  relabel() {
    this.host.setAttribute('aria-label', text('inspect.label'));
    this.bar.setAttribute('aria-label', text('side.label'));
    this.close.setAttribute('aria-label', text('inspect.close'));
    this.close.title = text('inspect.close');
    this.tabs.forEach(({ name }, i) => {
      /** @type {HTMLElement} */ (this.buttons[i]).textContent = text(`side.${name}`);
    });
    this.unlabelled = new Set(this.tabs);
    this.#draw();
  }

  /** Shows what is in the tab that is shown, in the words of now. What nobody looks at is drawn when it is looked at. */
  #draw() {
    if (this.unlabelled.delete(this.shown)) this.shown.relabel();
    else this.shown.render();
  }

  /** @param {TabName} name */
  show(name) {
    const tab = this.tabs.find((each) => each.name === name);
    if (!tab || tab === this.shown) return;
    this.shown = tab;
    this.#mark();
    this.#draw();
    this.page.onTab();
  }

  render() {
    this.shown.render();
  }

  soon() {
    this.shown.soon();
  }

  #mark() {
    this.tabs.forEach((tab, i) => {
      const on = tab === this.shown;
      const button = /** @type {HTMLElement} */ (this.buttons[i]);
      button.setAttribute('aria-selected', String(on));
      button.tabIndex = on ? 0 : -1;
      /** @type {HTMLElement} */ (this.panels[i]).hidden = !on;
    });
  }

  /** Left and right go from tab to tab, as in any list of tabs. @param {KeyboardEvent} event @param {number} i */
  #key(event, i) {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const next = (i + step + this.tabs.length) % this.tabs.length;
    this.show(/** @type {Tab} */ (this.tabs[next]).name);
    /** @type {HTMLElement} */ (this.buttons[next]).focus();
  }
}

/** @param {Tab} tab */
function panelOf({ name, element }) {
  return h('div', { class: 'panel', role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}` }, element);
}
