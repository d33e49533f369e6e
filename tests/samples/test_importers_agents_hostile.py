"""Recordings of agents that were damaged or made to be slow: time follows their length, and errors are ours."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from lingbot_map.errors import LingbotMapError
from lingbot_map.importers import Report, read
from tests.growth import grows_within
from tests.samples.agents import DOCS, call, lines, message, model, span, trace, whole_move
from tests.samples.imports import opened
from tests.samples.test_importers_agents import SAVED
from tests.samples.test_importers_burr import ABOUT, GRAPH, ROWS, begin, end
from tests.samples.test_importers_hostile import damaged
from tests.samples.test_importers_langfuse import WHOLE, ingested, observed
from tests.samples.test_importers_langsmith import run, turn

Make = Callable[[int], bytes]


def deep(count: int) -> bytes:
    """Each span within the one before it."""
    return lines([trace(1), *(span(1, i, "agent", 0.0, i - 1, name=f"a{i}") for i in range(1, count + 1))])


def wide(count: int) -> bytes:
    """A search and a model for each of many documents, in one trace."""
    out = [trace(1)]
    for i in range(1, count // 4):
        docs = [{**doc, "id": f"{doc['id']}-{i}"} for doc in DOCS]
        out.append(span(1, 2 * i, "function", float(i), name="search", input='{"q": "x"}', output=str(docs)))
        out.append(model(1, 2 * i + 1, i + 0.5, 0, "x", message("y"), given=[{"output": docs[0]["content"]}]))
    return lines(out)


def errors(count: int) -> bytes:
    """Every span fails with words of its own."""
    made = [
        span(1, i, "function", float(i), 1, name="f", error={"message": f"e{i}", "data": None}) for i in range(2, count)
    ]
    return lines([trace(1), *made, span(1, 1, "agent", 0.0, name="desk", error={"message": "end", "data": None})])


def saved(count: int) -> bytes:
    """A saved run of many calls, none of them answered."""
    items = [
        {"type": "tool_call_item", "agent": {"name": f"a{i % 2}"}, "raw_item": {**call("f"), "call_id": f"c{i}"}}
        for i in range(count)
    ]
    return json.dumps(
        {**SAVED, "generated_items": items, "model_responses": [{"output": [i["raw_item"]]} for i in items]}
    ).encode()


def again(count: int) -> bytes:
    """An application that is taken up again at its first step for ever."""
    rows = [
        row for i in range(count // 3) for row in (begin(i % 3, "ask"), {**end(i % 3, "ask"), "state": {f"s{i}": i}})
    ]
    return lines([ABOUT, GRAPH, *rows])


def observations(count: int) -> bytes:
    """A trace whose observations lie within one another."""
    held = [observed(1, i, "SPAN", "s", 1, i - 1) for i in range(1, count)]
    return json.dumps({**WHOLE, "observations": held}).encode()


def steps(count: int) -> bytes:
    """A trajectory of an agent that talks to itself."""
    held = [{"step_id": i, "source": "agent", "message": "x"} for i in range(count)]
    return json.dumps({"session_id": "s", "steps": held}).encode()


MAKERS: dict[str, Make] = {
    "deep": deep,
    "wide": wide,
    "errors": errors,
    "circle": lambda count: lines([span(1, i, "agent", 0.0, i % count + 1, name="a") for i in range(1, count + 1)]),
    "sessions without times": lambda count: lines([trace(i, f"g{i}") for i in range(count)]),
    "saved": saved,
    "again": again,
    "applications": lambda count: lines([ABOUT, *ROWS] * (count // 8)),
    "updates": lambda count: lines(ingested(1, "a", "b") * (count // 12)),
    "observations": observations,
    "runs": lambda count: lines([run(i, "chain", "c", i - 1) for i in range(1, count)]),
    "steps": steps,
}


@pytest.mark.parametrize("name", MAKERS)
def test_time_is_linear(name: str) -> None:
    make = MAKERS[name]
    part, whole = make(1_000), make(4_000)
    # Four times as much: 16 times as long if it were quadratic.
    assert grows_within(4 * 2.0, lambda: opened(part), lambda: opened(whole))


FILES: dict[str, Any] = {
    "traces": lines(whole_move()),
    "batch": json.dumps({"data": whole_move()}).encode(),
    "state": json.dumps(SAVED, indent=1).encode(),
    "burr": lines([ABOUT, GRAPH, *ROWS]),
    "langfuse": lines([WHOLE, WHOLE]),
    "ingestion": lines(ingested(1, "a", "b")),
    "langsmith": lines(turn(1, "a", "b")),
}


@pytest.mark.parametrize("name", FILES)
def test_damage_never_makes_anything_but_an_error_of_ours(name: str) -> None:
    rng = random.Random(name)
    taken = 0
    for _ in range(150):
        try:
            for session in read(damaged(FILES[name], rng), report=Report()):
                numbers = [item.n for item in session.items]
                assert numbers == sorted(set(numbers))
                assert session.lost is not None
                taken += 1
        except LingbotMapError:
            pass
    assert taken > 20
