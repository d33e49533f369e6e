"""The end of a long file is shown while the whole is still being read, and gives way to it."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import BadInput, UnknownSession
from lingbot_map.pipeline import Pipeline, ending
from lingbot_map.store import key_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.index import Index
from tests.live.server import Client, wait_for
from tests.live.test_process import started

BEGIN = 1_700_000_000.0


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some kB are a long file here."""
    monkeypatch.setattr(ending, "WORTH", 64 << 10)
    monkeypatch.setattr(ending, "LENGTH", 16 << 10)


def tracker(path: Path, turns: int, *, sender: str = "call", named: bool = True, first: int = 0) -> Path:
    """Broker lines of a Rasa bot."""
    with path.open("w", encoding="utf-8") as file:
        for turn in range(first, turns):
            at = BEGIN + turn * 5
            asked = {"intent": {"name": f"i{turn % 7}", "confidence": 0.9}}
            events: list[dict[str, Any]] = [
                {"event": "user", "timestamp": at, "text": f"please {turn}", "parse_data": asked},
                {"event": "slot", "timestamp": at + 1, "name": f"s{turn % 9}", "value": f"137{turn:08}"},
                {"event": "bot", "timestamp": at + 2, "text": f"answer {turn}"},
            ]
            for event in events:
                file.write(json.dumps({**({"sender_id": sender} if named else {}), **event}) + "\n")
    return path


def made(folder: Path) -> Pipeline:
    return Pipeline(FileStore(folder), Index(folder / "index.sqlite3"))


def labels(map: Any) -> set[str]:
    return {node.label for node in map.nodes.values()}


async def test_the_end_is_shown_while_the_whole_is_read_and_then_the_whole(tmp_path: Path) -> None:
    path = tracker(tmp_path / "long.jsonl", 900)
    pipeline = made(tmp_path / "data")
    await pipeline.start()
    await pipeline.settled()
    seen: asyncio.Future[tuple[str, set[str], float]] = asyncio.get_running_loop().create_future()

    def glimpsed(key: str) -> None:
        map = pipeline.glimpses.lives[key].session.map
        seen.set_result((key, labels(map), map.turns[1].at))

    looking = asyncio.create_task(pipeline.import_file(path, "long.jsonl", glimpsed=glimpsed))
    key, shown, began = await seen
    assert key == key_of("call")
    assert {"please 899", "answer 899"} <= shown
    assert "please 0" not in shown
    assert began > BEGIN + 3000, "at the time at which it was said"
    glimpse = await pipeline.open(key)
    assert glimpse.tail.epoch
    taken = await looking
    whole = await pipeline.open(key)
    assert glimpse.gone, "who looks at it goes on"
    assert whole.session.map.turn == 900
    assert whole.tail.epoch != glimpse.tail.epoch
    assert "reading" not in whole.session.map.about
    assert {event["key"] for event in taken["sessions"]} == {key}
    assert not pipeline.glimpses.lives
    assert pipeline.stats()["sessions"]["stored"] == 1
    await pipeline.stop()


async def test_how_far_the_reading_is_reaches_the_viewers(tmp_path: Path) -> None:
    path = tracker(tmp_path / "long.jsonl", 3000)
    pipeline = made(tmp_path / "data")
    await pipeline.start()
    await pipeline.settled()
    told: list[float] = []
    shown: list[Any] = []

    def progress(done: int, total: int) -> None:
        told.append(done / total)

    def glimpsed(key: str) -> None:
        shown.append(pipeline.glimpses.lives[key])

    await pipeline.import_file(path, "long.jsonl", progress, glimpsed=glimpsed)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0, abs=0.02)
    said = [
        event.signal.facts["reading"]
        for event in shown[0].session.events(1, shown[0].tail.last)
        if "reading" in getattr(event.signal, "facts", {})
    ]
    assert len(said) > 10
    assert said == sorted(said)
    await pipeline.stop()


async def test_a_masked_import_shows_no_secret_at_its_end_either(tmp_path: Path) -> None:
    path = tracker(tmp_path / "long.jsonl", 900, sender="13800138000")
    pipeline = made(tmp_path / "data")
    await pipeline.start()
    await pipeline.settled()
    values: list[str] = []
    names: list[str] = []

    def glimpsed(key: str) -> None:
        session = pipeline.glimpses.lives[key].session
        names.append(session.id)
        values.extend(str(node.props.get("value")) for node in session.map.nodes.values() if node.kind == "slot")

    taken = await pipeline.import_file(path, "long.jsonl", mask=True, glimpsed=glimpsed)
    assert values
    assert not any("137000" in value for value in values)
    assert names == [taken["sessions"][0]["id"]]
    assert "13800138000" not in names[0]
    await pipeline.stop()


@pytest.mark.parametrize("kind", ["unnamed", "short", "document", "here"])
async def test_nothing_is_shown_ahead_where_it_would_mislead_or_gain_nothing(tmp_path: Path, kind: str) -> None:
    path = tracker(tmp_path / "x.jsonl", 20 if kind == "short" else 900, named=kind != "unnamed")
    if kind == "document":
        path.write_text(json.dumps([json.loads(line) for line in path.read_text().splitlines()]))
    pipeline = made(tmp_path / "data")
    await pipeline.start()
    await pipeline.settled()
    keys: list[str] = []
    if kind == "here":
        await pipeline.import_file(tracker(tmp_path / "y.jsonl", 10), "y.jsonl", glimpsed=keys.append)
    taken = await pipeline.import_file(path, "x.jsonl", glimpsed=keys.append)
    assert keys == []
    assert taken["sessions"][0]["turns"] == (20 if kind == "short" else 900)
    await pipeline.stop()


async def test_what_is_shown_of_a_file_that_turns_out_bad_goes_again(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    good = tracker(tmp_path / "good.jsonl", 900).read_bytes()
    path.write_bytes(good[:300] + b"{broken}\n" * 30_000 + good[-20_000:])
    pipeline = made(tmp_path / "data")
    await pipeline.start()
    await pipeline.settled()
    keys: list[str] = []
    with pytest.raises(BadInput, match="records that can't be read"):
        await pipeline.import_file(path, "bad.jsonl", glimpsed=keys.append)
    assert keys == [key_of("call")]
    with pytest.raises(UnknownSession):
        await pipeline.open(keys[0])
    await pipeline.stop()


def test_reading_that_is_given_up_ends_at_once(tmp_path: Path) -> None:
    path = tracker(tmp_path / "long.jsonl", 60_000)

    async def give_up() -> float:
        pipeline = made(tmp_path / "data")
        await pipeline.start()
        await pipeline.settled()
        shown = asyncio.Event()
        reading = asyncio.create_task(pipeline.import_file(path, "long.jsonl", glimpsed=lambda key: shown.set()))
        await shown.wait()
        reading.cancel()
        began = time.process_time()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert not pipeline.glimpses.lives
        assert not pipeline.store.keys()
        await pipeline.stop()
        return began

    began = asyncio.run(give_up())  # it waits for its threads
    assert time.process_time() - began < 2.0, "the whole takes some 4 s of this process, whatever others do"


def _read_on(client: Client, key: str, before: float) -> float:
    """How much of the file is read, once it is more than ``before``; 1: all."""

    def share() -> float:
        threading.Event().wait(0.1)  # a keyframe is work for the one who reads
        found: float = client.get(f"/api/sessions/{key}/keyframe")["about"].get("reading", 1.0)
        return found

    return wait_for(lambda: found if (found := share()) > before else 0.0, "some progress")


def test_open_says_the_address_before_the_file_is_read_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    path = tracker(tmp_path / "long.jsonl", 25_000)
    assert path.stat().st_size > 8 << 20
    key = key_of("call")
    with started(tmp_path / "data", tmp_path / "run", str(path), command="open") as process:
        client = process.client
        about = client.get(f"/api/sessions/{key}/keyframe")["about"]
        assert 0 <= about["reading"] < 1
        assert process.end(signal.SIGINT)[0] == 130
    with started(tmp_path / "data", tmp_path / "run", str(path), command="open") as process:
        client = process.client
        # Some 4 s of work, on a machine with other work; as long as it goes on, it is waited for.
        told = 0.0
        while told < 1.0:
            told = _read_on(client, key, told)
        assert client.get(f"/api/sessions/{key}")["turns"] == 25_000
        assert "reading" not in client.get(f"/api/sessions/{key}/keyframe")["about"]
        code, _, errors = process.end(signal.SIGINT)
        assert (code, errors) == (130, "")


def test_a_long_file_that_is_bad_is_said_in_a_line_and_nothing_is_served(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    good = tracker(tmp_path / "good.jsonl", 26_000).read_bytes()
    path.write_bytes(good[:300] + b"{broken}\n" * 100_000 + good[-8_500_000:])
    with started(tmp_path / "data", tmp_path / "run", str(path), command="open") as process:
        _, errors = process.process.communicate(timeout=20)
        assert process.process.returncode == 2
        assert errors.count("\n") == 1
        assert "long.jsonl: expected at most 10,000 records that can't be read" in errors
