"""Reads Umbrello's sequence diagrams: widgets with places, of which the order is made by height.

A message stands in a fragment if its line lies within the fragment's box; dashed lines divide the box into operands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from xml.etree.ElementTree import Element

from lingbot_map.ask.bases.sequence.building import Builder
from lingbot_map.ask.bases.sequence.ir import OUTSIDE, Diagram, Kind

_SEQUENCE = "3"
"""Umbrello's number of a sequence diagram."""
_FRAGMENTS: tuple[Kind, ...] = ("ref", "opt", "break", "loop", "group", "critical", "group", "alt", "par")
"""By Umbrello's numbers: reference, option, break, loop, negative, critical, assertion, alternative, parallel."""
_WORDS = ("ref", "opt", "break", "loop", "neg", "critical", "assert", "alt", "par")
_ASYNC = "1001"
"""Umbrello's number of an asynchronous message; the others wait or have no answer to wait for."""


@dataclass(slots=True)
class _Box:
    element: Element
    type: int
    top: float
    bottom: float
    lines: list[tuple[float, str]] = field(default_factory=list)


def read(root: Element, where: str) -> list[Diagram]:
    """Each sequence diagram with a message or a lifeline. Raises BadInput with the line."""
    names = {
        id: name for each in root.iter() if (id := each.get("xmi.id") or each.get("id")) and (name := each.get("name"))
    }
    found = []
    for each in root.iter("diagram"):
        if each.get("type") == _SEQUENCE:
            diagram = _diagram(each, names, where)
            if diagram.messages or diagram.lifelines:
                found.append(diagram)
    return found


def _diagram(element: Element, names: dict[str, str], where: str) -> Diagram:
    built = Builder(where, "xmi")
    built.name = built.title = element.get("name", "")
    built.lines = sum(1 for _ in element.iter())
    ids: dict[str, str] = {}
    for each in sorted(element.iter("objectwidget"), key=lambda widget: _number(widget, "x")):
        local = each.get("localid", "") or each.get("xmi.id", "")
        instance, classed = each.get("instancename", ""), names.get(each.get("xmi.id", ""), "")
        kind = "actor" if each.get("drawasactor") == "1" else "participant"
        built.lifeline(local, instance or classed, kind, _line(each))
        for key in ("localid", "xmi.id", "id"):
            if own := each.get(key, ""):
                ids[own] = local
    boxes = [_box(each) for each in element.iter() if each.tag.lower() == "combinedfragmentwidget"]
    # (height, what comes first at one height, larger boxes first, what is told)
    events: list[tuple[float, int, float, Callable[[], object]]] = []
    for widget in element.iter("messagewidget"):
        events.append((_number(widget, "y"), 2, 0.0, partial(_message, built, widget, ids, names)))
    for box in boxes:
        size = box.bottom - box.top
        events.append((box.top, 1, -size, partial(_begin, built, box)))
        events.extend((at, 1, 0.0, partial(built.operand, text, _line(box.element))) for at, text in box.lines)
        events.append((box.bottom, 3, size, partial(_end, built, box)))
    for widget in element.iter("notewidget"):
        events.append((_number(widget, "y"), 2, 0.0, partial(built.note, widget.get("text", ""), (), _line(widget))))
    for _, _, _, tell in sorted(events, key=lambda event: event[:3]):
        tell()
    return built.done()


def _box(element: Element) -> _Box:
    number = element.get("CombinedFragmenttype") or element.get("combinedFragmenttype") or "7"
    type = int(number) if number.isdigit() and int(number) < len(_FRAGMENTS) else 7
    top = _number(element, "y")
    lines = sorted((_number(each, "y"), each.get("text", "")) for each in element.iter("floatingdashlinewidget"))
    return _Box(element, type, top, top + _number(element, "height"), lines)


def _begin(built: Builder, box: _Box) -> None:
    name = box.element.get("combinedFragmentname") or box.element.get("combinedfragmentname") or ""
    kind, word = _FRAGMENTS[box.type], _WORDS[box.type]
    if kind == "ref":
        built.reference(name, (), _line(box.element))
    else:
        built.open(kind, word, f"{word} {name}".strip() if kind == "group" else name, _line(box.element))


def _end(built: Builder, box: _Box) -> None:
    if _FRAGMENTS[box.type] != "ref":
        built.close(_line(box.element))


def _message(built: Builder, widget: Element, ids: dict[str, str], names: dict[str, str]) -> None:
    source, target = (ids.get(widget.get(key, ""), OUTSIDE) for key in ("widgetaid", "widgetbid"))
    text = next((each.get("text", "") for each in widget.iter("floatingtext")), "")
    operation = widget.get("operation", "")
    label = text or names.get(operation, operation)
    head, colon, tail = label.partition(":")
    if colon and head.strip().rstrip(".").replace(".", "").isdigit():
        label = tail  # the number that Umbrello writes before it
    open_head = widget.get("sequencemessagetype") == _ASYNC
    built.message(source, target, label.strip(), _line(widget), dashed=False, open_head=open_head)


def _number(widget: Element, name: str) -> float:
    try:
        return float(widget.get(name, "0") or 0)
    except ValueError:
        return 0.0


def _line(element: Element) -> int:
    return int(element.get("\x00line", "1"))
