// Labels of findings: what they say and where there is room for them. A label never lies over another.
import { docNode } from 'lb/evidence';
import { plain } from 'lb/lettering';
import { FONT } from 'lb/styles';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/evidence').Evidence} Evidence */
/** @typedef {import('lb/types').FindingKind} FindingKind */
/** @typedef {{id: string, kind: FindingKind, text: string, x: number, y: number, w: number, h: number, evidence: Evidence}} Tag */

const HEIGHT = 18;
/** A label with its glyph alone. */
const SMALL = 20;
/** Its middle below the top of a stave; or off the middle of a row where the row itself has no room. */
const HEAD = 14;
const BESIDE = 13;
/** So much of a mark's edge it may touch. */
const TOUCH = 1;
/** Two of them on one row stand so much nearer than one to a mark. */
const TAG_GAP = 4;
/** Where the middle of what it is about is taken it moves aside, in halves of itself. */
const SHIFTS = [0, 1, -1, 0.5, -0.5];
/** Where the whole of it has no room, so much of it is told. */
const SHORT = 0.62;
const LONGEST_VALUE = 84;
const LONGEST_NAME = 108;
const LONGEST_CONDITION = 140;

/** What labels say, and how wide it is; they say the same until the language changes or the finding is replaced. @type {WeakMap<Evidence, {text: string, width: number, word: string}>} */
const told = new WeakMap();

/** @param {Scene} scene @param {Evidence} evidence */
function label(scene, evidence) {
  const word = scene.word('score.flow');
  let known = told.get(evidence);
  if (!known || known.word !== word) {
    const text = tagText(scene, evidence);
    told.set(evidence, (known = { text, width: scene.lettering.width(text, FONT.tag), word }));
  }
  return known;
}

/** @param {Scene} scene @param {Evidence} evidence @returns {string} */
function tagText(scene, evidence) {
  const { kind, facts } = evidence.finding;
  const short = (/** @type {unknown} */ value) => (value === null || value === undefined ? '∅' : scene.lettering.fit(plain(value), FONT.tag, LONGEST_VALUE));
  const intent = (/** @type {unknown} */ name) => short(typeof name === 'string' ? (scene.map.node(`intent:${name}`)?.label ?? scene.map.node(name)?.label ?? name) : name);
  switch (kind) {
    case 'loop':
      if (!facts.condition) return scene.text('score.tag.loop', { n: facts.rounds ?? 1 });
      return scene.text('score.tag.loop.through', { n: facts.rounds ?? 1, condition: scene.lettering.fit(plain(facts.condition), FONT.tag, LONGEST_CONDITION) });
    case 'overwrite':
      return scene.text('score.tag.overwrite', { old: short(facts.old), new: short(facts.new) });
    case 'leak':
      return scene.text('score.tag.leak', { from: intent(facts.from_task), to: intent(facts.to_task) });
    case 'drift': {
      const rival = docNode(scene.map, facts.rival);
      const name = plain(rival < 0 ? facts.rival : scene.map.list[rival].label);
      return scene.text('score.tag.drift', { doc: scene.lettering.fitEnds(name, FONT.tag, LONGEST_NAME) });
    }
    case 'gap':
      return scene.text('score.tag.gap', { n: facts.missing ?? 0 });
    default:
      return '';
  }
}

/** Age of a document as its row label tells it. @param {Scene} scene @param {number} days */
export function ageText(scene, days) {
  if (days >= 730) return scene.text('score.age.years', { n: Math.floor(days / 365) });
  if (days >= 90) return scene.text('score.age.months', { n: Math.floor(days / 30.4) });
  return scene.text('score.age.days', { n: Math.max(1, Math.floor(days)) });
}

/**
 * Labels of the findings in view, each with a place. Findings of one kind on one row that say the same share a label.
 * @param {Scene} scene @param {Evidence[]} findings @returns {Tag[]}
 */
export function placeTags(scene, findings) {
  /** @type {Map<string, {evidence: Evidence, text: string, left: number, right: number}>} */
  const groups = new Map();
  for (const evidence of findings) {
    const { text } = label(scene, evidence);
    const span = text ? spanOf(scene, evidence) : null;
    if (!text || !span) continue;
    const key = groupKey(evidence, text);
    const group = groups.get(key);
    if (group && evidence.finding.kind !== 'gap' && (evidence.finding.kind === 'drift' || span.left <= group.right)) {
      if ((evidence.finding.facts.rounds ?? 0) > (group.evidence.finding.facts.rounds ?? 0)) Object.assign(group, { evidence, text });
      group.left = Math.min(group.left, span.left);
      group.right = Math.max(group.right, span.right);
    } else groups.set(group ? evidence.finding.id : key, { evidence, text, ...span });
  }
  /** @type {Tag[]} */
  const placed = [];
  for (const group of groups.values()) {
    const tag = settle(scene, group, placed);
    if (tag) placed.push(tag);
  }
  return placed;
}

/** Each way round the same loop is a finding of its own; they are one loop to the eye. @param {Evidence} evidence @param {string} text */
function groupKey({ finding, row }, text) {
  return finding.kind === 'loop' ? `loop:${[...finding.nodes].sort().join()}` : `${finding.kind}:${row}:${text}`;
}

/** From where to where a finding's marks reach on the canvas. @param {Scene} scene @param {Evidence} evidence */
function spanOf(scene, evidence) {
  const { finding, marks } = evidence;
  if (finding.kind === 'gap') {
    const x = scene.layout.x(scene.turnOfSeq(finding.seq));
    return { left: x, right: x };
  }
  if (!marks.length) return null;
  if (finding.kind === 'drift') {
    const seen = marks.map((mark) => scene.x(mark)).filter((x) => x >= scene.layout.x(scene.layout.from) && x <= scene.layout.width);
    return seen.length ? { left: Math.min(...seen), right: Math.max(...seen) } : null;
  }
  return { left: scene.x(marks[0]), right: scene.x(marks[marks.length - 1]) };
}

/** @param {Scene} scene @param {{evidence: Evidence, text: string, left: number, right: number}} group @param {Tag[]} placed @returns {Tag | null} */
function settle(scene, { evidence, text, left, right }, placed) {
  const { layout } = scene;
  const { kind, id } = evidence.finding;
  const stave = kind === 'loop' ? scene.flow : kind === 'drift' ? scene.knowledge : kind === 'gap' ? null : scene.state;
  if (!stave && kind !== 'gap') return null;
  const wide = Math.min(label(scene, evidence).width + 32, layout.width - 160);
  const from = Math.max(left, layout.x(layout.from));
  const to = Math.min(right, layout.width);
  if (from > layout.width || to < layout.x(layout.from)) return null;
  const middle = (from + to) / 2;
  const top = (stave ?? layout.staves.staves[0]).top;
  /** Width, height and middle. @type {[number, number, number][]} */
  const tries = [];
  // On the slot's own row it says which slot it is about; there it stays between the marks, beside them it would hide them.
  const row = kind === 'overwrite' || kind === 'leak' ? scene.y(evidence.marks[0]) : NaN;
  const onRow = (/** @type {number} */ width) => {
    const free = Number.isNaN(row) ? NaN : freePlace(scene, evidence, placed, row, from, to, width);
    if (!Number.isNaN(free)) tries.push([width, row, free]);
  };
  const around = (/** @type {number} */ width, /** @type {number} */ y, /** @type {number} */ centre) => {
    for (const shift of SHIFTS) tries.push([width, y, centre + shift * (width / 2 + 10)]);
  };
  onRow(wide);
  if (scene.lane >= 20) {
    const end = Number.isNaN(row) ? null : scene.box(evidence.marks[evidence.marks.length - 1]);
    const beside = Math.max(BESIDE, layout.staves.rowHeight / 2);
    if (end) for (const y of [row + beside, row - beside]) tries.push([wide, y, end.x - 6 - wide / 2], [wide, y, end.x + end.w + 6 + wide / 2]);
    around(wide, top + HEAD, middle);
    if (kind === 'drift') for (const width of [wide, wide * SHORT]) around(width, top - 1, middle); // questions stand in the head of its stave
  }
  onRow(SMALL);
  around(SMALL, top + HEAD, middle);
  /** @type {[number, number, number] | null} */
  let found = null;
  for (const place of tries) {
    const [w, y, centre] = place;
    const x = clamped(layout, centre, w);
    if (placed.some((other) => other.x + other.w + 4 > x && other.x < x + w + 4 && Math.abs(other.y + HEIGHT / 2 - y) < HEIGHT)) continue;
    const clear = !covers(scene, x, y, w);
    if (clear || !found) found = place;
    if (clear) break;
  }
  if (!found) return null;
  const [w, y, centre] = found;
  const fit = kind === 'drift' ? scene.lettering.fitEnds(text, FONT.tag, w - 28) : scene.lettering.fit(text, FONT.tag, w - 28);
  return { id, kind, text: w === SMALL ? '' : fit, x: clamped(layout, centre, w), y: y - HEIGHT / 2, w, h: HEIGHT, evidence };
}

/** The left edge of a label that stands about `centre`, within the map. @param {import('lb/layout').Layout} layout @param {number} centre @param {number} w */
function clamped(layout, centre, w) {
  return Math.max(layout.x(layout.from) + 4, Math.min(layout.width - w - 4, centre - w / 2));
}

/** Whether a label would lie on a mark. @param {Scene} scene @param {number} x @param {number} y its middle @param {number} w */
function covers(scene, x, y, w) {
  const { layout, map } = scene;
  const last = Math.floor(layout.turnAt(x + w)) + 1;
  for (let turn = Math.floor(layout.turnAt(x)) - 1; turn <= last; turn++) {
    for (const mark of map.lanes.of.get(turn)?.marks ?? []) {
      if (!(Math.abs(scene.y(mark) - y) < HEIGHT) || scene.hides(mark)) continue;
      const box = scene.box(mark);
      if (box && box.x + box.w > x && box.x < x + w && box.y + box.h > y - HEIGHT / 2 + TOUCH && box.y < y + HEIGHT / 2 - TOUCH) return true;
    }
  }
  return false;
}

/** Where on a slot's row, between its marks, a label has room: as near the middle as may be. NaN where nowhere. @param {Scene} scene @param {Evidence} evidence @param {Tag[]} placed @param {number} row @param {number} from @param {number} to @param {number} wide */
function freePlace(scene, evidence, placed, row, from, to, wide) {
  const { map } = scene;
  const marks = map.rows.byNode[evidence.row]?.marks ?? [];
  const middle = (from + to) / 2;
  const half = wide / 2 + 8;
  let best = NaN;
  let left = scene.layout.x(scene.layout.from) - 4;
  const taken = placed.filter((tag) => Math.abs(tag.y + HEIGHT / 2 - row) < HEIGHT).sort((a, b) => a.x - b.x);
  const offer = (/** @type {number} */ right) => {
    const tag = taken.find(({ x, w }) => x + w > left + TAG_GAP && x < right - TAG_GAP);
    if (tag) {
      offer(tag.x + TAG_GAP);
      left = tag.x + tag.w - TAG_GAP;
      offer(right);
      return;
    }
    if (right - left < 2 * half) return;
    const place = Math.max(left + half, Math.min(right - half, middle));
    if (place >= from && place <= to && !(Math.abs(best - middle) <= Math.abs(place - middle))) best = place;
  };
  let i = marks.length;
  for (let low = 0; low < i; ) {
    const at = (low + i) >>> 1;
    if (map.marks.turn.data[marks[at]] < scene.firstTurn - 1) low = at + 1;
    else i = at;
  }
  for (; i < marks.length && map.marks.turn.data[marks[i]] <= scene.lastTurn; i++) {
    const mark = marks[i];
    const box = scene.hides(mark) ? null : scene.box(mark);
    if (!box) continue;
    offer(box.x);
    left = Math.max(left, box.x + box.w);
  }
  offer(scene.layout.width + 4);
  return best;
}
