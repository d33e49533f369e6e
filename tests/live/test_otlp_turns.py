"""Spans become turns of sessions whatever order they come in, once each, also across restarts and a full disk."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import NotWritten
from lingbot_map.events import Event
from lingbot_map.pipeline import Arrived, Batch, Pipeline, Traced
from lingbot_map.pipeline.span_signals import bounded
from lingbot_map.pipeline.tracing import ENTERED, SILENCE
from lingbot_map.store import appender, key_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.memory import MemoryStore
from lingbot_probes.codec import signal_to_dict
from lingbot_probes.signals import Numbered, SlotAssigned
from lingbot_web.otlp_read import read_json
from tests.live.otlp_sending import post, request, send, span, turn
from tests.live.server import Client, wait_for
from tests.live.test_disk import full_disk
from tests.live.test_pipeline import Clock, pipeline
from tests.live.test_process import COMMAND, started

REMOTE = 0x300


def arrived(*spans: dict[str, Any], **process: str) -> list[Arrived]:
    return [Arrived(*one) for one in read_json(json.dumps(request(*spans, **process)).encode()).spans]


async def take(made: Pipeline, *spans: dict[str, Any], **process: str) -> Traced:
    return await made.tracing.take(arrived(*spans, **process))


async def events(made: Pipeline, session: str = "call") -> list[Event]:
    live = await made.shelf.find(session)
    if live is None:
        return []
    return [event for event in live.session.events(1, live.session.map.cursor.seq) if event.source]


async def told(made: Pipeline, session: str = "call") -> list[str]:
    return [event.signal.kind for event in await events(made, session)]


WHOLE = ["session_started", "turn_started", "intent_routed", "retrieved", "raw", "answered"]


@pytest.mark.parametrize("seed", range(5))
async def test_in_any_order_and_in_any_pieces_a_turn_is_the_same(seed: int) -> None:
    async with pipeline(Clock()) as made:
        *inner, root = turn(1)
        random.Random(seed).shuffle(inner)
        for one in (*inner, inner[0], root, root):
            await take(made, one)
        assert sorted(await told(made)) == sorted(WHOLE)
        assert (await told(made))[:3] == WHOLE[:3]


async def test_a_turn_is_told_when_its_root_has_ended_and_what_comes_later_joins_it() -> None:
    async with pipeline(Clock()) as made:
        first, second, root = turn(1)
        assert await take(made, first) == Traced()
        assert await told(made) == []
        await take(made, root)
        assert await told(made) == ["session_started", "turn_started", "intent_routed", "retrieved", "answered"]
        await take(made, *turn(2, said="and now?"))
        await take(made, second)
        last = (await events(made))[-1]
        assert (last.signal.kind, last.turn) == ("raw", 1)


async def test_a_root_that_never_ends_is_not_waited_for_longer_than_the_policy_says() -> None:
    clock = Clock()
    async with pipeline(clock) as made:
        await take(made, span(1, 2, 1, "LLM", session__id="call", input__value="hello", output__value="hi"))
        clock.now += SILENCE - 1
        await take(made, span(1, 3, 1, "TOOL"))
        clock.now += SILENCE - 1
        await made.tracing.pass_time()
        assert await told(made) == [], "something came meanwhile"
        clock.now += 1
        await made.tracing.pass_time()
        assert await told(made) == ["session_started", "turn_started", "raw", "raw", "answered"]
        live = await made.shelf.find("call")
        assert live is not None
        assert "rootless" in [lack["code"] for lack in live.session.map.about["lost"]]
        await take(made, turn(1, said="hello there")[-1])
        labels = {node.id: node.label for node in live.session.map.nodes.values()}
        assert labels["utterance:1"] == "hello there", "what the root says counts, also when it comes late"
        assert live.session.map.turn == 1
        assert (await told(made))[-3:] == ["turn_started", "intent_routed", "answered"]


async def test_what_was_entered_from_another_process_waits_for_its_parent_only_for_a_moment() -> None:
    clock = Clock()
    async with pipeline(clock) as made:
        *inner, root = turn(1)
        gateway = {**root, "parentSpanId": f"{99:016x}", "flags": REMOTE}
        await take(made, *inner, gateway)
        assert await told(made) == []
        clock.now += ENTERED
        await made.tracing.pass_time()
        assert sorted(await told(made)) == sorted(WHOLE)


async def test_spans_of_several_processes_make_one_turn_and_their_books_balance() -> None:
    async with pipeline(Clock()) as made:
        search, model, root = turn(1)
        await take(made, search, service="search", instance="7")
        await take(made, model, root, service="shop", instance="1")
        await take(made, *turn(2), service="shop", instance="2")
        assert sorted(await told(made)) == sorted(WHOLE + WHOLE)
        assert {event.source for event in await events(made)} == {"otlp:shop:1", "otlp:shop:2"}
        for row in made.stats()["sources"]:
            assert row["produced"] == row["accepted"] == 6


async def test_the_session_is_inherited_from_any_span_of_the_trace_and_else_is_the_trace() -> None:
    async with pipeline(Clock()) as made:
        await take(made, span(1, 2, 1, "LLM", gen_ai__conversation__id="named"), span(1, 1, 0, "AGENT"))
        await take(made, span(2, 1, 0, "AGENT"))
        assert len(await told(made, "named")) == 4
        lonely = f"trace {2:032x}"
        assert await told(made, lonely) == ["session_started", "turn_started"]
        live = await made.shelf.find(lonely)
        assert live is not None
        assert "unnamed" in [lack["code"] for lack in live.session.map.about["lost"]]


async def test_what_has_nothing_to_do_with_a_dialogue_makes_no_session() -> None:
    clock = Clock()
    async with pipeline(clock) as made:
        await take(made, span(1, 1, 0, http__method="GET"))
        clock.now += SILENCE
        await made.tracing.pass_time()
        assert made.search().total == 0
        assert made.stats()["spans"] == {"waiting": 0, "repeated": 0, "aside": 1}


async def test_masks_are_on_and_can_be_left_off() -> None:
    for masking, shown in ((True, "[phone:"), (False, "13812345678")):
        async with pipeline(Clock()) as made:
            made.tracing.masking = masking
            await take(made, *turn(1, said="call 13812345678"))
            live = await made.shelf.find("call")
            assert live is not None
            assert shown in live.session.map.nodes["utterance:1"].label
            assert ("unmasked" in live.session.map.about) is not masking
            assert (live.session.map.about.get("masked", 0) > 0) == masking


async def test_beside_a_probe_nothing_is_said_of_what_spans_lack() -> None:
    async with pipeline(Clock()) as made:
        await take(made, *turn(1))
        live = await made.shelf.find("call")
        assert live is not None
        assert live.session.map.about["coverage"]["state"] == "none"
        item = Numbered(session="call", n=1, signal=SlotAssigned(slot="city", value="Lund"))
        await made.ingest(Batch("probe", "bot", {"call": [item]}, {"call": 1}, []))
        await take(made, *turn(2))
        assert (live.session.map.about["coverage"], live.session.map.about["lost"]) == ({}, [])


@pytest.mark.parametrize(
    "value",
    [
        "x" * 1_000_000,
        "[" * 300 + "]" * 300,
        '{"a": ' + "9" * 400 + "}",
        '{"a": "\\ud800"}',
        '["' + "'" * 70_000 + '"]',
    ],
)
async def test_no_event_is_larger_than_a_probe_would_make_it_or_can_not_be_written(value: str) -> None:
    async with pipeline(Clock()) as made:
        said = {"input__value": value, "output__value": value}
        await take(made, span(1, 2, 1, "TOOL", **said), span(1, 1, 0, "AGENT", session__id="call", **said))
        live = await made.shelf.find("call")
        assert live is not None
        found = await events(made)
        assert [event.signal.kind for event in found] == ["session_started", "turn_started", "raw", "answered"]
        for event in found:
            assert len(json.dumps(signal_to_dict(event.signal), ensure_ascii=False).encode()) <= 16 * 1024
        live.session.recording.sync()


def test_a_retrieval_of_very_many_documents_says_how_many_were_left_out() -> None:
    docs = [{"id": str(i), "snippet": "s" * 900} for i in range(300)]
    cut = bounded({"kind": "retrieved", "query": "q", "stage": "fused", "docs": docs})
    assert (len(cut["docs"]), cut["params"]) == (50, {"left_out": 250})


# --- restarts --------------------------------------------------------------------------------------------------------


async def test_after_a_restart_repeats_are_known_and_what_waited_goes_on_waiting(tmp_path: Path) -> None:
    search, model, root = turn(1)
    async with pipeline(Clock(), FileStore(tmp_path), tmp_path / "index") as made:
        await take(made, search, model, root)
        await take(made, *turn(2)[:2])
    async with pipeline(Clock(), FileStore(tmp_path), tmp_path / "index") as made:
        assert made.stats()["spans"]["waiting"] == 2
        assert (await take(made, search, model, root)).repeated == 3
        assert await told(made) == WHOLE
        await take(made, span(1, 9, 1, "TOOL"))
        await take(made, turn(2, said="and?")[-1])
        found = await events(made)
        assert [event.n for event in found] == list(range(1, 13)), "the numbers go on where they were"
        assert [(event.signal.kind, event.turn) for event in found[6:8]] == [("raw", 1), ("turn_started", 2)]
    assert (tmp_path / "spans.waiting").read_bytes() == b"", "nothing of what was said stays there"


async def test_without_the_ledger_a_turn_that_is_sent_again_is_known_by_its_trace(tmp_path: Path) -> None:
    async with pipeline(Clock(), FileStore(tmp_path), tmp_path / "index") as made:
        await take(made, *turn(1))
    (tmp_path / "spans.told").unlink()
    async with pipeline(Clock(), FileStore(tmp_path), tmp_path / "index") as made:
        await take(made, *turn(1))
        assert await told(made) == WHOLE


async def test_what_waits_is_masked_on_the_disk_too(tmp_path: Path) -> None:
    async with pipeline(Clock(), FileStore(tmp_path), tmp_path / "index") as made:
        await take(made, span(1, 2, 1, "LLM", session__id="call", input__value="call 13812345678", llm__n=900))
        written = (tmp_path / "spans.waiting").read_bytes()
        assert b"13812345678" not in written
        assert b"[phone:" in written
        assert b'"llm.n":900' in written


async def test_a_damaged_ledger_costs_what_was_damaged_and_nothing_else(tmp_path: Path) -> None:
    async with pipeline(Clock(), FileStore(tmp_path), tmp_path / "index") as made:
        await take(made, *turn(1)[:2])
        await take(made, *turn(2)[:2])
    ledger = tmp_path / "spans.waiting"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join([lines[0].replace(b"fibre", b"FIBRE"), *lines[1:], b'{"half']))
    async with pipeline(Clock(), FileStore(tmp_path), tmp_path / "index") as made:
        assert made.stats()["spans"]["waiting"] == 3


async def test_a_deleted_session_is_not_brought_back_by_late_spans(tmp_path: Path) -> None:
    async with pipeline(Clock(), FileStore(tmp_path), tmp_path / "index") as made:
        await take(made, *turn(1))
        await made.delete(key_of("call"))
        assert await take(made, span(1, 9, 1, "TOOL")) == Traced()
        assert await told(made) == []
        await take(made, *turn(2))
        assert await told(made) == WHOLE[1:], "what it says from then on begins it anew"


def test_kill_9_loses_no_span_that_was_accepted(tmp_path: Path) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    with started(data, runtime) as process:
        wait_for(lambda: process.client.get("/healthz")["status"] == "ok", "recovery")
        send(process.client, *turn(1))
        send(process.client, *turn(2)[:2])
        process.process.send_signal(signal.SIGKILL)
        process.process.communicate()
    with started(data, runtime) as process:
        wait_for(lambda: process.client.get("/healthz")["status"] == "ok", "recovery")
        send(process.client, *turn(1), turn(2)[-1])
        frame = process.client.keyframe("call")
        assert len(frame["turns"]["number"]) == 2
        found = process.client.get(f"/api/sessions/{key_of('call')}/events")["events"]
        assert [event["signal"]["kind"] for event in found if "source" in event] == [*WHOLE, *WHOLE[1:]]


def test_a_map_may_be_started_without_masks_for_spans_and_the_session_says_so(tmp_path: Path) -> None:
    with started(tmp_path / "data", tmp_path / "run", "--unmasked-spans") as process:
        wait_for(lambda: process.client.get("/healthz")["status"] == "ok", "recovery")
        send(process.client, *turn(1, said="call 13812345678"))
        (summary,) = process.client.get("/api/sessions")["sessions"]
        assert summary["last_utterance"] == "call 13812345678"
        assert (summary["masked"], summary["unmasked"]) == (0, True)


def test_the_command_says_what_became_of_spans(tmp_path: Path) -> None:
    with started(tmp_path / "data", tmp_path / "run") as process:
        wait_for(lambda: process.client.get("/healthz")["status"] == "ok", "recovery")
        send(process.client, *turn(1), *turn(2)[:2])
        send(process.client, *turn(1))
        stats = [*COMMAND, "stats", "--data", str(tmp_path / "data")]
        done = subprocess.run(stats, env=process.environment, capture_output=True, text=True, timeout=30, check=True)
    assert "spans     2 wait for their roots, 3 came again, 0 of no dialogue" in done.stdout
    assert "otlp:shop" in done.stdout


def test_while_the_disk_is_full_spans_are_to_be_sent_again_and_none_is_lost_or_counted_twice(tmp_path: Path) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    with started(data, runtime) as process:
        client: Client = process.client
        wait_for(lambda: client.get("/healthz")["status"] == "ok", "recovery")
        send(client, *turn(1))
        whole, parts = (json.dumps(request(*spans)).encode() for spans in (turn(2), turn(3)[:2]))
        with full_disk(process):
            for body in (whole, whole, parts, parts):
                status, said, headers = post(client, body)
                assert (status, headers["retry-after"]) == (503, "1"), "nothing is accepted that may be lost"
                assert "send that again" in said["message"]
        for body in (whole, parts):
            wait_for(lambda body=body: post(client, body)[0] == 200, "that the disk takes it")  # type: ignore[misc]
        send(client, turn(3)[-1])
        found = client.get(f"/api/sessions/{key_of('call')}/events")["events"]
        assert [event["signal"]["kind"] for event in found if "source" in event] == [*WHOLE, *WHOLE[1:], *WHOLE[1:]]


async def test_what_a_log_refuses_is_told_once_it_takes_it_and_is_not_accepted_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fd: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    async with pipeline(Clock(), FileStore(tmp_path), tmp_path / "index") as made:
        await take(made, *turn(1))
        with monkeypatch.context() as patched:
            patched.setattr(appender, "write_all", refuse)
            for _ in range(2):
                with pytest.raises(NotWritten):
                    await take(made, *turn(2))
        made.store.sync()
        assert (await take(made, *turn(2))).repeated == 3
        assert await told(made) == [*WHOLE, *WHOLE[1:]]
        (books,) = made.stats()["sources"]
        assert books["produced"] == books["accepted"] == 11


async def test_many_at_once_are_taken_one_after_the_other() -> None:
    async with pipeline(Clock(), MemoryStore()) as made:
        await asyncio.gather(*(take(made, *turn(trace)) for trace in range(1, 41)))
        assert (await told(made)).count("turn_started") == 40
        assert [event.n for event in await events(made)] == list(range(1, 202))
