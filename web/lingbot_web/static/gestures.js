// The pointer on the map: wheel zooms about it, drag and shift-wheel pan, wheel over the gutter or with alt scrolls a
// stave, a click selects.
import { hiddenOn } from 'lb/hidden';
import { GUTTER } from 'lb/layout';

/** @typedef {import('lb/score').Score} Score */

const ZOOM_A_PIXEL = 0.0015;
/** A pointer that moved less than this has clicked. */
const CLICK_REACH = 4;
const LINE = 16;

/** @param {Score} score @returns {() => void} stops listening */
export function listen(score) {
  const { host } = score;
  const stop = new AbortController();
  const { signal } = stop;
  /** @type {{x: number, y: number, from: number, to: number, lane: number, row: number, moved: boolean, gutter: boolean} | null} */
  let drag = null;

  /** @param {MouseEvent} event */
  const place = (event) => {
    const box = host.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  host.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !(event.target instanceof HTMLCanvasElement)) return;
    const { x, y } = place(event);
    drag = { x, y, from: score.window.from, to: score.window.to, lane: score.layout.lane, row: 0, moved: false, gutter: x < GUTTER };
    host.setPointerCapture(event.pointerId);
  }, { signal });

  host.addEventListener('pointermove', (event) => {
    const { x, y } = place(event);
    if (!drag) {
      const hit = score.at(x, y);
      score.hover(hit);
      host.style.setProperty('cursor', hit ? 'pointer' : 'default');
      return;
    }
    if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < CLICK_REACH) return;
    drag.moved = true;
    score.hover(null);
    if (drag.gutter) {
      const stave = score.layout.staveAt(drag.y);
      const rows = Math.trunc((drag.y - y) / score.layout.staves.rowHeight);
      if (stave && rows !== drag.row) score.scroll(stave.layer, rows - drag.row);
      drag.row = rows;
      return;
    }
    host.style.setProperty('cursor', 'grabbing');
    const turns = (drag.x - x) / drag.lane;
    score.setWindow(drag.from + turns, drag.to + turns);
  }, { signal });

  host.addEventListener('pointerup', (event) => {
    const done = drag;
    drag = null;
    host.style.setProperty('cursor', 'default');
    if (!done || done.moved) return;
    const { x, y } = place(event);
    const stave = done.gutter ? score.layout.staveAt(y) : null;
    if (stave && y < stave.rows) {
      const [above, below] = hiddenOn(score.scene, stave);
      if (above || below) score.scrollToHidden(stave.layer, above && (!below || x < (GUTTER * 3) / 4) ? -1 : 1);
      return;
    }
    const hit = score.at(x, y);
    if (!hit) score.select(null, { trace: false });
    else score.select(hit.sel, { trace: hit.sel.kind === 'edge' || (hit.sel.kind === 'node' && hit.sel.seq > 0) });
  }, { signal });

  host.addEventListener('pointercancel', () => {
    drag = null;
  }, { signal });

  host.addEventListener('pointerleave', () => {
    if (!drag) score.hover(null);
  }, { signal });

  let rest = 0;
  host.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { x, y } = place(event);
    const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
    const dx = event.deltaX * scale;
    const dy = event.deltaY * scale;
    if (event.altKey || x < GUTTER) {
      const stave = score.layout.staveAt(y);
      if (!stave) return;
      rest += dy / score.layout.staves.rowHeight;
      const rows = Math.trunc(rest);
      rest -= rows;
      if (rows) score.scroll(stave.layer, rows);
    } else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {
      score.pan((dx || dy) / score.layout.lane);
    } else {
      score.zoom(Math.exp(dy * ZOOM_A_PIXEL), score.layout.turnAt(x));
    }
  }, { signal, passive: false });

  host.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.target !== host) return;
    if (event.key.startsWith('Arrow') || event.key === 'Enter' || event.key === 'Escape') score.key(event);
  }, { signal });

  return () => stop.abort();
}
