"""A decorated function behaves as the plain one: the same values, the same exception objects, nothing consumed."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from lingbot_probes import Misused, Probe
from tests.probes.listening import Listener
from tests.torture.probe_generators import CALLS
from tests.torture.probe_safety import DECORATORS, SAMPLES, kept_alive, outcome, pickles_by_name, plain, sampled, unlike


@pytest.mark.parametrize("decorator", DECORATORS)
@pytest.mark.parametrize("name", CALLS)
def test_behaves_as_the_plain_function(name: str, decorator: str, probe: Probe) -> None:
    assert outcome(CALLS[name], DECORATORS[decorator](probe)) == outcome(CALLS[name], plain)
    assert probe.errors == 0


def test_enough_kinds_of_call() -> None:
    assert len(CALLS) >= 33


@pytest.mark.parametrize("decorator", DECORATORS)
@pytest.mark.parametrize("function", [*SAMPLES, test_enough_kinds_of_call])
def test_looks_like_the_plain_function(function: Any, decorator: str, probe: Probe) -> None:
    assert unlike(function, DECORATORS[decorator](probe)(function)) == []


@pytest.mark.parametrize("decorator", DECORATORS)
def test_a_decorated_function_pickles_by_name(decorator: str, probe: Probe) -> None:
    assert pickles_by_name(DECORATORS[decorator](probe))


@pytest.mark.parametrize("decorator", DECORATORS)
def test_arguments_and_results_are_not_kept_alive(decorator: str, probe: Probe) -> None:
    assert not kept_alive(DECORATORS[decorator](probe))


def test_documents_that_a_generator_has_yielded_are_not_kept_alive(probe: Probe, map: Listener) -> None:
    class Doc(dict[str, Any]):
        """What can be referred to weakly."""

    def streams(query: str) -> Iterator[Doc]:
        for id in ("a", "b"):
            yield Doc(id=id, score=0.5, text="x" * 1_000)

    def whole(query: str) -> list[dict[str, Any]]:
        return [{"id": id, "score": 0.5, "text": "x" * 1_000} for id in "ab"]

    marked = probe.retrieval(score_kind="cosine")
    steps = marked(streams)("plan")
    yielded = []
    for _ in range(2):
        yielded.append(weakref.ref(next(steps)))
        assert yielded[-1]() is None, "before it goes on"
    assert next(steps, "end") == "end"
    marked(whole)("plan")
    assert probe.flush(10)
    in_pieces, at_once = map.signals()
    assert in_pieces == at_once


def test_an_exception_is_not_kept_alive_by_a_generator(probe: Probe) -> None:
    class Held(Exception):
        pass

    def passes() -> Generator[int, None, None]:
        yield 1

    gc.disable()
    try:
        steps = probe.turn(passes)()
        next(steps)
        error = Held()
        seen = weakref.ref(error)
        with pytest.raises(Held):
            steps.throw(error)
        del error, steps
        assert seen() is None, "it takes the collector to free it"
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "thing",
    [5, None, "text", property(lambda self: 1), int, Probe],
    ids=lambda thing: getattr(thing, "__name__", None) or type(thing).__name__,
)
@pytest.mark.parametrize("decorator", [name for name in DECORATORS if name != "intent"])
def test_what_is_no_function_is_refused_by_name(thing: Any, decorator: str, probe: Probe) -> None:
    if thing is None and decorator in ("turn", "slots"):
        return  # the decorator with arguments left out
    with pytest.raises(Misused, match="goes on a function or method, not on"):
        DECORATORS[decorator](probe)(thing)


def test_wrong_options_are_refused_at_decoration(probe: Probe) -> None:
    with pytest.raises(Misused, match=r"session='sender' names no parameter of .*it has: text"):
        probe.turn(session="sender")(lambda text: text)
    with pytest.raises(Misused, match=r"stage='vektor'.*expected one of vector"):
        probe.retrieval(stage="vektor")
    with pytest.raises(Misused, match="takes the name of a parameter or a callable, not int"):
        probe.turn(session=5)(lambda text: text)  # type: ignore[call-overload]
    with pytest.raises(Misused, match="takes the bot's name first"):
        Probe(None)  # type: ignore[arg-type]


def test_switched_off_the_very_function_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINGBOT_MAP", "off")
    probe = Probe("bot")
    for decorator in DECORATORS.values():
        assert decorator(probe)(sampled) is sampled
    slots: dict[str, int] = {}
    assert probe.observed(slots) is slots
    assert probe.carry(sampled) is sampled
    with probe.session("s"), probe.turn_scope(utterance="hi") as turn:
        turn.answer("ho")
    probe.emit("anything")
    assert probe.stats()["made"] == 0
    assert probe.flush(10)
