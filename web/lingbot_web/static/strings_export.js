// Words of exporting: files, pictures, print; see strings.js.

/** @type {Record<string, [zh: string, en: string]>} */
export const EXPORT = {
  'file.no-events': ['这个文件导出时没有带原始事件。', 'This file was exported without raw events.'],
  'file.not-here': ['这个文件里没有这部分内容。', 'That is not in this file.'],
  'file.read-only': ['这是一个导出的文件，只能查看。', 'This is an exported file: it can only be looked at.'],
};
