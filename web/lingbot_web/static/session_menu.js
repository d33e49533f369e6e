// The small menu of a session.

import { h } from 'lb/dom';
import { text } from 'lb/i18n';
import { showMenu } from 'lb/menu';

/**
 * @param {{pinned: boolean}} summary @param {HTMLElement} button
 * @param {{compare: (() => void) | null, rename: () => void, pin: () => void, remove: (byKeyboard: boolean) => void}} actions
 *   `compare` is null where nothing else is open to compare with
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
  const items = [item(text('menu.rename'), actions.rename), item(text(summary.pinned ? 'menu.unpin' : 'menu.pin'), actions.pin), ...(actions.compare ? [item(text('menu.compare'), actions.compare)] : []), item(text('menu.delete'), actions.remove)];
  const menu = showMenu(button, items, { gap: 4 });
}
