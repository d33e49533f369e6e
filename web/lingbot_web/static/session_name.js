// The field in which a session is renamed.

import { h } from 'lb/dom';
import { text } from 'lb/i18n';

/**
 * @param {{name: string, title: string}} summary
 * @param {(name: string | null, byKey: boolean) => void} done called once; null: leave it as it is. "" takes the name away,
 *   so does one of blanks alone. `byKey`: by Enter or Escape, so that the focus has nowhere to be
 */
export function nameField(summary, done) {
  let over = false;
  /** @param {boolean} keep @param {boolean} byKey */
  const finish = (keep, byKey) => {
    if (over) return;
    over = true;
    const name = field.value.trim();
    // The title is offered to begin with: left as it was, it is no name.
    done(keep && !(name === summary.title && !summary.name) ? name : null, byKey);
  };
  const field = h('input', {
    class: 'session-name',
    value: summary.name || summary.title,
    maxlength: '200',
    'aria-label': text('sessions.name'),
    on: {
      // Taking a row out of the page blurs its field then and there: what follows must wait until the list stands.
      blur: () => queueMicrotask(() => finish(true, false)),
      keydown: (/** @type {Event} */ event) => {
        const { key, isComposing } = /** @type {KeyboardEvent} */ (event);
        if (isComposing || (key !== 'Enter' && key !== 'Escape')) return;
        event.preventDefault();
        finish(key === 'Enter', true);
      },
    },
  });
  return field;
}
