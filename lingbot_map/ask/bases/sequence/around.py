"""What surrounds a message or fragment of a diagram: its conditions, the steps before and after it, the notes."""

from __future__ import annotations

from collections.abc import Iterator

from lingbot_map.ask.bases.sequence.ir import Fragment, Message, Note, Path
from lingbot_map.ask.bases.sequence.view import View
from lingbot_map.ask.bases.sequence.walk import apart


def around(view: View, id: str, steps: int) -> tuple[str, ...]:
    """A line each, for the item ``id`` of ``view``: up to ``steps`` messages before and after it that may happen in one
    run with it. Nothing for a lifeline or an id that is none."""
    diagram = view.diagram
    own = id.removeprefix(view.prefix)
    for message in diagram.messages:
        if message.id == own:
            return (*_conditions(view, message.path), *_near(view, message, steps), *_notes(view, message, steps))
    for fragment in diagram.fragments:
        if fragment.id == own:
            return (*_conditions(view, fragment.path), *_operands(view, fragment))
    for note in diagram.notes:
        if note.id == own:
            return (*_conditions(view, note.path), *_beside(view, note))
    return ()


def _conditions(view: View, path: Path) -> Iterator[str]:
    for step, said in zip(path, view.steps(path), strict=True):
        yield f"inside {view.prefix}{step.fragment} {said}"


def _near(view: View, message: Message, steps: int) -> Iterator[str]:
    before = [each for each in view.diagram.messages[: message.number - 1] if not apart(each, message)]
    after = [each for each in view.diagram.messages[message.number :] if not apart(each, message)]
    for each in before[-steps:]:
        yield f"before it {_told(view, each)}"
    for each in after[:steps]:
        yield f"after it {_told(view, each)}"


def _notes(view: View, message: Message, steps: int) -> Iterator[str]:
    ends = {message.source, message.target}
    for note in view.diagram.notes:
        if note.after == message.number or (ends & set(note.over) and abs(note.after - message.number) <= steps):
            yield f"note {view.prefix}{note.id} {note.text}"


def _operands(view: View, fragment: Fragment) -> Iterator[str]:
    for operand in fragment.operands:
        held = f"{view.prefix}m{operand.first} to m{operand.last}" if operand.last >= operand.first else "nothing"
        yield f"branch {operand.number} {operand.condition or '-'}: {held}"


def _beside(view: View, note: Note) -> Iterator[str]:
    if 0 < note.after <= len(view.diagram.messages):
        yield f"after {_told(view, view.diagram.messages[note.after - 1])}"


def _told(view: View, message: Message) -> str:
    return f"{view.prefix}{message.id} {view.ends(message)}: {message.label}"
