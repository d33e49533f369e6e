// What paper gets: the session, the anomalies with their reasons, and the turn table of the window, all of it.

import { fill, foreign, h } from 'lb/dom';
import { count, stamp } from 'lb/format';
import { lang, text } from 'lb/i18n';
import { glyph } from 'lb/icons';
import { leftOut, turnTable } from 'lb/table_body';
import { findingsByTurn, rowsOf, sifted, turnsIn } from 'lb/table_rows';

/** @typedef {import('lb/table').Tabled} Tabled */

/** Makes the sheet when the page is about to be printed, and takes it away after. @param {() => Tabled} shown */
export function printed(shown) {
  const sheet = h('section', { class: 'print-sheet', hidden: true });
  document.body.append(sheet);
  const make = () => {
    fill(sheet, sheetOf(shown()));
    sheet.hidden = false;
  };
  const drop = () => {
    sheet.hidden = true;
    sheet.replaceChildren();
  };
  addEventListener('beforeprint', make);
  addEventListener('afterprint', drop);
  matchMedia('print').addEventListener('change', (event) => (event.matches ? make() : drop()));
}

/** @param {Tabled} shown @returns {import('lb/dom').Child[]} */
function sheetOf({ map, playhead, window, layers, anomalies, hidden, title }) {
  const upto = playhead ?? Infinity;
  const { first, last } = map ? turnsIn(map, window, upto) : { first: 1, last: 0 };
  if (!map || last < first) return [h('h1', null, title ? foreign(title, { most: 300 }) : 'lingbot-map'), h('p', null, text('table.empty'))];
  const byTurn = findingsByTurn(map, upto);
  const all = rowsOf(map, first, last, upto);
  const rows = (anomalies ? all.filter(({ findings }) => findings.length) : all).map((row) => sifted(row, hidden));
  const findings = [...byTurn.values()].flat().filter((finding) => finding.since <= last && finding.turn >= first).sort((a, b) => a.seq - b.seq);
  const times = all.map(({ at }) => at).filter((at) => at !== null);
  const range = [text('table.range', { from: first, to: last, total: count(map.lastTurn) }), times.length > 0 && `${stamp(times[0])} – ${stamp(times[times.length - 1])}`, playhead !== null && text('inspect.moment', { seq: count(playhead), turn: Math.max(0, map.turnOf(playhead)) }), leftOut(layers, hidden)];
  return [
    h('h1', null, foreign(title || map.session, { most: 300 })),
    h('p', { class: 'sub' }, foreign(map.session, { most: 200, class: 'mono' }), ' · ', range.filter(Boolean).join(' · ')),
    h('h2', null, text('toolbar.findings'), ` ${count(findings.length)}`),
    findings.length
      ? h('ol', { class: 'print-findings' }, findings.map((finding) => h('li', null,
        glyph(finding.kind), h('b', null, text(`finding.${finding.kind}`)), ' ', h('span', { class: 'mono' }, finding.code), ' · ',
        finding.since && finding.since !== finding.turn ? text('inspect.turns', { from: finding.since, to: finding.turn }) : text('inspect.turn', { turn: finding.turn }), ' · ',
        foreign(finding.reason[lang()] || finding.reason.en || '', { most: 1000 }))))
      : h('p', null, text('overview.clean')),
    turnTable(rows, { caption: anomalies ? text('table.only', { shown: count(rows.length), total: count(all.length) }) : text('table.caption', { from: first, to: last }), layers, selection: null, go: null }),
  ];
}
