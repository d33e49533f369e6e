// Labels of findings: what they say and where there is room for them. A label never lies over another.
import { docNode } from 'lb/evidence';
import { plain } from 'lb/lettering';
import { FONT } from 'lb/styles';

/** @typedef {import('lb/scene').Scene} Scene */
/** @typedef {import('lb/evidence').Evidence} Evidence */
/** @typedef {import('lb/types').FindingKind} FindingKind */
/** @typedef {import('lb/scene').Box} Box */
/** @typedef {{id: string, kind: FindingKind, text: string, x: number, y: number, w: number, h: number, evidence: Evidence}} Tag */
/** What a label says, in full and where there is little room, and how wide that is; findings with the same `key` share one. @typedef {{text: string, width: number, brief: string, briefWidth: number, key: string, word: string}} Label */
/** Findings that share a label, and from where to where their marks reach. @typedef {{evidence: Evidence, label: Label, left: number, right: number}} Group */

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
/** A loop's bracket shows on either side of its label. */
const BRACKET = 12;
const LONGEST_VALUE = 84;
const LONGEST_NAME = 108;
const LONGEST_CONDITION = 140;

/** Labels say the same until the language changes or the finding is replaced. @type {WeakMap<Evidence, Label>} */
const told = new WeakMap();

/** @param {Scene} scene @param {Evidence} evidence */
function labelOf(scene, evidence) {
  const word = scene.word('score.flow');
  let known = told.get(evidence);
  if (!known || known.word !== word) {
    const text = tagText(scene, evidence);
    const brief = briefText(scene, evidence) || text;
    const [width, briefWidth] = [text, brief].map((each) => scene.lettering.width(each, FONT.tag));
    told.set(evidence, (known = { text, width, brief, briefWidth, key: groupKey(evidence, text), word }));
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

/** What is said where the whole has no room; "" where that is all there is. @param {Scene} scene @param {Evidence} evidence */
function briefText(scene, { finding: { kind, facts } }) {
  if (kind === 'loop') return scene.text('score.tag.loop', { n: facts.rounds ?? 1 });
  return kind === 'drift' ? scene.word('score.tag.drift.brief') : '';
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
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const evidence of findings) {
    const label = labelOf(scene, evidence);
    const span = label.text ? spanOf(scene, evidence) : null;
    if (!span) continue;
    const [left, right] = span;
    const { finding } = evidence;
    const group = groups.get(label.key);
    if (group && finding.kind !== 'gap' && (finding.kind === 'drift' || left <= group.right)) {
      if ((finding.facts.rounds ?? 0) > (group.evidence.finding.facts.rounds ?? 0)) Object.assign(group, { evidence, label });
      group.left = Math.min(group.left, left);
      group.right = Math.max(group.right, right);
    } else groups.set(group ? finding.id : label.key, { evidence, label, left, right });
  }
  /** @type {Tag[]} */
  const placed = [];
  if (!groups.size) return placed;
  const around = new Around(scene);
  for (const group of groups.values()) {
    const tag = settle(scene, group, placed, around);
    if (tag) placed.push(tag);
  }
  return placed;
}

/** Each way round the same loop is a finding of its own; they are one loop to the eye. @param {Evidence} evidence @param {string} text */
function groupKey({ finding, row }, text) {
  return finding.kind === 'loop' ? `loop:${[...finding.nodes].sort().join()}` : `${finding.kind}:${row}:${text}`;
}

/** From where to where a finding's marks reach on the canvas. @param {Scene} scene @param {Evidence} evidence @returns {[number, number] | null} */
function spanOf(scene, { finding, marks }) {
  if (finding.kind === 'gap') {
    const x = scene.layout.x(scene.turnOfSeq(finding.seq));
    return [x, x];
  }
  if (!marks.length) return null;
  if (finding.kind !== 'drift') return [scene.x(marks[0]), scene.x(marks[marks.length - 1])];
  const edge = scene.layout.x(scene.layout.from);
  const seen = marks.map((mark) => scene.x(mark)).filter((x) => x >= edge && x <= scene.layout.width);
  return seen.length ? [Math.min(...seen), Math.max(...seen)] : null;
}

/** @param {Scene} scene @param {Group} group @param {Tag[]} placed @param {Around} around @returns {Tag | null} */
function settle(scene, { evidence, label, left, right }, placed, around) {
  const { layout } = scene;
  const { kind, id } = evidence.finding;
  const stave = kind === 'loop' ? scene.flow : kind === 'drift' ? scene.knowledge : kind === 'gap' ? null : scene.state;
  if (!stave && kind !== 'gap') return null;
  const from = Math.max(left, layout.x(layout.from));
  const to = Math.min(right, layout.width);
  const brief = label.briefWidth + 32;
  const whole = kind === 'loop' && label.width + 32 > Math.max(brief, to - from - 2 * BRACKET) ? brief : label.width + 32;
  const wide = Math.min(whole, layout.width - 160);
  if (from > layout.width || to < layout.x(layout.from)) return null;
  const middle = (from + to) / 2;
  const top = (stave ?? layout.staves.staves[0]).top;
  // On the slot's own row it says which slot it is about; there it stays between the marks, beside them it would hide them.
  const row = kind === 'overwrite' || kind === 'leak' ? scene.y(evidence.marks[0]) : NaN;
  // The first place where it lies on no mark, else the first where it lies on no other label: left edge, middle and width.
  let found = /** @type {[number, number, number] | null} */ (null);
  const fits = (/** @type {number} */ w, /** @type {number} */ y, /** @type {number} */ centre) => {
    const x = clamped(layout, centre, w);
    for (const other of placed) if (other.x + other.w + 4 > x && other.x < x + w + 4 && Math.abs(other.y + HEIGHT / 2 - y) < HEIGHT) return false;
    const clear = !around.covers(x, y, w);
    if (clear || !found) found = [x, y, w];
    return clear;
  };
  const onRow = (/** @type {number} */ w) => {
    const free = Number.isNaN(row) ? NaN : freePlace(scene, evidence, placed, around, row, from, to, w);
    return !Number.isNaN(free) && fits(w, row, free);
  };
  const beside = () => {
    const end = Number.isNaN(row) ? null : around.box(evidence.marks[evidence.marks.length - 1]);
    const off = Math.max(BESIDE, layout.staves.rowHeight / 2);
    return end !== null && [row + off, row - off].some((y) => fits(wide, y, end.x - 6 - wide / 2) || fits(wide, y, end.x + end.w + 6 + wide / 2));
  };
  const along = (/** @type {number} */ w, /** @type {number} */ y) => SHIFTS.some((shift) => fits(w, y, middle + shift * (w / 2 + 10)));
  const settled = onRow(wide) || (scene.lane >= 20 && (beside() || along(wide, top + HEAD)));
  // Questions stand in the head of the documents' stave.
  const above = settled || (scene.lane >= 20 && kind === 'drift' && (along(wide, top - 1) || along(brief, top - 1)));
  if (!above && !onRow(SMALL)) along(SMALL, top + HEAD);
  if (!found) return null;
  const [x, y, w] = found;
  const text = w === SMALL ? '' : scene.lettering.fit(w === brief ? label.brief : label.text, FONT.tag, w - 28);
  return { id, kind, text, x, y: y - HEIGHT / 2, w, h: HEIGHT, evidence };
}

/** The left edge of a label that stands about `centre`, within the map. @param {import('lb/layout').Layout} layout @param {number} centre @param {number} w */
function clamped(layout, centre, w) {
  return Math.max(layout.x(layout.from) + 4, Math.min(layout.width - w - 4, centre - w / 2));
}

/** The marks that labels must leave free: looked up once a frame, since a label is tried in many places. */
class Around {
  /** Marks shown by the height of their middles, in order of turns. @type {Map<number, number[]>} */ #rows = new Map();
  /** @type {Map<number, Box | null>} */ #boxes = new Map();

  /** @param {Scene} scene */
  constructor(scene) {
    this.scene = scene;
    const { lanes } = scene.map;
    for (let turn = scene.firstTurn - 1; turn <= scene.lastTurn + 1; turn++) {
      const marks = lanes.of.get(turn)?.marks;
      if (!marks) continue;
      for (const mark of marks) {
        const y = scene.y(mark);
        if (Number.isNaN(y) || scene.hides(mark)) continue;
        const row = this.#rows.get(y);
        if (row) row.push(mark);
        else this.#rows.set(y, [mark]);
      }
    }
  }

  /** What a mark covers. @param {number} mark */
  box(mark) {
    let box = this.#boxes.get(mark);
    if (box === undefined) this.#boxes.set(mark, (box = this.scene.box(mark)));
    return box;
  }

  /** Whether a label would lie on a mark. @param {number} x @param {number} y its middle @param {number} w */
  covers(x, y, w) {
    const { layout, map } = this.scene;
    const turns = map.marks.turn.data;
    const first = Math.floor(layout.turnAt(x)) - 1;
    const last = Math.floor(layout.turnAt(x + w)) + 1;
    for (const [at, marks] of this.#rows) {
      if (Math.abs(at - y) >= HEIGHT) continue;
      let i = marks.length;
      for (let low = 0; low < i; ) {
        const middle = (low + i) >>> 1;
        if (turns[marks[middle]] < first) low = middle + 1;
        else i = middle;
      }
      for (; i < marks.length && turns[marks[i]] <= last; i++) {
        const box = this.box(marks[i]);
        if (box && box.x + box.w > x && box.x < x + w && box.y + box.h > y - HEIGHT / 2 + TOUCH && box.y < y + HEIGHT / 2 - TOUCH) return true;
      }
    }
    return false;
  }
}

/** Where on a slot's row, between its marks, a label has room: as near the middle as may be. NaN where nowhere. @param {Scene} scene @param {Evidence} evidence @param {Tag[]} placed @param {Around} around @param {number} row @param {number} from @param {number} to @param {number} wide */
function freePlace(scene, evidence, placed, around, row, from, to, wide) {
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
    const box = scene.hides(mark) ? null : around.box(mark);
    if (!box) continue;
    offer(box.x);
    left = Math.max(left, box.x + box.w);
  }
  offer(scene.layout.width + 4);
  return best;
}
