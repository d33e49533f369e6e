"""Vectors of an OpenAI-compatible endpoint: asked in batches, held to one length and one model, in bounded time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases import opened
from lingbot_map.ask.bases.documents import encoders
from lingbot_map.ask.bases.documents.answering import Documents
from lingbot_map.ask.bases.documents.encoders import KEY, Endpoint
from lingbot_map.ask.bases.documents.stored import Stored
from lingbot_map.errors import BadInput
from tests.ask.stub import Exchange, Stub, endpoint
from tests.ask.test_documents import WORLD, folder

np = pytest.importorskip("numpy")
SECRET = "sk-do-not-tell-anybody-0123456789"
ASKED = "Who leads the team that operates the edge cluster?"


def letters(text: str) -> list[float]:
    return [float(text.count(letter)) + 0.01 for letter in "abcdefgh"]


def vectors(exchange: Exchange, **more: Any) -> None:
    rows = [{"index": at, "embedding": letters(text)} for at, text in enumerate(exchange.body["input"])]
    exchange.json({"data": rows[::-1], "model": "letters", **more})


@pytest.fixture
def stub() -> Iterator[Stub]:
    with endpoint(vectors) as stub:
        yield stub


def test_texts_go_in_batches_and_come_back_in_order(stub: Stub) -> None:
    texts = [f"{'abcdefgh'[n % 8]}" * (1 + n % 5) for n in range(230)]
    rows = Endpoint(stub.url, "letters").encode(texts)
    assert [len(exchange.body["input"]) for exchange in stub.asked] == [100, 100, 30]
    assert {exchange.body["model"] for exchange in stub.asked} == {"letters"}
    assert stub.asked[0].path == "/v1/embeddings"
    assert rows.shape == (230, 8)
    assert np.allclose(rows, encoders.unit([letters(text) for text in texts]))
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_a_long_text_is_cut_and_long_ones_go_alone(stub: Stub) -> None:
    Endpoint(stub.url).encode(["a" * 50_000] * 30)
    assert [len(exchange.body["input"]) for exchange in stub.asked] == [12, 12, 6]
    assert max(len(text) for text in stub.asked[0].body["input"]) == 8_000
    assert "model" not in stub.asked[0].body


def test_no_texts_need_no_request(stub: Stub) -> None:
    assert Endpoint(stub.url).encode([]).shape[0] == 0
    assert not stub.asked


def test_a_question_is_asked_once(stub: Stub) -> None:
    encoder = Endpoint(stub.url)
    first, second = encoder.encode(["abba"]), encoder.encode(["abba"])
    assert len(stub.asked) == 1
    first[:] = 0
    assert second.any()
    assert encoder.encode(["abba"]).any()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"data": [{"index": 0, "embedding": [1.0, 2.0]}]}, "2 vectors of one length, found 1 of 2"),
        ({"data": [{"index": n, "embedding": [1.0] * (n + 1)} for n in range(2)]}, "found 2 of 1, 2 numbers"),
        ({"data": [{"index": n, "embedding": []} for n in range(2)]}, "found 2 of 0 numbers"),
        ({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}, "found 0"),
        ({"data": [{"index": n, "embedding": ["x"]} for n in range(2)]}, "found 0"),
        ({"data": [{"index": n, "embedding": [float("nan")]} for n in range(2)]}, "found 0"),
        ({"data": [{"index": n, "embedding": [float("inf")]} for n in range(2)]}, "found 0"),
        ({"data": None}, "found 0"),
        ({"error": "none"}, "found 0"),
        ([], "found 0"),
        ("text", "found 0"),
    ],
)
def test_an_answer_of_another_shape_is_refused(stub: Stub, answer: Any, says: str) -> None:
    stub.reply = lambda exchange: exchange.json(answer)
    with pytest.raises(BadInput, match=says) as refused:
        Endpoint(stub.url).encode(["a", "b"])
    assert "/v1/embeddings" in str(refused.value)


def test_another_model_behind_the_same_address_is_refused(stub: Stub) -> None:
    encoder = Endpoint(stub.url)
    encoder.encode(["a", "b"])
    stub.reply = lambda exchange: vectors(exchange, model="numerals")
    with pytest.raises(BadInput, match="8 numbers of letters, found 8 numbers of numerals; another model answers now"):
        encoder.encode(["who?"])
    stub.reply = lambda exchange: exchange.json({"data": [{"index": 0, "embedding": [1.0] * 9}], "model": "letters"})
    with pytest.raises(BadInput, match="found 9 numbers of letters"):
        encoder.encode(["what?"])


def test_vectors_that_another_model_stored_are_not_compared(stub: Stub, tmp_path: Path) -> None:
    texts = folder(tmp_path, WORLD)
    Stored(texts, encoder=Endpoint(stub.url))
    stub.reply = lambda exchange: exchange.json({"data": [{"index": 0, "embedding": [1.0] * 9}], "model": "numerals"})
    answer = Ask(Documents(Stored(texts, encoder=Endpoint(stub.url)), "sentences")).ask(ASKED)
    step = next(step for step in answer.steps if step.name == "semantic")
    assert step.status == "failed"
    assert "expected 8 numbers of a model, found 9 numbers of numerals; another model answers now" in step.detail
    assert "duty.md#2" in answer.cites


def test_a_model_of_another_name_encodes_anew(stub: Stub, tmp_path: Path) -> None:
    texts = folder(tmp_path, WORLD)
    Stored(texts, encoder=Endpoint(stub.url, "letters"))
    before = len(stub.asked)
    Stored(texts, encoder=Endpoint(stub.url, "letters"))
    assert len(stub.asked) == before, "what is stored is not encoded again"
    Stored(texts, encoder=Endpoint(stub.url, "others"))
    assert len(stub.asked) > before


def test_models_have_names_of_their_own(stub: Stub) -> None:
    names = {Endpoint(stub.url, model).name for model in ("", "one", "two")}
    assert len(names) == 3
    assert Endpoint(stub.url, "one").name == f"one, embeddings of {stub.url}"


def test_an_endpoint_that_wants_a_rest_is_asked_again(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    rested: list[float] = []
    monkeypatch.setattr(f"{encoders.__name__}.time.sleep", rested.append)
    busy = iter(["7", "900", "0"])
    stub.reply = lambda e: e.send(429, b"", Retry_After=wait) if (wait := next(busy, "")) else vectors(e)
    assert Endpoint(stub.url).encode(["a", "b"]).shape == (2, 8)
    assert rested == [7.0, 30.0, 0.5]


def test_one_that_never_has_time_is_refused(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{encoders.__name__}.time.sleep", lambda seconds: None)
    stub.reply = lambda exchange: exchange.send(503, b"")
    with pytest.raises(BadInput, match="status 503"):
        Endpoint(stub.url).encode(["a", "b"])
    assert len(stub.asked) == 4


def test_a_question_is_not_made_to_wait(stub: Stub) -> None:
    stub.reply = lambda exchange: exchange.send(429, b"", Retry_After="30")
    began = time.monotonic()
    with pytest.raises(BadInput, match="asked too much"):
        Endpoint(stub.url).encode(["who?"])
    assert time.monotonic() - began < 2


def test_an_endpoint_that_hangs_costs_the_route_and_no_answer(
    stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoders, "_QUESTION_SECONDS", 0.3)
    base = opened("sentences", [folder(tmp_path, WORLD)], encoder=Endpoint(stub.url))
    stub.reply = lambda exchange: exchange.stub.ended.wait(30)
    began = time.monotonic()
    answer = Ask(base).ask(ASKED)
    assert time.monotonic() - began < 4
    assert "duty.md#2" in answer.cites
    assert next(step for step in answer.steps if step.name == "semantic").status == "failed"


def test_documents_are_asked_by_its_vectors(stub: Stub, tmp_path: Path) -> None:
    base = opened("sentences", [folder(tmp_path, WORLD)], encoder=Endpoint(stub.url, "letters"))
    assert stub.asked, "the sentences are encoded when the folder is read"
    answer = Ask(base).ask(ASKED)
    step = next(step for step in answer.steps if step.name == "semantic")
    assert (step.status, step.detail) == ("ok", f"letters, embeddings of {stub.url}")
    assert "duty.md#2" in answer.cites


def test_only_documents_have_an_encoder(stub: Stub, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="encoder: expected documents"):
        opened("graph", [tmp_path], encoder=Endpoint(stub.url))


def test_the_key_goes_to_the_endpoint_and_nowhere_else(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    encoder = Endpoint(stub.url)
    encoder.encode(["a", "b"])
    assert stub.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in repr([vars(encoder), vars(encoder._endpoint)])
    stub.reply = lambda exchange: exchange.send(401, exchange.headers["authorization"].encode())
    with pytest.raises(BadInput, match=f"is the key in {KEY} right") as refused:
        encoder.encode(["c", "d"])
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("url", [f"http://u:{SECRET}@127.0.0.1/v1", f"https://127.0.0.1/v1?key={SECRET}", "http://"])
def test_an_address_that_is_none_is_refused_without_being_told(url: str) -> None:
    with pytest.raises(BadInput, match="--encoder: expected an address") as refused:
        encoders.chosen(url)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("choice", ["static", "minilm"])
def test_one_that_was_named_has_to_be_there(monkeypatch: pytest.MonkeyPatch, choice: str) -> None:
    missing = ("wordllama", "tokenizers", "onnxruntime")
    monkeypatch.setattr(encoders, "find_spec", lambda name: None if name in missing else find_spec(name))
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(BadInput, match=f"--encoder {choice}: expected the packages"):
        encoders.chosen(choice)
    assert encoders.chosen("auto") is None
    assert encoders.chosen("none") is None


def test_many_threads_may_ask_at_once(stub: Stub) -> None:
    encoder = Endpoint(stub.url)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda n=n: found.append(encoder.encode([f"{n}a"]))) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20
    assert all(row.shape == (1, 8) for row in found)
