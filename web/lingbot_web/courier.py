"""Takes what was told to the map, as a probe does: in batches, masked, again and again until the map has it.

What is followed is its own memory, so nothing is dropped: while no map answers, nothing more is read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from lingbot_map.importers.growing_spans import Told
from lingbot_probes.codec import VERSION, signal_to_dict
from lingbot_probes.link import Endpoint, Link, NotTaken
from lingbot_probes.mask import Mask
from lingbot_probes.ring import Parcel, Place, Session
from lingbot_probes.sender import BATCH, MOST, leaving
from lingbot_probes.signals import Numbered

_FIRST_WAIT, _LAST_WAIT = 0.05, 0.5
_SILENT = 1.0  # until it is said that the map is waited for: one that starts is there sooner
_HELD = 0.1  # until the map is asked again for what it holds until what is before it comes


class Stopped(Exception):
    """The end was wanted before the map had everything."""


class Courier:
    """``find`` names the map as (address, token) each time a way to it is looked for, ``None`` while there is none."""

    def __init__(
        self,
        name: str,
        find: Callable[[], tuple[str, str] | None],
        say: Callable[[str], None],
        *,
        masked: bool = True,
    ) -> None:
        self.stop = threading.Event()
        self.events = 0
        self.refused = 0
        self.sessions: set[str] = set()
        self._name = name[:256]
        self._find = find
        self._say = say
        self._mask = Mask(()) if masked else None
        self._link: Link | None = None
        self._waiting = False
        self._since = 0.0  # when it began to wait

    def send(self, told: Sequence[Told]) -> None:
        """Bring it all. Raises ``Stopped`` if the end is wanted before; it may then be there or not."""
        parts: dict[tuple[str, str], tuple[list[Numbered], int]] = {}
        for part in told:
            items, _ = parts.get((part.session, part.source), ([], 0))
            parts[part.session, part.source] = [*items, *part.items], part.numbered
        for (session, source), (items, numbered) in parts.items():
            self._through(session, source, items, numbered)
            self.events += len(items)
            if len(self.sessions) < 100_000:
                self.sessions.add(session)

    def close(self) -> None:
        """Hang up."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def _through(self, session: str, source: str, items: list[Numbered], numbered: int) -> None:
        events = {item.n: item for item in items}
        most, wait = MOST, 0.0
        while events:
            if self.stop.wait(wait):
                raise Stopped
            parcel, batch = self._batch(
                session, source, [*events.values()][:most], numbered if len(events) <= most else 0
            )
            try:
                answer = self._deliver(batch)
            except NotTaken as failure:
                if failure.spoiled and self._link is not None:
                    if len(batch["events"]) > 1:
                        most = max(len(batch["events"]) // 2, 1)
                        continue
                    self._refuse(events, next(iter(events)), failure.why)
                    continue
                self._noted(failure.why)
                wait = min(max(wait * 1.6, _FIRST_WAIT, min(failure.wait, _LAST_WAIT)), _LAST_WAIT)
                continue
            self._noted("")
            before = len(events)
            self._account(
                events, answer, {batch_id: own for own, batch_id in parcel.masked.items()} or {session: session}
            )
            wait = 0.0 if len(events) < before else _HELD

    def _account(self, events: dict[int, Numbered], answer: dict[str, Any], sessions: dict[str, str]) -> None:
        for shown in sessions:
            for first, last in answer.get("acked", {}).get(shown, ()):
                for n in [n for n in events if first <= n <= last]:
                    del events[n]
        for item in answer.get("refused", ()):
            if item.get("session") in sessions and item.get("n") in events:
                self._refuse(events, item["n"], str(item.get("why")))

    def _refuse(self, events: dict[int, Numbered], n: int, why: str) -> None:
        item = events.pop(n)
        self.refused += 1
        if self.refused <= 10:
            self._say(f"the map refuses event {n} of {item.session}: {why}")

    def _batch(
        self, session: str, source: str, items: Sequence[Numbered], numbered: int
    ) -> tuple[Parcel, dict[str, Any]]:
        held = Session(session, source)
        parcel = Parcel()
        parcel.put(held, [], numbered, [])
        events: list[dict[str, Any]] = []
        size = 0
        for item in items:
            entry = (Place(held, item.turn), item.n, item.said_at, signal_to_dict(item.signal))
            event, length = leaving(entry, self._mask)
            if item.masked:
                event["masked"] = event.get("masked", 0) + item.masked
            events.append(event)
            size += length
            if size > BATCH:
                break
        told = numbered if len(events) == len(items) else 0
        batch = {"v": VERSION, "source": source, "probe": self._name, "events": events}
        batch["numbered"] = {session: told} if told else {}
        if self._mask is not None:
            if self._mask.lacks:
                self._ask_for_key(source)
                return self._batch(session, source, items, numbered)
            self._mask.batch(batch, parcel)
        return parcel, batch

    def _ask_for_key(self, source: str) -> None:
        assert self._mask is not None
        empty = {"v": VERSION, "source": source, "probe": self._name, "events": [], "numbered": {}, "mask_key": True}
        wait = 0.0
        while not self.stop.wait(wait):
            try:
                self._mask.take_key(self._deliver(empty).get("mask_key"))
                return
            except NotTaken as failure:
                self._noted(failure.why)
                wait = _LAST_WAIT
        raise Stopped

    def _deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        if self._link is None:
            found = self._find()
            if found is None:
                raise NotTaken("no map serves the data folder; start it with lingbot-map serve")
            self._link = Link(Endpoint(found[0]), found[1])
        try:
            return self._link.deliver(batch)
        except NotTaken as failure:
            if not failure.spoiled:
                self.close()  # it may come back elsewhere, with another token
            raise

    def _noted(self, why: str) -> None:
        """Say once that it waits, and once that it goes on."""
        if not why:
            if self._waiting:
                self._say("the map is there again")
            self._since, self._waiting = 0.0, False
            return
        self._since = self._since or time.monotonic()
        if not self._waiting and time.monotonic() - self._since >= _SILENT:
            self._waiting = True
            self._say(f"waiting for the map: {why}")
