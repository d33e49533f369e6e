// The words of the interface. What comes from a bot (utterances, labels, values) is data and never passes here.

import { STRINGS } from 'lb/strings';

/** @typedef {'zh' | 'en'} Lang */
/** @typedef {Record<string, string | number>} Params */

/** @type {Lang} */
let current = 'en';

/** @returns {Lang} */
export function lang() {
  return current;
}

/** @param {Lang} next */
export function setLang(next) {
  current = next;
}

/** The language a browser asks for. @param {readonly string[]} wanted @returns {Lang} */
export function langOf(wanted) {
  return /^zh\b/i.test(wanted[0] ?? '') ? 'zh' : 'en';
}

/**
 * The sentence `key` in the current language. `{name}` stands for a parameter; `{n|turn|turns}` picks by whether the
 * parameter is 1. An unknown key shows itself: it is a fault that should be seen.
 * @param {string} key @param {Params} [params]
 */
export function text(key, params = {}) {
  const sentence = STRINGS[current][key];
  return sentence === undefined ? key : fillIn(sentence, params);
}

/** @param {string} key */
export function known(key) {
  return STRINGS[current][key] !== undefined;
}

/** @param {string} sentence @param {Params} params */
export function fillIn(sentence, params) {
  return sentence.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name, one, many) => {
    const value = params[name];
    if (value === undefined) return whole;
    if (one === undefined) return String(value);
    return Number(value) === 1 ? one : many;
  });
}
