// What the inspector asks of a moment: lifetimes, required slots, rivals, stages; and what it gives to other programs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertionFor, literal } from 'lb/assertion';
import { setLang } from 'lb/i18n';
import { STAGES } from 'lb/past';
import { expiryOf, leavesOf, requiredAt, rivalsOf, stagesOf } from 'lb/past_moment';
import { subjectJson } from 'lb/subject_json';
import { Telling } from './telling.js';

test('the moves out of an intent are those into another one', () => {
  const { map } = new Telling().said('a').routed('x').said('b').routed('x').said('c').routed('y').said('d').routed('x');
  assert.deepEqual(leavesOf(map, 'intent:x', Infinity).map(({ target, turn }) => [target, turn]), [['intent:y', 3]]);
  assert.deepEqual(leavesOf(map, 'intent:x', 5), []);
});

test('a required slot is filled by a value, not by null or after a clearing', () => {
  const { map } = new Telling().said('a').assigned('s', null).assigned('s', 'x').assigned('s', null, 'cleared');
  assert.deepEqual([2, 3, 4].map((seq) => requiredAt(map, 's', seq).filled), [false, true, false]);
  assert.equal(requiredAt(map, 's', Infinity).filled, false);
  assert.deepEqual(requiredAt(map, 'none', Infinity), { filled: false, value: undefined, turn: 0, seq: 0 });
});

test('a value expires its lifetime after it was last touched, as of the moment', () => {
  const told = new Telling().said('a').assigned('s', 'x').said('b').read('s');
  const { map } = told;
  assert.equal(expiryOf(map, 'slot:s', 2), map.atOf(2) + 1800);
  assert.equal(expiryOf(map, 'slot:s', 3), map.atOf(2) + 1800, 'nothing touched it since');
  assert.equal(expiryOf(map, 'slot:s', 4), map.atOf(4) + 1800, 'the read refreshed it');
  map.apply({ d: 'session', props: { policy: { slot_lifetime: 60 } } });
  assert.equal(expiryOf(map, 'slot:s', 4), map.atOf(4) + 60, 'the recording says how long');
  assert.equal(expiryOf(map, 'slot:s', 1), null, 'it was not there yet');
  assert.equal(expiryOf(map, 'utterance:1', 4), null);
});

/** @returns {Telling} a retrieval of five documents with hits, of which the last is none of the others' rivals */
function searched() {
  const told = new Telling().said('a');
  told.recalled('vector', { a: 0.9, b: 0.8, c: 0.7 }).recalled('keyword', { b: 5, d: 4 }).recalled('reranked', { c: 0.9, a: 0.5, b: 0.1 }).recalled('prompt', { c: 0.9 });
  told.node('doc:a', 'doc', { hits: 28, near: [['c', 0.87], ['unknown', 0.9]] });
  told.node('doc:c', 'doc', { hits: 3 });
  return told;
}

test('a document stands beside those of its turn by hits, with how alike they are', () => {
  const { map } = searched();
  assert.deepEqual(rivalsOf(map, 'doc:a', 1, Infinity).map(({ id, hits, own, near, rank }) => [id, hits, own, near, rank]), [
    ['doc:a', 28, true, null, 2], ['doc:b', 3, false, null, 3], ['doc:c', 3, false, 0.87, 1], ['doc:d', 3, false, null, 2],
  ]);
  assert.deepEqual(rivalsOf(map, 'doc:a', 1, Infinity, 2).map(({ id }) => id), ['doc:a', 'doc:c'], 'the similar one stays');
  const bare = new Telling().said('a').recalled('vector', { a: 0.9 });
  bare.map.node('doc:a');
  bare.node('doc:a', 'doc', { hits: null });
  assert.deepEqual(rivalsOf(bare.map, 'doc:a', 1, Infinity), []);
});

test('each stage tells the place among how many, and how far it moved; a stage without the document is told too', () => {
  const { map } = searched();
  const told = (/** @type {string} */ id) => stagesOf(map, id, 1, Infinity, STAGES).map(({ stage, edge, of, moved }) => [stage, edge?.props.rank ?? null, of, moved]);
  assert.deepEqual(told('doc:b'), [['vector', 2, 3, null], ['keyword', 1, 2, null], ['reranked', 3, 3, -2], ['prompt', null, 1, null]]);
  assert.deepEqual(told('doc:c'), [['vector', 3, 3, null], ['keyword', null, 2, null], ['reranked', 1, 3, 2], ['prompt', 1, 1, 0]]);
  assert.deepEqual(stagesOf(map, 'doc:c', 1, 2, STAGES).map(({ stage }) => stage), ['vector'], 'as of the moment');
});

test('JSON of a subject has nothing from after the moment', () => {
  const { map } = new Telling().said('a').routed('x').assigned('s', 1).said('b').assigned('s', 2);
  /** @type {any} */
  const early = subjectJson(map, { kind: 'node', id: 'slot:s', turn: 1, seq: 3 }, 4);
  assert.deepEqual([early.seq, early.node.props.value, early.history.length, early.edges.length], [4, 1, 1, 1]);
  assert.ok(!('expired' in early.node), 'whether it had faded then is not known');
  /** @type {any} */
  const now = subjectJson(map, { kind: 'node', id: 'slot:s', turn: 1, seq: 3 }, Infinity);
  assert.deepEqual([now.seq, now.node.props.value, now.edges.length], [5, 2, 2]);
  /** @type {any} */
  const turn = subjectJson(map, { kind: 'turn', id: 'utterance:1', turn: 1, seq: 0 }, Infinity);
  assert.deepEqual([turn.said, turn.edges.length], ['a', 2]);
});

test('Python values: no word of JSON that Python does not know, nothing that can not be seen', () => {
  assert.equal(literal({ a: [null, true, false, 1.5], 'b"\\': '你\n\u202e\u2028\u{e0041}' }), '{"a": [None, True, False, 1.5], "b\\"\\\\": "你\\n\\u202e\\u2028\\U000e0041"}');
  assert.equal(literal(undefined), 'None');
});

test('a finding must not come back; a slot, a flow and an answer are as recorded', () => {
  const told = new Telling().said('第一句\n# x').routed('x').assigned('订单 id', 'A').said('third').routed('y').assigned('订单 id', 'B').found('overwrite', 1, [], {});
  told.assigned('later', 1).recalled('prompt', { d: 0.5 }).answered('d');
  const { map } = told;
  const found = assertionFor(map, { kind: 'finding', id: [...map.findings.keys()][0] ?? '', turn: 2, seq: 6 }, Infinity);
  assert.match(found, /\n\n\ndef test_turn_2_never_overwrite\(dialogue_map\):\n {4}claims = assert_map\(dialogue_map\.say\(SAID\)\.map\(\)\)\n {4}claims\.never\("overwrite"\)\n$/);
  assert.match(found, /^# Turn 2 of session s: LM000 overwrite\n# For pytest: [^\n]*--dialogue-recording=FILE[^\n]*\nfrom lingbot_map\.testing import assert_map\n\nSAID/);
  assert.match(found, /SAID = \[\n {4}"第一句\\n# x",\n {4}"third",\n\]/);
  assert.match(assertionFor(map, { kind: 'node', id: 'slot:订单 id', turn: 1, seq: 3 }, Infinity), /def test_turn_1_slot_id\(dialogue_map\):[\s\S]*\n {4}claims\.slot\("订单 id"\)\.ends_as\("A"\)\n$/);
  assert.match(assertionFor(map, { kind: 'node', id: 'intent:y', turn: 2, seq: 5 }, Infinity), /claims\.path\("x", "y"\)\n$/);
  assert.match(assertionFor(map, { kind: 'node', id: 'doc:d', turn: 2, seq: 9 }, Infinity), /claims\.answered_from\("d"\)\n$/);
  const all = assertionFor(map, null, Infinity);
  assert.match(all, /claims\.path\("x", "y"\)\n {4}claims\.slot\("订单 id"\)\.ends_as\("B"\)\n {4}claims\.slot\("later"\)\.ends_as\(1\)\n {4}claims\.answered_from\("d"\)\n$/);
  assert.match(assertionFor(map, null, 3), /Turn 1 of[\s\S]*claims\.path\("x"\)\n {4}claims\.slot\("订单 id"\)\.ends_as\("A"\)\n/, 'as of the moment');
});

test('a test made from masked words says so and what to put instead, in the language of the page', () => {
  const told = new Telling().said('call [phone:66801e] or [phone:66801e], not [1]').assigned('phone', '[phone:66801e]').said('[password]').assigned('city', 'Lund');
  const { map } = told;
  const all = assertionFor(map, null, Infinity);
  assert.match(all, /\n# 2 values were masked before the recording; what they were is not here: \[phone:66801e\] \[password\]\n# In SAID put [^\n]*\n# In the claims put [^\n]*\nSAID = \[\n/);
  const city = assertionFor(map, { kind: 'node', id: 'slot:city', turn: 2, seq: 5 }, Infinity);
  assert.match(city, /# In SAID/);
  assert.doesNotMatch(city, /# In the claims/, 'nothing masked is asserted');
  try {
    setLang('zh');
    assert.match(assertionFor(map, null, 2), /\n# 1 个值在录制之前已遮蔽，这里没有原文：\[phone:66801e\]\n# SAID 里[^\n]*13900000000[^\n]*\n# 断言里/);
  } finally {
    setLang('en');
  }
  assert.doesNotMatch(assertionFor(new Telling().said('[1] [a list] [Key] [x:1]').map, null, Infinity), /masked/);
});
