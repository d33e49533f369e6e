"""A session of the running map as a file: what comes, as what, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from lingbot_map.store import key_of
from tests.live.server import Client, running
from tests.torture.export_xss import Markup

CALL = key_of("call")


@pytest.fixture(scope="module")
def map() -> Iterator[Client]:
    with running() as (_, client):
        events = [
            {
                "session": "call",
                "n": 1,
                "turn": "t1",
                "signal": {"kind": "turn_started", "turn": "t1", "utterance": "<b>"},
            },
            {
                "session": "call",
                "n": 2,
                "turn": "t1",
                "signal": {"kind": "slot_assigned", "slot": "phone", "value": "138"},
            },
        ]
        client.send(events)
        yield client


def test_a_page_holds_what_the_map_has_now_and_the_place_without_its_token(map: Client) -> None:
    place = "s=abc%26at=3%26t=hush-3f9a%26theme=dark"
    status, body, headers = map.ask("GET", f"/api/sessions/{CALL}/export?to=html&place={place}")
    assert status == 200
    assert headers["content-disposition"] == 'attachment; filename="session.html"'
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["cache-control"] == "no-store"
    about, keyframe, events = (json.loads(block) for block in Markup(body.decode()).blocks())
    assert about["place"] == "s=abc&at=3&theme=dark"
    assert b"hush-3f9a" not in body
    assert map.token.encode() not in body
    assert about["summary"]["live"] is False
    assert keyframe["cursor"]["seq"] == events[-1]["seq"] == len(events)


def test_events_can_be_left_out(map: Client) -> None:
    _, body, _ = map.ask("GET", f"/api/sessions/{CALL}/export?to=html&events=0")
    assert len(Markup(body.decode()).blocks()) == 2


def test_a_recording_is_given_line_by_line(map: Client) -> None:
    status, body, headers = map.ask("GET", f"/api/sessions/{CALL}/export?to=jsonl")
    assert status == 200
    assert headers["content-disposition"] == 'attachment; filename="session.jsonl"'
    first, *rest = body.decode().splitlines()
    assert json.loads(first)["session"] == "call"
    assert json.loads(rest[-1])["signal"]["value"] == "138"


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("to=exe", 400, "jsonl or html"),
        ("to=html&events=2", 400, "0 or 1"),
        ("to=html&place=" + "x" * 4097, 400, "at most 4,096 characters"),
    ],
)
def test_what_is_not_offered_is_refused(map: Client, query: str, status: int, said: str) -> None:
    got, body, _ = map.ask("GET", f"/api/sessions/{CALL}/export?{query}")
    assert got == status
    assert said in body["error"]


def test_nobody_gets_a_file_without_the_token_or_of_what_is_not_there(map: Client) -> None:
    assert map.ask("GET", f"/api/sessions/{CALL}/export", headers={"Authorization": "Bearer x"})[0] == 401
    assert map.ask("GET", f"/api/sessions/{key_of('other')}/export")[0] == 404
    assert map.ask("GET", "/api/sessions/..%2f/export")[0] == 404


@pytest.mark.parametrize(
    ("to", "ends", "type_", "begins"),
    [
        ("csv", "csv", "text/csv; charset=utf-8", "\ufeffturn,"),
        ("slots", "csv", "text/csv; charset=utf-8", "\ufeffseq,"),
        ("mermaid", "mmd", "text/plain; charset=utf-8", "sequenceDiagram\n"),
        ("plantuml", "puml", "text/plain; charset=utf-8", "@startuml\n"),
        ("otlp", "json", "application/json", "{'resourceSpans': "),
        ("graph", "json", "application/json", "{'directed': True"),
        ("graphml", "graphml", "application/xml", "<graphml "),
    ],
)
def test_each_format_of_the_command_line_is_given(map: Client, to: str, ends: str, type_: str, begins: str) -> None:
    status, body, headers = map.ask("GET", f"/api/sessions/{CALL}/export?to={to}")
    assert status == 200
    assert headers["content-type"] == type_
    assert headers["content-disposition"] == f'attachment; filename="session.{ends}"'
    assert headers["cache-control"] == "no-store"
    told = body.decode() if isinstance(body, bytes) else str(body)
    assert told.startswith(begins)
    assert "138" in told


def test_a_diagram_speaks_the_wished_language_of_the_wished_turns_at_the_wished_moment(map: Client) -> None:
    wish = f"/api/sessions/{CALL}/export?to=mermaid&lang=zh&turns=1-1"
    assert "写入 phone = 138" in map.ask("GET", wish)[1].decode()
    early = map.ask("GET", f"{wish}&at=4")[1].decode()
    assert "第 1 轮" in early
    assert "138" not in early


@pytest.mark.parametrize("query", ["at=x", "at=999999", "at=-1", "turns=3-x", "turns=7-9", "turns=2-1", "lang=de"])
def test_a_wish_that_can_not_be_met_is_refused_by_the_name_of_its_parameter(map: Client, query: str) -> None:
    status, body, _ = map.ask("GET", f"/api/sessions/{CALL}/export?to=plantuml&{query}")
    assert status == 400
    told = json.dumps(body)
    assert query.partition("=")[0] in told
    assert "--" not in told
