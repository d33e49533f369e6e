// The head of the tab: which base is asked, a dropped diagram's lot, and the topics that one can go back to.

import { keep, read } from 'lb/ask_bases';
import { fill, foreign, h, plain } from 'lb/dom';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { toast } from 'lb/toast';

/** @typedef {import('lb/ask_talk').Topic} Topic */
/**
 * @typedef {object} Reactions
 * @property {(id: string) => void} choose
 * @property {(files: File[]) => void} take
 * @property {() => void} changed
 * @property {() => void} renew
 * @property {(topic: Topic) => void} back
 * @property {(wide: boolean) => void} widen
 */

const WIDE = 'lingbot-map.ask.wide';
const ENDINGS = '.puml,.plantuml,.pu,.iuml,.wsd,.mmd,.mermaid,.md,.xmi,.uml,.xml,.txt';

export class AskHead {
  /** @param {import('lb/ask_bases').AskBases} bases @param {Reactions} reactions */
  constructor(bases, reactions) {
    this.bases = bases;
    this.reactions = reactions;
    this.about = ''; // what the switch shows; it is made anew only when that changes, so it never closes under the pointer
    this.select = h('select', { class: 'ask-base', dataset: { focus: 'base' }, on: { change: () => reactions.choose(this.select.value) } });
    this.file = h('input', { type: 'file', accept: ENDINGS, hidden: true, on: { change: () => { reactions.take([...(this.file.files ?? [])]); this.file.value = ''; } } });
    this.open = h('button', { class: 'icon-button', on: { click: () => this.file.click() } }, icon('open'));
    this.wide = read(WIDE) === '1';
    this.spread = h('button', { class: 'icon-button ask-spread', dataset: { focus: 'wide' }, on: { click: () => this.#widen() } }, icon('panel'));
    this.bar = h('div', { class: 'ask-bar-bases' }, this.select, this.open, this.spread, this.file);
    this.dropped = h('div', null);
    this.topics = h('div', null);
    this.element = h('div', { class: 'ask-head' }, this.bar, this.dropped, this.topics);
  }

  /** The answer and what is behind it side by side, or one below the other. */
  #widen() {
    this.wide = !this.wide;
    keep(WIDE, this.wide ? '1' : null);
    this.reactions.widen(this.wide);
    this.reactions.changed();
  }

  /** @param {import('lb/ask_talk').Talk} talk */
  render(talk) {
    const { bases } = this;
    const groups = bases.groups;
    const about = JSON.stringify([groups, bases.id]);
    if (about !== this.about) {
      this.about = about;
      fill(this.select, groups.map(([label, members]) => h('optgroup', { label }, members.map(([id, name]) => h('option', { value: id, selected: id === bases.id }, name)))));
    }
    this.select.setAttribute('aria-label', text('ask.base'));
    this.open.setAttribute('aria-label', text('ask.drop'));
    this.open.title = text('ask.drop');
    const spread = text(this.wide ? 'ask.narrow' : 'ask.wide');
    this.spread.setAttribute('aria-label', spread);
    this.spread.setAttribute('aria-pressed', String(this.wide));
    this.spread.title = spread;
    this.#renderDropped();
    this.#renderTopics(talk);
  }

  #renderDropped() {
    const { bases, reactions } = this;
    const dropped = bases.dropped.get(bases.id);
    fill(this.dropped, dropped && h('div', { class: 'ask-dropped' },
      h('label', null,
        h('input', { type: 'checkbox', checked: dropped.kept, dataset: { focus: 'keep' }, on: { change: (/** @type {Event} */ event) => { if (!bases.keepHere(bases.id, /** @type {HTMLInputElement} */ (event.target).checked)) toast(text('ask.drop.full')); reactions.changed(); } } }),
        text('ask.drop.keep')),
      h('button', { class: 'text-button', dataset: { focus: 'remove' }, on: { click: () => { bases.remove(bases.id); reactions.choose(bases.id); } } }, text('ask.drop.remove')),
      h('p', { class: 'quiet' }, text(dropped.kept ? 'ask.drop.kept' : 'ask.drop.unkept'))));
  }

  /** @param {import('lb/ask_talk').Talk} talk */
  #renderTopics(talk) {
    const topics = talk.topics.filter(({ names }) => names.length > 0);
    fill(this.topics, topics.length > 0 && talk.shown?.told.state !== 'busy' && h('div', { class: 'ask-topics', role: 'group', 'aria-label': text('ask.topics') },
      topics.map((topic, i) => h('button', {
        class: 'ask-topic', 'aria-current': i === 0 ? 'true' : null, title: plain(i === 0 ? text('ask.topic.now') : text('ask.topic.back', { question: topic.question }), 200), dataset: { focus: `topic ${i}` },
        on: { click: () => i > 0 && this.reactions.back(topic) },
      }, foreign(topic.names.join(' · '), { most: 32 }))),
      h('button', { class: 'text-button', dataset: { focus: 'renew' }, on: { click: () => this.reactions.renew() } }, text('ask.topic.new'))));
  }
}
