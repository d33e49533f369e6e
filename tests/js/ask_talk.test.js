import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Talk } from 'lb/ask_talk';

/** Asks and answers. @param {Talk} talk @param {string} question @param {string} [name] */
function answered(talk, question, name = question) {
  const turn = talk.ask(question, {}, null);
  turn.told.state = 'done';
  turn.told.answer = { sentences: [{ text: 'so', cites: ['m1'] }], abstained: false, verdict: null, extracted: false, chains: [], open_points: [], labels: {} };
  turn.told.topics = [{ question, names: [name] }];
  return turn;
}

const questions = (/** @type {Talk} */ talk) => talk.earlier.map(({ question }) => question);

test('a question goes on from those that were answered, five at most', () => {
  const talk = new Talk();
  for (const n of [1, 2, 3, 4, 5, 6, 7]) answered(talk, `q${n}`);
  assert.deepEqual(questions(talk), ['q2', 'q3', 'q4', 'q5', 'q6']);
});

test('what was put right goes along, and the same question again does not go on from itself', () => {
  const talk = new Talk();
  answered(talk, 'q1').bound = { 3: 'p4' };
  answered(talk, 'q2');
  answered(talk, 'q2');
  assert.deepEqual(talk.earlier, [{ question: 'q1', bound: { 3: 'p4' } }]);
  assert.equal(talk.turns.length, 2);
});

test('what was stopped or failed is not gone on from', () => {
  const talk = new Talk();
  talk.ask('q1', {}, null).told.state = 'stopped';
  answered(talk, 'q2');
  assert.deepEqual(questions(talk), []);
});

test('a new topic forgets what was before, and nothing of what was said', () => {
  const talk = new Talk();
  answered(talk, 'q1');
  answered(talk, 'q2');
  talk.renew();
  assert.deepEqual(talk.topics, []);
  answered(talk, 'q3');
  assert.deepEqual(questions(talk), []);
  assert.equal(talk.turns.length, 3);
  answered(talk, 'q4');
  assert.deepEqual(questions(talk), ['q3']);
});

test('going back to a topic puts its question last', () => {
  const talk = new Talk();
  answered(talk, 'q1');
  answered(talk, 'q2');
  answered(talk, 'q3');
  talk.back({ question: 'q1', names: ['q1'] });
  answered(talk, 'q4');
  assert.deepEqual(questions(talk), ['q2', 'q3', 'q1']);
  talk.back({ question: 'never asked', names: [] });
  assert.equal(talk.shown?.question, 'q4');
});

test('going back to a topic whose last question said "it" takes along what that stood for', () => {
  const talk = new Talk();
  answered(talk, 'who directed A?');
  answered(talk, 'when was it shot?');
  answered(talk, 'who directed B?');
  talk.back({ question: 'when was it shot?', names: ['A'] });
  answered(talk, 'who played in it?');
  assert.deepEqual(questions(talk), ['who directed B?', 'who directed A?', 'when was it shot?']);
});

test('a conversation has a name of its own', () => {
  const names = [new Talk(), new Talk()].map(({ conversation }) => conversation);
  for (const name of names) assert.match(name, /^[0-9a-f]{16}$/);
  assert.notEqual(names[0], names[1]);
});
