"""Graphs from files: tables (TSV, CSV), JSON Lines, GraphML, and plain triples of three columns.

A folder is read as a whole; what a file holds is told by its columns, not by its name:

- nodes: ``id``, and any of ``kind`` (``label``, ``type``), ``name``, ``aliases`` (split at ``|``), ``props``;
- edges: ``source``, ``relation``, ``target``, ``props`` (also ``start``/``end``, ``subject``/``predicate``/``object``,
  and the heads ``:START_ID``, ``:TYPE``, ``:END_ID`` of graph databases' exports);
- how relations are said: ``relation``, ``says`` (split at ``|``), ``from``, ``to``, ``both_ways``.

``props`` is ``name=value;name=value`` or a JSON object; columns of other names are properties too. A file without any
of these heads and with three columns is one of triples, whose ends are nodes called what they are.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lingbot_map.ask.bases.triples.graph import Graph, Node, Said, Value
from lingbot_map.errors import BadInput, TooLarge

LARGEST = 1 << 30
"""Bytes of one file at most."""
MOST_ROWS = 5_000_000
LONGEST = 100_000
"""Characters of an id, a name or a text at most."""

_ID = ("id", "node_id", "nodeid", "key")
_KIND = ("kind", "label", "labels", "type", "class")
_NAME = ("name", "title")
_ALIASES = ("aliases", "alias", "altlabel")
_SOURCE = ("source", "start", "start_id", "subject", "head", "src", "s")
_TARGET = ("target", "end", "end_id", "object", "tail", "dst", "o")
_RELATION = ("relation", "type", "predicate", "label", "rel", "p")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")
_SUFFIXES = (".tsv", ".csv", ".jsonl", ".ndjson", ".graphml", ".txt")
_YES = ("yes", "true", "1", "y", "是")

Row = tuple[str, Mapping[str, Any]]
"""Where a row stands ("line 3"), and its fields."""


def loaded(paths: Sequence[Path]) -> Graph:
    """The graph that the files, and those in the folders, hold together. Raises ``BadInput`` with file and line."""
    files = [file for path in paths for file in _files(path)]
    nodes: list[tuple[str, Row]] = []
    edges: list[tuple[str, Row]] = []
    graph = Graph()
    total = 0
    for file in files:
        for what, row in _rows(file):
            total += 1
            if total > MOST_ROWS:
                raise TooLarge(str(file), "rows", total, MOST_ROWS)
            if what == "says":
                graph.say(_said(file.name, row))
            else:
                (nodes if what == "node" else edges).append((file.name, row))
    for name, row in nodes:
        node = _node(name, row)
        if node.id in graph.nodes:
            raise BadInput(f"{name}:{row[0]}", "an id that no other node has", repr(node.id)[:80])
        graph.add_node(node)
    declared = bool(nodes)
    for name, row in edges:
        _edge(graph, name, row, declared)
    if not graph.nodes:
        raise BadInput(", ".join(map(str, paths)) or "graph", "nodes or triples", "none")
    return graph


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.suffix.lower() in _SUFFIXES and file.is_file())
        if not found:
            raise BadInput(str(path), f"files that end in {', '.join(_SUFFIXES)}", "none")
        return found
    if not path.is_file():
        raise BadInput(str(path), "a file or folder", "none")
    return [path]


def _rows(file: Path) -> Iterator[tuple[str, Row]]:
    """("node" | "edge" | "says", row) of each row of a file."""
    size = file.stat().st_size
    if size > LARGEST:
        raise TooLarge(str(file), "bytes", size, LARGEST)
    suffix = file.suffix.lower()
    if suffix == ".graphml":
        from lingbot_map.ask.bases.triples.graphml import rows

        yield from rows(file)
    elif suffix in (".jsonl", ".ndjson"):
        yield from _json_rows(file)
    else:
        yield from _table_rows(file)


def _lines(file: Path) -> Iterator[str]:
    """Decoded lines. Raises ``BadInput`` at the first that isn't UTF-8 text."""
    with file.open("rb") as stream:
        for number, raw in enumerate(stream, 1):
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as why:
                raise BadInput(f"{file.name}:{number}", "UTF-8 text", f"byte {raw[why.start]:#04x}") from None
            if "\0" in line:
                raise BadInput(f"{file.name}:{number}", "text", "a NUL character")
            yield line


def _cells(file: Path) -> Iterator[tuple[int, list[str]]]:
    if file.suffix.lower() == ".csv":
        reader = csv.reader(_lines(file), strict=True)
        try:
            for cells in reader:
                yield reader.line_num, cells
        except csv.Error as why:
            raise BadInput(f"{file.name}:{reader.line_num}", "comma separated values", str(why)) from None
        return
    for number, line in enumerate(_lines(file), 1):
        line = line.rstrip("\r\n")
        cells = line.split(" ||| ") if " ||| " in line else line.split("\t")
        yield number, [cell.strip() for cell in cells]


def _table_rows(file: Path) -> Iterator[tuple[str, Row]]:
    head: list[str] = []
    what = ""
    for number, cells in _cells(file):
        if not any(cell.strip() for cell in cells):
            continue
        if not head:
            head = [_head(cell) for cell in cells]
            what = _kind_of_table(head)
            if what:
                twice = [name for at, name in enumerate(head) if name and name in head[:at]]
                if twice:
                    raise BadInput(f"{file.name}:{number}", "columns of different names", f"{twice[0]!r} twice")
                continue
            if len(cells) != 3:
                raise BadInput(
                    f"{file.name}:{number}",
                    "the columns id, ... (nodes), source, relation, target, ... (edges), relation, says, ... "
                    "or three columns (triples)",
                    ", ".join(cells)[:120],
                )
            head, what = ["source", "relation", "target"], "edge"
        if len(cells) > len(head):
            raise BadInput(f"{file.name}:{number}", f"{len(head)} columns", str(len(cells)))
        yield what, (str(number), dict(zip(head, cells, strict=False)))


def _head(cell: str) -> str:
    """A column's name; of ``name:TYPE`` the name, of ``:TYPE`` the type; of ``id:ID(Film)`` id."""
    name, _, typed = cell.strip().partition(":")
    return (name or typed.partition("(")[0]).strip().casefold() if typed else name.casefold()


def _kind_of_table(head: Sequence[str]) -> str:
    if "says" in head and "relation" in head:
        return "says"
    if any(n in head for n in _SOURCE) and any(n in head for n in _TARGET) and any(n in head for n in _RELATION):
        return "edge"
    if any(n in head for n in _ID) and len(head) > 1:
        return "node"
    return ""


def _no_number(word: str) -> None:
    """NaN and Infinity are no JSON, and neither more nor less than a number."""
    raise ValueError(word)


def _json_rows(file: Path) -> Iterator[tuple[str, Row]]:
    for number, line in enumerate(_lines(file), 1):
        if not line.strip():
            continue
        where = f"{file.name}:{number}"
        try:
            value = json.loads(line, parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise BadInput(where, "a JSON object", repr(line.strip()[:60])) from None
        if not isinstance(value, dict):
            raise BadInput(where, "a JSON object", type(value).__name__)
        row = {str(key).casefold(): cell for key, cell in value.items()}
        what = _kind_of_table(list(row))
        if row.get("type") == "relationship":  # as graph databases export them
            row["relation"] = row.pop("label", "")
            row.pop("type"), row.pop("id", None)
            what = "edge"
        elif row.get("type") == "node" and "id" in row:
            del row["type"]
            what = "node"
        if isinstance(inner := row.pop("properties", None), dict):
            row["props"] = {**inner, **(row["props"] if isinstance(row.get("props"), dict) else {})}
            what = what or "node"
        what = what or ("node" if "id" in row else "")
        if not what:
            raise BadInput(where, "a node (id) or an edge (source, relation, target)", ", ".join(row)[:120])
        yield what, (str(number), row)


def _take(row: dict[str, Any], names: Sequence[str], where: str) -> str:
    for name in names:
        if name in row:
            value = row.pop(name)
            if isinstance(value, dict):
                value = value.get("id", "")
            if isinstance(value, list):
                value = value[0] if value else ""
            text = str(value).strip() if value is not None else ""
            if len(text) > LONGEST:
                raise TooLarge(where, f"{name} in characters", len(text), LONGEST)
            return text
    return ""


def _node(file: str, row: Row) -> Node:
    place, fields = row
    rest, where = dict(fields), f"{file}:{place}"
    id = _take(rest, _ID, where)
    if not id:
        raise BadInput(where, "an id", "none")
    aliases = _many(rest, _ALIASES)
    props = _props(rest, where)
    kind = _take(rest, _KIND, where)
    name = _take(rest, _NAME, where) or next(
        (str(props.pop(key)) for key in ("name", "title", "label") if isinstance(props.get(key), str)), ""
    )
    aliases = aliases or _many(props, _ALIASES)
    return Node(id, kind, name or id, aliases, {**props, **_values(rest, where)}, file, place)


def _edge(graph: Graph, file: str, row: Row, declared: bool) -> None:
    place, fields = row
    rest, where = dict(fields), f"{file}:{place}"
    source, target = _take(rest, _SOURCE, where), _take(rest, _TARGET, where)
    relation = _take(rest, _RELATION, where)
    if not (source and relation and target):
        raise BadInput(where, "source, relation and target", "an empty one", "fill it in or take the line out")
    for end in (source, target):
        if end not in graph.nodes:
            if declared:
                raise BadInput(where, "ends that are ids of nodes", repr(end)[:80])
            graph.add_node(Node(end, "", end, (), {}, file, place))
    props = _props(rest, where)
    graph.add_edge(source, relation, target, {**props, **_values(rest, where)}, file=file, place=place)


def _said(file: str, row: Row) -> Said:
    place, fields = row
    rest, where = dict(fields), f"{file}:{place}"
    name = _take(rest, ("relation",), where)
    if not name:
        raise BadInput(where, "the name of a relation", "none")
    both = _take(rest, ("both_ways", "symmetric"), where).casefold() in _YES
    source, target = _take(rest, ("from",), where), _take(rest, ("to",), where)
    return Said(name, _many(rest, ("says",)), source, target, both)


def _many(row: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name in row:
            value = row.pop(name) if isinstance(row, dict) else row[name]
            parts: Iterable[str] = map(str, value) if isinstance(value, list | tuple) else str(value or "").split("|")
            return tuple(part.strip()[:LONGEST] for part in parts if part.strip())
    return ()


def _props(rest: dict[str, Any], where: str) -> dict[str, Value]:
    raw = rest.pop("props", None)
    if raw is None or raw == "":
        return {}
    if isinstance(raw, str):
        if raw.startswith("{"):
            try:
                raw = json.loads(raw, parse_constant=_no_number)
            except (ValueError, RecursionError):
                raise BadInput(where, "props as a JSON object", repr(raw[:60])) from None
        else:
            pairs = [part.partition("=") for part in raw.split(";") if part.strip()]
            bad = next((key for key, sign, _ in pairs if not sign or not key.strip()), None)
            if bad is not None:
                raise BadInput(where, "props as name=value;name=value", repr(bad[:60]))
            raw = {key.strip(): value for key, _, value in pairs}
    if not isinstance(raw, dict):
        raise BadInput(where, "props as an object", type(raw).__name__)
    return _values(raw, where)


def _values(raw: Mapping[str, Any], where: str) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key, cell in raw.items():
        if cell is None or cell == "" or not key:
            continue
        if isinstance(cell, list | tuple):
            found[str(key)] = tuple(str(part) for part in cell)
        elif isinstance(cell, bool):
            found[str(key)] = "yes" if cell else "no"
        elif isinstance(cell, int | float):
            found[str(key)] = cell if cell == cell and abs(cell) < 1e300 else str(cell)
        elif isinstance(cell, dict):
            raise BadInput(where, f"a plain value of {key!r}", "an object")
        else:
            found[str(key)] = value_of(str(cell).strip())
        text = found[str(key)]
        if isinstance(text, str) and len(text) > LONGEST:
            raise TooLarge(where, f"{key} in characters", len(text), LONGEST)
    return found


def value_of(text: str) -> Value:
    """A property from its text: a number if it is written as one, several texts where ``|`` divides them."""
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    if "|" in text:
        return tuple(part.strip() for part in text.split("|") if part.strip())
    return text
