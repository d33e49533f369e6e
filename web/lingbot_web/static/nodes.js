// A map's nodes by their ids: a view of its list, since a second table of them would weigh as much as the first.

/** @typedef {import('lb/fold').DialogueMap} DialogueMap */
/** @typedef {import('lb/types').Node} Node */

export class NodesById {
  /** @param {DialogueMap} map */
  constructor(map) {
    this.map = map;
  }

  get size() {
    return this.map.list.length;
  }

  /** @param {string} id @returns {Node | undefined} */
  get(id) {
    const place = this.map.places.get(id);
    return place === undefined ? undefined : this.map.list[place];
  }

  /** @param {string} id */
  has(id) {
    return this.map.places.has(id);
  }

  keys() {
    return this.map.ids.values();
  }

  values() {
    return this.map.list.values();
  }

  /** @returns {Iterator<[string, Node]>} */
  *[Symbol.iterator]() {
    for (const node of this.map.list) yield [node.id, node];
  }
}
