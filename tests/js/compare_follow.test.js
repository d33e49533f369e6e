// A comparison that grows: when its sessions are asked for again, and where the reader is then.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Following, carriedOver, placeOfSame } from 'lb/compare_follow';

/** @param {number} n @returns {[number | null, number | null][]} */
const pairs = (n) => Array.from({ length: n }, (_, i) => [i + 1, i + 1]);

/** @param {number} a @param {string} name @returns {import('lb/compare').Difference} */
const slot = (a, name) => ({ kind: 'slot', row: a - 1, a, b: a, name, rank: 0, was: [1], is: [2] });

test('at the end of the axis the window goes with it, unless what is looked at would leave it', () => {
  assert.deepEqual(carriedOver({ from: 8, to: 21 }, pairs(20), pairs(24), 0), { from: 12, to: 25 });
  assert.deepEqual(carriedOver({ from: 8, to: 21 }, pairs(20), pairs(24), 14), { from: 12, to: 25 });
  assert.deepEqual(carriedOver({ from: 8, to: 21 }, pairs(20), pairs(24), 9), { from: 8, to: 21 });
  assert.deepEqual(carriedOver({ from: 3, to: 16 }, pairs(20), pairs(24), 0), { from: 3, to: 16 });
});

test('turns that are matched otherwise by now move the window along with those in it', () => {
  const before = pairs(30);
  /** @type {[number | null, number | null][]} */
  const rows = [[null, 1], [null, 2], ...pairs(30).map(([a, b]) => /** @type {[number | null, number | null]} */ ([a, (b ?? 0) + 2]))];
  assert.deepEqual(carriedOver({ from: 5.5, to: 18.5 }, before, rows, 0), { from: 7.5, to: 20.5 });
  assert.deepEqual(carriedOver({ from: 2, to: 15 }, rows, before, 0), { from: 2, to: 15 });
});

test('the difference that was looked at is the same one, or the one in its place', () => {
  const differences = [slot(2, 'x'), slot(5, 'x'), slot(5, 'y')];
  assert.equal(placeOfSame(differences, slot(5, 'x'), 0), 1);
  assert.equal(placeOfSame(differences, slot(9, 'z'), 7), 2);
  assert.equal(placeOfSame([], slot(2, 'x'), 1), -1);
  assert.equal(placeOfSame(differences, undefined, -1), 0);
});

test('a session is asked for again once however often it grew, and one that grows meanwhile once more', async () => {
  Object.assign(globalThis, { window: globalThis });
  /** @type {string[][]} */
  const asked = [];
  const done = new Promise((resolve) => {
    const following = new Following(async (keys) => {
      asked.push([...keys].sort());
      if (asked.length === 1) following.heard('b');
      else resolve(null);
    });
    for (const key of ['a', 'b', 'a']) following.heard(key);
  });
  await done;
  assert.deepEqual(asked, [['a', 'b'], ['b']]);
});

test('what is no longer looked at is not asked for', async () => {
  const following = new Following(async () => assert.fail('nobody looks'));
  following.heard('a');
  following.stop();
  assert.equal(following.timer, 0);
});
