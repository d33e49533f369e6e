"""Where a cited item stands: the lines of a diagram, the row of a graph's file, the passage of a document."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lingbot_map.errors import BadInput

if TYPE_CHECKING:
    from lingbot_map.ask import Base, Item

_AROUND = 5  # lines of a diagram before and after the one that is meant
_PASSAGE = 6  # sentences of a document before and after
_LONGEST = 400
_ROW = 2_000
_READ = 8 * 1024 * 1024  # bytes of a table that are read for one of its rows


def source_of(base: Base, item: Item, root: Path | None, text: str = "") -> dict[str, Any]:
    """The item as plain values, with ``source``: ``kind`` says which of the shapes below it has.

    ``root`` is the folder that the base's files lie below, ``text`` that of a diagram that a page sent.
    """
    about: dict[str, Any] = {**asdict(item), "props": _plain(item.props), "source": {"kind": "text"}}
    about["text"] = item.text[:_ROW]
    if base.name == "diagram":
        about["source"] = _diagram(base, item, text)
    elif base.name == "graph":
        about["source"] = _graph(base, item, root)
    elif base.name in ("recall", "sentences"):
        about["source"] = _passage(base, item)
    about["file"] = named(item.source, root)
    return about


def named(source: str, root: Path | None) -> str:
    """A source as it is shown: below its root, never where that lies on the machine."""
    source = source.replace(":line ", ":")
    if root is not None:
        path = Path(source)
        for each in (root, root.absolute()):
            if path.is_relative_to(each):
                return path.relative_to(each).as_posix()
    return source.rsplit("/", 1)[-1] if source.startswith("/") else source


def _diagram(base: Any, item: Item, text: str) -> dict[str, Any]:
    """``lines`` around the item's own, and ``path``: the fragments that it stands in, outermost first."""
    view = next((view for view in base.views if item.id in view.items), None)
    if view is None:
        return {"kind": "text"}
    line = int(item.place.removeprefix("line ") or 0)
    if not text:
        from lingbot_map.ask.bases.sequence.source import text_of

        try:
            text = text_of(Path(view.diagram.source))
        except BadInput:  # it went since it was read
            return {"kind": "text"}
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    bare = item.id.removeprefix(view.prefix)
    path = next(
        (
            each.path
            for each in (*view.diagram.messages, *view.diagram.fragments, *view.diagram.notes)
            if each.id == bare
        ),
        (),
    )
    first, last = max(1, line - _AROUND), min(len(lines), line + _AROUND)
    return {
        "kind": "diagram",
        "line": line,
        "path": [
            {"fragment": view.prefix + step.fragment, "kind": step.kind, "condition": step.condition} for step in path
        ],
        "lines": [
            {"n": n, "text": lines[n - 1][:_LONGEST], "hit": n == line} for n in range(first, last + 1) if line > 0
        ],
    }


def _graph(base: Any, item: Item, root: Path | None) -> dict[str, Any]:
    """The two ``ends`` of a triple (or the one node), and the ``row`` of the file that said so."""
    graph = base.graph
    edge = graph.edges.get(item.id)
    ends = [graph.nodes[id] for id in ((edge.source, edge.target) if edge is not None else (item.id,))]
    line = item.place.removeprefix("line ")
    return {
        "kind": "graph",
        "relation": edge.relation if edge is not None else "",
        "ends": [{"id": node.id, "title": node.name, "kind": node.kind, "props": _plain(node.props)} for node in ends],
        "line": int(line) if line.isdigit() else 0,
        "row": _row(root, item.source, int(line)) if line.isdigit() else "",
    }


def _row(root: Path | None, file: str, line: int) -> str:
    """Line ``line`` of one of the base's own files; "" where it isn't to be had."""
    if root is None or "/" in file or not file:
        return ""
    try:
        read = 0
        with (root / file).open("rb") as stream:
            for number, raw in enumerate(stream, 1):
                read += len(raw)
                if number == line:
                    return raw.decode("utf-8", "replace").strip("\r\n")[:_ROW]
                if read > _READ:
                    break
    except OSError:
        pass
    return ""


def _passage(base: Any, item: Item) -> dict[str, Any]:
    """The sentences around one; of a document its first ones."""
    snapshot = base.library.snapshot
    spoken = snapshot.ids.get(item.id)
    id = spoken.document if spoken is not None else item.id
    if id not in snapshot.documents:
        return {"kind": "text"}
    all = snapshot.of(id)
    at = next((i for i, each in enumerate(all) if each.id == item.id), None)
    first, last = (0, 60) if at is None else (max(0, at - _PASSAGE), at + _PASSAGE + 1)
    return {
        "kind": "passage",
        "heading": spoken.line.heading if spoken is not None else "",
        "line": spoken.line.line if spoken is not None else 0,
        "before": first,
        "after": max(0, len(all) - last),
        "lines": [
            {
                "n": each.line.line,
                "text": each.line.text[:_ROW],
                "hit": each.id == item.id,
                "paragraph": each.line.paragraph,
                "heading": each.line.heading,
            }
            for each in all[first:last]
        ],
    }


def _plain(props: Any) -> dict[str, Any]:
    """Properties as text; what a table has no cell for stays away."""
    return {
        str(name): ", ".join(map(str, value)) if isinstance(value, tuple | list) else value
        for name, value in list(props.items())[:40]
        if isinstance(value, str | int | float | tuple | list)
    }
