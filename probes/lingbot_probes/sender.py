"""The thread that ships what is in the ring, and all that makes it safe to have in somebody's process.

It starts with the first event, never at import and never while the interpreter ends. It sends at once when it was
idle and then every 20 ms, and tries for ever. A forked child gets its own. The end of the process waits for it
0.4 s at most. It prints nothing and logs nothing.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import weakref
from time import monotonic, sleep

from lingbot_probes.capture import EVENT, shrunk, without_lone_surrogates
from lingbot_probes.link import Link, NotTaken
from lingbot_probes.ring import SESSIONS, SETTLE
from lingbot_probes.routing import taken
from lingbot_probes.shapes import intent_routed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from lingbot_probes.mask import Mask
    from lingbot_probes.ring import Entry, Parcel, Ring

    class Sink(Protocol):
        """Where batches go. ``deliver`` is called in the sender's thread, one batch at a time."""

        def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
            """The answer to a batch, as ``POST /ingest`` gives it. Raising means: not delivered, try again."""


VERSION = 1  # of the batch; codec.VERSION on the map's side
PACE = 0.02  # seconds between two batches
LEAVE = 0.4  # seconds that the end of the process may wait
MOST, BATCH = 500, 256 * 1024  # events and bytes in a batch
PATIENCE = 0.3  # seconds until an event that was delivered but not acknowledged is sent again
FIRST_WAIT, LAST_WAIT = 0.05, 5.0  # seconds between two attempts
LOCAL_WAIT = 0.5  # the longest wait for a server on this machine: a refused connection there costs 0.2 ms

_living: weakref.WeakSet[Sender] = weakref.WeakSet()
_importing = threading.Lock()
_hooked = False


def _hook_up() -> None:
    global _hooked
    if not _hooked:
        _hooked = True
        atexit.register(_at_exit)
        if hasattr(os, "register_at_fork"):
            # A fork in the middle of the sender's imports would leave the child with module locks that nobody opens.
            os.register_at_fork(
                before=_importing.acquire, after_in_parent=_importing.release, after_in_child=_after_fork
            )


def _after_fork() -> None:
    _importing.release()
    for sender in list(_living):
        sender.forked()


def _at_exit() -> None:
    deadline = monotonic() + LEAVE
    for sender in list(_living):
        sender.leave(deadline)


class Sender:
    """Ships the events of one ring to one sink. ``bell`` is not empty when an event has to call ``wake``."""

    def __init__(
        self, ring: Ring, probe_name: str, sink: Sink, renew: Callable[[], None], rules: tuple[Any, ...] | None = ()
    ) -> None:
        self.ring = ring
        self.sink = sink
        self._rules = rules  # of the mask; ``None``: everything leaves as it is
        self._mask: Mask | None = None
        self.faults = 0
        self.bell: list[int] = []
        self._name = probe_name
        self._renew = renew
        self._used: Sink | None = None
        self._evict_at = SESSIONS
        self._reset()
        _hook_up()
        _living.add(self)

    def _reset(self) -> None:
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()  # taken while there is nothing to do; opened to wake the thread
        self._lock.acquire()
        self._left = threading.Event()
        self._leaving = False
        self._not_before = 0.0
        self._failures = 0
        self._most = MOST
        self._server: str | None = None
        self.state, self.why = "idle", ""
        self.bell[:] = [1]

    # -- from the bot's threads --------------------------------------------------------------------------------

    def wake(self) -> None:
        """Start the thread, or end its sleep. One event in a while comes here: the one that finds the bell."""
        try:
            self.bell.pop()
        except IndexError:
            return  # another thread was quicker
        if self._thread is not None:
            self._hurry()
        elif monotonic() < self._not_before:
            self.bell.append(1)
        else:
            self._start()

    def _hurry(self) -> None:
        try:
            self._lock.release()
        except RuntimeError:
            return  # it is awake

    def _start(self) -> None:
        if not threading.main_thread().is_alive():
            return  # the interpreter is ending: no thread may start, _at_exit sends what there is
        self._leaving = False
        self._left.clear()
        self._thread = threading.Thread(target=self._run, name="lingbot-probe", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # no more threads to be had
            self._thread = None
            self._not_before = monotonic() + 1.0
            self.bell.append(1)
            return
        processes = sys.modules.get("multiprocessing.process")
        if processes is not None and processes.parent_process() is not None:
            # a forked worker ends with os._exit and runs no atexit
            sys.modules["multiprocessing.util"].Finalize(None, _at_exit, exitpriority=10)

    def flush(self, timeout: float) -> bool:
        """Whether everything made so far was acknowledged, or lost and told, within ``timeout`` seconds."""
        deadline = monotonic() + timeout
        while self.ring.outstanding() or self._turning():
            if monotonic() >= deadline:
                return False
            if self._thread is None:
                self.bell[:] = [1]
                self.wake()
            self._hurry()
            sleep(0.005)
        return True

    def _turning(self) -> bool:
        """Whether there is another sink, to which nothing has been told yet."""
        return self._used is not None and self._used is not self.sink

    def nudge(self) -> None:
        """Look again now, if the thread runs: the sink is another one."""
        if self._thread is not None:
            self._hurry()

    def leave(self, deadline: float) -> None:
        """One last attempt, not longer than until ``deadline``; then the thread ends. A later event starts another."""
        thread = self._thread
        within = max(deadline - monotonic(), 0.01)
        if thread is None:
            if self.ring.outstanding():
                self._last_pass(within)
            return
        self._leaving = True
        self._hurry()
        self._left.wait(within)

    # -- after a fork ------------------------------------------------------------------------------------------

    def forked(self) -> None:
        """In the child: nobody else's events, numbers, connection or locks."""
        self._reset()
        self._renew()
        for sink in (self.sink, self._used):
            if isinstance(sink, Link):
                sink.forked()
        self._used = None

    # -- the thread --------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            with _importing:
                import json  # noqa: F401
            while not self._leaving:
                wait = self._attempt()
                if wait:
                    self._lock.acquire(timeout=wait)
                    continue
                self._lock.acquire(timeout=PACE)
                if not self.ring.fresh():
                    self._sleep()
            self._last_pass(LEAVE / 2)
        except BaseException:  # the interpreter is being taken apart; there is nobody to tell
            return
        finally:
            self._thread = None
            self.bell[:] = [1]
            self._left.set()

    def _sleep(self) -> None:
        self.bell.append(1)
        if not self.ring.fresh():  # otherwise something came before the bell hung
            self._lock.acquire(timeout=SETTLE if self.ring.unfinished() else 60.0)
        self.bell.clear()

    def _attempt(self) -> float:
        """Send what there is. Seconds to wait before the next attempt, 0 when all went well."""
        try:
            self._pass(leaving=False)
        except NotTaken as failure:
            return self._failed(failure.why, failure.wait)
        except Exception as error:
            self.faults += 1
            return self._failed(f"{type(error).__name__} in the sink", 0.0)
        self._failures = 0
        self.state, self.why = "connected", ""
        if len(self.ring.sessions) > self._evict_at:
            self.ring.evict()
            self._evict_at = max(SESSIONS, len(self.ring.sessions) + SESSIONS // 4)
        return 0.0

    def _failed(self, why: str, wait: float) -> float:
        self.state, self.why = "waiting", why
        self._failures += 1
        local = not isinstance(self.sink, Link) or self.sink.endpoint.local
        longest = LOCAL_WAIT if local else LAST_WAIT
        return max(wait, min(FIRST_WAIT * 1.6 ** min(self._failures - 1, 20), longest))

    def _last_pass(self, within: float) -> None:
        if isinstance(self.sink, Link):
            self.sink.end = monotonic() + within
        try:
            self._pass(leaving=True)
        except Exception:
            self.faults += 1
        finally:
            if isinstance(self.sink, Link):
                self.sink.close()
                self.sink.end = None

    def _pass(self, *, leaving: bool) -> None:
        sink = self.sink
        if sink is not self._used:
            if self._used is not None:
                self.ring.again()
                if isinstance(self._used, Link):
                    self._used.close()
            self._used, self._server = sink, None
            if self._mask is not None:
                self._mask.forget_key()
            if isinstance(sink, Link):
                with _importing:
                    sink.prepare()
        parcels = self.ring.parcels(monotonic(), leaving=leaving)
        if parcels and self._mask is None and self._rules is not None:
            with _importing:
                from lingbot_probes.mask import Mask
            self._mask = Mask(self._rules)
        for source, parcel in parcels.items():
            self._ship(sink, source, parcel)

    def _ship(self, sink: Sink, source: str, parcel: Parcel) -> None:
        start, mask = 0, self._mask
        while True:
            end, batch = self._batch(source, parcel, start)
            if mask is not None and mask.lacks:
                self._ask_for_key(sink, source, mask)
                end, batch = self._batch(source, parcel, start)
            events, last = batch["events"], end == len(parcel.entries)
            try:
                answer = sink.deliver(batch)
            except NotTaken as failure:
                if failure.unsure:
                    for place, n, _, _ in parcel.entries[start:end]:
                        place.session.doubt(n)
                if not failure.spoiled or not events:
                    raise
                if len(events) > 1:
                    self._most = max(len(events) // 2, 1)
                    continue
                place, n, _, _ = parcel.entries[start]
                place.session.refuse(n)  # the same bytes would be refused for ever
            else:
                self._account(answer, parcel, parcel.entries[start:end], last)
                self._most = min(self._most * 2, MOST)
            if last:
                return
            start = end

    def _batch(self, source: str, parcel: Parcel, start: int) -> tuple[int, dict[str, Any]]:
        """A batch of the events from ``start`` on, and where it ends."""
        events: list[dict[str, Any]] = []
        size, end = 0, start
        while end < len(parcel.entries) and len(events) < self._most and size < BATCH:
            event, length = leaving(parcel.entries[end], self._mask)
            events.append(event)
            size += length
            end += 1
        batch: dict[str, Any] = {"v": VERSION, "source": source, "probe": self._name, "events": events}
        # a number proves a loss only beside all that is left, so it goes with the last of the events
        batch["numbered"] = parcel.numbered if end == len(parcel.entries) else {}
        if self._mask is not None:
            self._mask.batch(batch, parcel)
        return end, batch

    def _ask_for_key(self, sink: Sink, source: str, mask: Mask) -> None:
        """Ask the map for the key of the pseudonyms with an empty batch: only now is one needed."""
        empty: dict[str, Any] = {"v": VERSION, "source": source, "probe": self._name, "events": [], "numbered": {}}
        try:
            mask.take_key(sink.deliver({**empty, "mask_key": True}).get("mask_key"))
        except NotTaken as failure:
            if not failure.spoiled:
                raise
            mask.take_key(None)

    def _account(self, answer: dict[str, Any], parcel: Parcel, entries: list[Entry], last: bool) -> None:
        server = answer["server"]
        if self._server is not None and server != self._server:
            self.ring.again()
            if self._mask is not None:
                self._mask.forget_key()
        self._server = server
        for id, runs in answer.get("acked", {}).items():
            session = parcel.known(id)
            if session is not None:
                made = session.made()
                for first, final in runs:
                    if 1 <= first <= final:
                        session.acked(int(first), min(int(final), made))
        for item in answer.get("refused", ()):
            session = parcel.known(item.get("session", ""))
            if session is not None and type(item.get("n")) is int and 1 <= item["n"] <= session.made():
                session.refuse(item["n"])
        for place, n, _, _ in entries:
            session = place.session
            if n not in session.done:
                session.sent, session.again = max(session.sent, n), monotonic() + PATIENCE
                session.doubt(n)  # the map may have it and not be able to write it yet
        if last:
            for session, first, final in parcel.lost:
                session.lost(first, final)
            for id, numbered in parcel.numbered.items():
                if parcel.masked.get(id, id) in answer.get("acked", {}):
                    parcel.sessions[id].answered(numbered)


def leaving(entry: Entry, mask: Mask | None) -> tuple[dict[str, Any], int]:
    """An event as it leaves the process, and its size: masked, valid Unicode, at most 16 KiB."""
    import json

    place, n, said_at, signal = entry
    event: dict[str, Any] = {"session": place.session.id, "n": n}
    if place.turn:
        event["turn"] = place.turn
    if said_at is not None:
        event["said_at"] = said_at
    if type(signal) is tuple:  # a router's plain result, see ``routing.on_intent``
        signal = intent_routed(taken(signal))
    event["signal"] = signal
    if mask is not None:
        mask.event(event)
    limit = 2_048
    while True:
        try:
            size = len(json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode())
        except UnicodeEncodeError:
            event["signal"] = without_lone_surrogates(event["signal"])
            continue
        if size <= EVENT:
            return event, size
        if limit < 16:
            event["signal"] = {"kind": "raw", "name": event["signal"]["kind"], "data": "too large"}
        else:
            event["signal"] = shrunk(event["signal"], limit)
            limit //= 2
