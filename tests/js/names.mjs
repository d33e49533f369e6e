// Bare names for node: the page's import map, as a hook. Used as `node --import ./tests/js/names.mjs --test ...`.
import { register } from 'node:module';

const folder = new URL('../../web/lingbot_web/static/', import.meta.url).href;
const hook = `export const resolve = (name, context, next) => name.startsWith('lb/')
  ? { url: ${JSON.stringify(folder)} + name.slice(3) + '.js', shortCircuit: true }
  : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
