// When the score is painted: once in an animation frame, whatever asked for it; data asks at most every 50 ms.

/** Data is painted at most so often, in ms; gestures as often as the display shows. */
const DATA_PAUSE = 50;

export class Frames {
  #asked = 0;
  #frame = 0;
  #timer = 0;
  #painted = -Infinity;

  /** @param {(parts: number, now: number) => void} paint */
  constructor(paint) {
    this.paint = paint;
  }

  /** @param {number} parts bits that `paint` is given, with all others asked for meanwhile */
  ask(parts) {
    this.#asked |= parts;
    if (!this.#frame) this.#frame = requestAnimationFrame((now) => this.#run(now));
  }

  /** As `ask`, for what came by itself. @param {number} parts */
  askInTime(parts) {
    const wait = this.#painted + DATA_PAUSE - performance.now();
    if (wait <= 0) this.ask(parts);
    else if (!this.#timer) {
      this.#timer = window.setTimeout(() => {
        this.#timer = 0;
        this.ask(parts);
      }, wait);
    }
  }

  /** @param {number} now */
  #run(now) {
    this.#frame = 0;
    const parts = this.#asked;
    this.#asked = 0;
    this.paint(parts, now);
    this.#painted = performance.now();
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
  }
}
