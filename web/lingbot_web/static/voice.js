// What is spoken to those who can't see it: one polite line at most every 2 s. What came in the meantime is said together.

import { byId } from 'lb/dom';
import { text } from 'lb/i18n';

const PAUSE_MS = 2000;
/** So many lines are kept until they can be said; of more the oldest are no longer news. */
const MOST = 4;

export class Voice {
  constructor() {
    this.turns = 0;
    /** @type {Map<string, number>} */
    this.findings = new Map();
    /** @type {string[]} */
    this.lines = [];
    this.timer = 0;
    this.saidAt = -Infinity;
  }

  /** The map grew. @param {number} turns @param {string[]} findings kinds */
  news(turns, findings) {
    this.turns += turns;
    for (const kind of findings) this.findings.set(kind, (this.findings.get(kind) ?? 0) + 1);
    if (this.turns || this.findings.size) this.#soon(PAUSE_MS);
  }

  /** @param {string} line */
  say(line) {
    if (!line || this.lines.at(-1) === line) return;
    this.lines.push(line);
    if (this.lines.length > MOST) this.lines.shift();
    this.#soon(0);
  }

  /** @param {number} least */
  #soon(least) {
    if (!this.timer) this.timer = setTimeout(() => this.#speak(), Math.max(least, this.saidAt + PAUSE_MS - performance.now()));
  }

  #speak() {
    this.timer = 0;
    const parts = this.turns ? [text('speech.turns', { n: this.turns })] : [];
    for (const [kind, n] of this.findings) parts.push(text('speech.finding', { n, kind: text(`finding.${kind}`) }));
    const said = [...this.lines, parts.join(text('speech.join'))].filter(Boolean).join(text('speech.stop'));
    this.turns = 0;
    this.findings.clear();
    this.lines = [];
    byId('speech').textContent = said;
    this.saidAt = performance.now(); // the pause begins when there is something to read
  }
}

/** The one voice of the page. */
export const voice = new Voice();
