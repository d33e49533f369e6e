"""``Probe``: what a bot puts on its functions."""

from __future__ import annotations

import os
from time import monotonic, time

from lingbot_probes import options
from lingbot_probes.capture import NAME, Room, captured, name, text
from lingbot_probes.context import SessionScope, TurnScope, Whereabouts, tell_failure
from lingbot_probes.link import DEFAULT, Endpoint, Link, Nowhere, destination
from lingbot_probes.marks import mark_filling, mark_intent, mark_retrieval, mark_store, mark_turn
from lingbot_probes.ring import Ring
from lingbot_probes.sender import Sender
from lingbot_probes.shapes import answered, doc_ids
from lingbot_probes.slots import Observed, Watch
from lingbot_probes.telling import signal_of
from lingbot_probes.wrapping import Misused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, MutableMapping
    from typing import Any, TypeVar, overload

    from lingbot_probes.ring import Place
    from lingbot_probes.sender import Sink

    F = TypeVar("F", bound=Callable[..., Any])
    Choice = str | Callable[..., Any] | None
else:
    globals()["overload"] = lambda function: function  # importing ``typing`` would cost the bot 15 ms


CAPACITY = 500
OFF = ("off", "0", "false", "no")
STAGES = ("vector", "keyword", "fused", "reranked", "prompt")


class Probe:
    """Hooks a bot up to a map. Cheap to make: no thread, no socket and no file before the first event.

    ``name`` is shown and names the session of events that belong to none. ``endpoint`` is the map server's address
    (the address it prints may be given as it is, with ``#t=TOKEN``); without it ``LINGBOT_ENDPOINT`` counts, else
    ``http://127.0.0.1:8700``. ``token`` likewise, else ``LINGBOT_TOKEN``, else what a map server of ours on this
    machine has left in our own file. ``sink`` takes the batches instead of a server. ``LINGBOT_MAP=off`` in the
    environment makes every decorator return the very function it was given. ``mask`` adds key paths, patterns or
    functions to what is masked before it leaves the process; only ``False`` masks nothing.

    Raises ``Misused`` (a ``TypeError``) for what can't be used, ``ValueError`` for an endpoint or a token that is none.
    An environment that is wrong raises nothing: the probe logs one warning, and sends nothing until ``connect`` says
    where to. Nothing that is called while the bot works raises.
    """

    def __init__(
        self,
        name: str,
        endpoint: str | None = None,
        token: str | None = None,
        *,
        sink: Sink | None = None,
        capacity: int = CAPACITY,
        mask: Any = True,
    ) -> None:
        if type(name) is not str or not name.strip():
            raise options.misused("Probe", "the bot's name first, a text", name)
        if type(capacity) is not int or capacity < 1:
            raise Misused("Probe(capacity=) takes a whole number from 1 on")
        options.a_sink(sink, "Probe(sink=)")
        rules = options.mask_rules(mask, "Probe(mask=)")
        self.name = name
        self.off = os.environ.get("LINGBOT_MAP", "").strip().lower() in OFF
        self.errors = 0
        self._ring = Ring(capacity)
        self._where = Whereabouts(name[:NAME], self._ring)
        told = endpoint is not None or token is not None
        self._link = self._linked(endpoint, token, "Probe") if told else None
        self._sender = Sender(self._ring, name[:NAME], self._way() if sink is None else sink, self._renew, rules)

    def _way(self) -> Link | Nowhere:
        if self._link is None:
            self._link = self._linked(None, None, "Probe")
        return self._link

    def _linked(self, endpoint: str | None, token: str | None, who: str) -> Link | Nowhere:
        """The way to the map server. What the author says wrongly raises, the environment doesn't."""
        if endpoint is not None and type(endpoint) is not str:
            raise options.misused(f"{who}(endpoint=)", "the map server's address, a text", endpoint)
        word, to = options.a_token(token, f"{who}(token=)"), Endpoint(endpoint) if endpoint is not None else None
        variable = "LINGBOT_ENDPOINT"
        try:
            to = to or Endpoint(os.environ.get(variable, "").strip() or DEFAULT)
            variable = "LINGBOT_TOKEN"
            return Link(to, word or options.a_token(os.environ.get(variable), "token"))
        except ValueError as error:
            why = f"{variable} can't be used: {error}"
            if not self.off:
                self.errors += 1
                options.warned(f"lingbot-map: probe {self.name!r:.80} sends nothing. {why}")
            return Nowhere(why)

    def _renew(self) -> None:
        self._ring.renew()
        self._where.renew()

    # -- telling: nothing here raises --------------------------------------------------------------------------

    def _tell(self, place: Place, signal: dict[str, Any], said_at: float | None = None) -> None:
        self._ring.append((place, place.session.number(), time() if said_at is None else said_at, signal))
        if self._sender.bell:
            self._sender.wake()

    def _guarded(self, act: Callable[[], None]) -> None:
        if not self.off:
            try:
                act()
            except Exception:
                self._lost()

    def _lost(self) -> None:
        """Count what went wrong in here, and use up a number, so that the map shows a gap where the event would be."""
        self.errors += 1
        try:
            self._where.here().session.number()
        except Exception:
            return

    def _signals(self, result: Any, read: Callable[[Any], Any]) -> Iterable[dict[str, Any]]:
        """The signals in a result: made by ``extract``, else what ``read`` finds in it."""
        if type(result) is list and result and all(signal_of(item) is not None for item in result):
            return [signal for item in result if (signal := signal_of(item)) is not None]
        spoken: Any = signal_of(result)
        if spoken is None:
            spoken = read(result)
        if spoken is None:
            return ()
        return (spoken,) if type(spoken) is dict else spoken

    def emit(self, signal: Any, *, session: Any = None, turn: Any = None, said_at: float | None = None) -> None:
        """Say anything that ``lingbot_probes.signals`` has a word for. Never raises."""

        def act() -> None:
            spoken = signal_of(signal)
            if spoken is None:
                spoken = {"kind": "raw", "name": name(signal, Room()), "data": captured(signal, Room())}
            at = said_at if (type(said_at) is float or type(said_at) is int) and 0.0 <= said_at < 1e12 else None
            self._tell(self._where.at(session, turn), spoken, at)

        self._guarded(act)

    def answered(self, text: str, docs: Iterable[Any] = (), *, session: Any = None, turn: Any = None) -> None:
        """Say that the bot answered ``text``, made from ``docs``: ids, or the documents themselves."""

        def act() -> None:
            signal = answered(text)
            if signal is not None:
                if ids := doc_ids(docs, Room()):
                    signal["docs"] = ids
                self._tell(self._where.at(session, turn), signal)

        self._guarded(act)

    def failed(self, where: str, error: BaseException | str, *, session: Any = None, turn: Any = None) -> None:
        """Say that something went wrong at ``where``."""

        def act() -> None:
            place, room = self._where.at(session, turn), Room()
            if type(error) is str:
                self._tell(place, {"kind": "failed", "where": name(where, room), "error": text(error, room)})
            elif issubclass(type(error), BaseException):
                tell_failure(self, place, name(where, room), error)  # type: ignore[arg-type]
            else:
                self._tell(place, {"kind": "failed", "where": name(where, room), "error": name(error, room)})

        self._guarded(act)

    def ended(self, reason: str = "", *, session: Any = None) -> None:
        """Say that the dialogue is over."""

        def act() -> None:
            signal = {"kind": "session_ended"}
            if type(reason) is not str or reason:
                signal["reason"] = name(reason, Room())
            self._tell(self._where.at(session, None), signal)

        self._guarded(act)

    # -- scopes ------------------------------------------------------------------------------------------------

    def session(
        self, id: Any, *, title: str = "", meta: Mapping[str, Any] | None = None, reply: str = ""
    ) -> SessionScope:
        """``with`` or ``async with``: everything inside belongs to the dialogue ``id``. Leaving it does not end it.

        ``reply`` is the address of the bot's REST channel, so that one can talk to it from the map's page: it takes
        ``POST {"sender": id, "message": text}`` and answers ``[{"text": ...}]``.
        """
        return SessionScope(self, id, title, meta, reply)

    def turn_scope(self, utterance: str = "", *, id: Any = None, session: Any = None) -> TurnScope:
        """``with`` or ``async with``: one move of the user, for bots without one function that handles it."""
        return TurnScope(self, utterance, id, session)

    def carry(self, function: F) -> F:
        """``function``, to be run in the present session and turn by whatever thread or executor it is given to."""
        if not callable(function):
            raise options.misused("probe.carry", "a function", function)
        return self._where.carry(function)  # type: ignore[return-value]

    def observed(
        self,
        mapping: MutableMapping[Any, Any] | None = None,
        *,
        scope: str | Mapping[str, str] = "",
        labels: Mapping[str, str] | None = None,
        session: Any = None,
    ) -> dict[Any, Any]:
        """A ``dict`` over ``mapping`` whose reads, writes and deletes are signals; what is there already is not told.

        ``scope`` is how far the values are meant to carry ("turn", "task", "session", "user"), for all slots or by
        slot; ``labels`` are names to show. Off, it is the mapping itself.
        """
        if mapping is None:
            mapping = {}
        if self.off or type(mapping) is Observed:
            return mapping  # type: ignore[return-value]
        options.a_store(mapping, "probe.observed")
        options.a_scope(scope, "probe.observed(scope=)")
        options.texts_by_slot(labels, "probe.observed(labels=)")
        return Observed(mapping, Watch(self, scope, labels, session))

    # -- decorators (``marks.py`` has what they do) --------------------------------------------------------------

    @overload
    def turn(self, function: F, /) -> F: ...
    @overload
    def turn(
        self,
        /,
        *,
        session: Choice = ...,
        utterance: Choice = ...,
        id: Choice = ...,
        extract: Callable[..., Any] | None = ...,
    ) -> Callable[[F], F]: ...
    def turn(
        self,
        function: Any = None,
        /,
        *,
        session: Choice = None,
        utterance: Choice = None,
        id: Choice = None,
        extract: Callable[..., Any] | None = None,
    ) -> Any:
        """On the function that handles one move of the user: a turn begins with it and its result is the answer.

        ``session``, ``utterance`` and ``id`` say which arguments these are, by a parameter's name or a callable
        that gets the same arguments; unsaid, the usual names are looked for.
        """
        options.a_callable(extract, "@probe.turn(extract=)")
        return self._decorator(function, lambda found: mark_turn(self, found, session, utterance, id, extract))

    @overload
    def intent(self, function: F, /) -> F: ...
    @overload
    def intent(
        self, /, *, extract: Callable[..., Any] | None = ..., session: Choice = ..., turn: Choice = ...
    ) -> Callable[[F], F]: ...
    def intent(
        self,
        function: Any = None,
        /,
        *,
        extract: Callable[..., Any] | None = None,
        session: Choice = None,
        turn: Choice = None,
    ) -> Any:
        """On the function that routes to an intent; its result names the intent."""
        options.a_callable(extract, "@probe.intent(extract=)")
        return self._decorator(function, lambda found: mark_intent(self, found, extract, session, turn))

    def retrieval(
        self,
        *,
        stage: str = "vector",
        query: Choice = None,
        params: Iterable[str] = (),
        score_kind: str = "",
        extract: Callable[..., Any] | None = None,
        session: Choice = None,
        turn: Choice = None,
    ) -> Callable[[F], F]:
        """On a function that returns the documents of one stage of a retrieval, best first.

        ``stage`` is "vector", "keyword", "fused", "reranked" or "prompt"; ``query`` says which argument was asked;
        ``params`` names the arguments to keep beside it (top_k, filter ...); ``score_kind`` is the scores' unit.
        """
        if type(stage) is not str or stage not in STAGES:
            raise Misused(f"@probe.retrieval(stage={stage!r}): expected one of {', '.join(STAGES)}")
        kept = options.names(params, "@probe.retrieval(params=)")
        options.a_text(score_kind, "@probe.retrieval(score_kind=)", "the unit of the scores, a text")
        options.a_callable(extract, "@probe.retrieval(extract=)")
        return self._decorator(  # type: ignore[no-any-return]
            None, lambda found: mark_retrieval(self, found, stage, query, kept, score_kind, extract, session, turn)
        )

    @overload
    def slots(self, function: F, /) -> F: ...
    @overload
    def slots(
        self,
        /,
        *,
        assigns: bool = ...,
        scope: str | Mapping[str, str] = ...,
        labels: Mapping[str, str] | None = ...,
        extract: Callable[..., Any] | None = ...,
        session: Choice = ...,
        turn: Choice = ...,
    ) -> Callable[[F], F]: ...
    def slots(
        self,
        function: Any = None,
        /,
        *,
        assigns: bool = False,
        scope: str | Mapping[str, str] = "",
        labels: Mapping[str, str] | None = None,
        extract: Callable[..., Any] | None = None,
        session: Choice = None,
        turn: Choice = None,
    ) -> Any:
        """On the function that hands out the slots: the dictionary it returns comes back observed.

        With ``assigns=True`` (or ``extract=``) on a function that fills slots: each item of its result is an
        assignment, and the result stays as it is.
        """
        options.a_scope(scope, "@probe.slots(scope=)")
        options.texts_by_slot(labels, "@probe.slots(labels=)")
        options.a_callable(extract, "@probe.slots(extract=)")
        if assigns or extract is not None:
            return self._decorator(
                function, lambda found: mark_filling(self, found, scope, labels or {}, extract, session, turn)
            )
        return self._decorator(function, lambda found: mark_store(self, found, scope, labels, session))

    def _decorator(self, function: Any, mark: Callable[[Any], Any]) -> Any:
        if self.off:
            return function if function is not None else lambda found: found
        return mark(function) if function is not None else mark

    # -- where it goes -----------------------------------------------------------------------------------------

    def connect(self, endpoint: str, token: str | None = None) -> None:
        """Send to another map server from now on; it gets the recent history first."""
        if type(endpoint) is not str:
            raise options.misused("probe.connect", "the map server's address, a text", endpoint)
        self._link = self._linked(endpoint, token, "probe.connect")
        self.drain_to(None)

    def drain_to(self, sink: Sink | None, *, history: bool = True) -> None:
        """Give the batches to ``sink`` from now on, the recent history first; ``None``: to the map server again.

        ``history=False`` starts fresh: what was said so far is forgotten and every session is numbered from 1, for
        a new source. For a quiet moment, between two tests say: what other threads say meanwhile may be lost.
        """
        options.a_sink(sink, "probe.drain_to")
        if not history:
            self._ring.renew()
        self._sender.sink = self._way() if sink is None else sink
        self._sender.nudge()

    def flush(self, timeout: float = 1.0) -> bool:
        """Wait until everything made so far is acknowledged (or lost and told); whether it was, within ``timeout``."""
        options.seconds(timeout, "probe.flush(timeout=)")
        return self.off or self._sender.flush(timeout)

    def close(self, timeout: float = 0.5) -> None:
        """Make one last attempt to send, for ``timeout`` seconds at most, and end the thread.

        A later event starts it again.
        """
        options.seconds(timeout, "probe.close(timeout=)")
        self._sender.leave(monotonic() + timeout)

    def stats(self) -> dict[str, Any]:
        """The account: what was made, acknowledged, dropped (by session), refused; what the sender is doing and why.

        ``to`` is the `destination`. ``why`` is a sentence while ``state`` is "waiting": what happened, what to do.

        ``made`` is the sum of ``acked``, ``lost``, ``refused``, ``unconfirmed`` and ``waiting``, which is here and not
        acknowledged yet. (``lost`` also counts those of sessions that were let go and are no longer in ``made``.)
        ``unconfirmed`` was delivered when no answer came (the map was killed), and is no longer held: the next answer
        shows whether it is acknowledged or lost. Until then it is neither.
        """
        sender = self._sender
        doing = ("off", "") if self.off else (sender.state, destination(sender.sink))
        state = {"source": self._ring.source, "state": doing[0], "to": doing[1], "why": sender.why}
        return {**state, **self._ring.account(), "errors": self.errors + sender.faults}
