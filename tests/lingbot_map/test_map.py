"""The map: merging, histories, lifetimes, undoing, retiring, and what can't be placed."""

from __future__ import annotations

import pytest

from lingbot_map import codec
from lingbot_map.errors import BadInput
from lingbot_map.events import KIND_NUMBER, PolicySet
from lingbot_map.layers import BLANK
from lingbot_map.model import Moment
from lingbot_map.policy import policy_from
from lingbot_probes.signals import Doc, Raw, SessionEnded, SessionStarted, SlotAssigned, Undone
from tests.builders import START, Dialogue, answered, assigned, cleared, read, recalled, routed, said


def test_two_phrasings_of_one_intent_are_one_node_with_a_history() -> None:
    d = Dialogue()
    d.tell(said("change my plan"), routed("plan", 0.94), said("I want another plan"), routed("plan", 0.71))
    intents = [n for n in d.map.nodes.values() if n.kind == "intent"]
    assert [n.id for n in intents] == ["intent:plan"]
    assert intents[0].props["visits"] == 2
    assert [(seq, props["confidence"]) for seq, props in d.map.history["intent:plan"]] == [(2, 0.94), (4, 0.71)]
    assert d.map.props_at("intent:plan", 3)["confidence"] == 0.94


def test_the_edges_of_a_turn() -> None:
    d = Dialogue()
    d.tell(
        said("hi"),
        routed("plan", 0.9, condition="phone = null", candidates=(("plan", 0.9), ("bill", 0.1))),
        assigned("phone", "138"),
        read("phone", reader="lookup"),
        recalled("vector", {"a": 0.9, "b": 0.5}),
        answered("done", "a"),
        said("and the bill?"),
        routed("bill"),
    )
    edges = {e.id: (e.kind, e.source, e.target, e.turn) for e in d.map.edges.values()}
    assert edges == {
        "jump:2": ("jump", "utterance:1", "intent:plan", 1),
        "assign:3": ("assign", "intent:plan", "slot:phone", 1),
        "read:4": ("read", "slot:phone", "intent:plan", 1),
        "recall:5.1": ("recall", "utterance:1", "doc:a", 1),
        "recall:5.2": ("recall", "utterance:1", "doc:b", 1),
        "merge:6.1": ("merge", "doc:a", "answer:1", 1),
        "jump:8": ("jump", "utterance:2", "intent:bill", 2),
        "move:8": ("jump", "intent:plan", "intent:bill", 2),
    }
    assert d.map.edges["jump:2"].props["condition"] == "phone = null"
    assert d.map.edges["read:4"].props == {
        "value": "138",
        "written": 3,
        "written_turn": 1,
        "task": "plan",
        "reader": "lookup",
    }


def test_a_slot_fades_after_half_an_hour_and_reading_keeps_it() -> None:
    d = Dialogue()
    d.tell(said(), assigned("phone", "138"), assigned("brand", "x"))
    d.wait(1000)
    d.tell(read("phone"))
    assert d.map.next_deadline == pytest.approx(START + 3 + 1800)
    d.wait(900)
    assert d.map.nodes["slot:brand"].expired
    assert not d.map.nodes["slot:phone"].expired
    d.wait(2000)
    assert d.map.nodes["slot:phone"].expired
    assert d.map.next_deadline is None
    d.tell(read("phone"))
    assert d.map.edges[f"read:{d.map.cursor.seq}"].props["stale"] is True
    assert not d.map.nodes["slot:phone"].expired


def test_cleared_slots_are_not_set_and_the_edge_tells_what_was_there() -> None:
    d = Dialogue()
    d.tell(said(), assigned("phone", "138"), cleared("phone"), cleared("never"))
    assert d.map.nodes["slot:phone"].props["set"] is False
    assert d.map.edges["assign:3"].props == {"value": None, "change": "cleared", "task": "", "old": "138"}
    assert d.map.nodes["slot:never"].props["set"] is False


def test_intents_go_inactive_with_their_session_and_come_back_with_a_turn() -> None:
    d = Dialogue()
    d.tell(said(), routed("plan"), SessionEnded(reason="bye"))
    assert d.map.nodes["intent:plan"].expired
    assert d.map.about["ended_at"] == d.now
    d.tell(said(), routed("plan"))
    assert not d.map.nodes["intent:plan"].expired
    assert d.map.about["ended_at"] is None


def test_answers_of_one_turn_are_told_apart() -> None:
    d = Dialogue()
    d.tell(answered("welcome"), said(), answered("one"), answered("two"), answered("three"))
    assert [n for n in d.map.nodes if n.startswith("answer")] == ["answer:0", "answer:1", "answer:1.2", "answer:1.3"]
    assert d.map.turns[0].number == 0, "what comes before the first utterance has a lane of its own"


def test_undoing_strikes_through_and_gives_slots_their_value_of_before() -> None:
    d = Dialogue()
    d.tell(said(), routed("plan"), assigned("phone", "138", scope="session"))
    d.tell(said(), routed("bill"), assigned("phone", "139"), assigned("month", "May"))
    d.tell(Undone(to=3, why="rewind"))
    assert d.map.undone == [(4, 7, "rewind")]
    assert d.map.nodes["slot:phone"].props["value"] == "138"
    assert d.map.nodes["slot:phone"].props["seq"] == 3
    assert d.map.nodes["slot:month"].props["set"] is False
    assert "assign:6" in d.map.edges, "struck through, not gone"
    assert d.map.is_undone(6)
    d.tell(said(), routed("repair"))
    assert d.map.edges[f"move:{d.map.cursor.seq}"].source == "intent:plan", "the flow goes on from where it was"


def test_undoing_by_turn() -> None:
    d = Dialogue()
    d.tell(said("a", turn="t1"), assigned("x", 1))
    d.tell(said("b", turn="t2"), assigned("x", 2))
    d.tell(Undone(turn="t2"), Undone(turn="unknown"), Undone(to=99))
    assert d.map.undone == [(3, 4, "")]
    assert d.map.nodes["slot:x"].props["value"] == 1


def test_undoing_follows_a_sources_numbers_through_others() -> None:
    d = Dialogue()
    d.tell(said("a"), source="one")
    d.tell(answered("elsewhere"), answered("again"), source="two")
    d.tell(assigned("x", 1), assigned("x", 2), source="one")
    d.tell(Undone(to=2), source="one")
    assert d.map.undone == [(5, 5, "")]
    assert d.map.nodes["slot:x"].props["value"] == 1


def test_old_turns_retire_and_what_the_rest_stands_on_stays() -> None:
    d = Dialogue()
    d.own(PolicySet(values={"kept_turns": 2}))
    for k in range(1, 6):
        d.tell(said(f"u{k}"), routed("plan", k / 10), assigned("phone", k), answered(f"a{k}"))
    assert list(d.map.turns) == [4, 5]
    assert d.map.retired == 3
    assert [n.id for n in d.map.nodes.values() if n.kind in ("utterance", "answer")] == [
        "utterance:4",
        "answer:4",
        "utterance:5",
        "answer:5",
    ]
    assert min(e.turn for e in d.map.edges.values()) == 4
    first = d.map.turns[4].seq
    assert d.map.first_moment == first
    assert d.map.history["slot:phone"][0][1]["value"] == 3, "the value at the cut is still known"
    assert d.map.props_at("intent:plan", first - 1)["visits"] == 3
    assert d.map.totals["turns"] == 5
    assert codec.dump(codec.unpack(codec.pack(d.map))) == codec.dump(d.map)


def test_what_has_no_place_is_kept_and_shown_as_it_is() -> None:
    d = Dialogue()
    d.tell(said(), Raw(name="reminder", data={"at": 3}))
    (entry,) = d.map.unplaced
    assert (entry.seq, entry.name) == (2, "reminder")


def test_a_damaged_log_leaves_holes_that_seqs_still_reach_over() -> None:
    d = Dialogue()
    d.tell(said("a"), answered("b"), said("c"), answered("d"))
    from lingbot_map.mapper import replay

    map = replay([d.events[0], d.events[3]], "s")
    assert map.cursor.seq == 4
    assert list(map.moment_kind) == [1, 13, 13, 7]
    assert map.nodes["answer:2"].seq == 4


def test_an_unhashable_or_huge_value_costs_nothing() -> None:
    d = Dialogue()
    d.tell(said(), SlotAssigned(slot="x", value={"a": [1, {"b": None}]}), assigned("x", {"a": [1, {"b": None}]}))
    assert d.map.edges["assign:3"].props["change"] == "same"
    assert d.map.unplaced == []


def test_a_policy_names_the_setting_that_is_wrong() -> None:
    with pytest.raises(BadInput, match="slot_lifetime"):
        policy_from({"slot_lifetime": "long"})
    with pytest.raises(BadInput, match="slots_lifetime"):
        policy_from({"slots_lifetime": 3})


def test_a_packed_map_that_other_rules_concluded_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    d = Dialogue()
    d.tell(said("hello"), routed("plan"))
    packed = codec.pack(d.map)
    codec.unpack(packed)
    with pytest.raises(ValueError, match="packed map"):
        codec.unpack(packed[:-3])
    monkeypatch.setattr(codec, "rules", lambda: "another")
    with pytest.raises(ValueError, match="rules another"):
        codec.unpack(packed)


def test_a_loaded_map_remembers_the_retrievals_that_a_grown_one_does() -> None:
    d = Dialogue()
    for k in range(50):
        d.tell(said(f"u{k}"), recalled("vector", {"a": 0.9, f"b{k % 3}": 0.5}, query=f"q{k}"))
        d.tell(recalled("reranked", {f"b{k % 3}": 0.9, "a": 0.5}, query=f"q{k}"))
        if k % 4 == 0:
            d.tell(recalled("vector", {"a": 0.9}, query="again"), recalled("reranked", {"a": 0.9}, query="again"))
    grown = d.map.indexes.retrievals
    loaded = codec.unpack(codec.pack(d.map)).indexes.retrievals
    assert loaded.firsts == grown.firsts
    assert [(r.turn, r.query, r.stages) for r in loaded.recent] == [(r.turn, r.query, r.stages) for r in grown.recent]
    assert len(loaded.recent) == 32


def test_an_event_is_found_by_its_number() -> None:
    d = Dialogue()
    d.own(PolicySet(values={"kept_turns": 2}))
    d.tell(said("one"), answered("1"))
    assert d.map.moment(3) == Moment(1, KIND_NUMBER["answered"], START + 2)
    assert d.map.moment(0) is None
    assert d.map.moment(4) is None
    for k in range(6):
        d.tell(said(f"u{k}"))
    assert d.map.first_moment > 3
    assert d.map.moment(3) is None
    first = d.map.moment(d.map.first_moment)
    assert first is not None
    assert first.turn == min(d.map.turns)
    assert d.map.moment(d.map.first_moment - 1) is None


BLANKS = ["", " ", "\t\n", "\u3000", "\u200b\ufeff", "\u2028", "\u202e", "\x00", "\u3164", "\u2800 "]


@pytest.mark.parametrize("blank", BLANKS)
def test_no_row_is_without_a_name(blank: str) -> None:
    d = Dialogue()
    d.tell(SessionStarted(title=blank), said(blank), routed(blank, label=blank, condition=blank))
    d.tell(routed("plan", label=blank), assigned(blank, 1, label=blank), read(blank, reader=blank), cleared(blank))
    d.tell(read(blank + blank), cleared(f"{blank}\n"), assigned("phone", 1, label=blank))
    d.tell(recalled("vector", [Doc(id=blank, title=blank), Doc(id="a", title=blank)]), answered(blank, blank, " \t"))
    labels = {node.id: node.label for node in d.map.nodes.values()}
    rows = {id: label for id, label in labels.items() if id.partition(":")[0] not in ("utterance", "answer")}
    assert {id: rows.pop(id) for id in ("intent:plan", "slot:phone", "doc:a")} == {
        "intent:plan": "plan", "slot:phone": "phone", "doc:a": "a",
    }  # fmt: skip
    assert len(rows) >= 4
    assert set(rows.values()) == {BLANK}
    assert {labels["utterance:1"], labels["answer:1"]} == {""}, "nothing was said, and the page has a word for that"
    assert d.map.nodes["utterance:1"].props["text"] == blank
    assert "title" not in d.map.about
    assert "title" not in d.map.nodes["doc:a"].props
    assert all("reader" not in edge.props and "condition" not in edge.props for edge in d.map.edges.values())
    assert d.map.unplaced == []


@pytest.mark.parametrize("blank", BLANKS)
def test_a_name_that_was_said_is_not_taken_back_by_a_blank(blank: str) -> None:
    d = Dialogue()
    d.tell(said("hi"), routed("plan", label="Plan"), assigned("phone", 1, label="Phone"), assigned(" ", 1, label="One"))
    d.tell(recalled("vector", [Doc(id="a", title="A")]))
    d.tell(routed("plan", label=blank), assigned("phone", 2, label=blank), assigned(" ", 2, label=blank), said(blank))
    d.tell(recalled("vector", [Doc(id="a", title=blank, hits=5)]))
    assert [d.map.nodes[id].label for id in ("intent:plan", "slot:phone", "slot: ", "doc:a")] == [
        "Plan", "Phone", "One", "A",
    ]  # fmt: skip
    assert d.map.nodes["doc:a"].props["title"] == "A"


def test_a_blank_name_gets_the_first_that_can_be_seen() -> None:
    d = Dialogue()
    d.tell(said(), read(" "), assigned(" ", 1, label=" 手机 "), routed(" "), routed(" ", label="é"))
    assert d.map.nodes["slot: "].label == " 手机 "
    assert d.map.nodes["intent: "].label == "é"
