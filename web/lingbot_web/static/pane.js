// The pieces that the inspector's panes are made of.

import { foreign, h, plain } from 'lb/dom';
import { clock, count, stamp } from 'lb/format';
import { lang, text } from 'lb/i18n';
import { glyph } from 'lb/icons';
import { loopJumps } from 'lb/pane_jumps';
import { labelOf } from 'lb/past';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/types').Finding} Finding */
/** @typedef {import('lb/types').Edge} Edge */
/** @typedef {import('lb/dom').Child} Child */
/**
 * What a pane is made from: the map as it stood after event `upto`, and what was picked.
 * @typedef {object} View
 * @property {import('lb/fold').DialogueMap} map
 * @property {number} upto
 * @property {Selection} selection
 * @property {Set<number>} blamed events that are evidence of a finding
 * @property {(selection: Selection) => void} go
 * @property {() => number} now time at the moment shown, Unix seconds; it runs on while that is the newest of a live session
 * @property {(finding: Finding) => void} copyLink
 * @property {(finding: Finding) => void} copyAssertion
 */
/** A pane: what is shown, the events behind it, and what runs on with the time. @typedef {{body: Child[], seqs: number[], tick?: (() => void) | undefined}} Pane */

// A list longer than this shows what lies nearest to the mark that was picked.
const LONGEST = 120;

/** @param {string} title @param {string} aside @param {Child[]} content */
export function part(title, aside, ...content) {
  return h('section', { class: 'part' }, h('h2', null, h('span', null, title), aside && h('span', null, aside)), content);
}

/** @param {string} label @param {string} kind @param {string} layer @param {Child[]} sub */
export function heading(label, kind, layer, ...sub) {
  return h('header', { class: 'heading' }, h('h1', null, foreign(label, { most: 300 }), h('span', { class: `chip ${layer}` }, kind)), h('div', { class: 'sub mono' }, sub));
}

/** "slot:brand · turn 18" under a heading. @param {View} view @param {string} id */
export function whereabouts(view, id) {
  const { turn } = view.selection;
  return [foreign(id, { most: 120 }), turn ? ` · ${text('inspect.picked', { turn })}` : ''];
}

/**
 * One line of a list: turn, dot, words, and what stands at the end; pressing it picks that mark.
 * @param {View} view
 * @param {{turn: number, seq: number, id: string, dot: string, bad?: boolean, words: Child, end?: Child, title?: string, number?: number}} line `number` stands in the turn's place
 */
function lineOf(view, { turn, seq, id, dot, bad, words, end, title, number = turn }) {
  const current = view.selection.seq ? view.selection.seq === seq : view.selection.turn === turn;
  return h(
    'li',
    null,
    h('button', {
      class: `step ${bad ? 'bad' : ''}`,
      'aria-current': current ? 'true' : null,
      title: title ?? null,
      dataset: { focus: `${id} ${seq}` },
      on: { click: () => view.go({ kind: 'node', id, turn, seq }) },
    }, h('span', { class: 'turn mono' }, String(number)), h('i', { class: `dot ${dot}` }), h('span', { class: 'words' }, words), h('span', { class: 'end mono' }, end)),
  );
}

/** @param {View} view @param {string} layer @param {Parameters<typeof lineOf>[1][]} lines */
export function steps(view, layer, lines) {
  let shown = lines;
  if (lines.length > LONGEST) {
    const { seq, turn } = view.selection;
    const at = lines.findIndex((line) => (seq ? line.seq >= seq : line.turn >= turn));
    const middle = at < 0 ? lines.length : at;
    const from = Math.max(0, Math.min(lines.length - LONGEST, middle - LONGEST / 2));
    shown = lines.slice(from, from + LONGEST);
  }
  return [
    h('ol', { class: `steps ${layer}` }, shown.map((line) => lineOf(view, line))),
    shown.length < lines.length && h('p', { class: 'quiet' }, text('inspect.some', { shown: count(shown.length), total: count(lines.length) })),
  ];
}

/**
 * A time of the map on the source's own clock, where its turn says how far that one is off.
 * @param {import('lb/fold').DialogueMap} map @param {number} at @param {number} turn
 */
export function saidAt(map, at, turn) {
  const lane = map.turn(turn);
  return typeof lane?.said_at === 'number' ? at - lane.at + lane.said_at : at;
}

/** @param {View} view @param {number} at @param {number} turn */
export function timeOf(view, at, turn) {
  if (view.map.about.timed === false) return h('span', { class: 'quiet' }, turn > 0 ? text('inspect.turn', { turn }) : ''); // no source's clock, no time
  const said = saidAt(view.map, at, turn);
  return h('time', { title: said === at ? stamp(at) : `${text('inspect.said')} ${stamp(said)}\n${text('inspect.taken')} ${stamp(at)}` }, clock(said));
}

/** A link to a node of the map. @param {View} view @param {string} id @param {{turn?: number, seq?: number, words?: string}} [how] */
export function nodeLink(view, id, { turn = 0, seq = 0, words } = {}) {
  const label = words ?? labelOf(view.map, id);
  if (!view.map.nodes.has(id)) return foreign(label, { most: 80 });
  return h('button', { class: 'link', title: plain(id, 200), on: { click: () => view.go({ kind: 'node', id, turn, seq }) } }, foreign(label, { most: 80 }));
}

/** Names and values in two columns; empty ones are left out. @param {[string, Child][]} pairs */
export function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false);
  return shown.length ? h('dl', { class: 'facts' }, shown.map(([name, value]) => [h('dt', null, name), h('dd', null, value)])) : null;
}

/** A finding as a callout: what it is and where it spans, then what `telling` says. @param {View} view @param {Finding} finding */
export function callout(view, finding) {
  const turns = finding.since === finding.turn || !finding.since ? text('inspect.turn', { turn: finding.turn }) : text('inspect.turns', { from: finding.since, to: finding.turn });
  return h(
    'div',
    { class: `callout ${finding.kind === 'gap' ? 'gap' : ''}` },
    h(
      'button',
      { class: 'callout-head', dataset: { focus: finding.id }, on: { click: () => view.go({ kind: 'finding', id: finding.id, turn: finding.turn, seq: finding.seq }) } },
      glyph(finding.kind),
      h('b', null, text(`finding.${finding.kind}`)),
      h('span', { class: 'mono quiet' }, `${finding.code} · ${turns}`),
    ),
    telling(view, finding),
    acts(view, finding),
  );
}

/** What can be done with a finding. @param {View} view @param {Finding} finding */
export function acts(view, finding) {
  return h('div', { class: 'acts' },
    h('button', { class: 'text-button', dataset: { focus: `link ${finding.id}` }, on: { click: () => view.copyLink(finding) } }, text('inspect.copy')),
    h('button', { class: 'text-button', dataset: { focus: `assert ${finding.id}` }, on: { click: () => view.copyAssertion(finding) } }, text('inspect.assert')));
}

/** Why, in a sentence, the jumps of a loop and the nodes it names as links. @param {View} view @param {Finding} finding @param {boolean} [all] also the jumps without a condition */
export function telling(view, finding, all = false) {
  const { map } = view;
  return [
    h('p', null, foreign(finding.reason[lang()] || finding.reason.en || '', { most: 600 })),
    finding.kind === 'loop' && loopJumps(view, finding, all),
    finding.nodes.length > 0 && h('p', { class: 'evidence' }, finding.nodes.slice(0, 6).map((id, i) => [i ? ' · ' : '', nodeLink(view, id, { ...markOf(map, finding, id), words: labelOf(map, id) })])),
  ];
}

/** The callouts of one subject, those nearest to what was picked first; more than two fold away. @param {View} view @param {Finding[]} findings */
export function callouts(view, findings) {
  const { turn } = view.selection;
  const near = (/** @type {Finding} */ finding) => (turn ? Math.max(finding.since - turn, turn - finding.turn, 0) : -finding.seq);
  const sorted = [...findings].sort((a, b) => near(a) - near(b) || b.seq - a.seq);
  return [
    sorted.slice(0, 2).map((finding) => callout(view, finding)),
    sorted.length > 2 && h('details', { class: 'more-callouts' }, h('summary', null, text('inspect.more', { n: sorted.length - 2 })), sorted.slice(2, 40).map((finding) => callout(view, finding))),
  ];
}

/** The mark of a node that a finding speaks of: the latest of its events on that node. @param {import('lb/fold').DialogueMap} map @param {Finding} finding @param {string} id */
function markOf(map, finding, id) {
  for (let i = finding.edges.length - 1; i >= 0; i--) {
    const edge = map.edge(/** @type {string} */ (finding.edges[i]));
    if (edge && (edge.source === id || edge.target === id)) return { turn: edge.turn, seq: edge.seq };
  }
  return { turn: finding.turn, seq: 0 };
}
