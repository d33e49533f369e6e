// The shapes that go between the modules of the page. Types only: nothing here runs.
//
// Numbers of turns count from 1; 0 is what came before the first utterance. On the time axis turn n is the lane
// [n, n + 1), so a window {from: 9, to: 22} shows turns 9 to 21.

/** @typedef {'flow' | 'state' | 'knowledge'} Layer */
/** @typedef {'utterance' | 'intent' | 'slot' | 'doc' | 'answer'} NodeKind */
/** @typedef {'jump' | 'assign' | 'read' | 'overwrite' | 'recall' | 'merge'} EdgeKind */
/** @typedef {'gap' | 'failure' | 'loop' | 'overwrite' | 'leak' | 'drift' | 'stale'} FindingKind */
/** @typedef {Record<string, any>} Props */

/**
 * @typedef {object} Node
 * @property {string} id
 * @property {NodeKind} kind
 * @property {Layer} layer
 * @property {string} label
 * @property {number} turn
 * @property {number} seq
 * @property {number} created_at
 * @property {number} updated_at
 * @property {number | null} expires_at
 * @property {boolean} expired
 * @property {Props} props
 */

/**
 * @typedef {object} Edge
 * @property {string} id
 * @property {EdgeKind} kind
 * @property {Layer} layer
 * @property {string} source
 * @property {string} target
 * @property {number} turn
 * @property {number} seq
 * @property {number} at
 * @property {Props} props
 */

/** @typedef {{number: number, id: string, seq: number, at: number, said_at: number | null}} Turn */

/**
 * @typedef {object} Finding
 * @property {string} id
 * @property {string} code
 * @property {FindingKind} kind
 * @property {number} since
 * @property {number} turn
 * @property {number} seq
 * @property {number} at
 * @property {string[]} nodes
 * @property {string[]} edges
 * @property {number[]} seqs
 * @property {Props} facts
 * @property {{en: string, zh: string}} reason
 */

/** @typedef {{source: string, first: number, last: number, missing: number, turn: number, seq: number, why: string}} Lost */
/** @typedef {{seq: number, turn: number, name: string, why: string}} Unplaced */

/** A delta as it comes over the wire: `d` says which it is. @typedef {{d: string} & Record<string, any>} Delta */

/**
 * What the reader has picked. `kind` 'node': `id` names the node and `turn`/`seq` the one mark of it that was clicked
 * (seq 0: the row as a whole). 'edge' and 'finding': `id` names it. 'turn': the lane.
 * @typedef {{kind: 'node' | 'edge' | 'finding' | 'turn', id: string, turn: number, seq: number}} Selection
 */

/** A stretch of the time axis in turns, may be fractional. @typedef {{from: number, to: number}} Window */

/** @typedef {{flow: boolean, state: boolean, knowledge: boolean}} Layers */

/** Marks at one, two and three hops. @typedef {{hops: [number, number, number]}} Trail */

/**
 * What the score asks of the page around it. Every callback is optional but `text` and `lang`.
 * @typedef {object} ScoreOptions
 * @property {(key: string, params?: Record<string, string | number>) => string} text words of the interface
 * @property {() => 'zh' | 'en'} lang
 * @property {() => number} [covered] so many CSS pixels of the map's right lie behind a panel while something is selected
 * @property {(sel: Selection | null) => void} [onSelect]
 * @property {(trail: Trail | null) => void} [onTrace] the trail of the selection was lit, changed or dropped
 * @property {(sel: Selection | null, box: {x: number, y: number, w: number, h: number} | null) => void} [onHover]
 *   `box` is in CSS pixels relative to the host
 * @property {(win: Window) => void} [onWindow]
 * @property {(seq: number | null) => void} [onPlayhead]
 * @property {(on: boolean) => void} [onFollow]
 * @property {(layers: Layers) => void} [onLayers] a layer was switched from the keyboard
 * @property {() => void} [onLayout] heights of the staves were chosen anew
 * @property {import('lb/filters').Filters} [filters] what is left out
 * @property {import('lb/moments').Moments} [moments] shows moments that this map does not hold
 * @property {() => boolean} [closed] whether nothing more can come: of a file, and of what was deleted
 * @property {() => boolean} [cut] whether the line to a live session is down
 * @property {() => boolean} [reducedMotion] default: the media query
 */

export {};
