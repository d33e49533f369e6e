"""What is told about a decorated call: the observers of turns and of results, and their streams.

Everything here runs inside the bot's calls, so none of it raises: what goes wrong is counted, and the number it
would have had is used up, so that the map shows a gap instead of nothing.
"""

from __future__ import annotations

from lingbot_probes.capture import ITEMS, TEXT
from lingbot_probes.context import TurnScope, tell_failure
from lingbot_probes.shapes import answer_text, answered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token
    from typing import Any

    from lingbot_probes.arguments import Pick
    from lingbot_probes.probe import Probe
    from lingbot_probes.ring import Place

    Args = tuple[Any, ...]
    Kwargs = dict[str, Any]


class TurnObserver:
    """One call of a turn's function: opens the turn, tells the answer (also a streamed one), closes it."""

    __slots__ = ("_call", "_extract", "_pieces", "_probe", "_scope", "_size", "_started", "_where")

    def __init__(
        self, probe: Probe, where: str, utterance: Any, id: Any, session: Any, extract: Any, call: tuple[Args, Kwargs]
    ) -> None:
        self._probe = probe
        self._where = where
        self._scope = TurnScope(probe, utterance, id, session)
        self._extract = extract
        self._call = call if extract is not None else ((), {})
        self._pieces: list[str] = []
        self._size = 0
        self._started = False

    def enter(self) -> Token[Place | None] | None:
        if not self._started:
            self._started = True
            self._scope.start()
        return self._scope.enter()

    def leave(self, token: Token[Place | None] | None) -> None:
        self._probe._where.leave(token)

    def yielded(self, item: Any) -> None:
        if self._scope.own and self._size <= TEXT:
            self._probe._guarded(lambda: self._piece(item))

    def _piece(self, item: Any) -> None:
        piece = answer_text(item)
        if piece:
            self._pieces.append(piece[: TEXT + 1])
            self._size += len(piece)

    def returned(self, result: Any) -> None:
        if self._scope.own:
            self._probe._guarded(lambda: self._answered(result))
            self._scope.close()

    def raised(self, error: BaseException) -> None:
        if self._scope.own:
            if self._pieces:  # it stopped in the middle: what had been said was said
                self._probe._guarded(lambda: self._answered(None))
            self._scope.failed(self._where, error)
            self._scope.close()

    def _answered(self, result: Any) -> None:
        if result is None and self._pieces:
            result = "".join(self._pieces)
        if self._extract is not None:
            args, kwargs = self._call
            result = self._extract(result, *args, **kwargs)
        place = self._scope.place
        if place is not None:
            for signal in self._probe._signals(result, answered):
                self._probe._tell(place, signal)


class ResultObserver:
    """One call of a generator whose result is of interest: its value, or the items that it yielded.

    ``keep`` reads from an item what is to be remembered until the generator ends, so that the item isn't.
    """

    __slots__ = ("_call", "_items", "_keep", "_raised", "_told")

    def __init__(
        self,
        told: Callable[..., None],
        raised: Callable[..., None],
        call: tuple[Args, Kwargs],
        keep: Callable[[Any], Any] | None,
    ) -> None:
        self._told = told
        self._raised = raised
        self._call = call
        self._keep = keep
        self._items: list[Any] = []

    def enter(self) -> None:
        return None

    def leave(self, token: Any) -> None:
        return None

    def yielded(self, item: Any) -> None:
        if len(self._items) < ITEMS:
            if self._keep is not None:
                try:
                    item = self._keep(item)
                except Exception:
                    return  # what can't be read now could not be read at the end
            self._items.append(item)

    def returned(self, result: Any) -> None:
        items, self._items = self._items, []
        if result is None:
            result = items
        self._told(result, *self._call)

    def raised(self, error: BaseException) -> None:
        self.returned(None) if self._items else None
        self._raised(error, *self._call)


def place_of(probe: Probe, session: Pick | None, turn: Pick | None) -> Callable[[Args, Kwargs], Place]:
    """Where a call's events go: to the session and turn that its arguments name, else to the context's."""
    where = probe._where

    def place(args: Args, kwargs: Kwargs) -> Place:
        named = session(args, kwargs) if session is not None else None
        return where.at(named, turn(args, kwargs) if turn is not None else None)

    return place


def tellers(
    probe: Probe, where: str, read: Callable[[Any, Args, Kwargs], Any], place: Callable[[Args, Kwargs], Place] | None
) -> tuple[Callable[..., None], Callable[..., None]]:
    """(told, raised) for functions whose result ``read`` turns into signals: one signal, several, or ``None``."""
    here = probe._where.here

    def told(result: Any, args: Args, kwargs: Kwargs) -> None:
        try:
            spoken = read(result, args, kwargs)
            at = place(args, kwargs) if place is not None else here()
            for signal in (spoken,) if type(spoken) is dict else spoken or ():
                probe._tell(at, signal)
        except Exception:
            probe._lost()

    def raised(error: BaseException, args: Args, kwargs: Kwargs) -> None:
        try:
            tell_failure(probe, place(args, kwargs) if place is not None else here(), where, error)
        except Exception:
            probe._lost()

    return told, raised
