"""Real annotated dialogues, field by field: what a file holds, read plainly, is what the import and the map say."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import UnknownFormat
from lingbot_map.importers import Report, sniff
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Raw,
    Retrieved,
    SessionEnded,
    SlotAssigned,
    SlotCleared,
    SlotRead,
    TurnStarted,
)
from tests.conftest import RECORDINGS
from tests.samples.imports import Opened, mapped, opened

FOLDER = RECORDINGS / "dialogues"
NONE = ["(the real recordings are not here)"]
FILES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.json*"))
SGD = [name for name in FILES if name.startswith("sgd/") and "schema" not in name] or NONE
CROSSWOZ = [name for name in FILES if name.startswith("crosswoz/") and "database" not in name] or NONE
KDCONV = [name for name in FILES if name.startswith("kdconv/") and "kb_" not in name] or NONE
STAR = [
    name for name in FILES if name.startswith("star/dialogues/") and json.loads((FOLDER / name).read_text())["Events"]
]
OTHERS = [name for name in FILES if name not in {*SGD, *CROSSWOZ, *KDCONV, *STAR}] or NONE


def load(name: str) -> Any:
    """The file, as plain JSON."""
    raw = (FOLDER / name).read_bytes()
    return json.loads(gzip.decompress(raw) if name.endswith(".gz") else raw)


def whole(name: str, format: str) -> list[Opened]:
    """The sessions of a file that is read without a problem."""
    report = Report()
    sessions = opened(FOLDER / name, report)
    assert (report.format, report.problem_count) == (format, 0)
    return sessions


def per_turn(session: Opened) -> dict[int, list[Any]]:
    """The signals of each turn."""
    found = defaultdict(list)
    for item in session.items:
        found[int(item.turn or 0)].append(item.signal)
    return found


def of(signals: Iterable[Any], kind: type) -> list[Any]:
    """The signals of one kind."""
    return [signal for signal in signals if type(signal) is kind]


def kept(slots: dict[str, Any], signals: Iterable[Any]) -> dict[str, Any]:
    """``slots`` after the writes among ``signals``; a write that changes nothing is none."""
    for signal in signals:
        if type(signal) is SlotAssigned:
            assert slots.get(signal.slot) != signal.value
            slots[signal.slot] = signal.value
        elif type(signal) is SlotCleared:
            del slots[signal.slot]
    return slots


def check_map(session: Opened, utterances: list[str], answers: list[str], rows: int) -> None:
    """The map holds every utterance, answer and row."""
    map = mapped(session.session.session_id, session.session.source, session.items).map
    labels = {node.turn: node.props["text"] for node in map.nodes.values() if node.kind == "utterance" and node.turn}
    assert [labels[turn] for turn in sorted(labels)] == utterances
    assert sorted(node.props["text"] for node in map.nodes.values() if node.kind == "answer") == sorted(answers)
    assert sum(edge.kind == "recall" for edge in map.edges.values()) == rows
    assert not map.losses
    assert not [unplaced for unplaced in map.unplaced if unplaced.why]


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_dialogue_is_refused_with_a_sentence_that_says_so(recordings: Path, name: str) -> None:
    with pytest.raises(UnknownFormat) as caught:
        sniff(FOLDER / name)
    (why,) = {why for names, why in caught.value.refusals if "sgd" in names.split(", ")}
    assert why.endswith(", no dialogue") or why == "a dialogue in which nothing was said"


@pytest.mark.parametrize("name", SGD)
def test_schema_guided_dialogues(recordings: Path, name: str) -> None:
    file, sessions = load(name), whole(name, "sgd")
    assert [one.session.session_id for one in sessions] == [dialogue["dialogue_id"] for dialogue in file]
    for dialogue, session in zip(file, sessions, strict=True):
        turns = dialogue["turns"]
        said = [turn["utterance"] for turn in turns if turn["speaker"] == "USER"]
        answers = [turn["utterance"] for turn in turns if turn["speaker"] == "SYSTEM"]
        assert [signal.utterance for signal in session.of(TurnStarted)] == said
        assert [signal.text for signal in session.of(Answered)] == answers
        slots: dict[str, Any] = {}
        told, number, rows = per_turn(session), 0, 0
        for turn in turns:
            frames = turn["frames"]
            if turn["speaker"] == "USER":
                number += 1
                intents = [frame["state"]["active_intent"] for frame in frames]
                assert [s.intent for s in of(told[number], IntentRouted)] == [i for i in intents if i != "NONE"]
                kept(slots, told[number])
                for frame in frames:
                    held = {s: v for s, v in slots.items() if s.startswith(frame["service"] + ".")}
                    shown = {f"{frame['service']}.{s}": v for s, v in frame["state"]["slot_values"].items()}
                    assert held.keys() == shown.keys()
                    assert all(value in shown[slot] for slot, value in held.items())
                continue
            found = of(told[number], Retrieved)
            results = [frame for frame in frames if "service_results" in frame]
            assert [(r.params["service"], r.params["method"], r.params["parameters"]) for r in found] == [
                (f["service"], f["service_call"]["method"], f["service_call"]["parameters"]) for f in results
            ]
            for retrieved, frame in zip(found, results, strict=True):
                assert [doc.rank for doc in retrieved.docs] == list(range(1, len(frame["service_results"]) + 1))
                for doc, row in zip(retrieved.docs, frame["service_results"], strict=True):
                    assert all(f"{column}: {value}" in doc.snippet for column, value in row.items())
                rows += len(retrieved.docs)
            reads = {(s.reader, s.slot) for s in of(told[number], SlotRead)}
            assert reads == {
                (f["service_call"]["method"], f"{f['service']}.{slot}")
                for f in frames
                if "service_call" in f
                for slot in f["service_call"]["parameters"]
            }
            failed = [act for frame in frames for act in frame["actions"] if act["act"] == "NOTIFY_FAILURE"]
            assert len(of(told[number], Failed)) == len(failed)
        raw = [signal.data for signal in session.of(Raw) if signal.name == "actions"]
        acts = [{f["service"]: f["actions"] for f in turn["frames"] if f["actions"]} for turn in turns]
        assert raw == [held for held in acts if held]
        check_map(session, said, answers, rows)


@pytest.mark.parametrize("name", SGD)
def test_the_row_an_answer_is_made_from_holds_all_that_it_names(recordings: Path, name: str) -> None:
    cited = 0
    for dialogue, session in zip(load(name), whole(name, "sgd"), strict=True):
        texts: dict[str, str] = {}
        systems = iter([turn for turn in dialogue["turns"] if turn["speaker"] == "SYSTEM"])
        for item in session.items:
            signal = item.signal
            if type(signal) is Retrieved:
                texts.update((doc.id, doc.snippet) for doc in signal.docs)
            elif type(signal) is Answered:
                turn = next(systems)
                for doc in signal.docs:
                    cited += 1
                    offered = [a for f in turn["frames"] for a in f["actions"] if a["act"] in ("OFFER", "INFORM")]
                    named = [a for a in offered if f"{a['slot']}: " in texts[doc]]
                    assert named
                    assert all(f"{a['slot']}: {a['canonical_values'][0]}" in texts[doc] for a in named)
    assert cited > 20


@pytest.mark.parametrize("name", CROSSWOZ)
def test_crosswoz(recordings: Path, name: str) -> None:
    file, sessions = load(name), whole(name, "crosswoz")
    assert [one.session.session_id for one in sessions] == list(file)
    for dialogue, session in zip(file.values(), sessions, strict=True):
        messages = dialogue["messages"]
        users = [message for message in messages if message["role"] == "usr"]
        wizards = [message for message in messages if message["role"] == "sys"]
        assert [signal.utterance for signal in session.of(TurnStarted)] == [m["content"] for m in users]
        assert [signal.text for signal in session.of(Answered)] == [m["content"] for m in wizards]
        slots: dict[str, Any] = {}
        before: dict[str, Any] = {}
        told, rows = per_turn(session), 0
        for number, (user, wizard) in enumerate(zip(users, wizards, strict=True), 1):
            acts = list(dict.fromkeys(f"{act[0]}-{act[1]}" for act in user["dialog_act"]))
            assert [s.intent for s in of(told[number], IntentRouted)] == acts
            assert [s.data for s in of(told[number], Raw)] == [
                m["dialog_act"] for m in (user, wizard) if m["dialog_act"]
            ]
            writes = [s for s in told[number] if type(s) in (SlotAssigned, SlotCleared)]
            first = [flat(wizard["sys_state_init"]), flat(wizard["sys_state"])]
            # What the wizard changed comes after what was understood: somewhere between, the state is the first one.
            states = [dict(kept(slots, [])), *(dict(kept(slots, [write])) for write in writes)]
            assert first[0] in states
            assert states[-1] == first[1]
            assert len(writes) == changes(states[0], first[0]) + changes(*first)
            found = {s.params["domain"]: [doc.title for doc in s.docs] for s in of(told[number], Retrieved)}
            after = wizard["sys_state"]
            assert found == {
                domain: after[domain]["selectedResults"]
                for domain in after
                if after[domain]["selectedResults"] and after[domain] != before.get(domain)
            }
            rows += sum(map(len, found.values()))
            (answer,) = of(told[number], Answered)
            picked = {f"{domain}/{row}" for domain in after for row in after[domain]["selectedResults"]}
            assert set(answer.docs) <= picked
            before = after
        check_map(session, [m["content"] for m in users], [m["content"] for m in wizards], rows)


def flat(state: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The slots of a state that hold something."""
    return {f"{d}.{s}": v for d, slots in state.items() for s, v in slots.items() if v and s != "selectedResults"}


def changes(before: dict[str, Any], after: dict[str, Any]) -> int:
    """In how many slots two states differ."""
    return sum(before.get(slot) != after.get(slot) for slot in before.keys() | after.keys())


def test_real_edits_of_the_wizard_are_overwrites_on_the_map(recordings: Path) -> None:
    name = CROSSWOZ[-1]
    for dialogue, session in zip(load(name).values(), whole(name, "crosswoz"), strict=True):
        map = mapped(session.session.session_id, session.session.source, session.items).map
        drawn = [
            (e.turn, e.source, e.props["old"], e.props["new"]) for e in map.edges.values() if e.kind == "overwrite"
        ]
        held: dict[str, Any] = {}
        expected = []
        wizards = [message for message in dialogue["messages"] if message["role"] == "sys"]
        for turn, wizard in enumerate(wizards, 1):
            for state in (flat(wizard["sys_state_init"]), flat(wizard["sys_state"])):
                expected += [(turn, f"slot:{s}", held[s], v) for s, v in state.items() if s in held and held[s] != v]
                held = state
        assert drawn == expected
        assert drawn


@pytest.mark.parametrize("name", KDCONV)
def test_kdconv(recordings: Path, name: str) -> None:
    file, sessions = load(name), whole(name, "kdconv")
    assert len(file) == len(sessions)
    for dialogue, session in zip(file, sessions, strict=True):
        assert session.session.session_id.split("~")[0] == dialogue["name"]
        users, bots = dialogue["messages"][::2], dialogue["messages"][1::2]
        assert [signal.utterance for signal in session.of(TurnStarted)] == [m["message"] for m in users]
        assert [signal.text for signal in session.of(Answered)] == [m["message"] for m in bots]
        found = session.of(Retrieved)
        drawn_on = [message for message in dialogue["messages"] if message.get("attrs")]
        assert [[(doc.title, doc.snippet) for doc in s.docs] for s in found] == [
            [(f"{a['name']} · {a['attrname']}", a["attrvalue"]) for a in m["attrs"]] for m in drawn_on
        ]
        assert [s.params["drawn_on_by"] == "user" for s in found] == [m in users for m in drawn_on]
        assert [len(s.docs) for s in session.of(Answered)] == [
            len({tuple(sorted(a.items())) for a in m.get("attrs", [])}) for m in bots
        ]
        assert session.session.coverage == {"flow": "none", "state": "none", "knowledge": "partial"}
        rows = sum(len(m["attrs"]) for m in drawn_on)
        check_map(session, [m["message"] for m in users], [m["message"] for m in bots], rows)


def test_star(recordings: Path) -> None:
    for name in STAR:
        file = load(name)
        (session,) = whole(name, "star")
        assert session.session.session_id == str(file["DialogueID"])
        assert session.session.timed
        events = file["Events"]
        said = [e["Text"] for e in events if (e["Agent"], e["Action"]) == ("User", "utter")]
        answering = [e for e in events if e["Agent"] == "Wizard" and e["Action"] in ("utter", "pick_suggestion")]
        assert [signal.utterance for signal in session.of(TurnStarted)] == said
        assert [signal.text for signal in session.of(Answered)] == [e["Text"] for e in answering]
        routing = [e for e in events if e["Action"] in ("select_task", "pick_suggestion")]
        assert [s.intent for s in session.of(IntentRouted)] == [e.get("Task") or e["ActionLabel"] for e in routing]
        assert [[option for option, _ in s.candidates] for s in session.of(IntentRouted)] == [
            list(dict.fromkeys(e.get("ActionLabelOptions", []))) for e in routing
        ]
        returned = [e for e in events if e["Action"] == "return_item"]
        found = session.of(Retrieved)
        assert [(s.params["api"], s.params["total"], len(s.docs)) for s in found] == [
            (e["APIName"], e["TotalItems"], "Item" in e) for e in returned
        ]
        for retrieved, event in zip(found, returned, strict=True):
            for field, value in event.get("Item", {}).items():
                if isinstance(value, str):
                    assert (
                        f"{field}: {value}"[:100] in retrieved.docs[0].snippet or len(retrieved.docs[0].snippet) == 500
                    )
        for signal, event in zip(session.of(Answered), answering, strict=True):
            item = event.get("PrimaryItem") or {}
            shows = [v for k, v in item.items() if isinstance(v, str) and k != "APIName" and len(v) > 3]
            shown = any(value.lower() in event["Text"].lower() for value in shows)
            assert len(signal.docs) >= shown
            if not event.get("SecondaryItem"):
                assert len(signal.docs) == shown
        times = [item.said_at for item in session.items if item.said_at is not None]
        assert set(times) == {e["UnixTime"] for e in events if "UnixTime" in e}
        timeless = {"timeless": len(returned)} if returned else {}
        assert {f["code"]: f["count"] for f in session.session.lost if f["code"] == "timeless"} == timeless
        assert bool(session.of(SessionEnded)) == (events[-1]["Action"] == "complete")
        check_map(session, said, [e["Text"] for e in answering], sum("Item" in e for e in returned))


def test_the_slots_of_star_are_the_constraints_of_its_last_query(recordings: Path) -> None:
    for name in STAR:
        (session,) = whole(name, "star")
        slots: dict[str, Any] = {}
        queries = iter([event for event in load(name)["Events"] if event["Action"] == "query"])
        for item in session.items:
            kept(slots, [item.signal])
            if type(item.signal) is not Retrieved:
                continue
            query = next(queries)
            expected: dict[str, list[Any]] = {}
            for constraint in query["Constraints"]:
                for field, value in constraint.items():
                    expected.setdefault(f"{query['APIName']}.{field}", []).append(value)
            mine = {slot: value for slot, value in slots.items() if slot.startswith(query["APIName"] + ".")}
            assert mine == {slot: held[0] if len(held) == 1 else held for slot, held in expected.items()}
        assert next(queries, None) is None
