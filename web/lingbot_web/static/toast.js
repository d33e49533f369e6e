// A sentence at the foot of the page that goes by itself; with it may come one thing to do.

import { byId, h } from 'lb/dom';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { voice } from 'lb/voice';

/**
 * @typedef {object} ToastAction
 * @property {string} label
 * @property {() => void} run
 * @property {() => void} [late] runs when the toast goes unused
 * @property {boolean} [focus] the keyboard goes to it
 * @property {() => void} [back] where the keyboard goes when the toast goes with the focus on it
 */

const STAY_MS = 6000;
const MOST = 3;

/** @param {string} message @param {ToastAction} [action] */
export function toast(message, action) {
  const host = byId('toasts');
  let open = true;
  let timer = 0;
  /** @param {boolean} used */
  const close = (used) => {
    if (!open) return;
    open = false;
    clearTimeout(timer);
    const focused = element.contains(document.activeElement);
    element.remove();
    if (used) action?.run();
    else action?.late?.();
    if (focused) action?.back?.();
  };
  // It doesn't go while somebody is about to use it.
  const hold = () => clearTimeout(timer);
  const release = () => {
    clearTimeout(timer);
    if (open && !element.contains(document.activeElement) && !element.matches(':hover')) timer = setTimeout(() => close(false), STAY_MS);
  };
  const button = action && h('button', { class: 'text-button', on: { click: () => close(true) } }, action.label);
  const element = h(
    'div',
    {
      class: 'toast',
      on: {
        pointerenter: hold,
        focusin: hold,
        pointerleave: release,
        focusout: () => setTimeout(release),
        keydown: (/** @type {Event} */ event) => {
          if (/** @type {KeyboardEvent} */ (event).key !== 'Escape') return;
          event.preventDefault();
          close(false);
        },
      },
    },
    h('span', null, message),
    button,
    h('button', { class: 'icon-button', 'aria-label': text('toast.close'), title: text('toast.close'), on: { click: () => close(false) } }, icon('close')),
  );
  host.append(element);
  voice.say(action ? `${message} ${action.label}` : message);
  release();
  if (action?.focus) button?.focus();
  while (host.childElementCount > MOST) /** @type {HTMLElement} */ (host.firstElementChild?.lastElementChild).click();
}
