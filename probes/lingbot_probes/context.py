"""Where an event stands: the current session and turn, in a context variable.

asyncio tasks and ``asyncio.to_thread`` copy the context by themselves. A plain thread or executor starts with an
empty one: ``Probe.carry`` brings it along. Without it, an event goes to the only session that is open in the process
(a bot on the desk, whose retrievers run in a pool), but only where it can't belong to another: a thread that has
lived while another session was open may still be at that one's work. Where it would be a guess, the event goes to a
session that is named after the probe and the process, where it can be seen.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from contextvars import ContextVar
from functools import wraps
from itertools import count

from lingbot_probes.capture import Room, captured, name, scalar, text, without_lone_surrogates
from lingbot_probes.long_ids import shortened
from lingbot_probes.ring import Place
from lingbot_probes.shapes import failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextvars import Token
    from types import TracebackType
    from typing import Any

    from lingbot_probes.probe import Probe
    from lingbot_probes.ring import Ring, Session


def id_text(value: Any) -> str:
    """An id as text: "" where the value is no text, number or UUID. A giant is cut and told apart by its digest."""
    spoken = value if type(value) is str else scalar(value) if value is not None else None
    if spoken is None or type(spoken) is bool:
        return ""
    if type(spoken) is not str:
        return str(spoken)
    spoken = shortened(spoken)
    return spoken if spoken.isascii() else without_lone_surrogates(spoken)


class Opening:
    """A scope that is open: its place, and the thread and task that opened it."""

    __slots__ = ("_task", "_thread", "place")

    def __init__(self, place: Place) -> None:
        self.place = place
        self._thread = threading.get_ident()
        task = _task()
        self._task = weakref.ref(task) if task is not None else None

    def within(self) -> bool:
        """Whether an event of this thread, without a context, can only belong here.

        It is the thread that opened the scope, and not in another task while the one that opened it still runs: the
        next cell of a notebook, not the background task of a server.
        """
        if self._thread != threading.get_ident():
            return False
        task = self._task() if self._task is not None else None
        return task is None or task.done() or task is _task()


def _alive() -> tuple[weakref.ref[threading.Thread], ...]:
    return tuple(map(weakref.ref, threading.enumerate()))


def _task() -> Any:
    """The running asyncio task, if there is one."""
    asyncio = sys.modules.get("asyncio")
    try:
        return asyncio.current_task() if asyncio is not None else None
    except RuntimeError:  # no loop runs in this thread
        return None


class Whereabouts:
    """The places of one probe: the current one, those that are open, the one for orphans."""

    def __init__(self, probe_name: str, ring: Ring) -> None:
        self.current: ContextVar[Place | None] = ContextVar("lingbot_place", default=None)
        self.open: dict[int, Opening] = {}
        self._name = probe_name
        self._ring = ring
        self.renew()

    def renew(self) -> None:
        """Begin anew in a forked child: nothing is open here but what the forking thread stands in."""
        self.open.clear()
        self._turns = count(1)
        self._orphan = ""
        self._lately: Session | None = None  # whose time it is: the last session that was opened, or that stayed open
        self._elders: tuple[weakref.ref[threading.Thread], ...] | None = None

    def here(self) -> Place:
        return self.current.get() or self.astray()

    def begin(self, scope: object, place: Place) -> None:
        """A scope opens. Threads that live now and have lived in another session's time may be at its work."""
        if self._lately is not None and self._lately is not place.session:
            self._elders = _alive()
        self._lately = place.session
        self.open[id_of(scope)] = Opening(place)

    def end(self, scope: object) -> None:
        """It closes. Where other sessions stay open, threads that live now may be at the work of this one."""
        closed = self.open.pop(id_of(scope), None)
        if closed is not None and self.open:
            open_now = [opening.place.session for opening in list(self.open.values())]
            if closed.place.session not in open_now:
                self._elders, self._lately = _alive(), open_now[-1]

    def astray(self) -> Place:
        """The place of an event whose context names none."""
        openings = list(self.open.values())
        one = openings and all(opening.place.session is openings[0].place.session for opening in openings)
        if one and (self._elders is None or self._young() or any(opening.within() for opening in openings)):
            return openings[-1].place
        return Place(self.orphan())

    def _young(self) -> bool:
        """Whether this thread began since there was another session. Of one that isn't Python's own nobody can say."""
        thread = threading._active.get(threading.get_ident())  # type: ignore[attr-defined]
        return thread is not None and not any(elder() is thread for elder in self._elders or ())

    def orphan(self) -> Session:
        if not self._orphan:
            self._orphan = id_text(f"{self._name}-{os.getpid()}-{self._ring.source[:4]}")
        return self._ring.session(self._orphan)

    def at(self, session: Any, turn: Any, base: Place | None = None) -> Place:
        """The place that is named explicitly; what isn't named is that of ``base``, else of the context."""
        here = base or self.here()
        session_id, turn_id = id_text(session), id_text(turn)
        if not session_id or session_id == here.session.id:
            if not turn_id or turn_id == here.turn:
                return here
            return Place(here.session, turn_id)
        return Place(self._ring.session(session_id), turn_id)

    def new_turn(self) -> str:
        return f"{self._ring.source[:8]}-{next(self._turns)}"

    def enter(self, place: Place) -> Token[Place | None]:
        return self.current.set(place)

    def leave(self, token: Token[Place | None] | None) -> None:
        if token is not None:
            try:
                self.current.reset(token)
            except (ValueError, RuntimeError):
                return  # closed in another context than it was opened in (an abandoned generator): nothing to put back

    def carry(self, function: Callable[..., Any]) -> Callable[..., Any]:
        place = self.current.get()
        if place is None:
            return function
        flags = getattr(getattr(function, "__code__", None), "co_flags", 0)
        if flags & 0x80:  # a coroutine function: its body runs when it is awaited

            @wraps(function)
            async def carried_coroutine(*args: Any, **kwargs: Any) -> Any:
                token = self.enter(place)
                try:
                    return await function(*args, **kwargs)
                finally:
                    self.leave(token)

            return carried_coroutine

        def carried(*args: Any, **kwargs: Any) -> Any:
            token = self.enter(place)
            try:
                return function(*args, **kwargs)
            finally:
                self.leave(token)

        return carried


class SessionScope:
    """``with probe.session("id"):`` what happens inside belongs to that dialogue. Leaving it does not end it."""

    def __init__(self, probe: Probe, id: Any, title: str, meta: Mapping[str, Any] | None, reply: str = "") -> None:
        self._probe = probe
        self._said = (id, title, meta)
        self._reply = reply
        self._token: Token[Place | None] | None = None

    def _enter(self) -> None:
        where = self._probe._where
        id, title, meta = self._said
        session = self._probe._ring.session(id_text(id)) if id_text(id) else where.orphan()
        here = where.current.get()
        place = here if here is not None and here.session is session else Place(session)
        reply = self._reply if type(self._reply) is str else ""
        if not (type(title) is str and not title) or meta is not None or reply or not session.made():
            room = Room()
            signal: dict[str, Any] = {"kind": "session_started"}
            if type(title) is not str or title:
                signal["title"] = name(title, room)
            if type(meta) is dict:
                signal["meta"] = captured(meta, room)
            if reply:
                kept = signal.get("meta")
                signal["meta"] = {**(kept if type(kept) is dict else {}), "reply_url": text(reply, room)}
            self._probe._tell(place, signal)
        where.begin(self, place)
        self._token = where.enter(place)

    def __enter__(self) -> SessionScope:
        self._probe._guarded(self._enter)
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        self._probe._guarded(lambda: self._probe._where.end(self))
        self._probe._where.leave(self._token)

    async def __aenter__(self) -> SessionScope:
        return self.__enter__()

    async def __aexit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        self.__exit__(kind, error, trace)


id_of = id


class TurnScope:
    """``with probe.turn_scope(utterance="..."):`` one move of the user and everything the bot does about it.

    Inside an open turn of the same session, and without an id of its own, it is part of that turn and says nothing.
    """

    def __init__(self, probe: Probe, utterance: Any = "", id: Any = None, session: Any = None) -> None:
        self._probe = probe
        self._said = (utterance, id, session)
        self._where = probe._where
        self._token: Token[Place | None] | None = None
        self.place: Place | None = None
        self.own = False
        probe._guarded(self._open)

    def _open(self) -> None:
        where = self._where
        turn_id, session_id = id_text(self._said[1]), id_text(self._said[2])
        here = where.current.get()
        if here is not None and here.open and session_id in ("", here.session.id) and turn_id in ("", here.turn):
            self.place = here
            return
        of = self._probe._ring.session(session_id) if session_id else (here or where.astray()).session
        self.place = Place(of, turn_id or where.new_turn())
        self.own = self.place.open = True

    def start(self) -> None:
        """Say that the turn begins."""
        if self.own:
            self._probe._guarded(self._start)

    def _start(self) -> None:
        place, utterance = self.place, self._said[0]
        assert place is not None
        self._where.begin(self, place)
        signal = {"kind": "turn_started", "turn": place.turn}
        if type(utterance) is str:
            if utterance:
                signal["utterance"] = text(utterance, Room())
        elif utterance is not None:
            signal["utterance"] = name(utterance, Room())
        self._probe._tell(place, signal)

    def enter(self) -> Token[Place | None] | None:
        return self._where.enter(self.place) if self.own and self.place is not None else None

    def close(self) -> None:
        """The turn is over; what its own background tasks still say belongs to it all the same."""
        if self.own and self.place is not None:
            self.place.open = False
            self._probe._guarded(lambda: self._where.end(self))

    def failed(self, where: str, error: BaseException) -> None:
        if self.own and self.place is not None:
            tell_failure(self._probe, self.place, where, error)

    @property
    def id(self) -> str:
        """The turn's id, to be given to callbacks that run elsewhere."""
        return self.place.turn if self.place is not None else ""

    def answer(self, text: str, docs: Iterable[Any] = ()) -> None:
        """The bot says ``text``, made from ``docs`` (ids, or the documents themselves)."""
        if self.place is not None:
            self._probe.answered(text, docs, session=self.place.session.id, turn=self.place.turn)

    def __enter__(self) -> TurnScope:
        self.start()
        self._token = self.enter()
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        self._where.leave(self._token)
        if error is not None:
            self.failed("turn", error)
        self.close()

    async def __aenter__(self) -> TurnScope:
        return self.__enter__()

    async def __aexit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        self.__exit__(kind, error, trace)


def tell_failure(probe: Probe, place: Place, where: str, error: BaseException) -> None:
    """Say once that something failed, however many probes the exception passes on its way up. Never raises."""
    if not issubclass(type(error), Exception) or place.failure == id_of(error):
        return  # the end of a task, of a generator or of the process is no failure of the bot
    place.failure = id_of(error)
    probe._guarded(lambda: probe._tell(place, failed(where, error)))
