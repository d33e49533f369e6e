"""Questions of the page as sessions of the map that answers them: over real HTTP, beside the same map without it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases import opened
from lingbot_map.ask.llm import Llm
from lingbot_map.graph import DialogueMap
from lingbot_map.session import map_of
from lingbot_map.store import key_of
from lingbot_map.store.files import FileStore
from lingbot_web import ask_sessions, serve
from lingbot_web.ask_sessions import AskSessions
from tests.ask.stub import endpoint
from tests.live.server import Client, wait_for
from tests.web.asked import folders, lines
from tests.web.commands import Command, complaint

FILMS, ORDER, WIKI = "graph:films", "diagram:order.puml", "docs:wiki"
CASES = Path(__file__).resolve().parents[2] / "snapshots" / "cases"
TALK, OTHER = "a1b2c3d4", "ffff"
WHO, RATED, WHO_ELSE = "谁执导了星河彼岸？", "它的评分呢？", "谁执导了长夜列车？"


@contextmanager
def asked(at: Path, *, record: bool = True, **more: Any) -> Iterator[Client]:
    """A map that can ask a diagram, a graph and documents, over the data folder ``at / "data"``."""
    if not (at / "named").exists():
        folders(at / "named")
    diagram, graph, docs = (at / "named" / name for name in ("order.puml", "films", "wiki"))
    with serve(
        data=at / "data", ask_diagrams=[diagram], ask_graphs=[graph], ask_docs=[docs], ask_record=record, **more
    ) as map:
        yield Client(int(map.base.rsplit(":", 1)[1].strip("/")), map.token)


def recorded(told: list[dict[str, Any]]) -> tuple[str, int]:
    """The session and the turn of the answer that was told, which comes last."""
    assert list(told[-1]) == ["recorded"]
    return told[-1]["recorded"]["session"], told[-1]["recorded"]["turn"]


def maps(at: Path) -> dict[str, DialogueMap]:
    store = FileStore(at / "data", read_only=True)
    return {key: map_of(store.open(key)) for key in list(store.keys())}


def words(told: list[dict[str, Any]]) -> str:
    return next(str(line["answer"]["text"]) for line in told if "answer" in line)


def timeless(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was told, without what the clock says and without the record."""
    plain = [{**line, "step": {**line["step"], "ms": 0}} if "step" in line else line for line in told]
    return [line for line in plain if "recorded" not in line]


def moves(map: DialogueMap) -> dict[int, str]:
    """How each turn stood to the topics before, as its intent says it."""
    edges = sorted(map.edges.values(), key=lambda edge: edge.turn)
    return {edge.turn: edge.props["condition"] for edge in edges if edge.props.get("condition")}


def test_a_conversation_is_a_session_and_each_question_a_turn(tmp_path: Path) -> None:
    with asked(tmp_path) as map:
        talk = {"base": FILMS, "conversation": TALK}
        first = lines(map, question=WHO, **talk)
        second = lines(map, question=RATED, before=[WHO], **talk)
        third = lines(map, question=WHO_ELSE, before=[WHO, RATED], **talk)
        back = lines(map, question="哪年上映的？", before=[WHO_ELSE, WHO, RATED], **talk)
        other = lines(map, base=FILMS, conversation=OTHER, question=WHO)
        none = lines(map, base=FILMS, question=WHO)
        elsewhere = lines(map, base=ORDER, conversation=TALK, question="What does RiskService do?")
        key = recorded(first)[0]
        assert [recorded(told) for told in (first, second, third, back)] == [(key, n) for n in (1, 2, 3, 4)]
        assert len({key, *(recorded(told)[0] for told in (other, none, elsewhere))}) == 4
        (books,) = [source for source in map.get("/api/stats")["sources"] if source["probe"] == "ask"]
        assert books["produced"] == books["accepted"] > 40
        assert books["missing"] == books["refused"] == books["held"] == 0
    found = maps(tmp_path)
    talk_map = found[key]
    assert [talk_map.nodes[f"answer:{n}"].props["text"] for n in (1, 2, 3, 4)] == [
        words(told) for told in (first, second, third, back)
    ]
    assert talk_map.about["title"] == WHO
    assert talk_map.about["meta"] == {"channel": "ask", "base": "graph", "asked": FILMS}
    assert {map.about["ended_because"] for map in found.values()} == {"left"}  # the map has ended
    assert moves(talk_map) == {2: "接着：星河彼岸", 3: "新话题：长夜列车", 4: "回到：星河彼岸"}
    abstained = found[recorded(elsewhere)[0]]
    assert "intent:abstained" in abstained.nodes
    assert abstained.about["meta"]["asked"] == ORDER


def test_without_it_nothing_is_recorded_and_the_answers_are_the_same(tmp_path: Path) -> None:
    questions: list[dict[str, Any]] = [
        {"base": FILMS, "question": WHO},
        {"base": FILMS, "question": RATED, "before": [WHO]},
        {"base": WIKI, "question": "Where does the gateway listen?"},
        {"base": ORDER, "question": "What does RiskService do?"},
    ]
    with asked(tmp_path, record=False) as map:
        plain = [lines(map, conversation=TALK, **said) for said in questions]
        assert map.get("/api/sessions")["sessions"] == []
        assert map.get("/api/stats")["sources"] == []
    with asked(tmp_path) as map:
        told = [lines(map, conversation=TALK, **said) for said in questions]
    assert [timeless(each) for each in told] == [timeless(each) for each in plain]
    assert not any("recorded" in line for each in plain for line in each)
    assert all("recorded" in each[-1] for each in told)


def test_how_a_question_would_be_understood_is_no_turn(tmp_path: Path) -> None:
    with asked(tmp_path) as map:
        assert [list(line) for line in lines(map, base=FILMS, question=WHO, only="bound")] == [["bound"]]
        assert map.get("/api/sessions")["sessions"] == []


def test_an_ask_session_is_asked_like_any_other_and_does_not_grow_by_it(tmp_path: Path) -> None:
    with asked(tmp_path) as map:
        key = recorded(lines(map, base=FILMS, conversation=TALK, question=WHO))[0]
        events = map.get(f"/api/sessions/{key}")["events"]
        about = lines(map, session=key, conversation=TALK, question="第1轮发生了什么？")
        assert WHO in words(about)
        second, _ = recorded(about)
        again = lines(map, session=second, conversation=TALK, question="第1轮发生了什么？")
        assert "第1轮发生了什么" in words(again)
        third, _ = recorded(again)
        assert len({key, second, third}) == 3
        assert map.get(f"/api/sessions/{key}")["events"] == events
        assert len(map.get("/api/sessions")["sessions"]) == 3
    assert maps(tmp_path)[second].about["meta"] == {"channel": "ask", "base": "session", "asked": key}


@pytest.mark.parametrize("fault", ["turn", "deliver"])
def test_a_record_that_fails_touches_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ConnectionError("planted")

    with asked(tmp_path, record=False) as map:
        plain = lines(map, base=FILMS, question=WHO)
    monkeypatch.setattr(AskSessions, fault, broken)
    monkeypatch.setattr(ask_sessions, "ARRIVAL_S", 0.1)
    monkeypatch.setattr(ask_sessions, "_LEAVING_S", 0.1)
    with asked(tmp_path) as map:
        told = lines(map, base=FILMS, question=WHO)
        assert timeless(told) == timeless(plain)
        assert list(told[-1]) == ["topics"]
        assert map.get("/api/sessions")["sessions"] == []
    assert ("fault while recording" in caplog.text) == (fault == "turn")


def test_what_a_model_worded_is_what_the_turn_says(tmp_path: Path) -> None:
    shutil.copytree(CASES, tmp_path / "data" / "cases")
    wording = "brand 在第18轮由 price_query 由 星舟 改成了 轻语 [1][2][3][4]。"
    with endpoint(lambda exchange: exchange.say(wording)) as stub, asked(tmp_path, llm=Llm(stub.url, "tiny")) as map:
        told = lines(map, session=key_of("case-slot-pollution"), conversation=TALK, question="谁改写了 brand？")
        key, _ = recorded(told)
        assert words(told).startswith("brand 在第18轮")
    assert maps(tmp_path)[key].nodes["answer:1"].props["text"] == words(told)


def test_a_question_goes_on_elsewhere_while_another_is_under_way(tmp_path: Path) -> None:
    _, graph, _ = folders(tmp_path)
    base = opened("graph", [graph])
    sessions = AskSessions()
    try:
        first, second = Ask(base), Ask(base)
        one = sessions.turn(TALK, (FILMS,), first)
        two = sessions.turn(TALK, (FILMS,), second)  # the first was given up by its reader, not by its thread
        assert one.session != two.session
        answers = [asking.ask(WHO) for asking in (first, second)]
        for turn, answer in zip((one, two), answers, strict=True):
            turn.computed()
            turn.said(answer)
        three = sessions.turn(TALK, (FILMS,), Ask(base))
        assert three.session == two.session
    finally:
        sessions.probe.close(0.01)


def test_the_oldest_of_many_conversations_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_sessions, "MOST", 2)
    with asked(tmp_path) as map:
        keys = [recorded(lines(map, base=FILMS, conversation=f"{n}", question=WHO))[0] for n in range(3)]
        wait_for(lambda: map.get(f"/api/sessions/{keys[0]}")["ended_at"], "the end of the oldest")
        assert [map.get(f"/api/sessions/{key}")["ended_at"] for key in keys[1:]] == [None, None]


@pytest.mark.parametrize("conversation", [1, "x", "A1", "0" * 33, None])
def test_what_names_no_conversation_is_refused(tmp_path: Path, conversation: object) -> None:
    with asked(tmp_path) as map:
        status, said = map.post("/api/ask", {"base": FILMS, "question": WHO, "conversation": conversation})
        assert (status, "conversation" in said["error"]) == (400, True)


def test_probes_that_are_off_are_told_at_the_start(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINGBOT_MAP", "off")
    assert "LINGBOT_MAP=off" in complaint(command("serve", "--port", "0", "--ask-record"), 2)


def test_a_map_that_runs_already_is_not_told_to_record(command: Command, tmp_path: Path) -> None:
    with serve(data=tmp_path / "data"):
        said = complaint(command("open", str(tmp_path / "none.jsonl"), "--data", "data", "--ask-record"), 2)
    assert "--ask-record" in said


def test_no_thread_is_left_behind(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with asked(tmp_path) as map:
        recorded(lines(map, base=FILMS, question=WHO))

    def ended() -> bool:
        return not any(thread.name == "lingbot-probe" for thread in set(threading.enumerate()) - before)

    wait_for(ended, "the end of the probe's thread")
