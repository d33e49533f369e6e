// Bare names for node: the page's import map, as a hook. Used as `node --import ./tests/js/names.mjs --test ...`.
import { registerHooks } from 'node:module';
import module from 'node:module';

const STATIC = new URL('../../web/lingbot_web/static/', import.meta.url);
const place = (/** @type {string} */ name) => new URL(`${name.slice(3)}.js`, STATIC).href;

if (typeof registerHooks === 'function') {
  registerHooks({
    resolve: (name, context, next) => (name.startsWith('lb/') ? { url: place(name), shortCircuit: true } : next(name, context)),
  });
} else {
  module.register(
    `data:text/javascript,${encodeURIComponent(
      `export const resolve = (name, context, next) => name.startsWith('lb/') ? { url: new URL(name.slice(3) + '.js', ${JSON.stringify(STATIC.href)}).href, shortCircuit: true } : next(name, context);`,
    )}`,
  );
}
