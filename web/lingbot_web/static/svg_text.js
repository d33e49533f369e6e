// Text as XML holds it: what has a meaning of its own is spelled out, what XML has no character for becomes U+FFFD.

/** @type {Record<string, string>} */
const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const NO_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udfff]/gu;

/** @param {string} text */
export function escaped(text) {
  return text.replace(NO_CHARACTER, '\ufffd').replace(/[&<>"']/g, (char) => ESCAPES[char]);
}
