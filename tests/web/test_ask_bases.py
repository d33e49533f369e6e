"""Diagrams, graphs and documents over HTTP: what can be asked, answers, where what they cite stands, and refusals."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import BadInput
from lingbot_map.store import key_of
from lingbot_web import serve
from lingbot_web.ask_bases import MAX_DIAGRAM, Bases
from tests.live.server import PATIENCE, Client
from tests.web.asked import BROKEN, DIAGRAM, answer, folders, lines
from tests.web.commands import Command, complaint

ORDER, FILMS, WIKI, CHAINS = "diagram:order.puml", "graph:films", "docs:wiki", "chains:wiki"
DROPPED = {"base": "dropped", "diagram": {"name": "mine.puml", "text": DIAGRAM}}


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return folders(tmp_path_factory.mktemp("named"))


@pytest.fixture(scope="module")
def map(tmp_path_factory: pytest.TempPathFactory, named: tuple[Path, Path, Path]) -> Iterator[Client]:
    diagram, graph, docs = named
    data = tmp_path_factory.mktemp("data")
    with serve(data=data, ask_diagrams=[diagram], ask_graphs=[graph], ask_docs=[docs]) as map:
        yield Client(int(map.base.rsplit(":", 1)[1].strip("/")), map.token)


def test_what_can_be_asked_is_told_without_its_path(map: Client, named: tuple[Path, Path, Path]) -> None:
    said = map.get("/api/ask/bases")
    assert [base["id"] for base in said["bases"]] == [ORDER, FILMS, WIKI, CHAINS]
    assert str(named[0].parent) not in json.dumps(said)


def test_each_base_answers_with_what_it_rests_on(map: Client) -> None:
    told = lines(map, base=ORDER, question="Under which condition is retryCharge called?")
    assert next(line["answer"]["cites"] for line in told if "answer" in line)[0] == "m4"
    assert all("/" not in item["path"] for line in told for item in line.get("evidence", []))
    assert answer(map, base=FILMS, question="谁执导了星河彼岸？")["cites"] == ["p1-DIRECTED-f1"]
    assert "roadmap.md" in answer(map, base=WIKI, question="When is the compatibility layer switched off?")["cites"]
    chained = answer(map, base=CHAINS, question="When is the compatibility layer switched off?")
    assert "roadmap.md#1" in chained["cites"]
    assert chained["labels"]["roadmap.md#1"]["title"] == "Roadmap"


def test_traditional_script_is_answered_alike(map: Client) -> None:
    assert answer(map, base=FILMS, question="誰執導了星河彼岸？")["cites"] == ["p1-DIRECTED-f1"]
    assert answer(map, base=WIKI, question="退款幾天到賬？")["cites"] == ["退款规则.md"]


def test_documents_are_said_to_be_quoted_and_what_is_computed_not(map: Client) -> None:
    assert answer(map, base=WIKI, question="Which bodies does the gateway refuse?")["extracted"]
    assert not answer(map, base=FILMS, question="谁执导了星河彼岸？")["extracted"]
    assert not answer(map, base=ORDER, question="What does RiskService do?")["extracted"]


def test_a_graph_shows_its_plan_also_where_a_name_was_put_right(map: Client) -> None:
    question = "赵牧主演过哪些电影？"
    told = lines(map, base=FILMS, question=question)
    query = next(line["answer"]["query"] for line in told if "answer" in line)
    assert "MATCH" in query["text"]
    bound = told[0]["bound"]["mentions"][0]
    other = next(option["id"] for option in bound["options"] if option["id"] not in (bound["id"], "p1", "p2"))
    put_right = answer(map, base=FILMS, question=question, bound={str(bound["start"]): other})
    assert put_right["query"]["parameters"] != query["parameters"]
    assert put_right["text"] != next(line["answer"]["text"] for line in told if "answer" in line)


def test_another_document_is_meant_once_it_was_put_right(map: Client) -> None:
    question = "What is the Roadmap?"
    told = lines(map, base=WIKI, question=question)
    bound = told[0]["bound"]["mentions"][0]
    assert {option["label"] for option in bound["options"]} >= {"Gateway", "Roadmap"}
    put_right = answer(map, base=WIKI, question=question, bound={str(bound["start"]): "gateway.md"})
    assert put_right["cites"][0] == "gateway.md"


def test_how_a_question_is_understood_is_told_before_it_is_asked(map: Client) -> None:
    told = lines(map, base=ORDER, question="What comes after reserveItem?", only="bound")
    assert [next(iter(line)) for line in told] == ["bound"]
    assert told[0]["bound"]["mentions"][0]["label"].startswith("reserveItem")
    assert {"m1", "m3"} <= {option["id"] for option in told[0]["bound"]["mentions"][0]["options"]}


def test_a_question_goes_on_from_earlier_ones_and_topics_are_told(map: Client) -> None:
    told = lines(map, base=FILMS, question="它是哪年上映的？", before=["林岚执导过哪些电影？"])
    assert "2019" in next(line["answer"]["text"] for line in told if "answer" in line)
    assert told[-1]["topics"][0]["names"]
    put_right = {"question": "赵牧主演过哪些电影？", "bound": {"0": "p4"}}
    assert lines(map, base=FILMS, question="它是哪年上映的？", before=[put_right])[-1]["topics"]


def test_a_dropped_diagram_is_asked_and_kept_nowhere(map: Client, tmp_path: Path) -> None:
    assert answer(map, **DROPPED, question="Under which condition is retryCharge called?")["cites"][0] == "m4"
    use = {**DROPPED, "question": "x", "useful": True}
    assert map.post("/api/ask/use", use) == (200, {"kept": False})
    assert "mine.puml" not in json.dumps(map.get("/api/ask/bases"))


def test_a_fault_in_a_diagram_is_told_with_its_line_and_remedy(map: Client) -> None:
    said = lines(map, base="dropped", diagram={"name": "mine.puml", "text": BROKEN}, question="x?")
    assert said[-1]["place"].startswith("mine.puml line 3")
    assert said[-1]["error"].startswith("mine.puml line 3")
    assert "remedy" in said[-1]
    empty = lines(map, base="dropped", diagram={"name": "mine.puml", "text": " "}, question="x?")
    assert "an empty file" in empty[-1]["error"]


def test_a_message_stands_in_its_lines_with_its_fragments(map: Client) -> None:
    for base in ({"base": ORDER}, DROPPED):
        status, said = map.post("/api/ask/item", {**base, "item": "m4"})
        assert status == 200
        source = said["source"]
        assert [line["text"].strip() for line in source["lines"] if line["hit"]] == ["Shop -> Pay: retryCharge(amount)"]
        assert source["line"] == 10
        assert [step["condition"] for step in source["path"]] == ["at most 3 times", "payment times out"]
        assert said["file"] in ("order.puml", "mine.puml")


def test_a_triple_stands_in_its_row_and_a_sentence_in_its_passage(map: Client) -> None:
    triple = map.post("/api/ask/item", {"base": FILMS, "item": "p1-DIRECTED-f1"})[1]["source"]
    assert triple["row"] == "p1\tDIRECTED\tf1\tyear=2019"
    assert [end["title"] for end in triple["ends"]] == ["林岚", "星河彼岸"]
    sentence = map.post("/api/ask/item", {"base": CHAINS, "item": "gateway.md#3"})[1]["source"]
    assert [line["text"] for line in sentence["lines"] if line["hit"]] == ["The gateway refuses bodies above 2 MiB."]
    assert sentence["heading"] == "Limits"
    whole = map.post("/api/ask/item", {"base": WIKI, "item": "gateway.md"})[1]["source"]
    assert len(whole["lines"]) == 4


def test_examples_are_questions_that_find_an_answer(map: Client) -> None:
    for base in ({"base": ORDER}, {"base": FILMS}, {"base": WIKI}, DROPPED):
        for lang in ("zh", "en"):
            status, said = map.post("/api/ask/examples", {**base, "lang": lang})
            assert status == 200
            assert said["examples"]
            for question in said["examples"]:
                assert not answer(map, **base, question=question)["abstained"]


def test_a_question_that_finds_nothing_is_not_offered(map: Client) -> None:
    bare = {"base": "dropped", "diagram": {"name": "bare.puml", "text": "@startuml\nparticipant A\n@enduml\n"}}
    steps = "Which steps does the main path have?"
    assert answer(map, **bare, question=steps)["abstained"]
    assert steps not in map.post("/api/ask/examples", {**bare, "lang": "en"})[1]["examples"]


def test_what_finds_no_answer_is_listed_for_its_base_alone(map: Client) -> None:
    for question in ("What does RiskService do?", "What does RiskService do?", "Who is AuditBot?"):
        assert answer(map, base=ORDER, question=question)["abstained"]
    said = map.get(f"/api/ask/log?base={ORDER}")
    assert [entry["question"] for entry in said["entries"]][:2] == ["Who is AuditBot?", "What does RiskService do?"]
    assert map.get(f"/api/ask/log?base={CHAINS}") == {"entries": [], "kept": True}
    assert map.post("/api/ask/use", {"base": FILMS, "question": "谁？", "useful": False}) == (200, {"kept": True})


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"base": "diagram:../../etc/passwd", "question": "x"}, 404),
        ({"base": "/etc/passwd", "question": "x"}, 404),
        ({"base": ORDER, "question": "x", "path": "/etc/passwd"}, 400),
        ({"base": 7, "question": "x"}, 400),
        ({"base": "dropped", "question": "x"}, 400),
        ({"base": "dropped", "question": "x", "diagram": {"name": "a", "text": 1}}, 400),
        ({"base": "dropped", "question": "x", "diagram": {"name": "a", "text": "x" * (MAX_DIAGRAM + 1)}}, 400),
        ({"base": ORDER, "question": "x", "only": "steps"}, 400),
        ({"base": ORDER, "question": "x", "before": [{"question": 1}]}, 400),
        ({"base": ORDER, "question": "x", "before": [{"question": "y", "bound": {"a": "b"}}]}, 400),
        ({"base": "dropped", "question": "x", "diagram": {"name": "a", "text": "x" * 2_000_000}}, 413),
    ],
)
def test_what_can_not_be_asked_is_refused(map: Client, body: Any, status: int) -> None:
    found, said = map.post("/api/ask", body)
    assert found == status
    assert said["error"]


def test_no_text_of_a_request_opens_a_file(map: Client, named: tuple[Path, Path, Path]) -> None:
    secret = named[0].parent / "secret.txt"
    secret.write_text("the secret")
    for item in ("../secret.txt", str(secret), "../secret.txt#1", "secret.txt:1"):
        for base in (ORDER, FILMS, WIKI):
            status, said = map.post("/api/ask/item", {"base": base, "item": item})
            assert status == 404
            assert "the secret" not in json.dumps(said)
    include = {"name": str(secret), "text": f"@startuml\n!include {secret}\nA -> B: call()\n@enduml\n"}
    told = lines(map, base="dropped", diagram=include, question="Which steps does the main path have?")
    assert "the secret" not in json.dumps(told)


def test_nobody_asks_without_the_token_or_from_another_site(map: Client) -> None:
    stranger = Client(map.port, "no token")
    for path, body in (
        ("/api/ask", {"base": ORDER, "question": "x"}),
        ("/api/ask/item", {"base": ORDER, "item": "m1"}),
    ):
        assert stranger.post(path, body)[0] == 401
        raw = json.dumps(body).encode()
        assert map.ask("POST", path, raw, {"content-type": "text/plain"})[0] == 415
        foreign = {"content-type": "application/json", "origin": "https://example.org"}
        assert map.ask("POST", path, raw, foreign)[0] == 403
    assert stranger.ask("GET", "/api/ask/bases")[0] == 401


def test_turns_are_held_against_the_one_diagram(map: Client) -> None:
    map.say("I want to buy a lamp", session="call")
    said = answer(map, session=key_of("call"), question="Did turn 1 go as the diagram designed it?")
    assert "No designed diagram" not in said["text"]
    status, cited = map.post("/api/ask/item", {"session": key_of("call"), "item": "m4"})
    assert status == 200
    assert [line["n"] for line in cited["source"]["lines"] if line["hit"]] == [10]


def test_a_diagram_that_changes_is_read_anew(tmp_path: Path) -> None:
    diagram, _, _ = folders(tmp_path)
    bases = Bases(diagrams=[diagram], clock=lambda: 0.0)
    before = bases.opened(ORDER)
    assert bases.opened(ORDER) is before
    diagram.write_text(DIAGRAM.replace("confirmOrder", "acceptOrderNow"))
    item = bases.opened(ORDER).item("m6")
    assert item is not None
    assert "acceptOrderNow" in item.text
    diagram.write_text(BROKEN)
    with pytest.raises(BadInput, match="line 3"):
        bases.opened(ORDER)
    assert bases.told()[0]["error"].startswith("order.puml line 3")


def test_a_document_that_changes_is_read_anew_by_both_ways_of_asking(tmp_path: Path) -> None:
    _, _, docs = folders(tmp_path)
    bases = Bases(docs=[docs], clock=lambda: 0.0)  # few files are looked at with each question
    before = bases.opened(WIKI)
    assert bases.opened(CHAINS).library is before.library  # type: ignore[attr-defined]
    (docs / "gateway.md").write_text("# Gateway\n\nThe gateway listens on port 9999 now.\n")
    for id in (WIKI, CHAINS):
        item = bases.opened(id).item("gateway.md#1")
        assert item is not None
        assert "9999" in item.text


@pytest.mark.parametrize("path", ["/api/ask", "/api/ask/examples", "/api/ask/item"])
def test_a_map_ends_while_a_folder_is_still_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    _, _, docs = folders(tmp_path)
    begun, go_on = threading.Event(), threading.Event()

    def slow(bases: Bases, id: str) -> None:
        begun.set()
        go_on.wait(PATIENCE)
        raise BadInput(id, "nothing more", "a test")

    monkeypatch.setattr(Bases, "opened", slow)
    before = set(threading.enumerate())
    map = serve(ask_docs=[docs])
    client = Client(int(map.base.rsplit(":", 1)[1].strip("/")), map.token)

    more = {"/api/ask": {"question": "x"}, "/api/ask/examples": {"lang": "en"}, "/api/ask/item": {"item": "x"}}[path]
    answers: list[str] = []

    def asking() -> None:
        answers.append(str(client.post(path, {"base": WIKI, **more})[1]))

    reader = threading.Thread(target=asking)
    reader.start()
    assert begun.wait(PATIENCE)
    began = time.monotonic()
    map.stop()
    assert time.monotonic() - began < PATIENCE / 2
    left = set(threading.enumerate()) - before
    assert not any(thread.name == "lingbot-map" for thread in left)
    go_on.set()
    reader.join(PATIENCE)
    assert "The map is ending" in answers[0]
    assert caplog.text == ""  # the server has nothing to complain of


def test_a_fault_is_told_at_the_start(command: Command, tmp_path: Path) -> None:
    (tmp_path / "broken.puml").write_text(BROKEN)
    assert "broken.puml line 3" in complaint(command("serve", "--port", "0", "--ask-diagram", "broken.puml"), 2)
    assert "nothing there" in complaint(command("serve", "--port", "0", "--ask-docs", "nowhere"), 2)
    assert "nothing there" in complaint(command("open", "x.jsonl", "--port", "0", "--ask-graph", "nowhere"), 2)
