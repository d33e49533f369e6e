// Which map shows a moment. The newest map retires old turns; a moment before them is shown on a past map, a keyframe of
// its own, while the newest one goes on growing out of sight. The time axis stretches over the whole session either way.

import { Refused } from 'lb/api';
import { DialogueMap } from 'lb/fold';

/** @typedef {import('lb/window').Axis} Axis */
/** What is to be shown: an event, the end of a turn, or a window and the moment at its end. @typedef {({seq: number} | {from: number, to: number, turn?: number}) & {window?: import('lb/types').Window}} Wanted */
/**
 * @typedef {object} Around
 * @property {() => DialogueMap | null} newest the map that grows
 * @property {() => string} key of the session
 * @property {() => import('lb/score').Score} score
 * @property {{standalone: boolean, get: (path: string, query?: Record<string, any>) => Promise<any>}} api a file from disk has no other map than the one in it
 * @property {() => void} onChange another map is shown, or is on its way
 * @property {(error: Refused) => void} onRefused
 */

/** The window has to rest for so long before its turns are fetched, in ms. */
const REST = 150;
/** So many tries to hit a turn whose events are not known yet. */
const TRIES = 4;

export class Moments {
  /** @param {Around} around */
  constructor(around) {
    this.around = around;
    /** @type {DialogueMap | null} the past map that is shown, null while it is the newest */
    this.past = null;
    /** Whether the moment shown goes with the window, not having been asked for. */
    this.auto = false;
    /** @type {Wanted | null} what is being fetched for */
    this.wanted = null;
    this.timer = 0;
    this.busy = false;
    /** What could not be fetched: it is not asked for again while nothing moves. */
    this.refused = '';
  }

  /** Another session, or another map of it: what was fetched is of no use. */
  reset() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.past = null;
    this.wanted = null;
    this.auto = false;
  }

  /** Whether a past map is being fetched. */
  get waiting() {
    return this.wanted !== null;
  }

  /** The whole session on the time axis, be it held or not. @param {Axis} axis of the map that is shown @returns {Axis} */
  extent(axis) {
    const newest = this.around.newest();
    if (!newest?.retired || this.around.api.standalone || newest.session !== this.around.score().map?.session) return axis;
    return { ...axis, first: 1, end: newest.lastTurn + 1 };
  }

  /** Shows the moment after event `seq`; null for the newest. @param {number | null} seq */
  seek(seq) {
    this.around.score().setPlayhead(seq);
  }

  /** Shows the end of a turn that neither map holds. @param {number} turn */
  seekTurn(turn) {
    this.#want({ from: turn, to: turn + 1, turn });
  }

  /** The window stays where it is when what is being fetched arrives. @param {import('lb/types').Window} win */
  keep(win) {
    if (this.wanted) this.wanted.window = { ...win };
  }

  /** Asked before another moment is shown: whether it is on neither map, and is being fetched. @param {number | null} seq */
  elsewhere(seq) {
    const newest = this.around.newest();
    if (!newest || this.around.api.standalone) return false;
    this.auto = false;
    if (seq === null || seq >= newest.firstMoment) {
      this.wanted = null;
      if (this.past) this.#show(null);
      return false;
    }
    if (this.past && this.past.firstMoment <= seq && seq < this.past.cursor.seq) {
      this.wanted = null;
      return false;
    }
    this.#want({ seq });
    return true;
  }

  /** The event at a place of the time axis that the shown map does not hold; null where it does. @param {number} turn fractional @returns {number | null} */
  seqAt(turn) {
    const { map } = this.around.score();
    const newest = this.around.newest();
    if (!map || !newest || (turn >= map.firstTurn && turn < map.lastTurn + 1)) return null;
    const lane = turn >= newest.firstTurn ? newest.lanes.of.get(Math.floor(turn)) : null;
    if (lane?.first) return Math.round(lane.first + (turn - lane.turn) * (lane.last - lane.first));
    return turn >= newest.firstTurn ? null : this.#guess(turn);
  }

  /** The window moved or the newest map retired turns: is what is looked at still held? */
  follow() {
    const { map, window: win, playhead, following } = this.around.score();
    const newest = this.around.newest();
    if (!map || !newest?.retired || this.wanted || following || this.around.api.standalone || this.refused === this.#place()) return;
    if (map === newest && playhead !== null && playhead < newest.firstMoment) {
      this.#want({ seq: playhead });
      return;
    }
    clearTimeout(this.timer);
    this.timer = 0;
    const missing = this.#missing(map, newest);
    const behind = this.auto && this.past !== null && this.#endOf(this.past, win.to) !== playhead;
    if (missing || behind) this.timer = window.setTimeout(() => this.#rest(), REST);
  }

  /** Where the reader stands. */
  #place() {
    const { window: win, playhead } = this.around.score();
    return `${win.from} ${win.to} ${playhead}`;
  }

  /** Whether the window shows turns that are not held and could be. @param {DialogueMap} map @param {DialogueMap} newest */
  #missing(map, newest) {
    const { from, to } = this.around.score().window;
    if (to - from > kept(newest)) return false;
    if (Math.floor(from) < map.firstTurn && map.firstTurn > 1) return true;
    // What lies after a past map's end is after the moment that was asked for: it stays out, unless none was, or nothing else is in view.
    return map !== newest && (this.auto ? Math.min(to, newest.lastTurn + 1) > map.lastTurn + 1 : from >= map.lastTurn + 1);
  }

  #rest() {
    this.timer = 0;
    const score = this.around.score();
    const { map, window: win } = score;
    const newest = this.around.newest();
    if (!map || !newest || this.wanted) return;
    if (this.#missing(map, newest)) {
      if (win.from < newest.firstTurn) this.#want({ from: win.from, to: win.to });
      else {
        this.#show(null);
        score.setPlayhead(null);
      }
    } else if (this.past && this.auto) {
      if (win.from >= newest.firstTurn) score.setPlayhead(null);
      else this.#go(this.#endOf(this.past, win.to));
    }
  }

  /** The last event that the window shows. @param {DialogueMap} map @param {number} to */
  #endOf(map, to) {
    const lane = map.lanes.of.get(Math.min(map.lastTurn, Math.ceil(to - 1e-6) - 1));
    return Math.min(lane?.last ?? Infinity, map.cursor.seq - 1);
  }

  /** Moves the playhead along with the window. @param {number} seq */
  #go(seq) {
    const score = this.around.score();
    const { from, to } = score.window;
    score.setPlayhead(seq);
    score.setWindow(from, to);
    this.auto = true;
  }

  /** About which event turn `turn` began, from how many there were a turn. @param {number} turn */
  #guess(turn) {
    const newest = /** @type {DialogueMap} */ (this.around.newest());
    return Math.max(1, Math.round(((turn - 1) / Math.max(1, newest.retired)) * newest.firstMoment));
  }

  /** @param {Wanted} wanted */
  #want(wanted) {
    this.wanted = wanted;
    this.around.onChange();
    if (!this.busy) this.#fetch();
  }

  /** One request at a time: what is wanted meanwhile is fetched next, and only the last of it. */
  async #fetch() {
    this.busy = true;
    try {
      for (let tries = 0, asked = null, shift = 0; this.wanted; ) {
        const { wanted } = this;
        if (wanted !== asked) tries = shift = 0;
        asked = wanted;
        const map = await this.#keyframe(wanted, shift);
        if (!map || this.wanted !== wanted) continue;
        // A turn was guessed wrongly: further on, or back.
        const off = 'seq' in wanted ? 0 : Math.floor(wanted.from) < map.firstTurn ? -1 : Math.min(wanted.to, map.lastTurn + 1) < wanted.to - 0.01 ? 1 : 0;
        if (off && ++tries < TRIES) shift += (off * kept(map)) / 2;
        else this.#arrive(map, wanted);
      }
    } catch (error) {
      this.wanted = null;
      this.refused = this.#place();
      if (!(error instanceof Refused)) throw error;
      this.around.onRefused(error);
    } finally {
      this.busy = false;
      this.around.onChange();
    }
  }

  /**
   * A map on which what is wanted stands some way before its end, so that one can go on from there without another.
   * @param {Wanted} wanted @param {number} shift turns @returns {Promise<DialogueMap | null>}
   */
  async #keyframe(wanted, shift) {
    const newest = this.around.newest();
    const key = this.around.key();
    if (!newest) {
      this.wanted = null;
      return null;
    }
    const share = newest.firstMoment / Math.max(1, newest.retired);
    const from = 'seq' in wanted ? wanted.seq : this.#guess(wanted.to);
    const at = Math.max(2, Math.min(newest.cursor.seq, Math.round(from + share * (kept(newest) / 2 + shift))));
    const keyframe = await this.around.api.get(`api/sessions/${key}/keyframe`, { at });
    const now = this.around.newest();
    if (key !== this.around.key() || now?.cursor.epoch !== keyframe.cursor.epoch) {
      this.wanted = null;
      return null;
    }
    return DialogueMap.fromKeyframe(keyframe);
  }

  /** @param {DialogueMap} map @param {Wanted} wanted */
  #arrive(map, wanted) {
    const score = this.around.score();
    this.wanted = null;
    this.#show(map);
    if ('seq' in wanted) score.setPlayhead(wanted.seq);
    else if (wanted.turn !== undefined) score.setPlayhead(this.#endOf(map, wanted.to));
    else {
      this.#go(this.#endOf(map, wanted.to));
      score.setWindow(wanted.from, wanted.to);
    }
    if (wanted.window) score.setWindow(wanted.window.from, wanted.window.to);
  }

  /** @param {DialogueMap | null} past */
  #show(past) {
    const score = this.around.score();
    const map = past ?? this.around.newest();
    this.past = past;
    if (past) score.follow(false);
    if (map && score.map !== map) score.setMap(map);
    score.scene.newest = past && this.around.newest();
    this.around.onChange();
  }
}

/** @param {DialogueMap} map */
function kept(map) {
  return map.about.policy?.kept_turns ?? 1000;
}
