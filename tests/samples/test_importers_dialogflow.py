"""Recordings of Dialogflow CX: containers, order, identity, what is lost, what is refused, and the maps they make."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from lingbot_map.codec import dump
from lingbot_map.importers import Report, sniff
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Raw,
    Retrieved,
    SessionEnded,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    TurnStarted,
)
from tests.samples.dialogflow import (
    AGENT,
    case,
    codes,
    conversation,
    interaction,
    lines,
    page,
    row,
    rows,
    tried,
    turn,
)
from tests.samples.imports import FILES, mapped, opened

# --- the samples -----------------------------------------------------------------------------------------------------


def test_rows_of_mixed_conversations_each_in_their_order() -> None:
    report = Report()
    zh, en = opened(FILES / "dialogflow_rows.jsonl", report)
    assert [s.session.session_id for s in (zh, en)] == ["zh-7f3a", "en-19c2"]
    assert [said.utterance for said in zh.of(TurnStarted)] == [
        "[event WELCOME]",
        "我要退掉昨天那单毛尖",
        "TS-2041",
        "拆开了还能退吗",
    ]
    assert [(route.intent, route.confidence, route.condition) for route in zh.of(IntentRouted)] == [
        ("WELCOME", 1.0, ""),
        ("申请退款", 0.87, ""),
        ("退款 / Start Page", None, "true"),
        ("退款 / 收集订单号", None, "$session.params.order_id = null"),
        ("退款 / 收集订单号", 1.0, ""),
        ("退款 / 核对规则", None, '$page.params.status = "FINAL"'),
        ("KNOWLEDGE_CONNECTOR", 0.72, ""),
    ]
    assert zh.of(IntentRouted)[1].candidates == (("申请退款", 0.87), ("查询订单", 0.41))
    assert [(slot.slot, slot.value) for slot in zh.of(SlotAssigned)] == [
        ("channel", "app"),
        ("tea", "毛尖"),
        ("order_day", {"year": 2026, "month": 3, "day": 1}),
        ("order_id", "TS-2041"),
        ("order_id", "TS-2042"),
    ]
    assert [slot.slot for slot in zh.of(SlotCleared)] == ["order_day"]
    (found,) = zh.of(Retrieved)
    assert (found.query, found.stage, [doc.title for doc in found.docs]) == (
        "已拆封的茶叶能否退款",
        "prompt",
        ["退款规则（2026）", "退款规则（2019）"],
    )
    assert zh.of(Answered)[-1].docs == ("https://tea.example.org/rules/2026",)
    assert zh.session.coverage == {"flow": "full", "state": "partial", "knowledge": "partial"}
    assert codes(zh) == {"reads": 0, "stages": 0}
    # texts of JSON, positions that are texts, a turn that is missing, times against the positions, an end
    assert [item.turn for item in en.items if type(item.signal) is TurnStarted] == ["1", "2", "4"]
    assert ("NO_MATCH", None) in [(route.intent, route.confidence) for route in en.of(IntentRouted)]
    assert en.of(Failed) == [Failed(where="webhook 1", error="UNAVAILABLE: the stock service did not answer")]
    assert en.of(SessionEnded) == [SessionEnded(reason="end_interaction")]
    assert codes(en) == {"reads": 0, "knowledge": 0, "missing_turns": 1, "transitions": 2, "backwards": 1}
    assert en.session.coverage["flow"] == "full"  # that nothing matched is all there is to know of a turn
    assert (report.repeated, report.problem_count, report.records) == (1, 0, 7)


def test_a_conversation_of_the_history_from_its_beginning() -> None:
    (call,) = opened(FILES / "dialogflow_conversation.json")
    assert call.session.session_id == "call-88"
    assert [said.utterance for said in call.of(TurnStarted)] == [
        "my teapot is broken",
        "the spout came off on the way",
        "[no input]",
        "a person please",
    ]
    assert [(route.intent, route.confidence) for route in call.of(IntentRouted)] == [
        ("teapot.broken", 0.91),
        ("Complaints / Ask for a photo", None),
        ("NO_MATCH", None),
        ("Complaints / Ask for a photo", None),
        ("NO_INPUT", None),
        ("Complaints / Ask for a photo", None),
        ("human", 0.97),
        ("LIVE_AGENT_HANDOFF", None),
    ]
    assert call.of(IntentRouted)[2].candidates == (("damage.described", 0.66),)
    assert call.of(Failed)[0].where == "webhook photo-box"
    assert codes(call) == {"reads": 0, "knowledge": 0, "transitions": 1, "audio": 1, "step_metrics": 1}
    (started,) = call.of(SessionStarted)
    assert started.meta["type"] == "AUDIO"
    assert started.meta["environment"] == "production"
    assert started.meta["metrics"]["interactionCount"] == 4


def test_a_playbook_and_its_tools() -> None:
    (shop,) = opened(FILES / "dialogflow_pairs.json")
    assert shop.session.session_id == "pb-5"
    assert [route.intent for route in shop.of(IntentRouted)] == ["导购", "导购", "下单"]
    assert [answer.docs for answer in shop.of(Answered)] == [(), ("信阳毛尖礼盒",)]
    assert [failed.where for failed in shop.of(Failed)] == ["tool 库存", "下单", "导购"]
    assert [(slot.slot, slot.value) for slot in shop.of(SlotAssigned)] == [("budget", 300), ("kind", "绿茶")]
    assert "untimed" in codes(shop)
    assert "timeless" not in codes(shop)


def test_test_cases_and_their_last_runs_are_sessions_of_their_own() -> None:
    golden, run, zh = opened(FILES / "dialogflow_tests.json")
    assert [s.session.session_id for s in (golden, run, zh)] == [
        "Refund, unopened",
        "Refund, unopened · res-9",
        "打招呼",
    ]
    assert golden.of(SessionStarted)[0].meta["tags"] == ["#refund"]
    assert golden.of(Raw) == [Raw(name="injected_parameters", data=["customer"])]
    assert run.of(SessionStarted)[0].meta["test_result"] == "FAILED"
    assert [failed.where for failed in run.of(Failed)] == ["test INTENT", "test PAGE", "agent"]
    assert codes(golden)["unsure_matches"] == 1
    assert codes(run)["unrouted"] == 1
    assert zh.items[0].said_at == 1770033600.0


# --- on the map ------------------------------------------------------------------------------------------------------


def test_the_rows_on_the_map() -> None:
    zh, _ = opened(FILES / "dialogflow_rows.jsonl")
    map = mapped("zh-7f3a", zh.session.source, zh.items).map
    edges = {(edge.kind, edge.source, edge.target): edge.props for edge in map.edges.values() if edge.kind != "assign"}
    asked = edges["jump", "intent:申请退款", "intent:退款 / Start Page"]
    assert asked["condition"] == "true"
    jump = edges["jump", "intent:退款 / Start Page", "intent:退款 / 收集订单号"]
    assert jump["condition"] == "$session.params.order_id = null"
    overwrite = next(edge for edge in map.edges.values() if edge.kind == "overwrite")
    assert (overwrite.source, overwrite.props["old"], overwrite.props["new"]) == (
        "slot:order_id",
        "TS-2041",
        "TS-2042",
    )
    rule = "doc:https://tea.example.org/rules/2026"
    assert any(kind == "merge" and source == rule for kind, source, _ in edges)
    old = "doc:https://tea.example.org/rules/2019"
    assert any(kind == "recall" and target == old for kind, _, target in edges)
    assert not any(kind == "merge" and source == old for kind, source, _ in edges)
    assert map.nodes["intent:退款 / 收集订单号"].props["parent"] == "退款"


def test_an_agent_that_understands_nothing_again_and_again_is_a_loop() -> None:
    lost = {"matchType": "NO_MATCH", "confidence": 0.3}
    more: dict[str, Any] = {"parameters": {"tea": "oolong"}, "currentPage": page("p1", "Ask")}
    records = [row("s", 1, "2026-03-02T08:00:01Z", **more)]
    records += [row("s", i, f"2026-03-02T08:00:{i:02}Z", match=lost, **more) for i in range(2, 7)]
    (session,) = opened(lines(records))
    map = mapped("s", session.session.source, session.items).map
    told = [finding.facts for finding in map.findings.values() if finding.code == "LM201"]
    assert told
    assert set(told[0]["path"]) == {"NO_MATCH", "Default Start Flow / Ask"}
    (well,) = opened(lines([row("s", i, f"2026-03-02T08:00:{i:02}Z", **more) for i in range(1, 7)]))
    assert not mapped("s", well.session.source, well.items).map.findings


# --- containers and order --------------------------------------------------------------------------------------------


def test_rows_in_any_container_and_spelling_are_the_same_session() -> None:
    records = rows("s", 6)
    expected = opened(lines(records))
    texts_of_json = [
        {**r, "turn_position": str(r["turn_position"]), "response": json.dumps(r["response"]), "request": "{}"}
        for r in records
    ]
    for content in (json.dumps(records), json.dumps(records, indent=1), lines(texts_of_json).decode()):
        assert sniff(content.encode()) == "dialogflow"
        found = opened(content.encode())
        assert [(o.session.source, o.items) for o in found] == [(o.session.source, o.items) for o in expected]


def as_struct(value: Any) -> dict[str, Any]:
    """A value as it lies in protobuf, which is how Node's client writes it."""
    if type(value) is dict:
        return {"structValue": {"fields": {name: as_struct(item) for name, item in value.items()}}}
    if type(value) is list:
        return {"listValue": {"values": [as_struct(item) for item in value]}}
    kinds = {str: "stringValue", bool: "boolValue", type(None): "nullValue"}
    return {kinds.get(type(value), "numberValue"): value}


def test_structs_as_they_lie_in_protobuf_are_the_same_session() -> None:
    records = [json.loads(line) for line in (FILES / "dialogflow_rows.jsonl").read_text("utf-8").splitlines()]
    for record in records:
        response = record["response"]
        record["response"] = response = json.loads(response) if type(response) is str else response
        found = response["queryResult"]
        for message in (found, found["match"], *found["responseMessages"]):
            for field in ("parameters", "diagnosticInfo", "payload"):
                if field in message:
                    message[field] = as_struct(message[field])["structValue"]
    expected = opened(FILES / "dialogflow_rows.jsonl")
    assert [o.items for o in opened(lines(records))] == [o.items for o in expected]


def test_rows_go_by_their_positions_whatever_the_order_of_the_file() -> None:
    records = [*rows("a", 12), *rows("b", 7)]
    expected = {o.session.session_id: (o.session.source, o.items) for o in opened(lines(records))}
    rng = random.Random(3)
    for _ in range(10):
        rng.shuffle(records)
        assert {o.session.session_id: (o.session.source, o.items) for o in opened(lines(records))} == expected


def test_interactions_go_by_time_whether_the_newest_is_first_or_last() -> None:
    made = [interaction(f"2026-03-02T08:00:0{i}Z", f"say {i}") for i in range(5)]
    expected = opened(json.dumps(conversation("c", *made)).encode())[0]
    (turned,) = opened(json.dumps(conversation("c", *made[::-1])).encode())
    assert turned.items == expected.items
    assert "interactions_reordered" not in codes(turned)
    (mixed,) = opened(json.dumps(conversation("c", made[1], made[0], *made[2:])).encode())
    assert mixed.items == expected.items
    assert codes(mixed)["interactions_reordered"] == 1
    tied = [interaction("2026-03-02T08:00:00Z", f"say {i}") for i in range(3)]
    (same,) = opened(json.dumps(conversation("c", made[4], *tied[::-1])).encode())
    assert [said.utterance for said in same.of(TurnStarted)] == ["say 0", "say 1", "say 2", "say 4"]
    (untimed,) = opened(json.dumps(conversation("c", *(interaction(None, f"say {i}") for i in (2, 1, 0)))).encode())
    assert [said.utterance for said in untimed.of(TurnStarted)] == ["say 0", "say 1", "say 2"]
    assert codes(untimed)["order_unknown"] == 1


def test_documents_alone_in_lists_in_lines_and_in_objects() -> None:
    one = conversation("c1", interaction("2026-03-02T08:00:00Z", "a"))
    two = conversation("c2", interaction("2026-03-02T08:00:01Z", "b"))
    tests = [case("t1", tried("x"), creationTime="2026-03-02T08:00:00Z"), case("t2", tried("y"))]
    for content, names in (
        (json.dumps(one), ["c1"]),
        (json.dumps(one, indent=2), ["c1"]),
        (json.dumps([one, two]), ["c1", "c2"]),
        (json.dumps({"conversations": [one, two], "nextPageToken": "n"}), ["c1", "c2"]),
        (json.dumps({"conversations": [one, two]}, indent=1), ["c1", "c2"]),
        (lines([one, two]).decode(), ["c1", "c2"]),
        (json.dumps(tests), ["t1", "t2"]),
        (json.dumps({"test_cases": tests}), ["t1", "t2"]),
        (json.dumps({"testCases": tests}, indent=1), ["t1", "t2"]),
        (lines([*tests, one, row("r", 1)]).decode(), ["t1", "t2", "c1", "r"]),
    ):
        assert sniff(content.encode()) == "dialogflow"
        assert [o.session.session_id for o in opened(content.encode())] == names, content[:60]


def test_a_result_of_a_test_case_alone() -> None:
    held = {
        "name": f"{AGENT}/testCases/t/results/r-1",
        "testResult": 2,
        "testTime": "2026-03-02T08:00:00Z",
        "conversationTurns": [tried("x", differences=[{"type": "FLOW", "description": "elsewhere"}])],
    }
    for content in (json.dumps(held), json.dumps({"testCaseResults": [held]}, indent=1)):
        (run,) = opened(content.encode())
        assert run.session.session_id == "r-1"
        assert run.of(Failed) == [Failed(where="test FLOW", error="elsewhere")]
        assert run.of(SessionStarted)[0].meta["test_result"] == "FAILED"


def test_pairs_are_one_session_for_each_name_and_one_for_those_without() -> None:
    named = [{"request": {"session": f"{AGENT}/sessions/{s}"}, "response": turn(f"in {s}")} for s in "aba"]
    told = [turn("diagnosed", diagnosticInfo={"Session Id": "d"})]
    bare = [turn("x"), turn("y")]
    found = opened(json.dumps([*named, *told, *bare]).encode())
    assert [(o.session.session_id.split()[0], len(o.of(TurnStarted))) for o in found] == [
        ("a", 2),
        ("b", 1),
        ("d", 1),
        ("dialogflow", 2),
    ]
    (alone,) = opened(json.dumps(turn("x"), indent=1).encode())
    (line,) = opened(json.dumps(turn("x")).encode())
    assert len(alone.of(TurnStarted)) == len(line.of(TurnStarted)) == 1


# --- one identity ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["rows", "conversation", "untimed", "pairs", "test"])
def test_a_second_import_adds_nothing_and_a_longer_export_goes_on(shape: str) -> None:
    def made(count: int) -> bytes:
        if shape == "rows":
            return lines(rows("s", count))
        if shape == "pairs":
            return json.dumps([turn(f"say {i}", parameters={"n": i}) for i in range(count)]).encode()
        if shape == "test":
            turns = [tried(f"say {i}", sessionParameters={"n": i}) for i in range(count)]
            return json.dumps(case("t", *turns)).encode()
        times = [None if shape == "untimed" else f"2026-03-02T08:00:{i:02}Z" for i in range(count)]
        turns = [interaction(at, f"say {i}", parameters={"n": i}) for i, at in enumerate(times)]
        return json.dumps(conversation("s", *turns[::-1], duration=f"{count}s")).encode()

    (short,), (long,) = opened(made(4)), opened(made(9))
    assert long.session.source == short.session.source
    assert long.session.session_id == short.session.session_id
    name = short.session.session_id
    assert long.items[1 : len(short.items)] == short.items[1:]  # the first one says how long the conversation is
    mapper = mapped(name, short.session.source, short.items)
    before = mapper.map.cursor.seq
    mapped(name, short.session.source, short.items, mapper)
    assert mapper.map.cursor.seq == before
    mapped(name, long.session.source, long.items, mapper)
    assert len(mapper.map.turns) == 9
    whole = mapped(name, long.session.source, long.items).map
    assert mapper.map.nodes.keys() == whole.nodes.keys()
    assert mapper.map.edges.keys() == whole.edges.keys()
    if shape not in ("conversation", "untimed"):
        assert dump(mapper.map) == dump(whole)


def test_two_conversations_of_one_name_do_not_mix() -> None:
    other = [
        {
            **r,
            "conversation_name": r["conversation_name"].replace("/agents/a/", "/agents/b/"),
            "request_time": "2026-04-01",
        }
        for r in rows("s", 3)
    ]
    one, two = opened(lines([*rows("s", 3), *other]))
    assert one.session.session_id == "s"
    assert two.session.session_id == f"s~{two.session.source[-8:]}"
    assert (len(one.of(TurnStarted)), len(two.of(TurnStarted))) == (3, 3)
