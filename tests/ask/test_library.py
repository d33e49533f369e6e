"""Documents that change, are stored, get vectors and name each other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bench.answerable import answerable
from lingbot_map.ask import Ask
from lingbot_map.ask.bases.documents import beam, encoders, files, graph, showing
from lingbot_map.ask.bases.documents.answering import Documents
from lingbot_map.ask.bases.documents.library import Library
from lingbot_map.errors import BadInput
from tests.ask.test_documents import WORLD, library, read_folder

# ---- change ----


def _versioned(n: int) -> dict[str, str]:
    return {"a.md": f"# Alpha\nThe port of Alpha is {7000 + n}. The owner of Alpha is Person{n}.\n"}


def test_during_updates_an_answer_is_wholly_old_or_wholly_new() -> None:
    lib = library({**WORLD, **_versioned(0)})
    stop = threading.Event()

    def change() -> None:
        n = 0
        while not stop.is_set():
            n = (n + 1) % 50
            lib.put([files.document(id, text) for id, text in _versioned(n).items()])

    writer = threading.Thread(target=change)
    writer.start()
    try:
        for _ in range(100):
            answer = Ask(Documents(lib, "sentences")).ask("What is the port of Alpha and who is the owner of Alpha?")
            assert not answer.abstained
            n = {text.strip(".")[-2:].lstrip("n0") for sentence in answer.sentences for text in [sentence.text]}
            assert len(n) == 1, answer.text
            shown = {each.item: each.snippet for each in answer.evidence}
            assert all(shown[cite] == sentence.text for sentence in answer.sentences for cite in sentence.cites)
    finally:
        stop.set()
        writer.join()


def test_only_the_changed_document_is_rebuilt_and_retired_rows_go() -> None:
    lib = library({**WORLD, **_versioned(1)})
    before = lib.snapshot
    after = lib.put([files.document("a.md", _versioned(2)["a.md"])])
    same = set(before.sentences) & set(after.sentences)
    assert all(before.sentences[row] is after.sentences[row] for row in same)
    assert {after.sentences[row].document for row in set(after.sentences) - same} == {"a.md"}
    assert before.known('"7001"')
    assert not after.known('"7001"')
    del before
    lib.put([], remove=["gate.md"])
    assert lib.snapshot.store.holding('"7001"', 5) == []
    assert "gate.md" not in lib.snapshot.documents


# ---- encoders ----


class _Embeddings(BaseHTTPRequestHandler):
    """An endpoint that counts letters; ``/broken`` answers something else."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = [[float(text.count(letter)) + 0.01 for letter in "abcdefgh"] for text in asked["input"]]
        data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
        body = json.dumps({"data": data[::-1]} if "broken" not in self.path else {"error": "none"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Embeddings)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_vectors_of_an_endpoint_are_a_route(endpoint: str) -> None:
    encoder = encoders.best(endpoint)
    lib = Library(read_folder(WORLD), encoder=encoder)
    answer = Ask(Documents(lib, "sentences")).ask("Who leads the team that operates the edge cluster?")
    assert next(step for step in answer.steps if step.name == "semantic").detail == f"embeddings of {endpoint}"
    assert "duty.md#2" in answer.cites


def test_an_endpoint_that_answers_otherwise_is_refused_by_name(endpoint: str) -> None:
    broken = encoders.best(f"{endpoint}/broken")
    assert broken is not None
    with pytest.raises(BadInput, match="broken/embeddings"):
        broken.encode(["a"])


def test_an_endpoint_that_fails_is_a_failed_step_and_no_failed_answer(endpoint: str) -> None:
    encoder = encoders.best(endpoint)
    base = Documents(Library(read_folder(WORLD), encoder=encoder), "sentences")
    encoder.encode = encoders.Endpoint(f"{endpoint}/broken").encode  # type: ignore[union-attr,method-assign]
    answer = Ask(base).ask("Who leads the team that operates the edge cluster?")
    assert next(step for step in answer.steps if step.name == "semantic").status == "failed"
    assert "duty.md#2" in answer.cites


def test_an_encoder_whose_package_is_missing_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("wordllama", "tokenizers", "onnxruntime"):
        monkeypatch.setitem(sys.modules, name, None)
    assert encoders.best("minilm") is None
    assert encoders.best("none") is None
    with pytest.raises(BadInput, match="encoder"):
        encoders.best("best of all")


@pytest.mark.parametrize("content", [b"", b"\xff" * 8, b"\x02\0\0\0\0\0\0\0{}", b"\x04\0\0\0\0\0\0\0[[[["])
def test_a_table_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"a\.safetensors"):
        encoders.matrix(path)


# ---- documents that name each other ----


class _Lengths:
    """Takes texts of like length for alike, whatever they say."""

    name = "lengths"

    def encode(self, texts: Sequence[str]) -> Any:
        import numpy as np

        angles = np.array([len(text) / 100 for text in texts], np.float32)
        return np.stack([np.cos(angles), np.sin(angles)], 1)


def test_likeness_adds_to_what_words_find_and_takes_nothing_from_it() -> None:
    texts = {f"n{at}.md": f"# Harbour {at}\nCranes and piers.\n" for at in range(1, 30)}
    texts["tide.md"] = "# Low Tide\nThe toll of the ferry is due at noon.\n"
    documents = [files.document(id, text) for id, text in texts.items()]
    question = "When is the toll of the ferry due?"
    plain = beam.places(library(texts).snapshot, question)
    encoded = beam.places(Library(files.Folder(documents=tuple(documents)), encoder=_Lengths()).snapshot, question)
    assert plain
    assert all(encoded[id] >= worth for id, worth in plain.items())
    assert next(iter(encoded)) == "tide.md"
    assert len(encoded) > len(plain)


def test_the_beam_reaches_what_a_question_does_not_resemble() -> None:
    texts = {f"n{at}.md": f"# Harbour {at}\nA harbour with {at} cranes and a film club.\n" for at in range(30)}
    texts["film.md"] = "# Low Tide\nLow Tide is a film directed by Anna Brandt.\n"
    texts["anna.md"] = "# Anna Brandt\nShe was born in Kiel and studied law.\n"
    snapshot = library(texts).snapshot
    found = beam.ranked(snapshot, "Where was the director of the film Low Tide born?")
    assert {reached.document for reached in found[:2]} == {"film.md", "anna.md"}
    (way,) = [reached.way for reached in found if reached.document == "anna.md"]
    assert way[-1] == "anna.md"
    answer = Ask(Documents(library(texts), "recall")).ask("Where was the director of the film Low Tide born?")
    (anna,) = [each for each in answer.evidence if each.item == "anna.md"]
    assert "anna brandt" in anna.selection_reason


def test_sentences_that_can_hold_the_answer_are_shown_first() -> None:
    texts = {
        "film.md": "# Low Tide\nLow Tide is a film directed by Anna Brandt.\n",
        "anna.md": "# Anna Brandt\nShe studied law. She liked the sea. She was born on 3 May 1951 in Kiel.\n",
        "harbour.md": "# Harbour\nA harbour with a film club.\n",
    }
    snapshot = library(texts).snapshot

    def first(question: str) -> list[str]:
        return [each.id for each in showing.shown(snapshot, question, beam.ranked(snapshot, question), 3)]

    assert {"film.md#1", "anna.md#3"} <= set(first("When was the director of the film Low Tide born?"))
    assert first("When was Anna Brandt born?")[0] == "anna.md#3"
    assert first("Who directed Low Tide?")[0] == "film.md#1"


def test_a_question_whose_second_hop_is_missing_is_less_answerable() -> None:
    texts = {f"n{at}.md": f"# Harbour {at}\nA harbour with {at} cranes and a film club.\n" for at in range(30)}
    texts["film.md"] = "# Low Tide\nLow Tide is a film directed by Anna Brandt.\n"
    question = "Where was the director of the film Low Tide born?"
    without = answerable(library(texts).snapshot, question)
    texts["anna.md"] = "# Anna Brandt\nShe was born in Kiel and studied law.\n"
    assert answerable(library(texts).snapshot, question) > without + 0.8


def test_names_that_lead_nowhere_and_a_crowd_that_resembles_a_question_make_it_less_answerable() -> None:
    question = "When did the ferry Blue Heron leave the harbour?"
    crowd = {f"n{at}.md": f"# Pier {at}\nThe ferry left the harbour at {at}.\n" for at in range(30)}
    left = "The ferry left the harbour at noon.\n"
    scores = [
        answerable(library({**crowd, **more}).snapshot, question)
        for more in ({}, {"x.md": f"# Log\nBlue Heron. {left}"}, {"x.md": f"# Blue Heron\n{left}"})
    ]
    assert scores[0] < 0.2
    assert scores[1] > scores[0] + 0.5
    assert scores[2] > scores[1] + 0.4
    apart = {f"n{at}.md": f"# Pier {at}\nThe crane was mended at {at}.\n" for at in range(60)}
    apart["x.md"] = f"# Blue Heron\n{left}"
    alone = answerable(library(apart).snapshot, question)
    for at in range(6):
        apart[f"m{at}.md"] = f"# Ferry {at}\nBlue boats leave the harbour at {at}.\n"
    assert answerable(library(apart).snapshot, question) < alone
    assert answerable(library(apart).snapshot, "") == 0


def test_a_sentence_that_every_document_has_leads_nowhere() -> None:
    texts = {
        f"n{at}.md": f"# Harbour {at}\nIt has {at} cranes. See also Harbour {(at * 7) % 60}.\n" for at in range(60)
    }
    snapshot = library(texts).snapshot
    every, own = snapshot.of("n3.md")[1], snapshot.of("n3.md")[0]
    assert snapshot.rare_form(every) < 0.2
    texts["x.md"] = "# Lighthouse\nThe Lighthouse stands beside Harbour 5 alone.\n"
    assert library(texts).snapshot.rare_form(library(texts).snapshot.of("x.md")[0]) == 1
    assert own.form != every.form


def test_a_word_is_a_title_only_where_it_stands_as_a_name() -> None:
    texts = {"y.md": "# Year\nA year is long.\n", "b.md": "# Boston\nA city.\n"}
    titles = library(texts).snapshot.titles
    assert titles.within("In that year he left Boston.") == ["boston"]
    assert titles.within("He reads the Boston Globe.") == []
    assert titles.within("where is boston") == ["boston"]


def test_the_graph_is_seen_by_sentence_paragraph_and_topic() -> None:
    texts = {
        "a.md": "# Alpha\nOrion-7 stores keys.\n\nIt is old.\n\n## Use\nCall Orion-7 by hand.\n",
        "b.md": "# Beta\nOrion-7 needs a restart.\n",
    }
    snapshot = library(texts).snapshot
    sentences = {(edge.a, edge.b): edge for edge in graph.edges(snapshot)}
    assert sentences["a.md#1", "a.md#2"].kind == "next"
    assert sentences["a.md#1", "b.md#1"].weight == pytest.approx(graph.NAME + graph.SUBJECT)
    assert sentences["a.md#3", "b.md#1"].weight == pytest.approx(graph.NAME)
    assert sentences["a.md#3", "b.md#1"].name == "orion-7"
    paragraphs = {frozenset((edge.a, edge.b)) for edge in graph.edges(snapshot, "paragraph")}
    assert len(paragraphs) == 5
    topics = {frozenset((edge.a, edge.b)) for edge in graph.edges(snapshot, "topic")}
    assert frozenset(("a.md\u00a7Use", "b.md\u00a7Beta")) in topics
    assert len(topics) == 3


def test_alike_sentences_are_tied_where_there_are_vectors(endpoint: str) -> None:
    texts = {"a.md": "# A\nabcabc\n", "b.md": "# A\nabcabc\n", "c.md": "# A\nhhhhhh\n"}
    snapshot = Library(read_folder(texts), encoder=encoders.best(endpoint)).snapshot
    alike = [edge for edge in graph.edges(snapshot) if edge.kind == "similar"]
    assert [(edge.a, edge.b) for edge in alike] == [("a.md#1", "b.md#1")]


def test_without_optional_packages_chinese_is_still_answered(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# 锁定规则\n连续 5 次输错密码，账号锁定 15 分钟。\n", "utf-8")
    script = (
        "import sys\n"
        "for name in ('rjieba', 'rapidfuzz', 'ahocorasick_rs', 'opencc', 'numpy'): sys.modules[name] = None\n"
        "from pathlib import Path\n"
        "from lingbot_map.ask import Ask\n"
        "from lingbot_map.ask.bases import opened\n"
        "ask = Ask(opened('sentences', [Path(sys.argv[1])]))\n"
        "for question in ('账号锁定的时间是多久？', '令牌的有效期是多久？'):\n"
        "    answer = ask.ask(question)\n"
        "    print(answer.abstained, ascii(answer.cites))\n"
    )
    command = [sys.executable, "-X", "utf8", "-c", script, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env={**os.environ})
    assert done.stdout.splitlines() == ["False ('a.md#1',)", "True ()"]
