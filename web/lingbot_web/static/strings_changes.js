// Words of what changed between two moments, the table of turns, and the inspector; see strings.js.

/** @type {Record<string, [zh: string, en: string]>} */
export const CHANGES = {
};
