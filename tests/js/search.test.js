// What is typed, what it finds, and that what comes later costs only what is new.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DialogueMap } from 'lb/fold';
import { Search } from 'lb/search';
import { holds, parse } from 'lb/search_query';

/** @param {string} typed */
const terms = (typed) => parse(typed).terms;
/** @param {string} typed */
const hints = (typed) => parse(typed).hints.map(({ key, term }) => [key.slice('search.hint.'.length), term]);

/** A dialogue that is told step by step. */
class Told {
  constructor() {
    this.seq = 0;
    this.turn = 0;
    this.map = DialogueMap.empty('s');
  }

  /** @param {string} kind @param {any[]} deltas */
  event(kind, ...deltas) {
    this.seq += 1;
    this.map.apply({ d: 'applied', seq: this.seq, at: 1000 + this.seq, turn: this.turn, kind, source: 'a', n: this.seq });
    for (const delta of deltas) this.map.apply(delta);
  }

  /** @param {string} id @param {string} label */
  node(id, label) {
    const kind = id.slice(0, id.indexOf(':'));
    const layer = { slot: 'state', doc: 'knowledge', answer: 'knowledge' }[kind] ?? 'flow';
    return { d: 'node', node: { id, kind, layer, label, turn: this.turn, seq: this.seq + 1, created_at: 0, updated_at: 0, expires_at: null, expired: false, props: {} } };
  }

  /** @param {string} kind @param {string} source @param {string} target @param {object} props @param {string} [of] */
  edge(kind, source, target, props = {}, of = kind) {
    const layer = { jump: 'flow', recall: 'knowledge', merge: 'knowledge' }[kind] ?? 'state';
    return { d: 'edge', edge: { id: `${of}:${this.seq + 1}`, kind, layer, source, target, turn: this.turn, seq: this.seq + 1, at: 0, props } };
  }

  /** @param {string} text */
  say(text) {
    this.turn += 1;
    this.event('turn_started', { d: 'turn', turn: { number: this.turn, id: `t${this.turn}`, seq: this.seq + 1, at: 1, said_at: null } }, this.node(`utterance:${this.turn}`, text));
  }

  /** @param {string} intent @param {number} confidence */
  route(intent, confidence) {
    this.event('intent_routed', this.edge('jump', `utterance:${this.turn}`, intent, { confidence }));
  }

  /** @param {string} slot @param {string} value */
  write(slot, value) {
    this.event('slot_assigned', this.edge('assign', `utterance:${this.turn}`, slot, { value, change: 'set' }));
  }
}

function story() {
  const told = new Told();
  told.event('session_started', told.node('intent:ask', '询问套餐'), told.node('intent:buy', '购买'), told.node('intent:buy.bulk', '批量购买'), told.node('slot:brand', '产品线'), told.node('slot:note', '备注'), told.node('doc:kb-1', '套餐规则说明'));
  told.say('你好，Ｐｌａｎ B 多少钱');
  told.route('intent:ask', 0.91);
  told.write('slot:brand', '星途');
  told.say('那就买吧');
  told.route('intent:buy', 0.42);
  told.write('slot:brand', '轻语');
  told.event('slot_read', told.edge('read', 'slot:brand', 'intent:buy', { value: '轻语' }));
  told.write('slot:note', 'brand new');
  told.event('retrieved', told.edge('recall', 'utterance:2', 'doc:kb-1', { stage: 'vector', score: 0.5, rank: 1, query: '怎么购买 plan b' }));
  told.event('answered', told.node('answer:2', '已为您下单'), {
    d: 'finding',
    finding: { id: 'overwrite:7', code: 'LM301', kind: 'overwrite', since: 1, turn: 2, seq: told.seq + 1, at: 0, nodes: ['slot:brand'], edges: [], seqs: [], facts: {}, reason: { en: 'brand was overwritten', zh: '产品线被覆盖' } },
  });
  return told;
}

/** @param {DialogueMap} map @param {string} typed */
function stops(map, typed) {
  const search = new Search(map, terms(typed));
  search.advance();
  return Array.from({ length: search.size }, (_, i) => search.stop(i)).map((sel) => `${sel?.id}@${sel?.turn}`);
}

test('words are all wanted, a phrase is one word, a minus leaves out', () => {
  assert.deepEqual(terms('套餐  流量'), [{ not: false, is: 'word', text: '套餐' }, { not: false, is: 'word', text: '流量' }]);
  assert.deepEqual(terms('“Ｈow  much” -no'), [{ not: false, is: 'word', text: 'how  much' }, { not: true, is: 'word', text: 'no' }]);
  assert.deepEqual(terms('"open end'), [{ not: false, is: 'word', text: 'open end' }]);
  assert.deepEqual(terms(' - "" '), []);
});

test('keys take a full-width colon, a space after it, and Chinese names', () => {
  const slot = [{ not: false, is: 'name', of: 'slot', name: 'brand', value: null }];
  for (const typed of ['slot:brand', 'slot：brand', 'SLOT: Brand', '槽位：ｂｒａｎｄ']) assert.deepEqual(terms(typed), slot, typed);
  assert.deepEqual(terms('slot:"my = slot"=星途'), [{ not: false, is: 'name', of: 'slot', name: 'my = slot', value: '星途' }]);
  assert.deepEqual(terms('-intent:refund doc:"a b"'), [{ not: true, is: 'name', of: 'intent', name: 'refund', value: null }, { not: false, is: 'name', of: 'doc', name: 'a b', value: null }]);
  assert.deepEqual(terms('kind:异常 类型：覆盖').map((term) => 'kind' in term && term.kind), ['finding', 'overwrite']);
});

test('turns and confidences are told in several ways', () => {
  for (const [typed, first, last] of /** @type {[string, number, number][]} */ ([['turn:12', 12, 12], ['turn:9-5', 5, 9], ['turn:5..9', 5, 9], ['turn:5-', 5, Infinity], ['turn >= 3', 3, Infinity], ['轮<3', 0, 2]])) {
    assert.deepEqual(terms(typed), [{ not: false, is: 'turn', first, last }], typed);
  }
  for (const typed of ['conf<0.6', 'conf < 0.6', 'confidence<60%', '置信度＜.6', 'conf<60']) assert.deepEqual(terms(typed), [{ not: false, is: 'conf', test: '<', than: 0.6 }], typed);
  assert.deepEqual(terms('conf≥0.6'), [{ not: false, is: 'conf', test: '>=', than: 0.6 }]);
  assert.ok(holds(0.6, '<=', 0.6) && !holds(0.6, '<', 0.6) && holds(0.604, '=', 0.6) && !holds(0.61, '=', 0.6));
});

test('a wrong term is a hint, spoils nothing, and what is still being typed is neither', () => {
  assert.deepEqual(hints('turn:abc 套餐'), [['turn', 'turn:abc']]);
  assert.deepEqual(terms('turn:abc 套餐'), [{ not: false, is: 'word', text: '套餐' }]);
  assert.deepEqual(hints('conf<much'), [['conf', 'conf<much']]);
  assert.deepEqual(hints('kind:thing'), [['kind', 'kind:thing']]);
  assert.deepEqual(hints('slot<3'), [['slot', 'slot<3']]);
  assert.deepEqual(hints('speaker:bot'), [['key', 'speaker:']]);
  assert.deepEqual(terms('speaker:bot'), [{ not: false, is: 'word', text: 'speaker:bot' }]);
  for (const typed of ['slot:', 'turn:', 'conf<', 'https://x', '10:30', '<>', ':', '"', '(', '\\', '\ud800']) assert.deepEqual(hints(typed), [], typed);
});

test('names, words, values, titles, questions and findings are found where they happened', () => {
  const { map } = story();
  assert.deepEqual(stops(map, 'plan b'), ['utterance:1@1', 'utterance:2@2'], 'what was said, and what was asked for it');
  assert.deepEqual(stops(map, '套餐'), ['intent:ask@1', 'doc:kb-1@2']);
  assert.deepEqual(stops(map, '星途'), ['slot:brand@1']);
  assert.deepEqual(stops(map, '下单'), ['answer:2@2']);
  assert.deepEqual(stops(map, 'slot:brand'), ['slot:brand@1', 'slot:brand@2', 'slot:brand@2'], 'not the note that says brand');
  assert.deepEqual(stops(map, 'slot:产品'), stops(map, 'slot:brand'));
  assert.deepEqual(stops(map, 'slot:brand=轻语'), ['slot:brand@2', 'slot:brand@2'], 'its write and its read');
  assert.deepEqual(stops(map, 'brand turn:1'), ['slot:brand@1', 'overwrite:7@2'], 'a finding that spans the turn');
  assert.deepEqual(stops(map, 'intent:buy'), ['intent:buy.bulk@0', 'intent:buy@2'], 'also a row that has no mark');
  assert.deepEqual(stops(map, 'conf<0.6'), ['intent:buy@2']);
  assert.deepEqual(stops(map, 'code:lm3'), ['overwrite:7@2']);
  assert.deepEqual(stops(map, 'kind:overwrite slot:brand'), ['overwrite:7@2']);
  assert.deepEqual(stops(map, '覆盖'), ['overwrite:7@2']);
  assert.deepEqual(stops(map, 'kind:write -slot:brand'), ['slot:note@2']);
  assert.deepEqual(stops(map, 'turn:1-5'), ['utterance:1@1', 'utterance:2@2'], 'turns, not all that happened in them');
  assert.deepEqual(stops(map, 'turn:2 kind:intent'), ['intent:buy@2']);
});

test('rows, turns and marks tell what is lit', () => {
  const { map } = story();
  const search = new Search(map, terms('轻语'));
  search.advance();
  assert.deepEqual([...search.turns], [[2, 2]]);
  assert.deepEqual([...search.rows], [[map.place('slot:brand'), 2]]);
  const lit = Array.from({ length: map.marks.size }, (_, mark) => mark).filter((mark) => search.has(mark));
  assert.deepEqual(lit, search.hits);
});

test('a match keeps its place while others come, and what is new is looked at alone', () => {
  const told = story();
  const { map } = told;
  const search = new Search(map, terms('slot:brand'));
  search.advance();
  const second = search.stop(1);
  assert.equal(search.placeOf(second), 1);
  assert.equal(search.stale, false);
  told.say('还是星途');
  told.write('slot:brand', '星途');
  assert.equal(search.stale, true);
  const looked = [];
  const { mark } = search.terms;
  search.terms.mark = (m) => (looked.push(m), mark.call(search.terms, m));
  search.advance();
  assert.equal(search.size, 4);
  assert.equal(search.placeOf(second), 1);
  assert.equal(search.stop(3)?.turn, 3);
  assert.ok(looked.length <= 11, `marks of turns that are over are left alone, ${looked.length} were looked at`);
  looked.length = 0;
  told.say('好');
  search.advance();
  search.advance();
  assert.ok(looked.length <= 5, `${looked.length} were looked at for one more`);
});

test('what comes to a turn that is going on can take a match back', () => {
  const told = story();
  told.say('');
  const search = new Search(told.map, terms('kind:utterance -再见'));
  search.advance();
  assert.equal(search.size, 3);
  told.event('described', { d: 'update', id: 'utterance:3', seq: told.seq, at: 1, props: { text: '再见' }, expires_at: null, label: '再见' });
  search.advance();
  assert.equal(search.size, 2);
  assert.equal(search.turns.has(3), false);
  assert.equal(search.has(told.map.marks.size - 1), false);
});

test('a search in slices finds what one in a go finds', () => {
  const { map } = story();
  for (const typed of ['套餐', 'slot:brand', 'brand', '-brand']) {
    const whole = new Search(map, terms(typed));
    whole.advance();
    const sliced = new Search(map, terms(typed));
    let slices = 1;
    while (!sliced.advance(1)) slices++;
    assert.ok(slices > 5 || !map.marks.size);
    assert.deepEqual(sliced.hits, whole.hits, typed);
    assert.deepEqual([...sliced.turns], [...whole.turns], typed);
  }
});
