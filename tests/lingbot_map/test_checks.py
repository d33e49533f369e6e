"""Each check on the smallest dialogue that it must name, and on the nearest one that it must not."""

from __future__ import annotations

from lingbot_map.events import PolicySet
from lingbot_map.intake import Intake
from lingbot_probes.signals import Doc, Failed
from tests.builders import Dialogue, answered, assigned, cleared, read, recalled, routed, said

DAY = 24 * 3600.0


def turn(dialogue: Dialogue, intent: str, *more: object, **props: object) -> None:
    dialogue.tell(said(f"about {intent}"), routed(intent, **props), *more)  # type: ignore[arg-type]


# --- loops --------------------------------------------------------------------------------------------------------


def test_a_round_through_three_intents_with_nothing_learned_is_a_loop() -> None:
    d = Dialogue()
    turn(d, "plan")
    turn(d, "dispute")
    turn(d, "appeal", condition="ticket_number = null", missing=("ticket_number",))
    assert d.findings("loop") == []
    turn(d, "plan")
    (found,) = d.findings("loop")
    assert found.code == "LM201"
    assert found.facts == {
        "path": ["plan", "dispute", "appeal", "plan"],
        "rounds": 1,
        "missing": ["ticket_number"],
        "condition": "ticket_number = null",
    }
    assert (found.since, found.turn) == (1, 4)
    assert [d.map.edges[e].target for e in found.edges] == ["intent:dispute", "intent:appeal", "intent:plan"]
    assert "ticket_number = null" in found.reason["en"]
    assert "ticket_number = null" in found.reason["zh"]


def test_a_loop_names_what_was_missing_as_the_map_does() -> None:
    d = Dialogue()
    d.tell(said("hello"), assigned("ticket_number", "T-1", label="工单号"), cleared("ticket_number"))
    for intent in ("plan", "dispute", "appeal", "plan"):
        turn(d, intent, missing=("ticket_number", "phone"))
    (found,) = d.findings("loop")
    assert found.facts["missing"] == ["ticket_number", "phone"]
    assert "工单号, phone was missing" in found.reason["en"]
    assert "每次都缺 工单号、phone" in found.reason["zh"]


def test_a_digression_is_no_loop_but_the_second_one_alike_is() -> None:
    d = Dialogue()
    d.tell(assigned("channel", "app"))
    for intent in ("plan", "bill", "plan"):
        turn(d, intent)
    assert d.findings("loop") == []
    move = d.map.edges[f"move:{d.map.cursor.seq}"]
    assert move.props["closes"] == 3, "every closed loop is drawn"
    turn(d, "bill")
    turn(d, "plan")
    assert [f.facts["rounds"] for f in d.findings("loop")] == [2]


def test_a_source_that_says_nothing_of_slots_has_no_loops() -> None:
    d = Dialogue()
    for intent in ("plan", "dispute", "appeal", "plan", "dispute", "appeal", "plan"):
        turn(d, intent)
    assert d.findings("loop") == []
    turn(d, "bill", assigned("month", None))
    for intent in ("roaming", "handoff", "bill"):
        turn(d, intent)
    assert [f.facts["path"] for f in d.findings("loop")] == [["bill", "roaming", "handoff", "bill"]]


def test_two_different_digressions_are_no_loop() -> None:
    d = Dialogue()
    d.tell(assigned("channel", "app"))
    for intent in ("plan", "bill", "plan", "roaming", "plan"):
        turn(d, intent)
    assert d.findings("loop") == []


def test_a_round_in_which_a_slot_was_filled_is_no_loop() -> None:
    d = Dialogue()
    turn(d, "plan")
    turn(d, "dispute", assigned("month", "May"))
    turn(d, "appeal")
    turn(d, "plan")
    assert d.findings("loop") == []


def test_writing_the_same_value_again_is_not_learning() -> None:
    d = Dialogue()
    turn(d, "plan", assigned("month", "May"))
    turn(d, "dispute", assigned("month", "May"))
    turn(d, "appeal", assigned("ticket", None))
    turn(d, "plan")
    assert len(d.findings("loop")) == 1


def test_asking_twice_more_for_the_same_missing_slot_is_a_loop() -> None:
    d = Dialogue()
    turn(d, "query", missing=("ticket",))
    turn(d, "query", missing=("ticket",))
    assert d.findings("loop") == []
    turn(d, "query", missing=("ticket",))
    (found,) = d.findings("loop")
    assert found.facts["missing"] == ["ticket"]
    turn(d, "query", missing=("ticket",))
    (again,) = d.findings("loop")
    assert again.id == found.id, "one finding that grows, not one a round"
    assert again.facts["rounds"] == 3


def test_asking_on_while_fewer_slots_are_missing_is_no_loop() -> None:
    d = Dialogue()
    turn(d, "repair", missing=("address", "time"))
    turn(d, "repair", missing=("address", "time"))
    turn(d, "repair", missing=("time",))
    assert d.findings("loop") == []


def test_staying_with_an_intent_that_lacks_nothing_is_no_loop() -> None:
    d = Dialogue()
    for _ in range(6):
        turn(d, "price")
    assert d.findings("loop") == []


# --- slots --------------------------------------------------------------------------------------------------------


def test_another_value_within_the_window_is_an_overwrite() -> None:
    d = Dialogue()
    turn(d, "after_sale", assigned("brand", "星途"))
    turn(d, "price", assigned("brand", "轻语"))
    (found,) = d.findings("overwrite")
    assert found.code == "LM301"
    assert found.facts == {"slot": "brand", "old": "星途", "new": "轻语", "old_turn": 1}
    edge = d.map.edges[found.id]
    assert (edge.source, edge.target) == ("slot:brand", "slot:brand")
    assert found.edges == [f"assign:{edge.props['old_seq']}", f"assign:{found.seq}", found.id]


def test_what_is_no_overwrite() -> None:
    d = Dialogue()
    turn(d, "a", assigned("late", 1), assigned("same", 1), assigned("cleared", 1), assigned("null", None))
    turn(d, "a", assigned("same", 1), cleared("cleared"), assigned("cleared", 2), assigned("null", 2))
    d.now += 601
    turn(d, "a", assigned("late", 2))
    assert d.findings("overwrite") == []
    turn(d, "a", assigned("late", True), assigned("late", 1))
    assert len(d.findings("overwrite")) == 2, "True is not 1"


def test_a_list_that_only_grew_at_its_end_lost_nothing() -> None:
    d = Dialogue()
    turn(d, "a", assigned("messages", ["hi"]), assigned("messages", ["hi", {"role": "bot"}]))
    turn(d, "a", assigned("messages", ["hi", {"role": "bot"}, "more"]))
    assert d.findings("overwrite") == []
    turn(d, "a", assigned("messages", ["hi", "more"]))
    turn(d, "a", assigned("messages", ["bye", "more", "again"]))
    assert len(d.findings("overwrite")) == 2


def test_a_value_read_for_another_task_is_a_leak_once() -> None:
    d = Dialogue()
    turn(d, "after_sale", assigned("brand", "星途"))
    turn(d, "price_query", read("brand", reader="price"), read("brand"))
    (found,) = d.findings("leak")
    assert found.code == "LM302"
    assert (found.since, found.turn) == (1, 2)
    assert found.facts == {
        "slot": "brand",
        "value": "星途",
        "from_task": "after_sale",
        "to_task": "price_query",
        "written_turn": 1,
        "read_turn": 2,
    }


def test_what_is_no_leak() -> None:
    d = Dialogue()
    turn(
        d,
        "after_sale",
        assigned("shared", 1, scope="session"),
        assigned("own", 1),
        assigned("gone", 1),
        assigned("new", 1),
    )
    turn(d, "after_sale.visit", read("own"), parent="after_sale")
    turn(d, "price", read("shared"), cleared("gone"), read("gone"), assigned("new", 1), read("new"), read("never"))
    assert d.findings("leak") == []


# --- knowledge ----------------------------------------------------------------------------------------------------

A = Doc(id="a", title="A", score=0.0, hits=28, near=(("b", 0.87),))
B = Doc(id="b", title="B", score=0.0, hits=3)


def retrieval(d: Dialogue, first: dict[str, float], final: dict[str, float], stage: str = "vector") -> None:
    facts = {"a": A, "b": B}

    def docs(scores: dict[str, float]) -> list[Doc]:
        from dataclasses import replace

        return [replace(facts.get(id, Doc(id=id)), score=score) for id, score in scores.items()]

    d.tell(said("which?"), recalled(stage, docs(first)), recalled("reranked", docs(final)))


def test_reranking_that_inverts_an_earlier_stage_twice_is_drift() -> None:
    d = Dialogue()
    retrieval(d, {"b": 0.9, "a": 0.8, "c": 0.1}, {"a": 0.95, "b": 0.4})
    assert d.findings("drift") == []
    retrieval(d, {"b": 0.9, "a": 0.8, "c": 0.1}, {"a": 0.95, "b": 0.4})
    (found,) = d.findings("drift")
    assert found.code == "LM401"
    facts = found.facts
    assert (facts["winner"], facts["rival"], facts["rule"]) == ("a", "b", "inverted")
    assert (facts["winner_hits"], facts["rival_hits"], facts["near"]) == (28, 3, 0.87)
    assert facts["margin"] == 0.125
    assert facts["stage_scores"] == [0.9, 0.8]
    assert "(0.9 against 0.8)" in found.reason["en"]
    assert {d.map.edges[id].props["stage"] for id in found.edges} == {"vector", "reranked"}
    assert found.nodes == ["doc:a", "doc:b"]
    assert "28" in found.reason["en"]
    assert "0.87" in found.reason["zh"]


def test_a_narrow_lead_or_an_old_inversion_is_no_drift() -> None:
    d = Dialogue()
    for _ in range(3):
        retrieval(d, {"b": 0.90, "a": 0.89, "c": 0.1}, {"a": 0.95, "c": 0.4})
        retrieval(d, {"b": 0.91, "a": 0.90, "c": 0.1}, {"b": 0.95, "a": 0.4})
    assert d.findings("drift") == []
    retrieval(d, {"c": 0.9, "b": 0.5, "a": 0.1}, {"b": 0.95, "c": 0.4})
    for _ in range(5):
        retrieval(d, {"c": 0.9, "b": 0.5}, {"c": 0.95, "b": 0.4})
    retrieval(d, {"c": 0.9, "b": 0.5, "a": 0.1}, {"b": 0.95, "c": 0.4})
    assert d.findings("drift") == []


def test_a_hair_between_two_candidates_is_no_lead() -> None:
    d = Dialogue()
    for _ in range(3):
        retrieval(d, {"y": 0.8001, "x": 0.8}, {"x": 0.9, "y": 0.8})
    assert d.findings("drift") == []
    for _ in range(2):
        retrieval(d, {"y": 0.9, "x": 0.8}, {"x": 0.9, "y": 0.8})
    (found,) = d.findings("drift")
    assert found.facts["margin"] == 0.1111


def test_a_favourite_that_is_hit_far_more_often_is_drift_the_third_time() -> None:
    d = Dialogue()
    for _ in range(2):
        retrieval(d, {"a": 0.9, "b": 0.8}, {"a": 0.95, "b": 0.4})
    assert d.findings("drift") == []
    retrieval(d, {"a": 0.9, "b": 0.8}, {"a": 0.95, "b": 0.4})
    (found,) = d.findings("drift")
    assert found.facts["rule"] == "popular"
    assert (found.since, found.turn) == (1, 3)


def test_an_old_winner_is_stale() -> None:
    d = Dialogue()
    old = Doc(id="a", title="A", updated_at=d.now - 400 * DAY)
    d.tell(said(), recalled("vector", [old]), recalled("reranked", [old]))
    (found,) = d.findings("stale")
    assert found.code == "LM402"
    assert found.facts["rule"] == "age"
    assert found.facts["age_days"] == 400
    d.own(PolicySet(values={"stale_age": 500 * DAY}))
    d.tell(said(), recalled("reranked", [old]))
    assert d.findings("stale") == [found], "the policy decides"


def test_an_older_version_of_the_same_text_is_stale_and_of_another_text_is_not() -> None:
    d = Dialogue()
    d.tell(
        said(),
        recalled(
            "reranked",
            [Doc(id="a@1", version="2023-03"), Doc(id="c", version="2025-05"), Doc(id="a@2", version="2025-05")],
        ),
    )
    (found,) = d.findings("stale")
    assert (found.facts["doc"], found.facts["rival"]) == ("a@1", "a@2")
    d.tell(said(), recalled("reranked", [Doc(id="x", version="1.2"), Doc(id="y", version="3.0")]))
    assert len(d.findings("stale")) == 1


def test_what_goes_on_turn_after_turn_is_one_finding_that_grows() -> None:
    d = Dialogue()
    old = Doc(id="a", title="A", updated_at=d.now - 400 * DAY)
    for _ in range(3):
        d.tell(said(), recalled("reranked", [old]))
    (found,) = d.findings("stale")
    assert (found.since, found.turn) == (1, 3)
    assert found.seqs == [2, 4, 6]
    assert found.edges == ["recall:2.1", "recall:4.1", "recall:6.1"]
    assert d.map.totals["finding:stale"] == 1
    d.tell(*[said() for _ in range(6)], recalled("reranked", [old]))
    assert [f.since for f in d.findings("stale")] == [1, 9], "six turns later it is another one"


# --- losses and failures ------------------------------------------------------------------------------------------


def test_a_loss_is_named_and_shrinks_as_late_signals_come() -> None:
    d = Dialogue()
    d.tell(said("one"))
    d.arrive([d.number(answered("five"), 5)], numbered=5)
    (found,) = d.findings("gap")
    assert found.facts == {"source": "bot", "missing": 3, "why": "dropped"}
    d.arrive([d.number(answered("three"), 3)])
    (found,) = d.findings("gap")
    assert found.facts["missing"] == 2
    assert d.events[-1].late
    d.arrive([d.number(answered("two"), 2), d.number(answered("four"), 4)])
    assert d.findings("gap") == []
    assert d.map.losses == {}
    assert d.map.totals["finding:gap"] == 0


def test_disorder_within_a_second_is_put_right_and_longer_is_a_gap() -> None:
    d = Dialogue()
    d.tell(said("one"))
    d.arrive([d.number(answered("three"), 3)], after=0.1)
    assert d.events[-1].n == 1
    d.arrive([d.number(answered("two"), 2)], after=0.1)
    assert [e.n for e in d.events] == [1, 2, 3]
    d.arrive([d.number(answered("five"), 5)], after=0.1)
    d.wait(0.5)
    assert d.findings("gap") == []
    d.wait(0.6)
    assert [f.facts["why"] for f in d.findings("gap")] == ["late"]
    assert d.events[-1].n == 5


def test_a_failure_in_the_bot_is_named_with_its_place() -> None:
    d = Dialogue()
    d.tell(said("hello"), Failed(where="billing", error="timeout"))
    (found,) = d.findings("failure")
    assert found.code == "LM102"
    assert found.reason["zh"] == "billing 出错：timeout"


def test_a_loss_at_the_end_is_told_once_also_after_a_restart() -> None:
    d = Dialogue()
    d.tell(said("one"))
    d.arrive([], numbered=3)
    assert [f.facts["missing"] for f in d.findings("gap")] == [2]
    d.intake = Intake(d.map)
    d.arrive([d.number(answered("four"), 4)], numbered=4)
    assert [f.facts["missing"] for f in d.findings("gap")] == [2]
    assert d.map.sources["bot"].missing == [[2, 3]]
    d.arrive([d.number(answered("two"), 2)])
    assert [f.facts["missing"] for f in d.findings("gap")] == [1]
