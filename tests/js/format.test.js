// Times and numbers by locale and by one zone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ago, clock, count, day, locale, sameDay, setLocales, setZone, since, stamp, zone } from 'lb/format';
import { setLang } from 'lb/i18n';

const AT = Date.UTC(2026, 10, 30, 22, 6, 45) / 1000;

/** @param {string} name @param {() => void} run */
function inZone(name, run) {
  const before = process.env.TZ;
  process.env.TZ = name;
  try {
    run();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
    setZone('local');
    setLocales([]);
  }
}

test('a time is that of the zone shown, and says which', () => {
  inZone('Asia/Shanghai', () => {
    setLang('zh');
    assert.equal(stamp(AT), '2026年12月1日 06:06:45 UTC+08:00', 'another day there');
    setZone('utc');
    assert.equal(stamp(AT), '2026年11月30日 22:06:45 UTC');
    setLang('en');
    assert.equal(stamp(AT), '30 Nov 2026, 22:06:45 UTC');
  });
});

test('a zone is that of the moment: summer time, and hours that are not whole', () => {
  inZone('America/New_York', () => {
    assert.equal(zone(AT), 'UTC−05:00');
    assert.equal(zone(Date.UTC(2026, 6, 1) / 1000), 'UTC−04:00');
    assert.equal(clock(Date.UTC(2026, 6, 1, 12) / 1000), '08:00:00');
  });
  inZone('Asia/Kolkata', () => {
    assert.equal(zone(AT), 'UTC+05:30');
    assert.equal(clock(AT), '03:36:45');
  });
});

test('days are told apart in the zone shown', () => {
  inZone('Asia/Shanghai', () => {
    const evening = Date.UTC(2026, 10, 30, 15, 59) / 1000;
    assert.ok(!sameDay(evening, evening + 120));
    setZone('utc');
    assert.ok(sameDay(evening, evening + 120));
  });
});

test('regions write dates in their own order, of the language that is shown', () => {
  inZone('UTC', () => {
    setLang('en');
    setLocales(['zh-CN', 'en-US']);
    assert.equal(day(AT), 'Nov 30, 2026');
    setLocales(['en-GB']);
    assert.equal(day(AT), '30 Nov 2026');
    setLang('zh');
    assert.equal(locale(), 'zh-CN');
    assert.equal(day(AT), '2026年11月30日');
    assert.equal(count(18702), '18,702');
  });
});

test('what was lately is told by the clock, earlier by the day, in another year by the month', () => {
  inZone('UTC', () => {
    setLang('en');
    assert.deepEqual([3, 8, 200, 7200, 90_000, 40_000_000].map((seconds) => ago(AT - seconds, AT)), ['now', '8 s', '3 min', '20:06', '29 Nov', 'Aug 2025']);
    assert.equal(since(AT - 3, AT), '22:06');
  });
});

test('what is no time shows as nothing', () => {
  for (const bad of [null, undefined, NaN, Infinity, 1e300]) for (const show of [clock, day, stamp]) assert.equal(show(bad), '');
});
