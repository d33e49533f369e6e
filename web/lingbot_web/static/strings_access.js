// Words of sessions, the line to the server, time zones, and what is spoken; see strings.js.

/** @type {Record<string, [zh: string, en: string]>} */
export const ACCESS = {
  'zone.local': ['时间按本地时区（{zone}）显示；点击改用 UTC', 'Times are local ({zone}); click for UTC'],
  'zone.utc': ['时间按 UTC 显示；点击改用本地时区', 'Times are in UTC; click for local time'],
};
