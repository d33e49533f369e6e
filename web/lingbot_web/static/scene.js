// What a frame is drawn from: the map, the place of things, the moment shown, the trail. Painters and the hit test ask
// it where a mark stands and how strongly it is drawn, so the two can't differ.
import { FLAG, MARK, badBit } from 'lb/kinds';
import { LEVEL } from 'lb/ink';
import { afterWrite, beforeWrite, HEADER, READABLE, SCORED, WIDE } from 'lb/layout';
import { plain } from 'lb/lettering';
import { FONT } from 'lb/styles';
import { scoredStage, stageAt, weightOf } from 'lb/weights';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/layout').Layout} Layout */
/** @typedef {import('lb/layout').Stave} Stave */
/** @typedef {import('lb/lettering').Lettering} Lettering */
/** @typedef {import('lb/tokens').Tokens} Tokens */
/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/types').Finding} Finding */
/** @typedef {{x: number, y: number, w: number, h: number}} Box */

/** Level of each distance on a trail: itself and one hop, two, three. */
const HOP_LEVEL = [LEVEL.FULL, LEVEL.FULL, LEVEL.SECOND, LEVEL.THIRD];
/** A value of which fewer characters fit, the ellipsis among them, is a bare square. */
const LEAST_TOLD = 4;
const SQUARE = 9;
/** Beside the text in a value's box, and where room is short. */
const PADDING = 6;
const LEAST_PADDING = 3;

export class Scene {
  /**
   * @param {DialogueMap} map @param {Layout} layout @param {Lettering} lettering @param {Tokens} tokens
   * @param {(key: string, params?: Record<string, string | number>) => string} text
   * @param {import('lb/filters').Filters | null} [filters]
   */
  constructor(map, layout, lettering, tokens, text, filters = null) {
    this.map = map;
    this.layout = layout;
    this.lettering = lettering;
    this.tokens = tokens;
    this.text = text;
    this.filters = filters;
    /** @type {Map<string, string>} */ this.words = new Map();
    /** Weights by place of the stage's edge, NaN where none was asked for yet, as of so many retired turns. */
    this.weights = { retired: 0, of: new Float64Array(0) };
    /** Last event shown. */
    this.seq = Infinity;
    /** Distance of each mark from the selected one plus 1; 0 is off the trail. @type {Uint8Array | null} */
    this.trail = null;
    /** @type {Selection | null} */ this.selection = null;
    /** @type {import('lb/search').Search | null} */ this.matches = null;
    /** Rows with a finding known by the moment shown: kinds as bits, by place of the node. @type {Map<number, number>} */
    this.red = new Map();
    /** Age in days of stale documents, by place of the node. @type {Map<number, number>} */
    this.ages = new Map();
    /** With a playhead: what findings up to it are about. @type {{marks: Map<number, number>, links: Map<number, number>, turns: Map<number, number>} | null} */
    this.known = null;
    /** Findings' labels as drawn, for the hit test. @type {(Box & {id: string})[]} */ this.tags = [];
    /** What lanes are headed with where they share an axis with another map's. @type {Map<number, string> | null} */ this.numbers = null;
    /** The map that goes on growing while this one shows the past. @type {DialogueMap | null} */ this.newest = null;
    /** How turns stand to a design that is drawn over them. @type {import('lb/design_shown').Shown | null} */ this.design = null;
    /** @type {Stave | null} */ this.flow = null;
    /** @type {Stave | null} */ this.state = null;
    /** @type {Stave | null} */ this.knowledge = null;
    /** Routings below this are drawn dashed. */
    this.low = 0.6;
    this.lane = 0;
    this.pill = 0;
    this.readable = false;
    this.scored = false;
    this.wide = false;
    this.firstTurn = 0;
    this.lastTurn = -1;
  }

  /** A word of the interface that takes no parameters. @param {string} key @returns {string} */
  word(key) {
    let word = this.words.get(key);
    if (word === undefined) this.words.set(key, (word = this.text(key)));
    return word;
  }

  /** What a lane is headed with: its turn. @param {number} lane */
  headOf(lane) {
    return this.numbers ? (this.numbers.get(lane) ?? '') : String(lane);
  }

  /** Takes up what changed in the layout; called once at the head of a frame. @param {number} [beside] so many lanes on either side of the window are drawn too: their marks may reach into it */
  begin(beside = 0) {
    this.flow = this.layout.stave('flow');
    this.state = this.layout.stave('state');
    this.knowledge = this.layout.stave('knowledge');
    this.low = this.map.about.policy?.low_confidence ?? 0.6;
    this.lane = this.layout.lane;
    this.readable = this.lane > READABLE;
    this.scored = this.lane > SCORED;
    this.wide = this.lane > WIDE;
    this.firstTurn = Math.max(this.map.firstTurn, Math.floor(this.layout.from) - beside);
    this.lastTurn = Math.min(this.map.lastTurn, Math.ceil(this.layout.to) - 1 + beside);
    this.pill = this.layout.pill;
    if (this.filters?.active) this.filters.counts.follow(this.map);
  }

  /** Takes up what findings say at the moment shown; called when either changed. */
  refresh() {
    this.red.clear();
    this.ages.clear();
    this.known = this.seq === Infinity ? null : { marks: new Map(), links: new Map(), turns: new Map() };
    for (const { finding, row, marks, links, turns } of this.map.evidence.values()) {
      if (this.known ? !this.shows(finding) : row < 0) continue; // of thousands, at each change of the live map
      const bit = badBit(finding.kind);
      if (row >= 0) this.red.set(row, (this.red.get(row) ?? 0) | bit);
      if (row >= 0 && finding.kind === 'stale') this.ages.set(row, finding.facts.age_days ?? this.ages.get(row) ?? NaN);
      if (!this.known) continue;
      for (const mark of marks) this.known.marks.set(mark, (this.known.marks.get(mark) ?? 0) | bit);
      for (const link of links) this.known.links.set(link, (this.known.links.get(link) ?? 0) | bit);
      for (const turn of turns) this.known.turns.set(turn, (this.known.turns.get(turn) ?? 0) | bit);
    }
  }

  /** Kinds of findings that a mark is part of, as far as they are known at the moment shown. @param {number} mark @returns {number} */
  badMark(mark) {
    return this.known ? (this.known.marks.get(mark) ?? 0) : this.map.marks.bad.data[mark];
  }

  /** @param {number} link @returns {number} */
  badLink(link) {
    return this.known ? (this.known.links.get(link) ?? 0) : this.map.marks.linkBad.data[link];
  }

  /** @param {number} turn @returns {number} */
  badTurn(turn) {
    return this.known ? (this.known.turns.get(turn) ?? 0) : this.map.lanes.bits(turn);
  }

  /** Findings that touch the window and are known by the moment shown. @returns {import('lb/evidence').Evidence[]} */
  findings() {
    return this.map.spans.between(this.firstTurn, this.lastTurn).filter(({ finding }) => this.shows(finding));
  }

  /** The gaps alone, from the losses: all that is drawn of findings far out. @returns {import('lb/evidence').Evidence[]} */
  gaps() {
    const found = [];
    for (const lost of this.map.losses) {
      const evidence = this.map.evidence.get(`gap:${lost.source}:${lost.first}`);
      if (evidence && this.shows(evidence.finding)) found.push(evidence);
    }
    return found;
  }

  /** Where an event stands on the time axis, within its lane by its place among the turn's events. @param {number} seq */
  turnOfSeq(seq) {
    const turn = this.map.turnOf(seq);
    const lane = this.map.lanes.of.get(turn);
    if (!lane) return Math.max(turn, this.map.firstTurn);
    const share = (seq - lane.first + 1) / (lane.last - lane.first + 2);
    return Math.max(turn + Math.min(0.98, Math.max(0.02, share)), this.map.firstTurn);
  }

  /** The last event shown as a number that look-ups take: null for the newest. */
  get moment() {
    return this.seq === Infinity ? null : this.seq;
  }

  /** What a search found on this map, as long as its marks are those it looked at. */
  get found() {
    return this.matches?.marks === this.map.marks ? this.matches : null;
  }

  /** Whether a filter leaves a mark out. @param {number} mark */
  hides(mark) {
    const { filters } = this;
    if (!filters?.active) return false;
    const { kind, node, turn } = this.map.marks;
    const said = kind.data[mark] === MARK.UTTERANCE;
    return !filters.passesMark(kind.data[mark], !filters.anomalies ? 0 : said ? this.badTurn(turn.data[mark]) : this.badMark(mark), filters.fresh && this.faded(node.data[mark]));
  }

  /** Counts by turns of what is shown. */
  get counted() {
    return this.filters?.active ? this.filters.counts.lanes : this.map.lanes;
  }

  /** How strongly a mark is drawn. @param {number} mark @returns {number} */
  level(mark) {
    if (this.hides(mark)) return LEVEL.HIDDEN;
    if (this.map.marks.seq.data[mark] > this.seq) return LEVEL.GHOST;
    if (this.trail) {
      const hop = this.trail[mark];
      return hop ? HOP_LEVEL[hop - 1] : LEVEL.REST;
    }
    return LEVEL.FULL;
  }

  /** How strongly a link is drawn: as its weaker end. @param {number} from @param {number} to */
  linkLevel(from, to) {
    return Math.max(this.level(from), this.level(to));
  }

  /** Whether a slot expired while the dialogue went on: its marks are drawn faded. @param {number} node */
  faded(node) {
    const { expired, expires_at: end } = this.map.list[node];
    return expired && end !== null && end <= this.timeShown() && this.map.turnOf(this.map.seqAt(end)) >= 0 && this.map.turnOf(this.map.seqAt(end)) < this.map.lastTurn;
  }

  /** Time of the moment shown. */
  timeShown() {
    const at = this.seq === Infinity ? NaN : this.map.atOf(this.seq);
    return Number.isNaN(at) ? this.map.at : at;
  }

  /** @param {number} mark */
  x(mark) {
    const { kind, turn, k, flags } = this.map.marks;
    return this.layout.markX(kind.data[mark], turn.data[mark], k.data[mark], flags.data[mark]);
  }

  /** Middle of a mark; NaN where its row or its stave is not shown. @param {number} mark @returns {number} */
  y(mark) {
    const { kind, node } = this.map.marks;
    switch (kind.data[mark]) {
      case MARK.VISIT:
        return this.layout.y(this.flow, this.map.rows.number[node.data[mark]]);
      case MARK.WRITE:
      case MARK.READ:
        return this.layout.y(this.state, this.map.rows.number[node.data[mark]]);
      case MARK.QUESTION:
        return this.knowledge ? this.knowledge.top + 14 : NaN;
      case MARK.DOC:
        return this.layout.y(this.knowledge, this.map.rows.number[node.data[mark]]);
      case MARK.ANSWER:
        return this.knowledge ? this.layout.answerY(this.knowledge) : NaN;
      default:
        return HEADER + 0.5;
    }
  }

  /** Height of a visit's pill. */
  get pillHeight() {
    return Math.min(this.layout.staves.rowHeight - 4, this.readable ? 20 : Math.max(6, Math.min(14, this.pill)));
  }

  /** A written value as it is shown. @param {number} mark */
  valueText(mark) {
    const { flags, edge } = this.map.marks;
    if (flags.data[mark] & FLAG.CLEARED) return '∅';
    if (flags.data[mark] & FLAG.EMPTY) return this.word('score.null');
    return plain(this.map.edges.props[edge.data[mark]].value);
  }

  /**
   * The box of a write. `text` is "" where it is a bare square: in a narrow lane, or where a later write follows it.
   * @param {number} mark @returns {Box & {text: string}}
   */
  slotBox(mark) {
    const flags = this.map.marks.flags.data[mark];
    const x = this.x(mark);
    const y = this.y(mark);
    const w = this.lane;
    if (this.readable && !(flags & FLAG.FOLLOWED)) {
      const first = !this.map.marks.k.data[mark];
      const start = this.layout.x(this.map.marks.turn.data[mark]);
      const left = start + (first && flags & FLAG.PRECEDED ? beforeWrite(w) + 7 : 2);
      const right = start + (flags & FLAG.SHARED ? afterWrite(w) - 7 : w - 2);
      const text = this.#boxText(this.valueText(mark), flags, right - left - 2 * LEAST_PADDING);
      if (text) {
        const high = Math.min(19, this.layout.staves.rowHeight - 3);
        const width = Math.min(right - left, this.lettering.width(text, FONT.value) + 2 * PADDING);
        return { x: Math.max(left, Math.min(first ? x - width / 2 : x - 6, right - width)), y: y - high / 2, w: width, h: high, text };
      }
    }
    const side = this.readable ? SQUARE - 1 : Math.max(4, Math.min(SQUARE, w * 0.3));
    return { x: x - side / 2, y: y - side / 2, w: side, h: side, text: '' };
  }

  /** As much of a value as says something: a beginning and an end, or "". @param {string} value @param {number} flags @param {number} room */
  #boxText(value, flags, room) {
    const text = this.lettering.fitEnds(value, FONT.value, room);
    if (text === value) return text;
    if (flags & FLAG.EMPTY) return this.lettering.fit('∅', FONT.value, room);
    return text.length >= LEAST_TOLD ? text : '';
  }

  /** The stage whose rank and score a document's mark shows. @param {number} mark */
  stage(mark) {
    const e = stageAt(this.map, mark, this.seq);
    return e < 0 ? this.firstStage(mark) : e;
  }

  /** @param {number} mark */
  firstStage(mark) {
    const { marks } = this.map;
    let e = marks.edge.data[mark];
    for (let before = e; before >= 0; before = marks.stages.data[before]) e = before;
    return e;
  }

  /** Whether a document reached the prompt by the moment shown. @param {number} mark */
  used(mark) {
    const { marks, edges } = this.map;
    if (!(marks.flags.data[mark] & FLAG.PROMPT)) return false;
    if (this.seq === Infinity) return true;
    for (let e = stageAt(this.map, mark, this.seq); e >= 0; e = marks.stages.data[e]) if (edges.props[e].stage === 'prompt') return true;
    for (let l = marks.outHead.data[mark]; l >= 0; l = marks.linkOut.data[l]) if (edges.seq.data[marks.linkEdge.data[l]] <= this.seq) return true;
    return false;
  }

  /** Weight of the last scored stage. @param {number} mark */
  weight(mark) {
    const { map, weights } = this;
    const stage = this.stage(mark);
    if (weights.retired !== map.retired || stage >= weights.of.length) this.weights = { retired: map.retired, of: new Float64Array(map.edges.seq.data.length).fill(NaN) };
    const known = this.weights.of[stage];
    return Number.isNaN(known) ? (this.weights.of[stage] = weightOf(map, scoredStage(map, stage))) : known;
  }

  /** @param {number} mark */
  radius(mark) {
    return Math.min(this.lane * 0.16, 3 + 6 * this.weight(mark));
  }

  /** How many answers a turn shows: they share one mark. @param {number} turn */
  answers(turn) {
    const lane = this.map.lanes.of.get(turn);
    if (!lane || lane.answers < 2) return lane?.answers ?? 0;
    let shown = 0;
    for (const mark of lane.marks) if (this.map.marks.kind.data[mark] === MARK.ANSWER && this.map.marks.seq.data[mark] <= this.seq && !this.hides(mark)) shown++;
    return shown;
  }

  /** Width of the mark of so many answers: it grows to the left, for a count. @param {number} answers */
  answerWidth(answers) {
    return answers < 2 || !this.readable ? 16 : answers < 10 ? 20 : answers < 100 ? 26 : 32;
  }

  /** What a mark covers; null where it is not shown. @param {number} mark @returns {Box | null} */
  box(mark) {
    const kind = this.map.marks.kind.data[mark];
    const y = this.y(mark);
    if (Number.isNaN(y)) return null;
    const x = this.x(mark);
    if (kind === MARK.VISIT) return { x: x - this.pill / 2, y: y - this.pillHeight / 2, w: this.pill, h: this.pillHeight };
    if (kind === MARK.WRITE) return this.slotBox(mark);
    if (kind === MARK.ANSWER) {
      const w = this.answerWidth(this.answers(this.map.marks.turn.data[mark]));
      return { x: x + 8 - w, y: y - 8, w, h: 16 };
    }
    const r = kind === MARK.DOC ? this.radius(mark) : kind === MARK.QUESTION ? 4.5 : 4;
    return { x: x - r, y: y - r, w: 2 * r, h: 2 * r };
  }

  /** Whether a finding is known by the moment shown. @param {Finding} finding */
  shows(finding) {
    return finding.seq <= this.seq;
  }
}
