"""What comes from a source in one piece, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from lingbot_map.events import Event
from lingbot_probes.signals import Numbered, Raw

UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Refused:
    """Number ``n`` of ``session`` will never be taken as it is: ``why``. What can't be read of either is "" or 0.

    ``kept``: its number has a place in the session, which a ``stand_in`` takes.
    """

    session: str
    n: int
    why: str
    kept: bool = True

    def stand_in(self) -> Numbered:
        """What takes its place, so that its number isn't missing and the map shows that something was here."""
        return Numbered(session=self.session, n=self.n, signal=Raw(name=UNREADABLE, data={"why": self.why}))


def is_stand_in(event: Event) -> bool:
    """Whether the event stands for one that was refused, also when it comes out of a log."""
    signal = event.signal
    return type(signal) is Raw and signal.name == UNREADABLE and type(signal.data) is dict and [*signal.data] == ["why"]


@dataclass(slots=True)
class Batch:
    """What a source sent: ``items`` by session, the highest number made of each session, what couldn't be read.

    ``masked_with`` names the key of its pseudonyms; ``wants_key`` asks for the map's.
    """

    source: str
    probe: str
    items: dict[str, list[Numbered]]
    numbered: dict[str, int]
    refused: list[Refused]
    masked_with: str = ""
    wants_key: bool = False


@dataclass(slots=True)
class Accepted:
    """What became of a batch: ranges of numbers by session that need not be sent again, and what was refused."""

    acked: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    refused: list[Refused] = field(default_factory=list)
