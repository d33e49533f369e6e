"""Record what a probe says in the process of a test: no server, nothing on the disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from lingbot_map.errors import UnknownSession
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.intake import Intake
from lingbot_map.mapper import Mapper
from lingbot_map.whole import ALL_TURNS, whole_map
from lingbot_probes import Probe, codec
from lingbot_probes.signals import Numbered

MASK_KEY = "7e" * 32
"""The key of the pseudonyms in a test: everybody knows it, so that a test can name them, and nothing is kept."""
_FLUSH = 5.0  # seconds: everything is in this process, so this is only met when something is broken


class UnrecordedSession(UnknownSession):
    """``name`` ("": the only one) said nothing while it was recorded; ``known`` did. ``off``: the probe is off."""

    def __init__(self, name: str, known: list[str], *, off: bool = False) -> None:
        super().__init__(name)
        self.known = known
        self.off = off

    def __str__(self) -> str:
        if self.off:
            return "nothing was recorded: the probe is off (LINGBOT_MAP=off in the environment)"
        if not self.known:
            return "nothing was recorded; does the bot under test use this very probe, and was it called?"
        if not self.name:
            return f"{len(self.known)} sessions were recorded, say which one: {', '.join(self.known)}"
        return f"no session {self.name!r} was recorded; these were: {', '.join(self.known)}"


class Recording:
    """What a probe said while it was recorded: the events and the map of each session.

    ``off``: the probe is switched off (``LINGBOT_MAP=off``), and says nothing.
    """

    def __init__(self) -> None:
        self.events: dict[str, list[Event]] = {}
        self._mappers: dict[str, Mapper] = {}
        self._intakes: dict[str, Intake] = {}
        self._settle: Callable[[], object] | None = None
        self.off = False

    @property
    def sessions(self) -> list[str]:
        """The ids of the sessions, in the order in which they first spoke."""
        return list(self._mappers)

    def map(self, session: str = "") -> DialogueMap:
        """The map of ``session``; without one, that of the only session. Raises ``UnrecordedSession``.

        While the recording goes on, all that was said before the call is in it.
        """
        self.settle()
        if not session and len(self._mappers) == 1:
            session = self.sessions[0]
        mapper = self._mappers.get(session)
        if mapper is None:
            raise UnrecordedSession(session, self.sessions, off=self.off)
        return mapper.map

    @classmethod
    def of(cls, session: str, events: list[Event]) -> Recording:
        """What was recorded elsewhere, as if it had been recorded here."""
        recording = cls()
        recording.events[session] = events
        recording._mappers[session] = Mapper(whole_map(session, events))
        return recording

    def is_map(self, session: str, map: DialogueMap) -> bool:
        """Whether ``map`` is the very one of ``session``."""
        mapper = self._mappers.get(session)
        return mapper is not None and mapper.map is map

    def settle(self) -> None:
        """Wait until all that the probe has said is here."""
        if self._settle is not None:
            self._settle()

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Take a batch as the map server's ``POST /ingest`` does; this is what the probe calls."""
        now = time.time()
        by_session: dict[str, list[Numbered]] = {}
        for data in batch["events"]:
            item = codec.numbered_from_dict(data)
            by_session.setdefault(item.session, []).append(item)
        numbered: dict[str, int] = batch.get("numbered", {})
        acked: dict[str, list[list[int]]] = {}
        for session in {**dict.fromkeys(numbered), **by_session}:
            intake = self._intake(session)
            taken = intake.take(batch["source"], by_session.get(session, []), now, numbered=numbered.get(session, 0))
            for event in taken.events:
                self.events[session].append(event)
                self._mappers[session].apply(event)
            acked[session] = [list(span) for span in taken.acked]
        return {
            "v": codec.VERSION,
            "server": f"recording-{id(self)}",
            "acked": acked,
            "refused": [],
            "mask_key": MASK_KEY,
        }

    def _intake(self, session: str) -> Intake:
        intake = self._intakes.get(session)
        if intake is None:
            mapper = self._mappers[session] = Mapper(session=session)
            # A claim is about the whole session, however long it is.
            mapper.map.policy = msgspec.structs.replace(mapper.map.policy, kept_turns=ALL_TURNS)
            intake = self._intakes[session] = Intake(mapper.map)
            self.events[session] = []
        return intake


@contextmanager
def record(probe: Probe) -> Iterator[Recording]:
    """Record what ``probe`` says inside the block, and nothing from before it; nothing leaves the process.

    At the end of the block everything said is there. The probe's ring holds 500 events, as in life: a dialogue that
    says more in one go, without a pause in which they are taken, shows a gap. Give the probe a larger ``capacity``,
    or call ``probe.flush()`` between turns.
    """
    recording = Recording()
    recording.off = probe.off
    recording._settle = lambda: probe.flush(_FLUSH)
    probe.drain_to(recording, history=False)
    try:
        yield recording
    finally:
        recording.settle()
        recording._settle = None
        probe.drain_to(None, history=False)
