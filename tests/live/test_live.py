"""Batches reach viewers exactly once and in order, whoever lags, leaves or comes back."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets import Subprotocol
from websockets.asyncio.client import connect

from lingbot_map.store import key_of
from tests.live.server import PATIENCE, Client, running, seqs_of, wait_for


@pytest.fixture
def map() -> Iterator[Client]:
    with running() as (_, client):
        yield client


def test_what_a_probe_says_arrives_at_a_viewer(map: Client) -> None:
    answer = map.say("hello")
    assert answer["acked"] == {"call": [[1, 1]]}
    frame = map.keyframe("call")
    with map.watch("call", frame["cursor"]["epoch"], frame["cursor"]["seq"]) as viewer:
        hello = viewer.next("hello")
        assert hello["resume"] is True
        assert hello["session"]["id"] == "call"
        assert hello["server"] == answer["server"]
        map.say("and again")
        batch = viewer.next("batch")
    assert seqs_of(batch) == [frame["cursor"]["seq"] + 1]
    assert any(d["d"] == "node" and d["node"]["label"] == "and again" for d in batch["deltas"])


def test_resume_gives_exactly_what_was_missed(map: Client) -> None:
    map.say(*(f"turn {i}" for i in range(5)))
    frame = map.keyframe("call")
    epoch, seq = frame["cursor"]["epoch"], frame["cursor"]["seq"]
    with map.watch("call", epoch, seq) as viewer:
        map.say("seen")
        assert viewer.seqs_to(seq + 1) == [seq + 1]
    map.say("missed one")
    map.say("missed two")
    with map.watch("call", epoch, seq + 1) as viewer:
        assert viewer.next("hello")["resume"] is True
        assert viewer.seqs_to(seq + 3) == [seq + 2, seq + 3]


@pytest.mark.parametrize("wrong", ["another epoch", "beyond the end", "no cursor"])
def test_who_stands_nowhere_is_sent_to_the_keyframe(map: Client, wrong: str) -> None:
    map.say("hello")
    cursor = map.keyframe("call")["cursor"]
    epoch, after, why = {
        "another epoch": ("0123", cursor["seq"], "epoch"),
        "beyond the end": (cursor["epoch"], cursor["seq"] + 1, "epoch"),
        "no cursor": ("", None, ""),
    }[wrong]
    with map.watch("call", epoch, after) as viewer:
        hello = viewer.next("hello")
        assert (hello["resume"], hello["why"]) == (False, why)
        viewer.place(epoch=cursor["epoch"], after=cursor["seq"])
        assert viewer.next("hello")["resume"] is True
        map.say("goes on")
        assert viewer.seqs_to(cursor["seq"] + 1) == [cursor["seq"] + 1]


def test_an_unknown_session_is_named_unknown(map: Client) -> None:
    with map.watch("nobody", "e", 1) as viewer:
        hello = viewer.next("hello")
    assert (hello["session"], hello["resume"], hello["why"]) == (None, False, "unknown")


def test_who_is_a_megabyte_behind_starts_afresh(map: Client) -> None:
    map.say("hello")
    cursor = map.keyframe("call")["cursor"]
    for _ in range(12):
        map.say(*["x" * 3000] * 40)  # each is told twice, as a label and as a property: some 3 MB in all
    with map.watch("call", cursor["epoch"], cursor["seq"]) as viewer:
        hello = viewer.next("hello")
        assert (hello["resume"], hello["why"]) == (False, "behind")
        cursor = map.keyframe("call")["cursor"]
        viewer.place(epoch=cursor["epoch"], after=cursor["seq"])
        assert viewer.next("hello")["resume"] is True


def test_a_viewer_turns_to_another_session(map: Client) -> None:
    map.say("one", session="a")
    map.say("two", session="b")
    here, there = map.keyframe("a")["cursor"], map.keyframe("b")["cursor"]
    with map.watch("a", here["epoch"], here["seq"]) as viewer:
        viewer.next("hello")
        viewer.place(session=key_of("b"), epoch=there["epoch"], after=there["seq"])
        assert viewer.next("hello")["session"]["id"] == "b"
        map.say("not for this viewer", session="a")
        map.say("for this viewer", session="b")
        assert "for this viewer" in str(viewer.next("batch"))


def test_two_viewers_at_one_place_get_the_same_bytes(map: Client) -> None:
    map.say("hello")
    cursor = map.keyframe("call")["cursor"]
    place = ("call", cursor["epoch"], cursor["seq"])
    with map.watch(*place) as one, map.watch(*place) as two:
        one.next("hello")
        two.next("hello")
        map.say("for both")
        assert one.next("batch") == two.next("batch")  # the moment of sending too: it was encoded once


def test_one_who_never_reads_costs_the_others_nothing(map: Client) -> None:
    map.say("hello")
    cursor = map.keyframe("call")["cursor"]
    place = ("call", cursor["epoch"], cursor["seq"])
    with map.watch(*place) as stuck, map.watch(*place) as good:
        stuck.next("hello")
        expected = cursor["seq"]
        for _ in range(30):
            map.say(*["y" * 3000] * 40)
            expected += 40
            # 8 MB in all: more than kernel and client hold for the one who doesn't read.
            assert good.seqs_to(expected)[-1] == expected
        last = cursor["seq"]
        while True:  # what comes when it reads again: batches without a hole, or the advice to start afresh
            said = json.loads(stuck.socket.recv(timeout=10))
            if said["t"] == "batch":
                assert said["first"] == last + 1
                last = said["last"]
                if last == expected:
                    break
            elif said["t"] == "hello":
                assert said["why"] == "behind"
                break


async def test_storms_of_reconnects_miss_and_repeat_nothing(map: Client) -> None:
    map.say("hello")
    cursor = map.keyframe("call")["cursor"]
    chance = random.Random(1)
    goal = cursor["seq"] + 400
    token = [Subprotocol("lingbot.v1"), Subprotocol(f"token.{map.token}")]

    async def watch() -> int:
        seq, visits = cursor["seq"], 0
        while seq < goal:
            url = f"ws://127.0.0.1:{map.port}/ws?session={key_of('call')}&epoch={cursor['epoch']}&after={seq}"
            async with connect(url, subprotocols=token, compression=None, open_timeout=PATIENCE) as socket:
                visits += 1
                for _ in range(chance.randint(1, 4)):  # so many messages, then it is gone without a word
                    message = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
                    if message["t"] == "hello":
                        assert message["resume"] is True
                    elif message["t"] == "batch":
                        assert seqs_of(message)[0] == seq + 1
                        seq = message["last"]
                    if seq >= goal:
                        break
        assert seq == goal
        return visits

    async def talk() -> None:
        for i in range(100):
            await asyncio.to_thread(map.say, *(f"turn {i}.{k}" for k in range(4)))

    *visits, _ = await asyncio.gather(*(watch() for _ in range(30)), talk())
    # How many messages there are to leave after, the machine decides: what comes in 100 ms is one.
    assert sum(visit for visit in visits if visit) > 30, "they did leave and come back"


def test_the_list_of_sessions_is_told_to_everybody(map: Client) -> None:
    with map.watch() as viewer:
        assert viewer.next("hello")["session"] is None
        map.say("hello", session="new one")
        changed = viewer.next("sessions")["changed"]
        assert [summary["id"] for summary in changed] == ["new one"]
        status, _, _ = map.ask("DELETE", f"/api/sessions/{key_of('new one')}")
        assert status == 200
        assert viewer.next("sessions")["removed"] == [key_of("new one")]


def test_deleting_tells_those_who_watch(map: Client) -> None:
    map.say("hello")
    cursor = map.keyframe("call")["cursor"]
    with map.watch("call", cursor["epoch"], cursor["seq"]) as viewer:
        viewer.next("hello")
        assert map.ask("DELETE", f"/api/sessions/{key_of('call')}")[0] == 200
        hello = viewer.next("hello")
    assert (hello["session"], hello["why"]) == (None, "deleted")
    assert map.ask("GET", f"/api/sessions/{key_of('call')}/keyframe")[0] == 404


def test_a_viewer_who_leaves_is_forgotten(map: Client) -> None:
    with map.watch():
        wait_for(lambda: map.get("/api/stats")["viewers"] == 1, "counting the viewer")
    wait_for(lambda: map.get("/api/stats")["viewers"] == 0, "forgetting the viewer")


def test_a_restart_shows_everything_and_cursors_stay_good(tmp_path: Path) -> None:
    with running(tmp_path) as (_, map):
        server = map.say(*(f"turn {i}" for i in range(20)))["server"]
        before = map.keyframe("call")
    with running(tmp_path) as (_, map):
        assert map.keyframe("call") == before
        with map.watch("call", before["cursor"]["epoch"], before["cursor"]["seq"]) as viewer:
            hello = viewer.next("hello")
            assert hello["resume"] is True
            assert hello["server"] != server
            map.made["calls1"] = 20
            map.say("after the restart")
            assert viewer.seqs_to(before["cursor"]["seq"] + 1) == [before["cursor"]["seq"] + 1]
