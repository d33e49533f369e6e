// Collects what is to be drawn by style and draws it style by style: few changes of colour, and no path of more than
// a few dozen shapes (one path of thousands costs more to fill than to draw each alone).

/**
 * How something is drawn. Order in the list is order on the canvas, the first at the very back.
 * @typedef {object} Style
 * @property {string} [fill]
 * @property {string} [stroke]
 * @property {number} [width] of the stroke
 * @property {number[]} [dash]
 * @property {number} [alpha]
 * @property {string} [font] a style of text
 * @property {CanvasTextAlign} [align]
 * @property {boolean} [solid] always opaque: what hides the lines behind a mark
 */

/** Opacity by level: full, two hops, three hops or faded, off the trail, later than the playhead, left out by a filter. */
export const LEVELS = [1, 0.62, 0.34, 0.15, 0.09, 0];
export const LEVEL = /** @type {const} */ ({ FULL: 0, SECOND: 1, THIRD: 2, REST: 3, GHOST: 4, HIDDEN: 5 });

const MOVE = 0;
const LINE = 1;
const CURVE = 2;
const ROUND = 3;
const DOT = 4;
const DIAMOND = 5;
const ARROW = 6;
const CORNER = 7;
const BLOCK = 8;
const SHAPES_A_PATH = 48;
const TURN = Math.PI * 2;

/** What is to be drawn in one style and level. It is kept from frame to frame: an array that is emptied gives its memory back. */
class Steps {
  /** Steps with their places, or the places of words; so many of them count. @type {number[]} */ values = [];
  length = 0;
  /** @type {string[]} */ words = [];
}

export class Ink {
  constructor() {
    /** @type {Style[]} */ this.styles = [];
    /** By style and level. @type {Steps[]} */ this.steps = [];
  }

  /** @param {Style[]} styles */
  use(styles) {
    this.styles = styles;
    this.steps = styles.flatMap(() => LEVELS.map(() => new Steps()));
  }

  /** @param {number} style @param {number} level @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
  line(style, level, x0, y0, x1, y1) {
    const steps = this.steps[style * LEVELS.length + level];
    const { values, length } = steps;
    values[length] = MOVE;
    values[length + 1] = x0;
    values[length + 2] = y0;
    values[length + 3] = LINE;
    values[length + 4] = x1;
    values[length + 5] = y1;
    steps.length += 6;
  }

  /** @param {number} style @param {number} level @param {number} x0 @param {number} y0 @param {number} cx0 @param {number} cy0 @param {number} cx1 @param {number} cy1 @param {number} x1 @param {number} y1 */
  curve(style, level, x0, y0, cx0, cy0, cx1, cy1, x1, y1) {
    const steps = this.steps[style * LEVELS.length + level];
    const { values, length } = steps;
    values[length] = MOVE;
    values[length + 1] = x0;
    values[length + 2] = y0;
    values[length + 3] = CURVE;
    values[length + 4] = cx0;
    values[length + 5] = cy0;
    values[length + 6] = cx1;
    values[length + 7] = cy1;
    values[length + 8] = x1;
    values[length + 9] = y1;
    steps.length += 10;
  }

  /** A line that goes on from where the last one ended. @param {number} style @param {number} level @param {number} x @param {number} y */
  to(style, level, x, y) {
    const steps = this.steps[style * LEVELS.length + level];
    const { values, length } = steps;
    values[length] = LINE;
    values[length + 1] = x;
    values[length + 2] = y;
    steps.length += 3;
  }

  /** ... around a corner at (cx, cy) to (x, y). @param {number} style @param {number} level @param {number} cx @param {number} cy @param {number} x @param {number} y */
  around(style, level, cx, cy, x, y) {
    this.#five(style, level, CORNER, cx, cy, x, y);
  }

  /** @param {number} style @param {number} level @param {number} x @param {number} y @param {number} w @param {number} h @param {number} r */
  box(style, level, x, y, w, h, r) {
    const steps = this.steps[style * LEVELS.length + level];
    this.#five(style, level, ROUND, x, y, w, h);
    steps.values[steps.length++] = r;
  }

  /** A filled rectangle. @param {number} style @param {number} level @param {number} x @param {number} y @param {number} w @param {number} h */
  block(style, level, x, y, w, h) {
    this.#five(style, level, BLOCK, x, y, w, h);
  }

  /** @param {number} style @param {number} level @param {number} x @param {number} y @param {number} r */
  dot(style, level, x, y, r) {
    this.#four(style, level, DOT, x, y, r);
  }

  /** @param {number} style @param {number} level @param {number} x @param {number} y @param {number} r */
  diamond(style, level, x, y, r) {
    this.#four(style, level, DIAMOND, x, y, r);
  }

  /** A head that points along (dx, dy), its tip at (x, y). @param {number} style @param {number} level @param {number} x @param {number} y @param {number} dx @param {number} dy */
  arrow(style, level, x, y, dx, dy) {
    this.#five(style, level, ARROW, x, y, dx, dy);
  }

  /** @param {number} style @param {number} level @param {string} text @param {number} x @param {number} y */
  text(style, level, text, x, y) {
    const steps = this.steps[style * LEVELS.length + level];
    steps.words[steps.length / 2] = text;
    steps.values[steps.length++] = x;
    steps.values[steps.length++] = y;
  }

  /** @param {number} style @param {number} level @param {number} step @param {number} a @param {number} b @param {number} c */
  #four(style, level, step, a, b, c) {
    const steps = this.steps[style * LEVELS.length + level];
    const { values, length } = steps;
    values[length] = step;
    values[length + 1] = a;
    values[length + 2] = b;
    values[length + 3] = c;
    steps.length += 4;
  }

  /** @param {number} style @param {number} level @param {number} step @param {number} a @param {number} b @param {number} c @param {number} d */
  #five(style, level, step, a, b, c, d) {
    const steps = this.steps[style * LEVELS.length + level];
    const { values, length } = steps;
    values[length] = step;
    values[length + 1] = a;
    values[length + 2] = b;
    values[length + 3] = c;
    values[length + 4] = d;
    steps.length += 5;
  }

  /** Draws all that was collected and forgets it. @param {CanvasRenderingContext2D} ctx */
  flush(ctx) {
    ctx.lineCap = 'round';
    ctx.lineJoin = 'round';
    let dashed = false;
    for (let i = 0; i < this.steps.length; i++) {
      const steps = this.steps[i];
      if (!steps.length) continue;
      if (i % LEVELS.length !== LEVEL.HIDDEN) {
        const style = this.styles[(i / LEVELS.length) | 0];
        ctx.globalAlpha = style.solid ? 1 : (style.alpha ?? 1) * LEVELS[i % LEVELS.length];
        if (style.fill) ctx.fillStyle = style.fill;
        if (style.font) letter(ctx, style, steps);
        else {
          if (style.stroke) {
            ctx.strokeStyle = style.stroke;
            ctx.lineWidth = style.width ?? 1;
            if (style.dash || dashed) ctx.setLineDash(style.dash ?? []);
            dashed = Boolean(style.dash);
          }
          trace(ctx, style, steps);
        }
      }
      steps.length = 0;
    }
    if (dashed) ctx.setLineDash([]);
    ctx.globalAlpha = 1;
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Style} style @param {Steps} steps */
function letter(ctx, style, { values, length, words }) {
  ctx.font = /** @type {string} */ (style.font);
  ctx.textAlign = style.align ?? 'left';
  ctx.textBaseline = 'middle';
  for (let i = 0; i < length; i += 2) ctx.fillText(words[i / 2], values[i], values[i + 1]);
}

/** @param {CanvasRenderingContext2D} ctx @param {Style} style @param {Steps} steps */
function trace(ctx, style, { values: s, length }) {
  let shapes = 0;
  ctx.beginPath();
  for (let i = 0; i < length; ) {
    const step = s[i];
    if (shapes >= SHAPES_A_PATH && step !== LINE && step !== CURVE && step !== CORNER) {
      finish(ctx, style);
      ctx.beginPath();
      shapes = 0;
    }
    switch (step) {
      case MOVE:
        ctx.moveTo(s[i + 1], s[i + 2]);
        shapes++;
        i += 3;
        break;
      case LINE:
        ctx.lineTo(s[i + 1], s[i + 2]);
        i += 3;
        break;
      case CURVE:
        ctx.bezierCurveTo(s[i + 1], s[i + 2], s[i + 3], s[i + 4], s[i + 5], s[i + 6]);
        i += 7;
        break;
      case CORNER:
        ctx.quadraticCurveTo(s[i + 1], s[i + 2], s[i + 3], s[i + 4]);
        i += 5;
        break;
      case ROUND:
        if (s[i + 5]) ctx.roundRect(s[i + 1], s[i + 2], s[i + 3], s[i + 4], s[i + 5]);
        else ctx.rect(s[i + 1], s[i + 2], s[i + 3], s[i + 4]);
        shapes++;
        i += 6;
        break;
      case BLOCK:
        ctx.fillRect(s[i + 1], s[i + 2], s[i + 3], s[i + 4]);
        i += 5;
        break;
      case DOT:
        ctx.moveTo(s[i + 1] + s[i + 3], s[i + 2]);
        ctx.arc(s[i + 1], s[i + 2], s[i + 3], 0, TURN);
        shapes++;
        i += 4;
        break;
      case DIAMOND: {
        const x = s[i + 1];
        const y = s[i + 2];
        const r = s[i + 3];
        ctx.moveTo(x, y - r);
        ctx.lineTo(x + r, y);
        ctx.lineTo(x, y + r);
        ctx.lineTo(x - r, y);
        ctx.closePath();
        shapes++;
        i += 4;
        break;
      }
      default: {
        // ARROW
        const x = s[i + 1];
        const y = s[i + 2];
        const dx = s[i + 3];
        const dy = s[i + 4];
        ctx.moveTo(x, y);
        ctx.lineTo(x - 8 * dx - 4.5 * dy, y - 8 * dy + 4.5 * dx);
        ctx.lineTo(x - 8 * dx + 4.5 * dy, y - 8 * dy - 4.5 * dx);
        ctx.closePath();
        shapes++;
        i += 5;
      }
    }
  }
  if (shapes) finish(ctx, style);
}

/** @param {CanvasRenderingContext2D} ctx @param {Style} style */
function finish(ctx, style) {
  if (style.fill) ctx.fill();
  if (style.stroke) ctx.stroke();
}
