"""What is asked across sessions, and that it is only ever derived."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import replace as replaced
from pathlib import Path
from random import Random

import msgspec
import pytest

from bench.dialogues import BEGIN, generate
from lingbot_map.errors import BadInput
from lingbot_map.events import Event
from lingbot_map.policy import Policy
from lingbot_map.session import Session
from lingbot_map.store import key_of
from lingbot_map.store.index import WINDOW_S, Index
from lingbot_map.store.index_said import HALF, folded
from lingbot_map.store.memory import MemoryStore
from lingbot_map.store.summary import Summary
from lingbot_probes.signals import Answered, Doc, Numbered, Retrieved, TurnStarted

NOW = BEGIN + 30 * 24 * 3600


def summary(session: str, **given: object) -> Summary:
    plain = Summary(
        key=key_of(session),
        id=session,
        title="",
        name="",
        pinned=False,
        live=False,
        origin="probe",
        started_at=None,
        updated_at=BEGIN,
        ended_at=None,
        turns=0,
        events=1,
        nodes=0,
        edges=0,
        findings={},
        coverage={},
        missing=0,
        last_utterance="",
    )
    return msgspec.structs.replace(plain, **given)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "index.sqlite3")


def prompted(seq: int, at: float, *docs: Doc, stage: str = "prompt") -> Event:
    return Event(session="s", seq=seq, at=at, signal=Retrieved(query="q", stage=stage, docs=docs))


def found(index: Index, q: str = "", finding: str = "") -> list[str]:
    return [summary.id for summary in index.search(q, finding=finding).sessions]


def test_what_was_put_in_comes_out(index: Index) -> None:
    one = summary("s1", title="改套餐", findings={"loop": 2}, coverage={"flow": "full"}, started_at=BEGIN)
    index.update([(one, [])], NOW)
    assert index.get(key_of("s1")) == one
    assert index.get(key_of("s2")) is None
    assert index.seq(key_of("s1")) == 1
    index.update([(msgspec.structs.replace(one, events=9, findings={}), [])], NOW)
    assert index.seq(key_of("s1")) == 9
    assert index.findings() == {}


@pytest.mark.parametrize(
    ("q", "ids"),
    [
        ("套餐", ["a"]),
        ("手机", ["b"]),
        ("PARCEL", ["c"]),
        ("straße", ["d"]),
        ("STRASSE", ["d"]),
        ("100%", ["c"]),
        ("_", []),
        ("%", ["c"]),
        ("parcel where", ["c"]),
        ("' OR 1=1 --", []),
        ("", ["d", "c", "b", "a"]),
        (key_of("b")[:12], ["b"]),
        (key_of("b")[:6], ["b"]),
        (key_of("b")[:4].upper(), ["b"]),
        (key_of("b")[:3], []),
    ],
)
def test_a_search_looks_at_title_name_id_and_the_last_thing_said(index: Index, q: str, ids: list[str]) -> None:
    rows = [
        summary("a", title="我想改一下套餐", updated_at=BEGIN + 1),
        summary("b", name="换手机号", updated_at=BEGIN + 2),
        summary("c", last_utterance="Where is my parcel? 100% lost", updated_at=BEGIN + 3),
        summary("d", title="Straße", updated_at=BEGIN + 4),
    ]
    index.update([(row, []) for row in rows], NOW)
    assert found(index, q) == ids


def spoken(*lines: tuple[str, str], first: int = 1) -> list[Event]:
    """The events of turns, each with what the user and the bot said."""
    signals = [part for user, bot in lines for part in (TurnStarted(turn=user, utterance=user), Answered(text=bot))]
    return [Event(session="s", seq=seq, at=BEGIN, signal=signal) for seq, signal in enumerate(signals, first)]


@pytest.mark.parametrize(
    ("q", "ids"),
    [
        ("流量", ["a"]),  # two characters, in the middle of what was said first
        ("量超出", ["a"]),
        ("超流", []),
        ("漫", ["b", "a"]),
        ("REFUND", ["c"]),
        ("Straße", ["c"]),
        ("strasse parcel", ["c"]),  # in two turns
        ("流量 套餐", ["a"]),  # said, and in the title
        ("流量 refund", []),
        ("怎么办您", []),  # the end of one and the beginning of the next
        ("%", []),
        ("' OR 1=1 --", []),
        ("好的", ["c", "b", "a"]),
    ],
)
def test_a_search_looks_at_all_that_was_said(index: Index, q: str, ids: list[str]) -> None:
    said = {
        "a": spoken(("我的流量超出了怎么办", "您在漫游吗"), ("在", "好的")),
        "b": spoken(("国际漫游", "好的")),
        "c": spoken(("I want a Refund", "Which parcel?"), ("die Straße", "好的")),
    }
    rows = [
        summary(name, title="改套餐", updated_at=BEGIN + i, events=len(events))
        for i, (name, events) in enumerate(said.items())
    ]
    index.update([(row, said[row.id]) for row in rows], NOW)
    page = index.search(q)
    assert [one.id for one in page.sessions] == ids
    assert page.total == len(ids)
    if ids:
        first = index.search(q, limit=1)
        assert first.total == len(ids), "pages of a search count all of it"
        assert [one.id for one in index.search(q, before=first.next).sessions] == ids[1:] if first.next else ids[:1]


def test_what_is_said_later_is_found_too_and_counts_once(index: Index) -> None:
    events = spoken(*((f"frage {i:02}", f"antwort {i:02}") for i in range(10)))
    for count in (4, 4, 20):
        index.update([(summary("s", events=count), events[:count])], NOW)
    assert all(found(index, f"frage {i:02}") == found(index, f"antwort {i:02}") == ["s"] for i in range(10))
    ((text,),) = index.file.db.execute("SELECT text FROM said").fetchall()
    assert text.count(b"frage 01") == 1


def test_of_a_long_session_the_beginning_and_the_end_are_searched(index: Index) -> None:
    events = spoken(*((f"第{i:04}句话", "好" * 5000 if i == 3 else f"回{i:04}答") for i in range(2000)))
    for start in range(0, len(events), 100):
        index.update([(summary("s", events=start + 100), events[start : start + 100])], NOW)
    assert found(index, "第0000句") == found(index, "回0004答") == found(index, "回1999答") == ["s"]
    assert found(index, "第1000句") == []
    ((size,),) = index.file.db.execute("SELECT length(text) FROM said").fetchall()
    assert size <= 2 * HALF


def test_pages_go_through_all_sessions_newest_first_once_each(index: Index) -> None:
    rows = [summary(f"s{i}", updated_at=BEGIN + i // 7) for i in range(100)]
    index.update([(row, []) for row in rows], NOW)
    seen, before = [], ""
    while True:
        page = index.search(before=before, limit=9)
        assert page.total == 100
        seen += page.sessions
        before = page.next
        if not before:
            break
    assert sorted(seen, key=lambda row: row.id) == sorted(rows, key=lambda row: row.id)
    assert [row.updated_at for row in seen] == sorted((row.updated_at for row in rows), reverse=True)


def test_what_lists_show_apart_is_found_however_old_it_is(index: Index) -> None:
    rows = [summary(f"s{i}", updated_at=BEGIN + i) for i in range(50)]
    pinned, case = summary("p", pinned=True, updated_at=BEGIN - 2), summary("c", origin="case", updated_at=BEGIN - 1)
    index.update([(row, []) for row in [*rows, pinned, case]], NOW)
    assert [row.id for row in index.search(apart="pinned").sessions] == ["p"]
    assert [row.id for row in index.search(apart="case").sessions] == ["c"]
    assert index.search("s1", apart="case").total == 0
    assert index.search(limit=1).total == 52
    index.update([(msgspec.structs.replace(pinned, pinned=False), [])], NOW)
    assert index.search(apart="pinned").total == 0


@pytest.mark.parametrize("before", ["x", ":", "1e999:", "nan:" + "a" * 32, "1.0", "1.0:a", "1.0:" + "A" * 32, "1:2:3"])
def test_a_cursor_that_is_none_is_named(index: Index, before: str) -> None:
    with pytest.raises(BadInput, match=r"^before: "):
        index.search(before=before)


def test_ten_thousand_sessions_are_searched_at_once(index: Index) -> None:
    rows = [summary(f"s{i}", title=f"会话 {i}", updated_at=BEGIN + i) for i in range(10_000)]
    index.update([(row, []) for row in rows], NOW)
    began = time.process_time()
    page = index.search("会话 99", limit=50)
    assert time.process_time() - began < 0.5
    assert (page.total, page.sessions[0].id) == (280, "s9999")


def test_what_ten_thousand_sessions_said_is_searched_within_a_tenth_of_a_second(index: Index) -> None:
    random = Random(1)
    letters = [chr(0x4E00 + i) for i in range(3000)]
    rows = [summary(f"s{i}", title=f"会话 {i}", updated_at=BEGIN + i) for i in range(10_000)]
    index.update([(row, []) for row in rows], NOW)
    for row in rows:
        index.hear(row.key, folded("".join(random.choices(letters, k=2 * HALF // 3))))
    index.hear(rows[77].key, folded("怎么退款，退到哪里"))
    for q in ("退款", "退款 哪里 怎么"):
        spent = []
        for _ in range(3):
            began = time.process_time()
            page = index.search(q)
            spent.append(time.process_time() - began)
        assert "s77" in [one.id for one in page.sessions]
        assert min(spent) < 0.1, spent


def test_findings_are_counted_and_asked_for_by_kind(index: Index) -> None:
    index.update([(summary("a", findings={"loop": 2}), []), (summary("b", findings={"loop": 1, "leak": 1}), [])], NOW)
    assert index.findings() == {"leak": 1, "loop": 3}
    assert found(index, finding="leak") == ["b"]


def test_hits_count_prompt_stages_of_seven_days_over_all_sessions(index: Index) -> None:
    day = 24 * 3600
    plan = Doc(id="plan-b")
    events = [
        prompted(1, NOW - 8 * day, plan),
        prompted(2, NOW - 6 * day, plan, Doc(id="other")),
        prompted(3, NOW - day, plan, stage="vector"),
        prompted(4, NOW - day, replaced(plan, dropped_because="too long")),
        prompted(5, NOW - 60, plan),
    ]
    index.update([(summary("a", events=5), events)], NOW)
    index.update([(summary("b", events=5), events)], NOW)
    assert index.hits("plan-b", NOW) == 4
    assert index.hits("other", NOW) == 2
    assert index.hits("plan-b", NOW + 7 * day + 3600) == 0
    assert index.hits("nobody's", NOW) == 0
    index.remove(key_of("a"))
    assert index.hits("plan-b", NOW) == 2


def test_an_event_counts_once_however_often_it_is_told(index: Index) -> None:
    events = [prompted(seq, NOW - 60, Doc(id="d")) for seq in (1, 2, 3)]
    index.update([(summary("a", events=2), events[:2])], NOW)
    index.update([(summary("a", events=3), events)], NOW)
    assert index.hits("d", NOW) == 3


def test_hits_that_no_window_reaches_are_dropped(index: Index) -> None:
    index.update([(summary("a"), [prompted(1, NOW, Doc(id="d"))])], NOW)
    index.forget_old_hits(NOW + WINDOW_S)
    assert index.hits("d", NOW) == 1
    index.forget_old_hits(NOW + 3 * WINDOW_S)
    assert index.hits("d", NOW) == 0


@pytest.mark.parametrize("harm", ["missing", "old", "cut", "garbage", "no tables"])
def test_an_index_that_is_no_good_is_begun_anew_and_fed_from_the_recordings(tmp_path: Path, harm: str) -> None:
    store = MemoryStore()
    path = tmp_path / "index.sqlite3"
    session = Session.create(store, "bench", policy=Policy(), facts={"origin": "probe"}, now=BEGIN)
    session.apply(session.intake.take("b", list(generate(30)), BEGIN, recorded=True).events)
    index = Index(path)
    index.update([(session.summary(), session.events(1, 10_000))], BEGIN)
    wanted = [index.hits(f"doc-{i}", BEGIN + 3600) for i in range(400)]
    assert any(wanted)
    early = next(one.signal.utterance for one in session.events(1, 100) if type(one.signal) is TurnStarted)
    assert found(index, early) == ["bench"]
    index.close()
    match harm:
        case "missing":
            path.unlink()
        case "old":
            with sqlite3.connect(path) as db:
                db.execute("PRAGMA user_version = 999")
            db.close()
        case "cut":
            path.write_bytes(path.read_bytes()[:5000])
        case "garbage":
            path.write_bytes(b"not a database" * 1000)
        case "no tables":
            path.unlink()
            path.with_name(path.name + "-wal").unlink(missing_ok=True)
            sqlite3.connect(path).close()
    again = Index(path)
    assert again.file.fresh
    assert again.reconcile(store.keys()) == [session.key]
    again.add(store.open(session.key), session.summary(), BEGIN)
    assert again.reconcile(store.keys()) == []
    assert again.get(session.key) == session.summary()
    assert found(again, early) == ["bench"]
    assert [again.hits(f"doc-{i}", BEGIN + 3600) for i in range(400)] == wanted
    again.close()


def test_what_may_be_ahead_of_its_log_is_counted_anew_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite3"
    index = Index(path)
    rows: list[tuple[Summary, list[Event]]] = [
        (summary(name, findings={"loop": 1}), []) for name in ("ahead", "caught up", "safe")
    ]
    index.update(rows, NOW, {key_of("ahead"), key_of("caught up")})
    index.update(rows[1:], NOW)
    index.close()
    index = Index(path)
    assert found(index) == found(index, finding="loop") != []
    assert sorted(found(index)) == ["caught up", "safe"]
    assert index.reconcile([key_of("ahead"), key_of("safe")]) == [key_of("ahead")]


def test_sessions_that_are_gone_are_forgotten(index: Index) -> None:
    index.update([(summary("a"), []), (summary("b"), [])], NOW)
    assert index.reconcile([key_of("b"), key_of("c")]) == [key_of("c")]
    assert found(index) == ["b"]


def test_an_index_without_a_path_lives_in_memory() -> None:
    index = Index(None)
    index.update([(summary("a"), [])], NOW)
    assert found(index) == ["a"]


def test_sessions_without_an_end_are_named(index: Index) -> None:
    rows = [summary("a", live=True), summary("b", live=True, ended_at=BEGIN), summary("c")]
    index.update([(row, []) for row in rows], NOW)
    assert index.unended() == [(key_of("a"), BEGIN)]


def test_a_summary_says_what_a_list_shows() -> None:
    session = Session.create(MemoryStore(), "bench", policy=Policy(), facts={"origin": "import:rasa"}, now=BEGIN)
    items = [*generate(5), Numbered(session="bench", n=99, signal=Retrieved(query="", stage="prompt"))]
    session.apply(session.intake.take("b", items, BEGIN, numbered=99, recorded=True).events)
    said = session.summary()
    assert (said.id, said.key, said.title) == ("bench", key_of("bench"), "基准对话 / bench")
    assert (said.turns, said.live, said.origin) == (5, False, "import:rasa")
    assert said.last_utterance.endswith("(5)")
    assert said.missing == 99 - len(items)
    assert said.findings["gap"] == 1
    assert (said.nodes, said.edges) == (len(session.map.nodes), len(session.map.edges))
