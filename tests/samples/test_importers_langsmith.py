"""Runs of LangSmith: containers, sessions, what each type of run becomes, what is refused."""

from __future__ import annotations

import json
from typing import Any

from lingbot_map.errors import LingbotMapError
from lingbot_map.importers import Report, sniff
from lingbot_probes.signals import Answered, Failed, IntentRouted, Raw, Retrieved, SessionStarted, TurnStarted
from tests.samples.imports import mapped, opened

Record = dict[str, Any]
PASSAGE = "Within fourteen days, no questions asked."


def run(own: int, kind: str, name: str, parent: int = 0, at: int = 0, turn: int = 1, **more: Any) -> Record:
    """A run as the exports write it."""
    return {
        "id": f"run-{turn}-{own}",
        "trace_id": f"run-{turn}-1",
        "parent_run_id": f"run-{turn}-{parent}" if parent else None,
        "run_type": kind,
        "name": name,
        "start_time": f"2025-05-01T10:{turn:02d}:{at:02d}.000000",
        "end_time": f"2025-05-01T10:{turn:02d}:{at + 1:02d}.000000",
        "status": "success",
        "error": None,
        "extra": {"metadata": {"thread_id": "chat-1", **more.pop("metadata", {})}},
        "inputs": more.pop("inputs", {}),
        "outputs": more.pop("outputs", {}),
        **more,
    }


def human(text: str) -> Record:
    """A message as LangChain serialises it."""
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"], "kwargs": {"content": text}}


def turn(number: int, asked: str, answer: str) -> list[Record]:
    docs = [{"page_content": PASSAGE, "metadata": {"source": "refunds.md", "score": 0.9}, "type": "Document"}]
    given = [[human(f"{PASSAGE}\n{asked}")]]
    gave = {"generations": [[{"text": answer, "message": {"kwargs": {"content": answer}}}]]}
    return [
        run(1, "chain", "assistant", turn=number, inputs={"input": asked}, outputs={"output": answer}),
        run(2, "chain", "support", 1, 1, number, metadata={"langgraph_node": "support"}),
        run(3, "retriever", "vector store", 2, 2, number, inputs={"query": asked}, outputs={"documents": docs}),
        run(
            4, "llm", "ChatModel", 2, 3, number, inputs={"messages": given}, outputs=gave, prompt_tokens=12,
            completion_tokens=5, metadata={"ls_model_name": "m-1"},
        ),
        run(
            5, "tool", "open_ticket", 2, 4, number, inputs={"input": "refund"}, status="error",
            error="ValueError('no desk')Traceback (most recent call last):\n  File \"x\"\nValueError: no desk",
        ),
    ]  # fmt: skip


def lines(records: list[Record]) -> bytes:
    return b"\n".join(json.dumps(record).encode() for record in records)


def test_each_type_of_run_becomes_what_it_means() -> None:
    report = Report()
    (session,) = opened(lines(turn(1, "Can I have a refund?", "Yes, within fourteen days.")), report)
    assert (report.format, report.problem_count, session.session.session_id) == ("langsmith", 0, "chat-1")
    assert session.of(SessionStarted)[0].meta["framework"] == "langsmith"
    assert session.of(TurnStarted) == [TurnStarted(turn="1", utterance="Can I have a refund?")]
    assert session.of(IntentRouted) == [IntentRouted(intent="support", predicted_by="graph")]
    found, prompt = session.of(Retrieved)
    assert (found.query, found.stage, [doc.score for doc in found.docs]) == ("Can I have a refund?", "vector", [0.9])
    assert (prompt.stage, prompt.docs[0].id) == ("prompt", found.docs[0].id)
    assert session.of(Failed) == [Failed(where="open_ticket", error="ValueError: no desk")]
    (answer,) = session.of(Answered)
    assert (answer.text, answer.docs) == ("Yes, within fourteen days.", (found.docs[0].id,))
    model, tool = session.of(Raw)
    assert (model.data["model"], model.data["tokens_in"], model.data["tokens_out"]) == ("m-1", 12, 5)
    assert model.data["text"] == "Yes, within fourteen days."
    assert (tool.data["tool"], tool.data["arguments"]) == ("open_ticket", "refund")
    assert session.session.coverage == {"flow": "partial", "state": "none", "knowledge": "partial"}


def test_runs_in_any_container_and_order_are_the_same_session() -> None:
    records = [*turn(1, "one", "uno"), *turn(2, "two", "due")]
    (expected,) = opened(lines(records))
    assert [turn.utterance for turn in expected.of(TurnStarted)] == ["one", "two"]
    for content in (
        json.dumps(records),
        json.dumps(records, indent=1),
        json.dumps({"runs": records}),
        json.dumps({"data": records}, indent=2),
        "\n".join(json.dumps(record) for record in records[::-1][:5][::-1] + records[:5]),
    ):
        assert sniff(content.encode()) == "langsmith"
        (session,) = opened(content.encode())
        assert session.session.source == expected.session.source
        assert session.items[1:] == expected.items[1:]


def test_a_second_import_adds_nothing_and_a_longer_export_goes_on() -> None:
    (first,), (second,) = opened(lines(turn(1, "a", "b"))), opened(lines([*turn(1, "a", "b"), *turn(2, "c", "d")]))
    assert first.session.source == second.session.source
    assert second.items[: len(first.items)] == first.items
    mapper = mapped("chat-1", first.session.source, first.items)
    before = mapper.map.cursor.seq
    mapped("chat-1", first.session.source, first.items, mapper)
    assert mapper.map.cursor.seq == before


def test_messages_of_every_spelling_are_read() -> None:
    for given in (
        {"messages": [[human("hello")]]},
        {"messages": [{"type": "human", "content": "hello"}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]},
        {"prompts": ["hello"]},
    ):
        for gave in (
            {"generations": [[{"text": "hi"}]]},
            {"choices": [{"message": {"role": "assistant", "content": "hi"}}]},
            {"messages": [{"role": "assistant", "content": "hi"}]},
            {"role": "assistant", "content": "hi"},
        ):
            (session,) = opened(lines([run(1, "llm", "model", inputs=given, outputs=gave)]))
            assert [turn.utterance for turn in session.of(TurnStarted)] == ["hello"]
            assert [answer.text for answer in session.of(Answered)] == ["hi"]


def test_a_bad_run_costs_that_run_and_a_cut_file_what_is_cut() -> None:
    bad = [{**run(9, "llm", "x"), "id": 9}, {**run(9, "chain", "x", 1), "trace_id": None}]
    report = Report()
    (session,) = opened(lines([*turn(1, "a", "b"), *bad]), report)
    assert report.problem_count == 2
    assert [answer.text for answer in session.of(Answered)] == ["b"]
    content = json.dumps({"runs": turn(1, "a", "b")}).encode()
    for end in range(1, len(content), 53):
        report = Report()
        try:
            opened(content[:end], report)
        except LingbotMapError:
            continue
        assert report.problem_count


def test_no_damage_within_a_run_stops_the_file() -> None:
    damages: list[Any] = [None, 7, "x", [], {"messages": 7}, {"messages": [[7]]}, {"generations": [[None]]}]
    for damage in damages:
        records = [{**record, "inputs": damage, "outputs": damage, "extra": damage} for record in turn(1, "a", "b")]
        assert opened(lines(records))
