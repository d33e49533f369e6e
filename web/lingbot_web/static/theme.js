// Light or dark: the system's until somebody chooses. The choice, like those of the language and of the zone of times, is
// kept in this browser.

const THEME = 'lingbot-map.theme';
const LANG = 'lingbot-map.lang';
const ZONE = 'lingbot-map.zone';
const dark = matchMedia('(prefers-color-scheme: dark)');
const forced = matchMedia('(forced-colors: active)');

/** @typedef {'light' | 'dark'} Theme */

/** @param {string} name */
function read(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // storage may be off: the choice then lasts as long as the page
  }
}

/** @param {string} name @param {string} value */
function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // as above
  }
}

/** @returns {'zh' | 'en' | null} the language chosen here before */
export function chosenLang() {
  const lang = read(LANG);
  return lang === 'zh' || lang === 'en' ? lang : null;
}

/** @param {'zh' | 'en'} lang */
export function chooseLang(lang) {
  keep(LANG, lang);
}

/** @returns {'utc' | 'local' | null} the zone of times chosen here before */
export function chosenZone() {
  const zone = read(ZONE);
  return zone === 'utc' || zone === 'local' ? zone : null;
}

/** @param {'utc' | 'local'} zone */
export function chooseZone(zone) {
  keep(ZONE, zone);
}

/** @returns {Theme} */
export function theme() {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

/** @param {Theme} next @param {boolean} chosen whether somebody chose it */
export function setTheme(next, chosen) {
  document.documentElement.dataset.theme = next;
  if (chosen) keep(THEME, next);
}

/** Sets the first theme and follows the system while nobody has chosen; colours that it forces are followed always. @param {Theme | undefined} asked by the link @param {() => void} onChange */
export function startTheme(asked, onChange) {
  const chosen = asked ?? read(THEME);
  setTheme(chosen === 'light' || chosen === 'dark' ? chosen : dark.matches ? 'dark' : 'light', asked !== undefined);
  dark.addEventListener('change', () => {
    if (read(THEME)) return;
    setTheme(dark.matches ? 'dark' : 'light', false);
    onChange();
  });
  forced.addEventListener('change', onChange);
}
