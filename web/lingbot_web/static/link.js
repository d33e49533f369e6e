// A place in a recording as a URL fragment: what "copy link" gives, and what the address bar holds.
// Pure: it knows strings only.

/** @typedef {import('lb/types').Layer} Layer */
/** @typedef {import('lb/types').Selection} Selection */
/**
 * @typedef {object} Place
 * @property {string} [session] key of the session, or how it begins
 * @property {import('lb/types').Window} [window]
 * @property {Selection} [selection]
 * @property {string} [epoch] of the recording, when the link was made
 * @property {Layer[]} [layers] those that are on; absent = all
 * @property {number} [playhead] seq; absent = latest
 * @property {boolean} [trail] what the selection reaches is lit
 * @property {string} [query] in the search box
 * @property {string} [filters] as Filters write it
 * @property {'inspect' | 'dialogue' | 'events' | 'changes' | 'ask'} [tab] of the panel; absent = the inspector
 * @property {{base: string, question: string}} [ask] what is asked, and the question ("" = none yet)
 * @property {import('lb/diff').Moments} [compared] the moments that the changes are told between; absent = they follow
 * @property {boolean} [table] the turns as a table instead of the score
 * @property {'light' | 'dark'} [theme]
 * @property {'zh' | 'en'} [lang]
 * @property {'utc' | 'local'} [zone] of the times
 */

/** @type {Layer[]} */
export const LAYERS = ['flow', 'state', 'knowledge'];
const KEY = /^[\w-]{1,64}$/; // also what is no key: that it leads nowhere is then told
const EPOCH = /^[\w.:-]{1,64}$/;
/** No longer than the search box takes. */
const LONGEST_QUERY = 400;
const TABS = ['inspect', 'dialogue', 'events', 'changes', 'ask'];
const LONGEST_QUESTION = 2000;
const LONGEST_BASE = 300;
const KINDS = ['node', 'edge', 'finding', 'turn'];

/**
 * Takes the access token out of a fragment.
 * @param {string} fragment with or without its "#"
 * @returns {{token: string, rest: string}} `rest` is the fragment without it, without "#"
 */
export function takeToken(fragment) {
  const parts = fragment.replace(/^#/, '').split('&').filter(Boolean);
  const token = parts.find((part) => part.startsWith('t='));
  return { token: token ? decode(token.slice(2)) : '', rest: parts.filter((part) => part !== token).join('&') };
}

/**
 * Reads a fragment; what can't be understood is left out, one part never spoils another.
 * @param {string} fragment @returns {Place}
 */
export function readPlace(fragment) {
  /** @type {Place} */
  const place = {};
  for (const part of fragment.replace(/^#/, '').split('&')) {
    const at = part.indexOf('=');
    if (at < 1) continue;
    const name = part.slice(0, at);
    const value = decode(part.slice(at + 1));
    if (name === 's' && KEY.test(value)) place.session = value;
    else if (name === 'w') {
      const [from, to] = value.split('_').map(Number);
      if (Number.isFinite(from) && Number.isFinite(to) && /** @type {number} */ (from) < /** @type {number} */ (to)) place.window = { from: /** @type {number} */ (from), to: /** @type {number} */ (to) };
    } else if (name === 'sel') {
      const selection = readSelection(value);
      if (selection) place.selection = selection;
    } else if (name === 'l') {
      const layers = LAYERS.filter((layer) => value.split(',').includes(layer));
      if (layers.length) place.layers = layers;
    } else if (name === 'at' && /^[1-9]\d{0,15}$/.test(value)) place.playhead = Number(value);
    else if (name === 'e' && EPOCH.test(value)) place.epoch = value;
    else if (name === 'q' && value && value.length <= LONGEST_QUERY) place.query = value;
    else if (name === 'f' && /^[a-z,-]{1,200}$/.test(value)) place.filters = value;
    else if (name === 'trail' && value === '1') place.trail = true;
    else if (name === 'tab' && TABS.includes(value)) place.tab = /** @type {Place['tab']} */ (value);
    else if (name === 'ask' && value && value.length <= LONGEST_BASE) place.ask = { base: value, question: place.ask?.question ?? '' };
    else if (name === 'aq' && value && value.length <= LONGEST_QUESTION) place.ask = { base: place.ask?.base ?? 'session', question: value };
    else if (name === 'ab' && /^\d{0,16}_\d{0,16}$/.test(value)) {
      const [a = '', b = ''] = value.split('_');
      place.compared = { a: a ? Number(a) : null, b: b ? Number(b) : null };
    } else if (name === 'view' && value === 'table') place.table = true;
    else if (name === 'theme' && (value === 'light' || value === 'dark')) place.theme = value;
    else if (name === 'lang' && (value === 'zh' || value === 'en')) place.lang = value;
    else if (name === 'tz' && (value === 'utc' || value === 'local')) place.zone = value;
  }
  return place;
}

/** @param {string} value @returns {Selection | null} */
function readSelection(value) {
  const match = /^(\w+)~(\d{1,9})~(\d{1,16})~([\s\S]+)$/.exec(value);
  if (!match || !KINDS.includes(/** @type {string} */ (match[1]))) return null;
  return { kind: /** @type {Selection['kind']} */ (match[1]), turn: Number(match[2]), seq: Number(match[3]), id: /** @type {string} */ (match[4]) };
}

/** The fragment (without "#") that `readPlace` reads back. @param {Place} place @returns {string} */
export function writePlace(place) {
  const parts = [];
  if (place.session) parts.push(`s=${place.session}`);
  if (place.epoch) parts.push(`e=${encode(place.epoch)}`);
  if (place.window) parts.push(`w=${tenth(place.window.from)}_${tenth(place.window.to)}`);
  if (place.selection) {
    const { kind, turn, seq, id } = place.selection;
    parts.push(`sel=${encode(`${kind}~${turn || 0}~${seq || 0}~${id}`)}`);
  }
  if (place.layers && place.layers.length < LAYERS.length) parts.push(`l=${place.layers.join(',')}`);
  if (place.playhead) parts.push(`at=${place.playhead}`);
  if (place.trail) parts.push('trail=1');
  if (place.query) parts.push(`q=${encode(place.query)}`);
  if (place.filters) parts.push(`f=${place.filters}`);
  if (place.tab && place.tab !== TABS[0]) parts.push(`tab=${place.tab}`);
  if (place.ask && place.ask.base !== 'session') parts.push(`ask=${encode(place.ask.base)}`);
  if (place.ask?.question) parts.push(`aq=${encode(place.ask.question)}`);
  if (place.compared) parts.push(`ab=${place.compared.a ?? ''}_${place.compared.b ?? ''}`);
  if (place.table) parts.push('view=table');
  if (place.theme) parts.push(`theme=${place.theme}`);
  if (place.lang) parts.push(`lang=${place.lang}`);
  if (place.zone) parts.push(`tz=${place.zone}`);
  return parts.join('&');
}

/** @param {number} value */
function tenth(value) {
  return String(Math.round(value * 10) / 10);
}

/** @param {string} text */
function encode(text) {
  // Lone surrogates can't be encoded; they stand as U+FFFD, and the selection then finds nothing instead of throwing.
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'));
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
