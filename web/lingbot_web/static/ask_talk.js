// What was asked and answered of one base: its turns, and which of them the next question may go on from. Pure.

/** @typedef {{id: string, label: string}} Option */
/** @typedef {{text: string, start: number, id: string, kind: string, how: string, label: string, others: string[], options: Option[]}} Mention */
/** @typedef {{name: string, status: string, detail: string, keywords: string[], evidence_count: number, ms: number}} Step */
/** @typedef {{item: string, title: string, path: string, kind: string, snippet: string, confidence: number, score: number, route: string, selection_reason: string, ranks: Record<string, number>}} Evidence */
/** @typedef {{items: string[], links: string[], confidence: number}} Chain */
/** @typedef {{text: string, cites: string[]}} Sentence */
/** @typedef {{question: string, names: string[]}} Topic */
/**
 * @typedef {object} Answer
 * @property {Sentence[]} sentences
 * @property {boolean} abstained
 * @property {'yes' | 'no' | 'unspecified' | null} verdict
 * @property {boolean} extracted it is a list of what fits, quoted and not worked out
 * @property {boolean} [worded] in the words of a language model, held against the evidence
 * @property {Chain[]} chains
 * @property {string[]} open_points
 * @property {Record<string, {title: string, kind: string}>} labels of what is cited
 * @property {{text: string, parameters: Record<string, unknown>}} [query] the plan of a graph's question
 */
/**
 * @typedef {object} Told what has come of an answer so far
 * @property {'busy' | 'done' | 'failed' | 'away' | 'stopped'} state
 * @property {boolean} opening the base is being read first
 * @property {{mentions: Mention[]} | null} bound
 * @property {Step[]} steps
 * @property {Evidence[]} evidence
 * @property {Answer | null} answer
 * @property {Topic[]} topics
 * @property {string} error
 * @property {string} remedy
 * @property {{session: string, turn: number} | null} recorded the session and the turn that the question is on the map
 * @property {string} use what became of its reader's verdict, as a word's key
 */
/** @typedef {Record<string, string>} Bound ids that the reader put right, by the place of the words that stand for them */
/** @typedef {{question: string, bound: Bound, at: number | null, after: string[], told: Told}} Turn `after` are the questions it went on from */

const MOST_BEFORE = 5; // as many as the server takes
const MOST_TURNS = 30;

/** @returns {Told} */
export function nothingYet() {
  return { state: 'busy', opening: false, bound: null, steps: [], evidence: [], answer: null, topics: [], error: '', remedy: '', recorded: null, use: '' };
}

export class Talk {
  constructor() {
    /** @type {Turn[]} */
    this.turns = [];
    /** @type {Turn | null} the one that is shown */
    this.shown = null;
    /** @type {Turn[]} those that the next question may go on from, the one it is most likely about last */
    this.before = [];
    /** What is typed. */
    this.draft = '';
    /** @type {Bound} put right in the draft */
    this.bound = {};
    this.fresh = false; // a new topic was begun
    /** Names it to a server that records what is asked. */
    this.conversation = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  /** A question is asked: the same again takes the place of what it was. @param {string} question @param {Bound} bound @param {number | null} at */
  ask(question, bound, at) {
    if (this.shown?.question === question) this.before = this.before.filter((turn) => turn.question !== question);
    else this.#settle();
    const turn = { question, bound, at, after: this.before.map((each) => each.question), told: nothingYet() };
    this.turns = [...this.turns.filter((each) => each.question !== question), turn].slice(-MOST_TURNS);
    this.shown = turn;
    this.draft = question;
    this.bound = bound;
    return turn;
  }

  /** What was answered last is what the next may go on from. */
  #settle() {
    this.before = this.#next;
    this.fresh = false;
  }

  get #next() {
    const { shown } = this;
    if (!shown?.told.answer || this.before.includes(shown) || this.fresh) return this.before;
    return [...this.before, shown].slice(-MOST_BEFORE);
  }

  /** The earlier questions as the server takes them. */
  get earlier() {
    return this.before.map(({ question, bound }) => ({ question, bound }));
  }

  /** The same for what is typed, which is not asked yet. */
  get goesOn() {
    const next = this.shown?.question === this.draft.trim() ? this.before : this.#next;
    return next.map(({ question, bound }) => ({ question, bound }));
  }

  /** The topics that the next question may go back to, the present one first. @returns {Topic[]} */
  get topics() {
    return this.fresh ? [] : (this.shown?.told.topics ?? []);
  }

  /** Nothing of what was said counts for the next question. */
  renew() {
    this.before = [];
    this.fresh = true;
    this.draft = '';
    this.bound = {};
  }

  /** The next question is about that topic. "It" in the question that was asked last in it stands for what it stood for
   * then: what went before that one goes before it again. @param {Topic} topic */
  back(topic) {
    const turn = [...this.turns].reverse().find((each) => each.question === topic.question && each.told.answer);
    if (!turn) return;
    const own = this.turns.filter((each) => turn.after.includes(each.question) && each.told.answer).sort((a, b) => turn.after.indexOf(a.question) - turn.after.indexOf(b.question));
    const others = [...this.before, ...(this.shown?.told.answer ? [this.shown] : [])].filter((each, i, all) => each !== turn && !own.includes(each) && all.indexOf(each) === i);
    this.before = [...others, ...own, turn].slice(-MOST_BEFORE);
    this.shown = turn;
    this.draft = '';
    this.bound = {};
  }

  /** Shows an earlier one again. @param {Turn} turn */
  show(turn) {
    this.shown = turn;
    this.draft = turn.question;
    this.bound = turn.bound;
  }
}
