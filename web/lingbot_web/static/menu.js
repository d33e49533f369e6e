// A small menu below a button: a native popover, so that Esc, a click outside and focus behave as everywhere.

import { h } from 'lb/dom';

/**
 * Shows `items` in a menu below `button`; up and down go round them. Gone from the page once it is closed.
 * @param {HTMLElement} button @param {HTMLElement[]} items
 * @param {{gap: number, look?: string, label?: string | null}} how `gap`: CSS pixels between the two; `look`: a class more
 * @returns {HTMLElement} the menu, for an item to close
 */
export function showMenu(button, items, { gap, look = '', label = null }) {
  const menu = h('div', {
    class: `menu ${look}`.trim(),
    popover: 'auto',
    role: 'menu',
    'aria-label': label,
    on: {
      toggle: (/** @type {Event} */ event) => /** @type {ToggleEvent} */ (event).newState === 'closed' && menu.remove(),
      keydown: (/** @type {Event} */ event) => {
        const { key } = /** @type {KeyboardEvent} */ (event);
        const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
        if (!step) return;
        event.preventDefault();
        const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
        items[(at + step + items.length) % items.length]?.focus();
      },
    },
  }, items);
  document.body.append(menu);
  menu.showPopover();
  const box = button.getBoundingClientRect();
  menu.style.setProperty('left', `${Math.max(8, Math.min(box.right - menu.offsetWidth, innerWidth - menu.offsetWidth - 8))}px`);
  menu.style.setProperty('top', `${Math.min(box.bottom + gap, innerHeight - menu.offsetHeight - 8)}px`);
  items[0]?.focus();
  return menu;
}
