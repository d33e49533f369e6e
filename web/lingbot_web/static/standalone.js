// A page that was opened from disk carries its recording: what it would ask a server is answered from there.
// To everything else it looks like a server that holds one session and has nothing new to say.

import { Api, Refused } from 'lb/api';
import { byId, fill, foreign, h } from 'lb/dom';
import { count, stamp } from 'lb/format';
import { text } from 'lb/i18n';
import { glyph } from 'lb/icons';
import { readPlace } from 'lb/link';
import { titleOf } from 'lb/session_row';
import { unmaskedTitle } from 'lb/stats';

/** @typedef {import('lb/session_row').Summary} Summary */
/**
 * @typedef {object} About the first block of the file
 * @property {number} v
 * @property {Summary} summary
 * @property {string} place fragment of the link to where it opens
 * @property {boolean} events whether raw events are in it
 */

const OPEN = 1;
const EVENTS = /^api\/sessions\/\w+\/events$/;
const KEYFRAME = /^api\/sessions\/\w+\/keyframe$/;

/** The recording that this page carries; null on a page that came from a server. @returns {FileApi | null} */
export function carried() {
  return document.documentElement.hasAttribute('data-file') ? new FileApi(JSON.parse(byId('file-about').textContent ?? '')) : null;
}

/** Answers like Api, from the blocks of the file. */
export class FileApi extends Api {
  /** @param {About} about */
  constructor(about) {
    super('');
    this.about = about;
    /** @type {Map<string, Promise<any>>} */
    this.read = new Map();
  }

  /** Where it opens: a fragment in the address bar goes before what the file says. @returns {{token: string, place: import('lb/link').Place}} */
  opening() {
    const place = readPlace(location.hash.length > 1 ? location.hash : this.about.place);
    return { token: '', place: { ...place, session: this.about.summary.key } };
  }

  /** @override */
  get standalone() {
    return true;
  }

  /** Says in place of the list of sessions what the file holds. @override @param {HTMLElement} host */
  present(host) {
    const { summary, events } = this.about;
    const title = titleOf(summary);
    const found = Object.entries(summary.findings).filter(([, n]) => n > 0);
    fill(
      host,
      h('h2', null, text('export.file')),
      h('p', { class: 'file-title' }, foreign(title, { most: 200 })),
      title !== summary.id && h('p', { class: 'mono quiet' }, foreign(summary.id, { most: 80 })),
      h('p', { class: 'quiet' }, stamp(summary.started_at ?? summary.updated_at)),
      h('p', null, text('export.holds', { turns: summary.turns, events: summary.events }), !events && ` ${text('export.no-events')}`),
      found.length > 0 && h('p', { class: 'file-findings' }, found.map(([kind, n]) => h('span', { class: kind === 'gap' ? 'gap' : null, title: text(`finding.${kind}`) }, glyph(kind), count(n)))),
      (summary.masked ?? 0) > 0 && h('p', { class: 'quiet' }, text('stats.masked.title', { n: count(summary.masked ?? 0) })),
      summary.unmasked && h('p', { class: 'warn' }, text(unmaskedTitle(summary.origin))),
      h('p', { class: 'quiet' }, text('export.offline')),
    );
  }

  /** @override @param {string} path @param {Record<string, string | number | undefined>} [query] @returns {Promise<any>} */
  async get(path, query = {}) {
    const { summary } = this.about;
    const at = Number(query.at ?? Infinity);
    if (path === 'api/sessions') return { sessions: [summary], total: 1, next: null };
    if (path === `api/sessions/${summary.key}`) return summary;
    if (KEYFRAME.test(path) && at >= summary.events) return this.#block('file-map');
    if (EVENTS.test(path)) return { events: await this.#events(Number(query.from ?? 1), Number(query.to ?? Infinity)) };
    throw new Refused(404, text('export.not-here'));
  }

  /** @param {number} from @param {number} to */
  async #events(from, to) {
    if (!this.about.events) throw new Refused(404, text('export.no-events'));
    /** @type {import('lb/events').RawEvent[]} */
    const events = await this.#block('file-events');
    return events.filter(({ seq }) => from <= seq && seq <= to);
  }

  /** A block is read when it is first asked for, and once. @param {string} id */
  #block(id) {
    let block = this.read.get(id);
    if (!block) this.read.set(id, (block = unpacked(byId(id))));
    return block;
  }

  /** @override @param {string} _path @param {unknown} _body @returns {Promise<any>} */
  async post(_path, _body) {
    throw new Refused(405, text('export.read-only'));
  }

  /** @override @param {string} _path @returns {Promise<any>} */
  async remove(_path) {
    throw new Refused(405, text('export.read-only'));
  }

  /** @override @param {string} _path @param {Record<string, string | number | undefined>} _query @returns {Promise<any>} */
  async file(_path, _query) {
    throw new Refused(404, text('export.not-here'));
  }

  /** @override @param {string} _path @param {File} _file @returns {Promise<any>} */
  async upload(_path, _file) {
    throw new Refused(405, text('export.read-only'));
  }

  /** @override @returns {any} */
  socket() {
    return new QuietLine();
  }
}

/** A line that is open and on which nothing comes but the answer to who asks whether anybody is there. */
class QuietLine extends EventTarget {
  constructor() {
    super();
    this.readyState = OPEN;
    this.binaryType = 'arraybuffer';
    this.send('');
  }

  /** @param {string} _place */
  send(_place) {
    const hello = JSON.stringify({ t: 'hello', session: null, epoch: '', seq: 0, resume: true, why: '' });
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: hello })));
  }

  close() {}
}

/** @param {HTMLElement} element @returns {Promise<any>} */
async function unpacked(element) {
  const said = JSON.parse(element.textContent ?? '');
  element.remove(); // what was read need not be kept twice
  if (element.dataset.packed === undefined) return said;
  const bytes = Uint8Array.from(atob(said), (char) => char.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).json();
}
