"""A language model's endpoint that is late, broken, hostile or none, and the key that goes there and nowhere else."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases import opened
from lingbot_map.ask.endpoint import JsonEndpoint, Unanswered
from lingbot_map.ask.llm import KEY, LARGEST, Llm
from lingbot_map.ask.telling import as_json
from lingbot_map.errors import BadInput
from lingbot_map.testing import record
from lingbot_probes import Probe
from lingbot_probes.signals import Failed
from tests.ask.flow import GOOD, QUESTION, SECRET, unchanged, words
from tests.ask.stub import Exchange, Stub, endpoint

# ---- an endpoint that is none ----


def _drip(exchange: Exchange) -> None:
    exchange.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while not exchange.stub.ended.wait(0.02):
        exchange.write(b" ")


def _drip_head(exchange: Exchange) -> None:
    exchange.write(b"HTTP/1.1 200 OK\r\n")
    while not exchange.stub.ended.wait(0.02):
        exchange.write(b"X-More: yes\r\n"[:1])


def _continue(exchange: Exchange) -> None:
    while not exchange.stub.ended.is_set():
        exchange.write(b"HTTP/1.1 100 Continue\r\n\r\n")


def _silent(exchange: Exchange) -> None:
    exchange.stub.ended.wait(30)


def _endless(exchange: Exchange) -> None:
    exchange.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not exchange.stub.ended.is_set():
        exchange.write(b"400\r\n" + b"[" * 1024 + b"\r\n")


BROKEN: dict[str, tuple[Callable[[Exchange], object], str, str]] = {
    "HTML": (lambda e: e.send(200, b"<html><script>alert(1)</script></html>"), "failed", "not JSON"),
    "other JSON": (lambda e: e.json({"answer": "all is well [1]"}), "failed", "no chat completion"),
    "a list": (lambda e: e.json([1, 2]), "failed", "no chat completion"),
    "no text": (lambda e: e.json({"choices": [{"message": {"content": None}}]}), "failed", "empty"),
    "numbers as text": (lambda e: e.json({"choices": [{"message": {"content": 7}}], "usage": [1]}), "failed", "empty"),
    "deep JSON": (lambda e: e.send(200, b"[" * 200_000), "failed", "not JSON"),
    "half of it": (lambda e: e.send(200, b'{"choices": [{"mess'), "failed", "not JSON"),
    "no UTF-8": (lambda e: e.send(200, b'{"a": "\xff\xfe"}'), "failed", "not JSON"),
    "500": (lambda e: e.send(500, b"oops"), "failed", "status 500"),
    "401 with the key": (lambda e: e.send(401, e.headers.get("authorization", "").encode()), "failed", "status 401"),
    "404": (lambda e: e.send(404, b""), "failed", "is there such a model?"),
    "a redirect": (lambda e: e.send(302, b"", Location="http://127.0.0.1:9/"), "failed", "not followed"),
    "too much": (lambda e: e.send(200, b" " * (LARGEST + 1)), "failed", "more than 262,144 bytes"),
    "endless": (_endless, "failed", "more than 262,144 bytes"),
    "no HTTP": (lambda e: e.write(b"\x15\x03\x01\x00\x02\x02\x0a"), "failed", "not HTTP"),
    "nothing": (lambda e: e.handler.connection.close(), "failed", "connection failed"),
    "gzip": (lambda e: e.send(200, b"{}", Content_Encoding="gzip"), "failed", "encoding"),
    "a slow drip": (_drip, "timeout", "no answer within"),
    "a drip of headers": (_drip_head, "timeout", "no answer within"),
    "wait, and wait": (_continue, "timeout", "no answer within"),
    "silence": (_silent, "timeout", "no answer within"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_an_endpoint_that_is_broken_or_hostile_costs_no_answer(
    stub: Stub, flow: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    reply, status, named = BROKEN[fault]
    stub.reply = reply
    began = time.monotonic()
    answer, step, without = words(stub, flow, limit=0.6 if status == "timeout" else 5.0)
    assert time.monotonic() - began < 4
    assert unchanged(answer, without)
    assert step.status == status, step.detail
    assert named in step.detail
    assert SECRET not in str(as_json(answer))


def test_a_refused_connection_and_a_name_without_a_host_are_said(flow: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    answer = Ask(opened("diagram", [flow]), llm=Llm(f"http://127.0.0.1:{port}/v1", "tiny")).ask(QUESTION)
    assert "nobody listens there" in answer.steps[-1].detail
    assert "release(order)" in answer.text


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
def test_only_a_certificate_that_is_trusted_is_asked(
    flow: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "own.key", tmp_path / "own.crt"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    base = opened("diagram", [flow])
    with endpoint(lambda exchange: exchange.say(GOOD), context) as stub:
        answer = Ask(base, llm=Llm(stub.url, "tiny")).ask(QUESTION)
        assert "no TLS connection that can be trusted" in answer.steps[-1].detail
        assert unchanged(answer, Ask(base).ask(QUESTION))
        assert not stub.asked
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert Ask(base, llm=Llm(stub.url, "tiny")).ask(QUESTION).steps[-1].status == "ok"


def test_a_greeting_that_never_comes_is_not_waited_for(flow: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:  # it accepts, and says nothing
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/v1"
        began = time.monotonic()
        answer = Ask(opened("diagram", [flow]), llm=Llm(url, "tiny"), limit=0.6).ask(QUESTION)
        assert time.monotonic() - began < 3
        assert answer.steps[-1].status == "timeout"
        assert "release(order)" in answer.text
        for thread in threading.enumerate():
            if thread.name == "ask-endpoint":
                thread.join(5)
                assert not thread.is_alive()


def test_an_endpoint_that_wants_a_rest_has_it(stub: Stub, flow: Path) -> None:
    stub.reply = lambda exchange: exchange.send(429, b"", Retry_After="30")
    llm, base = Llm(stub.url, "tiny"), opened("diagram", [flow])
    first = Ask(base, llm=llm).ask(QUESTION)
    assert "asked too much" in first.steps[-1].detail
    second = Ask(base, llm=llm).ask(QUESTION)
    assert second.steps[-1].status == "skipped"
    assert "wants to rest" in second.steps[-1].detail
    assert len(stub.asked) == 1
    assert unchanged(second, Ask(base).ask(QUESTION))


def test_one_that_refuses_the_options_is_asked_without_them(stub: Stub, flow: Path) -> None:
    stub.reply = lambda e: e.send(400, b"no temperature") if "temperature" in e.body else e.say(GOOD)
    llm, base = Llm(stub.url, "tiny"), opened("diagram", [flow])
    assert Ask(base, llm=llm).ask(QUESTION).steps[-1].status == "ok"
    Ask(base, llm=llm).ask("What happens if the charge is accepted?")
    assert [("temperature" in exchange.body) for exchange in stub.asked][:3] == [True, False, False]


def test_a_second_wording_has_only_the_time_that_is_left(stub: Stub, flow: Path) -> None:
    def reply(exchange: Exchange) -> None:
        if len(stub.asked) > 1:
            _silent(exchange)
        else:
            exchange.say("No citation.")

    stub.reply = reply
    began = time.monotonic()
    answer, step, without = words(stub, flow, limit=0.8)
    assert time.monotonic() - began < 3
    assert step.status == "timeout"
    assert "asked again, because" in step.detail
    assert unchanged(answer, without)


# ---- the key, and what is no endpoint ----


def test_the_key_goes_to_the_endpoint_and_nowhere_else(stub: Stub, flow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    llm = Llm(stub.url, "tiny")
    monkeypatch.setenv(KEY, SECRET)
    answer = Ask(opened("diagram", [flow]), llm=llm).ask(QUESTION)
    assert stub.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in str(as_json(answer))
    assert SECRET not in repr([vars(llm), vars(llm._endpoint)])
    monkeypatch.delenv(KEY)
    Ask(opened("diagram", [flow]), llm=llm).ask("What happens if the charge is accepted?")
    assert "authorization" not in stub.asked[-1].headers


def test_a_recorded_question_holds_the_wording_and_no_key(
    stub: Stub, flow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    probe = Probe("ask-llm", mask=False)
    with record(probe) as recording:
        asking = Ask(opened("diagram", [flow]), probe=probe, session="s", llm=Llm(stub.url, "tiny"))
        worded = asking.ask(QUESTION)
        stub.reply = lambda exchange: exchange.send(500, SECRET.encode())
        computed = asking.ask("What happens if the charge is accepted?")
        probe.flush(5)
        map = recording.map("s")
        told = [event.signal for event in recording.events["s"]]
    assert worded.text == "Under “charge refused” the shop calls release(order)."
    assert map.nodes["answer:1"].label == worded.text
    assert map.nodes["answer:2"].label == computed.text
    assert [signal.where for signal in told if isinstance(signal, Failed)] == ["llm"]
    assert SECRET not in repr(told)


def test_a_fault_in_the_wording_costs_no_answer(stub: Stub, flow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> list[str]:
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr("lingbot_map.ask.llm.faults", broken)
    answer, step, without = words(stub, flow)
    assert unchanged(answer, without)
    assert step.detail.startswith("the answer as computed: ZeroDivisionError;")


@pytest.mark.parametrize("key", [f"{SECRET}\nX-Other: 1", f"{SECRET}密", f"{SECRET}\x7f"])
def test_a_key_that_is_none_is_refused_without_being_told(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    endpoint = JsonEndpoint(stub.url, "/chat/completions", key=KEY, option="--llm")
    monkeypatch.setenv(KEY, key)
    with pytest.raises(BadInput, match=KEY) as refused:
        Llm(stub.url, "tiny")
    assert SECRET not in str(refused.value)
    with pytest.raises(Unanswered, match=KEY) as unanswered:
        endpoint.post({}, seconds=1, most=10)
    assert SECRET not in str(unanswered.value)
    assert not stub.asked


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1/v1",
        "127.0.0.1:8080",
        f"http://name:{SECRET}@127.0.0.1/v1",
        f"http://127.0.0.1/v1?key={SECRET}",
        f"http://127.0.0.1/v1#{SECRET}",
        "http://127.0.0.1:99999/v1",
        "http://[::1/v1",
        "http://127.0.0.1/v 1",
        "http://127.0.0.1/v1\r\nX: 1",
        "http://例子.test/v1",
        "http://",
        "",
    ],
)
def test_an_address_that_is_none_is_refused_without_being_told(url: str) -> None:
    with pytest.raises(BadInput, match="--llm: expected an address such as") as refused:
        Llm(url, "tiny")
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("model", ["", "  ", "a\nb", "m" * 300])
def test_a_model_needs_a_name(model: str) -> None:
    with pytest.raises(BadInput, match="--llm-model"):
        Llm("http://127.0.0.1:9/v1", model)


def test_the_whole_address_may_be_given(stub: Stub, flow: Path) -> None:
    Ask(opened("diagram", [flow]), llm=Llm(f"{stub.url}/chat/completions/", "tiny")).ask(QUESTION)
    assert stub.asked[0].path == "/v1/chat/completions"
