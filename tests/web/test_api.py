"""The HTTP API: what it gives, what it takes, and how it says no."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from lingbot_map.store import key_of
from lingbot_web.beacon import Beacon
from lingbot_web.remote import MapRefused, Remote
from tests.live.server import Client, running

SESSION = "退款 call/1"


@pytest.fixture
def map() -> Iterator[Client]:
    with running() as (_, client):
        yield client


def signal(n: int, kind: str, session: str = SESSION, **fields: Any) -> dict[str, Any]:
    return {"session": session, "n": n, "signal": {"kind": kind, **fields}}


def path(rest: str = "", session: str = SESSION) -> str:
    return f"/api/sessions/{key_of(session)}{rest}"


def test_a_session_is_listed_found_and_described(map: Client) -> None:
    map.send([signal(1, "session_started", title="换套餐"), signal(2, "turn_started", turn="a", utterance="我想退款")])
    summary = map.get(path())
    assert (summary["id"], summary["title"], summary["turns"], summary["events"]) == (SESSION, "换套餐", 1, 5)
    assert summary["last_utterance"] == "我想退款"
    assert summary["live"] is True
    assert map.get("/api/sessions")["sessions"] == [summary]
    assert map.get("/api/sessions?q=%E9%80%80%E6%AC%BE")["total"] == 1
    assert map.get("/api/sessions?q=nowhere") == {"sessions": [], "total": 0, "next": None}


def test_the_list_comes_in_pages_without_repeats(map: Client) -> None:
    for i in range(5):
        map.say("hello", session=f"s{i}")
    seen: list[str] = []
    query = "/api/sessions?limit=2"
    while True:
        page = map.get(query)
        assert page["total"] == 5
        seen += [summary["id"] for summary in page["sessions"]]
        if page["next"] is None:
            break
        query = f"/api/sessions?limit=2&before={page['next']}"
    assert sorted(seen) == [f"s{i}" for i in range(5)]


def test_pinned_sessions_are_asked_for_apart(map: Client) -> None:
    map.say("hello", session=SESSION)
    map.say("hello", session="other")
    assert map.get("/api/sessions?apart=pinned")["total"] == 0
    map.post(path(), {"pinned": True})
    assert [summary["id"] for summary in map.get("/api/sessions?apart=pinned")["sessions"]] == [SESSION]
    assert map.get("/api/sessions?apart=case")["total"] == 0
    assert map.ask("GET", "/api/sessions?apart=yes")[0] == 400


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("/api/sessions?before=garbage", "before"),
        ("/api/sessions?before=1.0:" + "x" * 32, "before"),
        ("/api/sessions?before=" + "1" * 5000 + ":" + "a" * 32, "before"),
        ("/api/sessions?limit=0", "limit"),
        ("/api/sessions?limit=", "limit"),
        ("/api/sessions?limit=201", "limit"),
        ("/api/sessions?limit=1.5", "limit"),
        ("/api/sessions?q=" + "a%20" * 300, "q"),
        (path("/events?from=0"), "from"),
        (path("/events?from=x"), "from"),
        (path("/events?to=-1"), "to"),
        (path("/events?from=3&to=2"), "to"),
        (path("/keyframe?at=now"), "at"),
        (path("/keyframe?at="), "at"),
        (path("/deltas/first"), "block"),
    ],
)
def test_a_parameter_that_says_nothing_is_named(map: Client, query: str, name: str) -> None:
    map.say("hello", session=SESSION)
    status, said, _ = map.ask("GET", query)
    assert (status, said["error"].partition(":")[0]) == (400, name)


def test_a_long_search_is_a_search(map: Client) -> None:
    map.say("hello", session=SESSION)
    assert map.get("/api/sessions?before=&q=" + "e%20" * 250)["total"] == 1


def test_any_moment_comes_back_as_it_was(map: Client) -> None:
    map.say("first", session=SESSION)
    then = map.keyframe(SESSION)
    map.say("second", session=SESSION)
    assert map.get(path(f"/keyframe?at={then['cursor']['seq']}")) == then
    assert map.keyframe(SESSION) != then
    assert map.ask("GET", path("/keyframe?at=99"))[0] == 404
    assert map.ask("GET", path("/keyframe?at=-1"))[0] == 400


def test_raw_events_are_given_by_range(map: Client) -> None:
    map.say("first", "second", "third", session=SESSION)
    events = map.get(path("/events?from=4&to=5"))["events"]
    assert [event["seq"] for event in events] == [4, 5]
    assert events[0]["signal"] == {"kind": "turn_started", "turn": "s1-1", "utterance": "first"}
    assert map.get(path("/events?from=7"))["events"] == []
    assert len(map.get(path("/events"))["events"]) == 6


def test_blocks_of_history_hold_all_deltas_and_complete_ones_are_for_ever(map: Client) -> None:
    map.say(*(f"turn {i}" for i in range(600)), session=SESSION)
    epoch = map.keyframe(SESSION)["cursor"]["epoch"]
    status, first, headers = map.ask("GET", path(f"/deltas/0?epoch={epoch}"))
    assert status == 200
    assert "immutable" in headers["cache-control"]
    status, second, headers = map.ask("GET", path(f"/deltas/1?epoch={epoch}"))
    assert headers["cache-control"] == "no-store", "it still grows"
    seqs = [delta["seq"] for delta in first + second if delta["d"] == "applied"]
    assert seqs == list(range(1, 604))
    _, _, headers = map.ask("GET", path("/deltas/0?epoch=another"))
    assert headers["cache-control"] == "no-store", "numbers of another epoch name other events"
    assert map.ask("GET", path("/deltas/2"))[0] == 404


def test_a_name_and_a_pin_are_events_and_stay(map: Client) -> None:
    map.say("hello", session=SESSION)
    status, summary = map.post(path(), {"name": "投诉 <b>", "pinned": True})
    assert (status, summary["name"], summary["pinned"]) == (200, "投诉 <b>", True)
    last = map.get(path("/events"))["events"][-1]
    assert last["signal"] == {"kind": "described", "facts": {"name": "投诉 <b>", "pinned": True}}
    assert map.get(path())["name"] == "投诉 <b>"
    assert map.post(path(), {"name": " a b\u3000"})[1]["name"] == "a b"
    assert map.post(path(), {"name": " \t\u3000"})[1]["name"] == "", "blanks alone are no name"


@pytest.mark.parametrize(
    "body", [{}, {"name": 5}, {"pinned": "yes"}, {"name": "x" * 201}, {"title": "x"}, [], None, "x"]
)
def test_a_change_that_says_nothing_sensible_is_refused(map: Client, body: Any) -> None:
    map.say("hello", session=SESSION)
    status, said = map.post(path(), body)
    assert status == 400
    assert set(said) <= {"error", "remedy"}


def test_deleting_is_for_good(map: Client) -> None:
    map.say("hello", session=SESSION)
    assert map.ask("DELETE", path())[0] == 200
    assert map.ask("GET", path())[0] == 404
    assert map.ask("DELETE", path())[0] == 404
    assert map.get("/api/sessions")["total"] == 0


@pytest.mark.parametrize(
    "key",
    ["..", "..%2f..%2fetc%2fpasswd", "%00", "a%0d%0aSet-Cookie:%20x=y", "CON", "a" * 5000, "%ff%fe", "*", "<script>"],
)
@pytest.mark.parametrize("rest", ["", "/keyframe", "/events", "/deltas/0"])
def test_a_name_that_is_no_key_finds_nothing_and_is_not_repeated(map: Client, key: str, rest: str) -> None:
    status, said, headers = map.ask("GET", f"/api/sessions/{key}{rest}")
    assert status == 404
    assert "set-cookie" not in headers
    assert "script" not in str(said)


def test_a_recording_is_taken_in_once(map: Client) -> None:
    tracker = json.dumps(
        {
            "sender_id": "rasa-1",
            "events": [
                {"event": "action", "name": "action_session_start", "timestamp": 1700000000.0},
                {"event": "user", "text": "hi", "timestamp": 1700000001.0, "parse_data": {"intent": {"name": "greet"}}},
                {"event": "slot", "name": "city", "value": "北京", "timestamp": 1700000002.0},
                {"event": "bot", "text": "hello", "timestamp": 1700000003.0},
            ],
        }
    ).encode()
    kind = {"Content-Type": "application/octet-stream"}
    status, said, _ = map.ask("POST", "/api/import?name=tracker.json", tracker, kind)
    assert status == 200, said
    (session,) = said["sessions"]
    assert session["id"] == "rasa-1"
    assert session["new"] == session["events"] > 4
    summary = map.get(path(session="rasa-1"))
    assert (summary["origin"], summary["live"], summary["last_utterance"]) == ("import:rasa", False, "hi")
    frame = map.keyframe("rasa-1")
    assert frame["at"] == 1700000003.0, "the recorded time"
    status, again, _ = map.ask("POST", "/api/import?name=tracker.json", tracker, kind)
    assert again["sessions"][0]["new"] == 0, "the same file changes nothing"
    assert map.keyframe("rasa-1") == frame


def test_what_was_recorded_without_times_pretends_none(map: Client) -> None:
    chat = "user=Ann\nbot=Bot\nAnn: 你好\nBot: hi\nAnn: bye\n".encode()
    kind = {"Content-Type": "application/octet-stream"}
    status, said, _ = map.ask("POST", "/api/import?name=a.chat", chat, kind)
    assert status == 200, said
    key = said["sessions"][0]["key"]
    frame = map.get(f"/api/sessions/{key}/keyframe")
    assert frame["about"]["timed"] is False
    assert set(frame["turns"]["said_at"]) == {None}
    summary = map.get(f"/api/sessions/{key}")
    assert (summary["timed"], summary["started_at"], summary["live"]) == (False, None, False)
    assert map.ask("POST", "/api/import?name=a.chat", chat, kind)[1]["sessions"][0]["new"] == 0
    activity = {"type": "message", "conversation": {"id": "c"}, "from": {"role": "user"}, "text": "hi"}
    timed = [activity, {**activity, "timestamp": "2024-01-01T00:00:00Z"}]
    status, said, _ = map.ask("POST", "/api/import?name=t", json.dumps(timed).encode(), kind)
    summary = map.get(f"/api/sessions/{said['sessions'][0]['key']}")
    assert (summary["timed"], summary["started_at"]) == (True, 1704067200.0), "one time is enough"


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"{", b"[1,2", b"hello", b"[" * 100_000])
def test_a_file_that_is_no_recording_changes_nothing(map: Client, content: bytes) -> None:
    status, said, _ = map.ask(
        "POST", "/api/import?name=..%2f..%2fx", content, {"Content-Type": "application/octet-stream"}
    )
    assert 400 <= status < 500
    assert said["error"]
    assert map.get("/api/sessions")["total"] == 0


def test_what_to_do_is_said_once(map: Client) -> None:
    status, said, _ = map.ask("GET", "/api/sessions?before=x")
    assert status == 400
    assert said["remedy"]
    assert said["remedy"] not in said["error"]
    assert said["error"].endswith("found something else")
    with pytest.raises(MapRefused, match=re.escape(f"{said['error']}; {said['remedy']}")):
        Remote(Beacon(f"http://127.0.0.1:{map.port}/", map.token, "", 0)).get("api/sessions", before="x")


def test_the_books_of_a_source_balance(map: Client) -> None:
    map.send([signal(n, "slot_read", slot="x") for n in (1, 2, 3)], numbered={SESSION: 3})
    map.send([signal(n, "slot_read", slot="x") for n in (2, 3, 6)], numbered={SESSION: 6})  # 4 and 5 are lost
    map.send([signal(7, "slot_read", slot="x"), signal(8, "slot_assigned", slot=5)], numbered={SESSION: 8})
    map.send([signal(4, "slot_read", slot="x")], numbered={SESSION: 8})  # 4 arrives after all
    (source,) = map.get("/api/stats")["sources"]
    counts = {name: source[name] for name in ("produced", "accepted", "missing", "refused", "held", "repeated")}
    assert counts == {"produced": 8, "accepted": 6, "missing": 1, "refused": 1, "held": 0, "repeated": 2}
    assert map.get(path())["missing"] == 1
