"""Two maps held against each other: matched by what was said, and only what differs told."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.alignment import align, likeness
from lingbot_map.compare import compare, end_of, facts_of, same_value
from lingbot_probes.signals import Undone
from tests.builders import Dialogue, answered, assigned, cleared, recalled, routed, said

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "alignment" / "turns.json").read_text("utf-8")
)


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["what"])
def test_turns_are_matched_as_the_vectors_say(case: dict[str, Any]) -> None:
    assert [list(pair) for pair in align(case["a"], case["b"])] == case["pairs"]


def test_pairs_grow_in_both_and_each_turn_has_one_partner() -> None:
    rng = random.Random(5)
    for _ in range(200):
        a = [rng.choice("abcdefg") * rng.randrange(1, 4) for _ in range(rng.randrange(12))]
        b = [rng.choice("abcdefg") * rng.randrange(1, 4) for _ in range(rng.randrange(12))]
        pairs = align(a, b)
        for side in (0, 1):
            places = [pair[side] for pair in pairs]
            assert places == sorted(set(places))
        assert len(align(a, a)) == len(a)


def test_a_thousand_turns_without_one_in_common_cost_no_more_than_a_table_of_them() -> None:
    rng = random.Random(2)
    worst = [[rng.choice(("yes", "no", "ok")) for _ in range(n)] for n in (1000, 1000)]
    longer = [
        [*(f"only {side} {i}" for i in range(3000)), *(rng.choice(("a", "b")) for _ in range(3000))] for side in (0, 1)
    ]
    for a, b in (worst, longer):
        began = time.process_time()
        align(a, b)
        assert time.process_time() - began < 4, "a second on an idle machine"


def test_likeness_is_of_letters_and_not_of_case_or_space() -> None:
    assert likeness("How much  is it", "how much is it") == 1000
    assert likeness("", "") == 1000
    assert likeness("套餐多少钱", "这个套餐多少钱？") > 500 > likeness("套餐多少钱", "how much")


def bot(**change: object) -> Dialogue:
    """Three turns; ``change`` says what is done otherwise."""
    told = Dialogue()
    told.tell(said("change my plan", "t1"), routed("change_plan"), assigned("plan", "B"), turn="t1")
    if change.get("more"):
        told.tell(said("and a thing nobody else says", "x"), turn="x")
    told.tell(said("how much is it", "t2"), routed(str(change.get("intent", "price_query"))), turn="t2")
    docs = {"prices": 0.9, "terms": 0.5} if not change.get("swapped") else {"terms": 0.9, "prices": 0.5}
    told.tell(recalled("reranked", docs), recalled("prompt", {"prices": 1.0}), answered("99", "prices"), turn="t2")
    told.tell(said("thanks", "t3"), routed("bye"), assigned("plan", change.get("plan", "B")), turn="t3")
    return told


def sentences(a: Dialogue, b: Dialogue) -> list[str]:
    return [difference.sentence() for difference in compare(facts_of(a.map), facts_of(b.map)).differences]


def test_the_same_dialogue_has_no_differences() -> None:
    assert sentences(bot(), bot()) == []


def test_each_difference_is_told_with_its_turn_and_what_was_expected_and_found() -> None:
    assert sentences(bot(), bot(intent="bill", swapped=True)) == [
        "turn 2: expected the flow price_query, found bill",
        "turn 2: expected document 1 of reranked prices, found terms",
    ]
    # The value is as expected in turn 1, so that only the later one is told, and the finding that it raises.
    assert sentences(bot(), bot(plan="C")) == [
        "turn 3: expected slot plan = 'B', found = 'C'",
        "turn 3: expected findings of LM301 overwrite: none, found 1",
    ]


def test_a_turn_more_moves_the_numbers_and_is_the_only_difference() -> None:
    more = compare(facts_of(bot().map), facts_of(bot(more=True).map))
    assert more.rows == [(1, 1), (None, 2), (2, 3), (3, 4)]
    assert [d.sentence() for d in more.differences] == [
        "turn 2: expected no such turn, found 'and a thing nobody else says'"
    ]
    moved = compare(facts_of(bot().map), facts_of(bot(more=True, plan="C").map))
    assert moved.differences[1].sentence() == "turn 4 (turn 3 there): expected slot plan = 'B', found = 'C'"
    assert moved.first is not None
    assert moved.first.kind == "turn"


def test_values_are_the_same_as_json_tells_them() -> None:
    assert same_value({"a": [1, 2.0]}, {"a": [1.0, 2]})
    for one, other in (({"a": [1]}, {"a": [True]}), ([1], [1, 2]), ("1", 1), (None, False), ({"a": 1}, {"b": 1})):
        assert not same_value(one, other)


def test_what_was_undone_is_no_fact_and_true_is_not_one() -> None:
    a, b = Dialogue(), Dialogue()
    a.tell(said("x", "t1"), assigned("n", 1), turn="t1")
    b.tell(said("x", "t1"), assigned("n", True), turn="t1")
    assert sentences(a, b) == ["turn 1: expected slot n = 1, found = True"]
    a.tell(Undone(to=1), turn="t1")
    assert [dict(turn.slots) for turn in facts_of(a.map) if turn.number == 1] == [{}]
    b.tell(cleared("n"), turn="t1")
    assert sentences(a, b) == ["turn 1: expected slot n not written, found cleared"]
    assert end_of(b.map, 1) == 3
    assert end_of(b.map, 7) == 0
