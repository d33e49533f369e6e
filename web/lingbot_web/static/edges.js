// The edges of a map in columns. Edges come in order of seq, so the number in an id is enough to find it again.
import { Column, lowerBound } from 'lb/columns';
import { EDGE_KINDS, LAYERS, LAYER_OF_EDGE } from 'lb/kinds';

/** @typedef {import('lb/types').Edge} Edge */
/** @typedef {import('lb/types').Props} Props */

export class Edges {
  constructor() {
    /** @type {string[]} */ this.ids = [];
    /** @type {Props[]} */ this.props = [];
    this.kind = new Column(Uint8Array);
    this.source = new Column(Int32Array);
    this.target = new Column(Int32Array);
    this.turn = new Column(Int32Array);
    this.seq = new Column(Float64Array);
    this.at = new Column(Float64Array);
  }

  get size() {
    return this.ids.length;
  }

  /**
   * @param {Edge} edge @param {number} source @param {number} target places of its ends among the nodes
   * @returns {number} its place
   */
  push(edge, source, target) {
    this.ids.push(edge.id);
    this.props.push(edge.props);
    this.kind.push(EDGE_KINDS.indexOf(edge.kind));
    this.source.push(source);
    this.target.push(target);
    this.turn.push(edge.turn);
    this.seq.push(edge.seq);
    return this.at.push(edge.at);
  }

  /** @param {string} id @returns {number} its place, or -1 */
  find(id) {
    const seq = parseInt(id.slice(id.indexOf(':') + 1), 10);
    for (let i = this.ofSeq(seq); i < this.size && this.seq.data[i] === seq; i++) if (this.ids[i] === id) return i;
    return -1;
  }

  /** The place of the first edge of event `seq` or a later one. @param {number} seq */
  ofSeq(seq) {
    return lowerBound(this.seq.data, seq, this.size);
  }

  /** The edge at place `i` as a plain object. @param {number} i @param {string[]} names ids of the nodes @returns {Edge} */
  row(i, names) {
    const kind = this.kind.data[i];
    return {
      id: this.ids[i],
      kind: EDGE_KINDS[kind],
      layer: LAYERS[LAYER_OF_EDGE[kind]],
      source: names[this.source.data[i]],
      target: names[this.target.data[i]],
      turn: this.turn.data[i],
      seq: this.seq.data[i],
      at: this.at.data[i],
      props: this.props[i],
    };
  }

  /** Forgets the first `count` edges. @param {number} count */
  drop(count) {
    this.ids.splice(0, count);
    this.props.splice(0, count);
    for (const column of [this.kind, this.source, this.target, this.turn, this.seq, this.at]) column.drop(count);
  }
}
