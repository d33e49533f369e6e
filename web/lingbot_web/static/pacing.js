// A list that is redrawn as its map grows: at most 20 times a second, however often that is, and in an animation frame.

const PACE_MS = 50;

export class Pacing {
  #timer = 0;
  #drawnAt = -Infinity;

  /** @param {() => void} draw which tells `drawn` */
  constructor(draw) {
    this.draw = draw;
  }

  /** Something changed. */
  soon() {
    if (!this.#timer) this.#timer = window.setTimeout(() => requestAnimationFrame(() => this.draw()), Math.max(0, this.#drawnAt + PACE_MS - performance.now()));
  }

  /** It is being drawn, whoever asked. */
  drawn() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#drawnAt = performance.now();
  }
}

/**
 * Where a key leads in a list of rows; undefined for any other key.
 * @param {KeyboardEvent} event @param {number} now place of the row that has the keys @param {number} last @param {number} page rows
 */
export function placeByKey(event, now, last, page) {
  const to = { ArrowUp: now - 1, ArrowDown: now + 1, PageUp: now - page, PageDown: now + page, Home: 0, End: last }[event.key];
  return to === undefined ? undefined : Math.max(0, Math.min(last, to));
}
