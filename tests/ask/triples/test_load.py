"""Graphs from files in each format, and what is said of files that are none."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases import opened
from lingbot_map.ask.bases.triples.graph import Graph, Node
from lingbot_map.ask.bases.triples.load import loaded, value_of
from lingbot_map.errors import BadInput

RELATIONS = "relation\tsays\tfrom\tto\tboth_ways\nWROTE\t写了|作者|wrote\tPerson\tBook\tno\n"
TSV = {
    "nodes.tsv": "id\tkind\tname\taliases\tprops\np1\tPerson\t许诺\tXu Nuo\tjob=经理\n"
    "b1\tBook\t静水集\t\tpages=320;year=2015\n",
    "edges.tsv": "source\trelation\ttarget\tprops\np1\tWROTE\tb1\tyear=2014\n",
}
CSV = {
    "people.csv": "id:ID,name,:LABEL,aliases,job\np1,许诺,Person,Xu Nuo,经理\n",
    "books.csv": 'id:ID,name,:LABEL,pages:int,year:int\nb1,"静水集",Book,320,2015\n',
    "wrote.csv": ":START_ID,:END_ID,:TYPE,year\np1,b1,WROTE,2014\n",
}
JSONL = {
    "graph.jsonl": "\n".join(
        json.dumps(row, ensure_ascii=False)
        for row in (
            {
                "type": "node",
                "id": "p1",
                "labels": ["Person"],
                "properties": {"name": "许诺", "aliases": ["Xu Nuo"], "job": "经理"},
            },
            {"id": "b1", "kind": "Book", "name": "静水集", "pages": 320, "year": 2015},
            {
                "type": "relationship",
                "id": "0",
                "label": "WROTE",
                "start": {"id": "p1"},
                "end": {"id": "b1"},
                "properties": {"year": 2014},
            },
        )
    )
}
GRAPHML = {
    "graph.graphml": """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="kind"/><key id="d1" for="node" attr.name="name"/>
<key id="d2" for="node" attr.name="pages"/><key id="d3" for="edge" attr.name="label"/>
<key id="d4" for="node" attr.name="aliases"/><key id="d5" for="node" attr.name="year"/>
<key id="d6" for="node" attr.name="job"/><key id="d7" for="edge" attr.name="year"/>
<graph edgedefault="directed">
<node id="p1"><data key="d0">Person</data><data key="d1">许诺</data>
<data key="d4">Xu Nuo</data><data key="d6">经理</data></node>
<node id="b1"><data key="d0">Book</data><data key="d1">静水集</data>
<data key="d2">320</data><data key="d5">2015</data></node>
<edge source="p1" target="b1"><data key="d3">WROTE</data><data key="d7">2014</data></edge>
</graph></graphml>"""
}


def folder(tmp_path: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize("files", [TSV, CSV, JSONL, GRAPHML], ids=["tsv", "csv", "jsonl", "graphml"])
def test_each_format_holds_the_same_graph(tmp_path: Path, files: dict[str, str]) -> None:
    graph = loaded([folder(tmp_path, {**files, "relations.tsv": RELATIONS})])
    assert {(n.id, n.kind, n.name, n.aliases) for n in graph.nodes.values()} == {
        ("p1", "Person", "许诺", ("Xu Nuo",)),
        ("b1", "Book", "静水集", ()),
    }
    assert dict(graph.nodes["b1"].props) == {"pages": 320, "year": 2015}
    assert dict(graph.nodes["p1"].props) == {"job": "经理"}
    assert dict(graph.edges["p1-WROTE-b1"].props) == {"year": 2014}
    assert graph.says["WROTE"].says == ("写了", "作者", "wrote")


def test_an_item_tells_where_it_stands(tmp_path: Path) -> None:
    base = opened("graph", [folder(tmp_path, {**TSV, "relations.tsv": RELATIONS})])
    answer = Ask(base).ask("静水集的作者是谁？")
    assert answer.evidence[0].path == "edges.tsv:2"
    item = base.item("p1-WROTE-b1")
    assert item is not None
    assert item.text == "许诺 —WROTE→ 静水集; year=2014"
    assert base.item("nobody") is None


def test_plain_triples_need_no_head(tmp_path: Path) -> None:
    graph = loaded([folder(tmp_path, {"facts.txt": "静水集 ||| 作者 ||| 许诺\n静水集\t页数\t320\n"})])
    assert set(graph.edges) == {"静水集-作者-许诺", "静水集-页数-320"}


def test_a_second_edge_between_the_same_two_is_another() -> None:
    graph = Graph()
    graph.add_node(Node("a", "", "a"))
    assert [graph.add_edge("a", "R", "a").id for _ in range(3)] == ["a-R-a", "a-R-a#2", "a-R-a#3"]


def test_values() -> None:
    assert value_of("12") == 12
    assert value_of("-1.50") == -1.5
    assert value_of("007") == "007"
    assert value_of("9" * 30) == "9" * 30
    assert value_of("散文|随笔") == ("散文", "随笔")


NODES = "id\tkind\tname\nx\tT\tX\n"


@pytest.mark.parametrize(
    ("files", "where"),
    [
        ({"nodes.tsv": NODES + "x\tT\tX again\n"}, "nodes.tsv:3"),
        ({"nodes.tsv": NODES + "\tT\tno id\n"}, "nodes.tsv:3"),
        ({"nodes.tsv": NODES + "y\tT\tY\tZ\tmore\n"}, "nodes.tsv:3"),
        ({"nodes.tsv": NODES + "y\tT\tna\0me\n"}, "nodes.tsv:3"),
        ({"nodes.tsv": NODES, "edges.tsv": "source\trelation\ttarget\nx\tR\tnowhere\n"}, "edges.tsv:2"),
        ({"nodes.tsv": NODES, "edges.tsv": "source\trelation\ttarget\nx\t\tx\n"}, "edges.tsv:2"),
        ({"nodes.tsv": "id\tname\tprops\nx\tX\trating\n"}, "nodes.tsv:2"),
        ({"nodes.tsv": 'id\tname\tprops\nx\tX\t{"a": \n'}, "nodes.tsv:2"),
        ({"nodes.tsv": "id\tname\tname\nx\tX\tX\n"}, "nodes.tsv:1"),
        ({"nodes.csv": 'id,name\nx,"open\n'}, "nodes.csv"),
        ({"nodes.csv": "id,name\nx," + "y" * 200_000 + "\n"}, "nodes.csv"),
        ({"graph.jsonl": '{"id": "x"}\n{"id": \n'}, "graph.jsonl:2"),
        ({"graph.jsonl": '{"id": "x", "kind": "T"}\n[1]\n'}, "graph.jsonl:2"),
        ({"graph.jsonl": "[" * 100_000 + "\n"}, "graph.jsonl:1"),
        ({"graph.jsonl": '{"id": "x", "kind": "T", "deep": {"a": 1}}\n'}, "graph.jsonl:1"),
        ({"graph.graphml": "<graphml><graph>"}, "graph.graphml:1"),
        ({"graph.graphml": "<svg/>"}, "graph.graphml"),
        (
            {"graph.graphml": '<!DOCTYPE g [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><graphml><node id="&c;"/></graphml>'},
            "graph.graphml",
        ),
        ({"graph.graphml": '<!DOCTYPE graphml><graphml><graph><node id="x"/></graph></graphml>'}, "graph.graphml"),
        ({"facts.tsv": "a\tb\tc\td\n"}, "facts.tsv:1"),
        ({"facts.tsv": ""}, "nodes or triples"),
        ({"notes.md": "nothing"}, "none"),
    ],
)
def test_says_where_a_file_is_wrong(tmp_path: Path, files: dict[str, str], where: str) -> None:
    with pytest.raises(BadInput) as caught:
        loaded([folder(tmp_path, files)])
    assert where in str(caught.value)


def test_says_where_text_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "nodes.tsv").write_bytes(NODES.encode() + "y\tT\t许诺\n".encode("gbk"))
    with pytest.raises(BadInput, match=r"nodes\.tsv:3"):
        loaded([tmp_path])


def test_says_that_a_path_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nowhere"):
        loaded([tmp_path / "nowhere"])


def test_graphml_without_its_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("defusedxml")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "defusedxml", None)
    with pytest.raises(BadInput, match="lingbot-map\\[ask\\]"):
        loaded([folder(tmp_path, GRAPHML)])


def test_a_byte_order_mark_is_no_part_of_the_head(tmp_path: Path) -> None:
    (tmp_path / "nodes.tsv").write_bytes(b"\xef\xbb\xbf" + NODES.encode())
    assert set(loaded([tmp_path]).nodes) == {"x"}
