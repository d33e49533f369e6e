// Folding: what each delta does to a map. Only this writes to one.
import { evidenceOf, mark, Spans, unmark } from 'lb/evidence';
import { EVENT_NUMBER, LAYER_OF_EDGE } from 'lb/kinds';
import { Lanes } from 'lb/lanes';
import { Marks } from 'lb/marks';
import { Rows } from 'lb/rows';
import { Source } from 'lb/sources';
import { Unapplied } from 'lb/unapplied';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/types').Node} Node */
/** @typedef {import('lb/types').Edge} Edge */
/** @typedef {import('lb/types').Turn} Turn */
/** @typedef {import('lb/types').Finding} Finding */
/** @typedef {import('lb/types').Lost} Lost */
/** @typedef {import('lb/types').Delta} Delta */
/** @typedef {import('lb/types').Props} Props */

/** What a delta touched, as bits. */
export const DIRTY = /** @type {const} */ ({ LANES: 1, ROWS: 2, TURNS: 4, FINDINGS: 8, SESSION: 16 });

const GAP = /** @type {number} */ (EVENT_NUMBER.get('gap'));
const RAW = /** @type {number} */ (EVENT_NUMBER.get('raw'));

/** Folds one delta in. @param {DialogueMap} map @param {Delta} delta @returns {number} what it touched, DIRTY bits */
export function fold(map, delta) {
  switch (delta.d) {
    case 'applied':
      return addMoment(map, delta);
    case 'session':
      map.about = { ...map.about, ...delta.props };
      if ('epoch' in delta.props) map.cursor = { epoch: delta.props.epoch, seq: map.cursor.seq };
      return DIRTY.SESSION;
    case 'turn':
      addTurn(map, delta.turn);
      return DIRTY.TURNS;
    case 'node':
      return addNode(map, delta.node) ? DIRTY.ROWS | DIRTY.LANES : DIRTY.LANES;
    case 'update':
      return updateNode(map, delta);
    case 'expire': {
      const place = map.places.get(delta.id);
      if (place !== undefined) replaceNode(map, place, { ...map.list[place], expired: true });
      return DIRTY.LANES;
    }
    case 'edge':
      addEdge(map, delta.edge);
      return DIRTY.LANES;
    case 'finding':
      setFinding(map, delta.finding);
      return DIRTY.FINDINGS;
    case 'lost':
      setLost(map, delta.lost);
      return DIRTY.FINDINGS;
    case 'undone':
      strike(map, delta.first, delta.last, delta.why);
      return DIRTY.LANES;
    case 'retire':
      retire(map, delta.turn, delta.before);
      return DIRTY.LANES | DIRTY.ROWS | DIRTY.TURNS | DIRTY.FINDINGS;
    case 'unplaced':
      map.unplaced.push(delta.unplaced);
      return DIRTY.SESSION;
    default:
      throw new Unapplied('unapplied.delta', { d: String(JSON.stringify(delta.d)) });
  }
}

/** @param {DialogueMap} map @param {Delta} delta */
function addMoment(map, delta) {
  const { seq, turn, at, source = '', n = 0 } = delta;
  const expected = map.firstMoment + map.momentAt.length;
  if (expected === 1) map.firstMoment = seq;
  else for (let s = expected; s < seq; s++) pushMoment(map, turn, GAP, map.at, s);
  map.cursor = { epoch: map.cursor.epoch, seq };
  map.at = at;
  pushMoment(map, turn, EVENT_NUMBER.get(delta.kind) ?? RAW, at, seq);
  if (n) sourceOf(map, source).see(n, seq);
  return 0;
}

/** @param {DialogueMap} map @param {string} name */
function sourceOf(map, name) {
  let known = map.sources.get(name);
  if (!known) map.sources.set(name, (known = new Source()));
  return known;
}

/** @param {DialogueMap} map @param {number} turn @param {number} kind @param {number} at @param {number} seq */
function pushMoment(map, turn, kind, at, seq) {
  map.momentTurn.push(turn);
  map.momentKind.push(kind);
  map.momentAt.push(at);
  map.lanes.event(turn, seq);
}

/** @param {DialogueMap} map @param {Turn} turn */
function addTurn(map, turn) {
  const i = turnPlace(map.turns, turn.number);
  map.turns.splice(i, map.turns[i]?.number === turn.number ? 1 : 0, turn);
  if (turn.number > map.totals.turns) map.totals.turns = turn.number;
  map.lanes.open(turn.number);
}

/** @param {DialogueMap} map @param {Node} node @returns {number} its place */
export function keep(map, node) {
  const place = map.list.length;
  map.list.push(node);
  map.ids.push(node.id);
  map.places.set(node.id, place);
  return place;
}

/** @param {DialogueMap} map @param {Node} node @returns {boolean} whether it brought a row */
function addNode(map, node) {
  const place = keep(map, node);
  map.steps.push(null);
  map.totals.nodes++;
  const added = map.rows.see(node, place);
  map.marks.seeNode(place);
  return added;
}

/** @param {DialogueMap} map @param {number} place @param {Node} node */
function replaceNode(map, place, node) {
  map.list[place] = node;
}

/** @param {DialogueMap} map @param {Delta} delta */
function updateNode(map, delta) {
  const place = map.places.get(delta.id);
  if (place === undefined) return 0;
  const old = map.list[place];
  const changed = Object.keys(delta.props).length > 0;
  if (changed) (map.steps[place] ??= map.stepsOf(place)).push([delta.seq, delta.props]);
  replaceNode(map, place, {
    ...old,
    label: delta.label || old.label,
    updated_at: delta.at,
    expires_at: delta.expires_at,
    expired: false,
    props: changed ? { ...old.props, ...delta.props } : old.props,
  });
  return DIRTY.LANES;
}

/** @param {DialogueMap} map @param {Edge} edge */
function addEdge(map, edge) {
  const source = map.places.get(edge.source);
  const target = map.places.get(edge.target);
  if (source === undefined || target === undefined) throw new Unapplied('unapplied.edge', { id: edge.id });
  map.totals.edges++;
  placeEdge(map, map.edges.push(edge, source, target));
}

/** Puts an edge into everything that is derived from edges. @param {DialogueMap} map @param {number} e */
function placeEdge(map, e) {
  const { turn, kind } = map.edges;
  map.lanes.count(turn.data[e], LAYER_OF_EDGE[kind.data[e]]);
  map.marks.see(e);
}

/** @param {DialogueMap} map @param {Finding} finding */
function setFinding(map, finding) {
  if (!map.findings.has(finding.id)) {
    const kind = `finding:${finding.kind}`;
    map.totals[kind] = (map.totals[kind] ?? 0) + 1;
  }
  map.findings.set(finding.id, finding);
  showFinding(map, finding);
}

/** @param {DialogueMap} map @param {Finding} finding */
function showFinding(map, finding) {
  hideFinding(map, finding.id);
  const found = evidenceOf(map, finding);
  map.evidence.set(finding.id, found);
  map.spans.add(found);
  map.lanes.open(finding.turn);
  mark(map, found);
}

/** @param {DialogueMap} map @param {string} id */
function hideFinding(map, id) {
  const old = map.evidence.get(id);
  if (!old) return;
  map.evidence.delete(id);
  map.spans.remove(old);
  unmark(map, old);
  for (const other of map.spans.between(old.finding.since, old.finding.turn)) if (other.finding.kind === old.finding.kind) mark(map, other);
}

/** @param {DialogueMap} map @param {Lost} lost */
function setLost(map, lost) {
  const i = map.losses.findIndex((old) => old.source === lost.source && old.first === lost.first);
  if (lost.missing) {
    if (i < 0) map.losses.push(lost);
    else map.losses[i] = lost;
    if (lost.source) sourceOf(map, lost.source).lose(lost.last);
    return;
  }
  if (i >= 0) map.losses.splice(i, 1);
  const id = `gap:${lost.source}:${lost.first}`;
  if (!map.findings.delete(id)) return;
  hideFinding(map, id);
  map.totals['finding:gap']--;
}

/** @param {DialogueMap} map @param {number} first @param {number} last @param {string} why */
function strike(map, first, last, why) {
  map.undone.push([first, last, why]);
  map.marks.strike(first, last);
}

/** Forgets what came before event `before`; see the map's side for what goes. @param {DialogueMap} map @param {number} turn @param {number} before */
function retire(map, turn, before) {
  map.retired = turn;
  map.edges.drop(map.edges.ofSeq(before));
  const held = new Set();
  for (let e = 0; e < map.edges.size; e++) held.add(map.edges.source.data[e]).add(map.edges.target.data[e]);
  /** @type {number[]} */
  const moved = [];
  const old = { list: map.list, steps: map.steps };
  map.list = [];
  map.ids = [];
  map.steps = [];
  map.places = new Map();
  for (const [place, node] of old.list.entries()) {
    moved.push(-1);
    if (node.seq < before && (node.kind === 'utterance' || node.kind === 'answer') && !held.has(place)) {
      continue;
    }
    moved[place] = map.list.length;
    map.places.set(node.id, map.list.length);
    map.list.push(node);
    map.ids.push(node.id);
    const steps = old.steps[place];
    map.steps.push(steps && merged(steps, before));
  }
  for (let e = 0; e < map.edges.size; e++) {
    map.edges.source.data[e] = moved[map.edges.source.data[e]];
    map.edges.target.data[e] = moved[map.edges.target.data[e]];
  }
  map.turns = map.turns.filter(({ number }) => number > turn);
  for (const [id, finding] of map.findings) if (finding.seq < before) map.findings.delete(id);
  map.losses = map.losses.filter(({ seq }) => seq >= before);
  map.undone = map.undone.filter(([, last]) => last >= before);
  map.unplaced = map.unplaced.filter(({ seq }) => seq >= before);
  const skip = before - map.firstMoment;
  if (skip > 0) {
    map.firstMoment = before;
    for (const column of [map.momentTurn, map.momentKind, map.momentAt]) column.drop(Math.min(skip, column.length));
  }
  derive(map);
}

/** Builds what is derived from nodes, edges and findings anew. @param {DialogueMap} map */
export function derive(map) {
  map.lanes = new Lanes();
  map.rows = new Rows();
  map.marks = new Marks(map.list, map.edges, map.rows, map.lanes);
  map.evidence = new Map();
  map.spans = new Spans();
  for (const { number } of map.turns) map.lanes.open(number);
  for (let i = 0; i < map.momentTurn.length; i++) map.lanes.event(map.momentTurn.data[i], map.firstMoment + i);
  map.list.forEach((node, place) => map.rows.see(node, place));
  let place = 0;
  for (let e = 0; e < map.edges.size; e++) {
    while (place < map.list.length && map.list[place].seq <= map.edges.seq.data[e]) map.marks.seeNode(place++);
    placeEdge(map, e);
  }
  while (place < map.list.length) map.marks.seeNode(place++);
  for (const [first, last] of map.undone) map.marks.strike(first, last);
  for (const finding of map.findings.values()) showFinding(map, finding);
}

/** Place of the first turn numbered at least `number`. @param {Turn[]} turns @param {number} number */
export function turnPlace(turns, number) {
  let low = 0;
  let high = turns.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (turns[middle].number < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Steps whose successor still lies before event `before` become one. @param {[number, Props][]} steps @param {number} before @returns {[number, Props][]} */
function merged(steps, before) {
  let keep = 0;
  while (keep + 1 < steps.length && steps[keep + 1][0] < before) keep++;
  if (!keep) return steps;
  return [[steps[keep][0], joined(steps.slice(0, keep + 1))], ...steps.slice(keep + 1)];
}

/** Later props over earlier ones. Spread, not assigned: a key may be called `__proto__`. @param {[number, Props][]} steps @returns {Props} */
export function joined(steps) {
  return steps.reduce((props, [, changed]) => ({ ...props, ...changed }), /** @type {Props} */ ({}));
}
