"""Reads Mermaid's sequence diagrams (its documentation, "Sequence diagrams"), statement by statement.

A semicolon ends a statement as a line's end does, "#" begins a comment; both stand in a text as ``#59;`` and ``#35;``.
A statement that is none of the language is an error with its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from lingbot_map.ask.bases.sequence import legend
from lingbot_map.ask.bases.sequence.building import Builder
from lingbot_map.ask.bases.sequence.ir import Diagram, Kind
from lingbot_map.ask.bases.sequence.preprocess import Lines

_ARROW = r"<<--?>>|--?>>|--?>|--?x|--?\)|--?\|\\{1,2}|--?\|/|--?\\{2,4}|--?//|/\|--?|\\{1,2}\|--?|//--?|\\{2,4}--?"
_MESSAGE = re.compile(
    rf"(?P<a>[^\s:+<>,;][^:<>+,;]*?)\s*(?:\(\))?\s*(?P<arrow>{_ARROW})\s*(?:\(\))?\s*[+-]?\s*(?:\(\))?"
    r"(?P<b>[^\s:+<>,;\\/|-][^:<>+,;]*?)\s*(?::(?P<label>.*))?",
    re.DOTALL,
)
_ENTITY = re.compile(r"(?:#|&#?)\w{1,31};")
_MARKED = str.maketrans("#;&", "\x00\x01\x02")
_PLAINED = str.maketrans("\x00\x01\x02", "#;&")
_UNMARKED = str.maketrans("\x00\x01\x02", "\ufffd\ufffd\ufffd")
_WORD = re.compile(r"[A-Za-z_]+")
_SHAPED = re.compile(r"@\s*(\{[^}]*\})")
_NOTE = re.compile(r"(?:(?:left|right)\s+of|over)\s+([^:]+?)\s*:(.*)", re.IGNORECASE | re.DOTALL)
_KINDS: dict[str, Kind | None] = {
    "loop": "loop", "opt": "opt", "alt": "alt", "par": "par", "par_over": "par", "critical": "critical",
    "break": "break", "rect": None, "box": None,
}  # fmt: skip
_BRANCHES = {"else": ("alt",), "and": ("par", "par_over"), "option": ("critical",)}
_LAYOUT = ("autonumber", "activate", "deactivate", "link", "links", "properties", "details", "destroy", "accdescr")
_PLAIN = ("acctitle", "title")


class _Reader:
    def __init__(self, source: str) -> None:
        self.built = Builder(source, "mermaid")
        self._began = False
        self._words: dict[str, Callable[[str, str, int], bool]] = {
            **dict.fromkeys(("participant", "actor"), self._lifeline),
            **dict.fromkeys(_KINDS, self._open),
            **dict.fromkeys(_BRANCHES, self._branch),
            **dict.fromkeys(_LAYOUT, lambda word, rest, number: True),
            **dict.fromkeys(_PLAIN, self._title),
            "create": self._create,
            "note": self._note,
            "end": self._end,
        }

    def read(self, lines: Lines) -> None:
        for number, statement in _statements(self._drawn(lines)):
            if not self._began:
                if statement.lower() != "sequencediagram":
                    self.built.fault(number, "sequenceDiagram", statement[:120])
                self._began = True
            else:
                self._statement(statement, number)

    def _drawn(self, lines: Lines) -> Iterator[tuple[int, str]]:
        """The lines without head matter, directives and comments."""
        until, began = "", 0
        for number, raw in lines:
            line = raw.strip()
            if not line:
                continue
            self.built.lines += 1
            if until:
                if not self._began and until == "---" and line.lower().startswith("title:"):
                    self.built.title = legend.mermaid(line[6:].strip("\"' "))
                if line.endswith(until):
                    until = ""
            elif not self._began and line == "---":
                until, began = "---", number
            elif line.startswith("%%"):
                if line.startswith("%%{") and "}%%" not in line:
                    until, began = "}%%", number
            elif line.lower().startswith("accdescr") and line.endswith("{"):
                until, began = "}", number
            else:
                yield number, line
        if until:
            self.built.fault(began, f"an end ({until}) of what begins here", "none")

    def _statement(self, statement: str, number: int) -> None:
        word = _WORD.match(statement)
        if word is not None and (handler := self._words.get(word[0].lower())) is not None:
            rest = statement[word.end() :]
            if (not rest or rest[0] in " \t:" or rest[0] == "@") and not _MESSAGE_HEAD.match(rest):
                if not handler(word[0].lower(), rest.strip(), number):
                    self.built.fault(number, "a line of a sequence diagram", _back(statement)[:120])
                return
        found = _MESSAGE.fullmatch(statement)
        if found is None:
            self.built.fault(number, "a line of a sequence diagram", _back(statement)[:120])
            return
        arrow = found["arrow"]
        source, target = _back(found["a"].strip()), _back(found["b"].strip())
        if arrow[0] in "/\\":
            source, target = target, source
        head = arrow.strip("-")
        open_head = "<" not in arrow and (head == ")" or "/" in head or "\\" in head)
        label = legend.mermaid(_back(found["label"] or ""))
        self.built.message(source, target, label, number, dashed="--" in arrow, open_head=open_head)

    def _lifeline(self, word: str, rest: str, number: int) -> bool:
        kind = word
        shape: dict[str, object] = {}
        if shaped := _SHAPED.search(rest):
            try:
                told = json.loads(_back(shaped[1]))
            except ValueError:
                return False
            shape = told if isinstance(told, dict) else {}
            kind = str(shape.get("type", word))
            rest = (rest[: shaped.start()] + rest[shaped.end() :]).strip()
        id, joint, name = rest.partition(" as ")
        id = _back(id.strip())
        if not id:
            return False
        shown = name if joint else str(shape.get("alias", id))
        self.built.lifeline(id, legend.mermaid(_back(shown)), kind, number)
        return True

    def _create(self, word: str, rest: str, number: int) -> bool:
        kind, _, rest = rest.partition(" ")
        return kind.lower() in ("participant", "actor") and self._lifeline(kind.lower(), rest.strip(), number)

    def _open(self, word: str, rest: str, number: int) -> bool:
        self.built.open(_KINDS[word], word, legend.mermaid(_back(rest)), number)
        return True

    def _branch(self, word: str, rest: str, number: int) -> bool:
        return self.built.innermost in _BRANCHES[word] and self.built.operand(legend.mermaid(_back(rest)), number)

    def _end(self, word: str, rest: str, number: int) -> bool:
        return not rest and self.built.close(number)

    def _note(self, word: str, rest: str, number: int) -> bool:
        found = _NOTE.fullmatch(rest)
        if found is None:
            return False
        over = tuple(_back(each.strip()) for each in found[1].split(",") if each.strip())
        self.built.note(legend.mermaid(_back(found[2])), over, number)
        return True

    def _title(self, word: str, rest: str, number: int) -> bool:
        self.built.title = legend.mermaid(_back(rest.removeprefix(":")))
        return True


_MESSAGE_HEAD = re.compile(rf"\s*(?:\(\))?\s*(?:{_ARROW})\s*(?:\(\))?[+-]?\s*[^\s:]")


def _statements(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for number, line in lines:
        if "#" in line or "&" in line:
            line = _ENTITY.sub(lambda found: found[0].translate(_MARKED), line).partition("#")[0].strip()
        if ";" in line:
            for part in line.split(";"):
                if part.strip():
                    yield number, part.strip()
        elif line:
            yield number, line


def _back(text: str) -> str:
    return text.translate(_PLAINED) if "\x01" in text else text


def built(lines: Lines, source: str) -> Builder:
    """What ``lines`` build, each with its number in the file ``source``; its ``faults`` are the lines that are none of
    the language."""
    reader = _Reader(source)
    reader.read([(number, line.translate(_UNMARKED)) for number, line in lines])
    return reader.built


def read(lines: Lines, source: str) -> Diagram:
    """The diagram of ``lines``. Raises BadInput with the line."""
    return built(lines, source).done()
