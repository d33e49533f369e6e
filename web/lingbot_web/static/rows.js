// The rows of the three staves. A row is appended when its entity first appears and never moves after that.

/** @typedef {import('lb/types').Node} Node */

/**
 * @typedef {object} Row
 * @property {number} node place of its node
 * @property {number} depth 1 for a sub-intent
 * @property {string} under id of the parent that its name must tell, "" where the row stands in its parent's group
 * @property {number[]} marks places of its marks, in order of seq
 * @property {number[]} writes those of them that wrote (a slot's)
 */

/** Most rows have a mark or two and no writes: an array for each, grown by pushing, is a tenth of a long session's memory. @type {number[]} */
const NONE = [];
Object.freeze(NONE);

export class Rows {
  constructor() {
    /** @type {Record<'flow' | 'state' | 'knowledge', Row[]>} */
    this.of = { flow: [], state: [], knowledge: [] };
    /** Number of the row in its stave, by place of the node; -1 where it has none. @type {number[]} */
    this.number = [];
    /** @type {(Row | null)[]} */
    this.byNode = [];
    /** Id of the flow's last group: a sub-intent of it joins it, any other is appended with its parent's name. */
    this.group = '';
  }

  /** @param {Node} node @param {number} place @returns {boolean} whether a row was added */
  see(node, place) {
    this.number[place] = -1;
    this.byNode[place] = null;
    if (node.kind === 'utterance' || node.kind === 'answer') return false;
    /** @type {Row} */
    const row = { node: place, depth: 0, under: '', marks: NONE, writes: node.kind === 'slot' ? [] : NONE };
    if (node.kind === 'intent') {
      const parent = node.props.parent ? `intent:${node.props.parent}` : '';
      if (parent && parent !== node.id) {
        row.depth = 1;
        row.under = parent === this.group ? '' : parent;
      }
      if (row.depth === 0) this.group = node.id;
      else if (row.under) this.group = '';
    }
    const rows = this.of[node.layer];
    this.number[place] = rows.length;
    this.byNode[place] = row;
    rows.push(row);
    return true;
  }
}
