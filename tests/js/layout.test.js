import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARK, FLAG } from 'lb/kinds';
import { FOOT, GUTTER, HEADER, Layout, chooseStaves } from 'lb/layout';
import { atEnd, longest, panned, place, showing, touchesEnd, zoomed } from 'lb/window';

const ALL = { flow: true, state: true, knowledge: true };

test('rows are 20 to 68 high and the staves leave the foot of the map free', () => {
  for (const counts of [[0, 0, 0], [8, 7, 9], [40, 3, 900], [1, 1, 1]]) {
    const [flow, state, knowledge] = counts;
    for (const height of [500, 848, 1400]) {
      const { rowHeight, staves, bottom } = chooseStaves(height, ALL, { flow, state, knowledge });
      assert.ok(rowHeight >= 20 && rowHeight <= 68, `${rowHeight}`);
      assert.ok(bottom <= height - FOOT + 1, `${counts} at ${height}: ${bottom}`);
      for (const stave of staves) assert.equal(stave.bottom, stave.rows + stave.room * rowHeight);
    }
  }
});

test('a stave that asks for little gets it, however much another asks for', () => {
  const { staves } = chooseStaves(848, ALL, { flow: 8, state: 8, knowledge: 5000 });
  assert.equal(staves[0].room, 8);
  assert.equal(staves[1].room, 8);
  assert.ok(staves[2].room >= 8);
});

test('a young session has the same rows as it will have when a few more come', () => {
  const young = chooseStaves(848, ALL, { flow: 1, state: 0, knowledge: 2 });
  const later = chooseStaves(848, ALL, { flow: 7, state: 5, knowledge: 8 });
  assert.deepEqual(young, later);
});

test('one layer alone has the whole height', () => {
  const { staves } = chooseStaves(848, { flow: false, state: false, knowledge: true }, { flow: 8, state: 7, knowledge: 8 });
  assert.equal(staves.length, 1);
  assert.ok(staves[0].bottom > 600);
});

test('within a lane intent, slot, question and document stand from left to right at every zoom', () => {
  const layout = new Layout();
  layout.width = 1128;
  for (const span of [3, 5, 8, 13, 20, 40, 90]) {
    layout.from = 5;
    layout.to = 5 + span;
    const [left, right] = [layout.x(7), layout.x(8)];
    const xs = [MARK.VISIT, MARK.WRITE, MARK.QUESTION, MARK.DOC].map((kind) => layout.markX(kind, 7, 0, 0));
    assert.ok(xs[0] >= left && xs[3] <= right);
    const [intent, slot, question, doc] = xs;
    assert.ok(intent < slot && slot < doc && intent < question && question < doc, `span ${span}: ${xs}`);
    for (const kind of Object.values(MARK)) {
      for (let k = 1; k < 9; k++) {
        const x = layout.markX(kind, 7, k, 0);
        assert.ok(x >= layout.markX(kind, 7, k - 1, 0) && x <= right, `kind ${kind}, mark ${k} at ${x} leaves ${left}..${right}`);
      }
    }
    assert.ok(layout.markX(MARK.READ, 7, 0, FLAG.AFTER) > xs[1], 'a read after the write stands to its right');
  }
});

test('the first pill of a lane that tells its confidence lies inside the lane, its outline too', () => {
  const layout = new Layout();
  layout.from = 5;
  for (let w = 43; w < 400; w += 1) {
    layout.width = GUTTER + 10 * w;
    layout.to = 15;
    assert.ok(layout.markX(MARK.VISIT, 5, 0, 0) - layout.pill / 2 >= GUTTER + 1, `a lane of ${w} px`);
  }
});

test('turns and pixels are each the inverse of the other', () => {
  const layout = new Layout();
  layout.width = 1000;
  layout.from = 3.4;
  layout.to = 17.1;
  assert.equal(layout.x(3.4), GUTTER);
  assert.equal(layout.x(17.1), 1000);
  for (const turn of [3.4, 5, 9.99]) assert.ok(Math.abs(layout.turnAt(layout.x(turn)) - turn) < 1e-9);
});

test('a scrolled stave shows later rows at the same heights and hides the rest', () => {
  const layout = new Layout();
  layout.width = 1128;
  layout.staves = chooseStaves(600, ALL, { flow: 50, state: 4, knowledge: 4 });
  const flow = layout.stave('flow');
  assert.ok(flow && flow.top > HEADER);
  const top = layout.y(flow, 0);
  flow.scroll = 10;
  assert.equal(layout.y(flow, 10), top);
  assert.ok(Number.isNaN(layout.y(flow, 9)) && Number.isNaN(layout.y(flow, 10 + flow.room)));
  assert.equal(layout.edgeY(flow, 0), flow.rows);
  assert.equal(layout.edgeY(flow, 49), flow.bottom);
  assert.deepEqual(layout.rowAt(top)?.row, 10);
});

const axis = { first: 1, end: 41 };

test('the window stays on the axis, from 3 turns to all', () => {
  assert.deepEqual(place(-5, 13, axis), { from: 1, to: 14 });
  assert.deepEqual(place(39, 13, axis), { from: 28, to: 41 });
  assert.deepEqual(place(10, 1, axis), { from: 10, to: 13 });
  assert.deepEqual(place(10, 900, axis), { from: 1, to: 41 });
  assert.deepEqual(atEnd(13, axis), { from: 28, to: 41 });
  assert.equal(longest({ first: 1, end: 4 }), 13);
  assert.deepEqual(atEnd(13, { first: 1, end: 4 }), { from: 1, to: 14 });
});

test('zooming keeps what is under the pointer where it is', () => {
  const win = { from: 10, to: 20 };
  for (const about of [10, 13.7, 20]) {
    for (const factor of [0.5, 1.7]) {
      const next = zoomed(win, factor, about, axis);
      assert.ok(Math.abs((about - next.from) / (next.to - next.from) - (about - win.from) / 10) < 1e-9);
    }
  }
  assert.deepEqual(panned({ from: 10, to: 20 }, 2.5, axis), { from: 12.5, to: 22.5 });
  assert.ok(touchesEnd({ from: 30, to: 41 }, axis) && !touchesEnd({ from: 30, to: 40 }, axis));
});

test('what is shown beside a panel lies in the clear part, at the end of the axis too', () => {
  for (const [since, turn] of [[5, 9], [37, 40], [20, 33]]) {
    const win = showing({ from: 28, to: 41 }, since, turn, axis, 0.5);
    assert.ok(win.from <= since && turn + 1 <= win.from + (win.to - win.from) * 0.5 + 1e-9, `${since}-${turn}: ${JSON.stringify(win)}`);
  }
});

test('showing slides and widens just so far that the whole stretch is in view', () => {
  assert.deepEqual(showing({ from: 1, to: 14 }, 3, 9, axis), { from: 1, to: 14 });
  const wide = showing({ from: 1, to: 4 }, 10, 30, axis);
  assert.ok(wide.from <= 10 && wide.to >= 31);
  const slid = showing({ from: 1, to: 14 }, 30, 31, axis);
  assert.equal(slid.to - slid.from, 13);
  assert.ok(slid.from <= 30 && slid.to >= 32);
});
