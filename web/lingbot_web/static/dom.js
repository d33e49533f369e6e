// Building the page from text nodes alone: nothing here, and nothing that uses it, ever parses markup.

/** @typedef {string | number | Node | null | undefined | false | Child[]} Child */
/** @typedef {{[name: string]: unknown}} Props */

const SVG = 'http://www.w3.org/2000/svg';

// What a reader can't see or what turns the text around it: control characters, bidi marks and overrides, zero-width
// space and BOM, line and paragraph separators, soft hyphen, tag characters, lone surrogates. Joiners (U+200C, U+200D)
// stay: scripts and emoji need them.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/gu;

/**
 * An element. `props`: `class`, `on` ({event: listener}), `dataset`, `style` ({property: value}, set through CSSOM),
 * `disabled`/`hidden`/`checked`/`value` as properties, anything else as an attribute (null and false leave it out).
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Props | null} [props] @param {Child[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  dress(element, props);
  append(element, children);
  return element;
}

/**
 * An SVG element; attributes only.
 * @param {string} tag @param {Props | null} [attributes] @param {Child[]} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  dress(element, attributes);
  append(element, children);
  return element;
}

/** Replaces what `parent` holds. @param {Element} parent @param {Child[]} children */
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

/** @param {HTMLElement | SVGElement} element @param {Props | null | undefined} props */
function dress(element, props) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'on') {
      for (const [event, listener] of Object.entries(/** @type {{[event: string]: EventListener}} */ (value))) element.addEventListener(event, listener);
    } else if (name === 'dataset') {
      Object.assign(element.dataset, value);
    } else if (name === 'style') {
      for (const [property, setting] of Object.entries(/** @type {{[property: string]: string}} */ (value))) element.style.setProperty(property, setting);
    } else if (name === 'hidden' || name === 'disabled' || name === 'checked' || name === 'value') {
      /** @type {any} */ (element)[name] = value;
    } else if (name.startsWith('on')) {
      throw new TypeError(`listeners go into "on", found the attribute ${name}`);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

/** @param {Element} parent @param {Child[]} children */
function append(parent, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(parent, child);
    else parent.append(child instanceof Node ? child : String(child));
  }
}

/** @param {string} char */
function codeOf(char) {
  return 'U+' + /** @type {number} */ (char.codePointAt(0)).toString(16).toUpperCase().padStart(4, '0');
}

/**
 * Foreign text for attributes and other places that take a string only: unseen characters are spelled out.
 * @param {unknown} text @param {number} [most] characters to keep
 */
export function plain(text, most = 500) {
  return clip(String(text ?? ''), most).replace(UNSEEN, (char) => (char === '\n' ? ' ' : char === '\t' ? ' ' : `[${codeOf(char)}]`));
}

/**
 * Foreign text as an isolated run in which every unseen character is a visible mark. `lines` keeps line breaks and tabs.
 * @param {unknown} text @param {{most?: number, lines?: boolean, class?: string}} [how]
 */
export function foreign(text, { most = 2000, lines = false, class: name = '' } = {}) {
  const run = h('bdi', { class: `foreign ${name}`.trim() });
  const shown = clip(String(text ?? ''), most);
  let from = 0;
  for (const match of shown.matchAll(UNSEEN)) {
    const char = match[0];
    if (lines && (char === '\n' || char === '\t')) continue;
    run.append(shown.slice(from, match.index), h('span', { class: 'unseen', title: codeOf(char) }, char === '\n' ? '↵' : char === '\t' ? '→' : codeOf(char)));
    from = match.index + char.length;
  }
  run.append(shown.slice(from));
  return run;
}

/** @param {string} text @param {number} most */
function clip(text, most) {
  if (text.length <= most) return text;
  const cut = text.slice(0, most);
  return (/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut) + '…';
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}
