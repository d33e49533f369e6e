// The words of a difference between two sessions: where it is, what it is about, and what each side has. Intents, slots and
// documents are called what the rows of the scores call them.

import { isCleared } from 'lb/compare';
import { foreign, h, plain } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { stageName } from 'lb/pane_doc';

/** @typedef {import('lb/compare').Difference} Difference */
/** @typedef {import('lb/fold').DialogueMap} DialogueMap */

const LONGEST = 60;
/** What the names in a difference are ids of. */
const NAMED = { jump: 'intent', recall: 'doc', answer: 'doc' };

/** @param {Difference} difference */
export function placeOf({ a, b }) {
  return [a === null ? '' : `A ${count(a)}`, b === null ? '' : `B ${count(b)}`].filter(Boolean).join(' · ');
}

/** @param {Difference} difference @param {DialogueMap[]} maps the two that are compared */
export function wordsOf({ kind, a, name, rank, was, is }, maps) {
  const said = (/** @type {unknown[]} */ has) => foreign(sideOf(kind, has, maps), { most: LONGEST });
  if (kind === 'turn') return [h('b', null, text('compare.turn', { side: a === null ? 'B' : 'A' })), ' ', said(a === null ? is : was)];
  return [h('b', null, text(`compare.${kind}`, { name: plain(aboutOf(kind, name, maps), LONGEST), rank: count(rank) })), ' ', said(was), ' → ', said(is)];
}

/** @param {Difference['kind']} kind @param {string} name @param {DialogueMap[]} maps */
function aboutOf(kind, name, maps) {
  if (kind === 'recall') return stageName(name);
  if (kind === 'slot') {
    const label = labelOf('slot', name, maps);
    return label === name ? name : `${label} ${name}`;
  }
  if (kind !== 'finding') return name;
  for (const map of maps) for (const finding of map.findings.values()) if (finding.code === name) return `${text(`finding.${finding.kind}`)} ${name}`;
  return name;
}

/** @param {string} kind @param {string} id without its kind @param {DialogueMap[]} maps */
function labelOf(kind, id, maps) {
  for (const map of maps) {
    const label = map.node(`${kind}:${id}`)?.label;
    if (label) return label;
  }
  return id;
}

/** @param {Difference['kind']} kind @param {unknown[]} has @param {DialogueMap[]} maps */
function sideOf(kind, has, maps) {
  if (!has.length) return text(kind === 'slot' ? 'compare.left' : 'compare.none');
  if (kind === 'slot') return isCleared(has[0]) ? text('compare.cleared') : typeof has[0] === 'string' ? has[0] : JSON.stringify(has[0]);
  const named = kind === 'jump' || kind === 'recall' || kind === 'answer' ? NAMED[kind] : '';
  return has.map((each) => (each === '' ? '∅' : named ? labelOf(named, String(each), maps) : String(each))).join(kind === 'jump' ? ' → ' : text('list.join'));
}
