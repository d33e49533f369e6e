// The page's fold beside the mapper's map: the vectors are made by the map's side.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DialogueMap } from 'lb/fold';
import { MARK } from 'lb/kinds';

const VECTORS = new URL('../vectors/', import.meta.url);
const vectors = readdirSync(VECTORS)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(new URL(name, VECTORS), 'utf8')));

test('there are vectors', () => assert.ok(vectors.length >= 8, `only ${vectors.length}`));

/** What the marks of two maps are, without their places. @param {DialogueMap} map */
function drawn(map) {
  const { marks } = map;
  return Array.from({ length: marks.size }, (_, i) => [
    marks.kind.data[i], map.ids[marks.node.data[i]], marks.turn.data[i], marks.seq.data[i], marks.k.data[i], marks.flags.data[i], marks.bad.data[i],
  ].join(' '));
}

for (const { name, deltas, dump, keyframe } of vectors) {
  const session = dump.session;
  test(`${name}: folding the deltas gives the mapper's map`, () => {
    const map = DialogueMap.empty(session);
    for (const delta of deltas) map.apply(structuredClone(delta));
    assert.deepEqual(JSON.parse(JSON.stringify(map.dump())), dump);
  });

  test(`${name}: a keyframe gives the same map, and what is derived from it`, () => {
    const folded = DialogueMap.empty(session);
    for (const delta of deltas) folded.apply(delta);
    const loaded = DialogueMap.fromKeyframe(keyframe);
    assert.deepEqual(JSON.parse(JSON.stringify(loaded.dump())), dump);
    assert.deepEqual(drawn(loaded), drawn(folded));
    assert.equal(loaded.marks.linkKind.length, folded.marks.linkKind.length);
    assert.deepEqual(loaded.rows.of, folded.rows.of);
  });

  test(`${name}: stopping anywhere and going on from a keyframe's kind of copy changes nothing`, () => {
    const map = DialogueMap.empty(session);
    const half = Math.floor(deltas.length / 2);
    for (const delta of deltas.slice(0, half)) map.apply(delta);
    const copy = DialogueMap.fromKeyframe(asKeyframe(map));
    for (const delta of deltas.slice(half)) copy.apply(delta);
    assert.deepEqual(JSON.parse(JSON.stringify(copy.dump())), dump);
  });

  test(`${name}: props at a moment are those of the steps up to it`, () => {
    const map = DialogueMap.empty(session);
    for (const delta of deltas) map.apply(delta);
    for (const [id, steps] of Object.entries(dump.history)) {
      /** @type {Record<string, unknown>} */
      const props = {};
      for (const [seq, changed] of /** @type {[number, Record<string, unknown>][]} */ (steps)) {
        Object.assign(props, changed);
        if (steps.filter((/** @type {[number, unknown]} */ [other]) => other === seq).at(-1)?.[1] !== changed) continue;
        assert.deepEqual(map.propsAt(id, seq), props);
        for (const key of Object.keys(props)) assert.deepEqual(map.valueAt(id, key, seq), props[key]);
      }
      assert.deepEqual(map.propsAt(id, null), map.node(id)?.props);
    }
  });

  test(`${name}: edges are found again by id, node and event`, () => {
    const map = DialogueMap.empty(session);
    for (const delta of deltas) map.apply(delta);
    for (const [id, edge] of Object.entries(dump.edges)) {
      assert.deepEqual(map.edge(id), edge);
      for (const end of [edge.source, edge.target]) assert.ok(map.edgesOf(end).some((other) => other.id === id));
      assert.ok(map.edgesOfSeq(edge.seq).some((other) => other.id === id));
    }
    assert.equal(map.edge('jump:999999'), null);
  });
}

/** @param {DialogueMap} map */
function asKeyframe(map) {
  const dump = JSON.parse(JSON.stringify(map.dump()));
  const columns = (/** @type {any[]} */ rows, /** @type {string[]} */ names) => Object.fromEntries(names.map((n) => [n, rows.map((row) => row[n])]));
  const nodes = Object.values(dump.nodes);
  const place = new Map(nodes.map((node, i) => [node.id, i]));
  const edges = Object.values(dump.edges).map((edge) => ({ ...edge, source: place.get(edge.source), target: place.get(edge.target) }));
  const history = nodes.flatMap((node, i) => dump.history[node.id].map((/** @type {[number, unknown]} */ [seq, props]) => ({ node: i, seq, props })));
  return {
    ...dump,
    nodes: columns(nodes, ['id', 'kind', 'layer', 'label', 'turn', 'seq', 'created_at', 'updated_at', 'expires_at', 'expired', 'props']),
    edges: columns(edges, ['id', 'kind', 'layer', 'source', 'target', 'turn', 'seq', 'at', 'props']),
    history: columns(history, ['node', 'seq', 'props']),
    turns: columns(dump.turns, ['number', 'id', 'seq', 'at', 'said_at']),
    findings: Object.values(dump.findings),
    sources: Object.fromEntries(Object.entries(dump.sources).map(([key, [mark, missing, runs]]) => [key, { mark, missing, runs }])),
  };
}

test('an unknown delta is refused, not passed over', () => {
  assert.throws(() => DialogueMap.empty('s').apply({ d: 'teleport' }), /teleport/);
});

test('every mark of a row is in order of seq, and marks before the first utterance open lane 0', () => {
  for (const { deltas, dump } of vectors) {
    const map = DialogueMap.empty(dump.session);
    for (const delta of deltas) map.apply(delta);
    for (const rows of Object.values(map.rows.of)) {
      for (const row of rows) for (let i = 1; i < row.marks.length; i++) assert.ok(map.marks.seq.data[row.marks[i - 1]] <= map.marks.seq.data[row.marks[i]]);
    }
    const shown = Object.values(dump.nodes).filter(({ kind }) => kind === 'utterance' || kind === 'answer');
    const early = [...shown, ...Object.values(dump.edges), ...Object.values(dump.findings)].some(({ turn }) => turn === 0);
    assert.equal(map.firstTurn, dump.retired ? dump.retired + 1 : early ? 0 : 1, dump.session);
  }
});

test('a mark stands where it stood, whatever comes after it', () => {
  for (const { deltas, dump, name } of vectors) {
    if (dump.retired) continue;
    const map = DialogueMap.empty(dump.session);
    /** @type {Map<string, string>} */
    const places = new Map();
    for (const delta of deltas) {
      map.apply(delta);
      const { marks } = map;
      for (let i = 0; i < marks.size; i++) {
        const key = `${marks.kind.data[i]} ${map.ids[marks.node.data[i]]} ${marks.seq.data[i]} ${i}`;
        const place = `${marks.turn.data[i]} ${map.rows.number[marks.node.data[i]]} ${marks.k.data[i]}`;
        assert.equal(places.get(key) ?? place, place, `${name}: ${key} moved`);
        places.set(key, place);
      }
    }
    assert.ok([...places.keys()].some((key) => key.startsWith(String(MARK.UTTERANCE))) || !map.lastTurn);
  }
});
