// Where a cited item stands: the lines of a diagram with the fragments around them, a triple with its row, a passage of a
// document with the sentence marked.

import { foreign, h, plain } from 'lb/dom';
import { known, text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { facts } from 'lb/pane';

/** @typedef {import('lb/dom').Child} Child */
/** @typedef {{n: number, text: string, hit: boolean, paragraph?: number, heading?: string}} Line */
/** @typedef {{id: string, kind: string, title: string, text: string, place: string, file: string, version: string, props: Record<string, unknown>, source: any}} Item */
/** @typedef {{id: string, item: Item | null, error: string}} Source what is opened, until it has come its item is null */

/**
 * The section of what is opened. `quoted` are the sentences of the answer, marked where a document says them.
 * @param {Source} source @param {Set<string>} quoted @param {() => void} onClose
 */
export function sourceView({ id, item, error }, quoted, onClose) {
  const title = item ? item.title || item.id : id;
  return h('section', { class: 'part ask-source', 'aria-label': text('ask.source', { name: plain(title, 80) }) },
    h('header', null,
      h('h2', { tabindex: '-1', class: 'ask-source-title' }, foreign(title, { most: 160 })),
      h('button', { class: 'icon-button', title: text('ask.source.close'), 'aria-label': text('ask.source.close'), dataset: { focus: 'close-source' }, on: { click: onClose } }, icon('close'))),
    item && h('p', { class: 'quiet ask-source-place mono' }, foreign(whereOf(item), { most: 160 })),
    error && h('p', { class: 'ask-error' }, foreign(error, { most: 400 })),
    !item && !error && h('p', { class: 'quiet' }, text('ask.source.reading')),
    item && bodyOf(item, quoted));
}

/** @param {Item} item */
function whereOf({ id, file, source, version }) {
  const line = source.line ? text('ask.source.line', { line: source.line }) : '';
  return [id, id.startsWith(file) ? '' : file, line, version && `v${version}`].filter(Boolean).join(' · ');
}

/** @param {Item} item @param {Set<string>} quoted @returns {Child} */
function bodyOf(item, quoted) {
  if (item.source.kind === 'diagram') return diagram(item);
  if (item.source.kind === 'graph') return graph(item);
  if (item.source.kind === 'passage') return passage(item, quoted);
  return h('p', { class: 'ask-passage' }, foreign(item.text, { lines: true }));
}

/** @param {Item} item */
function diagram({ source }) {
  /** @type {{kind: string, condition: string}[]} */
  const path = source.path;
  return [
    path.length > 0 && h('ol', { class: 'ask-path', 'aria-label': text('ask.source.fragments') }, path.map(({ kind, condition }) => h('li', null, h('b', null, kind), condition && foreign(condition, { most: 120 })))),
    h('ol', { class: 'ask-lines mono', tabindex: '0', 'aria-label': text('ask.source.lines') }, source.lines.map((/** @type {Line} */ line) =>
      h('li', { class: line.hit ? 'hit' : null, 'aria-current': line.hit ? 'true' : null }, h('span', { class: 'number', 'aria-hidden': 'true' }, String(line.n)), h('code', null, foreign(line.text, { lines: true }))))),
  ];
}

/** @param {Item} item */
function graph({ source, props }) {
  /** @type {{title: string, kind: string, id: string, props: Record<string, unknown>}[]} */
  const ends = source.ends;
  const end = (/** @type {typeof ends[0]} */ node) => h('li', { class: 'ask-node' }, h('b', null, foreign(node.title, { most: 120 })), node.kind && h('span', { class: 'quiet' }, foreign(node.kind, { most: 40 })), told(node.props));
  const [first, second] = ends;
  return [
    h('ul', { class: 'ask-triple' },
      first && end(first),
      source.relation && h('li', { class: 'ask-relation' }, h('span', { class: 'mono' }, foreign(source.relation, { most: 60 })), told(props)),
      second && end(second)),
    source.row && h('pre', { class: 'ask-row mono', tabindex: '0', 'aria-label': text('ask.source.row') }, foreign(source.row.replaceAll('\t', '  '), { most: 1000 })),
  ];
}

/** @param {Record<string, unknown>} props */
function told(props) {
  return facts(Object.entries(props).slice(0, 12).map(([name, value]) => [plain(name, 40), foreign(value, { most: 120 })]));
}

/** @param {Item} item @param {Set<string>} quoted */
function passage({ source, title }, quoted) {
  /** @type {Line[]} */
  const lines = source.lines;
  /** @type {{n: number, heading: string, lines: Line[]}[]} */
  const paragraphs = [];
  for (const line of lines) {
    const last = paragraphs.at(-1);
    if (last && last.n === line.paragraph) last.lines.push(line);
    else paragraphs.push({ n: line.paragraph ?? 0, heading: line.heading ?? '', lines: [line] });
  }
  const any = lines.some(({ hit }) => hit);
  const marked = (/** @type {Line} */ line) => (any ? line.hit : quoted.has(line.text));
  return h('div', { class: 'ask-passage', tabindex: '0', role: 'group', 'aria-label': text('ask.source.passage') },
    source.before > 0 && h('p', { class: 'quiet' }, text('ask.source.before', { n: source.before })),
    paragraphs.map((each, i) => [
      each.heading && each.heading !== title && each.heading !== paragraphs[i - 1]?.heading && h('h3', null, foreign(each.heading, { most: 120 })),
      h('p', null, each.lines.map((line) => [h(marked(line) ? 'mark' : 'span', null, foreign(line.text)), ' '])),
    ]),
    source.after > 0 && h('p', { class: 'quiet' }, text('ask.source.after', { n: source.after })));
}

/** A kind of item in words. @param {string} kind */
export function kindOf(kind) {
  const key = `ask.kind.${kind}`;
  return known(key) ? text(key) : kind;
}
