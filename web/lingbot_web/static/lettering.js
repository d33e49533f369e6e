// Text that fits. Widths are sums of the widths of characters, each measured once per font, so that cutting and breaking
// text costs arithmetic and no layout.

/** No line of Chinese or English begins with one of these. */
const NEVER_FIRST = '，。？！、；：,.?!;:%）)】」』》〉”’…·~';
/** ... and none ends with one of these. */
const NEVER_LAST = '（(【「『《〈“‘';
const KEPT = 1000;
const ROOMS_KEPT = 200;
/** Where a text is cut or broken changes in such steps of the room, in CSS pixels: new words cost most while zooming. */
const STEP = 4;
/** In less room each pixel counts. */
const NARROW = 40;
/** Of a name that is cut in the middle, so much of the room is its end's: "（新版）" is kept beside four characters. */
const END_SHARE = 0.48;
/** Longer than any lane is wide: what comes from outside is cut before it is measured. */
const LONGEST = 240;

// What a reader can't see or what turns the text around it.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/gu;

/** Most text is no longer than this and has nothing to be taken out. */
const SIMPLE = /^[\u0021-\u007e\u00a1-\u00ac\u4e00-\u9fff\u3001-\u303f\uff00-\uffef·]{0,240}$/u;

/** Text as it may be drawn: one line, nothing invisible, not endless. @param {unknown} value @returns {string} */
export function plain(value) {
  if (typeof value === 'string' && SIMPLE.test(value)) return value;
  const text = typeof value === 'string' ? value : value === undefined ? '' : (JSON.stringify(value) ?? String(value));
  return text.slice(0, LONGEST).replace(UNSEEN, ' ').trim();
}

export class Lettering {
  /** @param {{font: string, measureText(text: string): {width: number}}} ctx a context of its own, used for measuring only */
  constructor(ctx) {
    this.ctx = ctx;
    /** @type {Map<string, Map<string, number>>} */ this.widths = new Map();
    /** Cut texts by font and room. @type {Map<string, Map<number, Map<string, string>>>} */ this.cut = new Map();
    /** Texts cut in the middle, by font and room. @type {Map<string, Map<number, Map<string, string>>>} */ this.ends = new Map();
    /** Broken texts by font and room. @type {Map<string, Map<number, Map<string, string[]>>>} */ this.broken = new Map();
  }

  /**
   * What is kept for a font and a room; nested, so that a look-up builds no key.
   * @template T @param {Map<string, Map<number, Map<string, T>>>} kept @param {string} font @param {number} room @returns {Map<string, T>}
   */
  #kept(kept, font, room) {
    let rooms = kept.get(font);
    if (!rooms) kept.set(font, (rooms = new Map()));
    else if (rooms.size > ROOMS_KEPT) rooms.clear();
    let texts = rooms.get(room);
    if (!texts) rooms.set(room, (texts = new Map()));
    else if (texts.size > KEPT) texts.clear();
    return texts;
  }

  /** @param {string} font @returns {Map<string, number>} */
  #table(font) {
    let table = this.widths.get(font);
    if (!table) this.widths.set(font, (table = new Map()));
    else if (table.size > KEPT) table.clear();
    return table;
  }

  /** @param {Map<string, number>} table @param {string} font @param {string} char */
  #char(table, font, char) {
    let width = table.get(char);
    if (width === undefined) {
      if (this.ctx.font !== font) this.ctx.font = font;
      width = this.ctx.measureText(char).width;
      table.set(char, width);
    }
    return width;
  }

  /** @param {string} text @param {string} font @returns {number} */
  width(text, font) {
    const table = this.#table(font);
    let sum = 0;
    for (const char of text) sum += this.#char(table, font, char);
    return sum;
  }

  /** `text`, or as much of it as fits `room` and an ellipsis; "" where not even that fits. @param {string} text @param {string} font @param {number} room */
  fit(text, font, room) {
    room = Math.floor(room);
    const kept = this.#kept(this.cut, font, room);
    let fitted = kept.get(text);
    if (fitted === undefined) kept.set(text, (fitted = this.#fit(text, font, room)));
    return fitted;
  }

  /** @param {string} text @param {string} font @param {number} room */
  #fit(text, font, room) {
    if (this.width(text, font) <= room) return text;
    room = stepped(room);
    const table = this.#table(font);
    const left = room - this.#char(table, font, '…');
    if (left <= 0) return '';
    let sum = 0;
    let fitted = '';
    for (const char of text) {
      sum += this.#char(table, font, char);
      if (sum > left) break;
      fitted += char;
    }
    return fitted ? `${fitted.trimEnd()}…` : '';
  }

  /**
   * `text`, or its beginning and its end with an ellipsis between: for names that differ at the end, such as two versions
   * of a document. @param {string} text @param {string} font @param {number} room
   */
  fitEnds(text, font, room) {
    room = Math.floor(room);
    const kept = this.#kept(this.ends, font, room);
    let fitted = kept.get(text);
    if (fitted === undefined) kept.set(text, (fitted = this.#fitEnds([...text], font, room)));
    return fitted;
  }

  /** @param {string[]} chars @param {string} font @param {number} room */
  #fitEnds(chars, font, room) {
    const text = chars.join('');
    if (this.width(text, font) <= room) return text;
    const table = this.#table(font);
    let left = (room - this.#char(table, font, '…')) * END_SHARE;
    let from = chars.length;
    while (from > 0 && left >= this.#char(table, font, chars[from - 1])) left -= this.#char(table, font, chars[--from]);
    const tail = chars.slice(from).join('').trimStart();
    const head = this.fit(text, font, room - this.width(tail, font));
    return head.length > 1 ? head + tail : this.fit(text, font, room);
  }

  /**
   * `text` in at most `lines` lines of `room`; the last one is cut. Chinese breaks between any two characters but where
   * punctuation would begin a line; other scripts break at spaces where there is one.
   * @param {string} text @param {string} font @param {number} room @param {number} lines @returns {string[]}
   */
  wrap(text, font, room, lines) {
    room = stepped(Math.floor(room));
    const kept = this.#kept(this.broken, font, room * 8 + lines);
    let broken = kept.get(text);
    if (!broken) kept.set(text, (broken = this.#wrap([...text], font, room, lines)));
    return broken;
  }

  /** @param {string[]} chars @param {string} font @param {number} room @param {number} lines */
  #wrap(chars, font, room, lines) {
    const table = this.#table(font);
    /** @type {string[]} */
    const done = [];
    let start = 0;
    while (start < chars.length && done.length < lines - 1) {
      let sum = 0;
      let end = start;
      while (end < chars.length && sum + this.#char(table, font, chars[end]) <= room) sum += this.#char(table, font, chars[end++]);
      if (end === chars.length) break;
      end = breakAt(chars, start, Math.max(end, start + 1));
      done.push(chars.slice(start, end).join('').trim());
      start = end;
    }
    const rest = chars.slice(start).join('').trim();
    if (rest) done.push(this.fit(rest, font, room));
    return done;
  }
}

/** @param {number} room */
function stepped(room) {
  return room < NARROW ? room : room - (room % STEP);
}

const WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_'’-]/u;

/** Where to break so that the next line begins well, at or before `end`. @param {string[]} chars @param {number} start @param {number} end */
function breakAt(chars, start, end) {
  let at = end;
  while (at > start + 1 && (NEVER_FIRST.includes(chars[at]) || NEVER_LAST.includes(chars[at - 1]))) at--;
  if (at < chars.length && WORD.test(chars[at]) && WORD.test(chars[at - 1])) {
    let word = at;
    while (word > start && WORD.test(chars[word - 1])) word--;
    if (word > start + 1) at = word;
  }
  return at > start ? at : end;
}
