// Words of the panel on the right: its tabs, the dialogue, the list of events; see strings.js.

/** @type {Record<string, [zh: string, en: string]>} */
export const SIDE = {
  'dialogue.back': ['回到此刻 · 第 {turn} 轮', 'Back to the moment · turn {turn}'],
  'dialogue.back.latest': ['回到最新 · 第 {turn} 轮', 'Back to the latest · turn {turn}'],
  'dialogue.bot': ['机器人：', 'Bot: '],
  'dialogue.current': ['此刻', 'the moment shown'],
  'dialogue.empty': ['（空的回答）', '(an empty answer)'],
  'dialogue.label': ['对话', 'Dialogue'],
  'dialogue.more': ['另有 {n} 条回答', '{n} more {n|answer|answers}'],
  'dialogue.mute': ['这个来源没有记录机器人的回答。', 'This source does not record what the bot answers.'],
  'dialogue.none': ['还没有人说话。', 'Nobody has said anything yet.'],
  'dialogue.open': ['正在回答', 'answering'],
  'dialogue.retired': ['前 {n} 轮已移出地图。', 'The first {n} turns have left the map.'],
  'dialogue.unanswered': ['（没有回答）', '(no answer)'],
  'dialogue.undone': ['已撤销', 'undone'],
  'dialogue.user': ['用户：', 'User: '],

  'side.changes': ['变化', 'Changes'],
  'side.dialogue': ['对话', 'Dialogue'],
  'side.events': ['事件', 'Events'],
  'side.inspect': ['检查', 'Inspect'],
  'side.label': ['右侧面板', 'Panel'],
};
