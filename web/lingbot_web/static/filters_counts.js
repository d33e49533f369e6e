// How many marks pass the filters, in all and by turns: what density columns and the timeline are drawn from while some
// are left out. It keeps its place, so that live data costs only what is new.
import { LAYERS, MARK } from 'lb/kinds';
import { CHANNELS, Lanes } from 'lb/lanes';

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/filters').Filters} Filters */

/** Number of the layer by kind of mark; -1 for what has no row and no column. @type {number[]} */
const LAYER_OF = [];
LAYER_OF[MARK.UTTERANCE] = -1;
LAYER_OF[MARK.VISIT] = 0;
LAYER_OF[MARK.WRITE] = LAYER_OF[MARK.READ] = 1;
LAYER_OF[MARK.QUESTION] = LAYER_OF[MARK.DOC] = LAYER_OF[MARK.ANSWER] = 2;

export class Counts {
  /** @param {Filters} filters */
  constructor(filters) {
    this.filters = filters;
    this.lanes = new Lanes();
    /** Marks on the layers shown that pass. */
    this.shown = 0;
    /** Marks on the map. */
    this.all = 0;
    this.at = 0;
    this.sign = '';
    /** @type {object | null} */
    this.marks = null;
  }

  /** Takes in what the map has that was not counted yet. @param {DialogueMap} map */
  follow(map) {
    const { filters } = this;
    const sign = this.#sign(map);
    const anew = this.marks !== map.marks || sign !== this.sign;
    if (anew) {
      this.shown = this.at = 0;
      this.marks = map.marks;
      this.sign = sign;
    }
    const { kind, node, turn, bad } = map.marks;
    this.all = map.marks.size;
    if (!anew && this.at === this.all) return;
    const tally = anew ? new Int32Array(CHANNELS * 2 ** Math.ceil(Math.log2(Math.max(2, map.lastTurn + 1)))) : null;
    if (filters.anomalies) {
      this.at = this.all;
      for (const mark of new Set([...map.evidence.values()].flatMap(({ marks }) => marks))) this.#count(map, tally, kind.data[mark], node.data[mark], turn.data[mark], bad.data[mark]);
      for (const [number, { utterance }] of map.lanes.of) if (utterance >= 0 && map.lanes.bits(number)) this.#count(map, tally, MARK.UTTERANCE, node.data[utterance], number, 1);
    } else for (; this.at < this.all; this.at++) this.#count(map, tally, kind.data[this.at], node.data[this.at], turn.data[this.at], 0);
    if (tally) this.lanes = Lanes.tallied(tally);
  }

  /** @param {DialogueMap} map @param {Int32Array | null} tally to count into; null for one more on the lanes @param {number} kind @param {number} node @param {number} turn @param {number} bad */
  #count(map, tally, kind, node, turn, bad) {
    const layer = LAYER_OF[kind];
    if (layer >= 0 && !this.filters.layers[LAYERS[layer]]) return;
    if (!this.filters.passesMark(kind, bad, map.list[node].expired)) return;
    this.shown++;
    if (layer < 0) return;
    if (tally) tally[turn * CHANNELS + layer]++;
    else this.lanes.count(turn, layer);
  }

  /** What counts anew when it changes: findings make marks anomalous, and slots expire. @param {DialogueMap} map */
  #sign(map) {
    const { filters } = this;
    const expired = filters.fresh ? map.rows.of.state.reduce((sum, { node }) => sum + (map.list[node].expired ? 1 : 0), 0) : 0;
    return `${filters.write()} ${LAYERS.filter((layer) => filters.layers[layer])} ${filters.anomalies ? `${map.findings.size} ${map.marks.size}` : ''} ${expired}`;
  }
}
