"""Records that belong to conversations, told one by one as they are written."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lingbot_map.importers import rasa
from lingbot_map.importers.growing_spans import Known, Taken, Told
from lingbot_map.importers.imported import Adapter, source_of
from lingbot_map.importers.limits import LIMITS
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.intake import stamp_of
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import Numbered

_UNNOTED = 1_000_000
"""Turns that may have been told beyond what was noted; an id only has to be another one."""


def digest(raw: bytes) -> str:
    """What a record without a time is known by."""
    return hashlib.sha256(raw).hexdigest()


@dataclass(slots=True)
class _Standing:
    """One conversation: the numbers that it goes on with, and its adapter while that is in memory."""

    adapter: Adapter | None = None
    sources: dict[str, str] = field(default_factory=dict)
    numbers: list[Any] = field(default_factory=list)
    known_by: str = ""  # what it is told apart by, if it has no times
    unsure: list[Numbered] = field(default_factory=list)
    """Said of a conversation in which nothing could be read yet: if nothing ever can be, it is none."""


class Conversations:
    """Records that belong to conversations by a name in them; each has an adapter of its own.

    ``most`` of them are kept in memory. One that was put away goes on with its numbers and knows nothing else of what
    was before: which form was active, what stood in the slots.
    """

    def __init__(
        self,
        format: str,
        key: Callable[[Any], str],
        make: Callable[[str], Adapter],
        whole: Callable[[Any], Taken | None] = lambda record: None,
        identity: Callable[[Any, bytes], object] = lambda record, raw: None,
        first: Callable[[Any, bytes], str] = lambda record, raw: digest(raw),
        word: str = "",
        unnamed: Callable[[str], str] = lambda first: first[:12],
        most: int = 10_000,
    ) -> None:
        """``key`` names a record's conversation ("": it has no name), ``make`` its adapter.

        ``whole`` tells a record that holds a whole conversation. Records of one ``identity`` are one. ``first`` is what
        a conversation without times is known by, from its first record; one without a name is called by the ``word``
        and what ``unnamed`` makes of that.
        """
        self.repeated = 0
        self._format, self._key, self._make, self._whole, self._identity = format, key, make, whole, identity
        self._first, self._word, self._unnamed = first, word or format, unnamed
        self._most = most
        self._all: dict[str, _Standing] = {}
        self._awake: OrderedDict[str, _Standing] = OrderedDict()
        self._known = Known()

    def take(self, raw: bytes) -> Taken:
        """What one record comes to; one that can't be read leaves a hole in its conversation."""
        try:
            record = parse(raw)
            if type(record) is not dict:
                raise BadRecord("expected an object")
            if (taken := self._whole(record)) is not None:
                return taken
            key = self._key(record)
        except (BadRecord, SignalError) as why:
            return Taken([], str(why))
        mark = self._identity(record, raw)
        if mark is not None and self._known.again(mark):
            self.repeated += 1
            return Taken([])
        standing = self._awaken(key, self._first(record, raw))
        adapter = standing.adapter
        assert adapter is not None
        problem = ""
        try:
            said = adapter.take(record)
        except (BadRecord, SignalError) as why:
            said, problem = adapter.skip(), str(why)
        if problem and not standing.sources:
            standing.unsure += said
            return Taken([], problem)
        if standing.unsure:
            said, standing.unsure = standing.unsure + said, []
        return Taken(self._told(standing, adapter.scribe, said), problem)

    def overdue(self, now: float) -> list[Told]:
        """Nothing waits here."""
        return []

    def _told(self, standing: _Standing, scribe: Scribe, said: list[Numbered]) -> list[Told]:
        if not said:
            return []
        session = scribe.session
        source = standing.sources.get(session)
        if source is None:
            stamp = stamp_of(said[0])
            identity = repr(stamp) if stamp is not None else standing.known_by
            source = standing.sources[session] = source_of(self._format, session, identity)
            if len(standing.sources) > 1:
                for past in [name for name in standing.sources if name != session]:
                    del standing.sources[past]
        return [Told(session, source, said, scribe.n)]

    def _awaken(self, key: str, first: str) -> _Standing:
        """The conversation ``key``; those without a name are one, called after its first record."""
        standing = self._all.get(key)
        if standing is None:
            if len(self._all) >= LIMITS.sessions * 10:
                self._all.pop(next(iter(self._all)))
            standing = self._all[key] = _Standing(known_by=first)
        if standing.adapter is None:
            name = key or (standing.numbers or [f"{self._word} {self._unnamed(standing.known_by)}"])[0]
            standing.adapter = self._make(name)
            if standing.numbers:
                _go_on(standing.adapter, standing.numbers)
        self._awake[key] = standing
        self._awake.move_to_end(key)
        if len(self._awake) > self._most:
            _, old = self._awake.popitem(last=False)
            assert old.adapter is not None
            old.numbers, old.adapter = _numbers(old.adapter), None
        return standing

    def standing(self) -> dict[str, Any]:
        """How far each conversation is numbered."""
        return {
            key: [held.sources, _numbers(held.adapter) if held.adapter is not None else held.numbers]
            for key, held in self._all.items()
        }

    def resume(self, standing: dict[str, Any], *, exact: bool = True) -> None:
        """Go on from where another one stood. Not ``exact``: it may have told more than it noted, so its numbers are
        left to it, and others begun as of another source."""
        for key, (sources, numbers) in standing.items():
            session, n, turns, turn, sessions = numbers
            if exact:
                self._all[key] = _Standing(None, dict(sources), [session, n, turns, turn, sessions])
            else:
                self._all[key] = _Standing(None, {}, [session, 0, turns + _UNNOTED, "", sessions])


def _numbers(adapter: Adapter) -> list[Any]:
    scribe = adapter.scribe
    return [scribe.session, scribe.n, scribe.turns, scribe.turn, getattr(adapter, "sessions", 1)]


def _go_on(adapter: Adapter, numbers: list[Any]) -> None:
    scribe = adapter.scribe
    scribe.session, scribe.n, scribe.turns, scribe.turn, sessions = numbers
    if isinstance(adapter, rasa.Rows):
        adapter.sessions, adapter.spoken = sessions, scribe.turns > 0
