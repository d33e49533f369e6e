"""A file as the diagrams in it: which language, which lines, and what in it is no sequence diagram.

Diagrams also stand in pages and documents (``<pre class="mermaid">``, a fence of backticks): the text around them is
not theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lingbot_map.ask.bases.sequence import mermaid, plantuml, xmi
from lingbot_map.ask.bases.sequence.ir import Diagram
from lingbot_map.ask.bases.sequence.preprocess import Lines
from lingbot_map.errors import BadInput

MOST = 8 * 1024 * 1024
"""Bytes of a file; the largest of 175 real ones has 14 thousand."""
SUFFIXES = (".puml", ".plantuml", ".pu", ".iuml", ".wsd", ".mmd", ".mermaid", ".md", ".xmi", ".uml", ".xml")

_MERMAID = (
    "flowchart", "graph", "classDiagram", "stateDiagram", "erDiagram", "journey", "gantt", "pie", "quadrantChart",
    "requirementDiagram", "gitGraph", "mindmap", "timeline", "zenuml", "sankey", "xychart", "block", "packet",
    "kanban", "architecture", "C4Context", "C4Container", "C4Component", "C4Dynamic", "radar", "treemap",
)  # fmt: skip
_MERMAID_HEAD = re.compile(rf"\s*(sequenceDiagram|(?:{'|'.join(_MERMAID)})(?:-\w+)?)\b(.*)")
_UNVERIFIED = re.compile(r"^[ \t]*(?:'|%%|<!--)[ \t]*(?:unverified|未经?核实)", re.IGNORECASE | re.MULTILINE)
"""The comment by which somebody says that a diagram was drawn after a picture and nobody has held it against it."""
_START = re.compile(r"@start(\w+)", re.IGNORECASE)
_PAGE_END = re.compile(r"\s*(?:</(?:pre|div|body|html)\b|```|~~~)", re.IGNORECASE)
_PAGE_BEGIN = re.compile(
    r"\s*(?:<(?:pre|div)\b[^>]*mermaid|(?:```|~~~)+\s*\{?\.?(?:mermaid|plantuml|puml)\b)", re.IGNORECASE
)
_OTHER = tuple(
    (kind, re.compile("|".join(signs)))
    for kind, *signs in (
        ("an activity diagram", r"^(?:start|stop|endif)$", r"^:.*;$", r"^if\s*\(.*\)\s*then\b"),
        ("a state diagram", r"^state\b", r"^\[\*\]\s*-", r"->\s*\[\*\]"),
        ("a class diagram", r"^(?:abstract\s+)?(?:class|interface|enum)\s+\S", r"<\|-", r"-\|>", r"\*--", r"o--\s"),
        ("a use case diagram", r"^usecase\b", r"^\([^)]+\)\s*(?:as\b|[-.<])", r"[->]\s*\([^()]+\)$"),
        ("a component diagram", r"^(?:component|node|package|cloud|folder|frame|rectangle|storage|artifact)\b",
         r"^\[[^\]]+\]\s*(?:as\b|[-.<])"),
        ("a mind map", r"^[*+]{1,6}_?\s+\S"),
    )
)  # fmt: skip
"""By what a line, without the space around it, is of a diagram of another kind. Each is looked for in time that follows
the line's length: a pattern that begins with a run of spaces or dashes would begin anew at each of them."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One diagram's lines; ``kind`` is "" for a sequence diagram, else what it is."""

    format: str
    lines: Lines
    kind: str = ""

    @property
    def first(self) -> int:
        """The number of its first line."""
        return self.lines[0][0] if self.lines else 1


@dataclass(frozen=True, slots=True)
class Refused:
    """A diagram of another kind, with its place."""

    where: str
    kind: str


MOST_LINE = 100_000
"""Characters of a line of PlantUML or Mermaid; the longest of real diagrams has some hundreds."""


def text_of(path: Path) -> str:
    """The text of a file. Raises BadInput for one that is too large, empty or no text."""
    try:
        with path.open("rb") as file:  # a pipe or a device says that it has no bytes
            raw = file.read(MOST + 1)
        if len(raw) > MOST:
            raise BadInput(str(path), f"at most {MOST:,} bytes", "more")
    except OSError as why:
        raise BadInput(str(path), "a file that can be read", type(why).__name__) from why
    if not raw.strip():
        raise BadInput(str(path), "a sequence diagram", "an empty file")
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as why:
        line = raw.count(b"\n", 0, why.start) + 1
        raise BadInput(
            f"{path} line {line}", "text in UTF-8", f"byte 0x{raw[why.start]:02x}", "save it as UTF-8"
        ) from why
    if (at := text.find("\0")) >= 0:
        raise BadInput(f"{path} line {text.count(chr(10), 0, at) + 1}", "text", "a NUL character")
    return text


def chunks(text: str, where: str) -> list[Chunk]:
    """The diagrams of a text, in order. Raises BadInput where there is none."""
    head = text.lstrip("\ufeff \t\r\n")[:2000]
    lines = list(enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1))
    if head.startswith(("<?xml", "<XMI", "<xmi", "<uml")):
        return [Chunk("xmi", lines)]
    if _START.search(text):
        return list(_plantumls(lines))
    found = list(_mermaids(lines))
    if found:
        return found
    if where.lower().endswith((".puml", ".plantuml", ".pu", ".iuml", ".wsd")):
        return [Chunk("plantuml", lines)]
    first = next((line.strip() for _, line in lines if line.strip()), "")
    raise BadInput(where, "a sequence diagram in PlantUML, Mermaid or XMI", f"{first[:60]!r} at its beginning")


def _plantumls(lines: Lines) -> Iterator[Chunk]:
    now: Lines = []
    kind: str | None = None
    for number, line in lines:
        begins = _START.match(line.lstrip()) if "@" in line else None
        if begins and kind is None:  # a second one within a diagram is a line that PlantUML skips
            kind = "" if begins[1].lower() == "uml" else begins[1].lower()
            now = [(number, line)]
        elif kind is not None:
            if line.strip().lower().startswith("@end"):
                yield Chunk("plantuml", now, kind and f"a PlantUML {kind} diagram")
                kind = None
            else:
                now.append((number, line))
    if kind is not None:
        yield Chunk("plantuml", now, kind and f"a PlantUML {kind} diagram")


def _mermaids(lines: Lines) -> Iterator[Chunk]:
    now: Lines = []
    head: str | None = None
    page = False  # between two diagrams of a page

    def ended() -> Iterator[Chunk]:
        if head is not None:
            yield Chunk("mermaid", now, "" if head == "sequenceDiagram" else f"a Mermaid {head}")

    for number, line in lines:
        if _PAGE_BEGIN.match(line):
            yield from ended()
            now, head, page = [], None, False
        elif _PAGE_END.match(line):
            yield from ended()
            now, head, page = [], None, True
        elif not page:
            if head is None and (found := _MERMAID_HEAD.match(line)):
                head = found[1]
            now.append((number, line))
    yield from ended()


def other_kind(lines: Lines) -> str:
    """The kind of PlantUML diagram whose words stand in these lines; "" where none does."""
    said = [line.strip() for _, line in lines]
    return next((kind for kind, signs in _OTHER if any(map(signs.search, said))), "")


def _short_lines(lines: Lines, where: str) -> None:
    for number, line in lines:
        if len(line) > MOST_LINE:
            raise BadInput(f"{where} line {number}", f"at most {MOST_LINE:,} characters in a line", f"{len(line):,}")


def read(text: str, where: str) -> tuple[list[Diagram], list[Refused]]:
    """The sequence diagrams of a text, and what in it is of another kind. Raises BadInput with the line for what can't
    be understood, and where no sequence diagram is."""
    found: list[Diagram] = []
    refused: list[Refused] = []
    for chunk in chunks(text, where):
        if chunk.format != "xmi":
            _short_lines(chunk.lines, where)
        if chunk.kind:
            refused.append(Refused(f"{where} line {chunk.first}", chunk.kind))
        elif chunk.format == "xmi":
            found.extend(xmi.read(text, where))
        elif chunk.format == "mermaid":
            found.append(mermaid.read(chunk.lines, where))
        else:
            found.append(_plantuml(chunk, where))
    if _UNVERIFIED.search(text):
        found = [replace(diagram, verified=False) for diagram in found]
    if not found:
        raise BadInput(
            refused[0].where if refused else where, "a sequence diagram", refused[0].kind if refused else "none"
        )
    return found, refused


def _plantuml(chunk: Chunk, where: str) -> Diagram:
    try:
        diagram = plantuml.read(chunk.lines, where)
    except BadInput as why:
        if "line of a sequence diagram" in why.expected and (kind := other_kind(chunk.lines)):
            raise BadInput(why.where, "a sequence diagram", kind) from why
        raise
    if not diagram.messages and not diagram.lifelines and not diagram.fragments:
        raise BadInput(
            f"{where} line {chunk.first}",
            "a sequence diagram",
            other_kind(chunk.lines) or "one without a message or lifeline",
        )
    return diagram
