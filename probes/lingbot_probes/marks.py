"""What the decorators do: which wrapper a function gets, and what is read from its call.

All that can be decided is decided here, at decoration, when the author is looking: wrong use raises ``Misused``.
"""

from __future__ import annotations

from lingbot_probes.arguments import QUERY, SESSION, UTTERANCE, Parameters
from lingbot_probes.capture import Room, captured, name, text
from lingbot_probes.observing import ResultObserver, TurnObserver, place_of, tellers
from lingbot_probes.routing import on_intent
from lingbot_probes.shapes import docs_of, intent_routed, slots_assigned
from lingbot_probes.slots import Observed, Watch
from lingbot_probes.telling import signal_of
from lingbot_probes.wrapping import (
    ASYNC_GENERATOR,
    GENERATOR,
    decorated,
    flags_of,
    handing_out,
    on_result,
    wrap,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from lingbot_probes.probe import Choice, Probe

    Args = tuple[Any, ...]
    Kwargs = dict[str, Any]
    Extract = Callable[..., Any] | None


def mark_turn(probe: Probe, function: Any, session: Choice, utterance: Choice, id: Choice, extract: Extract) -> Any:
    """``function`` as the one that handles a move of the user."""
    who = "@probe.turn"

    def wrapper(function: Any) -> Any:
        parameters = Parameters(function, who)
        of_session = parameters.said(session, "session") or parameters.usual(SESSION)
        of_text = parameters.said(utterance, "utterance") or parameters.usual(UTTERANCE) or parameters.first_text()
        of_id = parameters.said(id, "id")
        where = parameters.label

        def observe(args: Args, kwargs: Kwargs) -> TurnObserver:
            spoken = own = dialogue = None
            try:
                spoken = of_text(args, kwargs)
                own = of_id(args, kwargs) if of_id is not None else None
                dialogue = of_session(args, kwargs) if of_session is not None else None
            except Exception:
                probe.errors += 1  # a callable of the bot's; the turn is told without what it would have said
            return TurnObserver(probe, where, spoken, own, dialogue, extract, (args, kwargs))

        return wrap(function, observe)

    return decorated(function, wrapper, who)


def mark_intent(probe: Probe, function: Any, extract: Extract, session: Choice, turn: Choice) -> Any:
    """``function`` as the one that routes to an intent."""
    who = "@probe.intent"

    def read(result: Any, args: Args, kwargs: Kwargs) -> Any:
        if extract is not None:
            result = extract(result, *args, **kwargs)
            if result is None:
                return ()
        return probe._signals(result, intent_routed)

    def wrapper(function: Any) -> Any:
        if extract is None and session is None and turn is None and not _streams(function):
            where = Parameters(function, who).label
            told, raised = tellers(probe, where, read, None)
            append = (
                probe._where.current.get, probe._where.astray,
                probe._ring.append, probe._sender.bell, probe._sender.wake, probe._lost,
            )  # fmt: skip
            return on_intent(function, append, told, raised)
        return _by_result(probe, function, who, read, session, turn)

    return decorated(function, wrapper, who)


def mark_retrieval(
    probe: Probe,
    function: Any,
    stage: str,
    query: Choice,
    params: tuple[str, ...],
    score_kind: str,
    extract: Extract,
    session: Choice,
    turn: Choice,
) -> Any:
    """``function`` as one stage of a retrieval."""
    who = "@probe.retrieval"

    def wrapper(function: Any) -> Any:
        parameters = Parameters(function, who)
        of_query = parameters.said(query, "query") or parameters.usual(QUERY) or parameters.first_text()
        settings = [(setting, parameters.said(setting, "params")) for setting in params]

        def read(result: Any, args: Args, kwargs: Kwargs) -> Any:
            if extract is not None:
                result = extract(result, *args, **kwargs)
                if result is None:
                    return ()
            return probe._signals(result, lambda found: retrieved(found, args, kwargs))

        def retrieved(result: Any, args: Args, kwargs: Kwargs) -> dict[str, Any]:
            room = Room()
            asked = of_query(args, kwargs)
            asked = text(asked, room) if type(asked) is str else name(asked, room)
            signal: dict[str, Any] = {"kind": "retrieved", "query": asked, "stage": stage}
            kept = {key: captured(pick(args, kwargs), room) for key, pick in settings if pick is not None}
            docs = docs_of(result, room, score_kind)
            if docs is None:
                kept["result"] = captured(result, room)  # not readable as documents: shown as it is
            elif docs:
                signal["docs"] = docs
            if kept:
                signal["params"] = kept
            return signal

        def keep(item: Any) -> Any:
            docs = docs_of([item], Room(), score_kind) if signal_of(item) is None else None
            return docs[0] if docs else item

        return _by_result(probe, function, who, read, session, turn, keep if extract is None else None)

    return decorated(function, wrapper, who)


def mark_filling(
    probe: Probe,
    function: Any,
    scope: str | Mapping[str, str],
    labels: Mapping[str, str],
    extract: Extract,
    session: Choice,
    turn: Choice,
) -> Any:
    """``function`` as one that fills slots: each item of its result is an assignment."""
    who = "@probe.slots"
    scope_of = Watch(probe, scope, labels, None).scope_of

    def read(result: Any, args: Args, kwargs: Kwargs) -> Any:
        if extract is not None:
            result = extract(result, *args, **kwargs)
        return probe._signals(result, lambda filled: slots_assigned(filled, scope_of, labels))

    return decorated(function, lambda found: _by_result(probe, found, who, read, session, turn), who)


def mark_store(
    probe: Probe, function: Any, scope: str | Mapping[str, str], labels: Mapping[str, str] | None, session: Choice
) -> Any:
    """``function`` as the one that hands out the slots: a dictionary that it returns comes back observed."""
    who = "@probe.slots"

    def wrapper(function: Any) -> Any:
        of_session = Parameters(function, who).said(session, "session")

        def hand_out(result: Any, args: Args, kwargs: Kwargs) -> Any:
            try:
                if type(result) is dict:
                    dialogue = of_session(args, kwargs) if of_session is not None else None
                    return Observed(result, Watch(probe, scope, labels, dialogue))
            except Exception:
                probe._lost()
            return result

        return function if _streams(function) else handing_out(function, hand_out)

    return decorated(function, wrapper, who)


def _by_result(
    probe: Probe,
    function: Any,
    who: str,
    read: Callable[..., Any],
    session: Choice,
    turn: Choice,
    keep: Callable[[Any], Any] | None = None,
) -> Any:
    parameters = Parameters(function, who)
    of_session, of_turn = parameters.said(session, "session"), parameters.said(turn, "turn")
    place = place_of(probe, of_session, of_turn) if of_session or of_turn else None
    told, raised = tellers(probe, parameters.label, read, place)
    if _streams(function):
        return wrap(function, lambda args, kwargs: ResultObserver(told, raised, (args, kwargs), keep))
    return on_result(function, told, raised)


def _streams(function: Any) -> bool:
    return bool(flags_of(function) & (GENERATOR | ASYNC_GENERATOR))
