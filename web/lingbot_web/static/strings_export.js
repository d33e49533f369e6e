// Words of exporting: files, pictures, print; see strings.js.

/** @type {Record<string, [zh: string, en: string]>} */
export const EXPORT = {
  'export.csv': ['轮次表', 'Turn table'],
  'export.csv.why': ['当前范围内的各轮，可用表格软件打开', 'The turns in view, for spreadsheets'],
  'export.done': ['已保存 {name}（{size}）', 'Saved {name} ({size})'],
  'export.events': ['带上原始事件', 'With the raw events'],
  'export.failed': ['没有导出：{why}', 'Not exported: {why}'],
  'export.html': ['单个网页', 'One page'],
  'export.html.why': ['离线打开，停在此刻', 'Opens offline, at this moment'],
  'export.jsonl': ['录制文件', 'Recording'],
  'export.jsonl.why': ['可再次导入的全部事件', 'All events, to import again'],
  'export.moment': ['事件 {seq}（第 {turn} 轮）时的样子', 'as of seq {seq}, turn {turn}'],
  'export.no-events': ['这个文件导出时没有带原始事件。', 'This file was exported without raw events.'],
  'export.not-here': ['这个文件里没有这部分内容。', 'That is not in this file.'],
  'export.nothing': ['还没有可以导出的会话。', 'There is no session to export yet.'],
  'export.png': ['图片', 'Picture'],
  'export.png.why': ['当前视图，两倍分辨率', 'The view as it is, at twice the resolution'],
  'export.read-only': ['这是一个导出的文件，只能查看。', 'This is an exported file: it can only be looked at.'],
  'export.svg': ['矢量图', 'Vector picture'],
  'export.svg.why': ['当前视图，文字仍是文字', 'The view as it is, text stays text'],
  'export.title': ['导出', 'Export'],
  'export.turns': ['第 {from}–{to} 轮，共 {of} 轮', 'turns {from}–{to} of {of}'],
  'help.export': ['导出', 'Export'],
};
