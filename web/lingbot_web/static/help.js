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
  [['A'], 'help.ask'],
  [['D'], 'help.design'],
  [['T', 'L', '?'], 'help.page'],
];

/** What a page opened from a file has no use for, and what is told of it there instead: nothing is live in it, and it has no server to import to. @type {Map<string, [string[], string] | null>} */
const IN_A_FILE = new Map([
  ['help.play', [['Space'], 'help.play.file']],
  ['help.travel', [['Home', 'End'], 'help.travel.file']],
  ['help.newer', null],
  ['help.ask', null],
  ['help.design', null],
]);

/** The keys that do something on this page. @returns {[string[], string][]} */
function keysHere() {
  if (!inFile()) return KEYS.filter(([, words]) => words !== 'help.ask' || document.documentElement.dataset.ask !== undefined);
  return KEYS.flatMap((key) => {
    const other = IN_A_FILE.get(key[1]);
    return other === null ? [] : [other ?? key];
  });
}

function inFile() {
  return document.documentElement.dataset.file !== undefined;
}

/** Opens the dialog; closing it puts the focus back where it was. */
export function showHelp() {
  const dialog = h(
    'dialog',
    { class: 'help', 'aria-label': text('help.title'), on: { close: () => dialog.remove(), click: (/** @type {Event} */ event) => event.target === dialog && dialog.close() } },
    h(
      'div',
      null,
      h('h1', null, text('help.title')),
      h('dl', null, keysHere().map(([keys, words]) => [h('dt', null, keys.map((key) => h('kbd', null, key))), h('dd', null, text(words))])),
      h('p', null, text(inFile() ? 'help.mouse.file' : 'help.mouse')),
      h('p', { class: 'quiet' }, text('card.replay')),
      h('div', { class: 'buttons' }, h('button', { class: 'button primary', autofocus: true, on: { click: () => dialog.close() } }, text('help.close'))),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
