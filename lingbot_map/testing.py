"""For users' own test suites: record a bot in the test's process, and say what its map must look like.

from lingbot_map.testing import assert_map, record

def test_the_price_query_knows_the_plan():
    with record(bot.probe) as recording:
        bot.reply("s1", "how much is plan B?")
    assert_map(recording.map("s1"), path=["price_query"], slots={"plan": "B"}, none=["loop", "leak"])
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from lingbot_map.checks import CODES
from lingbot_map.errors import UnknownSession
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.intake import Intake
from lingbot_map.mapper import Mapper
from lingbot_probes import Probe, codec
from lingbot_probes.codec import same_json
from lingbot_probes.signals import Numbered

MASK_KEY = "7e" * 32
"""The key of the pseudonyms in a test: everybody knows it, so that a test can name them, and nothing is kept."""
_FLUSH = 5.0  # seconds: everything is in this process, so this is only met when something is broken


class UnrecordedSession(UnknownSession):
    """``name`` said nothing while it was recorded; ``known`` did."""

    def __init__(self, name: str, known: list[str]) -> None:
        super().__init__(name)
        self.known = known

    def __str__(self) -> str:
        return f"no session {self.name!r} was recorded; these were: {', '.join(self.known) or 'none'}"


class Recording:
    """What a probe said while it was recorded: the events and the map of each session."""

    def __init__(self) -> None:
        self.events: dict[str, list[Event]] = {}
        self._mappers: dict[str, Mapper] = {}
        self._intakes: dict[str, Intake] = {}

    @property
    def sessions(self) -> list[str]:
        """The ids of the sessions, in the order in which they first spoke."""
        return list(self._mappers)

    def map(self, session: str = "") -> DialogueMap:
        """The map of ``session``; without one, that of the only session. Raises ``UnrecordedSession``."""
        if not session and len(self._mappers) == 1:
            session = self.sessions[0]
        mapper = self._mappers.get(session)
        if mapper is None:
            raise UnrecordedSession(session or "(none said)", self.sessions)
        return mapper.map

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
    probe.drain_to(recording, history=False)
    try:
        yield recording
    finally:
        probe.flush(_FLUSH)
        probe.drain_to(None, history=False)


def assert_map(
    map: DialogueMap,
    *,
    path: Sequence[str] | None = None,
    slots: Mapping[str, Any] | None = None,
    has: Sequence[str] = (),
    none: Sequence[str] = (),
    answered_from: Sequence[str] | None = None,
) -> None:
    """Raise ``AssertionError``, with what was found, unless the map is as said.

    ``path``: the intents in the order of their visits. ``slots``: the values that slots have now (``None``: not
    set). ``has``, ``none``: kinds or codes of findings that must, or must not, be there (``ValueError`` for one that
    there is not). ``answered_from``: the documents of the newest answer.
    """
    for kind in (*has, *none):
        if kind not in CODES and kind not in CODES.values():
            known = ", ".join(f"{name} ({code})" for name, code in CODES.items())
            raise ValueError(f"no finding is called {kind!r}; there are {known}")
    wrong = [
        *_path(map, path),
        *_slots(map, slots or {}),
        *(f"expected a {kind} finding, found {_kinds(map)}" for kind in has if not _findings(map, kind)),
        *(f"expected no {kind} finding, found: {text}" for kind in none for text in _findings(map, kind)),
        *_documents(map, answered_from),
    ]
    if wrong:
        raise AssertionError(f"session {map.session}:\n" + "\n".join(f"- {line}" for line in wrong))


def _path(map: DialogueMap, expected: Sequence[str] | None) -> Iterator[str]:
    found = [visit.intent for visit in map.indexes.walk.visits]
    if expected is not None and found != list(expected):
        yield f"expected the flow {' → '.join(expected)}, found {' → '.join(found) or 'none'}"


def _slots(map: DialogueMap, expected: Mapping[str, Any]) -> Iterator[str]:
    for name, value in expected.items():
        node = map.nodes.get(f"slot:{name}")
        found = node.props["value"] if node is not None and node.props["set"] else None
        if not same_json(found, value):
            yield f"expected slot {name} = {value!r}, found {found!r}"


def _findings(map: DialogueMap, kind: str) -> list[str]:
    return [f"turn {f.turn}: {f.reason['en']}" for f in map.findings.values() if kind in (f.kind, f.code)]


def _kinds(map: DialogueMap) -> str:
    return ", ".join(sorted({f.kind for f in map.findings.values()})) or "none"


def _documents(map: DialogueMap, expected: Sequence[str] | None) -> Iterator[str]:
    if expected is None:
        return
    answers = [node for node in map.nodes.values() if node.kind == "answer"]
    found = answers[-1].props["docs"] if answers else []
    if found != list(expected):
        yield f"expected an answer from {list(expected)}, found {found}"
