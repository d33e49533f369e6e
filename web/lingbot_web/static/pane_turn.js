// A turn: all that happened in it, in order. A finding: the sentence and its evidence. Nothing picked: the whole session.

import { foreign, h, plain } from 'lb/dom';
import { clock, count, day, score, stamp, valueText, zone } from 'lb/format';
import { known, lang, text } from 'lb/i18n';
import { acts, callout, callouts, facts, heading, nodeLink, part, saidAt, telling, timeOf } from 'lb/pane';
import { docLists, stageName } from 'lb/pane_doc';
import { docsOfTurn, findingsAbout, labelOf, seqsOfTurn, sizeOf, stepsOfTurn } from 'lb/past';
import { coverageOf } from 'lb/session_row';
import { unmaskedTitle } from 'lb/stats';

/** @typedef {import('lb/pane').View} View */
/** @typedef {import('lb/pane').Pane} Pane */
/** @typedef {import('lb/types').Edge} Edge */

// So many retrieval lines of one turn are listed; the documents are told apart below anyway.
const MOST_STEPS = 200;
const MOST_UNPLACED = 20;

/** @param {View} view @param {number} turn @returns {Pane} */
export function turnPane(view, turn) {
  const { map, upto } = view;
  const said = map.nodes.get(`utterance:${turn}`);
  const place = map.turn(turn);
  const happened = stepsOfTurn(map, turn, upto);
  const docs = docLists(view, docsOfTurn(map, turn, upto), turn);
  const answers = [...map.nodes.values()].filter((node) => node.kind === 'answer' && node.turn === turn && node.seq <= upto);
  const [first, last] = seqsOfTurn(map, turn);
  const to = Math.min(last, upto);
  const shown = happened.filter(told).slice(0, MOST_STEPS);
  const body = [
    heading(turn ? text('turn.title', { turn }) : text('score.opening'), text('kind.turn'), 'flow', place && place.id ? [foreign(place.id, { most: 60 }), ' · '] : '', place ? timeOf(view, place.at, turn) : ''),
    part(text('turn.said'), '', h('p', { class: 'speech' }, said?.label ? foreign(said.label, { most: 4000, lines: true }) : h('span', { class: 'quiet' }, text('inspect.silent')))),
    callouts(view, findingsAbout(map, { seqs: [first, to] }, upto)),
    part(text('turn.happened'), text('turn.events', { n: Math.max(0, to - first + 1) }), h('ol', { class: 'happened' }, shown.map((edge) => happening(view, edge)))),
    docs.map(({ title, total, list }) => part(title, total, list)),
    answers.map((answer) => part(text('answer.text'), '', h('p', { class: 'speech' }, foreign(answer.label, { most: 6000, lines: true })), nodeLink(view, answer.id, { turn, words: text('answer.open') }))),
  ];
  return { body, seqs: numbers(first, to) };
}

/** Leaves out what is said elsewhere: staying in an intent; the prompt's and the answer's documents, which stand below. @param {Edge} edge */
function told(edge) {
  if (edge.kind === 'jump') return edge.source !== edge.target || edge.props.condition || edge.props.closes;
  return edge.kind !== 'merge' && (edge.kind !== 'recall' || edge.props.stage !== 'prompt');
}

/** @param {number} from @param {number} to the last thousand of them */
function numbers(from, to) {
  const start = Math.max(from, to - 999);
  return Array.from({ length: Math.max(0, to - start + 1) }, (_, i) => start + i);
}

/** @param {View} view @param {Edge} edge */
function happening(view, edge) {
  const { map } = view;
  const { props } = edge;
  const layer = edge.layer;
  /** @param {string} id @param {string} [words] */
  const link = (id, words) => nodeLink(view, id, words === undefined ? { turn: edge.turn, seq: edge.seq } : { turn: edge.turn, seq: edge.seq, words });
  /** @type {import('lb/dom').Child} */
  let words;
  if (edge.kind === 'jump') {
    words = edge.source.startsWith('utterance:')
      ? [text('did.routed'), ' ', link(edge.target), ' ', h('span', { class: 'mono' }, score(props.confidence))]
      : [link(edge.source), ' → ', link(edge.target), props.condition ? [' ', h('code', null, foreign(props.condition, { most: 120 }))] : '', props.predicted_by ? [' ', h('span', { class: 'quiet' }, text('intent.predicted', { name: plain(props.predicted_by, 120) }))] : ''];
  } else if (edge.kind === 'assign') {
    words = props.change === 'cleared' ? [text('slot.cleared'), ' ', link(edge.target)] : [link(edge.target), ' = ', h('b', { class: 'mono' }, foreign(valueText(props.value), { most: 80 })), props.change === 'same' ? ` ${text('slot.same')}` : ''];
  } else if (edge.kind === 'read') words = [text('slot.read'), ' ', link(edge.source), ' ', h('span', { class: 'mono' }, foreign(valueText(props.value), { most: 60 }))];
  else if (edge.kind === 'overwrite') words = [link(edge.target), ' ', text('slot.overwrote'), ' ', h('span', { class: 'mono' }, foreign(`${valueText(props.old)} → ${valueText(props.new)}`, { most: 120 }))];
  else if (edge.kind === 'recall') words = [stageName(props.stage), ' ', link(edge.target), ' ', h('span', { class: 'mono' }, `${props.rank ? `#${props.rank}\u00a0` : ''}${score(props.score)}`)];
  else words = [link(edge.source), ' → ', link(edge.target, labelOf(map, edge.target).slice(0, 40))];
  const bad = view.blamed.has(edge.seq) && edge.kind !== 'recall';
  return h('li', { class: `${layer} ${bad ? 'bad' : ''} ${map.isUndone(edge.seq) ? 'undone' : ''}` }, h('span', { class: 'turn mono' }, count(edge.seq)), h('i', { class: 'dot' }), h('span', { class: 'words' }, words));
}

/** @param {View} view @param {import('lb/types').Finding} finding @returns {Pane} */
export function findingPane(view, finding) {
  const edges = evidenceOf(view, finding);
  const turns = finding.since && finding.since !== finding.turn ? text('inspect.turns', { from: finding.since, to: finding.turn }) : text('inspect.turn', { turn: finding.turn });
  const body = [
    heading(text(`finding.${finding.kind}`), finding.code, finding.kind === 'gap' ? 'lost' : 'bad', `${turns} · seq ${count(finding.seq)}`),
    h('div', { class: `callout ${finding.kind === 'gap' ? 'gap' : ''}` }, telling(view, finding, true), acts(view, finding)),
    edges.length > 0 && part(text('finding.evidence'), count(edges.length), h('ol', { class: 'happened' }, edges.slice(0, MOST_STEPS).map((edge, i) => [edge.turn !== edges[i - 1]?.turn && ofTurn(view, edge.turn), happening(view, edge)]))),
    part(text('inspect.facts'), '', facts(Object.entries(finding.facts).map(([name, value]) => [known(`fact.${name}`) ? text(`fact.${name}`) : plain(name, 40), factOf(view, name, value)]))),
  ];
  return { body, seqs: [...(finding.seqs.length ? finding.seqs : [finding.seq]), ...edges.map(({ seq }) => seq)] };
}

/** The edges a finding names, and of each ranking it counts those of the documents it is about. @param {View} view @param {import('lb/types').Finding} finding @returns {Edge[]} */
function evidenceOf({ map }, finding) {
  /** @type {Map<string, Edge>} */
  const found = new Map();
  for (const id of finding.edges) {
    const edge = map.edge(id);
    if (edge) found.set(edge.id, edge);
  }
  const ranked = finding.kind === 'drift' || finding.kind === 'stale' ? finding.seqs.slice(-MOST_STEPS) : [];
  for (const seq of ranked) for (const edge of map.edgesOfSeq(seq)) if (edge.kind === 'recall' && finding.nodes.includes(edge.target)) found.set(edge.id, edge);
  return [...found.values()].sort((a, b) => a.seq - b.seq);
}

/** The turn that the lines below it belong to. @param {View} view @param {number} turn */
function ofTurn(view, turn) {
  return h('li', { class: 'of-turn' }, h('button', { class: 'link', on: { click: () => view.go({ kind: 'turn', id: `utterance:${turn}`, turn, seq: 0 }) } }, text('inspect.turn', { turn })));
}

/** The value of a fact: names of nodes become links, a list stands in one line. @param {View} view @param {string} name @param {unknown} value @returns {import('lb/dom').Child} */
function factOf(view, name, value) {
  if (value === null || value === '' || (Array.isArray(value) && !value.length)) return '';
  if (Array.isArray(value)) return value.map((item, i) => [i ? (name === 'path' ? ' → ' : ' · ') : '', factOf(view, name, item)]);
  if (name === 'rule' && known(`rule.${value}`)) return text(`rule.${value}`);
  if (name === 'stage') return stageName(value);
  if (name === 'margin' && typeof value === 'number') return h('span', { class: 'mono' }, `${Math.round(value * 100)}%`);
  const id = typeof value === 'string' ? ['intent', 'slot', 'doc'].map((kind) => `${kind}:${value}`).find((known) => view.map.nodes.has(known)) : undefined;
  if (!id && name === 'missing') return foreign(value, { most: 300 }); // a slot that was never set has no node, and no other name
  return id ? nodeLink(view, id) : h('span', { class: 'mono' }, foreign(typeof value === 'number' && !Number.isInteger(value) ? score(value) : valueText(value), { most: 300 }));
}

/** The session as of the moment shown. @param {View} view @param {import('lb/inspect').Subject['feed']} feed @returns {Pane} */
export function overviewPane(view, feed) {
  const { map, upto } = view;
  const { about } = map;
  const findings = [...map.findings.values()].filter((finding) => finding.seq <= upto).reverse();
  const size = sizeOf(map, upto);
  const failed = feed.failures.filter(({ seq }) => seq <= upto).length;
  const start = map.turns[0] ? saidAt(map, map.turns[0].at, map.turns[0].number) : map.at;
  const end = saidAt(map, size.at, size.turns);
  /** @type {({en?: string, zh?: string, count?: number} | string)[]} */
  const lost = Array.isArray(about.lost) ? about.lost : [];
  const sentences = lost.map((entry) => (typeof entry === 'string' ? entry : (entry[lang()] ?? entry.en ?? '')));
  const body = [
    h(
      'header',
      { class: 'heading' },
      h('h1', null, text('overview.title')),
      h('div', { class: 'sub' }, map.about.timed === false ? text('sessions.untimed', { at: stamp(map.at) }) : start ? `${day(start)} ${clock(start)} – ${clock(end)} ${zone(start)}` : ''),
      h('div', { class: 'sub' }, text('sessions.turns', { n: size.turns }), ' · ', text('overview.size', { nodes: count(size.nodes), edges: count(size.edges) })),
    ),
    findings.slice(0, 50).map((finding) => callout(view, finding)),
    !findings.length && h('p', { class: 'quiet clean' }, text('overview.clean')),
    findings.length > 50 && h('p', { class: 'quiet clean' }, text('inspect.some', { shown: 50, total: count(findings.length) })),
    size.unplaced > 0 && part(text('overview.unplaced'), count(size.unplaced), unplacedList(view)),
    sentences.length > 0 && part(text((about.origin ?? 'probe') === 'probe' ? 'overview.untold' : 'overview.lost'), '', h('ul', { class: 'plain' }, sentences.slice(0, 30).map((sentence) => h('li', null, foreign(sentence, { most: 300 }))))),
    part(text('overview.events'), `seq ${count(size.events)}`, facts([
      [text('overview.received'), count(Math.min(feed.received, upto))],
      [text('overview.shown'), count(Math.max(0, size.events - failed - size.unplaced))],
      [text('overview.failed'), failed ? count(failed) : ''],
      [text('overview.missing'), size.missing ? h('b', { class: 'warn' }, count(size.missing)) : '0'],
      [text('overview.origin'), about.origin && about.origin !== 'probe' ? foreign(about.origin, { most: 60 }) : ''],
      [text('overview.masking'), maskingOf(about)],
      [text('overview.coverage'), coverageOf(about.coverage)],
    ])),
  ];
  const last = Math.min(map.cursor.seq, upto);
  return { body, seqs: numbers(Math.max(1, last - 39), last) };
}

/** How many values were masked, or that none were. @param {Record<string, any>} about */
function maskingOf({ masked, unmasked, origin }) {
  const n = Number(masked) || 0;
  return n > 0 || unmasked === true ? [n > 0 && h('div', null, text('stats.masked.title', { n: count(n) })), unmasked === true && h('div', { class: 'warn' }, text(unmaskedTitle(origin)))] : '';
}

/** Events of one name that are left out for one reason share a line, with the number of the first. @param {View} view */
function unplacedList({ map, upto }) {
  /** @type {Map<string, {event: (typeof map.unplaced)[number], times: number}>} */
  const groups = new Map();
  for (const event of map.unplaced) {
    if (event.seq > upto) continue;
    const key = JSON.stringify([event.name, event.why]);
    const group = groups.get(key);
    if (group) group.times++;
    else groups.set(key, { event, times: 1 });
  }
  const lines = [...groups.values()].slice(0, MOST_UNPLACED).map(({ event, times }) =>
    h('li', null, h('span', { class: 'turn mono' }, count(event.seq)), h('span', { class: 'words' }, foreign(event.name, { most: 60 }), ' ', h('span', { class: 'quiet' }, foreign(event.why, { most: 160 }))), times > 1 && h('span', { class: 'end mono' }, text('overview.times', { n: count(times) }))),
  );
  return h('ul', { class: 'happened unplaced' }, lines);
}
