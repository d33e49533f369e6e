"""Our own recordings come back: event by event, out of order, repeated, damaged, with holes."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.codec import dump
from lingbot_map.errors import BadInput, NewerFormat
from lingbot_map.events import Described, EpochStarted, Event, Gap, PolicySet
from lingbot_map.importers import Report, sniff
from lingbot_map.intake import stamp_of
from lingbot_map.mapper import Mapper
from lingbot_map.store.lines import event_line, header_line, seal
from lingbot_probes.signals import Answered, IntentRouted, SessionStarted, SlotAssigned, TurnStarted
from tests.samples.imports import mapped, opened

T0 = 1.7e9


def recorded() -> list[Event]:
    """A short session as its log holds it: the map's own events among those of one source."""
    own: list[Any] = [EpochStarted(epoch="e"), PolicySet(values={}), Described(facts={"origin": "probe"})]
    events = [Event(session="锦江 1", seq=i, at=T0, signal=signal) for i, signal in enumerate(own, 1)]
    said: list[Any] = [SessionStarted(title="t")]
    for turn in range(1, 5):
        said += [
            TurnStarted(turn=f"t{turn}", utterance=f"say {turn}"),
            IntentRouted(intent=f"i{turn}", confidence=0.5),
            SlotAssigned(slot="x", value={"n": turn}),
            Answered(text="ok"),
        ]
    turn = 0
    for n, signal in enumerate(said, 1):
        turn += type(signal) is TurnStarted
        opens = signal.turn if type(signal) is TurnStarted else ""
        seq, at = len(events) + 1, T0 + n
        events.append(Event(session="锦江 1", seq=seq, at=at, signal=signal, source="p", n=n, turn=turn, turn_id=opens))
    return events


def written(events: list[Event]) -> list[bytes]:
    """The lines of the log."""
    return [header_line("锦江 1"), *map(event_line, events)]


def test_a_recording_comes_back_event_by_event() -> None:
    content = b"".join(written(recorded()))
    assert sniff(content) == "recording"
    (session,) = opened(content)
    assert session.session.session_id == "锦江 1"
    assert session.session.events is not None
    assert list(session.session.events) == recorded()
    assert [item.signal for item in session.items] == [e.signal for e in recorded() if e.source]
    assert [item.n for item in session.items] == list(range(1, len(session.items) + 1))
    assert [stamp_of(item) for item in session.items] == [e.at for e in recorded() if e.source]
    assert [item.said_at for item in session.items] == [e.said_at for e in recorded() if e.source]


def test_its_map_is_the_map_it_was() -> None:
    mapper = Mapper(session="锦江 1")
    for event in recorded():
        mapper.apply(event)
    (session,) = opened(b"".join(written(recorded())))
    again = mapped("锦江 1", session.session.source, session.items).map
    assert {i: (n.label, n.turn, n.created_at) for i, n in again.nodes.items()} == {
        i: (n.label, n.turn, n.created_at) for i, n in mapper.map.nodes.items()
    }
    assert len(again.edges) == len(mapper.map.edges)
    verbatim = Mapper(session="锦江 1")
    for event in session.session.events or ():
        verbatim.apply(event)
    assert dump(verbatim.map) == dump(mapper.map)


def test_a_longer_recording_goes_on_where_the_shorter_one_ended() -> None:
    lines = written(recorded())
    (short,) = opened(b"".join(lines[:9]))
    (long,) = opened(b"".join(lines))
    assert long.session.source == short.session.source
    assert long.items[: len(short.items)] == short.items


def test_disorder_and_repeats_change_nothing() -> None:
    lines = written(recorded())
    (straight,) = opened(b"".join(lines))
    mixed = lines[1:] + lines[3:9]
    random.Random(1).shuffle(mixed)
    report = Report()
    (session,) = opened(b"".join([lines[0], *mixed]), report)
    assert session.items == straight.items
    assert (report.repeated, report.problem_count) == (6, 0)


def test_missing_lines_and_declared_gaps_are_holes() -> None:
    events = recorded()
    with_gap = [*events[:8], Event(session="s", seq=9, at=T0 + 9, signal=Gap(source="p", first=6, last=8))]
    lines = written(with_gap)
    del lines[6]  # seq 6, the third thing that was said
    (session,) = opened(b"".join([*lines, event_line(Event(session="s", seq=10, at=T0, signal=Answered(text="x")))]))
    assert [item.n for item in session.items] == [1, 2, 4, 5, 9]
    map = mapped("s", session.session.source, session.items).map
    assert [(loss.first, loss.last) for loss in map.losses.values()] == [(3, 3), (6, 8)]


def test_what_follows_a_hole_keeps_its_time() -> None:
    lines = written(recorded())
    del lines[6:8]
    (session,) = opened(b"".join(lines))
    map = mapped("s", session.session.source, session.items).map
    assert len(map.losses) == 1
    assert [turn.at for turn in map.turns.values()] == [e.at for e in recorded() if e.turn_id]
    assert map.at == recorded()[-1].at


def test_a_changed_line_is_a_problem_and_a_hole() -> None:
    lines = written(recorded())
    lines[6] = lines[6].replace(b"i1", b"iX")
    report = Report()
    (session,) = opened(b"".join(lines), report, name="a.jsonl")
    assert [str(p) for p in report.problems] == ["a.jsonl line 7: its checksum does not fit: the line was changed"]
    assert 3 not in [item.n for item in session.items]
    assert len(session.items) == 16


def test_one_seq_with_two_contents_keeps_the_first_and_says_so() -> None:
    lines = written(recorded())
    other = event_line(Event(session="s", seq=5, at=T0, signal=Answered(text="forged")))
    report = Report()
    (session,) = opened(b"".join([*lines, other]), report)
    assert [str(p).split(": ", 1)[1] for p in report.problems] == [
        "seq 5 again, with other content; the first one stays"
    ]
    assert "forged" not in [s.text for s in session.of(Answered)]


def test_lines_without_a_checksum_are_taken() -> None:
    content = (
        b'{"seq":1,"at":1.7e9,"signal":{"kind":"answered","text":"a"}}\n{"at":1.7e9,"seq":2,"signal":{"kind":"new"}}\n'
    )
    (session,) = opened(content)
    assert len(session.items) == 2
    assert session.session.session_id.startswith("recording ")


@pytest.mark.parametrize(
    "seq", ["0", "-1", "1.5", "true", '"1"', "null", "9007199254740993", "18446744073709551616", "1e9"]
)
def test_what_is_no_seq_is_refused(seq: str) -> None:
    with pytest.raises(BadInput) as caught:
        opened(b'{"seq": %s, "at": 1.0, "signal": {"kind": "answered", "text": "a"}}' % seq.encode(), name="x")
    assert "x line 1: " in str(caught.value)
    assert "seq" in str(caught.value)


def test_a_forged_hole_does_not_leave_the_range_of_numbers() -> None:
    line = b'{"seq":%d,"at":1.0,"signal":{"kind":"answered","text":"a"}}\n'
    (session,) = opened(line % 1 + line % (2**53 - 1))
    assert session.items[-1].n < 2**53


def test_a_newer_recording_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(seal(b'{"lingbot":"recording","version":99,"session":"s"}') + written(recorded())[5])
    with pytest.raises(NewerFormat):
        opened(path)
