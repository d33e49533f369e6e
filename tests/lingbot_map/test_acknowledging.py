"""What intake acknowledges: all that it has of a source, so that a lost answer leaves no doubt."""

from __future__ import annotations

from collections.abc import Iterable

from lingbot_map.graph import DialogueMap
from lingbot_map.intake import ACKED_MOST, Intake
from lingbot_probes.signals import Answered, Numbered


def some(numbers: Iterable[int]) -> list[Numbered]:
    return [Numbered(session="s", n=n, signal=Answered(text=str(n))) for n in numbers]


def test_all_that_came_is_named_and_what_is_missing_is_not() -> None:
    intake = Intake(DialogueMap("s"))
    assert intake.take("a", some([1, 2, 3]), 1.0, numbered=3).acked == [(1, 3)]
    assert intake.take("a", some([7, 8]), 2.0, numbered=8).acked == [(1, 3), (7, 8)]
    assert intake.take("a", some([5]), 3.0, numbered=8).acked == [(1, 3), (5, 5), (7, 8)]
    assert intake.take("a", [], 4.0, numbered=9).acked == [(1, 3), (5, 5), (7, 8)]
    assert intake.take("b", some([1]), 5.0, numbered=1).acked == [(1, 1)]


def test_a_batch_without_the_highest_number_is_answered_for_itself() -> None:
    intake = Intake(DialogueMap("s"))
    assert intake.take("a", some([1, 2]), 1.0).acked == [(1, 2)]
    assert intake.take("a", some([3, 5]), 1.0).acked == [(3, 3)]


def test_the_answer_is_bounded_and_what_was_sent_is_in_it() -> None:
    intake = Intake(DialogueMap("s"))
    top = 10 * ACKED_MOST
    acked = intake.take("a", some(range(2, top + 1, 2)), 1.0, numbered=top).acked
    assert acked == [(n, n) for n in range(2, top + 1, 2)]  # all of them were just sent
    acked = intake.take("a", some([4]), 2.0, numbered=top).acked
    assert len(acked) == ACKED_MOST + 1
    assert acked[0] == (4, 4)
    assert acked[-1] == (top, top)


def test_what_comes_again_while_it_is_held_is_a_repeat() -> None:
    """Of all that came, each is an event, held, or a repeat: the books balance on what was received too."""
    intake = Intake(DialogueMap("s"))
    first = intake.take("a", some([1, 5, 6]), 1.0)
    again = intake.take("a", some([1, 5, 6, 7]), 1.1)
    assert (len(first.events), first.repeated) == (1, 0)
    assert (len(again.events), again.repeated) == (0, 3)  # 1, 5 and 6; 7 is held with them
