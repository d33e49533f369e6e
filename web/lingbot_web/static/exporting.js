// What can be taken out of the page: the recording as one page, pictures, the table of turns, the recording itself.

import { fragmentOf } from 'lb/address';
import { Refused } from 'lb/api';
import { h, plain } from 'lb/dom';
import { clock, count, day, sameDay, zone } from 'lb/format';
import { lang, text } from 'lb/i18n';
import { showMenu } from 'lb/menu';
import { icon } from 'lb/icons';
import { png, svg } from 'lb/exporting_picture';
import { titleOf } from 'lb/session_row';
import { turnsCsv } from 'lb/table_csv';
import { turnsIn } from 'lb/table_rows';
import { toast } from 'lb/toast';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/**
 * @typedef {object} Subject
 * @property {import('lb/api').Api} api
 * @property {import('lb/score').Score} score
 * @property {import('lb/session_row').Summary | null} summary
 * @property {import('lb/link').Place} place where the reader is, the window included
 */
/** @typedef {'html' | 'png' | 'svg' | 'csv' | 'mermaid' | 'plantuml' | 'otlp' | 'jsonl' | 'print'} Kind */

/** What the server writes, and how the file's name ends. @type {Partial<Record<Kind, string>>} */
const SERVED = { html: 'html', mermaid: 'mmd', plantuml: 'puml', otlp: 'json', jsonl: 'jsonl' };

const LONGEST_NAME = 60;
/** What a file's name may not hold on some system, and what a reader would not see. */
const UNNAMEABLE = /[\\/:*?"<>|\u0000-\u001f\u007f-\u009f\s.\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g;

export class Exporting {
  /** @param {() => Subject} subject */
  constructor(subject) {
    this.subject = subject;
    this.events = true;
    this.element = h('button', { class: 'icon-button export-button', 'aria-haspopup': 'menu', on: { click: () => this.open() } }, icon('save'));
  }

  relabel() {
    this.element.setAttribute('aria-label', text('export.title'));
    this.element.title = `${text('export.title')} (E)`;
  }

  /** Opens the menu; a native popover, so that Esc, a click outside and focus behave as everywhere. */
  open() {
    const { api, score, summary } = this.subject();
    if (!score.map || !summary) {
      toast(text('export.nothing'));
      return;
    }
    /** @type {[Kind, boolean][]} */
    const kinds = [['html', !api.standalone], ['png', true], ['svg', true], ['csv', true], ['mermaid', !api.standalone], ['plantuml', !api.standalone], ['otlp', !api.standalone], ['jsonl', !api.standalone], ['print', true]];
    const tick = h('button', {
      class: 'export-events', role: 'menuitemcheckbox', 'aria-checked': String(this.events),
      on: { click: () => tick.setAttribute('aria-checked', String((this.events = !this.events))) },
    }, h('i', null), text('export.events'));
    const items = kinds.filter(([, offered]) => offered).flatMap(([kind]) => {
      const item = h('button', {
        role: 'menuitem',
        dataset: { kind },
        on: {
          click: () => {
            menu.hidePopover();
            this.take(kind);
          },
        },
      }, h('span', null, h('b', null, text(`export.${kind}`)), h('span', { class: 'quiet' }, text(`export.${kind}.why`))), kind !== 'print' && h('kbd', null, `.${SERVED[kind] ?? kind}`));
      return kind === 'html' ? [item, tick] : [item];
    });
    const menu = showMenu(this.element, items, { gap: 6, look: 'export-menu', label: text('export.title') });
  }

  /** Makes a file of one kind and hands it to the reader. @param {Kind} kind */
  async take(kind) {
    const { api, score, summary, place } = this.subject();
    if (!score.map || !summary) return;
    if (kind === 'print') {
      print();
      return;
    }
    this.element.setAttribute('aria-busy', 'true');
    try {
      const diagram = kind === 'mermaid' || kind === 'plantuml';
      const whole = kind in SERVED && !diagram;
      const name = `${fileName(titleOf(summary))}${whole ? '' : ` ${turnsOf(score)}`}.${SERVED[kind] ?? kind}`;
      let blob;
      if (diagram) blob = await api.file(`api/sessions/${summary.key}/export`, { to: kind, lang: lang(), turns: turnsSaid(score), at: score.playhead ?? '' });
      else if (whole) blob = await api.file(`api/sessions/${summary.key}/export`, { to: kind, place: kind === 'html' ? fragmentOf(place) : '', events: this.events ? 1 : 0 });
      else if (kind === 'png') blob = await png(score.scene, captionOf(score, summary));
      else if (kind === 'csv') blob = new Blob([table(score)], { type: 'text/csv' });
      else blob = new Blob([svg(score.scene, captionOf(score, summary))], { type: 'image/svg+xml' });
      save(blob, name);
      toast(text('export.done', { name: plain(name, 80), size: sizeText(blob.size) }));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      toast([text('export.failed', { why: error.message || text('error.away') }), error.remedy].filter(Boolean).join(' '));
    } finally {
      this.element.removeAttribute('aria-busy');
    }
  }
}

/** The turns in view, as far as they had come. @param {import('lb/score').Score} score */
function table({ scene, window, playhead }) {
  const upto = playhead ?? Infinity;
  const { first, last } = turnsIn(scene.map, window, upto);
  return turnsCsv(scene.map, { from: first, to: last, upto, lang: lang() });
}

/** First and last turn in view, as far as they had come, as an address says them. @param {import('lb/score').Score} score */
function turnsSaid({ scene, window, playhead }) {
  const { first, last } = turnsIn(scene.map, window, playhead ?? Infinity);
  return `${first}-${Math.max(first, last)}`;
}

/** First and last turn in view. @param {import('lb/score').Score} score */
function inView({ scene, window }) {
  return { from: Math.max(scene.map.firstTurn, Math.floor(window.from)), to: Math.min(scene.map.lastTurn, Math.ceil(window.to) - 1) };
}

/** @param {import('lb/score').Score} score */
function turnsOf(score) {
  const { from, to } = inView(score);
  return `${from}-${to}`;
}

/** What a picture says above the map. @param {import('lb/score').Score} score @param {import('lb/session_row').Summary} summary */
function captionOf(score, summary) {
  const { map } = score.scene;
  const { from, to } = inView(score);
  const [begin, end] = [map.turn(Math.max(1, from)), map.turn(to)].map((turn) => (turn && map.about.timed !== false ? (turn.said_at ?? turn.at) : NaN));
  const times = Number.isNaN(begin) || Number.isNaN(end) ? '' : `${day(begin)} ${clock(begin)} – ${sameDay(begin, end) ? '' : `${day(end)} `}${clock(end)} ${zone(end)}`;
  const title = titleOf(summary);
  const about = [
    title === summary.id ? '' : plain(summary.id, 60),
    text('export.turns', { from: count(from), to: count(to), of: count(map.lastTurn) }),
    times,
    score.playhead === null ? '' : text('export.moment', { seq: count(score.playhead), turn: Math.max(0, map.turnOf(score.playhead)) }),
  ];
  return { title, about: about.filter(Boolean).join('  ·  '), playhead: score.playhead };
}

/** A name that every system takes. @param {string} title */
export function fileName(title) {
  const name = [...title.replace(UNNAMEABLE, ' ').replace(/[\ud800-\udfff]/gu, '').trim()].slice(0, LONGEST_NAME).join('').trim();
  return name || 'session';
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may still be asking where to
}

/** @param {number} bytes */
function sizeText(bytes) {
  return bytes < 1e6 ? `${count(Math.ceil(bytes / 1000))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
