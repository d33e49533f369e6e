"""A bot's whole state, as its traces show it, to slots: what changed between two, and which dialog is on top."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lingbot_probes.adapters.fields import items, mapping
from lingbot_probes.codec import same_json

SCOPES = {
    "conversation": ("conversation", "session"),
    "conversationstate": ("conversation", "session"),
    "user": ("user", "user"),
    "userstate": ("user", "user"),
    "dialog": ("dialog", "task"),
    "settings": ("settings", "session"),
    "skill": ("skill", "session"),
    "privateconversationstate": ("private", "session"),
}
"""The memory scopes that hold slots: the scope's name in a slot's path, and how far the bot means it to carry."""

_MACHINERY = frozenset(
    (
        "dialogstate",
        "dialogstack",
        "eventcounter",
        "events",
        "expectedproperties",
        "lastevent",
        "lastintent",
        "lasttriggerevent",
        "requiredproperties",
        "retries",
        "etag",
    )
)
"""Keys by which dialogs keep their own books; ``turn`` and ``this`` are left out as scopes: one is gone after the
turn, the other is ``dialog`` again."""

MOST_SLOTS = 500
DEEPEST = 4  # levels of a path; what lies deeper is one value
_STACKED = 16  # dialogs within dialogs that are looked into


@dataclass(slots=True)
class Snapshot:
    """Slots as {path: (value, scope)}, the scopes shown, the dialog on top and the slots that it requires.

    ``whole`` says that every scope there is was shown; ``cut`` counts slots beyond `MOST_SLOTS`.
    """

    slots: dict[str, tuple[Any, str]] = field(default_factory=dict)
    scopes: set[str] = field(default_factory=set)
    whole: bool = False
    dialog: str = ""
    required: tuple[str, ...] = ()
    cut: int = 0


def looks_like_state(value: object) -> bool:
    """Whether a trace's value is a bot's state, whatever the trace is called."""
    if type(value) is not dict:
        return False
    scopes = {key.lower() for key in value if type(value[key]) is dict}
    return bool(scopes & {"conversationstate", "userstate", "dialogstate"}) or len(
        scopes & {"conversation", "user", "dialog", "turn", "this"}
    ) >= (2)


def read_state(value: Mapping[str, Any]) -> Snapshot:
    """The slots and the dialog of one state trace."""
    shot = Snapshot()
    stacks: list[Any] = []
    for key, held in value.items():
        lower = key.lower()
        if lower == "turn":
            shot.whole = True  # a memory snapshot shows every scope there is: one that is missing is gone
        if lower == "dialogstate":
            stacks.append(held)
        if lower not in SCOPES or type(held) is not dict:
            continue
        prefix, scope = SCOPES[lower]
        shot.scopes.add(prefix)
        for path, leaf in _leaves(held, prefix, 1):
            if len(shot.slots) >= MOST_SLOTS:
                shot.cut += 1
            else:
                shot.slots[path] = (leaf, scope)
        stacks.extend(inner for name, inner in held.items() if name.lower() == "dialogstate")
        if prefix == "dialog":
            wanted = items(_folded(held).get("requiredproperties"))
            shot.required = tuple(f"dialog.{name}" for name in wanted if type(name) is str)
    for stack in stacks:
        shot.dialog = _top(stack) or shot.dialog
    return shot


def changes(old: Snapshot, new: Snapshot, *, partial: bool = False) -> Iterator[tuple[str, Any, str, bool]]:
    """(path, value, scope, cleared) of each slot that ``new`` writes or clears.

    What a scope no longer holds was cleared, and so is a dialog's scope that is gone from a whole snapshot; a
    ``partial`` state (a difference) clears only by ``null``.
    """
    for path, (value, scope) in new.slots.items():
        before = old.slots.get(path)
        if value is None:
            if before is not None and before[0] is not None:
                yield path, None, scope, True
        elif before is None or not same_json(before[0], value):
            yield path, value, scope, False
    if partial:
        return
    for path, (value, scope) in old.slots.items():
        if path in new.slots or value is None:
            continue
        prefix = path.split(".", 1)[0]
        if prefix in new.scopes or (new.whole and prefix == "dialog"):
            yield path, None, scope, True


def merged(old: Snapshot, new: Snapshot, *, partial: bool = False) -> Snapshot:
    """The state after ``new``; scopes that it does not show stay as they were. Takes ``old`` over."""
    slots = old.slots
    if not partial:
        gone = set(new.scopes)
        if new.whole:
            gone.add("dialog")
        slots = {path: held for path, held in slots.items() if path.split(".", 1)[0] not in gone}
    for path, held in new.slots.items():
        if len(slots) < 4 * MOST_SLOTS or path in slots:
            slots[path] = held
    shown = "dialog" in new.scopes or new.whole
    return Snapshot(
        slots=slots,
        dialog=new.dialog or ("" if new.whole else old.dialog),
        required=new.required if shown else old.required,
    )


def _leaves(held: Mapping[str, Any], path: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in held.items():
        if not key or key[0] in "_$" or key.lower() in _MACHINERY:
            continue
        here = f"{path}.{key}"
        if type(value) is dict and value and depth < DEEPEST:
            yield from _leaves(value, here, depth + 1)
        else:
            yield here, value


def _top(state: object) -> str:
    """The dialog that is on top of the innermost stack, plumbing left aside; "" where there is none."""
    best = ""
    for _ in range(_STACKED):
        stack = items(_folded(mapping(state)).get("dialogstack"))
        if not stack:
            break
        # Both ends are in use as the top; the one that holds a further stack, or else the first, leads on.
        deeper = None
        for frame in stack[:_STACKED]:
            frame = mapping(frame)
            dialog = frame.get("id")
            if type(dialog) is str and dialog and not _plumbing(dialog) and (deeper is None):
                best = dialog
                deeper = _inner(frame)
            elif deeper is None:
                deeper = _inner(frame)
        if deeper is None:
            break
        state = deeper
    return best


def _inner(frame: Mapping[str, Any]) -> Mapping[str, Any] | None:
    state = mapping(frame.get("state"))
    folded = _folded(state)
    for inner in (folded.get("dialogs"), *items(mapping(state.get("_adaptive")).get("actions")), state):
        if type(inner) is dict and items(_folded(inner).get("dialogstack")):
            return inner
    return None


def _plumbing(dialog: str) -> bool:
    """Whether it is a step within a dialog (``SendActivity(...)``, ``ActionScope[...]``) or has no name of its own."""
    return "[" in dialog or "(" in dialog or dialog == "AdaptiveDialog"


def _folded(held: Mapping[str, Any]) -> dict[str, Any]:
    return {key.lower(): value for key, value in held.items()}
