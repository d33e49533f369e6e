"""Real Rasa recordings, field by field: what the file holds, read in the plainest way, is what the import says."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.importers import Report
from lingbot_probes.signals import Answered, IntentRouted, Raw, SlotAssigned, SlotCleared, TurnStarted, Undone
from tests.samples.imports import Opened, mapped, opened

Event = dict[str, Any]


@dataclass
class Plain:
    """What a list of events holds, turn by turn; turn 0 is before anybody spoke."""

    utterances: list[str] = field(default_factory=list)
    intents: list[tuple[int, str, float, list[tuple[str, float]]]] = field(default_factory=list)
    slots: list[tuple[int, str, Any]] = field(default_factory=list)
    answers: list[tuple[int, str]] = field(default_factory=list)
    forms: list[tuple[int, str]] = field(default_factory=list)
    restarts: int = 0
    entities: int = 0
    times: list[float] = field(default_factory=list)
    final: dict[str, Any] = field(default_factory=dict)


def plainly(events: list[Event]) -> Plain:
    """Count it out by hand."""
    plain = Plain()
    form = None
    for event in events:
        kind, turn = event["event"], len(plain.utterances)
        if kind != "session_started" or event.get("metadata"):  # that it began is said once, with its first event
            plain.times.append(event["timestamp"])
        if kind == "user":
            plain.utterances.append(event["text"])
            parsed = event["parse_data"]
            if parsed["intent"]["name"]:
                ranking = [(rival["name"], rival["confidence"]) for rival in parsed.get("intent_ranking", [])]
                plain.intents.append((turn + 1, parsed["intent"]["name"], parsed["intent"]["confidence"], ranking))
            plain.entities += bool(parsed["entities"])
        elif kind == "slot":
            plain.slots.append((turn, event["name"], event["value"]))
            plain.final[event["name"]] = event["value"]
        elif kind == "bot":
            rich = ", ".join(name for name, held in event["data"].items() if held)
            plain.answers.append((turn, event["text"] or f"[{rich}]"))
        elif kind == "form":
            if event["name"]:
                plain.forms.append((turn, event["name"]))
            form = event["name"]
        elif kind == "action" and event["name"] == form:
            plain.forms.append((turn, event["name"]))
        elif kind == "restart":
            plain.restarts += 1
            plain.final = {}
            form = None
    return plain


def check(session: Opened, plain: Plain) -> None:
    """Signal by signal."""
    items = session.items
    turns = [0]
    for item in items:
        turns.append(turns[-1] + (type(item.signal) is TurnStarted))
        assert item.turn == (str(turns[-1]) if turns[-1] else "")
    told = [(turn, item.signal) for turn, item in zip(turns[1:], items, strict=True)]
    forms = {name for _, name in plain.forms}

    assert [s.utterance for s in session.of(TurnStarted)] == plain.utterances
    routed = [(turn, s) for turn, s in told if type(s) is IntentRouted]
    understood = [(turn, s.intent, s.confidence, list(s.candidates)) for turn, s in routed if s.intent not in forms]
    assert understood == plain.intents
    assert [(turn, s.intent) for turn, s in routed if s.intent in forms] == plain.forms
    slots = [
        (turn, s.slot, s.value if type(s) is SlotAssigned else None)
        for turn, s in told
        if type(s) is SlotAssigned or type(s) is SlotCleared
    ]
    assert slots == plain.slots
    assert [(turn, s.text) for turn, s in told if type(s) is Answered] == plain.answers
    assert [s.to for s in session.of(Undone)] == [1] * plain.restarts
    assert sum(s.name == "entities" for s in session.of(Raw)) == plain.entities
    assert {item.said_at for item in items} == set(plain.times)
    assert [item.n for item in items] == list(range(1, len(items) + 1))


def check_map(session: Opened, plain: Plain) -> None:
    """The same again, on the map."""
    map = mapped(session.session.session_id, session.session.source, session.items).map
    nodes, edges = map.nodes, map.edges.values()
    labels = {node.turn: node.label for node in nodes.values() if node.kind == "utterance"}
    assert {turn: labels[turn] for turn in range(1, len(plain.utterances) + 1)} == dict(enumerate(plain.utterances, 1))
    jumps = Counter(edge.target for edge in edges if edge.id.startswith("jump:"))
    names = [name for _, name, *_ in plain.intents] + [name for _, name in plain.forms]
    assert jumps == Counter(f"intent:{name}" for name in names)
    assert {node.id: node.props["visits"] for node in nodes.values() if node.kind == "intent"} == jumps
    writes = [(edge.turn, edge.target, edge.props["value"]) for edge in edges if edge.kind == "assign"]
    assert writes == [(turn, f"slot:{name}", value) for turn, name, value in plain.slots]
    held = {node.id: node.props["value"] for node in nodes.values() if node.kind == "slot" and node.props["set"]}
    assert held == {f"slot:{name}": value for name, value in plain.final.items() if value is not None}
    answers = [(node.turn, node.label) for node in nodes.values() if node.kind == "answer"]
    assert answers == plain.answers
    assert len(map.undone) == plain.restarts
    assert not map.losses
    assert not [unplaced for unplaced in map.unplaced if unplaced.why]


@pytest.fixture(scope="module")
def pizza(recordings: Path) -> dict[str, list[Event]]:
    """The events of each conversation, from the JSON lines."""
    found = defaultdict(list)
    for line in (recordings / "sessions/rasa_pizzabot/conversation_events.jsonl").read_text("utf-8").split("\n"):
        if line:
            row = json.loads(line)
            found[row["conversation_id"]].append(row["data"])
    return dict(found)


@pytest.mark.parametrize("name", ["conversation_events.jsonl", "rasa_x_store.sqlite"])
def test_rasa_x(recordings: Path, pizza: dict[str, list[Event]], name: str) -> None:
    report = Report()
    sessions = opened(recordings / "sessions/rasa_pizzabot" / name, report)
    assert [s.session.session_id for s in sessions] == list(pizza)
    assert report.records == sum(map(len, pizza.values())) == 1047
    assert report.problem_count == 0
    for session in sessions:
        plain = plainly(pizza[session.session.session_id])
        check(session, plain)
        check_map(session, plain)


def test_the_store_and_the_lines_hold_the_same(recordings: Path, pizza: dict[str, list[Event]]) -> None:
    store = recordings / "sessions/rasa_pizzabot/rasa_x_store.sqlite"
    found = defaultdict(list)
    with closing(sqlite3.connect(f"file:{store}?mode=ro&immutable=1", uri=True)) as database:
        for sender, data in database.execute("SELECT conversation_id, data FROM conversation_event ORDER BY id"):
            found[sender].append(json.loads(data))
    assert found == pizza
    lines = opened(recordings / "sessions/rasa_pizzabot/conversation_events.jsonl")
    for one, other in zip(opened(store), lines, strict=True):
        assert (one.session.source, one.items) == (other.session.source, other.items)


def test_the_form_that_asked_ten_times_is_a_loop_on_the_map(recordings: Path) -> None:
    sessions = opened(recordings / "sessions/rasa_pizzabot/conversation_events.jsonl")
    session = next(s for s in sessions if s.session.session_id == "d55ab420aaf94bca8eec63ad97be0492")
    asked = [s for s in session.of(IntentRouted) if s.intent == "pizza_order_form" and s.missing == ("pizza_size",)]
    assert len(asked) >= 9
    map = mapped(session.session.session_id, session.session.source, session.items).map
    loops = [f for f in map.findings.values() if f.kind == "loop" and f.turn == 2]
    assert loops
    assert "pizza_order_form" in loops[0].facts["path"]
    assert "pizza_size" in loops[0].facts["missing"]


@pytest.mark.parametrize(
    "name", ["analytics_conversations.json", "conversation.json", "conversations.development.json"]
)
def test_botfront(recordings: Path, name: str) -> None:
    path = recordings / "sessions/botfront" / name
    documents = json.loads(path.read_text("utf-8"))
    report = Report()
    sessions = opened(path, report)
    assert [s.session.session_id for s in sessions] == [d["tracker"]["sender_id"] for d in documents]
    assert report.problem_count == 0
    for session, document in zip(sessions, documents, strict=True):
        plain = plainly(document["tracker"]["events"])
        check(session, plain)
        check_map(session, plain)
        initial = {name: value for name, value in document["tracker"]["slots"].items() if value is not None}
        assert session.items[0].signal.meta.get("slots", {}) == initial  # type: ignore[union-attr]
