// Keys that work anywhere on the page; those of the map are the score's own.

import { showHelp } from 'lb/help';

/** @typedef {{score: import('lb/score').Score, finder: import('lb/finder').Finder, filterMenu: import('lb/filters_menu').FilterMenu, exporting: {open: () => void}, ask: {focus: () => void} | null, designs: {key: () => boolean}, session: {openNewer: () => boolean}, transport: import('lb/transport').Transport, space: () => void, switchLang: () => void, switchTheme: () => void, showPanel: (open: boolean) => void, showMenu: (open: boolean) => void}} Keyed */

/** @param {Keyed} page */
export function listen(page) {
  document.addEventListener('keydown', (event) => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    // What a closed popover held stays the target until the next frame moves the focus: keys typed right after Escape are the page's.
    if (target?.checkVisibility() && target.closest('input, textarea, select, dialog, :popover-open')) return;
    const button = target?.closest('button, a, summary, pre');
    // A focused button keeps the keys that press it, and what scrolls keeps its arrows.
    if (button && (event.key === ' ' || event.key === 'Enter' || (button.tagName === 'PRE' && event.key.startsWith('Arrow')))) return;
    if (own(page, event.key, event.shiftKey)) event.preventDefault();
    else if (page.score.key(event)) {
      if (['Home', 'End', 'f', 'F'].includes(event.key)) page.transport.stop();
    } else if (event.key === 'Escape') {
      page.showPanel(false);
      page.showMenu(false);
    }
  });
}

/** @param {Keyed} page @param {string} key @param {boolean} shift */
function own(page, key, shift) {
  if (key === ' ') page.space();
  else if (key === '/') page.finder.focus();
  else if (key === '?') showHelp();
  else if (replay(page.transport, key, shift)) return true;
  else if (key === 'g' || key === 'G') page.transport.moment.focus();
  else if (key === 'n' || key === 'N') page.transport.typeSpan();
  else if (key === 'x' || key === 'X') page.filterMenu.open();
  else if (key === 't' || key === 'T') page.switchTheme();
  else if (key === 'l' || key === 'L') page.switchLang();
  else if (key === 'e' || key === 'E') page.exporting.open();
  else if ((key === 'a' || key === 'A') && page.ask) page.ask.focus();
  else if (key === 'd' || key === 'D') return page.designs.key();
  else if (key === 'o' || key === 'O') return page.session.openNewer();
  else return false;
  return true;
}

/** Where Shift makes another character of a key depends on the layout. @param {import('lb/transport').Transport} transport @param {string} key @param {boolean} shift */
function replay(transport, key, shift) {
  if (key === ',' || key === '.') transport.step(key === '.' ? 1 : -1, shift ? 'turn' : 'event');
  else if (key === '<' || key === '>') transport.step(key === '>' ? 1 : -1, 'turn');
  else if (key === '{' || key === '}' || (shift && (key === '[' || key === ']'))) transport.stepFinding(key === '}' || key === ']' ? 1 : -1);
  else if (shift && key === 'Home') transport.first();
  else if (shift && key === 'End') transport.last();
  else return false;
  return true;
}
