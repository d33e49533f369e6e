// The turn table as CSV. Pure: a map in, text out.
//
// The columns are COLUMNS, their names are English in every language, so that a script finds them. A cell holds several
// things with "; " between them. Names stand as "label (name)" where the two differ. A slot is "name = value" (text as it
// is, anything else as JSON), "name cleared" or "name read". A document is its rank, its name, its score and "used",
// "prompt", "cut: reason" or "candidate". Numbers are rounded to four decimals; the time is UTC. The map's side writes
// the same table, and both are held to one file.

import { rowsOf } from 'lb/table_rows';

/** @typedef {import('lb/table_rows').TurnRow} TurnRow */

export const COLUMNS = ['turn', 'time', 'said', 'intents', 'confidence', 'slots', 'documents', 'answered', 'anomalies'];

const LONGEST_VALUE = 1000;
// Spreadsheet programs take a cell that begins so for a formula; some also the wide forms of the signs.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
// Neither text nor line: half a character, and control characters that end or hide what follows.
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ud800-\udfff]/gu;

/**
 * @param {import('lb/fold').DialogueMap} map
 * @param {{from: number, to: number, upto: number, lang: 'zh' | 'en'}} what turns, both included; `upto` is a seq, or Infinity
 * @returns {string} RFC 4180, with a byte order mark so that spreadsheet programs take it for UTF-8
 */
export function turnsCsv(map, { from, to, upto, lang }) {
  const lines = [COLUMNS, ...rowsOf(map, from, to, upto).map((row) => cells(row, lang))];
  return '\ufeff' + lines.map((line) => line.map(quoted).join(',') + '\r\n').join('');
}

/** @param {TurnRow} row @param {'zh' | 'en'} lang @returns {string[]} */
function cells(row, lang) {
  return [
    String(row.turn),
    time(row.at),
    row.said,
    row.intents.map(nameOf).join('; '),
    row.intents.map(({ confidence }) => number(confidence)).join('; '),
    row.slots.map((slot) => `${nameOf(slot)}${slot.what === 'write' ? ` = ${valueOf(slot.value)}` : ` ${slot.what}`}`).join('; '),
    row.docs.map((doc) => [doc.rank && `#${doc.rank}`, nameOf(doc), number(doc.score), doc.state === 'cut' ? `cut: ${doc.why}` : doc.state].filter(Boolean).join(' ')).join('; '),
    row.answers.join('; '),
    row.findings.map(({ code, kind, reason }) => `${code} ${kind}: ${reason[lang] || reason.en || ''}`).join('; '),
  ];
}

/** A clock of a source may say anything: what no calendar has is left empty. @param {number | null} at */
function time(at) {
  const date = new Date(Math.floor(at ?? NaN) * 1000);
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString().replace('.000Z', 'Z') : '';
}

/** @param {{name: string, label: string}} node */
function nameOf({ name, label }) {
  return label === name ? name : `${label} (${name})`;
}

/** @param {unknown} value */
function number(value) {
  return typeof value === 'number' && Number.isFinite(value) ? String(Math.floor(value * 1e4 + 0.5) / 1e4) : '';
}

/** @param {unknown} value */
function valueOf(value) {
  const whole = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  if (whole.length <= LONGEST_VALUE) return whole;
  const characters = [...whole];
  return characters.length <= LONGEST_VALUE ? whole : characters.slice(0, LONGEST_VALUE).join('') + '…';
}

/** @param {string} cell */
function quoted(cell) {
  const fit = cell.replace(UNFIT, '\ufffd');
  const safe = FORMULA.test(fit) ? `'${fit}` : fit;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
