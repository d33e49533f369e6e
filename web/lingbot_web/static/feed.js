// Keeps one map up to date: a keyframe over HTTP, then batches over a socket, resumed at the cursor after every break.
// The map's own cursor is the only memory of what was applied, so nothing counts twice whatever the socket repeats.

import { Refused, SILENT_MS } from 'lb/api';
import { DialogueMap } from 'lb/fold';
import { Rate, eventsAfter, judge, waitBefore } from 'lb/resume';
import { reasonOf } from 'lb/unapplied';

/** @typedef {import('lb/api').Api} Api */
/** @typedef {import('lb/resume').Cursor} Cursor */
/** @typedef {import('lb/session_row').Summary} Summary */
/** @typedef {'connecting' | 'open' | 'waiting' | 'unauthorised'} Line state of the line to the server */
/** @typedef {{seq: number, key: string, params: Record<string, string>}} Failure an event that could not be applied, and words for why */
/**
 * @typedef {object} Ears what the feed tells
 * @property {(map: DialogueMap, why: 'opened' | 'behind' | 'epoch') => void} onMap another map took the place of the old one
 * @property {(dirty: number) => void} onDirty deltas were folded into the map
 * @property {() => void} onLine the line's state changed
 * @property {(failure: Failure) => void} onFailure
 * @property {(caughtUp: number) => void} onCaughtUp so many events were made up for after a break
 * @property {(changed: Summary[], removed: string[]) => void} onSessions
 * @property {(key: string) => void} onMissing the session can't be opened
 * @property {(why: string) => void} onDamaged its recording can't be read, and why
 */

/** After so long without a word the server is asked where it stands, in ms. A line may be dead without anybody having said so. */
const QUIET_MS = 10_000;
/** So long it has for its first word, and for the answer: a batch of 256 KiB on a line of 100 kbit/s takes 20 s. */
const ANSWER_MS = 20_000;
/** A keyframe that did not begin to come may be one that takes long to make: each try waits twice as long, up to 80 s. */
const MOST_DOUBLED = 2;

export class Feed {
  /** @param {Api} api @param {Ears} ears */
  constructor(api, ears) {
    this.api = api;
    this.ears = ears;
    /** @type {DialogueMap | null} */
    this.map = null;
    this.key = '';
    /** @type {Line} */
    this.line = 'connecting';
    /** @type {number} attempt that is being waited for, 0 when the line is open */
    this.attempt = 0;
    /** @type {number} when the next try is due (performance.now) */
    this.nextTry = 0;
    /** When the line was lost, Unix seconds; 0 while it is there. */
    this.lostAt = 0;
    /** Whether the server answered at all when it was last asked. */
    this.reachable = false;
    /** @type {Failure[]} */
    this.failures = [];
    this.received = 0;
    this.rate = new Rate();
    /** @type {number | null} seconds from the event's making to its being shown */
    this.delay = null;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.timer = 0;
    /** What happens unless the server says something. */
    this.silence = 0;
    /** @type {{seq: number, until: number} | null} a break that is being made up for */
    this.owed = null;
    this.askedAgainAt = -1;
    /** @type {(() => void) | null} what to do at the next try instead of connecting */
    this.retry = null;
    /** @type {AbortController | null} the keyframe under way */
    this.loading = null;
    addEventListener('online', () => this.retryNow());
    document.addEventListener('visibilitychange', () => document.hidden || this.retryNow());
  }

  /** How many events are still owed after a break, as far as that is known. */
  get behind() {
    return this.owed && this.map && Number.isFinite(this.owed.until) ? Math.max(0, this.owed.until - this.map.cursor.seq) : 0;
  }

  /** @returns {Cursor | null} */
  get cursor() {
    return this.map ? this.map.cursor : null;
  }

  /** Turns to session `key` ("" for none) and says so when its map is there. @param {string} key */
  async watch(key) {
    this.key = key;
    this.owed = null;
    this.failures = [];
    this.map = null;
    await this.#open();
  }

  /** The session's keyframe, then the line. A server that is away is asked for both again; one that has no such session still tells of others. */
  async #open() {
    if (this.key && !(await this.#keyframe('opened'))) return;
    if (!this.socket) this.connect();
  }

  /** The session is no more: its map stays as it is, and the line tells of the others alone. */
  abandon() {
    this.key = '';
    this.owed = null;
    if (!this.socket) this.connect();
  }

  /** Opens the line (again). */
  connect() {
    clearTimeout(this.timer);
    this.#drop();
    const cursor = this.key ? this.cursor : null;
    const socket = this.api.socket(cursor ? { session: this.key, epoch: cursor.epoch, after: cursor.seq } : {});
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    this.silence = window.setTimeout(() => this.#lost(), ANSWER_MS);
    if (this.line !== 'waiting') this.#become('connecting');
    const { key } = this;
    const text = new TextDecoder();
    // The reader may have turned to another session, or the keyframe may have come, while the line was being opened.
    socket.addEventListener('open', () => socket === this.socket && (key !== this.key || !cursor) && this.#place());
    socket.addEventListener('message', ({ data }) => {
      if (socket === this.socket) this.#take(JSON.parse(typeof data === 'string' ? data : text.decode(data)));
    });
    socket.addEventListener('close', () => socket === this.socket && this.#lost());
  }

  /** Doesn't wait for the next try. */
  retryNow() {
    if (this.line === 'waiting') this.#again();
  }

  /** The server is away before anything was opened: `retry` is called when the next try is due. @param {() => void} retry */
  away(retry) {
    this.retry = retry;
    this.#wait();
  }

  /** A token was given: everything from the start. @param {string} token */
  admit(token) {
    this.api.token = token;
    this.#drop();
    this.attempt = 0;
    this.#become('connecting');
  }

  /** @param {any} message */
  #take(message) {
    this.#heard();
    if (message.t === 'sessions') this.ears.onSessions(message.changed ?? [], message.removed ?? []);
    else if (message.t === 'hello') this.#hello(message);
    else if (message.t === 'batch') this.#batch(message);
  }

  #heard() {
    clearTimeout(this.silence);
    this.silence = window.setTimeout(() => this.#ask(), QUIET_MS);
  }

  /** Whether anybody is there. A keyframe on its way is a sign of life, and has its own end. */
  #ask() {
    if (this.loading || !this.key || !this.map) {
      this.#heard();
      return;
    }
    this.silence = window.setTimeout(() => this.#lost(), ANSWER_MS);
    this.#place();
  }

  /** @param {{epoch: string, seq: number, resume: boolean, why: string, session: Summary | null}} hello */
  #hello(hello) {
    this.attempt = 0;
    this.lostAt = 0;
    this.#become('open');
    if ((hello.why === 'unknown' || hello.why === 'deleted') && this.key && this.map) this.ears.onMissing(this.key);
    // Said of another session, or before this one's keyframe is there: the place sent after it will be answered anew.
    if (hello.session?.key !== this.key || !this.map) return;
    if (hello.resume) {
      if (this.owed) {
        this.owed.until = hello.seq;
        this.#settle();
      }
    } else {
      this.#keyframe(hello.why === 'epoch' ? 'epoch' : 'behind');
    }
  }

  /** @param {{epoch: string, first: number, last: number, deltas: any[], at: number}} batch */
  #batch(batch) {
    const { map } = this;
    if (!map) return;
    const verdict = judge(map.cursor, batch);
    if (verdict === 'hole' && this.askedAgainAt !== map.cursor.seq) {
      this.askedAgainAt = map.cursor.seq;
      this.#place();
    }
    if (verdict !== 'apply') return;
    const events = eventsAfter(batch.deltas, map.cursor.seq);
    let eventAt = 0;
    let dirty = 0;
    for (const event of events) {
      for (const delta of event.deltas) {
        if (delta.d === 'applied') eventAt = delta.at;
        // A delta that can't be applied takes none of its neighbours with it: what they bring, later ones stand on.
        try {
          dirty |= map.apply(delta);
        } catch (error) {
          this.#failed(event.seq, error);
        }
      }
    }
    this.received += events.length;
    this.rate.add(performance.now(), events.length);
    this.ears.onDirty(dirty);
    if (eventAt) this.#measure(eventAt, batch.at);
    this.#settle();
  }

  /** @param {number} seq @param {unknown} error */
  #failed(seq, error) {
    const failure = { seq, ...reasonOf(error) };
    this.failures.push(failure);
    this.ears.onFailure(failure);
  }

  /**
   * The viewer's clock may be another machine's: where its answer can't be true, the server's share of the delay is shown.
   * @param {number} eventAt @param {number} sentAt
   */
  #measure(eventAt, sentAt) {
    const whole = Date.now() / 1000 - eventAt;
    this.delay = whole >= 0 && whole < 60 ? whole : Math.max(0, sentAt - eventAt);
  }

  #settle() {
    if (!this.owed || !this.map || this.map.cursor.seq < this.owed.until) return;
    const count = this.map.cursor.seq - this.owed.seq;
    this.owed = null;
    this.delay = null; // of what was made up for: the line itself may be quick
    if (count > 0) this.ears.onCaughtUp(count);
  }

  /** Says where this viewer stands. */
  #place() {
    const cursor = this.key ? this.cursor : null;
    if (cursor && this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify({ session: this.key, epoch: cursor.epoch, after: cursor.seq }));
    }
  }

  /** @param {'opened' | 'behind' | 'epoch'} why @returns {Promise<boolean>} whether there was an answer, and it still mattered */
  async #keyframe(why) {
    const { key } = this;
    this.loading?.abort();
    const loading = new AbortController();
    this.loading = loading;
    try {
      const keyframe = await this.api.get(`api/sessions/${key}/keyframe`, {}, loading.signal, SILENT_MS * 2 ** Math.min(this.attempt, MOST_DOUBLED));
      if (loading.signal.aborted || key !== this.key) return false;
      const before = this.map?.cursor;
      this.map = DialogueMap.fromKeyframe(keyframe);
      this.received = this.map.cursor.seq;
      this.askedAgainAt = -1;
      this.ears.onMap(this.map, before && before.epoch !== this.map.cursor.epoch ? 'epoch' : why);
      this.#place();
      if (this.owed) {
        if (before && before.epoch === this.map.cursor.epoch) {
          this.owed.until = this.map.cursor.seq;
          this.#settle();
        } else this.owed = null;
      }
      return true;
    } catch (error) {
      if (loading.signal.aborted || key !== this.key) return false;
      if (!(error instanceof Refused)) throw error;
      if (error.status === 401 || error.status === 403) this.#become('unauthorised');
      else if (error.status === 404 || error.status === 410) this.ears.onMissing(key);
      else if (error.status === 409) this.ears.onDamaged(error.message);
      else {
        this.#lost(); // the server is away or not ready: the same back-off as for the socket
        return false;
      }
      return this.line !== 'unauthorised';
    } finally {
      if (this.loading === loading) this.loading = null;
    }
  }

  #lost() {
    this.#drop();
    if (this.line === 'unauthorised') return;
    const cursor = this.key ? this.cursor : null;
    if (cursor && !this.owed) this.owed = { seq: cursor.seq, until: Infinity };
    this.#wait();
  }

  #wait() {
    this.attempt += 1;
    this.lostAt ||= Date.now() / 1000;
    const wait = waitBefore(this.attempt, Math.random());
    this.nextTry = performance.now() + wait;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#again(), wait);
    this.#become('waiting');
  }

  async #again() {
    clearTimeout(this.timer);
    const { retry, attempt } = this;
    this.retry = null;
    if (retry) retry();
    else if (this.key && !this.map) await this.#open();
    // A socket that is refused looks like a server that is away: only HTTP can tell the two apart.
    else if ((attempt < 2 || (await this.#admitted())) && this.line === 'waiting') this.connect();
  }

  async #admitted() {
    try {
      await this.api.get('api/sessions', { limit: 1 });
      this.reachable = true;
    } catch (error) {
      this.reachable = error instanceof Refused && error.status !== 0;
      if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
        this.#become('unauthorised');
        return false;
      }
    }
    return true;
  }

  #drop() {
    const { socket } = this;
    this.socket = null;
    clearTimeout(this.silence);
    socket?.close();
  }

  /** @param {Line} line */
  #become(line) {
    this.line = line;
    this.ears.onLine();
  }
}
