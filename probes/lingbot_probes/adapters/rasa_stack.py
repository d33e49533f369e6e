"""Rasa's dialogue stack (CALM): the frames that a ``stack`` event's JSON Patch makes of those before it.

A frame is {frame_id, type, flow_id, step_id} and what its type adds (rasa.dialogue_understanding.stack.frames): user
flows are of type ``flow``, all others are patterns around them; ``pattern_collect_information`` holds in ``collect``
the slot that the user is asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lingbot_probes.adapters.json_patch import PatchError, applied

_COLLECT = "pattern_collect_information"
_FRAMES = 64  # of a stack that is followed
_SHOWN = 200  # characters of a frame's name


class Top(NamedTuple):
    """What lies on top of a stack: the user's flow, its step, the flow below it; the slot asked for, in which frame."""

    flow: str = ""
    step: str = ""
    outer: str = ""
    asked: str = ""
    frame: str = ""


def after(frames: list[Any], update: object) -> list[Any] | None:
    """The frames after an update; ``None`` where it does not fit them, or makes no stack of 64 frames at the most."""
    try:
        found = applied(frames, update)
    except PatchError:
        return None
    return found if type(found) is list and len(found) <= _FRAMES else None


def shown(frames: list[Any]) -> list[str]:
    """Each frame as ``flow / step``, the lowest first."""
    names = ((_text(f, "flow_id"), _text(f, "step_id")) if type(f) is dict else ("", "") for f in frames)
    return [" / ".join(filter(None, pair))[:_SHOWN] for pair in names]


def top_of(frames: list[Any]) -> Top:
    """What lies on top; frames that can't be read are passed over."""
    held = [frame for frame in frames if type(frame) is dict]
    flows = [frame for frame in held if frame.get("type") == "flow" and _text(frame, "flow_id")]
    asking = held[-1] if held and held[-1].get("type") == _COLLECT else {}
    flow = flows[-1] if flows else {}
    below = _text(flows[-2], "flow_id") if len(flows) > 1 else ""
    return Top(
        _text(flow, "flow_id"),
        _text(flow, "step_id"),
        below if below != _text(flow, "flow_id") else "",
        _text(asking, "collect") or _text(asking, "collect_information"),
        _text(asking, "frame_id"),
    )


def _text(frame: dict[str, Any], field: str) -> str:
    held = frame.get(field)
    return held if type(held) is str else ""
