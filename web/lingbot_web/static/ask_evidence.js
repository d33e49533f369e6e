// What an answer rests on and how it came about: evidence, chains as paths, the waterfall of steps, a graph's plan.

import { foreign, h, plain } from 'lb/dom';
import { count } from 'lb/format';
import { known, text } from 'lb/i18n';
import { icon } from 'lb/icons';
import { part } from 'lb/pane';

/** @typedef {import('lb/dom').Child} Child */
/** @typedef {import('lb/ask_talk').Step} Step */
/** @typedef {import('lb/ask_talk').Evidence} Evidence */
/** @typedef {import('lb/ask_talk').Answer} Answer */
/** A chip of a cited item. @typedef {(id: string, title?: string) => Child} Chip */

const COMPUTED = 'operator';
const FIRST = 5; // pieces of evidence that are shown unasked
const MOST_CHAINS = 5;
const MOST_STEPS_IN_CHAIN = 14;
const ONE_BY_ONE = ['read', 'bind', 'compute', 'pool', 'answer', 'cite', 'llm'];

/** @param {Evidence[]} evidence @param {Chip} chip @param {boolean} all @param {() => void} onAll */
export function evidencePart(evidence, chip, all, onAll) {
  const shown = all ? evidence : evidence.slice(0, FIRST);
  const computed = evidence.every(({ route }) => route === COMPUTED); // said once, not at each
  return part(text('ask.evidence'), count(evidence.length),
    computed && h('p', { class: 'quiet ask-computed' }, text('ask.computed')),
    h('ol', { class: 'ask-evidence' }, shown.map((item) => line(item, chip, computed))),
    shown.length < evidence.length && h('button', { class: 'text-button', dataset: { focus: 'all-evidence' }, on: { click: onAll } }, text('ask.evidence.all', { n: evidence.length })));
}

/** @param {Evidence} item @param {Chip} chip @param {boolean} told whether all was said to be computed */
function line(item, chip, told) {
  const computed = item.route === COMPUTED;
  const percent = Math.round(Math.max(0, Math.min(1, item.confidence)) * 100);
  return h('li', null,
    h('div', { class: 'ask-evidence-head' }, chip(item.item, item.title), h('span', { class: 'mono quiet ask-place' }, foreign(placeOf(item), { most: 60 })),
      !computed && h('span', { class: 'ask-scored', role: 'img', 'aria-label': text('ask.score', { n: percent }), title: text('ask.score.title', { n: percent, score: item.score.toFixed(4) }) }, h('span', { class: 'ask-score' }, h('i', { style: { '--part': `${percent}%` } })), h('span', { class: 'mono quiet' }, item.confidence.toFixed(2)))),
    item.snippet && item.snippet !== item.title && h('div', { class: 'ask-snippet' }, foreign(readable(item.snippet), { most: 220 })),
    !(computed && told) && h('div', { class: 'ask-evidence-why' },
      computed
        ? h('span', { class: 'ask-route computed' }, text('ask.computed'))
        : Object.entries(item.ranks).map(([route, rank]) => h('span', { class: 'ask-route', title: text('ask.rank', { route: stepName(route), rank }) }, stepName(route), h('b', null, `#${rank}`)))),
    !computed && reasonOf(item) && h('div', { class: 'quiet ask-reason' }, foreign(reasonOf(item), { most: 240 })));
}

/** Where it stands; of a session's events the number, as everywhere on the page. @param {Evidence} item */
function placeOf({ path, item }) {
  const event = /:t\d+, (\d+)$/.exec(path);
  return event ? `seq ${event[1]}` : path || item;
}

/** Properties as words, not as JSON: "value 轻语 · scope task". @param {string} snippet */
function readable(snippet) {
  if (!snippet.startsWith('{')) return snippet;
  try {
    return Object.entries(JSON.parse(snippet)).map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' · ');
  } catch {
    return snippet; // cut off, or a text that only begins like that
  }
}

const WHY = /(?:（([^；]*)）|\(([^;]*)\))$/;

/** What each route saw in it; the ranks stand above already. @param {Evidence} item */
function reasonOf({ selection_reason: reason }) {
  const parts = reason.split(/；|; /).map((said) => WHY.exec(said)).map((found) => found?.[1] ?? found?.[2] ?? '');
  return [...new Set(parts.filter(Boolean))].join(' · ');
}

/** Each chain as a path from what is answered to what it rests on. @param {Answer} answer @param {Chip} chip */
export function chainPart({ chains, labels }, chip) {
  const drawn = chains.filter(({ items }) => items.length > 1);
  if (!drawn.length) return null;
  return part(text('ask.chain'), drawn.length > 1 ? count(drawn.length) : '', drawn.slice(0, MOST_CHAINS).map(({ items, links }) =>
    h('ol', { class: 'ask-chain' }, items.slice(0, MOST_STEPS_IN_CHAIN).map((id, i) => h('li', { class: kindClass(labels[id]?.kind) },
      i > 0 && links[i - 1] && links.length < items.length && h('span', { class: 'ask-link quiet' }, linkName(String(links[i - 1]))),
      chip(id, labels[id]?.title))))));
}

/** @param {string | undefined} kind */
function kindClass(kind) {
  return kind && /^[a-z]+$/.test(kind) ? `of-${kind}` : null;
}

/** @param {string} link */
function linkName(link) {
  const key = `ask.link.${link}`;
  return known(key) ? text(key) : foreign(link, { most: 60 });
}

/** @param {string} name */
function stepName(name) {
  return known(`ask.step.${name}`) ? text(`ask.step.${name}`) : plain(name, 30);
}

/** The steps on one axis of time: routes run side by side, the others one after the other. @param {Step[]} steps */
export function waterfall(steps) {
  let at = 0;
  let end = 0;
  const timed = steps.map((step) => {
    if (ONE_BY_ONE.includes(step.name)) at = end;
    end = Math.max(end, at + step.ms);
    return { step, from: at };
  });
  const whole = Math.max(0.001, end);
  return h('ol', { class: 'ask-steps' }, timed.map(({ step, from }) => {
    const late = step.status === 'timeout';
    const state = known(`ask.status.${step.status}`) ? text(`ask.status.${step.status}`) : step.status;
    const gave = step.evidence_count ? text('ask.gave', { n: count(step.evidence_count) }) : state;
    return h('li', { class: step.status, title: plain([stepName(step.name), state, step.detail, step.keywords.join(' ')].filter(Boolean).join(' · '), 300) },
      h('span', { class: 'ask-step-name' }, stepName(step.name)),
      h('span', { class: 'ask-bar', 'aria-hidden': 'true' }, h('i', { style: { '--from': `${(from / whole) * 100}%`, '--long': `${Math.max(1, (step.ms / whole) * 100)}%` } })),
      h('span', { class: late ? 'ask-late' : 'ask-gave' }, late ? text('ask.status.timeout') : gave),
      h('span', { class: 'mono end' }, took(step.ms)));
  }));
}

/** "<0.1 ms", "17 ms", "5.0 s". @param {number} ms */
function took(ms) {
  if (ms >= 1000) return text('ask.took.long', { s: (ms / 1000).toFixed(1) });
  return text('ask.took', { ms: ms < 0.05 ? '<0.1' : ms < 10 ? ms.toFixed(1) : Math.round(ms) });
}

/** A graph's plan as Cypher, to be run elsewhere. @param {{text: string, parameters: Record<string, unknown>}} query @param {(said: string) => void} onCopy */
export function planPart(query, onCopy) {
  const parameters = Object.entries(query.parameters).map(([name, value]) => `// $${name} = ${JSON.stringify(value)}`);
  const whole = [query.text, ...parameters].join('\n');
  return h('details', { class: 'part ask-plan' },
    h('summary', { dataset: { focus: 'plan' } }, text('ask.plan')),
    h('pre', { class: 'mono', tabindex: '0', 'aria-label': text('ask.plan') }, foreign(whole, { most: 4000, lines: true })),
    h('button', { class: 'text-button', dataset: { focus: 'copy-plan' }, on: { click: () => onCopy(whole) } }, icon('copy'), text('ask.plan.copy')));
}
