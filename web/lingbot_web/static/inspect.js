// The inspector on the right: picks the pane for what is selected, and holds it to the moment shown.

import { assertionFor } from 'lb/assertion';
import { copyText } from 'lb/clipboard';
import { fill, h } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { RawEvents } from 'lb/events';
import { answerPane, docPane } from 'lb/pane_doc';
import { intentPane } from 'lb/pane_intent';
import { slotPane } from 'lb/pane_slot';
import { findingPane, overviewPane, turnPane } from 'lb/pane_turn';
import { blamedSeqs } from 'lb/past';
import { subjectJson } from 'lb/subject_json';
import { toast } from 'lb/toast';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/pane').View} View */
/** @typedef {import('lb/pane').Pane} Pane */
/**
 * @typedef {object} Subject what the inspector is asked to show
 * @property {import('lb/fold').DialogueMap | null} map
 * @property {string} key
 * @property {Selection | null} selection
 * @property {number | null} playhead
 * @property {{received: number, failures: import('lb/feed').Failure[]}} feed
 * @property {() => number | null} now the server's time until the session has ended, then null
 */

// Live events redraw an open pane at most this often; a click is answered at once.
const PACE_MS = 300;

export class Inspector {
  /**
   * @param {import('lb/api').Api} api
   * @param {{subject: () => Subject, go: (selection: Selection) => void, copyLink: (selection: Selection | null) => void, why?: (selection: Selection) => void, designed?: (selection: Selection) => HTMLElement | null}} page
   */
  constructor(api, page) {
    /** @type {import('lb/side').TabName} */
    this.name = 'inspect';
    this.page = page;
    this.raw = new RawEvents(api, toast);
    this.body = h('div', { class: 'pane' });
    this.timer = 0;
    this.about = '';
    /** @type {(() => void) | undefined} */
    this.tick = undefined;
    this.bar = h('div', { class: 'pane-bar' });
    this.element = h('div', { class: 'inspector' }, this.bar, this.body, this.raw.element);
    // What is left of a lifetime runs on between events.
    setInterval(() => document.hidden || this.tick?.(), 1000);
  }

  relabel() {
    this.render();
  }

  /** What scrolls is the panel that the inspector stands in. */
  get scroller() {
    return /** @type {HTMLElement} */ (this.element.parentElement);
  }

  /** The map grew: redraws, but not more often than can be read. */
  soon() {
    if (!this.timer) this.timer = setTimeout(() => this.render(), PACE_MS);
  }

  render() {
    clearTimeout(this.timer);
    this.timer = 0;
    const subject = this.page.subject();
    const { map, selection, playhead } = subject;
    if (!map || !map.cursor.seq) {
      this.about = '';
      this.tick = undefined;
      fill(this.bar);
      fill(this.body, h('header', { class: 'heading' }, h('h1', null, text('inspect.none')), h('div', { class: 'sub' }, text('inspect.none.why'))));
      this.raw.element.hidden = true;
      return;
    }
    const upto = playhead ?? Infinity;
    /** @type {View} */
    const view = {
      map,
      upto,
      selection: selection ?? { kind: 'turn', id: '', turn: 0, seq: 0 },
      blamed: blamedSeqs(map, upto),
      go: this.page.go,
      now: () => (playhead === null ? Math.max(map.at, subject.now() ?? map.at) : map.atOf(playhead)),
      copyLink: (finding) => this.page.copyLink(selectionOf(finding)),
      copyAssertion: (finding) => copied(assertionFor(map, selectionOf(finding), upto), 'copied.assertion'),
    };
    const pane = paneFor(view, subject);
    const about = JSON.stringify([subject.key, selection?.kind, selection?.id]);
    const scroll = about === this.about ? this.scroller.scrollTop : 0;
    const focused = document.activeElement instanceof HTMLElement && this.element.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
    this.tick = pane.tick;
    fill(
      this.bar,
      playhead !== null && h('span', { class: 'moment mono' }, text('inspect.moment', { seq: count(playhead), turn: Math.max(0, map.turnOf(playhead)) })),
      h('span', { class: 'spring' }),
      selection && [
        this.page.why && h('button', { class: 'text-button ask-why', title: text('ask.why.title'), dataset: { focus: 'why' }, on: { click: () => this.page.why?.(selection) } }, text('ask.why')),
        h('button', { class: 'text-button', title: text('copy.json'), 'aria-label': text('copy.json'), dataset: { focus: 'json' }, on: { click: () => copied(JSON.stringify(subjectJson(map, selection, upto), null, 2), 'copied.json') } }, icon('copy'), 'JSON'),
        h('button', { class: 'text-button', title: text('inspect.assert.why'), dataset: { focus: 'assert' }, on: { click: () => copied(assertionFor(map, selection, upto), 'copied.assertion') } }, icon('check'), text('inspect.assert.short')),
        h('button', { class: 'text-button', title: text('inspect.copy'), dataset: { focus: 'link' }, on: { click: () => this.page.copyLink(selection) } }, icon('link'), text('inspect.copy')),
      ],
    );
    const designed = selection && this.page.designed?.(selection);
    if (designed) pane.body.splice(selection.kind === 'turn' ? 2 : pane.body.length, 0, designed);
    fill(this.body, pane.body);
    this.raw.timed = map.about.timed !== false;
    this.raw.show(subject.key, map.cursor.epoch, pane.seqs.filter((seq) => seq <= upto), about, view.selection.seq);
    this.scroller.scrollTop = scroll;
    if (about === this.about && focused) for (const element of this.element.querySelectorAll('[data-focus]')) if (element instanceof HTMLElement && element.dataset.focus === focused) element.focus({ preventScroll: true });
    this.about = about;
  }
}

/** @param {import('lb/types').Finding} finding @returns {Selection} */
function selectionOf({ id, turn, seq }) {
  return { kind: 'finding', id, turn, seq };
}

/** @param {string} value @param {string} done the words for it */
async function copied(value, done) {
  toast(text((await copyText(value)) ? done : 'copied.failed'));
}

/** @param {View} view @param {Subject} subject @returns {Pane} */
function paneFor(view, { selection, feed }) {
  const { map } = view;
  if (!selection) return overviewPane(view, feed);
  if (selection.kind === 'turn') return turnPane(view, selection.turn);
  if (selection.kind === 'finding') {
    const finding = map.findings.get(selection.id);
    return finding ? findingPane(view, finding) : overviewPane(view, feed);
  }
  let id = selection.id;
  if (selection.kind === 'edge') {
    const edge = map.edge(id);
    if (!edge) return overviewPane(view, feed);
    view.selection = { ...selection, turn: edge.turn, seq: edge.seq };
    // What a connection means is told by the entity it changes: the intent reached, the slot, the document, the answer.
    id = edge.kind === 'read' ? edge.source : edge.target;
  }
  const node = map.nodes.get(id);
  if (!node) return overviewPane(view, feed);
  if (node.kind === 'intent') return intentPane(view, node);
  if (node.kind === 'slot') return slotPane(view, node);
  if (node.kind === 'doc') return docPane(view, node);
  if (node.kind === 'answer') return answerPane(view, node);
  return turnPane(view, node.turn);
}
