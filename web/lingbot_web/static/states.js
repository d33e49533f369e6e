// What the page says about itself: the banner over the map, toasts, the card on an empty map, and one polite voice.

import { byId, fill, foreign, h } from 'lb/dom';
import { count } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';

/** @typedef {import('lb/feed').Feed} Feed */
/** @typedef {{label: string, run: () => void, late?: () => void}} ToastAction `late` runs when the toast goes unused */

const TOAST_MS = 6000;

/** @param {string} message @param {ToastAction} [action] */
export function toast(message, action) {
  const host = byId('toasts');
  let open = true;
  /** @param {boolean} used */
  const close = (used) => {
    if (!open) return;
    open = false;
    clearTimeout(timer);
    element.remove();
    if (!used) action?.late?.();
  };
  const element = h(
    'div',
    { class: 'toast', role: 'status' },
    h('span', null, message),
    action && h('button', { class: 'text-button', on: { click: () => { close(true); action.run(); } } }, action.label),
    h('button', { class: 'icon-button', 'aria-label': text('toast.close'), on: { click: () => close(false) } }, icon('close')),
  );
  const timer = setTimeout(() => close(false), TOAST_MS);
  host.append(element);
  while (host.childElementCount > 3) /** @type {HTMLElement} */ (host.firstElementChild?.lastElementChild).click();
}

/** The banner above the map, which shifts down by it: a broken line, or an event that could not be applied. */
export class Banner {
  /** @param {Feed} feed @param {(seq: number) => void} onShowEvent */
  constructor(feed, onShowEvent) {
    this.feed = feed;
    this.onShowEvent = onShowEvent;
    this.host = byId('banners');
    this.dismissed = 0;
    this.of = feed.failures;
    this.told = '';
    setInterval(() => this.feed.line === 'waiting' && this.render(), 500);
  }

  render() {
    const { feed } = this;
    const offline = feed.line === 'waiting';
    if (this.of !== feed.failures) {
      this.of = feed.failures; // another session's
      this.dismissed = 0;
    }
    const failure = feed.failures[this.dismissed]; // the first: later ones may only follow from it
    byId('main').classList.toggle('with-banner', offline || failure !== undefined);
    const sign = JSON.stringify([offline && this.#seconds(), feed.attempt, failure, feed.failures.length, text('banner.retry')]);
    if (sign === this.told) return;
    this.told = sign;
    if (offline) fill(this.host, this.#offline());
    else if (failure) fill(this.host, this.#failed(failure));
    else fill(this.host);
  }

  #seconds() {
    return Math.max(0, Math.ceil((this.feed.nextTry - performance.now()) / 1000));
  }

  #offline() {
    const { feed } = this;
    const cursor = feed.cursor;
    const turn = feed.map?.lastTurn ?? 0;
    return h(
      'div',
      { class: 'banner', role: 'status' },
      icon('offline'),
      h('span', null, text(cursor ? 'banner.offline' : 'banner.away', { turn, n: this.#seconds(), attempt: feed.attempt })),
      cursor && h('span', { class: 'mono' }, `seq ${count(cursor.seq)}`),
      h('button', { class: 'banner-button', on: { click: () => feed.retryNow() } }, text('banner.retry')),
    );
  }

  /** @param {import('lb/feed').Failure} failure */
  #failed(failure) {
    return h(
      'div',
      { class: 'banner bad', role: 'alert' },
      icon('warning'),
      h('span', null, text('banner.failed', { seq: count(failure.seq) }), ' ', foreign(text(failure.key, failure.params), { most: 160 }), ' ', text('banner.goes-on')),
      this.feed.failures.length - this.dismissed > 1 && h('span', { class: 'mono' }, `×${this.feed.failures.length - this.dismissed}`),
      h('button', { class: 'banner-button', on: { click: () => this.onShowEvent(failure.seq) } }, text('banner.show')),
      h('button', {
        class: 'icon-button',
        'aria-label': text('toast.close'),
        on: {
          click: () => {
            this.dismissed = this.feed.failures.length;
            this.render();
          },
        },
      }, icon('close')),
    );
  }
}

/** One polite line at most every 2 s: what came in the meantime is said together. */
export class Voice {
  constructor() {
    this.host = byId('speech');
    this.turns = 0;
    /** @type {Map<string, number>} */
    this.findings = new Map();
    this.timer = 0;
  }

  /** @param {number} turns @param {string[]} findings kinds */
  news(turns, findings) {
    this.turns += turns;
    for (const kind of findings) this.findings.set(kind, (this.findings.get(kind) ?? 0) + 1);
    if ((this.turns || this.findings.size) && !this.timer) this.timer = setTimeout(() => this.#say(), 2000);
  }

  #say() {
    this.timer = 0;
    const parts = this.turns ? [text('speech.turns', { n: this.turns })] : [];
    for (const [kind, n] of this.findings) parts.push(text('speech.finding', { n, kind: text(`finding.${kind}`) }));
    this.turns = 0;
    this.findings.clear();
    this.host.textContent = parts.join(text('speech.join'));
  }
}
