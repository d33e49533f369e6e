// The help dialog: every key, and what the page is.

import { h } from 'lb/dom';
import { text } from 'lb/i18n';

/** Keys, then the words for what they do. @type {[string[], string][]} */
const KEYS = [
  [['←', '→'], 'help.pan'],
  [['↑', '↓'], 'help.row'],
  [['Shift', '←', '→'], 'help.ends'],
  [['+', '−', '0'], 'help.zoom'],
  [['Enter', 'Esc'], 'help.trace'],
  [['1', '2', '3'], 'help.layers'],
  [['[', ']'], 'help.findings'],
  [['Space'], 'help.play'],
  [[',', '.', '<', '>'], 'help.step'],
  [['{', '}'], 'help.moments'],
  [['G'], 'help.moment'],
  [['N'], 'transport.span'],
  [['Home', 'End', 'F'], 'help.travel'],
  [['Alt', 'T'], 'help.table'],
  [['O'], 'help.newer'],
  [['/'], 'help.search'],
  [['X'], 'help.filter'],
  [['E'], 'help.export'],
  [['T', 'L', '?'], 'help.page'],
];

/** Opens the dialog; closing it puts the focus back where it was. */
export function showHelp() {
  const dialog = h(
    'dialog',
    { class: 'help', 'aria-label': text('help.title'), on: { close: () => dialog.remove(), click: (/** @type {Event} */ event) => event.target === dialog && dialog.close() } },
    h(
      'div',
      null,
      h('h1', null, text('help.title')),
      h('dl', null, KEYS.map(([keys, words]) => [h('dt', null, keys.map((key) => h('kbd', null, key))), h('dd', null, text(words))])),
      h('p', null, text('help.mouse')),
      h('p', { class: 'quiet' }, text('card.replay')),
      h('div', { class: 'buttons' }, h('button', { class: 'button primary', autofocus: true, on: { click: () => dialog.close() } }, text('help.close'))),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
