// The lists of the tab "changes": slots by kind of change, then the flow and the documents in short.

import { differenceOf } from 'lb/diff';
import { membersBetween } from 'lb/diff_values';
import { foreign, h, plain } from 'lb/dom';
import { count, score, valueText } from 'lb/format';
import { text } from 'lb/i18n';
import { part } from 'lb/pane';
import { labelOf } from 'lb/past';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/dom').Child} Child */
/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {{map: DialogueMap, go: (selection: Selection) => void}} View */

/** @type {[import('lb/diff').Change, string][]} kinds of change and the sign before each */
const KINDS = [['added', '+'], ['changed', '→'], ['deleted', '−'], ['rewritten', '=']];
// Longer lists and values say what is left out.
const MOST = 200;
const MOST_MEMBERS = 8;

/** @param {DialogueMap} map @param {{a: number, b: number}} moments @param {(selection: Selection) => void} go @returns {Child[]} */
export function changesBody(map, { a, b }, go) {
  const view = { map, go };
  const { slots, stale, flow, docs } = differenceOf(map, a, b);
  const groups = KINDS.map(([change, sign]) => ({ change, sign, rows: slots.filter((slot) => slot.change === change) })).filter(({ rows }) => rows.length);
  const sum = [...groups.map(({ change, rows }) => text(`changes.n.${change}`, { n: rows.length })), stale.length > 0 && text('changes.n.stale', { n: stale.length })].filter(Boolean);
  const quiet = !slots.length && !stale.length;
  return [
    h('section', { class: 'part' },
      h('h2', null, h('span', null, text('changes.slots')), h('span', null, sum.map((words, at) => [at > 0 && ' · ', h('span', { class: 'whole' }, words)]))),
      quiet && h('p', { class: 'quiet' }, text(a === b ? 'changes.same' : 'changes.nothing')),
      groups.map(({ change, sign, rows }) => group(text(`changes.${change}`), rows.length, rows.slice(0, MOST).map((slot) => slotRow(view, slot, sign)))),
      stale.length > 0 && group(text('changes.stale'), stale.length, stale.slice(0, MOST).map((read) => staleRow(view, read)))),
    part(text('changes.flow'), '', flowLines(view, flow)),
    part(text('changes.docs'), '', docLines(view, docs)),
  ];
}

/** @param {string} title @param {number} total @param {HTMLElement[]} rows */
function group(title, total, rows) {
  return h('div', { class: 'change-group' },
    h('h3', null, title, ' ', h('span', { class: 'mono quiet' }, count(total))),
    h('ul', null, rows),
    rows.length < total && h('p', { class: 'quiet' }, text('inspect.some', { shown: count(rows.length), total: count(total) })));
}

/** Where it happened: the turn, the event, and who did it. @param {View} view @param {{turn: number, seq: number, by: string}} event @param {Child} [after] */
function whereOf({ map }, { turn, seq, by }, after) {
  return h('span', { class: 'where' }, h('span', { class: 'mono' }, `${text('inspect.turn', { turn })} · seq ${count(seq)}`), ' · ', by ? foreign(labelOf(map, by), { most: 60 }) : text('changes.undone'), after);
}

/** @param {View} view @param {import('lb/diff').SlotChange} slot @param {string} sign */
function slotRow(view, slot, sign) {
  const members = slot.change === 'changed' ? membersBetween(slot.old, slot.new) : [];
  return h('li', null, h('button', {
    class: `change ${slot.change}`, dataset: { focus: `${slot.change} ${slot.id}` },
    on: { click: () => view.go({ kind: 'node', id: slot.id, turn: slot.turn, seq: slot.seq }) },
  },
  h('span', { class: 'sign mono', 'aria-hidden': 'true' }, sign),
  h('span', { class: 'words' },
    name(slot),
    members.length > 0 ? memberLines(members) : h('span', { class: 'values mono' }, valuesOf(slot)),
    whereOf(view, slot, slot.times > 1 && ` · ${text('changes.times', { n: slot.times })}`))));
}

/** @param {import('lb/diff').SlotChange} slot @returns {Child[]} */
function valuesOf({ change, old, new: now }) {
  const before = h('span', { class: 'old' }, foreign(valueText(old), { most: 240 }));
  const after = h('b', null, foreign(valueText(now), { most: 240 }));
  if (change === 'added' || change === 'rewritten') return [after];
  return change === 'deleted' ? [before] : [before, h('span', { class: 'arrow', 'aria-label': text('changes.became') }, ' → '), after];
}

/** @param {import('lb/diff_values').Member[]} members */
function memberLines(members) {
  return h('span', { class: 'values members mono' },
    members.slice(0, MOST_MEMBERS).map(({ path, sign, old, new: now }) => h('span', { class: 'member' },
      h('span', { class: 'quiet' }, `${sign === '→' ? '' : `${sign} `}`, path && [foreign(path, { most: 80 }), ' ']),
      sign === '⇅' ? text('changes.moved') : [old !== undefined && h('span', { class: 'old' }, foreign(valueText(old), { most: 120 })), sign === '→' && ' → ', now !== undefined && h('b', null, foreign(valueText(now), { most: 120 }))])),
    members.length > MOST_MEMBERS && h('span', { class: 'member quiet' }, text('inspect.some', { shown: MOST_MEMBERS, total: members.length })));
}

/** The label, and the bot's own name where that is another. @param {{label: string, name: string}} slot */
function name({ label, name: own }) {
  return h('span', { class: 'name' }, h('b', null, foreign(label, { most: 80 })), label !== own && [' ', h('span', { class: 'mono quiet' }, foreign(own, { most: 80 }))]);
}

/** @param {View} view @param {import('lb/diff').StaleRead} read */
function staleRow(view, read) {
  return h('li', null, h('button', {
    class: 'change stale', dataset: { focus: `stale ${read.id} ${read.seq}` },
    on: { click: () => view.go({ kind: 'node', id: read.id, turn: read.turn, seq: read.seq }) },
  },
  h('span', { class: 'sign mono', 'aria-hidden': 'true' }, '!'),
  h('span', { class: 'words' },
    name(read),
    h('span', { class: 'values mono' }, h('b', null, foreign(valueText(read.value), { most: 240 }))),
    h('span', { class: 'why' }, text(`changes.why.${read.why}`, { turn: read.written.turn })),
    whereOf(view, read))));
}

/** @param {View} view @param {import('lb/diff').Difference['flow']} flow @returns {Child} */
function flowLines(view, { from, to, entered, left }) {
  const { map } = view;
  if (!from && !to) return h('p', { class: 'quiet' }, text('changes.flow.none'));
  const path = from === to && !entered.length
    ? h('p', { class: 'quiet' }, text('changes.flow.same', { intent: plain(labelOf(map, to), 60) }))
    : h('p', { class: 'path' }, from ? foreign(labelOf(map, from), { most: 60 }) : text('changes.flow.start'), ' → ', to ? foreign(labelOf(map, to), { most: 60 }) : text('changes.flow.start'));
  const line = (/** @type {import('lb/diff').Passage} */ passage) => ({ ...passage, sub: passage.times > 1 ? `× ${passage.times}` : '' });
  return [path, chips(view, text('changes.entered'), 'flow', entered.map(line)), chips(view, text('changes.left'), 'flow', left.map(line))];
}

/** @param {View} view @param {import('lb/diff').Difference['docs']} docs @returns {Child} */
function docLines(view, { into, out, moved, kept }) {
  if (!into.length && !out.length && !moved.length) return h('p', { class: 'quiet' }, text(kept ? 'changes.docs.same' : 'changes.docs.none'));
  const line = (/** @type {import('lb/diff').DocChange} */ doc) => ({ ...doc, sub: [doc.rank ? `#${doc.rank}` : '', score(doc.score)].filter(Boolean).join(' ') });
  return [
    h('p', { class: 'quiet' }, text('changes.docs.what')),
    chips(view, text('changes.into'), 'knowledge', into.map(line)),
    chips(view, text('changes.out'), 'knowledge', out.map(line)),
    chips(view, text('changes.docs.moved'), 'knowledge', moved.map((doc) => ({
      ...doc,
      sub: doc.rank === doc.was.rank ? line(doc).sub : [doc.was, doc].map(({ rank }) => (rank ? `#${rank}` : '–')).join(' → '),
      below: doc.use === doc.was.use ? '' : [doc.was, doc].map(({ use }) => text(`changes.docs.${use}`)).join(' → '),
    }))),
  ];
}

/** @param {View} view @param {string} title @param {string} layer @param {{id: string, turn: number, seq: number, sub: string, below?: string}[]} items */
function chips({ map, go }, title, layer, items) {
  if (!items.length) return null;
  return h('div', { class: 'change-line' },
    h('h3', null, title),
    h('ul', { class: layer }, items.slice(0, MOST).map(({ id, turn, seq, sub, below }) => h('li', null, h('button', {
      class: 'step', title: plain(id, 200), dataset: { focus: `${title} ${id}` }, on: { click: () => go({ kind: 'node', id, turn, seq }) },
    }, h('span', { class: 'turn mono' }, String(turn)), h('i', { class: 'dot round filled' }), h('span', { class: 'words' }, foreign(labelOf(map, id), { most: 80 }), below && h('span', { class: 'below' }, below)), h('span', { class: 'end mono' }, sub))))));
}
