"""Real Bot Framework recordings, field by field: what a file holds, read plainly, is what the import says."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.importers import Report
from lingbot_probes.adapters.botframework import BotFramework
from lingbot_probes.signals import Answered, Doc, IntentRouted, Raw, Retrieved, SlotAssigned, SlotCleared, TurnStarted
from tests.conftest import RECORDINGS
from tests.samples.imports import Opened, mapped, opened

Activity = dict[str, Any]
FOLDER = RECORDINGS / "sessions/botframework"
CHATS = RECORDINGS / "sessions/botframework_chat"
TRANSCRIPTS = sorted(path.name for path in FOLDER.glob("*.transcript")) or ["(the real recordings are not here)"]
CHAT_FILES = sorted(path.name for path in CHATS.glob("*.chat")) or ["(the real recordings are not here)"]


def activities(path: Path) -> list[Activity]:
    """The activities as they stand in the file."""
    found: list[Activity] = json.loads(path.read_text("utf-8-sig"))
    return found


@dataclass
class Turn:
    """One turn: what was said, what recognisers found, what the knowledge base gave."""

    said: str = ""
    answers: list[str] = field(default_factory=list)
    results: list[tuple[str, float]] = field(default_factory=list)
    rows: list[list[Activity]] = field(default_factory=list)


def by_user(activity: Activity) -> bool:
    """In these files the bot always has its role, and the user has it or none."""
    return bool(activity["from"].get("role") != "bot")


def turns(path: Path) -> list[Turn]:
    """Turn 0 is before the user spoke. In these files all that answers a message comes after it."""
    found = [Turn()]
    for activity in activities(path):
        value = activity.get("value")
        if activity["type"] == "message":
            if by_user(activity):
                said = activity.get("text") or json.dumps(value, ensure_ascii=False, separators=(",", ":"))
                found.append(Turn(said))
            else:
                cards = [card["contentType"] for card in activity.get("attachments", [])]
                found[-1].answers.append(activity.get("text") or f"[{', '.join(cards)}]")
        elif activity.get("name") == "LuisRecognizer":
            intents = value["recognizerResult"]["intents"]  # type: ignore[index]
            best = max(intents, key=lambda name: intents[name]["score"])
            found[-1].results.append((best, intents[best]["score"]))
        elif activity.get("name") == "QnAMaker":
            found[-1].rows.append(value["queryResults"])  # type: ignore[index]
    return found


def routes(results: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """What a turn's results come to: each new intent of 0.5 and more, else the best one."""
    strong = {name: (name, score) for name, score in reversed(results) if score >= 0.5 and name != "None"}
    kept = [pair for i, pair in enumerate(results) if pair == strong.get(pair[0]) and pair not in results[:i]]
    named = [pair for pair in results if pair[0] != "None"] or results
    return kept or sorted(named, key=lambda pair: -pair[1])[:1]


def whole(name: str) -> Opened:
    """The one session of a file, read without a problem."""
    report = Report()
    (session,) = opened(FOLDER / name, report)
    assert report.problem_count == 0
    assert report.records == len(activities(FOLDER / name))
    return session


def per_turn(session: Opened) -> dict[int, list[Any]]:
    """The signals of each turn."""
    found = defaultdict(list)
    for item in session.items:
        found[int(item.turn or 0)].append(item.signal)
    return found


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_who_said_what_in_which_turn(recordings: Path, name: str) -> None:
    session, expected = whole(name), turns(FOLDER / name)
    assert session.session.session_id == activities(FOLDER / name)[0]["conversation"]["id"]
    assert [s.utterance for s in session.of(TurnStarted)] == [turn.said for turn in expected[1:]]
    told = per_turn(session)
    for number, turn in enumerate(expected):
        assert [s.text for s in told[number] if type(s) is Answered] == turn.answers


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_what_was_understood(recordings: Path, name: str) -> None:
    told = per_turn(whole(name))
    for number, turn in enumerate(turns(FOLDER / name)):
        routed = [s for s in told[number] if type(s) is IntentRouted and s.condition != "dialog stack"]
        assert [(s.intent, s.confidence) for s in routed] == routes(turn.results)
        seen = {pair for s in routed for pair in [(s.intent, s.confidence), *s.candidates]}
        for raw in (s for s in told[number] if type(s) is Raw and s.name == "recognized"):
            kept = raw.data if type(raw.data) is list else [raw.data]
            seen |= {(result["intent"], result["score"]) for result in kept}
        assert {name for name, _ in turn.results} <= {name for name, _ in seen}
        assert all(s.parent in ("", routed[0].intent) for s in routed[1:])


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_what_was_retrieved_and_used(recordings: Path, name: str) -> None:
    told = per_turn(whole(name))
    for number, turn in enumerate(turns(FOLDER / name)):
        found = [s for s in told[number] if type(s) is Retrieved]
        rows = [[(d.snippet, d.score, d.rank, d.title) for d in s.docs] for s in found]
        assert rows == [
            [(row["answer"], row["score"], i, row["questions"][0]) for i, row in enumerate(rows, 1)]
            for rows in turn.rows
        ]
        texts = {doc.id: doc.snippet for s in found for doc in s.docs}
        for answer in (s for s in told[number] if type(s) is Answered):
            made_of = {
                row["answer"] for rows in turn.rows for row in rows if row["answer"].strip() == answer.text.strip()
            }
            assert {texts[doc] for doc in answer.docs} == made_of
    if "faqs" in name:
        assert sum(bool(s.docs) for signals in told.values() for s in signals if type(s) is Answered) >= 6


OWN_BOOKS = {"eventCounter", "requiredProperties", "expectedProperties", "retries", "events"}
OWN_BOOKS |= {"lastEvent", "lastTriggerEvent", "lastIntent"}


def leaves(held: Any, path: str, depth: int = 1) -> Iterator[tuple[str, Any]]:
    """The plain values of a state, dialogs' own books left out."""
    for key, value in held.items():
        if key.startswith(("_", "$")) or key in OWN_BOOKS or key.lower() == "dialogstate":
            continue
        if isinstance(value, dict) and value and depth < 4:
            yield from leaves(value, f"{path}.{key}", depth + 1)
        else:
            yield f"{path}.{key}", value


@pytest.mark.parametrize("name", [name for name in TRANSCRIPTS if "sandwich" in name])
def test_after_each_state_trace_the_slots_hold_what_it_shows(recordings: Path, name: str) -> None:
    adapter = BotFramework("x")
    slots: dict[str, Any] = {}
    checked = 0
    for activity in activities(FOLDER / name):
        for item in adapter.take(activity):
            if type(item.signal) is SlotAssigned:
                assert slots.get(item.signal.slot) != item.signal.value
                slots[item.signal.slot] = item.signal.value
            elif type(item.signal) is SlotCleared:
                del slots[item.signal.slot]
        value = activity.get("value")
        if activity["type"] == "trace" and isinstance(value, dict) and "turn" in value:
            shown: dict[str, Any] = {}
            for scope in ("conversation", "user", "dialog", "skill"):
                shown.update(leaves(value.get(scope, {}), scope))
            assert slots == {path: held for path, held in shown.items() if held is not None}
            checked += 1
    assert checked == sum(
        a["type"] == "trace" and a["name"] in ("BotState", "ShowAction") for a in activities(FOLDER / name)
    )


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_map_holds_it_too(recordings: Path, name: str) -> None:
    session, expected = whole(name), turns(FOLDER / name)
    map = mapped(session.session.session_id, session.session.source, session.items).map
    labels = {node.turn: node.label for node in map.nodes.values() if node.kind == "utterance"}
    for number, turn in enumerate(expected[1:], 1):
        assert labels[number] == turn.said
        answers = [node.label for node in map.nodes.values() if node.kind == "answer" and node.turn == number]
        assert answers == turn.answers
    jumps = [e for e in map.edges.values() if e.id.startswith("jump:") and e.props.get("condition") != "dialog stack"]
    assert [(e.turn, e.target, e.props["confidence"]) for e in jumps] == [
        (number, f"intent:{intent}", score)
        for number, turn in enumerate(expected)
        for intent, score in routes(turn.results)
    ]
    recalls = [(e.turn, e.props["rank"], e.props["score"]) for e in map.edges.values() if e.kind == "recall"]
    assert recalls == [
        (number, rank, row["score"])
        for number, turn in enumerate(expected)
        for rows in turn.rows
        for rank, row in enumerate(rows, 1)
    ]
    docs = {node.id: node.props.get("snippet") for node in map.nodes.values() if node.kind == "doc"}
    assert set(docs.values()) == {row["answer"] for turn in expected for rows in turn.rows for row in rows}
    cited = [(e.turn, docs[e.source].strip()) for e in map.edges.values() if e.kind == "merge"]  # type: ignore[union-attr]
    for number, text in cited:
        assert text in [answer.strip() for answer in expected[number].answers]
    assert len(cited) == sum(len(s.docs) for s in session.of(Answered))
    assert not map.losses
    assert not [unplaced for unplaced in map.unplaced if unplaced.why]


@pytest.mark.parametrize("name", CHAT_FILES)
def test_chats(recordings: Path, name: str) -> None:
    report = Report()
    (session,) = opened(CHATS / name, report)
    header, _, body = (CHATS / name).read_text("utf-8").partition("\n\n")
    assert "=" in header
    said = [line.split(":", 1) for line in body.splitlines() if line.strip()]
    expected = [(who.strip().lower() == "user", text.strip()) for who, text in said]
    told = [
        (type(s) is TurnStarted, s.utterance if type(s) is TurnStarted else s.text)
        for s in session.of(TurnStarted, Answered)
    ]
    assert told == expected
    assert report.problem_count == 0
    map = mapped(session.session.session_id, session.session.source, session.items).map
    assert [n.label for n in map.nodes.values() if n.kind == "answer"] == [text for user, text in expected if not user]


def test_a_documents_fields_are_those_of_its_row(recordings: Path) -> None:
    first = whole("hospitalitysample-faqs.transcript").of(Retrieved)[0]
    (row,) = turns(FOLDER / "hospitalitysample-faqs.transcript")[1].rows[0]
    base = "3d57715e-9c7c-4efc-a06b-5e6a51856ff5"
    assert first.query == "Hi how are you today?"
    assert first.params == {"knowledgeBaseId": base, "scoreThreshold": 0.3, "top": 1}
    assert first.docs == (
        Doc(
            id=f"{base}/{row['id']}",
            title="How are you",
            score=0.8574,
            score_kind="qna",
            rank=1,
            snippet="Great, thanks.",
        ),
    )
