// A regression test for what the reader found, as Python for the bot's own suite: the same words said again, and what the
// map must or must not look like then. A map in, text out; its comments on how to run it are in the reader's language.

import { endOf } from 'lb/diff';
import { plain } from 'lb/dom';
import { text } from 'lb/i18n';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/types').Finding} Finding */
/** @typedef {import('lb/types').Selection} Selection */

// More is no test that anybody keeps; the newest lead to what is looked at.
const MOST_SAID = 400;
// What a reader of the code can't see, or what turns the text around it.
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
// What a probe's mask leaves: a pseudonym, or the kind alone of what is secret. The same forms as in the probes' finding.py.
const MASKED = /\[(?:mask failed|[a-z]{2,10}:[0-9a-f]{6,10}|password|token|code|secret|cookie|key|phone|email|id|card|iban|number|masked)\]/g;
const MOST_SHOWN = 5;

/**
 * @param {DialogueMap} map @param {Selection | null} selection null: all that the last turn left
 * @param {number} upto seq of the moment shown, or Infinity
 * @returns {string} a module for pytest, using the fixture `dialogue_map` of our plugin
 */
export function assertionFor(map, selection, upto) {
  const finding = selection?.kind === 'finding' ? map.findings.get(selection.id) : undefined;
  const shown = upto === Infinity ? map.lastTurn : Math.max(0, map.turnOf(upto));
  const turn = finding?.turn ?? (selection?.turn ? Math.min(selection.turn, shown) : shown);
  const { about, name, claims } = finding ? ofFinding(finding) : ofSelection(map, selection, turn);
  const { said, left } = saidUpTo(map, turn);
  return [
    `# Turn ${turn} of session ${plain(map.session, 120)}: ${plain(about, 400)}`,
    ...(left ? [`# The ${left} turns before these words are left out.`] : []),
    `# ${text('assert.run')}`,
    'from lingbot_map.testing import assert_map',
    '',
    ...onMasked(said.map(literal), claims),
    'SAID = [',
    ...said.map((words) => `    ${literal(words)},`),
    ']',
    '',
    '',
    `def test_turn_${turn}_${name}(dialogue_map):`,
    '    claims = assert_map(dialogue_map.say(SAID).map())',
    ...claims.map((claim) => `    claims.${claim}`),
    '',
  ].join('\n');
}

/** Comments on values that were masked: the bot never heard these marks. @param {string[]} said @param {string[]} claimed */
function onMasked(said, claimed) {
  const heard = said.flatMap((words) => words.match(MASKED) ?? []);
  const held = claimed.flatMap((claim) => claim.match(MASKED) ?? []);
  const marks = [...new Set([...heard, ...held])];
  if (!marks.length) return [];
  const shown = marks.slice(0, MOST_SHOWN).join(' ') + (marks.length > MOST_SHOWN ? ' …' : '');
  return [
    `# ${text('assert.masked', { n: marks.length, shown })}`,
    ...(heard.length ? [`# ${text('assert.masked.said')}`] : []),
    ...(held.length ? [`# ${text('assert.masked.held')}`] : []),
  ];
}

/** `claims` are calls of what `assert_map` gives. @typedef {{about: string, name: string, claims: string[]}} Claim */

/** It must not be found again. @param {Finding} finding @returns {Claim} */
function ofFinding({ code, kind, reason }) {
  return { about: `${code} ${reason.en || reason.zh || kind}`, name: `never_${kind}`, claims: [`never(${literal(kind)})`] };
}

/** What the turn left is as recorded: the reader writes down what it should have been. @param {DialogueMap} map @param {Selection | null} selection @param {number} turn @returns {Claim} */
function ofSelection(map, selection, turn) {
  const id = nodeOf(map, selection);
  const node = map.node(id);
  const end = endOf(map, turn);
  const about = 'as recorded; where that was wrong, write down what is right';
  const path = `path(${listed(pathUpTo(map, end))})`;
  const docs = `answered_from(${listed(docsUpTo(map, end))})`;
  /** @param {string} slot */
  const held = (slot) => `slot(${literal(slot.slice(5))}).ends_as(${literal(valueAt(map, slot, end))})`;
  if (node?.kind === 'slot') return { about, name: `slot_${identifier(id.slice(5))}`, claims: [held(id)] };
  if (node?.kind === 'intent') return { about, name: `flow_${identifier(id.slice(7))}`, claims: [path] };
  if (node?.kind === 'doc' || node?.kind === 'answer') return { about, name: 'answer', claims: [docs] };
  const slots = map.nodesOfKind('slot').filter(({ seq }) => seq <= end).map((slot) => held(slot.id));
  return { about, name: 'state', claims: [path, ...slots, docs] };
}

/** @param {string[]} values */
function listed(values) {
  return values.map(literal).join(', ');
}

/** The node that is looked at: of an edge, the one that the inspector tells of. @param {DialogueMap} map @param {Selection | null} selection */
function nodeOf(map, selection) {
  if (selection?.kind === 'node') return selection.id;
  const edge = selection?.kind === 'edge' ? map.edge(selection.id) : null;
  return edge ? (edge.kind === 'read' ? edge.source : edge.target) : '';
}

/** @param {DialogueMap} map @param {string} id @param {number} seq */
function valueAt(map, id, seq) {
  const props = map.propsAt(id, seq);
  return props?.set ? (props.value ?? null) : null;
}

/** The intents in the order of their visits, without what was undone, as the map walks them. @param {DialogueMap} map @param {number} end */
function pathUpTo(map, end) {
  const path = [];
  for (let e = map.edges.ofSeq(end + 1) - 1; e >= 0; e--) if (map.edges.ids[e].startsWith('jump:') && !map.isUndone(map.edges.seq.data[e])) path.push(map.ids[map.edges.target.data[e]].slice(7));
  return path.reverse();
}

/** The documents of the newest answer. @param {DialogueMap} map @param {number} end @returns {string[]} */
function docsUpTo(map, end) {
  const answer = map.nodesOfKind('answer').findLast(({ seq }) => seq <= end && !map.isUndone(seq));
  return Array.isArray(answer?.props.docs) ? answer.props.docs.map(String) : [];
}

/** What the user said up to the end of a turn; a turn that the bot opened has no words. @param {DialogueMap} map @param {number} turn */
function saidUpTo(map, turn) {
  const said = [];
  let first = turn + 1;
  while (first > Math.max(1, map.firstTurn) && said.length < MOST_SAID) {
    const label = map.node(`utterance:${--first}`)?.label;
    if (label) said.push(label);
  }
  return { said: said.reverse(), left: Math.max(0, first - 1) };
}

/** @param {string} name */
function identifier(name) {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '').slice(0, 40) || 'value';
}

/** A JSON value as Python writes it. @param {unknown} value @returns {string} */
export function literal(value) {
  if (value === null || value === undefined) return 'None';
  if (value === true || value === false) return value ? 'True' : 'False';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'None';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return `{${Object.entries(value).map(([key, member]) => `${quoted(key)}: ${literal(member)}`).join(', ')}}`;
}

/** JSON's text is Python's, but for what can't be seen. @param {string} value */
function quoted(value) {
  return JSON.stringify(value).replace(UNSEEN, (char) => {
    const code = /** @type {number} */ (char.codePointAt(0));
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
