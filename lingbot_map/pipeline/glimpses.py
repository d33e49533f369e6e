"""What is shown of a long file until all of it is read: the map of its end, in memory, under the session's own key.

Viewers get it in place of the session; when the file is read it goes, and they come to the session itself, which has
another epoch. Nothing of it is logged, listed or counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from lingbot_map.events import Described
from lingbot_map.importers import Mapped
from lingbot_map.pipeline.ending import Ending, begin_of, ending
from lingbot_map.pipeline.live import Live
from lingbot_map.pipeline.masking import masked_ending
from lingbot_map.policy import Policy
from lingbot_map.session import Session
from lingbot_map.store import key_of
from lingbot_map.store.memory import MemoryStore

STEP = 0.02
"""Of a file that is read: so often it is said how far."""
_CHUNK = 500

Progress = Callable[[int, int], None]


class Glimpses:
    """The endings that are shown now, by the keys of their sessions."""

    def __init__(
        self,
        policy: Policy,
        clock: Callable[[], float],
        touch: Callable[[Live], None],
        stored: Callable[[], Iterable[str]],
    ) -> None:
        """``touch`` is told of each that has changed; ``stored`` are the keys of the sessions that are here."""
        self.lives: dict[str, Live] = {}
        self._policy = policy
        self._clock = clock
        self._touch = touch
        self._stored = stored
        self._told: dict[str, float] = {}

    @asynccontextmanager
    async def of(
        self,
        path: Path,
        name: str,
        mask_key: str,
        columns: Mapped | None,
        glimpsed: Callable[[str], object],
        progress: Progress | None,
    ) -> AsyncIterator[Progress | None]:
        """While this lasts, the end of the file is shown, if that is worth while and its session isn't here yet.

        ``glimpsed`` hears under which key. What comes back is ``progress``, to be called from any thread; viewers see
        it too.
        """
        end = await asyncio.to_thread(ending, path, name, columns)
        if end is not None and mask_key:
            end = masked_ending(end, mask_key)
        if end is None or key_of(end.session_id) in {*self.lives, *self._stored()}:
            yield progress
            return
        live = await asyncio.to_thread(self._map_of, end)
        key, loop = live.session.key, asyncio.get_running_loop()

        def told(done: int, total: int) -> None:
            if progress is not None:
                progress(done, total)
            loop.call_soon_threadsafe(self.tell, key, done / max(total, 1))

        self.lives[key] = live
        self._told[key] = 0.0
        glimpsed(key)
        try:
            yield told
        finally:
            self.end(key)

    def _map_of(self, end: Ending) -> Live:
        facts = {"origin": f"import:{end.format}", "reading": 0.0}
        now = begin_of(end.items, self._clock())
        session = Session.create(MemoryStore(), end.session_id, policy=self._policy, facts=facts, now=now)
        for first in range(0, len(end.items), _CHUNK):
            chunk = end.items[first : first + _CHUNK]
            session.apply(session.intake.take(end.source, chunk, now, numbered=chunk[-1].n, recorded=True).events)
        return Live(session)

    def tell(self, key: str, share: float) -> None:
        """``share`` of the file (0 to 1) is read."""
        live = self.lives.get(key)
        if live is None or share - self._told[key] < STEP:
            return
        self._told[key] = share
        session = live.session
        live.apply([session.intake.own(Described(facts={"reading": round(share, 2)}), session.map.at)])
        live.uncounted.clear()
        self._touch(live)

    def end(self, key: str) -> None:
        """Whoever looks at it goes on to the session itself."""
        live = self.lives.pop(key, None)
        if live is not None:
            live.stop_timers()
            live.gone = True
            live.tail.show()
