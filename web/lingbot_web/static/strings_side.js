// Words of the panel on the right: its tabs, the dialogue, the list of events; see strings.js.

/** @type {Record<string, [zh: string, en: string]>} */
export const SIDE = {
  'side.changes': ['变化', 'Changes'],
  'side.dialogue': ['对话', 'Dialogue'],
  'side.events': ['事件', 'Events'],
  'side.inspect': ['检查', 'Inspect'],
  'side.label': ['右侧面板', 'Panel'],
};
