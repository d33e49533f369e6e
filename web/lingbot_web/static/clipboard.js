// Copying where there may be no clipboard API: browsers offer it on https and localhost only.

import { h } from 'lb/dom';

/** Whether `value` is on the clipboard now. @param {string} value */
export async function copyText(value) {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    // no API here, or no permission: the old way below needs neither
  }
  const before = document.activeElement;
  const field = h('textarea', { class: 'sr', readonly: true, value });
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}
