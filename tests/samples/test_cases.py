"""The committed incidents: each shows its cause on the map, and the check names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lingbot_map.demo.cases import CASES, Case, record
from lingbot_map.graph import DialogueMap
from lingbot_map.model import Finding
from lingbot_map.session import Session
from lingbot_map.store import key_of
from lingbot_map.store.files import FileStore


def _case(name: str) -> Case:
    return next(case for case in CASES if case.session == f"case-{name}")


def _map(root: Path, tmp_path: Path, name: str) -> DialogueMap:
    """The map of a committed recording, opened as the server opens it."""
    store = FileStore(tmp_path, cases=root / "snapshots" / "cases")
    try:
        session = Session.recover(store.open(key_of(f"case-{name}")), now=0.0)
        assert session.recording.origin == "case"
        return session.map
    finally:
        store.close()


def _only(map: DialogueMap, code: str) -> Finding:
    (found,) = [finding for finding in map.findings.values() if finding.code == code]
    return found


def _codes(map: DialogueMap) -> list[str]:
    return sorted({finding.code for finding in map.findings.values()})


def test_intent_drift_is_a_loop_let_through_without_a_ticket(root: Path, tmp_path: Path) -> None:
    map = _map(root, tmp_path, "intent-drift")
    loop = _only(map, "LM201")
    assert loop.facts["path"] == ["change_plan", "data_dispute", "appeal", "ticket_query", "change_plan"]
    assert loop.facts["condition"] == "ticket_number = null"
    assert "ticket_number" in loop.facts["missing"]
    assert (loop.since, loop.turn) == (5, 9)
    assert [map.edges[edge].turn for edge in loop.edges] == [6, 7, 8, 9]
    appeal = map.nodes["intent:appeal"]
    assert appeal.props["parent"] == "data_dispute"
    assert map.nodes["slot:ticket_number"].props["value"] is not None  # in the end there is one
    assert _codes(map) == ["LM201"]
    for lang in ("en", "zh"):
        assert "ticket_number = null" in loop.reason[lang]


def test_slot_pollution_is_a_leak_from_the_repair_into_the_price_query(root: Path, tmp_path: Path) -> None:
    map = _map(root, tmp_path, "slot-pollution")
    leak = _only(map, "LM302")
    assert leak.facts["slot"] == "brand"
    assert leak.facts["value"] == "星舟"
    assert (leak.facts["from_task"], leak.facts["to_task"]) == ("after_sale", "price_query")
    assert (leak.facts["written_turn"], leak.turn) == (12, 17)
    between = [
        edge.turn
        for edge in map.edges.values()
        if edge.kind == "assign" and edge.target == "slot:brand" and 12 < edge.turn < 17
    ]
    assert between == []  # neither cleared nor confirmed
    overwrite = _only(map, "LM301")
    assert (overwrite.facts["old"], overwrite.facts["new"], overwrite.turn) == ("星舟", "轻语", 18)
    assert _codes(map) == ["LM301", "LM302"]


def test_recall_drift_names_the_popular_rule_and_the_one_it_beat(root: Path, tmp_path: Path) -> None:
    map = _map(root, tmp_path, "recall-drift")
    (drift,) = (finding for finding in map.findings.values() if finding.code == "LM401")
    assert [moment.turn for seq in drift.seqs if (moment := map.moment(seq))] == [3, 4, 5]
    assert drift.turn == 5
    assert (drift.facts["winner"], drift.facts["rival"]) == ("stacking-rules-old", "stacking-rules")
    assert (drift.facts["winner_hits"], drift.facts["rival_hits"]) == (28, 3)
    assert drift.facts["near"] == 0.87
    assert "28" in drift.reason["en"]
    assert "0.87" in drift.reason["zh"]
    winner = map.nodes["doc:stacking-rules-old"]
    assert winner.props["hits"] == 28
    assert _codes(map) == ["LM401", "LM402"]  # and it is the older version


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.session)
def test_the_recordings_are_what_the_assistant_does_today(case: Case, root: Path, tmp_path: Path) -> None:
    made = record(case, tmp_path)
    kept = root / "snapshots" / "cases" / made.name
    assert _said(made) == _said(kept)


def _said(recording: Path) -> list[str]:
    """The lines that the probe made; the map's own hold the policy, whose defaults may change."""
    lines = (recording / "events.jsonl").read_text("utf-8").splitlines()
    return [line for line in lines if '"source":"demo"' in line]
