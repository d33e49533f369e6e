"""A designed diagram replayed against what was recorded: matched, missing and extra steps."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingbot_map.ask.bases.sequence.conform import Did, conform
from lingbot_map.ask.bases.sequence.ir import Diagram
from lingbot_map.ask.bases.sequence.meaning import kind_of
from lingbot_map.ask.bases.sequence.recorded import Recorded, told
from lingbot_map.ask.bases.sequence.source import read
from lingbot_map.errors import BadInput
from lingbot_probes.signals import Failed
from tests.builders import Dialogue, answered, assigned, cleared, recalled, routed, said
from tests.builders import read as used


def diagram(*lines: str) -> Diagram:
    head = ("@startuml", "actor User", "participant Router", "participant Slots", "participant Handler")
    diagrams, _ = read("\n".join((*head, *lines, "@enduml")), "design.puml")
    return diagrams[0]


SWITCH = diagram(
    "User -> Router : utterance", "Router -> Router : classify",
    "opt 业务切换", "Router -> Slots : clearSlots(旧业务)", "end",
    "Router -> Handler : dispatch", "opt 需要知识", "Handler -> Handler : retrieve", "end", "Handler --> User : answer",
)  # fmt: skip


def steps(*kinds: str) -> list[Did]:
    return [Did(kind, "", number) for number, kind in enumerate(kinds, 1)]


def found(design: Diagram, *kinds: str, **known: bool) -> tuple[list[str], list[str], list[str]]:
    result = conform(design, steps(*kinds), facts=known.get)
    return (
        [f"{message.id}={event}" for message, event in result.matched],
        [message.id for message in result.missing],
        [f"{step.kind}={step.event}" for step in result.extra],
    )


def test_each_message_stands_for_a_kind_of_step() -> None:
    assert [kind_of(message, SWITCH) for message in SWITCH.messages] == [
        "utterance", "route", "clear", "dispatch", "retrieve", "answer",
    ]  # fmt: skip
    other = diagram("Router -> Slots : 写入槽位", "Router -> Slots : setSlot(brand)", "Handler -> Handler : think")
    assert [kind_of(message, other) for message in other.messages] == ["write", "write", ""]


def test_a_turn_as_designed_conforms() -> None:
    assert found(SWITCH, "utterance", "route", "answer") == (["m1=1", "m2=2", "m4=2", "m6=3"], [], [])
    assert found(SWITCH, "utterance", "route", "clear", "retrieve", "answer")[1:] == ([], [])


def test_a_known_condition_decides_its_branch() -> None:
    assert found(SWITCH, "utterance", "route", "answer", 业务切换=True)[1:] == (["m3"], [])
    assert found(SWITCH, "utterance", "route", "clear", "answer", 业务切换=False)[1:] == ([], ["clear=3"])


def test_steps_out_of_order_are_missing_and_extra() -> None:
    _, missing, extra = found(SWITCH, "utterance", "clear", "route", "answer", 业务切换=True)
    assert (len(missing), len(extra)) == (1, 1)


def test_kinds_that_the_design_never_speaks_of_are_beyond_it() -> None:
    result = conform(SWITCH, steps("utterance", "route", "write", "answer"))
    assert result.conforms
    assert [step.kind for step in result.beyond] == ["write"]


def test_a_loop_that_is_known_not_to_run_is_left_out() -> None:
    loop = diagram("loop each", "Router -> Slots : writeSlot", "end")
    assert found(loop, "write", each=False)[1:] == ([], ["write=1"])


def test_loops_repeat_and_parallel_parts_come_in_any_order() -> None:
    loop = diagram("loop each", "Router -> Slots : writeSlot", "end")
    assert found(loop, "write", "write", "write")[1:] == ([], [])
    par = diagram("par", "Router -> Slots : writeSlot", "else", "Handler -> Handler : retrieve", "end")
    assert found(par, "write", "retrieve")[1:] == ([], [])
    assert found(par, "retrieve", "write")[1:] == ([], [])
    assert found(par, "retrieve")[1:] == (["m1"], [])


def test_a_break_ends_what_follows() -> None:
    design = diagram(
        "User -> Router : utterance", "break x", "Handler --> User : answer", "end", "Router -> Router : classify"
    )
    assert found(design, "utterance", "answer")[1:] == ([], [])
    assert found(design, "utterance", "route")[1:] == ([], [])
    assert (
        found(design, "utterance", "answer", "route")[2] == ["route=3"]
        or found(design, "utterance", "answer", "route")[2]
    )


def test_a_message_that_names_a_slot_is_that_slot_alone() -> None:
    design = diagram("Router -> Slots : clear(brand)")
    steps = [Did("clear", "budget", 1)]
    wrong = conform(design, steps, slots=frozenset(("brand", "budget")))
    assert ([m.id for m in wrong.missing], [step.name for step in wrong.extra]) == (["m1"], ["budget"])
    assert conform(design, [Did("clear", "brand", 1)], slots=frozenset(("brand", "budget"))).conforms


KINDS = ("utterance", "route", "clear", "retrieve", "answer")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(KINDS), max_size=7))
def test_the_cost_is_the_least_number_of_edits(kinds: list[str]) -> None:
    """Beside the distance to the nearest of the four turns that the design allows (insertions and deletions)."""
    allowed = [
        [kind for kind in ("utterance", "route", "clear", "retrieve", "answer") if kind not in left_out]
        for left_out in ((), ("clear",), ("retrieve",), ("clear", "retrieve"))
    ]
    result = conform(SWITCH, steps(*kinds))
    unrouted = "route" not in kinds  # nothing then shows the dispatch
    assert result.cost == min(distance(kinds, each) for each in allowed) + unrouted


def distance(a: list[str], b: list[str]) -> int:
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        row, before = [i], row
        for j, other in enumerate(b, 1):
            row.append(before[j - 1] if one == other else 1 + min(before[j], row[j - 1]))
    return row[-1]


def test_a_diagram_too_large_for_a_turn_is_refused_soon() -> None:
    lines = ["par"]
    for _ in range(9):
        lines += [*["Router -> Slots : writeSlot"] * 6, "else"]
    with pytest.raises(BadInput, match="states"):
        conform(diagram(*lines[:-1], "end"), steps(*["write"] * 20))


@pytest.mark.parametrize(
    "lines",
    [
        ["par", *["User -> Router : utterance", "else"] * 400, "User -> Router : utterance", "end"],
        [*["par", "User -> Router : utterance", "else"] * 60, "Handler --> User : answer", *["end"] * 60],
        ["opt a", "User -> Router : utterance", "end"] * 2000,
    ],
    ids=["wide", "deep", "optional"],
)
def test_branches_side_by_side_are_bounded_by_their_work_and_not_by_places_alone(lines: list[str]) -> None:
    wide = diagram(*lines)
    began = time.process_time()
    with pytest.raises(BadInput, match="states"):
        conform(wide, steps("utterance", "answer"))
    assert time.process_time() - began < 8  # 24 s for 40 branches where only places were counted, and minutes for 400


def test_eleven_branches_side_by_side_are_still_replayed() -> None:
    lines = ["par", *["User -> Router : utterance", "else"] * 10, "User -> Router : utterance", "end"]
    assert conform(diagram(*lines), steps(*["utterance"] * 11)).conforms


def test_a_recorded_turn_becomes_steps_and_facts() -> None:
    dialogue = Dialogue("s")
    dialogue.tell(said("hi", turn="1"), routed("repair"), answered("ok"))
    dialogue.tell(said("buy", turn="2"), routed("purchase", 0.6, missing=("budget",)), assigned("brand", "x"))
    dialogue.tell(used("brand"), cleared("brand"), recalled("vector", {"a": 0.9}), recalled("keyword", {"b": 0.5}))
    dialogue.tell(recalled("reranked", {"a": 0.9}), Failed(where="pay", error="no"), answered("done"))
    record = Recorded(dialogue.map)
    kinds = [(step.kind, step.name) for step in record.steps(2)]
    assert kinds == [
        ("utterance", ""), ("route", "purchase"), ("write", "brand"), ("read", "brand"), ("clear", "brand"),
        ("retrieve", "vector"), ("rerank", "reranked"), ("fail", ""), ("answer", ""),
    ]  # fmt: skip
    events = [step.event for step in record.steps(2)]
    assert events == sorted(events)
    assert record.steps(9) == ()
    known = record.known(2)
    conditions = ("业务切换", "intent changed", "置信度低于0.7", "confidence >= 0.7", "缺少槽位")
    assert [known.holds(each) for each in conditions] == [True, True, True, False, True]
    assert known.holds("需要知识") is None
    assert record.known(1).holds("业务切换") is False


def test_a_change_of_business_without_clearing_is_told() -> None:
    dialogue = Dialogue("s")
    dialogue.tell(said("hi", turn="1"), routed("repair"), answered("ok"))
    dialogue.tell(said("buy", turn="2"), routed("purchase"), answered("ok"))
    dialogue.tell(said("more", turn="3"), routed("purchase"), answered("ok"))
    wrong = told(Recorded(dialogue.map).conformance(SWITCH, 2), 2, "zh")
    assert wrong[0][0].startswith("否")
    assert "clearSlots" in wrong[0][0]
    assert wrong[0][1] == ("m3", "t2")
    assert "业务切换" in wrong[1][0]
    right = told(Recorded(dialogue.map).conformance(SWITCH, 3), 3, "en")
    assert right[0][0].startswith("Yes")
