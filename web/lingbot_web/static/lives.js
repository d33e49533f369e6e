// How long each value of a slot held: until the next write, or until the write was undone and an older value came back.

/** @typedef {import('lb/rows').Row} Row */
/** @typedef {import('lb/marks').Marks} Marks */
/**
 * @typedef {object} Life
 * @property {number} write mark of the write, -1 where an undoing brought back a slot that was never written
 * @property {number} from event since which it holds: its write's, or that of the undoing that brought it back
 * @property {number} to event that ended it, Infinity while it holds
 * @property {boolean} undone whether that event undid it
 */

/** A row's lives change only with its writes and with what is undone. @type {WeakMap<Row, {writes: number, undone: number, lives: Life[]}>} */
const kept = new WeakMap();

/** @param {Row} row of a slot @param {Marks} marks @param {[number, number, string][]} undone in order @returns {Life[]} in order; each begins where the one before it ends */
export function livesOf(row, marks, undone) {
  const old = kept.get(row);
  if (old && old.writes === row.writes.length && old.undone === undone.length) return old.lives;
  const lives = told(row.writes, marks, undone);
  kept.set(row, { writes: row.writes.length, undone: undone.length, lives });
  return lives;
}

/** @param {number[]} writes @param {Marks} marks @param {[number, number, string][]} undone @returns {Life[]} */
function told(writes, marks, undone) {
  /** @type {Life[]} */
  const lives = [];
  /** @param {number} write @param {number} from */
  const begin = (write, from) => {
    const held = lives[lives.length - 1];
    if (held) held.to = from;
    lives.push({ write, from, to: Infinity, undone: false });
  };
  let next = 0;
  // What is undone reaches up to the event before the one that undid it.
  for (const [first, last] of undone) {
    while (next < writes.length && marks.seq.data[writes[next]] <= last) begin(writes[next], marks.seq.data[writes[next++]]);
    const held = lives[lives.length - 1];
    if (!held || held.write < 0 || marks.seq.data[held.write] < first) continue;
    held.undone = true;
    begin(lives.findLast(({ from }) => from < first)?.write ?? -1, last + 1);
  }
  while (next < writes.length) begin(writes[next], marks.seq.data[writes[next++]]);
  return lives;
}
