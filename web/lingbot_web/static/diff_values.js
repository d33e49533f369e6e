// What two JSON values differ in, member by member: a list is compared by what is in it, not by place. Pure.

import { same } from 'lb/diff';

/** @typedef {{path: string, sign: '+' | '−' | '→' | '⇅', old?: unknown, new?: unknown}} Member `⇅`: the same items in another order */

/**
 * The members that differ; empty where there is nothing to part (other kinds, or texts and numbers).
 * @param {unknown} old @param {unknown} now @returns {Member[]}
 */
export function membersBetween(old, now) {
  /** @type {Member[]} */
  const found = [];
  if (isList(old) && isList(now)) lists('', old, now, found);
  else if (isObject(old) && isObject(now)) objects('', old, now, found);
  return found;
}

/** @param {string} path @param {unknown} old @param {unknown} now @param {Member[]} found */
function compare(path, old, now, found) {
  if (same(old, now)) return;
  if (isList(old) && isList(now)) lists(path, old, now, found);
  else if (isObject(old) && isObject(now)) objects(path, old, now, found);
  else found.push({ path, sign: '→', old, new: now });
}

/** @param {string} path @param {Record<string, unknown>} old @param {Record<string, unknown>} now @param {Member[]} found */
function objects(path, old, now, found) {
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const place = path ? `${path}.${key}` : key;
    if (!Object.hasOwn(now, key)) found.push({ path: place, sign: '−', old: old[key] });
    else if (!Object.hasOwn(old, key)) found.push({ path: place, sign: '+', new: now[key] });
    else compare(place, old[key], now[key], found);
  }
}

/** @param {string} path @param {unknown[]} old @param {unknown[]} now @param {Member[]} found */
function lists(path, old, now, found) {
  const rest = [...now];
  const gone = old.filter((item) => {
    const at = rest.findIndex((other) => same(item, other));
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  if (!gone.length && !rest.length) {
    found.push({ path, sign: '⇅' });
    return;
  }
  for (const item of gone) found.push({ path, sign: '−', old: item });
  for (const item of rest) found.push({ path, sign: '+', new: item });
}

/** @param {unknown} value @returns {value is unknown[]} */
function isList(value) {
  return Array.isArray(value);
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
