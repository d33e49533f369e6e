// The small menu of a session: a native popover, so that Esc, a click outside and focus behave as everywhere.

import { h } from 'lb/dom';
import { text } from 'lb/i18n';

/**
 * @param {{pinned: boolean}} summary @param {HTMLElement} button
 * @param {{rename: () => void, pin: () => void, remove: (byKeyboard: boolean) => void}} actions
 */
export function sessionMenu(summary, button, actions) {
  /** @param {string} label @param {(byKeyboard: boolean) => void} run */
  const item = (label, run) =>
    h('button', {
      role: 'menuitem',
      on: {
        click: (/** @type {Event} */ event) => {
          menu.hidePopover();
          run(/** @type {MouseEvent} */ (event).detail === 0);
        },
      },
    }, label);
  const items = [item(text('menu.rename'), actions.rename), item(text(summary.pinned ? 'menu.unpin' : 'menu.pin'), actions.pin), item(text('menu.delete'), actions.remove)];
  const menu = h('div', {
    class: 'menu',
    popover: 'auto',
    role: 'menu',
    on: {
      toggle: (/** @type {Event} */ event) => /** @type {ToggleEvent} */ (event).newState === 'closed' && menu.remove(),
      keydown: (/** @type {Event} */ event) => {
        const { key } = /** @type {KeyboardEvent} */ (event);
        const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
        if (!step) return;
        event.preventDefault();
        const at = items.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
        items[(at + step + items.length) % items.length]?.focus();
      },
    },
  }, items);
  document.body.append(menu);
  menu.showPopover();
  const box = button.getBoundingClientRect();
  menu.style.setProperty('left', `${Math.max(8, box.right - menu.offsetWidth)}px`);
  menu.style.setProperty('top', `${Math.min(box.bottom + 4, innerHeight - menu.offsetHeight - 8)}px`);
  items[0]?.focus();
}
