"""A session as spans: what tracing tools read in them, and the same map when they are imported again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.events import Event, Gap
from lingbot_map.graph import DialogueMap
from lingbot_map.importers import read, sniff
from lingbot_map.store.files import FileStore
from lingbot_probes.signals import Failed, Raw, SessionEnded, SessionStarted, Undone
from lingbot_web.export import find
from lingbot_web.export_otlp import otlp
from tests.builders import Dialogue, answered, assigned, cleared, recalled, routed, said
from tests.builders import read as slot_read
from tests.torture.hostile import STRINGS, hostile

CASES = Path(__file__).resolve().parents[2] / "snapshots"


def document(session: str, events: Iterable[Event]) -> bytes:
    return b"".join(otlp(session, events))


def spans(found: bytes) -> list[dict[str, Any]]:
    value = json.loads(found)
    return [span for resource in value["resourceSpans"] for scope in resource["scopeSpans"] for span in scope["spans"]]


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def imported(found: bytes) -> list[Any]:
    """The signals of the one session, and the map that they make."""
    reading = read(found, "x.json")
    items = list(next(reading).items)
    assert list(reading) == []
    return items


def retold(events: Iterable[Event]) -> list[tuple[Any, float | None]]:
    """The signals of a recording as spans can carry them: without what the map itself noted."""
    own = (Gap,)
    return [
        (event.signal, event.said_at if event.said_at is not None else event.at)
        for event in events
        if event.n and not isinstance(event.signal, own)
    ]


def map_of(session: str, items: Iterable[Any]) -> DialogueMap:
    dialogue = Dialogue(session)
    for item in items:
        dialogue.arrive([item], after=0.5)
    map: DialogueMap = dialogue.map
    return map


def likeness(map: DialogueMap) -> dict[str, Any]:
    """What two maps of the same dialogue share whatever the numbers of their events: all but seqs and times."""
    return {
        "nodes": {id: (n.kind, n.layer, n.label, n.turn, sorted(n.props)) for id, n in map.nodes.items()},
        "edges": [(e.kind, e.source, e.target, e.turn) for e in sorted(map.edges.values(), key=lambda e: e.seq)],
        "findings": sorted((f.code, f.since, f.turn) for f in map.findings.values() if f.kind != "gap"),
    }


@pytest.mark.parametrize("name", ["case-intent-drift", "case-slot-pollution", "case-recall-drift"])
def test_a_recording_exported_as_spans_and_imported_is_the_same_map(name: str) -> None:
    events = list(find(FileStore(CASES, read_only=True), name, CASES).events())
    found = document(name, events)
    assert sniff(found, "x.json") == "otlp"
    items = imported(found)
    assert [item.signal for item in items] == [
        signal if signal.kind != "turn_started" else items[place].signal
        for place, (signal, _) in enumerate(retold(events))
    ]
    kept = Dialogue(name)
    for event in events:
        kept.mapper.apply(event)
    again = map_of(name, items)
    assert likeness(again) == likeness(kept.map)
    assert again.turn == kept.map.turn


def test_every_kind_of_signal_and_every_text_comes_back(tmp_path: Path) -> None:
    session = hostile(tmp_path, STRINGS, session="call")
    events = list(find(FileStore(tmp_path, read_only=True), session, tmp_path).events())
    items = imported(document(session, events))
    told = [signal for signal, _ in retold(events)]
    assert len(items) == len(told)
    for item, signal in zip(items, told, strict=True):
        if signal.kind == "turn_started":
            assert item.signal.utterance == signal.utterance
        else:
            assert item.signal == signal


def test_a_tracing_tool_finds_turns_routes_documents_and_failures() -> None:
    dialogue = Dialogue("call")
    dialogue.tell(SessionStarted(title="t"))
    dialogue.tell(said("hi"), routed("buy", parent="shop", label="Buy"), assigned("brand", "x"), slot_read("brand"))
    dialogue.tell(recalled("vector", {"a": 0.9}, query="q"), recalled("reranked", {"a": 0.7}))
    dialogue.tell(Failed(where="pay", error="no card"), cleared("brand"), answered("here", "a"))
    dialogue.tell(said("bye"), Undone(turn="x"), Raw(name="note", data=1), SessionEnded())
    dialogue.own(Gap(source="bot", first=90, last=92))
    found = spans(document("call", dialogue.events))
    by_name = {span["name"]: span for span in found}
    root = by_name["turn_started 1"]
    assert "parentSpanId" not in root
    assert (attributes(root)["input.value"], attributes(root)["output.value"]) == ("hi", "here")
    route = by_name["intent_routed buy"]
    assert route["parentSpanId"] == root["spanId"]
    assert attributes(route)["graph.node.parent_id"] == "shop"
    retrieval = by_name["retrieved vector"]
    assert retrieval["parentSpanId"] == route["spanId"], "what happened under an intent hangs below it"
    assert attributes(retrieval)["openinference.span.kind"] == "RETRIEVER"
    assert attributes(retrieval)["retrieval.documents.0.document.id"] == "a"
    assert attributes(retrieval)["retrieval.documents.0.document.score"] == 0.9
    assert attributes(by_name["retrieved reranked"])["openinference.span.kind"] == "RERANKER"
    assert by_name["failed pay"]["status"] == {"code": 2, "message": "no card"}
    lost = next(span for span in found if span["name"].startswith("gap"))
    assert lost["status"]["message"] == "3 events lost: dropped"
    assert len({span["traceId"] for span in found}) == 3, "a trace for each turn, and one for what came before"
    assert len({(span["traceId"], span["spanId"]) for span in found}) == len(found)
    for span in found:
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
        assert attributes(span)["session.id"] == "call"


def test_the_same_export_twice_has_the_same_ids() -> None:
    events = list(find(FileStore(CASES, read_only=True), "case-recall-drift", CASES).events())
    assert document("a", events) == document("a", events)
    one, other = spans(document("a", events)), spans(document("b", events))
    assert not {span["traceId"] for span in one} & {span["traceId"] for span in other}


def test_a_signal_that_can_not_be_read_stays_as_it_came() -> None:
    events = list(find(FileStore(CASES, read_only=True), "case-recall-drift", CASES).events())
    whole = document("call", events).decode()
    forged = whole.replace('\\"kind\\": \\"answered\\"', '\\"kind\\": 7', 1)
    forged = forged.replace('\\"kind\\": \\"answered\\"', '\\"kind\\": \\"tick\\"', 1)
    assert forged.count('answered\\"') == whole.count('answered\\"') - 2
    kinds = [(item.signal.kind, getattr(item.signal, "name", "")) for item in imported(forged.encode())]
    assert [kind for kind, _ in kinds].count("turn_started") == 6
    assert kinds.count(("raw", "answered")) == 2
