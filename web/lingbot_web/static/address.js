// The address bar holds the place that is shown, so a reload comes back to it; a copied link holds it for others.

import { copyText } from 'lb/clipboard';
import { plain } from 'lb/dom';
import { zoneShown } from 'lb/format';
import { lang, text } from 'lb/i18n';
import { LAYERS, readPlace, takeToken, writePlace } from 'lb/link';
import { toast } from 'lb/toast';
import { theme } from 'lb/theme';

/** @typedef {import('lb/types').Selection} Selection */
/** @typedef {import('lb/link').Place} Place */

const PACE_MS = 400;

/** What the address asks for. A token in it is taken out of the bar at once. @param {string} [hash] @returns {{token: string, place: Place}} */
export function openingPlace(hash = location.hash) {
  const { token, rest } = takeToken(hash);
  if (token) write(rest);
  return { token, place: readPlace(rest) };
}

/** @param {string} fragment */
function write(fragment) {
  history.replaceState(null, '', fragment ? `#${fragment}` : `${location.pathname}${location.search}`);
}

/** @param {import('lb/score').Score} score @param {string} key @param {Selection | null} selection @returns {Place} */
export function placeOf(score, key, selection) {
  /** @type {Place} */
  const place = { session: key };
  if (score.map?.cursor.epoch) place.epoch = score.map.cursor.epoch;
  if (!score.following) place.window = { from: score.window.from, to: score.window.to };
  if (selection) place.selection = selection;
  if (selection && score.tracing) place.trail = true;
  const on = LAYERS.filter((layer) => score.layers[layer]);
  if (on.length < LAYERS.length) place.layers = on;
  if (score.playhead !== null) place.playhead = score.playhead;
  return place;
}

/**
 * What a place is shown on.
 * @typedef {object} Stage
 * @property {import('lb/score').Score} score
 * @property {import('lb/filters').Filters} filters
 * @property {import('lb/finder').Finder} finder
 * @property {import('lb/moments').Moments} moments
 * @property {import('lb/drawers').Drawers} drawers
 */

/** Goes to a place of the session that is open. @param {Stage} stage @param {Place} place */
export function showPlace({ score, filters, finder, moments, drawers }, place) {
  const { layers = LAYERS, selection, window: win, playhead = null } = place;
  score.setLayers({ flow: layers.includes('flow'), state: layers.includes('state'), knowledge: layers.includes('knowledge') });
  filters.useLayers(score.layers);
  filters.read(place.filters ?? '');
  finder.ask(place.query ?? '');
  if (place.epoch && score.map && place.epoch !== score.map.cursor.epoch) toast(text('link.epoch'));
  if (playhead !== null || !moments.past) score.setPlayhead(playhead);
  if (selection) pick(score, selection, true);
  if (selection && place.trail) score.trace(true);
  if (!win) return;
  score.follow(false);
  score.setWindow(win.from, win.to);
  moments.keep(win);
  // The link may come from a wider screen, where no panel lay over its window.
  if (selection && drawers.over('panel')) score.reveal(placed(selection));
}

/**
 * @typedef {object} Visitor
 * @property {Place | null} asked what the address asks for, until it has been shown
 * @property {string} key of the session that is open
 * @property {import('lb/score').Score} score
 * @property {Stage} page
 * @property {import('lb/sessions').Sessions} sessions
 * @property {(key: string) => Promise<void>} open
 * @property {(name: string) => Promise<void>} nowhere there is no such session
 */

/** Goes where the address asks. What the server refuses to tell is asked again with the next token. @param {Visitor} page */
export async function visit(page) {
  const { asked } = page;
  if (!asked) return;
  const key = asked.session ? await page.sessions.named(asked.session) : page.key;
  if (key === null || asked !== page.asked) return;
  page.asked = key ? { ...asked, session: key } : null;
  if (!key) {
    if (asked.session) await page.nowhere(asked.session);
  } else if (key === page.key && page.score.map) {
    page.asked = null;
    showPlace(page.page, asked);
  } else await page.open(key);
}

/** What has a place on the axis: a row as a whole (seq 0) has no one place, its turn has. @param {Selection} selection @returns {Selection} */
function placed(selection) {
  return selection.kind === 'node' && !selection.seq && selection.turn ? { kind: 'turn', id: '', turn: selection.turn, seq: 0 } : selection;
}

/** Selects; `reveal` brings it into view. @param {import('lb/score').Score} score @param {Selection} selection @param {boolean} reveal */
export function pick(score, selection, reveal) {
  const place = placed(selection);
  if (reveal && place !== selection) score.reveal(place);
  score.select(selection, { trace: false, reveal });
}

/** A place for others, who have no theme, language or zone chosen yet. @param {Place} place */
export function fragmentOf(place) {
  return writePlace({ ...place, theme: theme(), lang: lang(), zone: zoneShown() });
}

/** The link to a place, on the clipboard or, where that is not allowed, in the address bar. @param {Place} place */
export async function copyPlace(place) {
  const fragment = fragmentOf(place);
  const url = new URL(document.baseURI);
  url.hash = fragment;
  if (await copyText(url.href)) toast(text('copied.link'));
  else {
    write(fragment);
    toast(text('copied.not'));
  }
}

export class Address {
  /** @param {{place: () => Place, name: () => string}} page */
  constructor(page) {
    this.page = page;
    this.timer = 0;
  }

  /** Something about the place changed. */
  soon() {
    if (!this.timer) this.timer = setTimeout(() => this.#write(), PACE_MS);
  }

  #write() {
    this.timer = 0;
    const fragment = writePlace(this.page.place());
    if (fragment !== location.hash.slice(1)) write(fragment);
    const name = this.page.name();
    document.title = name ? `${plain(name, 120)} · lingbot-map` : 'lingbot-map';
  }
}
