// What a screen reader is told about the picked mark.
import { FLAG, LINK, MARK } from 'lb/kinds';
import { plain } from 'lb/lettering';
import { markOf } from 'lb/picking';
import { FONT } from 'lb/styles';
import { scoreText } from 'lb/weights';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/types').Selection} Selection */

/** Answers that share a mark are told by their beginnings. */
const LONGEST_ANSWER = 110;

/** "Turn 18, slot brand, value B, replaces A from turn 12, error". @param {Scene} scene @param {Selection} sel @param {'zh' | 'en'} lang @returns {string} */
export function describe(scene, sel, lang) {
  const { map, text } = scene;
  const parts = [];
  if (sel.turn || sel.seq) parts.push(text('score.focus.turn', { turn: scene.headOf(sel.turn) }));
  const mark = markOf(map, sel);
  if (sel.kind === 'finding') parts.push(text('score.focus.finding', { reason: map.findings.get(sel.id)?.reason[lang] ?? '' }));
  else if (mark >= 0) parts.push(markWords(scene, mark), replaced(scene, mark));
  else if (sel.kind === 'turn') parts.push(saidIn(scene, sel.turn));
  else if (sel.kind === 'node') parts.push(rowWords(scene, sel.id));
  if (mark >= 0) {
    if (map.marks.flags.data[mark] & FLAG.UNDONE) parts.push(text('score.focus.undone'));
    const kinds = new Set(findingsOn(scene, mark).map(({ kind }) => kind));
    if (!replaced(scene, mark)) for (const kind of kinds) parts.push(text(`finding.${kind}`));
    if (kinds.size) parts.push(text('score.focus.wrong'));
  }
  return parts.filter(Boolean).join(text('score.focus.join'));
}

/** The id by which code knows an intent, a slot or a document, without its kind; "" where it is all the name there is. @param {import('lb/types').Node | null | undefined} node */
export function codeName(node) {
  if (!node || (node.kind !== 'intent' && node.kind !== 'slot' && node.kind !== 'doc')) return '';
  const label = plain(node.label);
  const id = plain(node.id.slice(node.kind.length + 1));
  return id === label || node.id === label ? '' : id;
}

/** The same with the id of what it is about, and the reasons of what was found there. @param {Scene} scene @param {Selection} sel @param {'zh' | 'en'} lang @returns {string} */
export function explain(scene, sel, lang) {
  const mark = sel.kind === 'finding' ? -1 : markOf(scene.map, sel);
  const reasons = mark < 0 ? [] : findingsOn(scene, mark).map(({ reason }) => reason[lang]);
  const all = mark >= 0 && scene.map.marks.kind.data[mark] === MARK.ANSWER ? answersBeside(scene, mark) : [];
  if (all.length > 1) return [scene.text('score.focus.turn', { turn: scene.headOf(sel.turn) }), ...all.map((answer, i) => `${i + 1} ${scene.lettering.fit(plain(nodeOf(scene, answer).label), FONT.label, LONGEST_ANSWER)}`)].join(' · ');
  const about = mark < 0 ? (sel.kind === 'node' ? scene.map.node(sel.id) : undefined) : nodeOf(scene, mark);
  const id = codeName(about);
  return [describe(scene, sel, lang) + (id && about ? ` · ${about.kind}:${id}` : ''), ...reasons].join(reasons.length ? scene.text('score.focus.why') : '');
}

/** @param {Scene} scene @param {number} mark */
function nodeOf({ map }, mark) {
  return map.list[map.marks.node.data[mark]];
}

/** The answers that share a mark with one, itself among them, in order. @param {Scene} scene @param {number} mark */
function answersBeside(scene, mark) {
  const { marks, lanes } = scene.map;
  return (lanes.of.get(marks.turn.data[mark])?.marks ?? []).filter((other) => marks.kind.data[other] === MARK.ANSWER && (other === mark || marks.seq.data[other] <= scene.seq) && !scene.hides(other));
}

/** @param {Scene} scene @param {number} mark */
function findingsOn(scene, mark) {
  return [...scene.map.evidence.values()].filter(({ finding, marks }) => marks.includes(mark) && scene.shows(finding)).map(({ finding }) => finding);
}

/** The value that a write took the place of, and where that came from. @param {Scene} scene @param {number} mark */
function replaced(scene, mark) {
  const { marks } = scene.map;
  if (marks.kind.data[mark] !== MARK.WRITE) return '';
  for (let l = marks.inHead.data[mark]; l >= 0; l = marks.linkIn.data[l]) {
    const old = marks.linkFrom.data[l];
    if (marks.linkKind.data[l] === LINK.OVERWRITE && old >= 0) return scene.text('score.focus.replaced', { turn: scene.headOf(marks.turn.data[old]), value: scene.valueText(old) });
  }
  return '';
}

/** What was said in a turn; "" where nothing was. @param {Scene} scene @param {number} turn */
function saidIn(scene, turn) {
  const mark = scene.map.lanes.of.get(turn)?.utterance ?? -1;
  if (mark < 0) return '';
  const node = nodeOf(scene, mark);
  const said = plain(node.props.text ?? node.label);
  return said && scene.text('score.focus.utterance', { text: said });
}

/** A row as a whole. @param {Scene} scene @param {string} id */
function rowWords(scene, id) {
  const node = scene.map.node(id);
  const name = plain(node?.label ?? id);
  return node ? scene.text('score.focus.row', { kind: scene.text(`kind.${node.kind === 'utterance' ? 'turn' : node.kind}`), name }) : name;
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
    case MARK.ANSWER: {
      const all = answersBeside(scene, mark);
      return all.length > 1 ? text('score.focus.answer.of', { n: all.indexOf(mark) + 1, of: all.length, text: name }) : text('score.focus.answer', { text: name });
    }
    default:
      return text('score.focus.utterance', { text: name });
  }
}
