// What keys and pointer do to two compared scores: they move one window over both, and what the pointer is over is told.

import { GUTTER } from 'lb/layout';
import * as windows from 'lb/window';

/** @typedef {import('lb/compare_view').CompareView} CompareView */
/** @typedef {import('lb/types').Window} Window */

const ZOOM = 1.25;
const ZOOM_A_PIXEL = 0.0015;
const LINE = 16;

/** @param {CompareView} view @param {KeyboardEvent} event */
export function press(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const span = view.window.to - view.window.from;
  const middle = (view.window.from + view.window.to) / 2;
  if (event.key === ']' || event.key === '[') view.step(event.key === ']' ? 1 : -1);
  else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') view.steer(windows.panned(view.window, event.key === 'ArrowRight' ? 1 : -1, view.axis));
  else if (event.key === '+' || event.key === '=') view.steer(windows.zoomed(view.window, 1 / ZOOM, middle, view.axis));
  else if (event.key === '-' || event.key === '−') view.steer(windows.zoomed(view.window, ZOOM, middle, view.axis));
  else if (event.key === '0') view.steer(windows.place(1, windows.longest(view.axis), view.axis));
  else if (event.key === 'Home') view.steer(windows.place(1, span, view.axis));
  else if (event.key === 'End') view.steer(windows.atEnd(span, view.axis));
  else return;
  event.preventDefault();
}

/** The wheel zooms about the pointer, drag and shift-wheel pan, the wheel over the gutter scrolls a stave. @param {CompareView} view @param {HTMLElement} host @param {import('lb/compare_score').ComparedScore} score */
export function listen(view, host, score) {
  const { layout, scrolling } = score;
  /** @type {{x: number, win: Window} | null} */
  let drag = null;
  let rest = 0;
  host.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, win: view.window };
    host.setPointerCapture(event.pointerId);
  });
  host.addEventListener('pointermove', (event) => {
    if (drag) view.steer(windows.panned(drag.win, (drag.x - event.clientX) / layout.lane, view.axis));
    else {
      const box = host.getBoundingClientRect();
      if (score.hover(event.clientX - box.left, event.clientY - box.top)) view.soon();
    }
  });
  host.addEventListener('pointerleave', () => score.leave() && view.soon());
  for (const end of ['pointerup', 'pointercancel']) host.addEventListener(end, () => { drag = null; });
  host.addEventListener('wheel', (event) => {
    event.preventDefault();
    const box = host.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
    const [dx, dy] = [event.deltaX * scale, event.deltaY * scale];
    if (event.altKey || x < GUTTER) {
      const stave = layout.staveAt(y);
      rest += dy / layout.staves.rowHeight;
      const rows = Math.trunc(rest);
      rest -= rows;
      if (stave && rows && scrolling.by(stave.layer, rows)) {
        score.leave();
        view.soon();
      }
    } else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) view.steer(windows.panned(view.window, (dx || dy) / layout.lane, view.axis));
    else view.steer(windows.zoomed(view.window, Math.exp(dy * ZOOM_A_PIXEL), layout.turnAt(x), view.axis));
  }, { passive: false });
}
