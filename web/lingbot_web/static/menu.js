// A small menu below a button: a native popover, so that Esc, a click outside and focus behave as everywhere.

import { h } from 'lb/dom';

/** Between a popover and the window's edge, in CSS pixels. */
const CLEAR = 8;

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
  // One that was closed in this very moment has yet to hear of it.
  for (const closed of document.querySelectorAll('.menu:not(:popover-open)')) closed.remove();
  showBelow(menu, button, ({ right }, width) => right - width, gap);
  items[0]?.focus();
  return menu;
}

/**
 * Shows a popover below what it belongs to, within the window.
 * @param {HTMLElement} popover @param {HTMLElement} above
 * @param {(box: DOMRect, width: number) => number} leftOf where it would stand, from the box of `above` and its own width
 * @param {number} gap CSS pixels between the two
 */
export function showBelow(popover, above, leftOf, gap) {
  document.body.append(popover);
  popover.showPopover();
  const box = above.getBoundingClientRect();
  const most = innerWidth - popover.offsetWidth - CLEAR;
  popover.style.setProperty('left', `${Math.max(CLEAR, Math.min(leftOf(box, popover.offsetWidth), most))}px`);
  popover.style.setProperty('top', `${Math.min(box.bottom + gap, innerHeight - popover.offsetHeight - CLEAR)}px`);
}
