// The steps of the selected turn in the inspector: which of the design happened, which did not, and which nobody designed.

import { foreign, h } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { part } from 'lb/pane';

/** @typedef {import('lb/design_shown').Shown} Shown */
/** @typedef {import('lb/design_shown').Step} Step */

/** @type {Record<import('lb/design_shown').Status, string>} */
const SIGN = { matched: '✓', missing: '−', extra: '+', elsewhere: '⇅' };
const MOST = 200;

/** @param {Shown} shown @param {number} turn @param {(turn: number, seq: number) => void} go */
export function designPart(shown, turn, go) {
  const held = shown.turns.get(turn);
  const named = h('span', { class: 'design-title' }, text('design.title', { name: '' }), foreign(shown.name, { most: 60 }));
  const aside = !held ? '' : text(held.conforms ? 'design.conforms' : 'design.turn.apart');
  const body = !held
    ? h('p', { class: 'quiet' }, text('design.undrawn'))
    : held.fault
      ? h('p', { class: 'warn' }, foreign(held.fault, { most: 300 }))
      : h('ol', { class: 'design-steps' }, held.steps.slice(0, MOST).map((step, i) => line(step, turn, i, go)));
  const section = part('', aside, body);
  section.classList.add('design-part');
  if (held && !held.conforms) section.classList.add('apart');
  section.querySelector('h2 > span')?.replaceChildren(named);
  return section;
}

/** @param {Step} step @param {number} turn @param {number} place @param {(turn: number, seq: number) => void} go */
function line(step, turn, place, go) {
  const { status, message, label, event, kind, name, condition } = step;
  const words = message ? foreign(label, { most: 120 }) : foreign(`${kind} ${name}`.trim(), { most: 120 });
  const inner = [
    h('span', { class: 'design-sign', 'aria-hidden': 'true' }, SIGN[status]),
    h('span', { class: 'mono number' }, message || '·'),
    h('span', { class: 'words' }, words, condition && status !== 'matched' && h('span', { class: 'quiet' }, ' ', text('design.under', { condition: '' }), foreign(condition, { most: 120 }))),
    h('span', { class: 'sr' }, text(`design.status.${status}`)),
    h('span', { class: 'end mono' }, event ? count(event) : text(`design.status.${status}`)),
  ];
  const known = event
    ? h('button', { class: 'design-step', title: text('design.event', { seq: count(event) }), dataset: { focus: `design-${place}` }, on: { click: () => go(turn, event) } }, inner)
    : h('div', { class: 'design-step' }, inner);
  return h('li', { class: status }, known);
}
