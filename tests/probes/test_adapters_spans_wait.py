"""Spans that wait for their root: in any order and any pieces each turn is told once, and no more waits than may."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingbot_probes.adapters import spans_wait
from lingbot_probes.adapters.spans_read import read_span
from lingbot_probes.adapters.spans_wait import Traces
from lingbot_probes.codec import numbered_to_dict
from tests.probes.spans_telling import Telling
from tests.probes.test_adapters_spans import rag, span


def said(records: list[Any]) -> list[str]:
    telling = Telling()
    items = [item for record in records for item in telling.take(record)] + telling.end()
    return sorted(f"{item.session} {numbered_to_dict(item)['signal']}" for item in items)


TURNS = [rag(f"t{number}", at=100.0 * number, session=f"s{number % 2}") for number in range(3)]
ALL = [record for turn in TURNS for record in turn[:-1]] + [turn[-1] for turn in TURNS]


@given(st.permutations(range(len(ALL) - 3)), st.lists(st.integers(0, len(ALL) - 1), max_size=6))
def test_in_any_order_with_repeats_the_same_is_told(order: list[int], again: list[int]) -> None:
    inner = [ALL[i] for i in order]
    assert said([*inner, *ALL[-3:], *(ALL[i] for i in again)]) == said(ALL)


def test_a_span_is_taken_once_whether_it_waits_or_was_told() -> None:
    traces = Traces()
    *rest, root = map(read_span, rag())
    assert [traces.take(one) for one in (*rest, *rest)] == [True] * 3 + [False] * 3
    assert traces.take(root)
    (group,) = traces.complete(["t1"])
    traces.told(group, "s", "1")
    assert [traces.take(one) for one in (*rest, root)] == [False] * 4
    late = read_span(span("9", "TOOL", "1"))
    assert traces.take(late)
    assert not traces.take(late)
    (followed,) = traces.complete(["t1"])
    assert (followed.late, followed.session, followed.turn) == (True, "s", "1")


def test_only_so_many_of_those_that_were_told_are_known_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans_wait, "MOST_TOLD", 10)
    traces = Traces()
    for number in range(8):
        for record in rag(f"t{number}"):
            traces.take(read_span(record))
        for group in traces.complete([f"t{number}"]):
            traces.told(group, "s", "1")
    known = [number for number in range(8) if not traces.take(read_span(rag(f"t{number}")[0]))]
    assert known == [6, 7]


def test_what_waits_is_bounded_by_its_size_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans_wait, "MOST_WEIGHT", 10_000)
    traces = Traces()
    for number in range(5):
        traces.take(read_span(span(str(number), "LLM", "0", trace=f"t{number}", input__value="x" * 3_000)))
    given_up = traces.complete(["t4"])
    assert [group.trace for group in given_up] == ["t0", "t1"]
    assert traces.weight < 10_000
    assert len(traces.rest()) == 3
    assert (traces.count, traces.weight) == (0, 0)


def test_what_is_overdue_is_told_or_left_aside() -> None:
    traces = Traces()
    traces.take(read_span(span("2", "LLM", "1")), now=0.0)
    traces.take(read_span(span("3", "", "1", trace="http")), now=5.0)
    assert traces.overdue(9.0, 10.0, 3.0) == []
    (group,) = traces.overdue(15.0, 10.0, 3.0)
    assert [one.id for one in group.spans] == ["2"]
    assert (traces.count, traces.aside) == (0, 1)
