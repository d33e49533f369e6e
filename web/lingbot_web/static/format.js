// Times, numbers and values as people read them. The one place that knows the reader's locale and the zone of the times:
// every time on the page is of one zone, the reader's own or UTC, and says which.

import { lang, text } from 'lb/i18n';

/** @typedef {'local' | 'utc'} Zone */

/** Minutes east of Greenwich at a moment of the reader's own zone. @param {Date} date */
const offset = (date) => -date.getTimezoneOffset();

/** @type {Zone} */
let zoneOfTimes = 'local';
/** @type {readonly string[]} */
let wanted = [];
/** @type {Map<string, Intl.DateTimeFormat>} */
const dates = new Map();
/** @type {Map<string, Intl.NumberFormat>} */
const numbers = new Map();

/** @returns {Zone} the zone that all times are shown in */
export function zoneShown() {
  return zoneOfTimes;
}

/** @param {Zone} next */
export function setZone(next) {
  zoneOfTimes = next;
}

/** What the reader's browser asks for, for the habits of a region: en-GB and en-US write dates in another order. @param {readonly string[]} tags */
export function setLocales(tags) {
  wanted = tags;
}

/** The reader's own kind of the language that is shown. */
export function locale() {
  const own = wanted.find((tag) => tag.toLowerCase().split('-')[0] === lang());
  return own ?? (lang() === 'zh' ? 'zh-CN' : 'en-GB');
}

/** @param {number} value */
const two = (value) => String(value).padStart(2, '0');

/** The moment as a Date whose UTC fields are those of the zone shown. @param {number} at Unix seconds */
function fields(at) {
  const date = new Date(at * 1000);
  return zoneOfTimes === 'utc' || Number.isNaN(date.getTime()) ? date : new Date(date.getTime() + offset(date) * 60_000);
}

/** @param {number | null | undefined} at @returns {at is number} */
function told(at) {
  return typeof at === 'number' && Number.isFinite(at) && !Number.isNaN(new Date(at * 1000).getTime());
}

/** 14:06:45, by 24 hours in every language: it stands in columns. @param {number | null | undefined} at Unix seconds */
export function clock(at) {
  if (!told(at)) return '';
  const date = fields(at);
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
}

/** Seconds since midnight, with their fraction. @param {number} at Unix seconds */
export function clockSeconds(at) {
  const date = fields(at);
  return date.getUTCHours() * 3600 + date.getUTCMinutes() * 60 + date.getUTCSeconds() + date.getUTCMilliseconds() / 1000;
}

/** 14:06 @param {number | null | undefined} at */
export function minute(at) {
  return clock(at).slice(0, 5);
}

/** "30 Nov 2026, 14:06:45 UTC+08:00", for titles: the zone is part of a time. @param {number | null | undefined} at */
export function stamp(at) {
  return told(at) ? `${day(at)}${lang() === 'zh' ? ' ' : ', '}${clock(at)} ${zone(at)}` : '';
}

/** "30 Nov 2026", "2026年11月30日" @param {number | null | undefined} at */
export function day(at) {
  return told(at) ? dateFormat('day', { year: 'numeric', month: 'short', day: 'numeric' }).format(fields(at)) : '';
}

/** The day in `now`'s year, the month in another: as much as a list has room for. @param {number} at @param {number} now */
function shortDay(at, now) {
  if (!told(at)) return '';
  if (fields(at).getUTCFullYear() !== fields(now).getUTCFullYear()) return dateFormat('month', { year: 'numeric', month: 'short' }).format(fields(at));
  return dateFormat('short', { month: 'short', day: 'numeric' }).format(fields(at));
}

/** Whether two moments are of one day. @param {number} a @param {number} b */
export function sameDay(a, b) {
  return told(a) && told(b) && fields(a).toISOString().slice(0, 10) === fields(b).toISOString().slice(0, 10);
}

/** @param {string} name @param {Intl.DateTimeFormatOptions} options */
function dateFormat(name, options) {
  const key = `${name} ${locale()}`;
  let format = dates.get(key);
  if (!format) dates.set(key, (format = new Intl.DateTimeFormat(locale(), { ...options, timeZone: 'UTC' })));
  return format;
}

/** "UTC+08:00" at that moment, or "UTC". @param {number} at */
export function zone(at) {
  if (zoneOfTimes === 'utc') return 'UTC';
  const minutes = offset(new Date(at * 1000));
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** "now", "8 s", "3 min", then the time of day, then the date. @param {number} at @param {number} now */
export function ago(at, now) {
  const seconds = Math.max(0, now - at);
  if (seconds < 5) return text('time.now');
  if (seconds < 60) return text('time.seconds', { n: Math.floor(seconds) });
  if (seconds < 3600) return text('time.minutes', { n: Math.floor(seconds / 60) });
  return sameDay(at, now) ? minute(at) : shortDay(at, now);
}

/** When something was, as short as it can be said: today's time of day, else the day. @param {number} at @param {number} now */
export function since(at, now) {
  return sameDay(at, now) ? minute(at) : shortDay(at, now);
}

/** 1:05:09 or 4:34 @param {number} seconds */
export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const tail = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${tail}` : tail.replace(/^0/, '');
}

/** "3 days", "7 months": how long ago something was made. @param {number} seconds */
export function age(seconds) {
  const days = Math.max(0, Math.floor(seconds / 86400));
  if (days < 60) return text('time.days', { n: days });
  if (days < 730) return text('time.months', { n: Math.floor(days / 30.44) });
  return text('time.years', { n: Math.floor(days / 365.25) });
}

/** 18,702 @param {number} value */
export function count(value) {
  const key = locale();
  let format = numbers.get(key);
  if (!format) numbers.set(key, (format = new Intl.NumberFormat(key, { maximumFractionDigits: 0 })));
  return format.format(value);
}

/** 0.87; "" for what is no number. With a point in both languages, as in the raw events beside it. @param {unknown} value @param {number} [digits] */
export function score(value, digits = 2) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return '';
  return Math.abs(value) >= 100 ? String(Math.round(value)) : value.toFixed(digits);
}

/** A slot's value in one line. @param {unknown} value */
export function valueText(value) {
  if (value === null || value === undefined) return '∅ null';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
