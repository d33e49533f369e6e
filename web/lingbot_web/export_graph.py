"""The map as a graph that others read, through networkx: GraphML, and node-link JSON.

Nodes carry their kind, layer, label, turn, newest props and their history; edges theirs, with turn and seq. GraphML
knows only plain values, so lists and mappings stand as JSON in a text there, and what is ``None`` is left out.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from lingbot_map.graph import DialogueMap
from lingbot_map.query import to_networkx

if TYPE_CHECKING:
    import networkx as nx

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 can't hold (section 2.2 of its specification)."""
_LONGS = 2**63


def node_link(map: DialogueMap) -> str:
    """Node-link JSON as ``networkx.node_link_graph(data, edges="edges")`` reads it."""
    import networkx as nx

    data = nx.node_link_data(_graph(map), edges="edges")
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "replace").decode() + "\n"


def graphml(map: DialogueMap) -> str:
    """GraphML as ``networkx.read_graphml``, Gephi or yEd read it."""
    import networkx as nx

    graph = _graph(map)
    plain: nx.MultiDiGraph[str] = nx.MultiDiGraph(session=_text(map.session))
    for node, facts in graph.nodes(data=True):
        plain.add_node(_text(node), **_plain(facts))
    for source, target, key, facts in graph.edges(keys=True, data=True):
        plain.add_edge(_text(source), _text(target), key=_text(key), **_plain(facts))
    return "\n".join(nx.generate_graphml(plain)) + "\n"


def _graph(map: DialogueMap) -> nx.MultiDiGraph[str]:
    graph = to_networkx(map)
    for node in graph:
        graph.nodes[node]["history"] = [[seq, dict(props)] for seq, props in map.history.get(node, ())]
    return graph


def _plain(facts: dict[str, Any]) -> dict[str, Any]:
    return {_text(name): _value(value) for name, value in facts.items() if value is not None}


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool | float) or (isinstance(value, int) and -_LONGS <= value < _LONGS):
        return value
    return _text(json.dumps(value, ensure_ascii=False))


def _text(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
