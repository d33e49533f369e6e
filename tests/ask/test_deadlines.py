"""A route that really is slow doesn't hold up an answer: the others are told in time, and the answer says which was
late."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from lingbot_map.ask import Ask, Base, Question, Route
from lingbot_map.ask.pool import Hit
from tests.ask.test_kept import SCRIPTS, base_of

LIMIT = 0.4


class WithRoute:
    """A base with one more route."""

    def __init__(self, base: Base, run: Callable[[Callable[[], bool]], list[Hit]]) -> None:
        self._base, self._run = base, run
        self.name = base.name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)

    def routes(self, question: Question) -> Sequence[Route]:
        return (*self._base.routes(question), Route(name="archive", run=self._run))


@pytest.mark.parametrize(
    ("kind", "question"),
    [("recall", "电子发票在哪里下载？"), ("recall", "什么是爽约？"), ("sentences", SCRIPTS["sentences"][0])],
)
def test_the_other_routes_answer_in_time_and_the_late_one_is_named(kind: str, question: str) -> None:
    over = threading.Event()  # a route that doesn't look at the clock at all

    def deaf(late: Callable[[], bool]) -> list[Hit]:
        over.wait(30)
        return []

    base = WithRoute(base_of(kind), deaf)
    Ask(base_of(kind)).ask(question)
    began = time.monotonic()
    answer = Ask(base, limit=LIMIT).ask(question)
    took = time.monotonic() - began
    over.set()
    assert took < LIMIT + 3
    assert not answer.abstained
    assert answer.text == Ask(base_of(kind)).ask(question).text
    assert [step.name for step in answer.steps if step.status == "timeout"] == ["archive"]
    assert any("archive" in point and "超时" in point for point in answer.open_points)


def test_a_route_that_looks_at_the_clock_ends_by_itself() -> None:
    ended, never = threading.Event(), threading.Event()

    def slow(late: Callable[[], bool]) -> list[Hit]:
        while not late():
            never.wait(0.005)
        ended.set()
        return []

    answer = Ask(WithRoute(base_of("recall"), slow), limit=LIMIT).ask("How is zq done?")
    assert ended.wait(5)
    assert answer.abstained


def test_a_route_that_breaks_is_told_and_the_others_answer() -> None:
    def broken(late: Callable[[], bool]) -> list[Hit]:
        raise OSError("no such disk")

    answer = Ask(WithRoute(base_of("recall"), broken)).ask("什么是爽约？")
    assert not answer.abstained
    assert [(step.name, step.status, step.detail) for step in answer.steps if step.name == "archive"] == [
        ("archive", "failed", "OSError")
    ]
