"""What is read from the results of a bot's functions, in the shapes that frameworks give them."""

from __future__ import annotations

import datetime
import enum
from collections import OrderedDict, namedtuple
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from lingbot_probes import Answered, Doc, IntentRouted, Probe, Retrieved, SlotRead
from tests.probes.listening import Listener


class Intent(enum.Enum):
    BUY = "buy"


class Word(enum.StrEnum):
    BUY = "buy"


@dataclass
class Routed:
    intent: str
    confidence: float
    missing: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Slotted:
    intent: str
    confidence: float


class Named(NamedTuple):
    intent: str
    confidence: float


Found = namedtuple("Found", ["name", "score"])


class Model:
    """As pydantic stores its fields: in the instance dictionary."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    @property
    def confidence_percent(self) -> float:
        raise AssertionError("a property was read")


BUY = {"intent": "buy", "confidence": 0.9}
INTENTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "a text": ("buy", {"intent": "buy"}),
    "an Enum's member": (Intent.BUY, {"intent": "buy"}),
    "a StrEnum's member": (Word.BUY, {"intent": "buy"}),
    "name and number": (("buy", 0.9), BUY),
    "member and whole number": ((Intent.BUY, 1), {"intent": "buy", "confidence": 1}),
    "name and nonsense": (("buy", float("nan")), {"intent": "buy"}),
    "with candidates": (
        ("buy", 0.9, [("buy", 0.9), ("sell", 0.1)]),
        {**BUY, "candidates": [["buy", 0.9], ["sell", 0.1]]},
    ),
    "with further fields": (("buy", 0.9, {"condition": "plan is empty"}), {**BUY, "condition": "plan is empty"}),
    "a mapping": (dict(BUY), BUY),
    "a mapping of all five and more": (
        {
            **BUY, "candidates": {"buy": 0.9, "sell": 0.1}, "condition": "plan = null", "parent": "shop",
            "required": ["plan", "phone"], "missing": ("phone",), "label": "Buy a plan",
        },
        {
            **BUY, "candidates": [["buy", 0.9], ["sell", 0.1]], "condition": "plan = null", "parent": "shop",
            "required": ["plan", "phone"], "missing": ["phone"], "label": "Buy a plan",
        },
    ),
    "an ordered mapping": (OrderedDict(BUY), BUY),
    "other words": ({"name": "buy", "score": 0.9, "missing_slots": {"phone"}}, {**BUY, "missing": ["phone"]}),
    "Rasa": (
        {"intent": {"name": "buy", "confidence": 0.9}, "intent_ranking": [{"name": "buy", "confidence": 0.9}]},
        {**BUY, "candidates": [["buy", 0.9]]},
    ),
    "scores by name": ({"sell": 0.1, "buy": 0.9}, {**BUY, "candidates": [["sell", 0.1], ["buy", 0.9]]}),
    "a classifier's list": (
        [{"label": "buy", "score": 0.9}, {"label": "sell", "score": 0.1}],
        {**BUY, "candidates": [["buy", 0.9], ["sell", 0.1]]},
    ),
    "a dataclass": (Routed("buy", 0.9, ["phone"]), {**BUY, "missing": ["phone"]}),
    "a dataclass with slots": (Slotted("buy", 0.9), BUY),
    "a named tuple": (Named("buy", 0.9), BUY),
    "another named tuple": (Found("buy", 0.9), BUY),
    "a model": (Model(intent="buy", confidence=0.9), BUY),
    "our own signal": (IntentRouted(intent="buy", confidence=0.9), BUY),
    "candidates without a confidence": (
        IntentRouted(intent="buy", candidates=(("buy", None), ("sell", None))),
        {"intent": "buy", "candidates": [["buy", None], ["sell", None]]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", INTENTS)
def test_an_intent_is_read(shape: str, probe: Probe, map: Listener) -> None:
    result, expected = INTENTS[shape]
    probe.intent(lambda: result)()
    assert probe.flush(10)
    assert map.signals() == [{"kind": "intent_routed", **expected}]


@pytest.mark.parametrize("result", [None, object(), [], {"slots": {}}], ids=["None", "object", "[]", "{}"])
def test_what_names_no_intent_is_shown_as_it_is(result: Any, probe: Probe, map: Listener) -> None:
    probe.intent(lambda: result)()
    assert probe.flush(10)
    assert [(signal["kind"], signal["name"]) for signal in map.signals()] == [("raw", "intent")]


@dataclass
class Passage:
    """As Haystack has it."""

    id: str
    content: str
    meta: dict[str, Any]
    score: float


A = {"id": "a", "score": 0.9}
DOCS: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "mappings": ([{"id": "a", "score": 0.9}, {"doc_id": "b", "similarity": 0.5}], [A, {"id": "b", "score": 0.5}]),
    "document and score": ([({"id": "a"}, 0.9)], [A]),
    "score and document": ([(0.9, {"id": "a"})], [A]),
    "id and score": ([("a", 0.9)], [A]),
    "id, score and text": ([("a", 0.9, "the text")], [{**A, "snippet": "the text"}]),
    "ids": (["a", "b"], [{"id": "a"}, {"id": "b"}]),
    "LangChain": (
        [(Model(page_content="the text", metadata={"source": "a", "title": "T", "version": 3}, id=None), 0.9)],
        [{**A, "title": "T", "version": "3", "snippet": "the text"}],
    ),
    "LlamaIndex": (
        [Model(node=Model(id_="a", text="the text", metadata={}), score=0.9)],
        [{**A, "snippet": "the text"}],
    ),
    "Haystack": ([Passage("a", "the text", {"title": "T"}, 0.9)], [{**A, "title": "T", "snippet": "the text"}]),
    "Elasticsearch": (
        {"hits": {"hits": [{"_id": "a", "_score": 0.9, "_source": {"title": "T"}}]}},
        [{**A, "title": "T"}],
    ),
    "Chroma": (
        {"ids": [["a"]], "distances": [[0.1]], "documents": [["the text"]], "metadatas": [[{"title": "T"}]]},
        [{"id": "a", "title": "T", "score": 0.1, "score_kind": "distance", "snippet": "the text"}],
    ),
    "a mapping around them": ({"documents": [A], "took": 3}, [A]),
    "dates": (
        [{"id": "a", "updated_at": "2025-01-01"}, {"id": "b", "updated_at": datetime.datetime(2025, 1, 1)}],  # noqa: DTZ001
        [{"id": "a", "updated_at": 1735689600.0}, {"id": "b", "updated_at": 1735689600.0}],
    ),
    "nothing": ([], []),
    "None": (None, []),
}


@pytest.mark.parametrize("shape", DOCS)
def test_documents_are_read(shape: str, probe: Probe, map: Listener) -> None:
    result, expected = DOCS[shape]

    @probe.retrieval(stage="keyword", params=("top_k",))
    def search(query: str, top_k: int = 3) -> Any:
        return result

    search("what?")
    assert probe.flush(10)
    (signal,) = map.signals()
    assert (signal["query"], signal["stage"], signal["params"]) == ("what?", "keyword", {"top_k": 3})
    assert signal.get("docs", []) == expected


def test_a_passage_without_a_name_is_known_by_its_text(probe: Probe, map: Listener) -> None:
    text = "A passage that is longer than any id would be. " * 5
    probe.retrieval()(lambda query: [text, {"content": text}, text + "!"])("q")
    assert probe.flush(10)
    first, second, other = map.signals()[0]["docs"]
    assert first["id"] == second["id"] != other["id"]
    assert first["snippet"].startswith("A passage")


def test_ids_and_scores_of_all_come_before_the_text_of_any(probe: Probe, map: Listener) -> None:
    probe.retrieval()(lambda query: [{"id": f"d{i}", "score": 0.5, "text": "长" * 5_000} for i in range(50)])("q")
    assert probe.flush(10)
    docs = map.signals()[0]["docs"]
    assert len(docs) == 50
    assert all(doc["score"] == 0.5 for doc in docs)
    assert docs[0]["snippet"]


def test_what_are_no_documents_is_shown_as_it_is(probe: Probe, map: Listener) -> None:
    probe.retrieval(score_kind="bm25")(lambda query: {"status": "busy"})("q")
    assert probe.flush(10)
    assert map.signals()[0]["params"] == {"result": {"status": "busy"}}


ANSWERS: dict[str, tuple[Any, dict[str, Any] | None]] = {
    "a text": ("hello", {"text": "hello"}),
    "nothing": (None, None),
    "text and documents": (("hello", ["a", {"id": "b"}]), {"text": "hello", "docs": ["a", "b"]}),
    "a mapping": ({"answer": "hello", "sources": [{"id": "a"}]}, {"text": "hello", "docs": ["a"]}),
    "a chat message": (Model(content="hello"), {"text": "hello"}),
    "a completion": ({"choices": [{"message": {"content": "hello"}}]}, {"text": "hello"}),
    "blocks": ({"content": [{"type": "text", "text": "hel"}, {"type": "text", "text": "lo"}]}, {"text": "hel\nlo"}),
    "several messages": ([{"text": "one"}, {"text": "two"}], {"text": "one\ntwo"}),
    "our own signal": (Answered(text="hello", docs=("a",)), {"text": "hello", "docs": ["a"]}),
}


@pytest.mark.parametrize("shape", ANSWERS)
def test_an_answer_is_read(shape: str, probe: Probe, map: Listener) -> None:
    result, expected = ANSWERS[shape]
    probe.turn(lambda text: result)("hi")
    assert probe.flush(10)
    begun, *rest = map.signals()
    assert (begun["kind"], begun["utterance"]) == ("turn_started", "hi")
    assert rest == ([] if expected is None else [{"kind": "answered", **expected}])


def test_a_streamed_answer_is_told_when_it_ends(probe: Probe, map: Listener) -> None:
    @probe.turn
    def reply(text: str) -> Iterator[Any]:
        yield "hel"
        yield {"choices": [{"delta": {"content": "lo"}}]}

    @probe.turn
    async def areply(text: str) -> AsyncIterator[str]:
        yield "you"
        yield "!"

    steps = reply("hi")
    next(steps)
    assert probe.flush(10)
    assert [signal["kind"] for signal in map.signals()] == ["turn_started"]
    list(steps)
    broken_off = areply("ho")
    with pytest.raises(StopIteration):
        broken_off.__anext__().send(None)  # type: ignore[attr-defined]
    with pytest.raises(StopIteration):
        broken_off.aclose().send(None)  # type: ignore[attr-defined]
    assert probe.flush(10)
    answers = [signal["text"] for signal in map.signals() if signal["kind"] == "answered"]
    assert answers == ["hello", "you"]


def test_a_retriever_may_yield_its_documents(probe: Probe, map: Listener) -> None:
    @probe.retrieval()
    def search(query: str) -> Iterator[tuple[str, float]]:
        yield "a", 0.9
        yield "b", 0.5

    assert list(search("q")) == [("a", 0.9), ("b", 0.5)]
    assert probe.flush(10)
    assert [doc["id"] for doc in map.signals()[0]["docs"]] == ["a", "b"]


def test_filled_slots_are_assigned(probe: Probe, map: Listener) -> None:
    filled = {"phone": "138", "when": datetime.date(2025, 1, 2), "plan": Intent.BUY, "left": SimpleNamespace()}
    scope = {"phone": "task"}
    assert probe.slots(assigns=True, scope=scope, labels={"phone": "手机号"})(lambda text: filled)("x") is filled
    assert probe.flush(10)
    assert map.signals() == [
        {"kind": "slot_assigned", "slot": "phone", "value": "138", "scope": "task", "label": "手机号"},
        {"kind": "slot_assigned", "slot": "when", "value": "2025-01-02"},
        {"kind": "slot_assigned", "slot": "plan", "value": "buy"},
        {"kind": "slot_assigned", "slot": "left", "value": "SimpleNamespace"},
    ]


def test_extract_says_what_a_result_means(probe: Probe, map: Listener) -> None:
    def routed(result: Any, text: str, *, lang: str) -> Any:
        return {"intent": f"{lang}:{result[0]}", "confidence": 0.5} if result else None

    def found(text: str, *, lang: str) -> list[str]:
        return [text] if text else []

    probed = probe.intent(extract=routed)(found)
    probed("buy", lang="en"), probed("", lang="en")
    several = [Retrieved(query="q", stage="prompt", docs=(Doc(id="a", near=(("b", 0.87),)),)), SlotRead(slot="x")]
    probe.retrieval(extract=lambda result, query: several)(lambda query: 5)("q")
    assert probe.flush(10)
    assert map.signals() == [
        {"kind": "intent_routed", "intent": "en:buy", "confidence": 0.5},
        {"kind": "retrieved", "query": "q", "stage": "prompt", "docs": [{"id": "a", "near": [["b", 0.87]]}]},
        {"kind": "slot_read", "slot": "x"},
    ]


def test_a_failure_is_told_once_and_passes(probe: Probe, map: Listener) -> None:
    @probe.retrieval()
    def search(query: str) -> Any:
        raise LookupError("index is gone")

    @probe.turn
    def reply(text: str) -> Any:
        return search(text)

    with pytest.raises(LookupError):
        reply("hi")
    assert probe.flush(10)
    assert [signal for signal in map.signals() if signal["kind"] == "failed"] == [
        {"kind": "failed", "where": search.__qualname__, "error": "LookupError: index is gone"}
    ]
