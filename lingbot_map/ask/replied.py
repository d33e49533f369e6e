"""A language model's reply as sentences with the numbers that each cites."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_GROUP = r"[\[【]\s*\d{1,4}(?:\s*[,，、;；\-–—~至]\s*\d{1,4})*\s*[\]】]"
_CITE = re.compile(_GROUP)
_AFTER = re.compile(rf"([。！？!?.]{{1,4}}[\"'”’」』）)]{{0,4}}) ?((?:{_GROUP} ?)+)")
_MARK = re.compile(r"^\s*(?:[-*•·]|\(?\d{1,2}[.)、](?!\d))\s*")
_STOPS = re.compile(r"[。！？!?]+|\.(?=\s|$)")
_SHORT = ("e.g.", "i.e.", "etc.", "vs.", "mr.", "mrs.", "dr.", "fig.", "st.", "cf.")
_OPEN, _CLOSE = "「『“‘（(《", "」』”’）)》"
_BARE = re.compile(r"(?:是的?|否|对|不是|不对|yes|no)[。.!！，,]?", re.IGNORECASE)
_MOST_NUMBERS = 100
LONGEST = 8_000
"""Characters of a reply that are read; what it says beyond them would be no wording of a short answer."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a wording, without its citations, and the numbers that it cites."""

    text: str
    cites: tuple[int, ...]


def read(reply: str) -> list[Said]:
    """The sentences of a reply, each with its numbers. A bare "Yes." goes with the sentence after it."""
    said: list[Said] = []
    waiting = ""
    for line in reply[:LONGEST].splitlines():
        line = _AFTER.sub(r" \2\1", _MARK.sub("", " ".join(line.split())))
        for piece in _sentences(line):
            numbers = tuple(dict.fromkeys(n for found in _CITE.findall(piece) for n in _numbers(found)))
            text = re.sub(r" (?=[。！？!?.，,；;：:]|$)", "", re.sub(" ?" + _GROUP, "", piece)).strip()
            if not re.search(r"\w", text):
                continue
            if not numbers and _BARE.fullmatch(text):
                waiting = text
                continue
            joint = " " if waiting.isascii() and waiting else ""
            said.append(Said(waiting + joint + text, numbers))
            waiting = ""
    if waiting:
        said.append(Said(waiting, ()))
    return said


def _sentences(line: str) -> Iterator[str]:
    """What stands between full stops, but for those within quotes and brackets that are closed again."""
    begin = at = 0
    while at < len(line):
        if (opened := _OPEN.find(line[at])) >= 0:
            closed = line.find(_CLOSE[opened], at + 1)
            at = closed + 1 if closed > 0 else at + 1
            continue
        if line[at] == '"' and (closed := line.find('"', at + 1)) > 0:
            at = closed + 1
            continue
        stop = _STOPS.match(line, at)
        if stop is None:
            at += 1
            continue
        at = stop.end()
        while at < len(line) and line[at] in "\"'”’」』）)":
            at += 1
        if not line[begin:at].casefold().endswith(_SHORT):
            yield line[begin:at]
            begin = at
    if begin < len(line):
        yield line[begin:]


def _numbers(citation: str) -> list[int]:
    """The numbers of one citation; "[2-5]" are four. Of a range without measure the first hundred."""
    found: list[int] = []
    for part in re.split(r"[,，、;；]", citation):
        ends = [int(each) for each in re.findall(r"\d+", part)]
        if len(ends) == 1:
            found.extend(ends)
        elif ends:
            found.extend(range(ends[0], min(ends[-1], ends[0] + _MOST_NUMBERS) + 1))
    return found
