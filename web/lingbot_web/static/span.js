// How many turns the window shows, typed: the words that tell the window open into a field.
import { h } from 'lb/dom';
import { text } from 'lb/i18n';

/** So many digits are enough for any session. */
const DIGITS = 7;

/** Opens a field in place of `shown`, which comes back when it closes; Enter sets the window. @param {HTMLElement} shown @param {import('lb/score').Score} score */
export function typeSpan(shown, score) {
  if (shown.hidden || !score.map) return;
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const turns = Math.max(1, Math.round(score.window.to - score.window.from));
  const field = h('input', { class: 'span-field', type: 'text', inputmode: 'numeric', maxlength: DIGITS, value: String(turns), 'aria-label': text('transport.span'), title: text('transport.span') });
  const close = () => {
    field.removeEventListener('blur', close); // it loses the focus as it is taken out
    field.remove();
    shown.hidden = false;
  };
  field.addEventListener('keydown', (event) => {
    if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    event.stopPropagation();
    const wanted = Number(field.value);
    if (event.key === 'Enter' && !(Number.isInteger(wanted) && wanted > 0)) {
      field.setAttribute('aria-invalid', 'true');
      field.select();
      return;
    }
    close();
    before?.focus();
    if (event.key === 'Enter') score.openWindow(wanted);
  });
  field.addEventListener('blur', close);
  shown.before(field);
  shown.hidden = true;
  field.focus();
  field.select();
}
