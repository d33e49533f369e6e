"""The demo's REST channel: a person speaks there, in a dialogue of their own or one that they take over."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from lingbot_map.demo import bot
from lingbot_map.demo.channel import MAX_BODY, PATH
from lingbot_map.demo.desk import Desk
from lingbot_map.demo.probing import probe
from lingbot_map.testing import record


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk("zh")
    desk.listen()
    yield desk
    desk.close()


def post(desk: Desk, body: bytes, path: str = PATH, **fields: str) -> tuple[int, Any]:
    """(status, answer)"""
    connection = http.client.HTTPConnection(desk.reply_url.split("/")[2], timeout=10)
    named = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in fields.items()}
    connection.request("POST", path, body, named)
    answer = connection.getresponse()
    said = json.loads(answer.read())
    connection.close()
    return answer.status, said


def say(desk: Desk, sender: str, message: str) -> str:
    """What the assistant answers."""
    status, said = post(desk, json.dumps({"sender": sender, "message": message}).encode())
    assert status == 200, said
    assert [set(item) for item in said] == [{"recipient_id", "text"}]
    assert said[0]["recipient_id"] == sender
    return str(said[0]["text"])


def test_somebody_who_comes_unannounced_gets_a_dialogue(desk: Desk) -> None:
    with record(probe) as recording:
        assert "手机号" in say(desk, "walk-in", "我想换个套餐")
        say(desk, "walk-in", "13800006621")
        probe.flush(10)
    map = recording.map("walk-in")
    said = [map.nodes[f"utterance:{turn}"].label for turn in (1, 2)]
    assert said == ["我想换个套餐", map.nodes["slot:phone"].props["value"]]
    assert said[1].startswith("[phone:"), "the demo's probe masks like any other"
    assert map.about["meta"]["reply_url"] == desk.reply_url


def test_the_scripted_customer_leaves_who_a_person_speaks_to(desk: Desk) -> None:
    waits = 0

    def stop(_seconds: float) -> bool:
        nonlocal waits
        waits += 1
        if waits == 3:
            say(desk, "demo-taken-1", "你好")
        probe.flush(10)
        return waits == 5

    with record(probe) as recording:
        bot.run_demo(lang="zh", pace=0, run="taken", stop=stop, desk=desk)
        say(desk, "demo-taken-1", "转人工")
        probe.flush(10)
    first, second = recording.map("demo-taken-1"), recording.map("demo-taken-2")
    said = [first.nodes[f"utterance:{turn}"].label for turn in sorted(first.turns)]
    assert said[3:] == ["你好", "转人工"]
    assert first.about.get("ended_at") is None
    assert first.about["meta"]["reply_url"] == desk.reply_url
    assert first.about["meta"]["channel"] == "demo"
    assert len(second.turns) == 2


@pytest.mark.parametrize(
    ("body", "fields", "status"),
    [
        (b'{"sender": "a", "message": "b"}', {"Content_Type": "text/plain"}, 403),
        (b'{"sender": "a", "message": "b"}', {"Host": "evil.example"}, 403),
        (b"{", {}, 400),
        (b"[]", {}, 400),
        (b'{"sender": "a"}', {}, 400),
        (b'{"sender": "", "message": "b"}', {}, 400),
        (b'{"sender": "a", "message": 3}', {}, 400),
        (b'{"sender": "a", "message": "\\ud800"}', {}, 400),
        (b'{"sender": "a", "message": "' + b"x" * 5000 + b'"}', {}, 400),
        (b"\xff", {}, 400),
    ],
)
def test_what_is_no_message_is_refused(desk: Desk, body: bytes, fields: dict[str, str], status: int) -> None:
    found, said = post(desk, body, **fields)
    assert (found, set(said)) == (status, {"error"})


def test_a_body_over_the_bound_is_not_read(desk: Desk) -> None:
    assert post(desk, b"", Content_Length=str(MAX_BODY + 1))[0] == 413
    assert post(desk, b"{}", path="/elsewhere")[0] == 404
