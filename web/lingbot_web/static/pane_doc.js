// A document: how it fared in each stage of each retrieval. An answer: the documents it was made from, those that were in
// the prompt beside them, and those cut before it.

import { lineChart } from 'lb/charts';
import { foreign, h } from 'lb/dom';
import { age, count, day, score } from 'lb/format';
import { known, text } from 'lb/i18n';
import { callouts, facts, heading, nodeLink, part, steps, timeOf, whereabouts } from 'lb/pane';
import { answersOf, decidingStage, docsOfTurn, findingsAbout, recallsOf, seqsOfTurn, STAGES } from 'lb/past';
import { rivalsOf, stagesOf } from 'lb/past_moment';

/** @typedef {import('lb/pane').View} View */
/** @typedef {import('lb/types').Edge} Edge */
/** @typedef {import('lb/past').Recall} Recall */

/** @param {unknown} stage */
export function stageName(stage) {
  return known(`stage.${stage}`) ? text(`stage.${stage}`) : String(stage ?? '').slice(0, 40);
}

/** @param {View} view @param {import('lb/types').Node} node @returns {import('lb/pane').Pane} */
export function docPane(view, node) {
  const { map, upto, selection } = view;
  const recalls = recallsOf(map, node.id, upto);
  const props = map.propsAt(node.id, upto === Infinity ? null : upto) ?? {};
  const chosen = recalls.find((recall) => recall.stages.some((edge) => edge.seq === selection.seq)) ?? recalls.find((recall) => recall.turn === selection.turn) ?? recalls[recalls.length - 1];
  const scored = recalls.flatMap((recall) => {
    const stage = decidingStage(recall);
    return stage ? [{ recall, stage }] : [];
  });
  const bad = (/** @type {Recall} */ recall) => recall.stages.some((edge) => view.blamed.has(edge.seq));
  const turns = { first: Math.max(1, map.firstTurn), last: map.lastTurn };
  const updated = typeof props.updated_at === 'number' ? props.updated_at : null;
  const body = [
    heading(node.label, text('kind.doc'), 'knowledge', whereabouts(view, node.id)),
    callouts(view, findingsAbout(map, { id: node.id }, upto)),
    part(
      text('doc.scores'),
      text('doc.recalls', { n: recalls.length }),
      scored.length > 0 && lineChart(scored.map(({ recall, stage }) => ({ turn: recall.turn, value: stage.props.score, bad: bad(recall), current: recall === chosen })), { turns, layer: 'knowledge', label: text('doc.scores') }),
      steps(view, 'knowledge', recalls.map((recall) => {
        const stage = decidingStage(recall) ?? recall.stages[recall.stages.length - 1];
        const inPrompt = recall.used || recall.stages.some((edge) => edge.props.stage === 'prompt' && !edge.props.dropped_because);
        return {
          turn: recall.turn,
          seq: recall.seq,
          id: node.id,
          dot: `round ${inPrompt ? 'filled' : ''}`,
          bad: bad(recall),
          words: [stage?.props.rank ? text('doc.rank', { n: stage.props.rank }) : '', h('span', { class: 'who' }, ' ', text(recall.used ? 'doc.used' : inPrompt ? 'doc.prompt' : 'doc.candidate'))],
          end: score(stage?.props.score),
        };
      })),
    ),
    chosen && part(text('doc.stages'), text('inspect.turn', { turn: chosen.turn }), stageTable(stagesOf(map, node.id, chosen.turn, upto, STAGES))),
    part(text('doc.rivals'), text('doc.week'), hits(view, node.id, chosen?.turn ?? 0)),
    part(text('inspect.facts'), '', facts([
      [text('doc.hits'), typeof props.hits === 'number' ? count(props.hits) : ''],
      [text('doc.version'), props.version ? foreign(props.version, { most: 80 }) : ''],
      [text('doc.updated'), updated === null ? '' : `${day(updated)} · ${age(map.at - updated)}`],
      [text('doc.snippet'), props.snippet ? foreign(props.snippet, { most: 600, lines: true }) : ''],
    ])),
  ];
  return { body, seqs: recalls.flatMap((recall) => recall.stages.map((edge) => edge.seq)) };
}

/** Score and rank in each stage that the turn recorded; a stage that did not return the document says so. @param {import('lb/past_moment').Passed[]} stages */
function stageTable(stages) {
  if (!stages.length) return h('p', { class: 'quiet' }, text('doc.stages.none'));
  return h(
    'table',
    { class: 'stages' },
    h('thead', null, h('tr', null, ['doc.stage', 'doc.place', 'doc.score', 'doc.kind'].map((key) => h('th', { scope: 'col' }, text(key))))),
    h('tbody', null, stages.map(({ stage, edge, of, moved }) => [
      h('tr', { class: edge ? null : 'absent' },
        h('th', { scope: 'row' }, stageName(stage)),
        h('td', { class: 'mono' }, edge?.props.rank ? [`#${edge.props.rank}`, h('span', { class: 'quiet' }, ` / ${count(of)}`), movement(moved)] : edge ? '' : h('span', { class: 'quiet' }, text('doc.absent'))),
        h('td', { class: 'mono' }, score(edge?.props.score, 3)),
        h('td', null, edge?.props.score_kind ? foreign(edge.props.score_kind, { most: 24 }) : '')),
      edge?.props.dropped_because && h('tr', { class: 'dropped' }, h('td', { colspan: '4' }, text('doc.cut'), foreign(edge.props.dropped_because, { most: 200 }))),
    ])),
  );
}

/** How far a stage moved it. @param {number | null} moved places up */
function movement(moved) {
  if (!moved) return null;
  return h('span', { class: 'moved', 'aria-label': text(moved > 0 ? 'doc.up' : 'doc.down', { n: Math.abs(moved) }) }, ` ${moved > 0 ? '▲' : '▼'}${Math.abs(moved)}`);
}

/** Hits in seven days beside those of the documents it stood against. @param {View} view @param {string} id @param {number} turn */
function hits(view, id, turn) {
  const rivals = rivalsOf(view.map, id, turn, view.upto);
  if (!rivals.length) return h('p', { class: 'quiet' }, text('doc.hits.none'));
  const most = Math.max(1, ...rivals.map((rival) => rival.hits));
  return [
    h('ol', { class: 'bars hits' }, rivals.map((rival) => h('li', { class: rival.own ? 'won' : null },
      h('span', { class: 'words' }, rival.own ? foreign(rival.label, { most: 80 }) : nodeLink(view, rival.id, { turn, seq: 0 })),
      h('span', { class: 'bar' }, h('i', { style: { width: `${(rival.hits / most) * 100}%` } })),
      h('span', { class: 'end mono' }, count(rival.hits)),
      rival.near !== null && h('span', { class: 'below' }, text('doc.near', { share: score(rival.near) }))))),
    rivals.length < 2 && h('p', { class: 'quiet' }, text('doc.alone')),
  ];
}

/** @param {View} view @param {import('lb/types').Node} node @returns {import('lb/pane').Pane} */
export function answerPane(view, node) {
  const { map, upto } = view;
  const docs = docsOfTurn(map, node.turn, upto, node.id);
  const answers = answersOf(map, node.turn, upto);
  // An answer goes wrong with what was recalled for it: that is where its reader asks why.
  const recalled = findingsAbout(map, { seqs: seqsOfTurn(map, node.turn) }, upto).filter(({ kind }) => kind === 'drift' || kind === 'stale');
  const body = [
    heading(text('answer.title', { turn: node.turn }), text('kind.answer'), 'knowledge', foreign(node.id, { most: 80 }), answers.length > 1 && ` · ${answers.indexOf(node) + 1} / ${answers.length}`),
    callouts(view, [...new Set([...findingsAbout(map, { id: node.id }, upto), ...recalled])]),
    part(text('answer.text'), '', h('p', { class: 'speech' }, foreign(node.label, { most: 6000, lines: true }))),
    answers.length > 1 && part(text('answer.all'), String(answers.length), steps({ ...view, selection: { ...view.selection, seq: node.seq } }, 'knowledge', answers.map(({ id, label, turn, seq }, i) => ({ turn, seq, id, number: i + 1, dot: '', words: foreign(label, { most: 120 }) })))),
    !docs.used.length && part(text('answer.used'), '0', h('p', { class: 'quiet' }, text('answer.bare'))),
    docLists(view, docs, node.turn).map(({ title, total, list }) => part(title, total, list)),
    part(text('inspect.facts'), '', facts([[text('answer.at'), timeOf(view, node.created_at, node.turn)], [text('answer.question'), nodeLink(view, `utterance:${node.turn}`, { turn: node.turn })]])),
  ];
  const seqs = map.edgesOfTurn(node.turn).filter((edge) => edge.layer === 'knowledge' && edge.seq <= upto).map((edge) => edge.seq);
  return { body, seqs: [...seqs, node.seq] };
}

/**
 * The documents of a turn by what became of them; a list that would be empty is left out.
 * @param {View} view @param {ReturnType<typeof docsOfTurn>} docs @param {number} turn
 * @returns {{title: string, total: string, list: HTMLElement}[]}
 */
export function docLists(view, { used, prompt, cut }, turn) {
  const given = text(used.length ? 'answer.unused' : 'answer.prompt');
  // Of a source that tells of neither, nobody knows what came into the prompt.
  const rest = text(used.length || prompt.length ? 'answer.cut' : 'answer.found');
  return [
    { title: text('answer.used'), docs: used, filled: true },
    { title: given, docs: prompt, filled: true },
    { title: rest, docs: cut, filled: false },
  ].flatMap(({ title, docs, filled }) => (docs.length ? [{ title, total: String(docs.length), list: docList(view, docs, turn, docs === used, filled) }] : []));
}

/** @param {View} view @param {ReturnType<typeof docsOfTurn>['cut'] | ReturnType<typeof docsOfTurn>['used']} docs @param {number} turn @param {boolean} used @param {boolean} filled in the prompt */
function docList(view, docs, turn, used, filled) {
  return h('ul', { class: 'docs' }, docs.map(({ doc, last, why }) =>
    h(
      'li',
      { class: used ? 'used' : null },
      h('i', { class: `dot round ${filled ? 'filled' : ''}` }),
      h('span', { class: 'words' }, nodeLink(view, doc, { turn, seq: last?.seq ?? 0 })),
      h('span', { class: 'end mono' }, last ? `${last.props.rank ? `#${last.props.rank} ` : ''}${score(last.props.score)}` : ''),
      !filled && h('span', { class: 'why' }, why ? foreign(why, { most: 200 }) : last ? text('answer.stopped', { stage: stageName(last.props.stage) }) : ''),
    ),
  ));
}
