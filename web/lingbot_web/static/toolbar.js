// The bar on top: what is open, the three layers, anomalies, search, the state of the line, language, theme, help.

import { coverageOf, titleOf } from 'lb/session_row';
import { byId, fill, foreign, h, plain } from 'lb/dom';
import { count, stamp } from 'lb/format';
import { lang, text } from 'lb/i18n';
import { icon, mark } from 'lb/icons';
import { LAYERS } from 'lb/link';

/** @typedef {import('lb/types').Layer} Layer */
/** @typedef {import('lb/types').Layers} Layers */
/** @typedef {import('lb/session_row').Summary} Summary */
/**
 * @typedef {object} ToolbarState
 * @property {Summary | null} summary
 * @property {Layers} layers
 * @property {number} findings
 * @property {import('lb/badge').Badge} badge
 * @property {string} detail what the badge says beside its state
 * @property {string} stats received, shown and missing, in words
 */
/**
 * @typedef {object} ToolbarActions
 * @property {(layer: Layer) => void} onLayer
 * @property {(step: 1 | -1) => void} onFinding
 * @property {() => void} onBadge
 * @property {() => void} onLang
 * @property {() => void} onTheme
 * @property {() => void} onHelp
 * @property {() => void} onMenu
 * @property {() => void} onPanel
 */

export class Toolbar {
  /** @param {ToolbarActions} actions @param {HTMLElement} finder @param {HTMLElement} exporting */
  constructor(actions, finder, exporting) {
    this.actions = actions;
    this.told = '';
    this.crumb = h('div', { class: 'crumb' });
    /** @type {Map<Layer, HTMLElement>} */
    this.layers = new Map(LAYERS.map((layer) => [layer, h('button', { class: `layer ${layer}`, on: { click: () => actions.onLayer(layer) } })]));
    this.segment = h('div', { class: 'segment', role: 'group' }, [...this.layers.values()]);
    this.count = h('span', { class: 'count' });
    this.previous = h('button', { on: { click: () => actions.onFinding(-1) } }, icon('left'));
    this.next = h('button', { on: { click: () => actions.onFinding(1) } }, icon('right'));
    this.findings = h('div', { class: 'anomalies', role: 'group' }, this.count, this.previous, this.next);
    this.badge = h('button', { class: 'badge', on: { click: () => actions.onBadge() } });
    this.menu = h('button', { class: 'icon-button menu-button', 'aria-controls': 'left', on: { click: () => actions.onMenu() } }, icon('menu'));
    this.lang = h('button', { class: 'icon-button words', on: { click: () => actions.onLang() } });
    this.theme = h('button', { class: 'icon-button', on: { click: () => actions.onTheme() } }, icon('theme'));
    this.help = h('button', { class: 'icon-button', on: { click: () => actions.onHelp() } }, icon('help'));
    this.panel = h('button', { class: 'icon-button panel-button', 'aria-controls': 'right', on: { click: () => actions.onPanel() } }, icon('panel'));
    fill(
      byId('top'),
      h('div', { class: 'brand' }, this.menu, mark(), h('span', null, 'lingbot-map')),
      this.crumb,
      h('span', { class: 'spring' }),
      this.segment,
      this.findings,
      finder,
      exporting,
      this.badge,
      h('span', { class: 'rule' }),
      this.lang,
      this.theme,
      this.help,
      this.panel,
    );
    this.relabel();
  }

  relabel() {
    this.told = '';
    this.segment.setAttribute('aria-label', text('toolbar.layers'));
    LAYERS.forEach((layer, i) => {
      const button = /** @type {HTMLElement} */ (this.layers.get(layer));
      fill(button, h('i', null), text(`score.${layer}`));
      button.title = `${text('toolbar.layer', { layer: text(`score.${layer}`) })} (${i + 1})`;
    });
    this.lang.textContent = lang() === 'zh' ? '中' : 'EN';
    name(this.findings, text('toolbar.findings'));
    name(this.previous, text('toolbar.previous'), '[');
    name(this.next, text('toolbar.next'), ']');
    name(this.lang, text('toolbar.lang'), 'L');
    name(this.theme, text('toolbar.theme'), 'T');
    name(this.help, text('toolbar.help'), '?');
    name(this.menu, text('sessions.label'));
    name(this.panel, text('inspect.label'));
  }

  /** @param {ToolbarState} state */
  render(state) {
    const sign = JSON.stringify(state);
    if (sign === this.told) return;
    this.told = sign;
    const { summary } = state;
    fill(this.crumb, summary && [
      h('b', { title: plain(titleOf(summary), 300) }, foreign(titleOf(summary), { most: 160 })),
      titleOf(summary) !== summary.id && h('span', { class: 'mono', title: `${plain(summary.id, 256)}\n${stamp(summary.started_at)}` }, foreign(summary.id, { most: 40 })),
      coverageOf(summary.coverage),
    ]);
    for (const [layer, button] of this.layers) button.setAttribute('aria-pressed', String(state.layers[layer]));
    this.findings.classList.toggle('none', !state.findings);
    const found = state.findings ? text('toolbar.found', { n: count(state.findings) }) : text('toolbar.clean');
    const number = /^[\d,.\s]*/.exec(found)?.[0] ?? '';
    fill(this.count, number, h('span', { class: number ? 'unit' : null }, found.slice(number.length)));
    this.previous.hidden = this.next.hidden = !state.findings;
    this.badge.className = `badge ${state.badge}`;
    this.badge.hidden = state.badge === 'none';
    if (state.badge === 'none') return;
    fill(this.badge, h('i', null), h('span', null, text(`badge.${state.badge}`)), state.detail && h('span', { class: 'mono' }, state.detail));
    this.badge.title = [text(`badge.${state.badge}.title`), state.stats].filter(Boolean).join('\n');
  }
}

/** @param {HTMLElement} element @param {string} label @param {string} [key] */
function name(element, label, key) {
  element.setAttribute('aria-label', label);
  element.title = key ? `${label} (${key})` : label;
}
