// The score's canvases, sized for the screen's pixels.

export class Surface {
  /** @param {HTMLElement} host @param {string} name its class @param {boolean} [opaque] nothing shows through it */
  constructor(host, name, opaque = false) {
    this.element = document.createElement('canvas');
    this.element.className = name;
    this.element.setAttribute('aria-hidden', 'true');
    for (const [property, value] of [['position', 'absolute'], ['left', '0'], ['top', '0'], ['display', 'block']]) this.element.style.setProperty(property, value);
    if (!opaque) this.element.style.setProperty('pointer-events', 'none');
    host.append(this.element);
    this.ctx = contextOf(this.element, opaque);
    /** Pixels of the screen a CSS pixel. */
    this.ratio = 1;
  }

  /** Sizes it anew and makes a CSS pixel its unit. @param {number} width @param {number} height in CSS pixels */
  fit(width, height) {
    const ratio = devicePixelRatio || 1;
    this.ratio = ratio;
    const w = Math.max(1, Math.round(width * ratio));
    const h = Math.max(1, Math.round(height * ratio));
    if (this.element.width !== w) this.element.width = w;
    if (this.element.height !== h) this.element.height = h;
    this.element.style.setProperty('width', `${width}px`);
    this.element.style.setProperty('height', `${height}px`);
    this.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  remove() {
    this.element.remove();
  }
}

/** @param {HTMLCanvasElement} element @param {boolean} [opaque] @returns {CanvasRenderingContext2D} */
export function contextOf(element, opaque = false) {
  const ctx = element.getContext('2d', { alpha: !opaque });
  if (!ctx) throw new Error('this browser gives no 2D canvas');
  return ctx;
}
