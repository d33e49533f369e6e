"""Batches from probes: what is acknowledged, what is refused, and that one bad event spoils nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from lingbot_map.errors import BadInput
from lingbot_web.ingest import read_batch, too_deep
from tests.live.server import Client, running, wait_for


@pytest.fixture(scope="module")
def map() -> Iterator[Client]:
    with running() as (_, client):
        yield client


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


def assigned(n: int, session: str, value: Any) -> dict[str, Any]:
    return {"session": session, "n": n, "signal": {"kind": "slot_assigned", "slot": "x", "value": value}}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"hello",
        b"[]",
        b"null",
        b'{"v":2,"source":"s"}',
        b'{"v":true,"source":"s"}',
        b'{"v":1}',
        b'{"v":1,"source":""}',
        b'{"v":1,"source":5}',
        b'{"v":1,"source":"' + b"x" * 65 + b'"}',
        b'{"v":1,"source":"s","events":{}}',
        b'{"v":1,"source":"s","numbered":[]}',
        b'{"a": NaN}',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"1" * 100_000,
        b'{"v":1,"source":"\\ud800"}',
    ],
)
def test_what_is_no_batch_is_refused_whole(map: Client, body: bytes) -> None:
    with pytest.raises(BadInput):
        read_batch(body)
    status, said, _ = map.ask("POST", "/ingest", body, {"Content-Type": "application/json"})
    assert status == 400
    assert said["error"].startswith("batch")


def test_an_unreadable_event_is_refused_alone_and_its_number_is_kept(map: Client) -> None:
    events = [assigned(1, "one bad", 1), {"session": "one bad", "n": 2, "signal": {"kind": "slot_assigned"}}]
    events += [assigned(3, "one bad", 3), {"n": 4}, 5, assigned(5, "x" * 257, 1)]  # type: ignore[list-item]
    status, answer = map.post("/ingest", {"v": 1, "source": "s", "events": events, "numbered": {"one bad": 3}})
    assert status == 200
    assert answer["acked"] == {"one bad": [[1, 3]]}
    assert [(r["session"], r["n"]) for r in answer["refused"]] == [("one bad", 2), ("", 4), ("", 0), ("x" * 257, 5)]
    assert "slot" in answer["refused"][0]["why"]
    assert answer["refused"][2]["why"].startswith("events[4]: ")
    frame = map.keyframe("one bad")
    assert frame["losses"] == []
    assert len(frame["unplaced"]) == 1


def raw_batch(*events: bytes, numbered: bytes = b"{}") -> bytes:
    return b'{"v":1,"source":"s","events":[%b],"numbered":%b}' % (b",".join(events), numbered)


def raw_event(n: int, session: str, value: bytes) -> bytes:
    return b'{"session":"%b","n":%d,"signal":{"kind":"slot_assigned","slot":"x","value":%b}}' % (
        session.encode(),
        n,
        value,
    )


@pytest.mark.parametrize(
    "value", [b'"\\ud800"', b"NaN", b"-Infinity", b'"\xff"', b'{"\\udfff":1}', b"1" + b"0" * 400, b"[" * 80 + b"]" * 80]
)
def test_what_could_not_be_stored_is_refused_alone(map: Client, value: bytes) -> None:
    session = f"unstorable {value[:12]!r}"
    name = session.replace("\\", "\\\\").replace('"', '\\"')
    body = raw_batch(*(raw_event(n, name, value if n == 2 else b'"good"') for n in (1, 2, 3)))
    status, answer, _ = map.ask("POST", "/ingest", body, {"Content-Type": "application/json"})
    assert (status, answer["acked"]) == (200, {session: [[1, 3]]})
    assert [(r["session"], r["n"]) for r in answer["refused"]] in ([(session, 2)], [])  # a huge number is a float
    assert map.keyframe(session)["losses"] == []


def test_an_id_that_is_too_long_spoils_nothing_else(map: Client) -> None:
    events = [assigned(1, "beside", 1), assigned(1, "x" * 257, 1), assigned(2, "beside", 2)]
    answer = map.send(events)  # numbered names both sessions, as a probe does
    assert answer["acked"] == {"beside": [[1, 2]]}
    assert [(r["session"], r["n"]) for r in answer["refused"]] == [("x" * 257, 1)]
    assert "256" in answer["refused"][0]["why"]
    assert map.keyframe("beside")["losses"] == []


@pytest.mark.parametrize(
    ("session", "n"), [("a", -1), ("a", True), ("", 1), ("a", 2**53), ("x" * 257, 1), ("\ud800", 1), ("a", None)]
)
def test_a_number_that_is_none_is_refused_alone(map: Client, session: str, n: Any) -> None:
    answer = map.send([assigned(1, "counted", 1)], numbered={"counted": 1, session: n})
    assert answer["acked"] == {"counted": [[1, 1]]}
    (refused,) = answer["refused"]
    assert refused["n"] == 0
    assert "numbered" in refused["why"]


@pytest.mark.parametrize("kind", ["tick", "gap", "epoch_started", "policy_set", "described"])
def test_nobody_says_what_is_the_maps_to_say(map: Client, kind: str) -> None:
    signal = {"kind": kind, "source": "s", "first": 1, "last": 5, "epoch": "mine", "facts": {"origin": "me"}}
    answer = map.send([assigned(1, kind, 1), {"session": kind, "n": 2, "signal": signal}])
    assert (answer["acked"], [r["n"] for r in answer["refused"]]) == ({kind: [[1, 2]]}, [2])
    frame = map.keyframe(kind)
    assert (frame["losses"], frame["about"]["origin"], frame["cursor"]["epoch"] == "mine") == ([], "probe", False)


def test_a_session_that_nobody_may_write_spoils_nothing_else(tmp_path: Path, root: Path) -> None:
    cases = root / "snapshots" / "cases"
    shutil.copytree(cases, tmp_path / "cases")
    with running(tmp_path) as (_, map):
        case = wait_for(lambda: map.get("/api/sessions")["sessions"], "the list")[0]["id"]
        answer = map.send([assigned(1, "beside", 1), assigned(7, case, 1), assigned(2, "beside", 2)])
        assert answer["acked"] == {"beside": [[1, 2]]}
        assert [(r["session"], r["n"]) for r in answer["refused"]] == [(case, 7)]
        assert "committed" in answer["refused"][0]["why"]


def test_what_is_nested_too_deep_could_never_be_stored(map: Client) -> None:
    answer = map.send([assigned(1, "deep", nested(50)), assigned(2, "deep", nested(300)), assigned(3, "deep", 1)])
    assert [r["n"] for r in answer["refused"]] == [2]
    assert answer["acked"] == {"deep": [[1, 3]]}


@pytest.mark.parametrize(("value", "deep"), [("x", False), (nested(63), False), (nested(64), True), ({"a": {}}, False)])
def test_depth_is_counted_without_recursion(value: Any, deep: bool) -> None:
    assert too_deep({"signal": value}, 64) is deep
    assert too_deep(orjson.loads(b"[" * 1000 + b"]" * 1000)) is True


def test_repeats_are_acknowledged_and_count_once(map: Client) -> None:
    first = map.send([assigned(1, "twice", 1), assigned(2, "twice", 2)])
    before = map.keyframe("twice")
    again = map.send([assigned(1, "twice", 1), assigned(2, "twice", 2)])
    assert first["acked"] == again["acked"] == {"twice": [[1, 2]]}
    assert map.keyframe("twice") == before


def test_what_comes_too_early_waits_and_is_acknowledged_when_its_time_has_come(map: Client) -> None:
    early = map.send([assigned(2, "early", 2)], numbered={})
    assert early["acked"] == {}
    whole = map.send([assigned(1, "early", 1)], numbered={})
    assert whole["acked"] == {"early": [[1, 1]]}
    values = [props["value"] for props in map.keyframe("early")["history"]["props"] if "value" in props]
    assert values == [1, 2]


def test_a_hole_that_nobody_fills_is_a_gap_after_a_second(map: Client) -> None:
    map.send([assigned(1, "hole", 1), assigned(4, "hole", 4)], numbered={})
    losses = wait_for(lambda: map.keyframe("hole")["losses"], "the gap")
    assert [(lost["first"], lost["last"], lost["missing"]) for lost in losses] == [(2, 3, 2)]


def test_a_session_that_lost_everything_is_seen(map: Client) -> None:
    status, answer = map.post("/ingest", {"v": 1, "source": "s", "events": [], "numbered": {"all lost": 7}})
    assert (status, answer["acked"]) == (200, {})
    assert map.keyframe("all lost")["losses"][0]["missing"] == 7


def test_prefork_workers_do_not_collide(map: Client) -> None:
    for source in ("worker-1", "worker-2"):
        map.say("hello", "again", session="both", source=source)
    frame = map.keyframe("both")
    assert frame["turns"]["number"] == [1, 2, 3, 4]
    assert set(frame["sources"]) == {"worker-1", "worker-2"}
