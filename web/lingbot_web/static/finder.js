// The search box: what is typed is looked for on the map that is shown, Enter goes from one match to the next. A large map
// is gone through in slices between frames; what comes in live is looked at as it comes.

import { fill, h } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { Folded, Search } from 'lb/search';
import { Grammar } from 'lb/search_grammar';
import { parse } from 'lb/search_query';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/fold').DialogueMap} DialogueMap */

/** Marks looked at between looks at the clock, and ms after which the browser gets its turn. */
const SLICE = 1000;
const TURN = 6;

export class Finder {
  /**
   * @param {object} actions
   * @param {() => DialogueMap | null} actions.map
   * @param {() => number} actions.from turn from which on the first match is gone to
   * @param {(search: Search | null) => void} actions.onMatches they changed
   * @param {(stop: Selection) => void} actions.onStop
   */
  constructor(actions) {
    this.actions = actions;
    /** @type {Search | null} */ this.search = null;
    /** @type {Selection | null} the match that was gone to */ this.stop = null;
    /** @type {{marks: object | null, folded: Folded}} */ this.kept = { marks: null, folded: new Folded() };
    this.timer = 0;
    this.told = '';
    this.composing = false; // an input method is at work: its letters are not what is looked for
    this.field = h('input', {
      type: 'text', spellcheck: 'false', autocomplete: 'off', maxlength: 400, 'aria-describedby': 'finder-hint',
      on: {
        input: (/** @type {Event} */ event) => /** @type {InputEvent} */ (event).isComposing || this.look(),
        compositionstart: () => { this.composing = true; },
        compositionend: () => {
          this.composing = false;
          this.look();
        },
        keydown: (/** @type {Event} */ event) => this.#key(/** @type {KeyboardEvent} */ (event)),
      },
    });
    this.counter = h('span', { class: 'found mono', role: 'status' });
    this.grammar = new Grammar((example) => {
      this.ask(example);
      this.field.focus();
    });
    this.explain = h('button', { class: 'finder-button', 'aria-haspopup': 'dialog', on: { click: () => this.grammar.show(this.element) } }, icon('help'));
    this.hint = h('div', { class: 'finder-hint', id: 'finder-hint', role: 'status', hidden: true });
    this.element = h('div', { class: 'finder', role: 'search', on: { click: (/** @type {Event} */ event) => this.explain.contains(/** @type {Node} */ (event.target)) || this.field.focus() } }, icon('search'), this.field, this.counter, h('kbd', null, '/'), this.explain, this.hint);
    this.relabel();
  }

  /** What is typed, without spaces around. */
  get query() {
    return this.field.value.trim();
  }

  relabel() {
    this.field.placeholder = text('finder.hint');
    this.field.setAttribute('aria-label', text('finder.label'));
    this.explain.setAttribute('aria-label', text('search.grammar'));
    this.explain.title = text('search.grammar');
    this.grammar.relabel();
    this.#hints();
    this.#count();
  }

  focus() {
    this.field.focus();
    this.field.select();
  }

  /** Puts a query into the box and looks. @param {string} query */
  ask(query) {
    if (query === this.field.value) return;
    this.field.value = query;
    this.look();
  }

  /** Looks anew: the words changed. */
  look() {
    clearTimeout(this.timer);
    this.timer = 0;
    const { terms } = this.#hints();
    const map = this.actions.map();
    this.stop = null;
    this.search = null;
    if (map && terms.length) {
      if (this.kept.marks !== map.marks) this.kept = { marks: map.marks, folded: new Folded() };
      this.search = new Search(map, terms, this.kept.folded);
      this.#advance();
    } else this.actions.onMatches(null);
    this.#count();
  }

  /** The map may have grown, or be another one; half a composition is nothing to look for in it. */
  follow() {
    if (this.composing) return;
    const map = this.actions.map();
    if (!this.search) {
      if (map && this.query && this.kept.marks !== map.marks) this.look();
    } else if (!map || map.marks !== this.search.marks) {
      const { stop } = this;
      this.look();
      this.stop = stop;
      this.#count();
    } else if (!this.timer && this.search.stale) this.#advance();
  }

  #advance() {
    this.timer = 0;
    const { search } = this;
    if (!search) return;
    const before = search.size;
    const end = performance.now() + TURN;
    let done = search.advance(SLICE);
    while (!done && performance.now() < end) done = search.advance(SLICE);
    if (!done) this.timer = setTimeout(() => this.#advance(), 0);
    if (done || search.size !== before) this.actions.onMatches(search);
    this.#count();
  }

  /** Goes to the next match, from where the last one stood or else from the window. @param {1 | -1} step */
  go(step) {
    const { search } = this;
    if (!search?.size) return;
    const at = search.placeOf(this.stop);
    const place = at < 0 ? search.placeAt(this.actions.from()) + (step > 0 ? 0 : -1) : at + step;
    this.stop = search.stop((place + search.size) % search.size);
    if (this.stop) this.actions.onStop(this.stop);
    this.#count();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing || event.keyCode === 229) return; // 229: some input methods end a composition with it
    if (event.key === 'Enter') this.go(event.shiftKey ? -1 : 1);
    else if (event.key === 'ArrowDown' && event.altKey) this.grammar.show(this.element);
    else if (event.key === 'Escape' && !this.grammar.open) {
      this.field.value = '';
      this.look();
      this.field.blur();
    } else return;
    event.preventDefault();
  }

  #hints() {
    const parsed = parse(this.field.value);
    const [first] = parsed.hints;
    this.hint.hidden = !first;
    fill(this.hint, first && text(first.key, { term: first.term }));
    return parsed;
  }

  #count() {
    const { search } = this;
    const at = search ? search.placeOf(this.stop) : -1;
    const words = !search ? '' : at < 0 ? count(search.size) : `${count(at + 1)}/${count(search.size)}`;
    const none = search !== null && !search.size && !this.timer;
    const sign = `${words}${none}`;
    if (sign === this.told) return;
    this.told = sign;
    this.counter.textContent = words;
    this.element.classList.toggle('none', none);
    this.element.classList.toggle('asked', search !== null);
  }
}
