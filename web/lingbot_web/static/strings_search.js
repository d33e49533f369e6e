// Words of search, filters and the playhead; see strings.js.

/** @type {Record<string, [zh: string, en: string]>} */
export const SEARCH = {
};
