"""What the probe can't use is refused at the call, by name; a wrong environment is told of once and raises nothing."""

from __future__ import annotations

import logging
from collections import UserDict
from collections.abc import Callable
from typing import Any

import pytest

from lingbot_probes import Misused, Probe
from lingbot_probes.link import Endpoint
from tests.probes.listening import Listener, Server


def handle(text: str) -> str:
    return text


class Nothing:
    """No text, no number, not callable, no mapping."""


WRONG: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "carry": ("probe.carry takes a function", lambda probe, x: probe.carry(x)),
    "observed": ("probe.observed takes a dict", lambda probe, x: probe.observed(x)),
    "observed: scope": (r"probe.observed\(scope=\) takes a text, or", lambda probe, x: probe.observed({}, scope=x)),
    "observed: labels": (r"probe.observed\(labels=\) takes", lambda probe, x: probe.observed({}, labels=x)),
    "observed: a label": (r"labels=\) takes .* of 'a' it says", lambda probe, x: probe.observed({}, labels={"a": x})),
    "turn": ("@probe.turn goes on a function", lambda probe, x: probe.turn(x)),
    "turn: extract": (r"@probe.turn\(extract=\) takes a function", lambda probe, x: probe.turn(extract=x)),
    "turn: session": ("@probe.turn: session= takes", lambda probe, x: probe.turn(session=x)(handle)),
    "turn: utterance": ("@probe.turn: utterance= takes", lambda probe, x: probe.turn(utterance=x)(handle)),
    "turn: id": ("@probe.turn: id= takes", lambda probe, x: probe.turn(id=x)(handle)),
    "intent": ("@probe.intent goes on a function", lambda probe, x: probe.intent(x)),
    "intent: extract": (r"@probe.intent\(extract=\) takes", lambda probe, x: probe.intent(extract=x)),
    "intent: session": ("@probe.intent: session= takes", lambda probe, x: probe.intent(session=x)(handle)),
    "intent: turn": ("@probe.intent: turn= takes", lambda probe, x: probe.intent(turn=x)(handle)),
    "slots": ("@probe.slots goes on a function", lambda probe, x: probe.slots(x)),
    "slots: scope": (r"@probe.slots\(scope=\) takes", lambda probe, x: probe.slots(scope=x)),
    "slots: a scope": (r"@probe.slots\(scope=\) takes .* of 'a'", lambda probe, x: probe.slots(scope={"a": x})),
    "slots: labels": (r"@probe.slots\(labels=\) takes", lambda probe, x: probe.slots(labels=x)),
    "slots: extract": (r"@probe.slots\(extract=\) takes", lambda probe, x: probe.slots(extract=x)),
    "slots: session": ("@probe.slots: session= takes", lambda probe, x: probe.slots(session=x)(handle)),
    "retrieval": ("@probe.retrieval goes on a function", lambda probe, x: probe.retrieval()(x)),
    "retrieval: stage": (r"@probe.retrieval\(stage=.* expected one of", lambda probe, x: probe.retrieval(stage=x)),
    "retrieval: params": (r"@probe.retrieval\(params=\) takes", lambda probe, x: probe.retrieval(params=x)),
    "retrieval: one": (r"@probe.retrieval\(params=\) takes names", lambda probe, x: probe.retrieval(params=["a", x])),
    "retrieval: score_kind": (r"\(score_kind=\) takes", lambda probe, x: probe.retrieval(score_kind=x)),
    "retrieval: extract": (r"@probe.retrieval\(extract=\) takes", lambda probe, x: probe.retrieval(extract=x)),
    "retrieval: query": ("@probe.retrieval: query= takes", lambda probe, x: probe.retrieval(query=x)(handle)),
    "connect": (r"probe.connect takes the map server", lambda probe, x: probe.connect(x)),
    "connect: token": (r"probe.connect\(token=\) takes", lambda probe, x: probe.connect("http://a", x)),
    "drain_to": (r"probe.drain_to takes an object with a method deliver", lambda probe, x: probe.drain_to(x)),
    "flush": (r"probe.flush\(timeout=\) takes a number of seconds", lambda probe, x: probe.flush(x)),
    "close": (r"probe.close\(timeout=\) takes a number of seconds", lambda probe, x: probe.close(x)),
    "Probe": ("Probe takes the bot's name first", lambda probe, x: Probe(x)),
    "Probe: endpoint": (r"Probe\(endpoint=\) takes the map server", lambda probe, x: Probe("b", x)),
    "Probe: token": (r"Probe\(token=\) takes", lambda probe, x: Probe("b", token=x)),
    "Probe: sink": (r"Probe\(sink=\) takes an object with", lambda probe, x: Probe("b", sink=x)),
    "Probe: capacity": (r"Probe\(capacity=\) takes a whole number", lambda probe, x: Probe("b", capacity=x)),
}


@pytest.mark.parametrize("thing", [5 + 5j, Nothing()], ids=["a complex number", "an object"])
@pytest.mark.parametrize("call", WRONG)
def test_what_cannot_be_used_is_refused_by_name(call: str, thing: Any, probe: Probe) -> None:
    said, act = WRONG[call]
    with pytest.raises(Misused, match=said):
        act(probe, thing)


def test_every_public_method_is_asked() -> None:
    public = {name for name in dir(Probe) if not name.startswith("_")} - {"stats"}  # which takes nothing
    at_work = {"emit", "answered", "failed", "ended", "session", "turn_scope"}  # which take whatever there is
    assert {call.partition(":")[0] for call in WRONG} - {"Probe"} == public - at_work


@pytest.mark.parametrize("wrong", [5, "text", [("a", 1)], {1}, dict, ("a", "b"), None])
def test_a_store_is_a_mutable_mapping(wrong: Any, probe: Probe) -> None:
    if wrong is None:
        assert probe.observed(wrong) == {}
        return
    with pytest.raises(Misused, match=f"probe.observed takes .* not {type(wrong).__name__}"):
        probe.observed(wrong)


def test_a_store_of_the_bots_own_is_one(probe: Probe, map: Listener) -> None:
    truth: UserDict[str, int] = UserDict(a=1)
    slots = probe.observed(truth)
    slots["b"] = slots["a"] + 1
    assert dict(truth) == {"a": 1, "b": 2}
    assert probe.flush(10)
    assert [signal["kind"] for signal in map.signals()] == ["slot_read", "slot_assigned"]


def test_one_name_may_stand_alone(probe: Probe, map: Listener) -> None:
    search: Any = probe.retrieval(params="top_k")(lambda query, top_k: [])
    search("q", 5)
    assert probe.flush(10)
    assert map.signals()[0]["params"] == {"top_k": 5}


def test_what_is_said_at_work_is_taken_whatever_it_is(probe: Probe, map: Listener) -> None:
    class Says:
        def __bool__(self) -> bool:
            raise AssertionError("was asked")

    thing: Any = Says()
    probe.failed("here", thing)
    probe.failed(thing, ValueError("why"))
    probe.ended(thing)
    probe.emit(thing, said_at=7)
    assert probe.flush(10)
    assert probe.errors == 0
    assert map.signals() == [
        {"kind": "failed", "where": "here", "error": "Says"},
        {"kind": "failed", "where": "Says", "error": "ValueError: why"},
        {"kind": "session_ended", "reason": "Says"},
        {"kind": "raw", "name": "Says", "data": "Says"},
    ]
    assert map.events()[-1]["said_at"] == 7


class Empty(Listener):
    def __len__(self) -> int:
        return 0


def test_a_sink_that_is_empty_is_a_sink() -> None:
    sink = Empty()
    probe = Probe("bot", sink=sink)
    probe.answered("x")
    assert probe.flush(10)
    assert [signal["text"] for signal in sink.signals()] == ["x"]
    probe.close()


# -- where to ------------------------------------------------------------------------------------------------------

ENDPOINTS = {
    "http://127.0.0.1:8700": ("127.0.0.1", 8700, "/ingest", "", True),
    "http://localhost:8700/": ("localhost", 8700, "/ingest", "", True),
    " HTTP://localhost ": ("localhost", 80, "/ingest", "", True),
    "https://maps.example/team/a/#t=abc": ("maps.example", 443, "/team/a/ingest", "abc", False),
    "http://[::1]:9000": ("::1", 9000, "/ingest", "", True),
    "http://[fe80::1]": ("fe80::1", 80, "/ingest", "", False),
    "http://bot-host": ("bot-host", 80, "/ingest", "", False),
}


@pytest.mark.parametrize("url", ENDPOINTS)
def test_endpoints(url: str) -> None:
    found = Endpoint(url)
    assert (found.host, found.port, found.path, found.token, found.local) == ENDPOINTS[url]


UNUSABLE = [
    "", "8700", "127.0.0.1:8700", "localhost", "ftp://x", "ws://x", "://x", "http:/x", "http://", "http://:8700",
    "http://a:b", "http://a:99999", "http://a:0", "http://a:-1", "http://a:٣", "http://user:word@a", "http://a/?x=1",
    "http://a?x=1", "http://[::1", "http://[::1]9000", "http://[]", "http://[a]", "http://[::1]]", "http://[::1%25eth0]",
    "http://::1:8700", "http://a b", "http://a/b c", "http://a\\b", "http://bücher", "http://a/ü", "http://a\r\nX: y",
    "http://a/\x7f", "http://a" + "1" * 9 + ":" + "9" * 5_000,
]  # fmt: skip


@pytest.mark.parametrize("url", UNUSABLE)
def test_what_is_no_endpoint_is_refused_when_the_author_looks(url: str, probe: Probe) -> None:
    for act in (lambda: Probe("bot", url), lambda: probe.connect(url)):
        with pytest.raises(ValueError, match=r"endpoint: expected .*; give the address that the map server") as refused:
            act()
        assert len(str(refused.value)) < 400


@pytest.mark.parametrize("word", ["two words", "a\r\nX: y", "wörd", "a\x00b"])
def test_a_token_is_one_word(word: str) -> None:
    wrong: tuple[dict[str, Any], ...] = ({"token": word}, {"endpoint": f"http://a#t={word}"})
    for given in wrong:
        with pytest.raises(ValueError, match="expected one word of ASCII; give the token that"):
            Probe("bot", **given)


def test_neither_token_nor_password_is_in_the_error() -> None:
    for url in ("http://user:secret@a", "ftp://a/#t=secret", "http://a b#t=secret"):
        with pytest.raises(ValueError, match="endpoint: expected") as refused:
            Probe("bot", url)
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize("variable", ["LINGBOT_ENDPOINT", "LINGBOT_TOKEN"])
def test_a_wrong_environment_keeps_no_bot_from_starting(
    variable: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, server: Server
) -> None:
    monkeypatch.setenv(variable, "not usable, really")
    probe = Probe("bot")
    route = probe.intent(handle)
    for _ in range(5):
        assert route("plan") == "plan"
    assert not probe.flush(0.1)
    assert [(record.levelno, record.name) for record in caplog.records] == [(logging.WARNING, "lingbot_probes")]
    assert f"sends nothing. {variable} can't be used: " in caplog.text
    assert probe.stats()["why"].startswith(f"{variable} can't be used: ")
    assert probe.stats()["errors"] == 1
    monkeypatch.delenv(variable)
    probe.connect(server.url)  # said later where to: the recent history goes there
    assert probe.flush(10.0)
    assert len(server.map.signals()) == 5
    probe.close()


@pytest.mark.parametrize("url", UNUSABLE)
def test_no_environment_raises(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINGBOT_ENDPOINT", url.replace("\x00", ""))
    probe = Probe("bot")
    probe.connect("http://127.0.0.1:9")
    probe.drain_to(None)
    probe.close()


def test_a_warning_that_raises_stays_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    class Raises(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise ZeroDivisionError

    monkeypatch.setenv("LINGBOT_ENDPOINT", "nonsense")
    handler = Raises()
    logging.getLogger("lingbot_probes").addHandler(handler)
    try:
        Probe("bot").close()
    finally:
        logging.getLogger("lingbot_probes").removeHandler(handler)


def test_the_environment_is_nobodys_business_where_a_sink_is(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, map: Listener
) -> None:
    monkeypatch.setenv("LINGBOT_ENDPOINT", "nonsense")
    probe = Probe("bot", sink=map)
    probe.answered("x")
    assert probe.flush(10)
    assert not caplog.records
    probe.drain_to(None)
    assert len(caplog.records) == 1
    probe.answered("y")
    assert not probe.flush(0.1)
    probe.close()


def test_switched_off_a_wrong_environment_is_not_looked_at(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("LINGBOT_ENDPOINT", "nonsense")
    monkeypatch.setenv("LINGBOT_MAP", "off")
    probe = Probe("bot")
    assert (probe.stats()["state"], probe.stats()["errors"], caplog.records) == ("off", 0, [])
