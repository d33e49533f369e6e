// Whether a mark, a row or a finding is what a query asks for. What concerns a node alone is asked once per node.
import { FLAG, MARK } from 'lb/kinds';
import { fold, holds } from 'lb/search_query';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/types').Finding} Finding */
/** @typedef {import('lb/search_query').Term} Term */

/** @type {Record<string, number[]>} */
const MARKS = {
  utterance: [MARK.UTTERANCE], intent: [MARK.VISIT], slot: [MARK.WRITE, MARK.READ], write: [MARK.WRITE], clear: [MARK.WRITE], read: [MARK.READ],
  question: [MARK.QUESTION], doc: [MARK.DOC], answer: [MARK.ANSWER],
};

export class Terms {
  /** @param {DialogueMap} map @param {Term[]} terms @param {import('lb/search').Folded} folded */
  constructor(map, terms, folded) {
    this.map = map;
    this.terms = terms;
    this.folded = folded;
    /** A query of turns alone is answered with turns, not with all that happened in them. */
    this.turnsOnly = terms.every((term) => term.is === 'turn');
    /** What is asked of marks alone brings no findings along. */
    this.ofFindings = terms.some((term) => !term.not && (term.is === 'word' || term.is === 'code' || term.is === 'kind'));
    /** For each term, whether a node's name fits, by place: 0 not asked, 1 yes, 2 no. @type {Uint8Array[]} */
    this.known = terms.map(() => new Uint8Array(1024));
    /** @type {string[]} */ this.seen = [];
  }

  /** @param {number} mark */
  mark(mark) {
    const { marks, lanes } = this.map;
    if (this.turnsOnly && marks.kind.data[mark] !== MARK.UTTERANCE) {
      const lane = lanes.of.get(marks.turn.data[mark]);
      if (!lane || lane.utterance >= 0 || lane.marks[0] !== mark) return false;
    }
    for (let i = 0; i < this.terms.length; i++) if (this.#fits(i, mark) === this.terms[i].not) return false;
    return true;
  }

  /** @param {number} i of the term @param {number} mark @returns {boolean} */
  #fits(i, mark) {
    const { marks, edges } = this.map;
    const term = this.terms[i];
    const kind = marks.kind.data[mark];
    switch (term.is) {
      case 'word':
        return (kind !== MARK.QUESTION && this.#named(i, marks.node.data[mark], term.text)) || this.#own(mark).includes(term.text);
      case 'name':
        if (!MARKS[term.of].includes(kind) || !this.#named(i, marks.node.data[mark], term.name)) return false;
        return term.value === null || this.#own(mark).includes(term.value);
      case 'turn':
        return term.first <= marks.turn.data[mark] && marks.turn.data[mark] <= term.last;
      case 'conf': {
        if (kind !== MARK.VISIT) return false;
        const { confidence } = edges.props[marks.edge.data[mark]];
        return typeof confidence === 'number' && holds(confidence, term.test, term.than);
      }
      case 'kind':
        if (!MARKS[term.kind]?.includes(kind)) return false;
        return kind !== MARK.WRITE || term.kind === 'slot' || (term.kind === 'clear') === ((marks.flags.data[mark] & FLAG.CLEARED) > 0);
      default:
        return false;
    }
  }

  /** What a mark says besides its row's name. @param {number} mark */
  #own(mark) {
    const { marks, edges } = this.map;
    const e = marks.edge.data[mark];
    if (e < 0) return '';
    const kind = marks.kind.data[mark];
    if (kind === MARK.WRITE || kind === MARK.READ) return this.folded.value(edges.props[e].value);
    return kind === MARK.QUESTION ? this.folded.value(edges.props[e].query) : '';
  }

  /** Whether a node's label or name holds `text`, which is that of term `i`. @param {number} i @param {number} place @param {string} text */
  #named(i, place, text) {
    let known = this.known[i];
    if (place >= known.length) {
      known = new Uint8Array(Math.max(2 * known.length, this.map.list.length));
      known.set(this.known[i]);
      this.known[i] = known;
    }
    const { label } = this.map.list[place];
    if (this.seen[place] !== label) {
      this.seen[place] = label;
      for (const answers of this.known) answers[place] = 0;
    }
    if (!known[place]) known[place] = this.folded.node(this.map, place).includes(text) ? 1 : 2;
    return known[place] === 1;
  }

  /** Whether a row without marks is asked for: by its name, or by what it is. @param {number} place */
  row(place) {
    return this.terms.every((term, i) => {
      const { kind } = this.map.list[place];
      if (term.is === 'word') return this.#named(i, place, term.text) !== term.not;
      if (term.is === 'name') return (term.of === kind && term.value === null && this.#named(i, place, term.name)) !== term.not;
      return term.is === 'kind' ? (term.kind === kind) !== term.not : term.not;
    });
  }

  /** @param {Finding} finding */
  finding(finding) {
    if (!this.ofFindings) return false;
    let text = '';
    return this.terms.every((term) => {
      if (term.is === 'word' && !text) text = fold([finding.code, finding.kind, finding.reason.zh, finding.reason.en].join('\n'));
      return this.#tells(term, finding, text) !== term.not;
    });
  }

  /** @param {Term} term @param {Finding} finding @param {string} text */
  #tells(term, finding, text) {
    switch (term.is) {
      case 'word':
        return text.includes(term.text);
      case 'code':
        return fold(finding.code).includes(term.text);
      case 'kind':
        return term.kind === 'finding' || term.kind === finding.kind;
      case 'turn':
        return term.first <= finding.turn && finding.since <= term.last;
      case 'name':
        return finding.nodes.some((id) => {
          const place = this.map.place(id);
          return id.startsWith(`${term.of}:`) && term.value === null && place !== undefined && this.folded.node(this.map, place).includes(term.name);
        });
      default:
        return false;
    }
  }
}
