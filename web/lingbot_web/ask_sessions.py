"""What is asked on the page as sessions of this map: each conversation one, each question a turn of it.

The probe that tells it runs in the map's own process, and what it says is delivered without HTTP. Nothing in here is
waited for by an answer, and nothing that fails in here changes one: then there is no session to show, which is all.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lingbot_map.ask.report import Report
from lingbot_map.errors import BadInput, LingbotMapError
from lingbot_map.pipeline import Pipeline
from lingbot_map.store import key_of
from lingbot_probes import Probe
from lingbot_web.ask_workers import Workers
from lingbot_web.ingest import delivered

if TYPE_CHECKING:
    from lingbot_map.ask import Answer, Ask
    from lingbot_map.ask.pool import Fused

MOST = 64
"""Conversations that may go on; the one that was quiet for longest ends."""
ARRIVAL_S = 2.0
"""So long may it take until a turn is on the map. It takes 30 ms; later its answer is shown without a way there."""
_LEAVING_S = 1.5
"""So long may the map's own end wait for what was told last. It takes 30 ms."""
_AT_ONCE = 8


class Conversation(Report):
    """One conversation, a question at a time: ``busy`` while the engine works on one. A language model may still word
    an answer when the engine is done, so what was answered is told by ``said``, or when the next question comes."""

    def __init__(self, probe: Probe, asking: Ask, about: dict[str, str]) -> None:
        super().__init__(probe, asking.base, asking.dialog, about=about)
        self.busy = False
        self._owed: tuple[Answer, Sequence[Fused], bool] | None = None
        self._left = False
        self._lock = threading.Lock()

    def answered(self, answer: Answer, pool: Sequence[Fused], *, computed: bool) -> None:
        """The engine's answer; it is told with the words in which it is said."""
        self._owed = (answer, pool, computed)

    def said(self, answer: Answer | None = None, turn: str = "") -> None:
        """The turn is over, with ``answer`` or else with the engine's own. A second call does nothing, nor does one
        about a ``turn`` that is not the latest."""
        with self._lock:
            owed, self._owed = (None, self._owed) if turn and turn != self.turn_id else (self._owed, None)
            if owed is not None:
                super().answered(answer or owed[0], owed[1], computed=owed[2])

    def free(self) -> None:
        """The engine is done with the question, one way or the other."""
        with self._lock:
            self.busy = False
            left = self._left
        if left:
            self.leave()

    def leave(self) -> None:
        """It is over, at once or with the question that is under way."""
        with self._lock:
            self._left = True
            busy = self.busy
        if not busy:
            self.said()
            self._probe.ended("left", session=self.session)


class Turn:
    """One question that is told: ``session`` and ``id`` are what the probe calls its session and its turn."""

    def __init__(self, of: Conversation) -> None:
        self._of = of
        self.session, self.id = of.session, ""

    def computed(self) -> None:
        """The engine is done; the next question may come."""
        self.id = self._of.turn_id
        self._of.free()

    def said(self, answer: Answer) -> None:
        """The question was answered in these words."""
        self._of.said(answer, self.id)


class AskSessions:
    """The conversations of one map. ``turn`` may be called from several threads."""

    def __init__(self) -> None:
        """Raises ``BadInput`` where the environment turns probes off."""
        self.probe = Probe("ask", sink=self)
        if self.probe.off:
            said = f"LINGBOT_MAP={os.environ.get('LINGBOT_MAP', '')} in the environment"
            raise BadInput("--ask-record", "probes that are on", said, "unset it")
        self._pipeline: Pipeline | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._known: OrderedDict[tuple[str, ...], Conversation] = OrderedDict()
        self._lock = threading.Lock()
        self._waiting = Workers(_AT_ONCE)

    def attend(self, pipeline: Pipeline) -> None:
        """What is told goes there from now on, in the loop that calls this."""
        self._pipeline, self._loop = pipeline, asyncio.get_running_loop()

    def turn(self, conversation: str, about: tuple[str, ...], asking: Ask) -> Turn:
        """What ``asking`` is asked next is told as a turn of ``conversation`` ("": one of its own) on what ``about``
        names: the base, the session's key or the diagram. Where another question of it is still under way, as after one
        that was given up, it goes on in another session."""
        place = (conversation or os.urandom(8).hex(), *about)
        with self._lock:
            known = self._known.pop(place, None)
            if known is None or known.busy:
                if known is not None:
                    known.leave()
                known = Conversation(self.probe, asking, {"asked": about[-1]})
            known.busy = True
            self._known[place] = known
            while len(self._known) > MOST:
                self._known.popitem(last=False)[1].leave()
        known.said()
        known.resume(asking.base, asking.dialog)
        asking.report = known
        return Turn(known)

    async def shown(self, turn: Turn) -> dict[str, Any] | None:
        """``{"session": key, "turn": number}`` of a turn once it is on the map; ``None`` where it did not arrive."""
        pipeline = self._pipeline
        if pipeline is None or not await self._waiting.do(lambda: self.probe.flush(ARRIVAL_S)):
            return None
        try:
            live = await pipeline.open(key_of(turn.session))
        except (LingbotMapError, OSError):
            return None
        number = live.session.map.turn_numbers.get(turn.id)
        return None if number is None else {"session": live.session.key, "turn": number}

    async def end(self) -> None:
        """All conversations are over; what was told of them is delivered, if that can be done soon."""
        with self._lock:
            for known in self._known.values():
                known.leave()
            self._known.clear()
        await asyncio.to_thread(self.probe.close, _LEAVING_S)
        self._loop = None

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """A batch as ``POST /ingest`` takes it, and its answer; called in the probe's own thread. Raises
        ``ConnectionError`` while the map can't take it: the probe comes again."""
        pipeline, loop = self._pipeline, self._loop
        if pipeline is None or loop is None or not loop.is_running() or pipeline.status == "recovering":
            raise ConnectionError("the map is not ready")
        return delivered(pipeline, loop, batch)
