// What a reader typed into the search box, as terms. Pure: it knows strings only. Case and width are folded, so a
// full-width colon is a colon and an ideographic space parts words.

/** @typedef {'intent' | 'slot' | 'doc'} Named */
/** @typedef {'<' | '<=' | '>' | '>=' | '='} Test */
/**
 * All terms must hold; `not` turns one round.
 * @typedef {{not: boolean} & (
 *   {is: 'word', text: string}
 *   | {is: 'name', of: Named, name: string, value: string | null}
 *   | {is: 'turn', first: number, last: number}
 *   | {is: 'conf', test: Test, than: number}
 *   | {is: 'code', text: string}
 *   | {is: 'kind', kind: string})} Term
 */
/** What is wrong with a term, as a key of the interface's words. @typedef {{key: string, term: string}} Hint */

/** @type {Record<string, 'intent' | 'slot' | 'doc' | 'turn' | 'conf' | 'code' | 'kind'>} */
const KEYS = {
  intent: 'intent', 意图: 'intent', slot: 'slot', 槽位: 'slot', doc: 'doc', document: 'doc', 文档: 'doc',
  turn: 'turn', 轮: 'turn', 轮次: 'turn', conf: 'conf', confidence: 'conf', 置信度: 'conf',
  code: 'code', 编号: 'code', kind: 'kind', 类型: 'kind',
};

/** @type {Record<string, string>} */
const KINDS = {
  utterance: 'utterance', 话语: 'utterance', 用户说: 'utterance', intent: 'intent', 意图: 'intent', slot: 'slot', 槽位: 'slot',
  write: 'write', 赋值: 'write', 写入: 'write', read: 'read', 读取: 'read', clear: 'clear', cleared: 'clear', 清除: 'clear',
  question: 'question', query: 'question', 提问: 'question', doc: 'doc', document: 'doc', 文档: 'doc', answer: 'answer', 回答: 'answer',
  finding: 'finding', anomaly: 'finding', 异常: 'finding', gap: 'gap', 缺口: 'gap', 丢弃: 'gap', failure: 'failure', 失败: 'failure', loop: 'loop', 环路: 'loop',
  overwrite: 'overwrite', 覆盖: 'overwrite', leak: 'leak', 残留: 'leak', drift: 'drift', 漂移: 'drift', stale: 'stale', 过期: 'stale',
};

const ASCII = /^[\x00-\x7f]*$/; // eslint-disable-line no-control-regex -- most of what is folded, and ten times as quick
const TOKEN = /(?:"[^"]*"?|[^\s"])+/gu;
const KEYED = /^(\p{L}+)(:|<=|>=|[<>=])(.*)$/su;
const LOOSE = /(conf|confidence|置信度|turn|轮次|轮)\s*(<=|>=|[<>=])\s*(?=[\d.])/gu;
const TURNS = /^(\d{1,9})(?:(-|\.\.)(\d{1,9})?)?$/;
const NUMBER = /^(\d{1,3}(?:\.\d+)?|\.\d+)(%?)$/;

/** Case and width folded. @param {string} text */
export function fold(text) {
  return ASCII.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase();
}

/** @param {string} typed @returns {{terms: Term[], hints: Hint[]}} what can't be understood is a hint and no term */
export function parse(typed) {
  const text = fold(typed).replace(/[“”„「」『』]/gu, '"').replace(/≤/gu, '<=').replace(/≥/gu, '>=').replace(LOOSE, '$1$2');
  const tokens = text.match(TOKEN) ?? [];
  /** @type {Term[]} */
  const terms = [];
  /** @type {Hint[]} */
  const hints = [];
  for (let i = 0; i < tokens.length; i++) {
    const not = tokens[i].length > 1 && tokens[i].startsWith('-');
    const token = not ? tokens[i].slice(1) : tokens[i];
    const [, name = '', sign = '', given = ''] = KEYED.exec(token) ?? [];
    const key = KEYS[name];
    if (!key) {
      const word = bare(token);
      if (word && word !== '-') terms.push({ not, is: 'word', text: word });
      if (sign === ':' && /^[a-z]+$/.test(name) && !given.startsWith('//')) hints.push({ key: 'search.hint.key', term: `${name}:` });
      continue;
    }
    // A space after the colon is forgiven.
    const rest = given || (sign === ':' && i + 1 < tokens.length && !KEYED.test(tokens[i + 1]) ? tokens[++i] : '');
    if (!bare(rest)) continue; // still being typed
    const term = keyed(key, /** @type {Test | ':'} */ (sign), rest, not);
    if (term) terms.push(term);
    else hints.push({ key: `search.hint.${key}`, term: `${name}${sign}${bare(rest)}` });
  }
  return { terms, hints };
}

/** @param {string} text */
function bare(text) {
  return text.replaceAll('"', '');
}

/** @param {'intent' | 'slot' | 'doc' | 'turn' | 'conf' | 'code' | 'kind'} key @param {Test | ':'} sign @param {string} rest @param {boolean} not @returns {Term | null} */
function keyed(key, sign, rest, not) {
  if (key === 'turn') return turns(sign, rest, not);
  if (key === 'conf') return confidence(sign, rest, not);
  if (sign !== ':') return null;
  if (key === 'code') return { not, is: 'code', text: bare(rest) };
  if (key === 'kind') return KINDS[bare(rest)] ? { not, is: 'kind', kind: KINDS[bare(rest)] } : null;
  const at = key === 'slot' ? rest.replace(/"[^"]*"?/gu, (quoted) => '_'.repeat(quoted.length)).indexOf('=') : -1;
  return at < 0 ? { not, is: 'name', of: key, name: bare(rest), value: null } : { not, is: 'name', of: key, name: bare(rest.slice(0, at)), value: bare(rest.slice(at + 1)) };
}

/** @param {Test | ':'} sign @param {string} rest @param {boolean} not @returns {Term | null} */
function turns(sign, rest, not) {
  const [, one, to, two] = TURNS.exec(rest) ?? [];
  if (one === undefined || (to && sign !== ':' && sign !== '=')) return null;
  const a = Number(one);
  if (sign === '<') return { not, is: 'turn', first: 0, last: a - 1 };
  if (sign === '<=') return { not, is: 'turn', first: 0, last: a };
  if (sign === '>') return { not, is: 'turn', first: a + 1, last: Infinity };
  if (sign === '>=') return { not, is: 'turn', first: a, last: Infinity };
  const b = !to ? a : two === undefined ? Infinity : Number(two);
  return { not, is: 'turn', first: Math.min(a, b), last: Math.max(a, b) };
}

/** The map's pills say 58 for 0.58, so both are taken. @param {Test | ':'} sign @param {string} rest @param {boolean} not @returns {Term | null} */
function confidence(sign, rest, not) {
  const [, digits, percent] = NUMBER.exec(rest) ?? [];
  const number = Number(digits);
  if (digits === undefined || number > 100) return null;
  return { not, is: 'conf', test: sign === ':' ? '=' : sign, than: percent || number > 1 ? number / 100 : number };
}

/** @param {number} value @param {Test} test @param {number} than */
export function holds(value, test, than) {
  switch (test) {
    case '<':
      return value < than;
    case '<=':
      return value <= than;
    case '>':
      return value > than;
    case '>=':
      return value >= than;
    default:
      return Math.abs(value - than) < 0.005;
  }
}
