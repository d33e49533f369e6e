"""A language model and an encoder by their options: ``ask``, ``serve``, and what the page's questions make of them."""

from __future__ import annotations

import _thread
import json
import shutil
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.llm import KEY, Llm
from lingbot_map.store import key_of
from lingbot_web import serve
from lingbot_web.cli import run
from lingbot_web.cli_bases import asked_bases
from lingbot_web.cli_words import asked_encoder
from tests.ask.stub import Exchange, Stub, endpoint, reworded
from tests.ask.test_documents import WORLD, folder
from tests.ask.test_encoders import vectors
from tests.live.server import PATIENCE, Client, wait_for
from tests.web.commands import Command, complaint

SNAPSHOTS = Path(__file__).resolve().parents[2] / "snapshots"
POLLUTED = ("--session", "case-slot-pollution", "--data", str(SNAPSHOTS))
SESSION = key_of("case-slot-pollution")
SECRET = "sk-do-not-tell-anybody-0123456789"


@pytest.fixture
def stub() -> Iterator[Stub]:
    with endpoint(lambda exchange: exchange.say(reworded(exchange))) as stub:
        yield stub


def test_ask_has_an_answer_worded(stub: Stub, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    stub.reply = lambda e: e.say(
        "Turn 18: price_query overwrote brand from 星舟 (set in turn 12) to 轻语 [1][2][3][4]."
    )
    done = command("ask", "Who overwrote brand?", *POLLUTED, "--llm", stub.url, "--llm-model", "tiny", "--steps")
    assert done.returncode == 0
    assert done.stdout.startswith("Turn 18: price_query overwrote brand from 星舟")
    assert "[t12] 上次报修的星舟机顶盒又坏了" in done.stdout
    assert "worded; tiny at 127.0.0.1" in done.stdout
    assert stub.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in done.stdout + done.stderr


def test_ask_answers_all_the_same_where_the_model_fails(stub: Stub, command: Command) -> None:
    stub.reply = lambda exchange: exchange.send(500, b"")
    plain = command("ask", "谁改写了 brand？", *POLLUTED)
    done = command("ask", "谁改写了 brand？", *POLLUTED, "--llm", stub.url, "--llm-model", "tiny")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert done.stderr.startswith("lingbot-map: not in the model's words: the answer as computed: status 500; tiny at ")
    assert done.stderr.count("\n") == 1


def test_breaking_off_while_a_model_is_waited_for_ends_without_a_trace(
    stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(exchange: Exchange) -> None:
        _thread.interrupt_main()
        exchange.stub.ended.wait(10)

    stub.reply = interrupt
    assert run(["ask", "Who overwrote brand?", *POLLUTED, "--llm", stub.url, "--llm-model", "tiny"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_ask_searches_documents_by_an_endpoints_vectors(stub: Stub, command: Command, tmp_path: Path) -> None:
    stub.reply = vectors
    docs = str(folder(tmp_path, WORLD))
    question = "Who leads the team that operates the edge cluster?"
    model = ("--encoder-model", "letters")
    done = command("ask", question, "--docs", docs, "--chains", "--encoder", stub.url, *model, "--steps")
    assert done.returncode == 0
    assert f"letters, embeddings of {stub.url}"[:40] in done.stdout
    assert "Mira Olsen" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--llm", "http://127.0.0.1:9/v1"), "--llm and --llm-model: expected both or none"),
        (("--llm-model", "tiny"), "--llm and --llm-model: expected both or none"),
        (("--llm", f"http://a:{SECRET}@127.0.0.1/v1", "--llm-model", "tiny"), "--llm: expected an address such as"),
        (("--llm", "localhost", "--llm-model", "tiny"), "--llm: expected an address such as"),
        (("--encoder", "static"), "--encoder: expected --docs beside it"),
        (("--encoder-model", "letters"), "--encoder: expected --docs beside it"),
    ],
)
def test_what_can_be_no_model_or_encoder_is_said(command: Command, arguments: tuple[str, ...], says: str) -> None:
    said = complaint(command("ask", "who?", *POLLUTED, *arguments), 2)
    assert says in said
    assert SECRET not in said


def test_an_encoder_that_is_none_is_said(command: Command, tmp_path: Path) -> None:
    docs = str(folder(tmp_path, WORLD))
    assert "none, auto, static" in complaint(command("ask", "who?", "--docs", docs, "--encoder", "best"), 2)
    said = complaint(command("ask", "who?", "--docs", docs, "--encoder", "none", "--encoder-model", "m"), 2)
    assert "--encoder-model: expected --encoder with a URL" in said
    said = complaint(command("ask", "who?", "--docs", docs, "--encoder", "http://127.0.0.1:9/v1"), 2)
    assert "nobody listens there" in said


def test_serve_wants_both_of_a_model(command: Command, tmp_path: Path) -> None:
    said = complaint(command("serve", "--data", str(tmp_path / "data"), "--llm", "http://127.0.0.1:9/v1"), 2)
    assert "--llm and --llm-model: expected both or none" in said
    assert not (tmp_path / "data").exists()


def test_serve_wants_documents_for_an_encoder(command: Command, tmp_path: Path) -> None:
    docs = str(folder(tmp_path, WORLD))
    start = ("serve", "--data", str(tmp_path / "data"), "--port", "0")
    for arguments, says in (
        (("--encoder", "static"), "--encoder: expected --ask-docs beside it"),
        (("--encoder-model", "m"), "--encoder: expected --ask-docs beside it"),
        (("--ask-docs", docs, "--encoder-model", "m"), "--encoder-model: expected --encoder with a URL"),
        (("--ask-docs", docs, "--encoder", "best"), "none, auto, static"),
    ):
        assert says in complaint(command(*start, *arguments), 2)
    assert not (tmp_path / "data").exists()


def test_the_pages_folders_are_searched_by_an_endpoints_vectors(stub: Stub, tmp_path: Path) -> None:
    stub.reply = vectors
    docs = folder(tmp_path, WORLD)
    bases = asked_bases(None, None, [docs], encoder=asked_encoder(stub.url, "letters", [docs]))
    assert bases is not None
    answer = Ask(bases.opened(f"chains:{docs.name}")).ask("Who leads the team that operates the edge cluster?")
    assert "Mira Olsen" in answer.text
    assert any(step.name == "semantic" and step.status == "ok" for step in answer.steps), answer.steps
    assert {exchange.path for exchange in stub.asked} == {"/v1/embeddings"}


# ---- the page ----


@pytest.fixture
def map(stub: Stub, tmp_path: Path) -> Iterator[Client]:
    shutil.copytree(SNAPSHOTS / "cases", tmp_path / "data" / "cases")
    with serve(data=tmp_path / "data", llm=Llm(stub.url, "tiny")) as serving:
        client = Client(int(serving.base.rsplit(":", 1)[1].strip("/")), serving.token)
        wait_for(lambda: client.get("/healthz")["status"] == "ok", "recovery")
        yield client


def asked(map: Client, question: str, **more: Any) -> list[dict[str, Any]]:
    body = json.dumps({"session": SESSION, "question": question, **more}).encode()
    status, text, _ = map.ask("POST", "/api/ask", body, {"content-type": "application/json"})
    assert status == 200, text
    return [json.loads(line) for line in text.splitlines()]


def test_the_pages_answer_is_worded(stub: Stub, map: Client) -> None:
    stub.reply = lambda exchange: exchange.say("brand 在第18轮由 price_query 由 星舟 改成了 轻语 [1][2][3][4]。")
    lines = asked(map, "谁改写了 brand？", before=[{"question": "brand 现在是什么？"}])
    names = [next(iter(line)) for line in lines]
    assert names == ["bound", *["step"] * names.count("step"), "evidence", "answer", "topics"]
    steps = [line["step"] for line in lines if "step" in line]
    assert (steps[-1]["name"], steps[-1]["status"]) == ("llm", "ok"), steps[-1]
    answer = lines[-2]["answer"]
    assert answer["text"] == "brand 在第18轮由 price_query 由 星舟 改成了 轻语。"
    assert answer["cites"] == ["t18", "assign:169", "t12", "assign:106"]
    assert len(stub.asked) == 1, "what was asked before is not worded again"


def test_a_slow_model_keeps_nobody_from_the_map(stub: Stub, map: Client) -> None:
    release = threading.Event()

    def late(exchange: Exchange) -> None:
        release.wait(20)
        exchange.say(reworded(exchange))

    stub.reply = late
    found: list[Any] = []
    questions = ["谁改写了 brand？", "brand 现在是什么？", "哪些变量被覆盖过？"]
    threads = [threading.Thread(target=lambda q=q: found.append(asked(map, q))) for q in questions]
    for thread in threads:
        thread.start()
    try:
        wait_for(lambda: len(stub.asked) == 3, "three questions at the model")
        assert "bound" in asked(map, "谁改写了 brand？", only="bound")[0]
        assert map.get(f"/api/sessions/{SESSION}/keyframe?at=50")
        assert not found
    finally:
        release.set()
        for thread in threads:
            thread.join()
    assert len(found) == 3


def test_a_map_ends_while_a_model_is_waited_for(stub: Stub, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    begun = threading.Event()

    def never(exchange: Exchange) -> None:
        begun.set()
        exchange.stub.ended.wait(PATIENCE)

    stub.reply = never
    shutil.copytree(SNAPSHOTS / "cases", tmp_path / "data" / "cases")
    serving = serve(data=tmp_path / "data", llm=Llm(stub.url, "tiny"))
    client = Client(int(serving.base.rsplit(":", 1)[1].strip("/")), serving.token)
    wait_for(lambda: client.get("/healthz")["status"] == "ok", "recovery")
    told: list[dict[str, Any]] = []
    reader = threading.Thread(target=lambda: told.extend(asked(client, "谁改写了 brand？")))
    reader.start()
    assert begun.wait(PATIENCE)
    serving.stop()
    reader.join(PATIENCE)
    assert "The map is ending" in told[-1]["error"]
    assert caplog.text == ""
    stacks = [traceback.extract_stack(frame) for frame in sys._current_frames().values()]
    waiting = [stack for stack in stacks if any(frame.name == "worded" for frame in stack)]
    assert len(waiting) == 1
    of_a_pool = [frame for frame in waiting[0] if "concurrent" in frame.filename]
    assert of_a_pool == [], "a process doesn't end before the threads of its pools"
