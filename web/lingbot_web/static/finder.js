// The search box of the map: lights rows and lanes whose label or words match, Enter goes from one to the next.

import { h } from 'lb/dom';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/types').Node} Node */
/** @typedef {{nodes: Set<string>, turns: Set<number>}} Matches */

/**
 * Where `words` occur (case and width folded): in labels and names of intents, slots and documents, in what was said.
 * @param {Iterable<Node>} nodes @param {string} words
 * @returns {{matches: Matches, stops: Selection[]}} stops are in the order of turns
 */
export function find(nodes, words) {
  const wanted = fold(words.trim());
  /** @type {Matches} */
  const matches = { nodes: new Set(), turns: new Set() };
  /** @type {Selection[]} */
  const stops = [];
  if (!wanted) return { matches, stops };
  for (const node of nodes) {
    const said = node.kind === 'utterance' || node.kind === 'answer';
    if (!fold(node.label).includes(wanted) && (said || !fold(node.id).includes(wanted))) continue;
    if (said) matches.turns.add(node.turn);
    matches.nodes.add(node.id);
    stops.push({ kind: 'node', id: node.id, turn: node.turn, seq: node.seq });
  }
  stops.sort((a, b) => a.turn - b.turn || a.seq - b.seq);
  return { matches, stops };
}

/** @param {string} value */
function fold(value) {
  return value.normalize('NFKC').toLowerCase();
}

export class Finder {
  /** @param {{nodes: () => Iterable<Node>, onMatches: (matches: Matches | null) => void, onStop: (stop: Selection) => void}} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {Selection[]} */
    this.stops = [];
    this.at = -1;
    this.field = h('input', {
      type: 'text',
      spellcheck: 'false',
      autocomplete: 'off',
      on: {
        input: (/** @type {Event} */ event) => /** @type {InputEvent} */ (event).isComposing || this.search(),
        compositionend: () => this.search(),
        keydown: (/** @type {Event} */ event) => this.#key(/** @type {KeyboardEvent} */ (event)),
      },
    });
    this.counter = h('span', { class: 'found mono', 'aria-live': 'polite' });
    this.element = h('label', { class: 'finder' }, icon('search'), this.field, this.counter, h('kbd', null, '/'));
    this.relabel();
  }

  relabel() {
    this.field.placeholder = text('finder.label');
    this.field.setAttribute('aria-label', text('finder.label'));
  }

  focus() {
    this.field.focus();
    this.field.select();
  }

  /** Looks again: the words changed, or the map did. */
  search() {
    const words = this.field.value;
    const { matches, stops } = find(words.trim() ? this.actions.nodes() : [], words);
    this.stops = stops;
    this.at = -1;
    this.actions.onMatches(words.trim() ? matches : null);
    this.#count();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing || event.keyCode === 229) return; // 229: some input methods end a composition with it
    if (event.key === 'Enter' && this.stops.length) {
      event.preventDefault();
      const step = event.shiftKey ? -1 : 1;
      this.at = this.at < 0 ? (step > 0 ? 0 : this.stops.length - 1) : (this.at + step + this.stops.length) % this.stops.length;
      this.actions.onStop(/** @type {Selection} */ (this.stops[this.at]));
      this.#count();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this.field.value = '';
      this.search();
      this.field.blur();
    }
  }

  #count() {
    const words = this.field.value.trim();
    this.counter.textContent = !words ? '' : this.at < 0 ? String(this.stops.length) : `${this.at + 1}/${this.stops.length}`;
    this.element.classList.toggle('none', Boolean(words) && !this.stops.length);
  }
}
