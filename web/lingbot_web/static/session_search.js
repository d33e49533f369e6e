// A field that searches as one writes, but never in the middle of a composition.

import { h } from 'lb/dom';

const PAUSE_MS = 200;
/** The server takes no longer query. */
const LONGEST = 500;

/** @param {(query: string) => void} find @returns {HTMLInputElement} */
export function searchBox(find) {
  let timer = 0;
  // A composition, or a script, may go beyond the field's own limit.
  const query = () => [...box.value.trim()].slice(0, LONGEST).join('').trim();
  const box = h('input', {
    type: 'search',
    class: 'session-search',
    spellcheck: 'false',
    autocomplete: 'off',
    maxlength: String(LONGEST),
    on: {
      input: (/** @type {Event} */ event) => {
        if (/** @type {InputEvent} */ (event).isComposing) return;
        clearTimeout(timer);
        timer = setTimeout(() => find(query()), PAUSE_MS);
      },
      compositionend: () => find(query()),
      keydown: (/** @type {Event} */ event) => {
        const { key, isComposing } = /** @type {KeyboardEvent} */ (event);
        if (key !== 'Escape' || isComposing) return;
        clearTimeout(timer);
        box.value = '';
        box.blur();
        find('');
      },
    },
  });
  return box;
}
