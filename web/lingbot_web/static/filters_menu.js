// The button that opens the filters, and the pill that says how much is left out: nothing is hidden without a word.

import { byId, fill, h } from 'lb/dom';
import { KINDS } from 'lb/filters';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { showBelow } from 'lb/menu';

/** @typedef {import('lb/filters').Kind} Kind */

export class FilterMenu {
  /** @param {import('lb/filters').Filters} filters @param {HTMLElement} after what the button stands beside */
  constructor(filters, after) {
    this.filters = filters;
    this.told = '';
    this.button = h('button', { class: 'icon-button filter-button', 'aria-haspopup': 'dialog', on: { click: () => this.open() } }, icon('filter'));
    this.panel = h('div', { class: 'filters', popover: 'auto', role: 'dialog' });
    this.pill = h('button', { class: 'pill filtered', hidden: true, on: { click: () => filters.reset() } });
    /** @type {Map<Kind, HTMLInputElement>} */
    this.kinds = new Map(KINDS.map((kind) => [kind, this.#box(() => filters.toggle(kind))]));
    this.anomalies = this.#box((on) => filters.only({ anomalies: on }));
    this.fresh = this.#box((on) => filters.only({ fresh: on }));
    this.shown = h('span', { class: 'quiet', role: 'status' });
    this.reset = h('button', { class: 'text-button', on: { click: () => filters.reset() } });
    after.after(this.button);
    byId('pills').append(this.pill);
    filters.listen(() => this.#mark());
    this.relabel();
  }

  /** @param {(on: boolean) => void} act */
  #box(act) {
    return h('input', { type: 'checkbox', on: { change: (/** @type {Event} */ event) => act(/** @type {HTMLInputElement} */ (event.target).checked) } });
  }

  relabel() {
    this.told = '';
    this.button.setAttribute('aria-label', text('filter.title'));
    this.button.title = `${text('filter.title')} (X)`;
    this.panel.setAttribute('aria-label', text('filter.title'));
    this.reset.textContent = text('filter.reset');
    const line = (/** @type {HTMLInputElement} */ box, /** @type {string} */ key) => h('label', null, box, h('span', null, text(key)));
    fill(
      this.panel,
      h('h2', null, text('filter.kinds')),
      h('div', { class: 'filter-kinds' }, [...this.kinds].map(([kind, box]) => line(box, `filter.kind.${kind}`))),
      h('h2', null, text('filter.more')),
      line(this.anomalies, 'filter.anomalies'),
      line(this.fresh, 'filter.fresh'),
      h('div', { class: 'filter-foot' }, this.shown, this.reset),
    );
    this.#mark();
  }

  open() {
    showBelow(this.panel, this.button, ({ left }) => left - 8, 7);
    this.kinds.get(KINDS[0])?.focus();
  }

  #mark() {
    const { filters } = this;
    for (const [kind, box] of this.kinds) box.checked = !filters.hidden.has(kind);
    this.anomalies.checked = filters.anomalies;
    this.fresh.checked = filters.fresh;
    this.reset.hidden = !filters.active;
    this.button.classList.toggle('on', filters.active);
    this.button.setAttribute('aria-pressed', String(filters.active));
  }

  /** Says how much is shown. @param {import('lb/fold').DialogueMap | null} map */
  render(map) {
    const { active, counts } = this.filters;
    if (map && active) counts.follow(map);
    const words = !map || !active ? '' : text('filter.shown', { shown: count(counts.shown), all: count(counts.all) });
    if (words === this.told && this.pill.hidden === !words) return;
    this.told = words;
    this.pill.hidden = !words;
    fill(this.pill, h('b', null, words), h('span', { class: 'quiet' }, text('filter.reset')));
    this.shown.textContent = words || text('filter.whole');
  }
}
