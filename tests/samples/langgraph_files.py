"""Recordings of a real LangGraph bot, made by the library while a test runs, in the forms that users write them in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from langchain_core.load import dumpd
from langgraph.types import Command

from lingbot_map.importers import Report
from lingbot_probes.signals import Answered, Failed, IntentRouted, Retrieved, SlotAssigned, TurnStarted, Undone
from tests.live.tea_graph import along, ask, before, graph, thread
from tests.samples.imports import Opened, opened

Record = dict[str, Any]
Say = str | bool | tuple[str, str]
"""What happens next: the user's words, an answer to an interrupt, or ("fork", node): the state changed before it."""

SCRIPT: tuple[Say, ...] = ("good day", "price please", True, ("fork", "look_up"), True, "an order")


def constructed(value: Any) -> Any:
    """LangChain's own form: {"lc", "type", "id", "kwargs"}."""
    return json.loads(json.dumps(value, default=dumpd))


def spelt(value: Any) -> Any:
    """What ``json.dumps(default=str)`` makes of it."""
    return json.loads(json.dumps(value, default=str))


def repeated(value: Any) -> Any:
    """What ``json.dumps(default=repr)`` makes of it."""
    return json.loads(json.dumps(value, default=repr))


def dumped(value: Any) -> Any:
    """Pydantic's own plain mappings."""
    return json.loads(
        json.dumps(value, default=lambda one: one.model_dump() if hasattr(one, "model_dump") else dumpd(one))
    )


FORMS: dict[str, Callable[[Any], Any]] = {
    "constructed": constructed,
    "spelt": spelt,
    "repeated": repeated,
    "dumped": dumped,
}


def recorded(
    script: tuple[Say, ...] = SCRIPT, name: str = "anna", form: Callable[[Any], Any] = constructed, *callbacks: Any
) -> tuple[list[Record], list[Record]]:
    """(the events, the thread's history) of one run of the script; ``callbacks`` hear it, too."""
    return asyncio.run(_recorded(script, name, form, *callbacks))


async def _recorded(
    script: tuple[Say, ...], name: str, form: Callable[[Any], Any], *callbacks: Any
) -> tuple[list[Record], list[Record]]:
    bot, events = graph(), []
    config = thread(name, *callbacks)
    for what in script:
        given: Any = ask(what) if type(what) is str else None if type(what) is tuple else Command(resume=what)
        where = config
        if type(what) is tuple:
            place = along(before(bot, config, what[1]), *callbacks)
            changed = {"found": [f"Changed before {what[1]}: nothing is sold today."]}
            where = along(bot.update_state(place, changed), *callbacks)
        async for event in bot.astream_events(given, where, version="v2"):
            events.append(form(event))
    history = [form(state._asdict()) for state in bot.get_state_history(thread(name))]
    return events, [_task_names(state) for state in history]


def _task_names(state: Record) -> Record:
    """Tasks are named tuples, which JSON writes as lists; the SDK gives mappings."""
    fields = ("id", "name", "path", "error", "interrupts", "state", "result")
    return {
        **state,
        "tasks": [dict(zip(fields, task, strict=True)) if type(task) is list else task for task in state["tasks"]],
    }


def streamed(modes: list[str], script: tuple[Say, ...] = SCRIPT, name: str = "anna") -> list[Record]:
    """The parts of a stream."""
    bot, parts = graph(), []
    config = thread(name)
    for what in script:
        given: Any = ask(what) if type(what) is str else None if type(what) is tuple else Command(resume=what)
        where = config
        if type(what) is tuple:
            changed = {"found": [f"Changed before {what[1]}: nothing is sold today."]}
            where = bot.update_state(before(bot, config, what[1]), changed)
        for part in bot.stream(given, where, stream_mode=modes, subgraphs=True, version="v2"):
            parts.append(constructed(part))
    return parts


def lines(records: list[Any]) -> bytes:
    """One record a line."""
    return b"\n".join(json.dumps(record, ensure_ascii=False).encode() for record in records)


def one(content: bytes, report: Report | None = None) -> Opened:
    (session,) = opened(content, report, name="f")
    return session


def layers(session: Opened, *, inner: bool = True, found: bool = True) -> list[tuple[Any, ...]]:
    """What of the session the map shows, in order, without what is only known of some sources: conditions, times, and
    where said the steps of subgraphs and retrievals."""
    out: list[tuple[Any, ...]] = []
    for item in session.items:
        signal = item.signal
        if type(signal) is TurnStarted:
            out.append((item.turn, "turn", signal.utterance))
        elif type(signal) is IntentRouted and (inner or not signal.parent):
            out.append((item.turn, "intent", signal.intent, signal.parent))
        elif type(signal) is SlotAssigned and (inner or (signal.slot != "notes" and "/" not in signal.task)):
            out.append((item.turn, "slot", signal.slot, signal.value, signal.task))
        elif type(signal) is Answered:
            out.append((item.turn, "answer", signal.text.strip(), signal.docs if found else ()))
        elif type(signal) is Retrieved and found:
            out.append((item.turn, signal.stage, signal.query, tuple((doc.id, doc.score) for doc in signal.docs)))
        elif type(signal) is Failed:
            out.append((item.turn, "failed", signal.where, signal.error))
        elif type(signal) is Undone:
            last = next((x for x in reversed(session.items) if x.n <= signal.to), None)
            out.append((item.turn, "undone", last.turn if last else "", getattr(last and last.signal, "kind", "")))
    return out
