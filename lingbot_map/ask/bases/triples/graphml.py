"""GraphML as rows of nodes and edges. Read with ``defusedxml``: a document type or an entity is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lingbot_map.errors import BadInput

Row = tuple[str, dict[str, Any]]


def rows(file: Path) -> Iterator[tuple[str, Row]]:
    """("node" | "edge", (place, fields)). An edge's relation is its data ``label``, ``relation`` or ``type``, else
    "edge". Raises ``BadInput`` for what isn't GraphML."""
    try:
        from defusedxml.common import DefusedXmlException
        from defusedxml.ElementTree import ParseError, iterparse
    except ImportError:
        raise BadInput(
            file.name, "defusedxml to read GraphML", "none installed", "pip install 'lingbot-map[ask]'"
        ) from None
    keys: dict[str, str] = {}
    seen = False
    try:
        for _, element in iterparse(file, events=("end",), forbid_dtd=True):
            tag = element.tag.rpartition("}")[2]
            if tag == "key":
                keys[element.get("id", "")] = element.get("attr.name") or element.get("id", "")
            elif tag in ("node", "edge"):
                seen = True
                yield tag, _row(element, keys)
                element.clear()
            elif tag == "graphml":
                seen = True
    except DefusedXmlException as why:
        raise BadInput(file.name, "GraphML without a document type", type(why).__name__) from None
    except ParseError as why:
        line = why.position[0]
        raise BadInput(f"{file.name}:{line}", "well-formed XML", str(why)) from None
    except (LookupError, ValueError) as why:  # an encoding that the declaration names and the parser has not
        raise BadInput(f"{file.name}:1", "XML in UTF-8", str(why), "save it as UTF-8") from None
    if not seen:
        raise BadInput(file.name, "GraphML", "other XML")


def _row(element: Any, keys: dict[str, str]) -> Row:
    data: dict[str, Any] = {}
    for child in element:
        if child.tag.rpartition("}")[2] == "data":
            name = keys.get(child.get("key", ""), child.get("key", ""))
            data[name] = "".join(child.itertext()).strip()
    if element.tag.rpartition("}")[2] == "node":
        id = element.get("id", "")
        # Exports of graph databases write the labels as an attribute, ":Film".
        kind = element.get("labels") or data.pop("labels", "") or data.pop("kind", "")
        fields = {**{k.casefold(): v for k, v in data.items()}, "id": id}
        if kind:
            fields["kind"] = kind.strip(":").partition(":")[0]
        return f"node {id}", fields
    relation = element.get("label") or next(
        (data.pop(name) for name in ("label", "relation", "type") if data.get(name)), "edge"
    )
    ends = {"source": element.get("source", ""), "relation": relation, "target": element.get("target", "")}
    place = f"edge {ends['source']} to {ends['target']}"
    return place, {**{k.casefold(): v for k, v in data.items() if k not in ("id",)}, **ends}
