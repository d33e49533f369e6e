import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rate, eventsAfter, judge, waitBefore } from 'lb/resume';

const at = { epoch: 'e1', seq: 10 };

test('a batch is applied, known, too early or of another stream', () => {
  assert.equal(judge(at, { epoch: 'e1', first: 11, last: 12 }), 'apply');
  assert.equal(judge(at, { epoch: 'e1', first: 8, last: 12 }), 'apply', 'an overlap');
  assert.equal(judge(at, { epoch: 'e1', first: 5, last: 10 }), 'repeat');
  assert.equal(judge(at, { epoch: 'e1', first: 12, last: 13 }), 'hole');
  assert.equal(judge(at, { epoch: 'e2', first: 11, last: 12 }), 'stranger', 'numbers of another epoch mean other events');
});

/** @param {number} seq */
const event = (seq) => [{ d: 'applied', seq }, { d: 'edge', of: seq }, { d: 'node', of: seq }];

test('of an overlapping batch only what lies past the cursor is left, event by event', () => {
  const deltas = [9, 10, 11, 12].flatMap(event);
  const events = eventsAfter(deltas, 10);
  assert.deepEqual(events.map(({ seq }) => seq), [11, 12]);
  assert.ok(events.every(({ seq, deltas: own }) => own.length === 3 && own.every((delta) => /** @type {any} */ (delta).seq === seq || /** @type {any} */ (delta).of === seq)));
});

test('an event that stands twice in a batch counts once', () => {
  assert.deepEqual(eventsAfter([11, 12, 11, 12, 13].flatMap(event), 10).map(({ seq }) => seq), [11, 12, 13]);
});

test('deltas before the first event belong to none', () => {
  assert.deepEqual(eventsAfter([{ d: 'edge' }, ...event(11)], 10)[0]?.deltas.length, 3);
  assert.deepEqual(eventsAfter([{ d: 'edge' }], 10), []);
});

test('waits double up to 15 s and are spread', () => {
  const middle = [1, 2, 3, 4, 5, 6, 7, 50].map((attempt) => waitBefore(attempt, 0.5));
  assert.deepEqual(middle, [500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
  assert.ok(waitBefore(3, 0) === 1600 && waitBefore(3, 1) === 2400);
});

test('a rate counts what came in its span and falls to rest', () => {
  const rate = new Rate(4000);
  rate.add(0, 8);
  rate.add(2000, 8);
  assert.equal(rate.perSecond(2000), 4);
  assert.equal(rate.perSecond(4500), 2, 'the first has left the span');
  assert.equal(rate.perSecond(60000), 0);
});
