"""How records of traces lie in a file: one a line or an item, one alone, or in lists within objects of any size."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from lingbot_map.importers.blob import Blob
from lingbot_map.importers.records import BadRecord, end_of, parse
from lingbot_map.importers.shape import Shape
from lingbot_map.importers.spans_places import Packed

_HEAD = 1 << 16
_SAMPLES = 20
_LISTS = 100  # that are looked into before a file is given up
_ALONE = re.compile(rb"\A")


def packed(
    blob: Blob, shape: Shape, format: str, known: Callable[[dict[str, Any]], bool], names: Sequence[str], mark: bytes
) -> Packed | None:
    """How the file holds records that are ``known``; ``None`` where it holds none.

    ``names`` are the members of an object that may be a list of them; ``mark`` stands in each record, so that a large
    file of another kind isn't searched through.
    """
    if shape.kind in ("text", "sqlite"):
        return None
    lists = re.compile(rb'"(?:' + "|".join(names).encode() + rb')"\s*+:\s*+\[')
    if shape.kind != "object":
        if any(map(known, shape.samples)):
            return Packed(format, None)
        if any(type(row) is dict and known(row) for sample in shape.samples for row in _rows(sample, names)):
            return Packed(format, lists, blob.whole())
    head = blob.slice(blob.start, _HEAD)
    if head.lstrip()[:1] != b"{" or mark not in head or (shape.samples and shape.kind == "lines"):
        return None
    text = blob.whole()
    with suppress(BadRecord):
        if known(parse(text)):
            return Packed(format, _ALONE, text)
    firsts = (_first(text, found.end()) for found in islice(lists.finditer(text), _LISTS))
    return Packed(format, lists, text) if any(type(row) is dict and known(row) for row in firsts) else None


def _first(text: bytes, opens: int) -> Any:
    """The first item of the list that opens there."""
    place = opens + len(text[opens : opens + 64]) - len(text[opens : opens + 64].lstrip())
    with suppress(BadRecord):
        return parse(text[place : max(place, end_of(text, place))])
    return None


def _rows(sample: dict[str, Any], names: Sequence[str]) -> list[Any]:
    held: list[Any] = next((sample[name] for name in names if type(sample.get(name)) is list), [])
    return held[:_SAMPLES]
