"""Questions over HTTP: a stream of how it was understood, the steps, the evidence, the answer."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.store import key_of
from lingbot_web import ask_api
from tests.live.server import Client, running

CASES = Path(__file__).resolve().parents[2] / "snapshots" / "cases"
KEY = key_of("case-slot-pollution")


@pytest.fixture(scope="module")
def map(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    data = tmp_path_factory.mktemp("ask") / "data"
    shutil.copytree(CASES, data / "cases")
    with running(data) as (_, client):
        yield client


def asked(map: Client, **said: Any) -> list[dict[str, Any]]:
    body = json.dumps({"session": KEY, **said}).encode()
    status, text, _ = map.ask("POST", "/api/ask", body, {"content-type": "application/json"})
    assert status == 200, text
    return [json.loads(line) for line in text.splitlines()]


def test_the_lines_come_in_order(map: Client) -> None:
    lines = asked(map, question="谁改写了 brand？")
    kinds = [next(iter(line)) for line in lines]
    assert kinds == ["bound", "step", "step", "step", "step", "evidence", "answer", "topics"]
    assert lines[0]["bound"]["mentions"][0]["id"] == "slot:brand"
    assert "改为 轻语" in lines[-2]["answer"]["text"]
    assert {"t18", "t12"} <= {item["item"] for item in lines[-3]["evidence"]}


def test_a_moment_is_asked_as_it_was(map: Client) -> None:
    assert "轻语" in asked(map, question="brand 现在是什么？")[-2]["answer"]["text"]
    assert "星舟" in asked(map, question="brand 现在是什么？", at=130)[-2]["answer"]["text"]


def test_what_words_stand_for_can_be_put_right(map: Client) -> None:
    question = "brand 现在是什么？"
    lines = asked(map, question=question, bound={"0": "slot:phone"})
    assert lines[0]["bound"]["mentions"][0]["how"] == "corrected"
    assert "phone" in lines[-2]["answer"]["text"]
    assert "brand" in asked(map, question=question, bound={"0": "slot:nothing"})[-2]["answer"]["text"]


def test_a_question_goes_on_from_earlier_ones(map: Client) -> None:
    answer = asked(map, question="它现在是什么？", before=["谁改写了 brand？"])[-2]["answer"]
    assert "轻语" in answer["text"]
    assert asked(map, question="它现在是什么？")[-2]["answer"]["abstained"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"session": KEY}, 400),
        ({"session": KEY, "question": "  "}, 400),
        ({"session": KEY, "question": "x" * 2001}, 400),
        ({"session": KEY, "question": "x", "more": 1}, 400),
        ({"session": KEY, "question": "x", "before": ["x"] * 6}, 400),
        ({"session": KEY, "question": "x", "bound": {"a": "slot:brand"}}, 400),
        ({"session": KEY, "question": "x", "at": -1}, 400),
        ({"session": KEY, "question": "x", "at": 10**6}, 404),
        ({"session": "nobody", "question": "x"}, 404),
        ({"session": "0" * 32, "question": "x"}, 404),
        ([], 400),
    ],
)
def test_what_can_not_be_asked_is_refused(map: Client, body: Any, status: int) -> None:
    found, said = map.post("/api/ask", body)
    assert found == status
    assert said["error"]


def test_nobody_asks_without_the_token(map: Client) -> None:
    stranger = Client(map.port, "no token")
    assert stranger.post("/api/ask", {"session": KEY, "question": "x"})[0] == 401


def test_what_found_no_answer_and_what_was_of_use_is_noted_with_the_session(map: Client, tmp_path: Path) -> None:
    with running(tmp_path / "data") as (_, client):
        client.say("hello", session="call")
        key = key_of("call")
        log = tmp_path / "data" / key / "asked.jsonl"
        for question in ("What is colour now?", "What happened in turn 1?"):
            status, _, _ = client.ask(
                "POST",
                "/api/ask",
                json.dumps({"session": key, "question": question}).encode(),
                {"content-type": "application/json"},
            )
            assert status == 200
        said = {"session": key, "question": "What happened in turn 1?", "useful": True}
        assert client.post("/api/ask/use", said) == (200, {"kept": True})
        noted = [json.loads(line) for line in log.read_text().splitlines()]
        assert [(entry["question"], "useful" in entry) for entry in noted] == [
            ("What is colour now?", False),
            ("What happened in turn 1?", True),
        ]
        assert client.post("/api/ask/use", {**said, "useful": 1})[0] == 400
        assert client.ask("DELETE", f"/api/sessions/{key}")[0] == 200
        assert not log.exists()


def test_nothing_is_noted_beside_a_committed_case(map: Client) -> None:
    assert map.post("/api/ask/use", {"session": KEY, "question": "x", "useful": False}) == (200, {"kept": False})


def test_a_file_that_is_exported_does_not_offer_it(map: Client) -> None:
    _, page, _ = map.ask("GET", "/")
    assert b"data-ask" in page
    _, file, _ = map.ask("GET", f"/api/sessions/{KEY}/export?to=html&place=")
    assert b"data-file" in file
    assert b" data-ask" not in file
    assert b"class AskTab" not in file  # nor does it carry the code


def test_it_is_not_offered_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_api, "available", lambda: False)
    assert ask_api.Asking(None).routes() == []  # type: ignore[arg-type]
