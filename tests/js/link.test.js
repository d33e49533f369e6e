import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPlace, takeToken, writePlace } from 'lb/link';

const KEY = '0123456789abcdef0123456789abcdef';

test('a place comes back as it was written', () => {
  /** @type {import('lb/link').Place} */
  const place = {
    session: KEY,
    epoch: 'fe91f7e8ed990848',
    window: { from: 9, to: 22.5 },
    selection: { kind: 'node', id: 'slot:产品~线 & "=#%', turn: 18, seq: 240 },
    layers: ['flow', 'knowledge'],
    playhead: 1234,
    trail: true,
    query: 'slot:brand="a & b" conf<0.6 流量',
    filters: 'anomalies,-read',
    tab: 'dialogue',
    theme: 'dark',
    lang: 'zh',
  };
  assert.deepEqual(readPlace(writePlace(place)), place);
  assert.deepEqual(readPlace(`#${writePlace(place)}`), place);
});

test('what is asked comes back with its base, and the session that is open needs no name', () => {
  for (const ask of [{ base: 'diagram:订单 & 支付.puml', question: '退款失败怎么办？ a=b&c' }, { base: 'session', question: 'who overwrote brand?' }, { base: 'docs:wiki', question: '' }]) {
    assert.deepEqual(readPlace(writePlace({ tab: 'ask', ask })), { tab: 'ask', ask });
  }
  assert.ok(!writePlace({ ask: { base: 'session', question: 'x' } }).includes('session'));
  assert.deepEqual(readPlace(`aq=${'x'.repeat(2001)}&ask=${'y'.repeat(301)}`), {});
});

test('all layers on are not said, and a window is held to a tenth of a turn', () => {
  assert.equal(writePlace({ layers: ['flow', 'state', 'knowledge'], window: { from: 1.04, to: 3.26 } }), 'w=1_3.3');
});

test('what can not be understood is left out and spoils nothing beside it', () => {
  assert.deepEqual(readPlace('s=../../etc&w=5_3&sel=node~x~1~a&l=none&at=-4&theme=pink&lang=fr'), {});
  assert.deepEqual(readPlace(`w=NaN_2&sel=%E0%A4%A&s=${KEY}&at=7`), { session: KEY, playhead: 7 });
  assert.deepEqual(readPlace('sel=script~1~2~x'), {});
  assert.deepEqual(readPlace(`e=../x&f=<b>&q=&trail=yes&q=${'x'.repeat(401)}`), {});
  assert.deepEqual(readPlace('at=0&at=9007199254740993999'), {});
});

test('the token leaves the fragment and the rest stays', () => {
  assert.deepEqual(takeToken(`#t=ab%2Bc&s=${KEY}&lang=en`), { token: 'ab+c', rest: `s=${KEY}&lang=en` });
  assert.deepEqual(takeToken('#lang=en'), { token: '', rest: 'lang=en' });
  assert.deepEqual(takeToken(''), { token: '', rest: '' });
});

test('a lone surrogate in an id makes no link fail', () => {
  const fragment = writePlace({ selection: { kind: 'node', id: 'doc:\ud800', turn: 1, seq: 1 } });
  assert.equal(readPlace(fragment).selection?.id, 'doc:\ufffd');
});
