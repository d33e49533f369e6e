// The pointer on the timeline: the window's body and handles are dragged by turns, the playhead by events.

/** @typedef {import('lb/score').Score} Score */

const CURSORS = { playhead: 'ew-resize', from: 'ew-resize', to: 'ew-resize', body: 'grab', axis: 'col-resize', outside: 'pointer' };

/** @param {Score} score @returns {() => void} stops listening */
export function listenTimeline(score) {
  const host = score.scrubHost;
  const stop = new AbortController();
  const { signal } = stop;
  /** @type {{what: keyof typeof CURSORS, turn: number, from: number, to: number} | null} */
  let drag = null;

  /** @param {MouseEvent} event */
  const grip = (event) => {
    const box = host.getBoundingClientRect();
    const x = event.clientX - box.left;
    const map = score.scene.map;
    const head = score.playhead === null ? map.lastTurn + 1 : score.scene.turnOfSeq(score.playhead);
    return { what: score.timeline.grip(x, event.clientY - box.top, score.window, head), turn: score.timeline.turnAt(x) };
  };

  host.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !score.map) return;
    const { what, turn } = grip(event);
    const { from, to } = score.window;
    drag = { what, turn, from, to };
    host.setPointerCapture(event.pointerId);
    if (what === 'outside') {
      const half = (to - from) / 2;
      score.setWindow(turn - half, turn + half);
      drag = { what: 'body', turn, from: score.window.from, to: score.window.to };
    } else if (what === 'axis') {
      score.setPlayhead(seqAt(score, turn));
      drag.what = 'playhead';
    }
  }, { signal });

  host.addEventListener('pointermove', (event) => {
    const { what, turn } = grip(event);
    host.style.setProperty('cursor', drag?.what === 'body' ? 'grabbing' : CURSORS[drag?.what ?? what]);
    if (!drag) return;
    const moved = turn - drag.turn;
    if (drag.what === 'playhead') score.setPlayhead(seqAt(score, turn));
    else if (drag.what === 'body') score.setWindow(drag.from + moved, drag.to + moved);
    else if (drag.what === 'from') score.setWindow(Math.min(drag.to - 3, Math.round(drag.from + moved)), drag.to);
    else if (drag.what === 'to') score.setWindow(drag.from, Math.max(drag.from + 3, Math.round(drag.to + moved)));
  }, { signal });

  const end = () => {
    drag = null;
  };
  host.addEventListener('pointerup', end, { signal });
  host.addEventListener('pointercancel', end, { signal });

  host.addEventListener('wheel', (event) => {
    event.preventDefault();
    score.pan((event.deltaX || event.deltaY) / score.timeline.lane / 4);
  }, { signal, passive: false });

  return () => stop.abort();
}

/** The event at a place of the time axis; null past the newest. @param {Score} score @param {number} turn fractional @returns {number | null} */
export function seqAt(score, turn) {
  const { map } = score.scene;
  const beyond = score.options.moments?.seqAt(turn) ?? null;
  if (beyond !== null) return beyond;
  if (turn >= map.lastTurn + 1) return null;
  const lane = map.lanes.of.get(Math.max(map.firstTurn, Math.floor(turn)));
  if (!lane?.first) return map.firstMoment;
  const share = Math.min(1, Math.max(0, turn - lane.turn));
  return lane.first + Math.round(share * (lane.last - lane.first));
}
