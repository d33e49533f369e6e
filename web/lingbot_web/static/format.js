// Times, numbers and values as people read them.

import { text } from 'lb/i18n';

/** @param {number} value */
const two = (value) => String(value).padStart(2, '0');

/** 14:06:45 in the reader's zone. @param {number | null | undefined} at Unix seconds */
export function clock(at) {
  if (typeof at !== 'number' || !Number.isFinite(at)) return '';
  const date = new Date(at * 1000);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** 2026-11-30 14:06:45 UTC+08:00, for titles: the zone is part of a time. @param {number | null | undefined} at */
export function stamp(at) {
  if (typeof at !== 'number' || !Number.isFinite(at)) return '';
  return `${day(at)} ${clock(at)} ${zone(at)}`;
}

/** 2026-11-30 @param {number} at */
export function day(at) {
  const date = new Date(at * 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** UTC+08:00 @param {number} at */
export function zone(at) {
  const minutes = -new Date(at * 1000).getTimezoneOffset();
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** "just now", "8 s", "3 min", then the time of day, then the date. @param {number} at @param {number} now */
export function ago(at, now) {
  const seconds = Math.max(0, now - at);
  if (seconds < 5) return text('time.now');
  if (seconds < 60) return text('time.seconds', { n: Math.floor(seconds) });
  if (seconds < 3600) return text('time.minutes', { n: Math.floor(seconds / 60) });
  return day(at) === day(now) ? clock(at).slice(0, 5) : day(at).slice(2);
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

/** 18 702, with thin spaces. @param {number} value */
export function count(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

/** 0.87; "" for what is no number. @param {unknown} value @param {number} [digits] */
export function score(value, digits = 2) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return '';
  return Math.abs(value) >= 100 ? String(Math.round(value)) : value.toFixed(digits);
}

/** A slot's value in one line. @param {unknown} value */
export function valueText(value) {
  if (value === null || value === undefined) return '∅ null';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
