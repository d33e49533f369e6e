// What a screen reader is told about the picked mark.
import { FLAG, MARK } from 'lb/kinds';
import { plain } from 'lb/lettering';
import { markOf } from 'lb/picking';
import { scoreText } from 'lb/weights';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/types').Selection} Selection */

/** @param {Scene} scene @param {Selection} sel @param {'zh' | 'en'} lang @returns {string} */
export function describe(scene, sel, lang) {
  const { map, text } = scene;
  const parts = [];
  if (sel.turn || sel.seq) parts.push(text('score.focus.turn', { turn: sel.turn }));
  const mark = markOf(map, sel);
  if (sel.kind === 'finding') parts.push(text('score.focus.finding', { reason: map.findings.get(sel.id)?.reason[lang] ?? '' }));
  else if (mark >= 0) parts.push(markWords(scene, mark));
  else if (sel.kind === 'node') parts.push(plain(map.node(sel.id)?.label ?? sel.id));
  if (mark >= 0) {
    if (map.marks.flags.data[mark] & FLAG.UNDONE) parts.push(text('score.focus.undone'));
    for (const { finding, marks } of map.evidence.values()) if (marks.includes(mark) && scene.shows(finding)) parts.push(text('score.focus.finding', { reason: finding.reason[lang] }));
  }
  return parts.filter(Boolean).join(text('score.focus.join'));
}

/** @param {Scene} scene @param {number} mark */
function markWords(scene, mark) {
  const { map, text } = scene;
  const { marks, edges } = map;
  const node = map.list[marks.node.data[mark]];
  const name = plain(node.label);
  const e = marks.edge.data[mark];
  const props = e >= 0 ? edges.props[e] : {};
  switch (marks.kind.data[mark]) {
    case MARK.VISIT:
      return typeof props.confidence === 'number' ? text('score.focus.intent', { name, confidence: props.confidence.toFixed(2) }) : text('score.focus.intent.bare', { name });
    case MARK.WRITE:
      return marks.flags.data[mark] & FLAG.CLEARED ? text('score.focus.cleared', { name }) : text('score.focus.write', { name, value: scene.valueText(mark) });
    case MARK.READ:
      return text('score.focus.read', { name, value: plain(props.value) });
    case MARK.QUESTION:
      return text('score.focus.question', { query: plain(props.query) });
    case MARK.DOC: {
      const { rank, score } = edges.props[scene.stage(mark)];
      return rank ? text('score.focus.doc', { name, rank, score: scoreText(score) || '–' }) : text('score.focus.doc.bare', { name });
    }
    case MARK.ANSWER:
      return text('score.focus.answer', { text: name });
    default:
      return text('score.focus.utterance', { text: name });
  }
}
