// Words of sessions, the line to the server, time zones, and what is spoken; see strings.js.

/** @type {Record<string, [zh: string, en: string]>} */
export const ACCESS = {
};
