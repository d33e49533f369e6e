// The keys of the map. The page's own (search, theme, language, play ...) are not here.
import { LAYERS, MARK } from 'lb/kinds';
import { alongLane, alongLink, alongRow, markOf, selectionOf } from 'lb/picking';

/** @typedef {import('lb/score').Score} Score */

const ZOOM = 1.25;

/** @param {Score} score @param {KeyboardEvent} event @returns {boolean} whether it was one of ours */
export function press(score, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const done = event.key.startsWith('Arrow') ? arrow(score, event.key, event.shiftKey) : plainKey(score, event.key);
  if (done) event.preventDefault();
  return done;
}

/** @param {Score} score @param {string} key */
function plainKey(score, key) {
  switch (key) {
    case '+':
    case '=':
      score.zoom(1 / ZOOM);
      return true;
    case '-':
    case '−':
      score.zoom(ZOOM);
      return true;
    case '0':
      score.fit();
      return true;
    case '1':
    case '2':
    case '3':
      score.toggleLayer(LAYERS[Number(key) - 1]);
      return true;
    case '[':
    case ']':
      score.nextFinding(key === ']' ? 1 : -1);
      return true;
    case 'Home':
      score.setWindow(score.axis.first, score.axis.first + score.window.to - score.window.from);
      return true;
    case 'End':
      score.setWindow(score.axis.end - (score.window.to - score.window.from), score.axis.end);
      return true;
    case 'f':
    case 'F':
      score.follow(true);
      return true;
    case 'Enter':
      if (score.selection) score.trace(!score.tracing);
      return score.selection !== null;
    case 'Escape':
      return score.back();
    default:
      return false;
  }
}

/** @param {Score} score @param {string} key @param {boolean} shift */
function arrow(score, key, shift) {
  const step = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1;
  const upright = key === 'ArrowUp' || key === 'ArrowDown';
  const { map } = score.scene;
  const mark = markOf(map, score.selection);
  if (mark < 0) {
    if (!upright) score.pan(step);
    else enter(score);
    return true;
  }
  let next = mark;
  // What a filter leaves out is passed over.
  do next = upright ? alongLane(score.scene, next, step) : shift ? alongLink(map, next, step) : alongRow(map, next, step);
  while (next >= 0 && score.scene.hides(next));
  if (next >= 0) score.select(selectionOf(map, next), { reveal: true });
  return true;
}

/** Without a selection up and down go to the first intent in the window. @param {Score} score */
function enter(score) {
  const { map } = score.scene;
  for (let turn = Math.ceil(score.window.from - 0.01); turn < score.window.to; turn++) {
    const marks = (map.lanes.of.get(turn)?.marks ?? []).filter((mark) => !score.scene.hides(mark));
    const first = marks.find((mark) => map.marks.kind.data[mark] === MARK.VISIT) ?? marks[0];
    if (first !== undefined) {
      score.select(selectionOf(map, first), { reveal: true });
      return;
    }
  }
}
