// The turn table as a real table: the same on the page and on paper.

import { foreign, h, plain } from 'lb/dom';
import { clock, score, stamp, valueText } from 'lb/format';
import { lang, text } from 'lb/i18n';
import { glyph } from 'lb/icons';
import { LAYERS } from 'lb/link';

/** @typedef {import('lb/types').Layers} Layers */
/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/table_rows').TurnRow} TurnRow */
/** @typedef {import('lb/dom').Child} Child */
/**
 * @typedef {object} How
 * @property {string} caption
 * @property {Layers} layers a layer that is off has no columns
 * @property {Selection | null} selection
 * @property {((selection: Selection) => void) | null} go null: on paper, nothing can be pressed
 */

// On the page a cell shows so much; what is left out is counted. Paper shows all documents that were more than candidates.
const MOST_IN_CELL = 6;

/** @param {TurnRow[]} rows @param {How} how */
export function turnTable(rows, how) {
  const { layers } = how;
  const columns = ['turn', 'time', 'said', layers.flow && 'intents', layers.flow && 'confidence', layers.state && 'slots', layers.knowledge && 'docs', 'findings'].filter((name) => name !== false);
  return h('table', { class: 'turns' },
    h('caption', { class: how.go ? 'sr' : null }, how.caption),
    h('thead', null, h('tr', null, columns.map((name) => h('th', { scope: 'col', class: `c-${name}` }, text(`table.${name}`))))),
    h('tbody', null, rows.map((row) => lineOf(row, how))));
}

/** @param {TurnRow} row @param {How} how */
function lineOf(row, how) {
  const { turn, at, said, answers, findings } = row;
  const { layers, selection, go } = how;
  const picked = Boolean(selection) && selection?.turn === turn && (selection.kind !== 'node' || selection.seq !== 0);
  const bad = findings.some(({ kind }) => kind !== 'gap');
  /** @type {Selection} */
  const lane = { kind: 'turn', id: `utterance:${turn}`, turn, seq: 0 };
  return h('tr', { class: `${picked ? 'picked' : ''} ${bad ? 'bad' : ''}`, 'aria-current': picked ? 'true' : null, dataset: { turn: String(turn) }, on: go ? { click: (/** @type {Event} */ event) => outside(event) && go(lane) } : {} },
    h('th', { scope: 'row', class: 'c-turn mono' }, go
      ? h('button', { class: 'turn-button', dataset: { focus: `turn ${turn}` }, 'aria-label': turn ? text('inspect.turn', { turn }) : text('score.opening'), on: { click: () => go(lane) } }, String(turn))
      : String(turn)),
    h('td', { class: 'c-time mono' }, at === null ? '' : h('time', { title: stamp(at) }, clock(at))),
    h('td', { class: 'c-said' }, said ? foreign(said, { most: 400 }) : h('span', { class: 'quiet' }, text('inspect.silent')), answers.map((answer) => h('div', { class: 'answered' }, foreign(answer, { most: 240 })))),
    layers.flow && h('td', { class: 'c-intents' }, list(row.intents.map((visit) => link(how, row, visit)))),
    layers.flow && h('td', { class: 'c-confidence mono' }, list(row.intents.map(({ confidence }) => score(confidence) || '–'))),
    layers.state && h('td', { class: 'c-slots' }, list(row.slots.map((slot) => slotLine(how, row, slot)), how)),
    layers.knowledge && h('td', { class: 'c-docs' }, docLines(how, row)),
    h('td', { class: 'c-findings' }, list(findings.map((finding) => findingLine(how, finding)))));
}

/** Whether a click was meant for the row, not for something in it, and not to mark text. @param {Event} event */
function outside(event) {
  return event.target instanceof Element && !event.target.closest('button') && String(getSelection() ?? '') === '';
}

/** One thing a line; more than fit are counted. @param {Child[]} items @param {How} [how] */
function list(items, how) {
  if (!items.length) return null;
  const shown = how?.go ? items.slice(0, MOST_IN_CELL) : items;
  return h('ul', null, shown.map((item) => h('li', null, item)), shown.length < items.length && h('li', { class: 'quiet' }, text('table.more', { n: items.length - shown.length })));
}

/** @param {How} how @param {TurnRow} row @param {import('lb/table_rows').Named} node */
function link({ go }, row, { id, name, label, seq }) {
  const words = foreign(label, { most: 80 });
  if (!go) return label === name ? words : [words, ' ', h('span', { class: 'mono quiet' }, foreign(name, { most: 80 }))];
  return h('button', { class: 'link', title: plain(id, 200), dataset: { focus: `${row.turn} ${id} ${seq}` }, on: { click: () => go({ kind: 'node', id, turn: row.turn, seq }) } }, words);
}

/** @param {How} how @param {TurnRow} row @param {import('lb/table_rows').SlotStep} slot */
function slotLine(how, row, slot) {
  const value = h('span', { class: 'mono' }, foreign(valueText(slot.value), { most: 80 }));
  return h('span', { class: slot.bad ? 'bad' : null }, slot.what === 'write' ? '' : [text(slot.what === 'read' ? 'slot.read' : 'slot.cleared'), ' '], link(how, row, slot), slot.what === 'write' ? [' = ', value] : '');
}

/** @param {How} how @param {TurnRow} row */
function docLines(how, row) {
  const chosen = row.docs.filter(({ state }) => state === 'used' || state === 'prompt');
  const rest = row.docs.length - chosen.length;
  /** @param {import('lb/table_rows').DocLine} doc */
  const line = (doc) => [link(how, row, doc), h('span', { class: 'mono quiet figures' }, ` ${[doc.rank && `#${doc.rank}`, score(doc.score)].filter(Boolean).join(' ')}`), doc.state === 'used' ? '' : h('span', { class: 'quiet' }, ` ${text('doc.prompt')}`)];
  return list([...chosen.map(line), rest > 0 && h('span', { class: 'quiet' }, text('table.candidates', { n: rest }))].filter(Boolean));
}

/** @param {How} how @param {import('lb/types').Finding} finding */
function findingLine({ go }, finding) {
  const words = [glyph(finding.kind), h('span', null, text(`finding.${finding.kind}`), ' ', h('span', { class: 'mono' }, finding.code))];
  const why = h('span', { class: 'why' }, foreign(finding.reason[lang()] || finding.reason.en || '', { most: go ? 200 : 600 }));
  if (!go) return h('span', { class: 'found' }, words);
  return [h('button', { class: `found ${finding.kind === 'gap' ? 'gap' : ''}`, dataset: { focus: finding.id }, on: { click: () => go({ kind: 'finding', id: finding.id, turn: finding.turn, seq: finding.seq }) } }, words), why];
}

/** What is left out, in words, for the caption. @param {Layers} layers @param {ReadonlySet<import('lb/filters').Kind>} hidden */
export function leftOut(layers, hidden) {
  const off = [...LAYERS.filter((layer) => !layers[layer]).map((layer) => text(`score.${layer}`)), ...[...hidden].filter((kind) => kind !== 'other').map((kind) => text(`filter.kind.${kind}`))];
  return off.length ? text('table.without', { layers: off.join(text('score.focus.join')) }) : '';
}
