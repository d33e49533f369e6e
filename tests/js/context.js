// A 2D context that draws nothing and counts what it is told.

/** @returns {CanvasRenderingContext2D & {calls: Record<string, number>, texts: string[], total(): number}} */
export function fakeContext() {
  /** @type {Record<string, number>} */
  const calls = {};
  /** @type {string[]} */
  const texts = [];
  /** @type {Record<string, any>} */
  const ctx = { calls, texts, total: () => Object.values(calls).reduce((sum, n) => sum + n, 0) };
  const METHODS = [
    'save', 'restore', 'beginPath', 'closePath', 'rect', 'clip', 'fillRect', 'clearRect', 'moveTo', 'lineTo', 'quadraticCurveTo', 'bezierCurveTo', 'arc',
    'roundRect', 'fill', 'stroke', 'fillText', 'strokeText', 'setLineDash', 'translate', 'drawImage',
  ];
  for (const name of METHODS) {
    ctx[name] = (/** @type {any[]} */ ...args) => {
      for (const arg of args) if (typeof arg === 'number' && Number.isNaN(arg)) throw new Error(`${name} was given NaN`);
      calls[name] = (calls[name] ?? 0) + 1;
      if (name === 'fillText') texts.push(args[0]);
    };
  }
  ctx.measureText = (/** @type {string} */ text) => ({ width: [...text].reduce((sum, char) => sum + (char > '⺀' ? 11 : 6), 0) });
  ctx.createLinearGradient = () => ({ addColorStop() {} });
  return /** @type {any} */ (ctx);
}

/** Glyphs are paths; node has none. */
export function fakePaths() {
  /** @type {any} */ (globalThis).Path2D = class {};
}
