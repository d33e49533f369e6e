"""What comes before what: proofs over events, held against all runs that a small diagram allows."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lingbot_map.ask import Ask
from lingbot_map.ask.bases.sequence import SequenceBase, walk
from lingbot_map.ask.bases.sequence.ir import Diagram
from lingbot_map.ask.bases.sequence.source import read
from lingbot_map.ask.bases.sequence.view import View


def view(*lines: str) -> View:
    diagrams, _ = read("\n".join(("@startuml", *lines, "@enduml")), "x.puml")
    return View(diagrams[0])


def relation(made: View, a: int, b: int) -> str:
    return made.order.between(made.order.message(a), made.order.message(b)).relation


def test_one_lifeline_orders_what_it_sends() -> None:
    made = view("A -> B: 1", "A -> C: 2")
    assert relation(made, 1, 2) == "before"
    assert relation(made, 2, 1) == "after"


def test_nothing_orders_strangers() -> None:
    assert relation(view("A -> B: 1", "C -> D: 2"), 1, 2) == "unordered"


def test_a_chain_through_others_is_shown() -> None:
    made = view("A -> B: 1", "B -> C: 2", "C -> D: 3")
    proof = made.order.between(made.order.message(1), made.order.message(3))
    assert proof.relation == "before"
    assert [each.number for each in proof.through] == [1, 2, 3]


def test_a_chain_does_not_lead_through_what_may_not_happen() -> None:
    assert relation(view("A -> B: 1", "opt x", "B -> C: 2", "end", "C -> D: 3"), 1, 3) == "unordered"
    assert relation(view("A -> B: 1", "B -> C: 2", "C -> D: 3"), 1, 3) == "before"


def test_operands_of_alt_exclude_and_those_of_par_have_no_order() -> None:
    assert relation(view("alt x", "A -> B: 1", "else", "A -> B: 2", "end"), 1, 2) == "exclusive"
    assert relation(view("par", "A -> B: 1", "else", "A -> B: 2", "end"), 1, 2) == "parallel"
    made = view("par", "A -> B: 1", "else", "A -> B: 2", "end", "A -> B: 3")
    assert (relation(made, 1, 3), relation(made, 2, 3)) == ("before", "before")


def test_operands_of_alt_in_a_loop_come_in_rounds() -> None:
    made = view("loop 3", "alt x", "A -> B: 1", "else", "A -> B: 2", "end", "end")
    assert relation(made, 1, 2) == "rounds"


def test_a_break_outside_of_a_loop_excludes_what_follows() -> None:
    made = view("A -> B: 1", "break x", "A -> B: 2", "end", "A -> B: 3")
    assert [relation(made, *pair) for pair in ((1, 2), (2, 3), (1, 3))] == ["before", "exclusive", "before"]
    looped = view("loop 3", "break x", "A -> B: 1", "end", "A -> B: 2", "end", "A -> B: 3")
    assert relation(looped, 1, 2) == "rounds"
    assert relation(looped, 1, 3) == "before"


@pytest.mark.parametrize(
    "note",
    [
        "must call second before first",
        "first only after second",
        "first 之前必须先调用 second",
        "second 必须先于 first",
    ],
)
def test_a_note_settles_what_the_lines_leave_open(note: str) -> None:
    made = view("A -> B: first", "C -> D: second", f"note over A: {note}")
    proof = made.order.between(made.order.message(1), made.order.message(2))
    assert (proof.relation, proof.notes) == ("after", ("n1",))


LINES = st.sampled_from(["A -> B: x", "B -> A: x", "B ->> C: x", "C -> A: x", "A -> A: x"])


def body(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map(lambda pair: ["par", *pair[0], "else", *pair[1], "end"]),
        two.map(lambda pair: ["alt c", *pair[0], "else d", *pair[1], "end"]),
        inner.map(lambda lines: ["opt c", *lines, "end"]),
        two.map(lambda pair: [*pair[0], *pair[1]]),
    )


def runs(diagram: Diagram) -> set[tuple[int, ...]]:
    """Every order of events (2n sent, 2n + 1 received) that the diagram allows, by choosing the operands of alt and opt
    and interleaving freely what no lifeline and no message orders."""
    choices = [[(f.id, o.number) for o in f.operands] for f in diagram.fragments if f.kind == "alt"]
    choices += [[(f.id, 1), (f.id, 0)] for f in diagram.fragments if f.kind == "opt"]
    found: set[tuple[int, ...]] = set()
    for chosen in itertools.product(*choices):
        taken = dict(chosen)
        there = [m for m in diagram.messages if all(s.kind == "par" or taken[s.fragment] == s.operand for s in m.path)]
        events = [(2 * m.number + end, (m.source, m.target)[end], m) for m in there for end in (0, 1)]
        before: dict[int, set[int]] = {event: set() for event, _, _ in events}
        for (one, at, a), (other, place, b) in itertools.combinations(events, 2):
            apart = any(s.kind == "par" and t.fragment == s.fragment and t.operand != s.operand
                        for s in a.path for t in b.path)  # fmt: skip
            if a.number == b.number or (at == place and not apart):
                before[other].add(one)

        def grow(done: tuple[int, ...], before: dict[int, set[int]] = before) -> None:
            if len(found) > 3000:
                return
            if len(done) == len(before):
                found.add(done)
            for event, needs in before.items():
                if event not in done and needs <= set(done):
                    grow((*done, event))

        grow(())
    return found


@settings(max_examples=60, deadline=None)
@given(st.recursive(LINES.map(lambda line: [line]), body, max_leaves=4))
def test_order_holds_in_every_run(lines: list[str]) -> None:
    made = view(*lines)
    all_runs = runs(made.diagram)
    if len(all_runs) > 3000:
        return
    for a, b in itertools.combinations(made.diagram.messages, 2):
        sent = [(run.index(2 * a.number), run.index(2 * b.number)) for run in all_runs
                if 2 * a.number in run and 2 * b.number in run]  # fmt: skip
        got = [(run.index(2 * a.number + 1), run.index(2 * b.number + 1)) for run in all_runs
               if 2 * a.number in run and 2 * b.number in run]  # fmt: skip
        always = bool(sent) and (all(x < y for x, y in sent) or all(x < y for x, y in got))
        said = made.order.between(a, b).relation
        if not sent:
            assert said == "exclusive"
        elif always:
            assert said == "before"
        else:
            assert said in ("parallel", "unordered")


@settings(max_examples=60, deadline=None)
@given(st.recursive(LINES.map(lambda line: [line]), body, max_leaves=12))
@example(["A -> B: 1", "opt x", "B -> C: 2", "end", "C -> D: 3"])
@example(["opt x", "A -> B: 1", "B -> C: 2", "end", "opt y", "C -> D: 3", "end"])
@example(["A -> B: 1", "par", "B -> C: 2", "else", "C -> D: 3", "B -> A: 4", "end", "C -> A: 5"])
def test_relations_of_many_are_what_is_proved_of_each(lines: list[str]) -> None:
    made = view(*lines)
    pairs = list(itertools.product(made.diagram.messages, made.diagram.messages))
    assert made.order.relations(pairs) == [made.order.between(a, b).relation for a, b in pairs]


@pytest.mark.parametrize("frame", [("",), ("opt c{n}", "", "end")])
def test_order_among_many_of_a_name_takes_no_search_for_each_pair(frame: tuple[str, ...]) -> None:
    # 400 pairs of 8,000 messages: 0.03 s and 0.3 s of CPU on a machine where a search for each pair takes 10 s.
    lines = ["@startuml"]
    for n in range(8_000):
        call = f"{'ABCDE'[n % 5]} -> {'ABCDEFG'[n % 7]}: f{n % 50 + 1}()"
        lines += [(part or call).format(n=n) for part in frame]
    asking = Ask(SequenceBase(*read("\n".join([*lines, "@enduml"]), "x.puml")))
    began = time.process_time()
    answer = asking.ask("Is f1 called before f50?")
    assert time.process_time() - began < 2
    assert answer.verdict == "unspecified"


def test_what_if_fixes_named_branches_and_leaves_the_rest_open() -> None:
    made = view("alt x", "A -> B: 1", "else y", "A -> B: 2", "end", "opt z", "A -> B: 3", "end", "A -> B: 4").diagram
    way = walk.derive(made, [("f1", 2)])
    assert [each.label for each in way.messages] == ["2", "4"]
    assert [each.id for each in way.open] == ["f2"]
    without = walk.derive(made, [("f1", 2)], ["f2"])
    assert not without.open


def test_a_later_branch_means_that_an_earlier_break_did_not_happen() -> None:
    made = view("break x", "A -> B: 1", "end", "opt y", "A -> B: 2", "end", "A -> B: 3").diagram
    assert not walk.derive(made, [("f2", 1)]).open
    ended = walk.derive(made, [("f1", 1)])
    assert ([each.label for each in ended.messages], ended.ended) == (["1"], "f1")


def test_a_chain_follows_calls_in_the_order_drawn_and_ends_after_six() -> None:
    made = view("B -> C: early", "A -> B: 1", "B -> C: 2").diagram
    assert [each.label for each in walk.chain(made, "A", "C")] == ["1", "2"]
    long = view(*(f"P{n} -> P{n + 1}: {n}" for n in range(8))).diagram
    assert len(walk.chain(long, "P0", "P6")) == 6
    assert walk.chain(long, "P0", "P7") == ()
