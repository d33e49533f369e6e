// What the badge in the toolbar says: where the picture stands between live and past, and how the line is.

import { count, day, since } from 'lb/format';
import { text } from 'lb/i18n';

/** Seconds from an event to its picture from which on a live session is behind. */
const BEHIND_S = 2;

/** @typedef {'none' | 'live' | 'paused' | 'replay' | 'recorded' | 'quiet' | 'behind' | 'gone' | 'offline' | 'connecting'} Badge */
/**
 * @param {object} now
 * @param {import('lb/feed').Feed} now.feed
 * @param {import('lb/score').Score} now.score
 * @param {import('lb/card').CardKind} now.card
 * @param {{ended: boolean, live: boolean, last: number}} now.standing of the session
 * @param {boolean} now.held paused at the live edge, as opposed to looking at the past
 * @param {number} now.started when the session began
 * @param {boolean} now.gone it was deleted; its map is still there to be read
 * @returns {{badge: Badge, detail: string}}
 */
export function badgeOf({ feed, score, card, standing, held, started, gone }) {
  const { ended, live, last } = standing;
  if (feed.line === 'unauthorised' || card === 'unauthorised' || card === 'restarted' || (card === 'missing' && feed.line === 'open')) return { badge: 'none', detail: '' };
  const wait = Math.ceil((feed.nextTry - performance.now()) / 1000);
  if (feed.line === 'waiting') return { badge: 'offline', detail: wait > 0 ? `${wait} s` : '…' };
  if (!score.map || feed.line === 'connecting') return { badge: card === 'waiting' && feed.line === 'open' ? 'live' : 'connecting', detail: '' };
  if (gone) return { badge: 'gone', detail: '' };
  if (feed.behind) return { badge: 'behind', detail: text('badge.behind.events', { n: count(feed.behind) }) };
  if (held || score.playhead !== null) return { badge: held ? 'paused' : 'replay', detail: `seq ${count(score.playhead ?? score.map.cursor.seq)}` };
  if (ended) return { badge: 'recorded', detail: started ? day(started) : '' };
  if (!live) return { badge: 'quiet', detail: text('badge.since', { at: since(last, Date.now() / 1000) }) };
  const rate = feed.rate.perSecond(performance.now());
  if (rate > 0 && feed.delay !== null && feed.delay >= BEHIND_S) return { badge: 'behind', detail: `${feed.delay.toFixed(1)} s` };
  const events = `${rate >= 10 || rate === 0 ? Math.round(rate) : rate.toFixed(1)} ev/s`;
  return { badge: 'live', detail: rate > 0 && feed.delay !== null ? `${events} · ${Math.round(feed.delay * 1000)} ms` : events };
}
