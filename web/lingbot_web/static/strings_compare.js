// Words of the comparison of two sessions; see strings.js.

/** @type {Record<string, [zh: string, en: string]>} */
export const COMPARE = {
  'compare.answer': ['回答出处', 'answered from'],
  'compare.at': ['第 {i} 处差别，共 {n} 处', 'Difference {i} of {n}'],
  'compare.cleared': ['已清除', 'cleared'],
  'compare.close': ['关闭比较', 'Close the comparison'],
  'compare.finding': ['异常 {name}', 'anomaly {name}'],
  'compare.jump': ['意图', 'intent'],
  'compare.keys': ['两份总谱。方括号键到上一处、下一处差别，左右键平移，加减键缩放', 'Two scores. Brackets step through the differences, arrows pan, plus and minus zoom'],
  'compare.left': ['未写入', 'not written'],
  'compare.list': ['差别', 'Differences'],
  'compare.more': ['还有 {n} 处没有列出，按方括号键可以到达', '{n} more; the bracket keys lead there'],
  'compare.next': ['下一处差别', 'Next difference'],
  'compare.none': ['无', 'none'],
  'compare.previous': ['上一处差别', 'Previous difference'],
  'compare.recall': ['{name} 第 {rank} 名', '{name} rank {rank}'],
  'compare.refused': ['无法比较：{why}', 'They can\'t be compared: {why}'],
  'compare.same': ['没有差别', 'No difference'],
  'compare.side': ['{side} 的总谱：{title}', 'Score {side}: {title}'],
  'compare.slot': ['槽位 {name}', 'slot {name}'],
  'compare.title': ['比较两个会话', 'Two sessions compared'],
  'compare.turn': ['只有 {side} 有这一轮', 'turn only in {side}'],
  'menu.compare': ['与打开的会话比较', 'Compare with the open one'],
};
