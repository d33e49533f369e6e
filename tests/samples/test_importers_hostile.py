"""Files that mean harm, or are only broken: an error that names the place, within time and memory, and nothing else."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import BadInput, LingbotMapError, TooLarge, UnknownFormat
from lingbot_map.importers import LIMITS, Report, lines, read, sniff
from lingbot_map.importers.records import BadRecord, items, parse
from lingbot_probes.signals import Answered, SlotAssigned
from tests.growth import grows_within
from tests.samples.dialogflow import lines as agent_lines
from tests.samples.dialogflow import row as agent_row
from tests.samples.dialogflow import rows as agent_rows
from tests.samples.imports import FILES, opened
from tests.test_docs import FORMATS

GOOD = b'{"sender_id":"a","event":"bot","timestamp":1.0,"text":"good"}\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "nothing in it"),
        (b" \n\n \t", "nothing in it"),
        (b"hello\nworld\n", "no header"),
        (b"null\n1\n[]\n", "no JSON"),
        (b'{"a":1}', "no `event`"),
        (b"[" * 30_000, "item 1: the file ends in the middle"),
        (b"[1, 2, 3]", "item 1: not an object"),
        (b"[]", "no records"),
        (b'[{"event": "bot", "text": "' + b"x" * LIMITS.line + b'"}]', "item 1: longer than 1,048,576 bytes"),
        (b'{"a":' * 2000, "line 1: not JSON"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        ("[{}]".encode("utf-16"), "UTF-16"),
        (b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", "no JSON"),
        (b"\x80\x04\x95\x16\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.", "no JSON"),
        (b"{'single': 'quotes'}", "not JSON"),
        (b'{\n "schema": 1,\n "steps": []\n}', "a JSON object that holds no list of events"),
        (b'{"event": NaN}', "line 1: not JSON"),
        (b'{"event": 1e999}', "line 1: not JSON"),
        (b'{"type": "message"}', "no activity"),
        (b"SQLite format 3\x00" + bytes(100), "database"),
        (b'{"event":"bot","x":' + b"[" * 100 + b"]" * 100 + b"}", "nested deeper than 64"),
    ],
)
def test_what_is_no_recording_is_refused_with_each_formats_reason(content: bytes, said: str) -> None:
    with pytest.raises(UnknownFormat) as caught:
        opened(content, name="x.json")
    assert said in str(caught.value)
    assert str(caught.value).startswith("x.json: ")
    assert {name for names, _ in caught.value.refusals for name in names.split(", ")} == set(FORMATS)


BAD_LINES = {
    b'{"sender_id":"a","event":"bot","text":"cut': "not JSON",
    b'{"sender_id":"a","event":"bot","text":NaN}': "not JSON",
    b'{"sender_id":"a","event":"bot","text":"a\x01b"}': "not JSON",
    b'{"sender_id":"a","event":"bot","text":"\xff\xfe"}': "not JSON",
    b'{"sender_id":"a","event":"bot","text":"\xed\xa0\x80"}': "not JSON",
    b'{"sender_id":"a","event":"bot","text":' + b"[" * 70 + b"]" * 70 + b"}": "nested deeper than 64",
    b'{"sender_id":"a","event":"bot","text":' + b'{"a":' * 8000 + b"1" + b"}" * 8000 + b"}": "not JSON",
    b'{"sender_id":"a","event":"bot","text":"' + b"x" * LIMITS.line + b'"}': "longer than 1,048,576 bytes",
    b'{"sender_id":"a","event":["bot"]}': "event: expected text",
    b"// a comment": "not JSON",
    b"17": "expected an object",
}


@pytest.mark.parametrize(("bad", "reason"), BAD_LINES.items(), ids=[str(i) for i in range(len(BAD_LINES))])
def test_a_bad_line_costs_that_line_and_is_named(bad: bytes, reason: str) -> None:
    report = Report()
    (session,) = opened(GOOD + bad + b"\n" + GOOD.replace(b"1.0", b"2.0"), report, name="f")
    assert [answer.text for answer in session.of(Answered)] == ["good", "good"]
    (problem,) = report.problems
    assert problem.where == "f line 2"
    assert reason in problem.reason
    with pytest.raises(BadInput) as caught:
        opened(GOOD + bad + b"\n" + GOOD, name="f", strict=True)
    assert caught.value.where == "f line 2"


def test_a_file_without_one_readable_conversation_is_refused_by_its_first_problem() -> None:
    with pytest.raises(BadInput) as caught:
        opened(b'{"sender_id":"a","event":"slot"}\n{"sender_id":"b","event":"slot"}\n', name="f")
    assert "f line 1: slot.name" in str(caught.value)


def test_a_cut_document_gives_what_is_whole_in_it() -> None:
    for name, whole in (("tracker.json", 4), ("traces.transcript", 4), ("wrapped.transcript", 1)):
        content = (FILES / name).read_bytes()
        records = [place for place in range(len(content)) if content[place : place + 2] in (b"},", b"}]")]
        for cut in range(records[-1] - 200, records[-1], 7):
            report = Report()
            try:
                sessions = opened(content[:cut], report, name=name)
            except LingbotMapError:
                assert name == "wrapped.transcript"
                continue
            assert sum(len(s.items) for s in sessions) >= whole
            assert any("the file ends" in p.reason for p in report.problems)


def test_a_cut_gzip_gives_what_came_out_of_it() -> None:
    content = b"".join(GOOD.replace(b"1.0", b"%d.5" % i) for i in range(20_000))
    report = Report()
    (session,) = opened(gzip.compress(content)[:-5000], report, name="f.gz")
    assert 1000 < len(session.of(Answered)) < 20_000
    assert report.problems[-1].reason.startswith("the gzip data ends") or "not JSON" in report.problems[-1].reason
    with pytest.raises(BadInput):
        opened(b"\x1f\x8b\x08\x00broken", name="f.gz")


def test_half_a_surrogate_pair_does_not_stop_anything() -> None:
    text = rb'{"event":"slot","name":"a","value":"\ud83d \ude00 \ud83d\ude00 \\ud83d \uD800","timestamp":1}'
    (session,) = opened(text)
    assert session.of(SlotAssigned)[0].value == "\ufffd \ufffd \U0001f600 \\ud83d \ufffd"


# --- limits ----------------------------------------------------------------------------------------------------------


def test_a_file_over_the_limit_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "big"
    with path.open("wb") as file:
        file.truncate(LIMITS.file + 1)
    with pytest.raises(TooLarge) as caught:
        sniff(path)
    assert "split it" in str(caught.value)


def test_a_gzip_bomb_is_stopped_at_the_limit(tmp_path: Path) -> None:
    packed = gzip.compress(bytes(64 << 20), 1)
    path = tmp_path / "bomb.gz"
    path.write_bytes(packed * 5)  # 320 MiB, member by member
    with pytest.raises(TooLarge):
        sniff(path)


@pytest.mark.parametrize(("limit", "what"), [("events", "events"), ("sessions", "conversations")])
def test_too_many_of_a_kind_are_refused(monkeypatch: pytest.MonkeyPatch, limit: str, what: str) -> None:
    monkeypatch.setattr(lines, "LIMITS", replace(LIMITS, **{limit: 10}))
    content = b"".join(GOOD.replace(b'"a"', b'"s%d"' % i) for i in range(11))
    opened(b"\n".join(content.split(b"\n")[:10]))
    with pytest.raises(TooLarge) as caught:
        opened(content)
    assert what in str(caught.value)
    assert "split it" in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "missing", tmp_path / "pipe", tmp_path / "nul\x00"):
        with pytest.raises(BadInput):
            sniff(path)


# --- time and memory -------------------------------------------------------------------------------------------------


def rasa(kinds: Callable[[int], dict[str, Any]]) -> Callable[[int], bytes]:
    return lambda count: json.dumps([{"sender_id": "a", "timestamp": i, **kinds(i)} for i in range(count)]).encode()


def transcript(kinds: Callable[[int], dict[str, Any]]) -> Callable[[int], bytes]:
    return lambda count: json.dumps(
        [{"conversation": {"id": "c"}, "id": str(i), "timestamp": i, **kinds(i)} for i in range(count)]
    ).encode()


def luis(i: int) -> dict[str, Any]:
    return {
        "type": "trace",
        "value": {"recognizerResult": {"text": "", "intents": {f"i{i}": {"score": 0.1 + i % 2 / 2}}}},
    }


def state(i: int) -> dict[str, Any]:
    kind = "x/diff" if i % 2 else "x"
    return {"type": "trace", "valueType": kind, "value": {"userState": {f"k{i}": 1} if i % 2 else {}, "turn": {}}}


GROWING: dict[str, Callable[[int], bytes]] = {
    "lines": lambda count: b"".join(GOOD.replace(b"1.0", b"%d.0" % i) for i in range(count)),
    "senders": lambda count: b"".join(GOOD.replace(b'"a"', b'"s%d"' % i) for i in range(count)),
    "slots": rasa(lambda i: {"event": ("slot", "reset_slots")[i % 5 == 4], "name": f"s{i}", "value": 1}),
    "rewinds": rasa(lambda i: {"event": ("user", "rewind")[i % 7 == 6], "text": "x"}),
    "undos": rasa(lambda i: {"event": ("slot", "undo")[i % 3 == 2], "name": "x", "value": i}),
    "sessions": rasa(lambda i: {"event": ("user", "session_started")[i % 2], "text": "x"}),
    "flows": rasa(lambda i: {"event": ("flow_started", "flow_completed")[i % 3 == 2], "flow_id": f"f{i // 2}"}),
    "stacks": rasa(
        lambda i: {"event": "stack", "update": json.dumps([{"op": "add", "path": "/-", "value": {"flow_id": f"f{i}"}}])}
    ),
    "state deltas": lambda count: agent_lines(
        [
            {"type": "STATE_DELTA", "delta": [{"op": "add", "path": f"/k{i}", "value": i}]}
            if i
            else {"type": "RUN_STARTED", "input": {"state": {"text": "x" * 20_000}}}
            for i in range(count)
        ]
    ),
    "pieces of a message": lambda count: agent_lines(
        [{"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "word "} for _ in range(count)]
    ),
    "answers": transcript(lambda i: {"type": "message", "from": {"role": "bot"}, "text": "x"}),
    "recognisers": transcript(luis),
    "states": transcript(state),
    "deletes": transcript(
        lambda i: {"type": ("message", "messageDelete")[i % 2], "from": {"role": "user"}, "text": "x"}
    ),
    "results": transcript(
        lambda i: (
            {"type": "trace", "value": {"queryResults": [{"id": i, "answer": f"a{i}"}], "top": 1}}
            if i
            else {"type": "message", "from": {"role": "user"}}
        )
    ),
    "agent turns": lambda count: agent_lines(agent_rows("s", count)),
    "agent parameters": lambda count: agent_lines(
        [agent_row("s", i, parameters={f"p{j}": j for j in (i, i + 1)}) for i in range(count)]
    ),
    "agent conversations": lambda count: agent_lines([agent_row(f"s{i}", 1) for i in range(count)]),
    "agent history": lambda count: json.dumps(
        {"interactions": [{"createTime": i, "response": {"queryResult": {"text": "x"}}} for i in range(count)]}
    ).encode(),
    "agent passages": lambda count: agent_lines(
        [agent_row("s", 1, dataStoreConnectionSignals={"searchSnippets": [{"text": f"{i}"} for i in range(count)]})]
    ),
    "chat": lambda count: b"user=a\nbot=b\n" + b"a: x\ngoes on\nb: y\n" * count,
    "brackets": lambda count: b'[{"event":"bot","a":[' + b"{}," * count + b"{}]}]",
    "scalars": lambda count: b'[{"event":"bot"}' + b",1" * count + b"]",
    "open quote": lambda count: b'[{"event":"bot"},{"a":"' + b"x" * 40 * count,
    "escapes": lambda count: b'[{"event":"bot"},{"a":"' + b'\\"' * 20 * count + b'"}]',
}


@pytest.mark.parametrize("name", GROWING)
def test_time_is_linear(name: str) -> None:
    make = GROWING[name]
    part, whole = make(1500), make(6000)
    # Four times as much: 16 times as long if it were quadratic.
    assert grows_within(4 * 2.0, lambda: opened(part), lambda: opened(whole))


MEMORY = """
import re, sys
from pathlib import Path
from lingbot_map.errors import LingbotMapError
from lingbot_map.importers import read
make = {
    "objects": lambda: b'[{"event":"bot","timestamp":1},' + b"{}," * 500_000 + b"{}]",
    "one line": lambda: b'{"event":"bot","a":[' + b"{}," * 4_000_000 + b"{}]}",
    "keys": lambda: b'{"event":"bot","a":{' + b",".join(b'"%d":0' % i for i in range(800_000)) + b"}}",
    "events": lambda: b"".join(b'{"event":"slot","name":"a","timestamp":%d}\\n' % i for i in range(100_000)),
}
content = make[sys.argv[1]]()
try:
    for session in read(content):
        for item in session.items:
            pass
except LingbotMapError as why:
    print(why)
# Not ru_maxrss: that begins with what the process that started this one held.
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.parametrize("name", ["objects", "one line", "keys", "events"])
def test_memory_stays_within_bounds(name: str) -> None:
    command = [sys.executable, "-c", MEMORY, name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) < 300


# --- damage ----------------------------------------------------------------------------------------------------------


def damaged(content: bytes, rng: random.Random) -> bytes:
    """A copy with one to eight things wrong with it."""
    out = bytearray(content)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(out) or 1)
        what = rng.randrange(4)
        if what == 0 and out:
            out[at] = rng.randrange(256)
        elif what == 1:
            del out[at : at + rng.randint(1, 20)]
        elif what == 2:
            out[at:at] = rng.choice([b"\x00", b"\xff", b'"', b"\\", b"[", b"{", b"9" * 30, b"1e400", b"\n", b"null"])
        else:
            out[at:at] = out[at : at + rng.randint(1, 200)]
    return bytes(out)


@pytest.mark.parametrize("name", sorted(path.name for path in FILES.iterdir()))
def test_damage_never_makes_anything_but_an_error_of_ours(name: str) -> None:
    content = (FILES / name).read_bytes()
    rng = random.Random(name)
    taken = 0
    for _ in range(150):
        report = Report()
        try:
            for session in read(damaged(content, rng), report=report):
                numbers = [item.n for item in session.items]
                assert numbers == sorted(set(numbers))
                assert session.lost is not None
                taken += 1
        except LingbotMapError:
            pass
    assert taken > 20


def test_a_list_is_split_as_it_would_be_parsed() -> None:
    rng = random.Random(5)
    for _ in range(300):
        values: list[dict[str, Any]] = [
            {"k": rng.choice(['a"b', "[{", "\\", "x, y", {"d": ["]"]}, [], None, 1.5])}
            for _ in range(rng.randint(0, 5))
        ]
        text = json.dumps(values, indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5).encode()
        assert [parse(text[item.start : item.end]) for item in items(text, 0)] == values
        assert not [item for item in items(text, 0) if item.bad]


def test_depth_is_counted_exactly() -> None:
    parse(b"[" * 64 + b"]" * 64)
    parse(b'{"a":"' + b"[" * 100 + b'"}')
    parse(b"[" + b"[]," * 100 + b"[]]")
    with pytest.raises(BadRecord):
        parse(b"[" * 65 + b"]" * 65)


@pytest.mark.parametrize(
    "head",
    [
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"aa","spanId":"bb"}]}]}],"y":"',
        b'{"sender_id":"s","events":[{"event":"user","text":"hi"}],"x":NaN,"y":"',
    ],
)
def test_a_quote_that_never_closes_is_gone_through_once(head: bytes) -> None:
    def seconds(quotes: int) -> float:
        began = time.process_time()
        with contextlib.suppress(BadInput):
            opened(head + b'\\"' * quotes)
        return time.process_time() - began

    assert seconds(400_000) < 2, "a search that begins anew at each quote took 12 s for 50,000"


def test_what_is_no_json_in_a_tracker_costs_its_event_and_nothing_is_said_of_the_rest() -> None:
    events = [
        {"event": "user", "text": "hi", "parse_data": {"intent": {"name": "greet", "confidence": 0.5}}},
        {"event": "slot", "name": "a", "value": 0.25},
        {"event": "bot", "text": "hello"},
    ]
    tracker = json.dumps({"sender_id": "s", "slots": {"b": 0.125}, "events": events, "latest_event_time": 0.75})
    for number, place in (("0.5", "event 1"), ("0.25", "event 2"), ("0.125", ""), ("0.75", "")):
        for content in (tracker, json.dumps({"version": 1, "tracker": json.loads(tracker)})):
            report = Report()
            (one,) = opened(content.replace(number, "NaN").encode(), report, name="x.json")
            assert one.session.session_id == "s", number
            assert [problem.where for problem in report.problems] == [f"x.json {place}"] * bool(place), number
    report = Report()
    opened(tracker.replace("0.25", "NaN").encode() + b"}", report, name="x.json")
    assert "something follows after the end of the object" in report.problems[-1].reason
    report = Report()
    opened(tracker.replace("0.25", "NaN").encode()[:-10], report, name="x.json")
    assert "the file ends in the middle of an object" in report.problems[-1].reason
