"""The map as GraphML and node-link JSON: networkx and an XML parser read back what the map holds."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import pytest

from lingbot_map.graph import DialogueMap
from lingbot_map.session import map_of
from lingbot_map.store.files import FileStore
from lingbot_web.export import Wish, export, find
from lingbot_web.export_graph import graphml, node_link
from tests.builders import Dialogue, answered, assigned, recalled, routed, said
from tests.torture.hostile import STRINGS, hostile

_SPACE = "{http://graphml.graphdrawing.org/xmlns}"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("data")
    return folder, hostile(folder, session="call")


@pytest.fixture(scope="module")
def map(recorded: tuple[Path, str]) -> DialogueMap:
    folder, session = recorded
    return map_of(find(FileStore(folder, read_only=True), session, folder))


def test_node_link_holds_each_node_and_edge_with_its_history(map: DialogueMap) -> None:
    graph: Any = nx.node_link_graph(json.loads(node_link(map)), edges="edges")
    assert set(graph) == set(map.nodes)
    assert {key for _, _, key in graph.edges(keys=True)} == set(map.edges)
    for id, node in map.nodes.items():
        facts = graph.nodes[id]
        assert (facts["kind"], facts["layer"], facts["label"], facts["turn"]) == (
            node.kind,
            node.layer,
            node.label,
            node.turn,
        )
        assert [entry[0] for entry in facts["history"]] == [seq for seq, _ in map.history[id]]
    for edge in map.edges.values():
        assert graph.edges[edge.source, edge.target, edge.id]["seq"] == edge.seq


def test_graphml_is_xml_that_networkx_reads_whatever_was_said(map: DialogueMap) -> None:
    text = graphml(map)
    root = ElementTree.fromstring(text)
    assert len(root.findall(f"{_SPACE}graph/{_SPACE}node")) == len(map.nodes)
    assert len(root.findall(f"{_SPACE}graph/{_SPACE}edge")) == len(map.edges)
    graph: Any = nx.read_graphml(io.BytesIO(text.encode()), force_multigraph=True)
    shown = {facts["label"] for _, facts in graph.nodes(data=True)}
    for said_text in STRINGS:
        if said_text.isprintable() and said_text.strip():
            assert said_text in shown


def test_values_that_are_no_plain_ones_are_json_in_graphml() -> None:
    dialogue = Dialogue("s")
    dialogue.tell(said("x"), routed("a"), assigned("items", ["a", {"n": 1}]), assigned("big", 2**53 - 1))
    dialogue.tell(assigned("yes", True), assigned("no", None), recalled("vector", {"d": 0.5}), answered("ok", "d"))
    graph: Any = nx.read_graphml(io.BytesIO(graphml(dialogue.map).encode()), force_multigraph=True)
    assert json.loads(graph.nodes["slot:items"]["value"]) == ["a", {"n": 1}]
    assert graph.nodes["slot:big"]["value"] == 2**53 - 1
    assert graph.nodes["slot:yes"]["value"] is True
    assert "value" not in graph.nodes["slot:no"]
    assert graph.edges["utterance:1", "doc:d", "recall:7.1"]["score"] == 0.5


def test_a_graph_of_a_moment_is_the_map_of_that_moment(recorded: tuple[Path, str], tmp_path: Path) -> None:
    folder, session = recorded
    out = tmp_path / "map.json"
    export(folder, session, Wish(to="graph", at=9), out)
    then = map_of(find(FileStore(folder, read_only=True), session, folder), 9)
    assert then.cursor.seq == 9
    assert {node["id"] for node in json.loads(out.read_text("utf-8"))["nodes"]} == set(then.nodes)
