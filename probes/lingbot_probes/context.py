"""Where an event stands: the current session and turn, in a context variable.

asyncio tasks and ``asyncio.to_thread`` copy the context by themselves. A plain thread or executor starts with an
empty one: ``Probe.carry`` brings it along. Without it, an event goes to the only session that is open in the
process, if there is exactly one (a bot on the desk, whose retrievers run in a pool); with two or more it would be
a guess, so it goes to a session that is named after the probe and the process, where it can be seen.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
from functools import wraps
from itertools import count

from lingbot_probes.capture import Room, captured, name, scalar, text, without_lone_surrogates
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

ID = 256  # characters of a session's or turn's id


def id_text(value: Any) -> str:
    """An id as text: "" where the value is no text, number or UUID. A giant is cut and told apart by its digest."""
    spoken = value if type(value) is str else scalar(value) if value is not None else None
    if spoken is None or type(spoken) is bool:
        return ""
    if type(spoken) is not str:
        return str(spoken)
    if len(spoken) > ID:
        import hashlib

        told = f"{len(spoken)} {spoken[:4_096]} {spoken[-4_096:]}"  # a giant isn't read through
        digest = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
        spoken = f"{spoken[: ID - 33]}~{digest[:32]}"
    return spoken if spoken.isascii() else without_lone_surrogates(spoken)


class Whereabouts:
    """The places of one probe: the current one, those that are open, the one for orphans."""

    def __init__(self, probe_name: str, ring: Ring) -> None:
        self.current: ContextVar[Place | None] = ContextVar("lingbot_place", default=None)
        self.open: dict[int, Place] = {}
        self._name = probe_name
        self._ring = ring
        self.renew()

    def renew(self) -> None:
        """Begin anew in a forked child: nothing is open here but what the forking thread stands in."""
        self.open.clear()
        self._turns = count(1)
        self._orphan = ""

    def here(self) -> Place:
        return self.current.get() or self.astray()

    def astray(self) -> Place:
        """The place of an event whose context names none."""
        places = list(self.open.values())
        if places and all(place.session is places[0].session for place in places):
            return places[-1]
        return Place(self.orphan())

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
        where.open[id_of(self)] = place
        self._token = where.enter(place)

    def __enter__(self) -> SessionScope:
        self._probe._guarded(self._enter)
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        self._probe._where.open.pop(id_of(self), None)
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
        self._where.open[id_of(self)] = place
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
            self._where.open.pop(id_of(self), None)

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
