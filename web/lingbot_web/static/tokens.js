// The theme's colours, read from the page's CSS custom properties once per change of theme.

const NAMES = /** @type {const} */ ([
  'bg', 'map', 'map-alt', 'panel', 'line', 'line-2', 'text', 'text-2', 'text-3', 'flow', 'flow-bg', 'state', 'state-bg', 'know', 'know-bg', 'know-on',
  'bad', 'bad-bg', 'bad-ink', 'bad-on', 'warn', 'ok', 'user', 'focus', 'sel-col',
]);

/** @typedef {typeof NAMES[number]} TokenName */
/** @typedef {Record<TokenName, string>} Tokens */

/** @param {Element} element @returns {Tokens} */
export function readTokens(element) {
  const style = getComputedStyle(element);
  return /** @type {Tokens} */ (Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim() || '#888888'])));
}

export const TEXT = 'Inter, system-ui, -apple-system, "Segoe UI", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';
export const MONO = 'ui-monospace, "JetBrains Mono", "SF Mono", Menlo, Consolas, monospace';
