"""Numbers the signals of one session as an adapter makes them, and keeps count of what it met."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from lingbot_probes.signals import (
    Answered,
    IntentRouted,
    Numbered,
    Raw,
    Retrieved,
    Signal,
    TurnStarted,
)


@dataclass(slots=True)
class Found:
    """What the records of one session turned out to hold: the ground for saying what a layer lacks.

    ``said`` counts signals by kind, ``kept`` the raw ones by the source's word, ``left`` what could not be carried
    over, by a word for it. ``routed_turns`` are the turns with an intent, ``unsure`` those of them whose
    first has no confidence. ``backwards`` counts records whose time is before that of an earlier one, ``timeless``
    those without one.
    """

    said: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    stages: Counter[str] = field(default_factory=Counter)
    routed_turns: int = 0
    unsure: int = 0
    cited: int = 0
    backwards: int = 0
    timeless: int = 0


class Scribe:
    """The signals of ``session``, numbered 1, 2, 3 ... in the order of the records.

    An adapter sets ``turn`` and calls ``at`` for each record, then ``say``; ``taken`` hands over what was said.
    """

    __slots__ = (
        "_latest",
        "_out",
        "_routed",
        "_timed",
        "_timeless",
        "found",
        "n",
        "said_at",
        "session",
        "turn",
        "turns",
    )

    def __init__(self, session: str) -> None:
        """Begins with number 1 and outside any turn."""
        self.session = session
        self.n = 0
        self.turn = ""
        self.turns = 0
        self.said_at: float | None = None
        self.found = Found()
        self._latest = float("-inf")
        self._routed = False
        self._timed = False
        self._timeless = 0
        self._out: list[Numbered] = []

    def at(self, said_at: float | None) -> None:
        """The time of the record that is told next; the order stays that of the records."""
        self.said_at = said_at
        if said_at is None:
            self.found.timeless += 1
        elif said_at < self._latest:
            self.found.backwards += 1
        else:
            self._latest = said_at

    def at_if_timed(self, said_at: float | None) -> None:
        """As ``at``, of records that may all be without a time: they are then untimed as a whole, and none of them
        lacks one."""
        if said_at is None:
            self._timeless += 1
            self.said_at = None
        else:
            self._timed = True
            self.at(said_at)
        self.found.timeless = self._timeless if self._timed else 0
        self.found.left["untimed"] = 0 if self._timed else 1

    def open_turn(self, utterance: str, turn: str = "") -> str:
        """The user spoke: a turn of the id ``turn``, or of the next number. Returns its id."""
        self.turns += 1
        self.turn = turn or str(self.turns)
        self._routed = False
        self.say(TurnStarted(turn=self.turn, utterance=utterance))
        return self.turn

    def say(self, signal: Signal, turn: str | None = None) -> int:
        """Number ``signal`` and keep it for ``taken``; it belongs to ``turn``, or to the current one. Returns its n."""
        self.n = n = self.n + 1
        turn = self.turn if turn is None else turn
        self._out.append(Numbered(session=self.session, n=n, signal=signal, turn=turn, said_at=self.said_at))
        found = self.found
        found.said[signal.kind] += 1
        kind = type(signal)
        if kind is Raw:
            found.kept[signal.name] += 1  # type: ignore[union-attr]
        elif kind is IntentRouted:
            if not self._routed and self.turns:
                self._routed = True
                found.routed_turns += 1
                if signal.confidence is None:  # type: ignore[union-attr]
                    found.unsure += 1
        elif kind is Retrieved:
            found.stages[signal.stage] += 1  # type: ignore[union-attr]
        elif kind is Answered and signal.docs:  # type: ignore[union-attr]
            found.cited += 1
        return n

    def skip(self) -> None:
        """A record could not be read: its number stays empty, so the map shows a gap in its place."""
        self.n += 1

    def taken(self) -> list[Numbered]:
        """What was said since the last call."""
        out = self._out
        self._out = []
        return out
