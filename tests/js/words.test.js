// The words of the interface: both languages whole, nothing missing, nothing left over.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fillIn, langOf, setLang, text } from 'lb/i18n';
import { STRINGS } from 'lb/strings';

const STATIC = new URL('../../web/lingbot_web/static/', import.meta.url);
const source = readdirSync(STATIC)
  .filter((name) => name.endsWith('.js') && !/^strings(_\w+)?\.js$/.test(name))
  .map((name) => readFileSync(new URL(name, STATIC), 'utf8'))
  .join('\n');
const keys = Object.keys(STRINGS.zh);

/** Words whose keys are put together: `finding.${kind}` uses all that begin with "finding.". */
const prefixes = [...source.matchAll(/`([a-z]+(?:\.[a-z]+)*\.)\$\{/g)].map((match) => /** @type {string} */ (match[1]));

test('both languages say everything', () => {
  for (const key of keys) {
    assert.ok(STRINGS.zh[key]?.trim(), `zh lacks ${key}`);
    assert.ok(STRINGS.en[key]?.trim(), `en lacks ${key}`);
  }
});

test('both languages take the same parameters', () => {
  /** @param {string | undefined} sentence */
  const names = (sentence) => [...new Set([...(sentence ?? '').matchAll(/\{(\w+)/g)].map((match) => match[1]))].sort();
  for (const key of keys) assert.deepEqual(names(STRINGS.zh[key]), names(STRINGS.en[key]), key);
});

test('every word that is asked for is there', () => {
  const groups = new Set(keys.map((key) => key.split('.')[0]));
  const literals = [...source.matchAll(/'([a-z]+(?:\.[a-z][a-z-]*)+)'/g)].map((match) => /** @type {string} */ (match[1]));
  const asked = literals.filter((literal) => groups.has(literal.split('.')[0]));
  assert.ok(asked.length > 200, 'the search for words still works');
  assert.deepEqual(asked.filter((key) => !keys.includes(key)), []);
  for (const prefix of prefixes.filter((start) => keys.some((key) => key.startsWith(start.split('.')[0] + '.')))) {
    assert.ok(keys.some((key) => key.startsWith(prefix)), `nothing begins with ${prefix}`);
  }
});

test('no word is left over', () => {
  const unused = keys.filter((key) => !source.includes(`'${key}'`) && !prefixes.some((prefix) => key.startsWith(prefix)));
  assert.deepEqual(unused, []);
});

test('English is not left in Chinese, nor Chinese in English', () => {
  const chinese = /[\u4e00-\u9fff]/;
  const same = new Set(['toolbar.lang']); // names the other language in its own words
  assert.deepEqual(keys.filter((key) => !same.has(key) && chinese.test(STRINGS.en[key] ?? '')), []);
});

test('a number of a turn is never told as a number of turns', () => {
  // "40 轮" is forty turns; the fortieth is "第 40 轮".
  const numbered = /(?<![第共]\s?)(?<!第 \{from\}–)\{(?:turn|high|from|to|range)\}\s?轮/u;
  assert.deepEqual(keys.filter((key) => numbered.test(STRINGS.zh[key] ?? '')), []);
  assert.match(STRINGS.zh['transport.range'] ?? '', /共\s?\{last\}\s?轮/u);
});

test('a gap is a gap and what was dropped was dropped, in every sentence', () => {
  for (const key of keys) {
    const [zh, en] = [STRINGS.zh[key] ?? '', STRINGS.en[key] ?? ''];
    assert.equal(/\bgaps?\b/i.test(en), zh.includes('缺口'), `${key}: ${en} / ${zh}`);
    assert.equal(/\bdropped\b/i.test(en), zh.includes('丢弃'), `${key}: ${en} / ${zh}`);
    assert.ok(!/\{n\} lost|lost events/i.test(en) && !zh.includes('丢失 {n}'), `${key}: ${en} / ${zh}`);
    if (!key.startsWith('search.')) assert.ok(!/\bfindings?\b/i.test(en), `${key}: on the page a finding is an anomaly`);
  }
});

test('parameters and numbers are filled in', () => {
  assert.equal(fillIn('{n} {n|turn|turns} of {who}', { n: 1, who: 'A' }), '1 turn of A');
  assert.equal(fillIn('{n} {n|turn|turns}', { n: 0 }), '0 turns');
  assert.equal(fillIn('{n}', { n: '{m}', m: 'x' }), '{m}', 'a value is never a template');
  assert.equal(fillIn('{lost}', {}), '{lost}');
});

test('an unknown word shows its key', () => {
  setLang('zh');
  assert.equal(text('no.such.word'), 'no.such.word');
});

test('the language is the first that the reader asks for', () => {
  assert.equal(langOf(['zh-CN', 'en']), 'zh');
  assert.equal(langOf(['zh']), 'zh');
  assert.equal(langOf(['fr', 'zh-CN']), 'en');
  assert.equal(langOf([]), 'en');
});
