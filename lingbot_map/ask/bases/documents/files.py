"""Folders of documents as they are read: sentences with their headings, paragraphs and lines; versions; tables.

``fine.tsv`` (source, kind, text, of) holds test points, ``graph.tsv`` (source, relation, target) what hangs together,
``synonyms.tsv`` words that say the same. Everything else that ends in .md, .markdown, .txt is a document.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lingbot_map.ask.text import sentences
from lingbot_map.errors import BadInput

ENDINGS = (".md", ".markdown", ".txt")
TABLES = ("fine.tsv", "graph.tsv", "synonyms.tsv")
LARGEST = 64 * 1024 * 1024
"""Bytes of one file; a document of that size is a dump that nobody reads."""

_HEADING = re.compile(r"^#{1,6}[ \t]+(.*)$")
_ENDS = tuple("。！？；.!?:：;|")
_BLOCK = re.compile(r"^\s*(?:[-*+]\s|\d+[.)、]\s|>|\||```|={3,}|-{3,})")
_VERSION = re.compile(
    r"[.\-_ ]?[vV](\d{1,9}(?:\.\d{1,9})*)|[-_ ]?(?<!\d)(\d{1,9}(?:\.\d{1,9})+)(?:\s*版)?|第?(\d{1,9})\s*版"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sentence of a document: its number ``n`` (from 1, the title not counted), paragraph, heading and line."""

    n: int
    text: str
    heading: str
    paragraph: int
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document: ``id`` is its path within the folder, ``folder`` the first part of it ("" at the top).

    ``family`` is the same for all versions of a document and ``version`` orders them; ``retitled`` says that the title
    itself tells the version, so that older ones stay valid where a newer one says nothing else.
    """

    id: str
    folder: str
    title: str
    lines: Sequence[Line]
    family: str
    version: tuple[int, ...] = ()
    retitled: bool = False

    @property
    def text(self) -> str:
        """All of it, the title left out."""
        return " ".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table: a test point (``fine``) or a relation (``graph``), with its line."""

    id: str
    kind: str
    text: str
    of: str
    line: int
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """What was read."""

    documents: tuple[Document, ...]
    fine: tuple[Row, ...] = ()
    graph: tuple[Row, ...] = ()
    synonyms: tuple[tuple[str, ...], ...] = ()


def read(paths: Sequence[Path]) -> Folder:
    """All documents and tables under ``paths`` (files and folders). Raises ``BadInput`` naming the file (and line)."""
    documents: list[Document] = []
    found = [each for path in paths for each in listed(path)]
    tables = [each.path for each in found if each.is_table]
    seen: set[str] = set()
    for file, text in texts(each for each in found if not each.is_table):
        if file.id in seen:
            raise BadInput(
                str(file.path), "one document of a name", f"another {file.id}", "ask over the folder above both"
            )
        seen.add(file.id)
        documents.append(document(file.id, text))
    if not documents:
        raise nothing(paths)
    return replace(read_tables(tables), documents=tuple(documents))


def nothing(paths: Sequence[Path]) -> BadInput:
    """What to raise where there is no document."""
    where = ", ".join(map(str, paths)) or "no path"
    return BadInput(where, "documents", f"no file that ends in {', '.join(ENDINGS)}")


def read_tables(paths: Iterable[Path]) -> Folder:
    """The tables in these files, without documents. Raises ``BadInput`` naming file and line."""
    tables: dict[str, list[list[str]]] = {name: [] for name in TABLES}
    for path in paths:
        tables[path.name].extend(_table(path))
    return Folder(
        documents=(),
        fine=tuple(
            Row(id=f"fine:{row[0]}", kind=row[1], text=row[2], of=row[3], line=int(row[-1]))
            for row in tables["fine.tsv"]
        ),
        graph=tuple(
            Row(
                id=f"graph:{row[-1]}",
                kind=row[1],
                text=f"{row[0]} {row[1]} {row[2]}",
                source=row[0],
                of=row[2],
                line=int(row[-1]),
            )
            for row in tables["graph.tsv"]
        ),
        synonyms=tuple(
            tuple(cell.strip().casefold() for cell in row[:-1] if cell.strip()) for row in tables["synonyms.tsv"]
        ),
    )


@dataclass(frozen=True, slots=True)
class File:
    """A document's or table's file: ``id`` is its path within the folder, ``changed`` the time of its change (ns)."""

    id: str
    at: str
    size: int
    changed: int

    @property
    def path(self) -> Path:
        """Where it lies."""
        return Path(self.at)

    @property
    def is_table(self) -> bool:
        """Whether it is no document."""
        return self.id.rsplit("/", 1)[-1] in TABLES


def listed(path: Path) -> list[File]:
    """The documents and tables of a folder by id, nothing hidden; or the one file. Raises ``BadInput`` for neither."""
    if path.is_file():
        status = path.stat()
        return [File(path.name, str(path), status.st_size, status.st_mtime_ns)]
    if not path.is_dir():
        raise BadInput(str(path), "a file or folder", "nothing there")
    found: list[File] = []
    folders = [(str(path), "")]
    while folders:
        folder, above = folders.pop()
        try:
            entries = os.scandir(folder)
        except FileNotFoundError:
            if not above:
                raise
            continue  # it went meanwhile
        with entries:
            for each in entries:
                if each.name.startswith("."):
                    continue
                if each.is_dir(follow_symlinks=False):
                    folders.append((each.path, f"{above}{each.name}/"))
                elif each.name.lower().endswith(ENDINGS) or each.name in TABLES:
                    known = _status(each)
                    if known is not None:
                        found.append(File(above + each.name, each.path, known.st_size, known.st_mtime_ns))
    return sorted(found, key=lambda file: file.id.split("/"))


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Of a file; ``None`` for what else is called like one: a pipe, a device, a link to nothing or to itself."""
    try:
        status = entry.stat()
    except OSError as why:
        if isinstance(why, FileNotFoundError) or why.errno == errno.ELOOP:
            return None
        raise
    return status if stat.S_ISREG(status.st_mode) else None


def texts(found: Iterable[File]) -> Iterator[tuple[File, str]]:
    """The text of each file; nothing of one that went since it was listed. Raises ``BadInput`` as ``text_of``."""
    for each in found:
        try:
            text = text_of(each.path)
        except FileNotFoundError:
            continue
        yield each, text


def text_of(path: Path) -> str:
    """A file's text. Raises ``BadInput`` for one that is no UTF-8 and one that is too large."""
    with path.open("rb") as file:
        raw = file.read(LARGEST + 1)
    if len(raw) > LARGEST:
        size = max(len(raw), path.stat().st_size)
        raise BadInput(str(path), f"at most {LARGEST:,} bytes", f"{size:,}", "split it")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as why:
        raise BadInput(f"{path} byte {why.start}", "UTF-8 text", repr(why.object[why.start : why.start + 1])) from None


def _table(path: Path) -> Iterator[list[str]]:
    """The cells of each row with the number of its line behind them."""
    wide = {"fine.tsv": 4, "graph.tsv": 3, "synonyms.tsv": 0}[path.name]
    for number, line in enumerate(text_of(path).splitlines(), 1):
        cells = line.split("\t")
        if (number == 1 and wide) or not any(cell.strip() for cell in cells):
            continue
        if wide and len(cells) != wide:
            raise BadInput(f"{path} line {number}", f"{wide} cells divided by tabs", f"{len(cells)}")
        yield [*(cell.strip() for cell in cells), str(number)]


def document(id: str, text: str) -> Document:
    """One document from its text; the first heading is its title, else its file name."""
    title = ""
    lines: list[Line] = []
    for heading, paragraph, number, piece in _paragraphs(text.replace("\x00", " ")):
        if not title and heading is not None and not lines:
            title = heading
        for _, sentence in sentences(piece):
            lines.append(Line(n=len(lines) + 1, text=sentence, heading=heading or "", paragraph=paragraph, line=number))
    if not title:
        first = next(filter(None, map(_heading, text.splitlines())), "")
        title = first or id.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    family, version, retitled = _family(id, title)
    return Document(
        id=id,
        folder=id.split("/", 1)[0] if "/" in id else "",
        title=title,
        lines=tuple(lines),
        family=family,
        version=version,
        retitled=retitled,
    )


def _paragraphs(text: str) -> Iterator[tuple[str | None, int, int, str]]:
    """(heading, paragraph, line, text): stray line breaks within a paragraph joined."""
    heading: str | None = None
    block: list[str] = []
    began = paragraph = 0
    for number, raw in enumerate([*text.splitlines(), ""], 1):
        line = raw.strip()
        mark = _heading(line)
        fresh = not line or mark or _BLOCK.match(raw)
        if block and (fresh or block[-1].endswith(_ENDS)):
            yield heading, paragraph, began, _joined(block)
            block = []
        if mark:
            heading = mark
        if fresh:
            paragraph += 1
        if line and not mark and not re.fullmatch(r"[`=\-|: ]+", line):
            began = began if block else number
            block.append(line)


def _heading(line: str) -> str:
    """The words of a heading, "" of any other line."""
    mark = _HEADING.match(line)
    return mark[1].strip(" \t#") if mark else ""


def _joined(lines: Iterable[str]) -> str:
    joined: list[str] = []
    for line in lines:
        if joined and joined[-1][-1].isascii() and line[0].isascii():
            joined.append(" ")
        joined.append(line)
    return "".join(joined)


def _family(id: str, title: str) -> tuple[str, tuple[int, ...], bool]:
    stem = re.sub(r"\.(?:md|markdown|txt)$", "", id, flags=re.IGNORECASE)
    name = stem.rsplit("/", 1)[-1]
    in_name, in_title = _last(name), _last(title)
    version = in_name or in_title
    if not version:
        return id, (), False
    parts = tuple(int(part) for part in version.split("."))[:8]
    bare = _VERSION.sub("", name).strip("-_. ")
    family = stem[: len(stem) - len(name)] + (bare or _VERSION.sub("", title).strip())
    return family, parts, bool(in_title)


def _last(text: str) -> str:
    found = [next(group for group in match.groups() if group) for match in _VERSION.finditer(text)]
    return found[-1] if found else ""
