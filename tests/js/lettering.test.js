import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lettering, plain } from 'lb/lettering';
import { fakeContext } from './context.js';

const FONT = '400 11px x';
const lettering = () => new Lettering(fakeContext());

test('text that fits is left alone, other text is cut to fit, and nothing is better than too much', () => {
  const l = lettering();
  assert.equal(l.fit('套餐变更', FONT, 60), '套餐变更');
  for (let room = 1; room < 80; room++) {
    const fitted = l.fit('套餐变更之后流量怎么算', FONT, room);
    assert.ok(l.width(fitted, FONT) <= room, `${room}: ${fitted}`);
    if (fitted) assert.ok(fitted.endsWith('…'));
  }
  assert.equal(l.fit('套餐', FONT, 5), '');
});

test('no line begins with punctuation and none is too wide', () => {
  const l = lettering();
  const said = '不，我是问流量超出怎么办？“真的”，到底能不能改（套餐）。';
  for (let room = 24; room < 160; room++) {
    const lines = l.wrap(said, FONT, room, 2);
    assert.ok(lines.length >= 1 && lines.length <= 2);
    for (const line of lines) assert.ok(l.width(line, FONT) <= room, `${room}: ${line}`);
    for (const line of lines.slice(1)) assert.doesNotMatch(line, /^[，。？！、；：）”’》」]/);
    assert.doesNotMatch(lines[0], /[（“《「]$/, `${room}: ${lines[0]}`);
  }
});

test('English breaks between words', () => {
  assert.deepEqual(lettering().wrap('where is my parcel', FONT, 72, 2), ['where is my', 'parcel']);
});

test('a word longer than a line is broken all the same', () => {
  const lines = lettering().wrap('T20250612-07-000000001', FONT, 60, 2);
  assert.equal(lines.length, 2);
  assert.ok(lines[0].length > 1);
});

test('what cannot be seen is not drawn, and nothing is endless', () => {
  assert.equal(plain('a\u202eb\nc\u0000'), 'a b c');
  assert.equal(plain('‮'), '');
  assert.ok(plain('x'.repeat(1e6)).length <= 240);
  assert.equal(plain({ a: [1, null] }), '{"a":[1,null]}');
  assert.equal(plain(undefined), '');
  assert.equal(plain(null), 'null');
  assert.equal(plain('138··6621'), '138··6621');
});

test('what is kept stays bounded', () => {
  const l = lettering();
  for (let i = 0; i < 5000; i++) l.fit(`${i} is a number that does not fit at all`, FONT, 60);
  const rooms = [...(l.cut.get(FONT)?.values() ?? [])];
  assert.ok(rooms.every((texts) => texts.size <= 1001));
});

test('a name cut in the middle keeps the end that tells it from its neighbour', () => {
  const l = lettering();
  assert.equal(l.fitEnds('套餐变更', FONT, 60), '套餐变更');
  assert.match(l.fitEnds('套餐优惠叠加规则（新版）', FONT, 108), /^套餐.*….*（新版）$/);
  for (let room = 1; room < 140; room++) assert.ok(l.width(l.fitEnds('套餐优惠叠加规则（新版）', FONT, room), FONT) <= room, String(room));
});
