// Words of exporting: files, pictures, print; see strings.js.

/** @type {Record<string, [zh: string, en: string]>} */
export const EXPORT = {
};
