"""What can be asked, and the ways to search it: what the engine and every base agree on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lingbot_map.ask.dialog import Dialog
from lingbot_map.ask.pool import Fused, Hit
from lingbot_map.ask.types import Found, Item, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One way to search: ``run(late)`` gives its hits, best first; it ends early when ``late()`` is true.

    ``weight`` is what it counts in the fusion. For the trace, ``keywords`` are what it searched for and ``detail`` says
    how.
    """

    name: str
    run: Callable[[Callable[[], bool]], Sequence[Hit]]
    weight: float = 1.0
    keywords: tuple[str, ...] = ()
    detail: str = ""


class Base(Protocol):
    """What can be asked: a recorded session, diagrams, a graph, documents.

    One that has a ``version``, a value that changes whenever what it would answer may change, is answered from what
    was kept where a question comes again (``kept``).
    """

    name: str

    def read(self, text: str, dialog: Dialog) -> Question:
        """What the question means here: its kind, what its words stand for. Never raises for what somebody types."""
        ...

    def compute(self, question: Question) -> Found | None:
        """The exact answer if an operator fits and all that it needs is bound; ``None`` otherwise."""
        ...

    def routes(self, question: Question) -> Sequence[Route]:
        """The ways to search for it."""
        ...

    def answer(self, question: Question, pool: Sequence[Fused]) -> Found:
        """What the pool says, best evidence first; abstains where it doesn't say enough."""
        ...

    def item(self, id: str) -> Item | None:
        """The item that a citation names."""
        ...
