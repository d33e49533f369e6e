// Numbers for what columns hold, in the order that the wire and the map's side use. Only ever append.

/** @typedef {import('lb/types').Layer} Layer */
/** @typedef {import('lb/types').EdgeKind} EdgeKind */
/** @typedef {import('lb/types').FindingKind} FindingKind */

/** @type {readonly Layer[]} */
export const LAYERS = ['flow', 'state', 'knowledge'];

/** @type {readonly EdgeKind[]} */
export const EDGE_KINDS = ['jump', 'assign', 'read', 'overwrite', 'recall', 'merge'];

/** The layer's number of each edge kind. */
export const LAYER_OF_EDGE = [0, 1, 1, 1, 2, 2];

/** @type {readonly FindingKind[]} */
export const FINDING_KINDS = ['gap', 'failure', 'loop', 'overwrite', 'leak', 'drift', 'stale'];

/** Every kind of event; its index is the kind's number in a keyframe's moments. */
export const EVENT_KINDS = [
  'session_started', 'turn_started', 'intent_routed', 'slot_assigned', 'slot_read', 'slot_cleared', 'retrieved', 'answered', 'failed',
  'undone', 'session_ended', 'raw', 'tick', 'gap', 'epoch_started', 'policy_set', 'described',
];
/** @type {ReadonlyMap<string, number>} */
export const EVENT_NUMBER = new Map(EVENT_KINDS.map((kind, i) => [kind, i]));

/** What stands on the score: each mark is one of these, in one cell (turn, row). */
export const MARK = /** @type {const} */ ({ UTTERANCE: 0, VISIT: 1, WRITE: 2, READ: 3, QUESTION: 4, DOC: 5, ANSWER: 6 });

/** Lines between marks; the trail walks along them. */
export const LINK = /** @type {const} */ ({ ROUTE: 0, MOVE: 1, ASSIGN: 2, HOLD: 3, USE: 4, UPDATE: 5, OVERWRITE: 6, ASK: 7, RECALL: 8, MERGE: 9 });

/** Flags of a mark. */
export const FLAG = /** @type {const} */ ({
  UNDONE: 1, // a later event took it back
  PROMPT: 2, // the document reached the prompt or the answer
  CLEARED: 4, // the write emptied the slot
  EMPTY: 8, // the write set null
  AFTER: 16, // a read in the lane in which its value was written
  SAME: 32, // the write brought no new value
  SELF: 64, // the visit follows one of the same intent in the same cell: an arc, not a pill
  SHARED: 128, // a read stands to the right of the write in its cell
  FOLLOWED: 256, // another write stands to the right of the write in its cell
  PRECEDED: 512, // a read stands to the left of the write in its cell
});

/** Bits of a mark's or link's `bad` column: one for each kind of finding. @param {FindingKind} kind */
export const badBit = (kind) => 1 << FINDING_KINDS.indexOf(kind);
