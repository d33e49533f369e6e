"""Questions to a map."""

from __future__ import annotations

from lingbot_map import query
from tests.builders import Dialogue, answered, assigned, cleared, read, recalled, routed, said


def story() -> Dialogue:
    d = Dialogue()
    d.tell(said("a"), routed("after_sale"), assigned("brand", "x"), assigned("phone", 1), assigned("month", 5))
    d.tell(said("b"), routed("price"), read("brand"), assigned("brand", "y"), assigned("phone", 1), cleared("month"))
    d.tell(assigned("plan", "B"), recalled("vector", {"a": 0.9, "b": 0.8}), recalled("reranked", {"b": 0.9}))
    d.tell(answered("ok", "b"))
    return d


def test_a_trail_reaches_up_and_down_and_counts_hops() -> None:
    d = story()
    found = query.trail(d.map, "doc:b", 3)
    assert found["doc:b"] == 0
    assert found["answer:2"] == 1
    assert found["utterance:2"] == 1
    assert "doc:a" not in found, "what shares only an origin is not on the trail"
    assert query.trail(d.map, "slot:brand", 1).keys() == {"slot:brand", "intent:after_sale", "intent:price"}
    assert query.trail(d.map, "slot:none") == {}


def test_the_causes_of_a_read_and_of_an_overwrite() -> None:
    d = story()
    assert [e.id for e in query.why(d.map, "read:8")] == ["jump:2", "assign:3", "jump:7", "read:8"]
    assert [e.id for e in query.why(d.map, "overwrite:9")] == [
        "jump:2",
        "assign:3",
        "jump:7",
        "assign:9",
        "overwrite:9",
    ]
    assert [e.id for e in query.why(d.map, "merge:15.1")] == ["recall:13.2", "recall:14.1", "merge:15.1"]
    assert query.why(d.map, "read:99") == []


def test_how_slots_differ_between_two_moments() -> None:
    d = story()
    difference = query.slots_between(d.map, 5, 15)
    assert difference == query.Difference(["plan"], ["brand"], ["month"], ["phone"], ["brand"])


def test_why_a_value_should_not_have_been_read() -> None:
    d = Dialogue()
    d.tell(said("a"), routed("after_sale"), assigned("brand", "x"), assigned("user", 1, scope="user"))
    d.tell(assigned("code", 1, scope="turn"), read("code"), assigned("void", None))
    d.tell(said("b"), routed("price"), read("brand"), read("user"), read("code"), read("void"), read("none"))
    d.wait(2000)
    d.tell(said("c"), routed("after_sale"), read("brand"), read("brand"))
    found = [(e.source, query.why_stale(d.map, e)) for e in d.map.edges.values() if e.kind == "read"]
    assert found == [
        ("slot:code", ""),
        ("slot:brand", "task"),
        ("slot:user", ""),
        ("slot:code", "turn"),
        ("slot:void", ""),
        ("slot:none", ""),
        ("slot:brand", "expired"),
        ("slot:brand", ""),
    ]


def test_a_window_holds_the_edges_of_its_turns_and_their_ends() -> None:
    found = query.window(story().map, 1, 1)
    assert {e.id for e in found.edges} == {"jump:2", "assign:3", "assign:4", "assign:5"}
    assert "doc:a" not in {n.id for n in found.nodes}


def test_totals_and_networkx_agree() -> None:
    d = story()
    graph = query.to_networkx(d.map)
    counts = query.totals(d.map)
    assert (counts["nodes"], counts["edges"]) == (graph.number_of_nodes(), graph.number_of_edges())
    assert counts["findings"] == {"overwrite": 1, "leak": 1}
    assert graph.edges["slot:brand", "slot:brand", "overwrite:9"]["old"] == "x"
