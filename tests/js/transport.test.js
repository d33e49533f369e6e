// What is typed into the readout, how long a step of the replay stays, and where it leads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMoment, seqAtClock, SPEEDS, stay, stepFrom } from 'lb/transport_moment';
import { Telling } from './telling.js';

test('a turn or an event can be typed in several ways', () => {
  for (const typed of ['12', ' turn 12', 'T12', '第12轮', '第 12 轮', '轮12', '１２', '12轮']) assert.deepEqual(readMoment(typed), { turn: 12 }, typed);
  for (const typed of ['#130', 'seq 130', 'SEQ：130', '＃130', '事件130', 'event 130']) assert.deepEqual(readMoment(typed), { seq: 130 }, typed);
  assert.deepEqual(readMoment('#12,345'), { seq: 12345 });
  for (const typed of ['', 'soon', '-3', '1.5', 'turn', '#', '12 #130 14:06', '9'.repeat(20)]) assert.equal(readMoment(typed), null, typed);
});

test('a time of day can be typed, and leads to how it stood then', () => {
  for (const typed of ['14:20', ' 14：20 ', '14:20:00']) assert.deepEqual(readMoment(typed), { clock: 51_600 }, typed);
  assert.deepEqual(readMoment('1:02:03'), { clock: 3723 });
  for (const typed of ['24:00', '14:60', '14:5', '14:20:60', '14:20:14:1']) assert.equal(readMoment(typed), null, typed);
  const telling = new Telling();
  const midnight = 1_750_032_000; // 2025-06-16 00:00 UTC
  telling.at = midnight - 11;
  const { map } = telling.said('一').routed('a'); // #1 at 23:59:50, #2 a second later
  telling.at = midnight + 59.5;
  telling.said('二'); // #3 at 00:01:00.5
  const to = (/** @type {string} */ typed) => {
    const { clock } = /** @type {{clock: number}} */ (readMoment(typed));
    return seqAtClock(map, clock, (seq) => map.atOf(seq), (at) => (at - midnight + 86_400) % 86_400);
  };
  assert.equal(to('23:59:49'), null, 'before it began');
  assert.equal(to('23:59:50'), 1);
  assert.equal(to('23:59:51'), 2);
  assert.equal(to('0:01'), 3, 'a second is taken as it ends: #3 is shown as 00:01:00');
  assert.equal(to('0:00:59'), 2, 'the day after');
  assert.equal(to('0:01:01'), null, 'after its last event');
  assert.equal(seqAtClock(new Telling().map, 0, () => NaN, () => 0), null);
});

test('speeds go from half to sixteen times, and as it was', () => {
  assert.deepEqual(SPEEDS, [0.5, 1, 2, 4, 8, 16, 0]);
  assert.equal(stay('event', 0.5, 99), 2 * stay('event', 1, 99));
  assert.equal(stay('turn', 16, 99), stay('turn', 1, 99) / 16);
  assert.equal(stay('event', 0, 0.5), 500);
  assert.equal(stay('event', 0, 3600), 2000, 'long pauses are cut');
  assert.ok(stay('event', 0, 0) > 0, 'events at once are still seen one after the other');
  assert.equal(stay('turn', 0, NaN), stay('turn', 1, NaN));
});

test('a step by turn shows a turn as a whole, from within it or from its end', () => {
  const { map } = new Telling().said('一').routed('a').said('二').routed('b').routed('c').said('三').routed('a');
  // Turns begin with events 1, 3 and 6; the newest event is 7.
  const ends = [];
  for (let at = 1; at < map.cursor.seq; ) ends.push((at = stepFrom(map, at, 1, 'turn')));
  assert.deepEqual(ends, [2, 5, 7]);
  assert.equal(stepFrom(map, 3, 1, 'turn'), 5, 'from within a turn its end comes first');
  assert.equal(stepFrom(map, 7, -1, 'turn'), 5);
  assert.equal(stepFrom(map, 4, -1, 'turn'), 2);
  assert.ok(stepFrom(map, 2, -1, 'turn') < 1);
  assert.equal(stepFrom(map, 4, 1, 'event'), 5);
  assert.equal(stepFrom(map, 4, -1, 'event'), 3);
});
