// What the page says about itself over the map: the line to the server, an event that could not be applied, or that only
// the end of a long file is shown while the rest is read.

import { byId, fill, foreign, h } from 'lb/dom';
import { clock, count, zone } from 'lb/format';
import { text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { voice } from 'lb/voice';

/** @typedef {import('lb/feed').Feed} Feed */

/** From this try on a break is a long one: some 8 s. */
const LONG = 5;

/** The banner above the map, which shifts down by it: a broken line, an event that could not be applied, a file that is being read. */
export class Banner {
  /** @param {Feed} feed @param {(seq: number) => void} onShowEvent */
  constructor(feed, onShowEvent) {
    this.feed = feed;
    this.onShowEvent = onShowEvent;
    this.host = byId('banners');
    this.dismissed = 0;
    this.of = feed.failures;
    this.told = '';
    this.spoken = '';
    this.words = h('span', null);
    this.broken = ''; // what the banner of a broken line says besides its words, while it is shown
    // Its words may take two lines: the map gives way by as much as it is high.
    new ResizeObserver(() => byId('main').style.setProperty('--banner', `${this.host.offsetHeight}px`)).observe(this.host);
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
    const reading = feed.map?.about.reading;
    const read = typeof reading === 'number' ? Math.floor(reading * 100) : -1;
    byId('main').classList.toggle('with-banner', offline || failure !== undefined || read >= 0);
    const sign = JSON.stringify([offline && this.#seconds(), feed.attempt, failure, feed.failures.length, read, text('banner.retry')]);
    if (sign === this.told) return;
    this.told = sign;
    this.#speak(offline, failure, read >= 0);
    if (!offline) this.broken = '';
    if (offline) this.#offline();
    else if (failure) fill(this.host, this.#failed(failure));
    else if (read >= 0) fill(this.host, h('div', { class: 'banner calm' }, icon('open'), h('span', null, text('banner.reading')), h('progress', { max: '100', value: String(read), 'aria-label': text('banner.reading') }), h('span', { class: 'mono' }, `${read} %`)));
    else fill(this.host);
  }

  /** What is wrong is spoken once, not with every second that is counted down. @param {boolean} offline @param {import('lb/feed').Failure | undefined} failure @param {boolean} reading */
  #speak(offline, failure, reading) {
    const wrong = offline ? 'offline' : failure ? `failed ${failure.seq}` : reading ? 'reading' : '';
    if (wrong === this.spoken) return;
    this.spoken = wrong;
    if (offline) voice.say(this.feed.map ? text('speech.offline', { turn: this.feed.map.lastTurn }) : text('speech.away'));
    else if (failure) voice.say(text('banner.failed', { seq: count(failure.seq) }) + text('banner.goes-on'));
    else if (reading) voice.say(text('banner.reading'));
  }

  #seconds() {
    return Math.max(0, Math.ceil((this.feed.nextTry - performance.now()) / 1000));
  }

  /** Every second other words: the button beside them stays the one that is pressed or has the keys. */
  #offline() {
    const { feed } = this;
    const cursor = feed.cursor;
    const turn = feed.map?.lastTurn ?? 0;
    const { lostAt, reachable, attempt } = feed;
    // A short break needs no explaining; a longer one is told from when on, and what can be told of why.
    const why = attempt < LONG ? '' : reachable ? 'banner.refused' : 'banner.gone';
    const n = this.#seconds();
    const trying = cursor ? 'banner.offline.now' : 'banner.away.now';
    const waiting = cursor ? 'banner.offline' : 'banner.away';
    const held = text(n ? waiting : trying, { turn, n, attempt });
    this.words.textContent = [why && text(why, { at: `${clock(lostAt)} ${zone(lostAt)}` }), held].filter(Boolean).join(' ');
    const broken = JSON.stringify([cursor?.seq, text('banner.retry')]);
    if (broken === this.broken) return;
    this.broken = broken;
    fill(this.host, h(
      'div',
      { class: 'banner' },
      icon('offline'),
      this.words,
      cursor && h('span', { class: 'mono' }, `seq ${count(cursor.seq)}`),
      h('button', { class: 'banner-button', on: { click: () => feed.retryNow() } }, text('banner.retry')),
    ));
  }

  /** @param {import('lb/feed').Failure} failure */
  #failed(failure) {
    return h(
      'div',
      { class: 'banner bad' },
      icon('warning'),
      h('span', null, text('banner.failed', { seq: count(failure.seq) }), foreign(text(failure.key, failure.params), { most: 160 }), text('banner.goes-on')),
      this.feed.failures.length - this.dismissed > 1 && h('span', { class: 'mono' }, `×${this.feed.failures.length - this.dismissed}`),
      h('button', { class: 'banner-button', on: { click: () => this.onShowEvent(failure.seq) } }, text('banner.show')),
      h('button', {
        class: 'icon-button',
        'aria-label': text('toast.close'),
        title: text('toast.close'),
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
