import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { align } from 'lb/align';
import { compare, factsOf, isCleared } from 'lb/compare';
import { inLanes, numbersOf } from 'lb/compare_lanes';
import { Telling } from './telling.js';

/** @type {{what: string, a: string[], b: string[], pairs: [number, number][]}[]} */
const vectors = JSON.parse(readFileSync(new URL('../vectors/alignment/turns.json', import.meta.url), 'utf8'));

for (const { what, a, b, pairs } of vectors) test(`turns are matched as the vectors say: ${what}`, () => assert.deepEqual(align(a, b), pairs));

test('a thousand turns against a thousand take no longer than a table of them, more of them are divided', () => {
  const words = ['yes', 'no', 'ok'];
  const some = (/** @type {number} */ seed) => Array.from({ length: 1000 }, (_, i) => words[(i * seed * 7919) % 3]);
  const long = (/** @type {string} */ side) => Array.from({ length: 6000 }, (_, i) => (i % 50 ? `${side} ${i}` : `both ${i}`));
  const began = performance.now();
  align(some(1), some(2));
  assert.ok(align(long('left'), long('right')).length >= 120);
  assert.ok(performance.now() - began < 5000);
});

test('each kind of difference is found once, in the lane of its pair', () => {
  const a = new Telling('a').said('hello').routed('greet').assigned('city', 'Lund').said('bill').routed('bill').recalled('reranked', { x: 0.9, y: 0.2 }).answered('x');
  const b = new Telling('b').said('good day').said('Hello ').routed('greet').assigned('city', 'Malmö').said('bill').routed('price').recalled('reranked', { x: 0.9, z: 0.2 }).answered('z');
  const { rows, differences } = compare(factsOf(a.map), factsOf(b.map));
  assert.deepEqual(rows, [[null, 1], [1, 2], [2, 3]]);
  assert.deepEqual(differences.map(({ kind, row, name, rank, was, is }) => [kind, row, name, rank, was, is]), [
    ['turn', 0, '', 0, [], ['good day']],
    ['slot', 1, 'city', 0, ['Lund'], ['Malmö']],
    ['jump', 2, '', 0, ['bill'], ['price']],
    ['recall', 2, 'reranked', 2, ['y'], ['z']],
    ['answer', 2, '', 0, ['x'], ['z']],
  ]);
  assert.deepEqual(compare(factsOf(a.map), factsOf(a.map)).differences, []);
  assert.ok(!isCleared('cleared'));
});

test('a keyframe stands in the lanes of its pairs and keeps the rest', () => {
  const kf = {
    session: 's', retired: 3, totals: { nodes: 1, turns: 9 }, turns: { number: [4, 5], id: ['x', 'y'] }, nodes: { id: ['slot:s'], turn: [4] }, edges: { turn: [5, 5] },
    moments: { first: 1, turn: [0, 4, 5] }, findings: [{ id: 'f', since: 4, turn: 5 }], losses: [{ turn: 5, missing: 1 }], unplaced: [],
  };
  const placed = inLanes(kf, [null, 4, null, 5]);
  assert.deepEqual(placed.turns, { number: [2, 4], id: ['x', 'y'] });
  assert.deepEqual([placed.nodes.turn, placed.edges.turn, placed.moments.turn], [[2], [4, 4], [0, 2, 4]]);
  assert.deepEqual([placed.findings, placed.losses, placed.retired, placed.totals], [[{ id: 'f', since: 2, turn: 4 }], [{ turn: 4, missing: 1 }], 0, { nodes: 1, turns: 4 }]);
  assert.deepEqual([...numbersOf([null, 4])], [[1, ''], [2, '4']]);
  assert.deepEqual(kf.turns.number, [4, 5], 'what was given is left as it was');
});
