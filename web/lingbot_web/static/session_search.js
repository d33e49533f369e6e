// A field that searches as one writes, but never in the middle of a composition.

import { h } from 'lb/dom';

const PAUSE_MS = 200;

/** @param {(query: string) => void} find @returns {HTMLInputElement} */
export function searchBox(find) {
  let timer = 0;
  const box = h('input', {
    type: 'search',
    class: 'session-search',
    spellcheck: 'false',
    autocomplete: 'off',
    on: {
      input: (/** @type {Event} */ event) => {
        if (/** @type {InputEvent} */ (event).isComposing) return;
        clearTimeout(timer);
        timer = setTimeout(() => find(box.value.trim()), PAUSE_MS);
      },
      compositionend: () => find(box.value.trim()),
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
