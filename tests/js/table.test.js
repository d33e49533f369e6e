// The turn table: its rows as of a moment, and its CSV, which the map's side writes too.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { DialogueMap } from 'lb/fold';
import { COLUMNS, turnsCsv } from 'lb/table_csv';
import { rowsOf, sifted, turnsIn } from 'lb/table_rows';
import { long, Telling } from './telling.js';

const VECTORS = new URL('../vectors/', import.meta.url);

/** @param {string} name */
function folded(name) {
  const { session, deltas } = JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), 'utf8'));
  const map = DialogueMap.empty(session);
  for (const delta of deltas) map.apply(delta);
  return map;
}

/** @param {DialogueMap} map */
const whole = (map) => turnsCsv(map, { from: map.firstTurn, to: map.lastTurn, upto: Infinity, lang: 'zh' });

/** A reader of RFC 4180, strict: what it can't read is a fault. @param {string} text @returns {string[][]} */
function parsed(text) {
  assert.equal(text[0], '\ufeff');
  const lines = [];
  let line = [];
  let at = 1;
  while (at < text.length) {
    const cell = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;
    cell.lastIndex = at;
    const found = /** @type {RegExpExecArray} */ (cell.exec(text));
    line.push(found[1] === undefined ? /** @type {string} */ (found[2]) : found[1].replaceAll('""', '"'));
    at = cell.lastIndex;
    if (text[at] === ',') at++;
    else {
      assert.equal(text.slice(at, at + 2), '\r\n', `line ${lines.length} ends where it should not`);
      at += 2;
      lines.push(line);
      line = [];
    }
  }
  return lines;
}

const golden = readdirSync(new URL('csv/', VECTORS)).filter((name) => name.endsWith('.csv'));

test('there is a table of each vector', () => assert.deepEqual(golden.map((name) => name.replace('.csv', '')).sort(), readdirSync(VECTORS).filter((name) => name.endsWith('.json')).map((name) => name.replace('.json', '')).sort()));

for (const name of golden) {
  test(`${name} is the table of its vector`, () => assert.equal(whole(folded(name.replace('.csv', ''))), readFileSync(new URL(`csv/${name}`, VECTORS), 'utf8')));
}

test('the first line names the columns, and every line has as many', () => {
  const lines = parsed(whole(folded('knowledge')));
  assert.deepEqual(lines[0], COLUMNS);
  assert.ok(lines.every((line) => line.length === COLUMNS.length));
  assert.equal(lines.length, 3);
});

test('no cell is a formula, and quotes, commas and line breaks come back as they were', () => {
  for (const said of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r\n=1', '＝1+1']) {
    const [, line] = parsed(whole(new Telling().said(said).map));
    assert.equal(line?.[2], `'${said}`);
  }
  for (const said of ['你好，"轻语", 129\n元', 'a;b', ' =1', 'x=1', '👨‍👩‍👧']) {
    const [, line] = parsed(whole(new Telling().said(said).map));
    assert.equal(line?.[2], said);
  }
  const [, line] = parsed(whole(new Telling().said('a\u0000b\ud800c').map));
  assert.equal(line?.[2], 'a\ufffdb\ufffdc');
});

test('a time that no calendar has is left empty', () => {
  for (const [at, told] of /** @type {[number, string][]} */ ([[1e18, ''], [-1e18, ''], [253402300800, ''], [253402300799.9, '9999-12-31T23:59:59Z'], [-62135596800, '0001-01-01T00:00:00Z'], [-62135596801, ''], [0, '1970-01-01T00:00:00Z']])) {
    const map = new Telling().said('x').map;
    map.apply({ d: 'turn', turn: { ...map.turns[0], said_at: at } });
    assert.equal(parsed(whole(map))[1]?.[1], told, String(at));
  }
});

test('what the filters leave out is not in a row', () => {
  const told = new Telling().said('a').routed('ask').assigned('brand', 'x').read('brand').recalled('prompt', { d: 0.9 }).answered('d');
  const [row] = rowsOf(told.map, 1, 1, Infinity);
  assert.ok(row);
  const left = sifted(row, new Set(['read', 'doc', 'utterance']));
  assert.deepEqual([left.said, left.intents.length, left.slots.map(({ what }) => what), left.docs, left.answers], ['', 1, ['write'], [], ['ok']]);
  const rest = sifted(row, new Set(['intent', 'write', 'answer']));
  assert.deepEqual([rest.said, rest.intents, rest.slots.map(({ what }) => what), rest.docs.length, rest.answers], ['a', [], ['read'], 1, []]);
});

test('a slot that was written, cleared and read says so; a long value is cut', () => {
  const told = new Telling().said('x').routed('ask').assigned('brand', '轻语').read('brand').read('brand').assigned('plan', { fee: 5 }).assigned('void', null).assigned('brand', null, 'cleared');
  const [, line] = parsed(whole(told.map));
  assert.equal(line?.[5], 'slot:brand (brand) = 轻语; slot:plan (plan) = {"fee":5}; slot:void (void) = null; slot:brand (brand) cleared; slot:brand (brand) read');
  const [, cut] = parsed(whole(new Telling().said('x').assigned('a', '好'.repeat(1001)).map));
  assert.ok(cut?.[5]?.endsWith(`${'好'.repeat(1000)}…`));
});

test('a row holds nothing from after the moment', () => {
  const told = new Telling().said('a').routed('ask', 0.9).assigned('brand', 'x').said('b').routed('buy', 0.5).recalled('prompt', { d: 0.9 }).answered('d');
  const early = rowsOf(told.map, 2, 2, 5)[0];
  assert.deepEqual([early?.intents.map(({ name }) => name), early?.docs, early?.answers], [['buy'], [], []]);
  const late = rowsOf(told.map, 2, 2, Infinity)[0];
  assert.deepEqual([late?.docs.map(({ name, state, rank }) => [name, state, rank]), late?.answers], [[['d', 'used', 1]], ['ok']]);
});

test('documents stand by what became of them, then by rank', () => {
  const told = new Telling().said('a').recalled('vector', { w: 0.1, x: 0.2, y: 0.3, z: 0.4 }).recalled('prompt', { y: 0.9, z: 0.8 }).answered('z');
  assert.deepEqual(rowsOf(told.map, 1, 1, Infinity)[0]?.docs.map(({ name, state }) => [name, state]), [['z', 'used'], ['y', 'prompt'], ['w', 'candidate'], ['x', 'candidate']]);
});

test('the turns of a window end with the moment shown', () => {
  const map = long(20, 1);
  assert.deepEqual(turnsIn(map, { from: 3, to: 9 }, Infinity), { first: 3, last: 8 });
  assert.deepEqual(turnsIn(map, { from: 2.6, to: 9.2 }, Infinity), { first: 2, last: 9 });
  assert.deepEqual(turnsIn(map, { from: 15, to: 40 }, Infinity), { first: 15, last: 20 });
  const fifth = map.turn(5)?.seq ?? 0;
  assert.deepEqual(turnsIn(map, { from: 3, to: 9 }, fifth), { first: 3, last: 5 });
  assert.deepEqual(turnsIn(map, { from: 8, to: 12 }, fifth), { first: 8, last: 5 }, 'none yet');
});

test('findings stand in the turn that they were found in, and not before they were', () => {
  const told = new Telling().said('a').assigned('s', 1).said('b').assigned('s', 2).found('overwrite', 1, [], {});
  const { seq } = told;
  assert.deepEqual(rowsOf(told.map, 1, 2, Infinity).map(({ findings }) => findings.length), [0, 1]);
  assert.deepEqual(rowsOf(told.map, 1, 2, seq - 1).map(({ findings }) => findings.length), [0, 0]);
});
