// The dialogue as text: what a turn says at a moment, and where each turn stands in the list.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guess, Heights } from 'lb/dialogue_heights';
import { failuresByTurn, kindsOf, placeOfMoment, placeOfTurn, toldOf } from 'lb/dialogue_turns';
import { FINDING_KINDS } from 'lb/kinds';
import { long, Telling } from './telling.js';

/** @param {import('lb/fold').DialogueMap} map @param {number} place @param {number} [upto] @param {boolean} [live] */
const told = (map, place, upto = Infinity, live = true) => toldOf(map, map.turns[place], upto, { live, failures: failuresByTurn(map) });

test('a turn says what the user said, what it was taken for and every answer', () => {
  const { map } = new Telling().said('我想退货').routed('refund', 0.91).routed('refund', 0.93).routed('ask', 0.4).answered().answered();
  const turn = told(map, 0);
  assert.equal(turn.utterance, '我想退货');
  assert.deepEqual(turn.visits.map(({ label, confidence }) => [label, confidence]), [['intent:refund', 0.93], ['intent:ask', 0.4]]);
  assert.deepEqual(turn.answers.map(({ id }) => id), ['answer:1', 'answer:1.2']);
  assert.equal(turn.standing, 'answered');
});

test('what comes after the moment is later, and the rest is not', () => {
  const { map } = new Telling().said('一').routed('a').answered().said('二').answered(); // events 1 to 5
  const at = (/** @type {number} */ place, /** @type {number} */ upto) => {
    const turn = told(map, place, upto);
    return [turn.later, ...turn.visits.map(({ later }) => later), ...turn.answers.map(({ later }) => later)];
  };
  assert.deepEqual(at(0, 2), [false, false, true]);
  assert.deepEqual(at(1, 3), [true, true]);
  assert.deepEqual(at(1, 4), [false, true]);
  assert.deepEqual(at(1, Infinity), [false, false]);
});

test('only the newest turn of a living session can still be answered', () => {
  const { map } = new Telling().said('一').said('二');
  assert.deepEqual([told(map, 0).standing, told(map, 1).standing, told(map, 1, Infinity, false).standing], ['unanswered', 'open', 'unanswered']);
});

test('a failure ends the waiting, and is not known before it happened', () => {
  const telling = new Telling().said('一');
  telling.event('failed');
  telling.found('failure', 1, [], { where: 'turn', error: 'KeyError' });
  assert.equal(told(telling.map, 0).standing, 'unanswered');
  assert.deepEqual(told(telling.map, 0).failures.map(({ id }) => id), ['failure:2']);
  assert.deepEqual(told(telling.map, 0, 1).failures, []);
  assert.equal(told(telling.map, 0, 1).standing, 'open');
});

test('what was taken back is struck from the event that did it on, not before', () => {
  const { map } = new Telling().said('一').answered().said('二').routed('a').answered().undid(3); // 3 to 5, by event 6
  assert.deepEqual([told(map, 0).struck, told(map, 1).struck, told(map, 1).answers[0]?.struck, told(map, 1).visits[0]?.struck], [false, true, true, true]);
  assert.deepEqual([told(map, 1, 5).struck, told(map, 1, 5).answers[0]?.struck, told(map, 1, 5).visits[0]?.struck], [false, false, false]);
  assert.equal(told(map, 1, 6).struck, true);
});

test('the turn of a moment is found by number, also where the first turns have left', () => {
  const map = long(60, 1);
  map.apply({ d: 'retire', turn: 20, before: /** @type {import('lb/types').Turn} */ (map.turn(21)).seq });
  assert.equal(map.turns[placeOfMoment(map, null)]?.number, 60);
  assert.equal(map.turns[placeOfMoment(map, /** @type {import('lb/types').Turn} */ (map.turn(30)).seq + 1)]?.number, 30);
  assert.equal(placeOfMoment(map, 3), -1);
  assert.equal(placeOfTurn(map, 20), -1);
  assert.equal(placeOfTurn(map, 21), 0);
  assert.equal(placeOfTurn(map, 61), -1);
});

test('the bits of a lane are its kinds of findings', () => {
  assert.deepEqual(kindsOf(0), []);
  assert.deepEqual(kindsOf((1 << FINDING_KINDS.indexOf('loop')) | (1 << FINDING_KINDS.indexOf('stale'))), ['loop', 'stale']);
});

test('rows stand below one another by what was measured, and by a guess until then', () => {
  const heights = new Heights((key) => key * 10);
  heights.take([1, 2, 3, 4]);
  assert.deepEqual([0, 1, 2, 3, 4].map((i) => heights.top(i)), [0, 10, 30, 60, 100]);
  assert.deepEqual([-5, 0, 9, 10, 59, 60, 1000].map((y) => heights.at(y)), [0, 0, 0, 1, 2, 3, 3]);
  assert.equal(heights.measured(1, 50), true);
  assert.equal(heights.measured(1, 50.2), false, 'less than a pixel is no difference');
  assert.deepEqual([1, 2, 3, 4].map((i) => heights.top(i)), [10, 60, 90, 130]);
  heights.take([3, 4, 5]); // the first two have left
  assert.deepEqual([0, 1, 2, 3].map((i) => heights.top(i)), [0, 30, 70, 120]);
  heights.take([3, 4, 5, 6]);
  assert.equal(heights.top(4), 180);
  heights.take([2, 3, 4]);
  assert.equal(heights.top(1), 50, 'what was measured is remembered by turn');
});

test('a change high up moves what is below, however far it was reckoned before', () => {
  const heights = new Heights(() => 10);
  heights.take(Array.from({ length: 6000 }, (_, i) => i));
  assert.equal(heights.top(6000), 60_000);
  heights.measured(5990, 30);
  heights.measured(3, 110);
  assert.equal(heights.top(6000), 60_120);
  assert.equal(heights.at(135), 3);
  assert.equal(heights.at(60_119), 5999);
});

test('Chinese takes about twice the room of Latin, and line breaks are lines', () => {
  assert.ok(guess('流'.repeat(40), 260) > guess('a'.repeat(38), 260));
  assert.equal(guess('a\nb\nc', 260) - guess('a', 260), 38);
});
