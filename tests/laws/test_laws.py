"""The laws of the map, over whole random dialogues. Each is a promise that some user leans on."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lingbot_map import codec
from lingbot_map.events import Event, event_from_dict, event_to_dict
from lingbot_map.graph import DialogueMap
from lingbot_map.mapper import Mapper, replay
from tests.builders import Dialogue
from tests.laws.streams import steps

_settings = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def live(what: list[Any]) -> Dialogue:
    """A session in which all that happened."""
    dialogue = Dialogue()
    numbers = {"bot": 0, "worker": 0}
    for kind, source, value, after in what:
        if kind == "say":
            numbers[source] += 1
            dialogue.arrive([dialogue.number(value, numbers[source])], source=source, after=after)
        elif kind == "skip":
            numbers[source] += value
        elif kind == "wait":
            dialogue.wait(after)
        else:
            dialogue.own(value)
    dialogue.wait(2.0)
    return dialogue


@_settings
@given(steps)
def test_folding_the_deltas_gives_the_mappers_map(what: list[Any]) -> None:
    dialogue = live(what)
    folded = DialogueMap("s")
    for delta in codec.decode_deltas(codec.encode_deltas(dialogue.deltas)):
        folded.apply(delta)
    assert codec.dump(folded) == codec.dump(dialogue.map)


@_settings
@given(steps)
def test_the_same_events_give_the_same_deltas_to_the_last_character(what: list[Any]) -> None:
    dialogue = live(what)
    again = Mapper(session="s")
    deltas = [delta for event in dialogue.events for delta in again.apply(event)]
    assert codec.encode_deltas(deltas) == codec.encode_deltas(dialogue.deltas)


@_settings
@given(steps, st.randoms(use_true_random=False))
def test_an_event_seen_twice_changes_nothing(what: list[Any], random: Any) -> None:
    dialogue = live(what)
    before = codec.dump(dialogue.map)
    for event in random.sample(dialogue.events, len(dialogue.events)):
        assert dialogue.mapper.apply(event) == []
    assert codec.dump(dialogue.map) == before


@_settings
@given(steps, st.data())
def test_stopping_anywhere_and_resuming_with_an_overlap_ends_the_same(what: list[Any], data: st.DataObject) -> None:
    dialogue = live(what)
    stop = data.draw(st.integers(0, len(dialogue.events)))
    back = data.draw(st.integers(0, stop))
    mapper = Mapper(session="s")
    for event in dialogue.events[:stop] + dialogue.events[back:]:
        mapper.apply(event)
    assert codec.dump(mapper.map) == codec.dump(dialogue.map)


@_settings
@given(steps, st.data())
def test_a_snapshot_and_the_tail_give_the_same_map_and_the_same_deltas(what: list[Any], data: st.DataObject) -> None:
    dialogue = live(what)
    cut = data.draw(st.integers(0, len(dialogue.events)))
    whole = Mapper(session="s")
    for event in dialogue.events[:cut]:
        whole.apply(event)
    resumed = Mapper(codec.unpack(codec.pack(whole.map)))
    assert codec.dump(resumed.map) == codec.dump(whole.map)
    for event in dialogue.events[cut:]:
        assert codec.encode_deltas(resumed.apply(event)) == codec.encode_deltas(whole.apply(event))
    assert codec.dump(resumed.map) == codec.dump(dialogue.map)


@_settings
@given(steps)
def test_no_live_node_is_past_its_deadline(what: list[Any]) -> None:
    mapper = Mapper(session="s")
    for event in live(what).events:
        mapper.apply(event)
        map = mapper.map
        late = [
            n.id for n in map.nodes.values() if n.expires_at is not None and not n.expired and n.expires_at <= map.at
        ]
        assert late == []


@_settings
@given(steps)
def test_time_in_a_map_never_runs_backwards(what: list[Any]) -> None:
    map = live(what).map
    times = list(map.moment_at)
    assert times == sorted(times)


@_settings
@given(steps)
def test_an_event_survives_its_line_in_the_log(what: list[Any]) -> None:
    dialogue = live(what)
    lines = [msgspec.json.encode(event_to_dict(event)) for event in dialogue.events]
    back: list[Event] = [event_from_dict("s", msgspec.json.decode(line)) for line in lines]
    assert codec.dump(replay(back, "s")) == codec.dump(dialogue.map)


@_settings
@given(steps)
def test_every_edge_stands_between_nodes_that_exist_and_nothing_is_misplaced(what: list[Any]) -> None:
    map = live(what).map
    assert [e.id for e in map.edges.values() if e.source not in map.nodes or e.target not in map.nodes] == []
    named = {edge for finding in map.findings.values() for edge in finding.edges}
    retired = {edge for edge in named if edge not in map.edges}
    assert not retired or map.retired
    assert [u for u in map.unplaced if u.why] == []


@_settings
@given(steps)
def test_what_was_numbered_is_shown_missing_or_repeated(what: list[Any]) -> None:
    """The books balance: of each source, all numbers up to the highest are in the log or in a declared gap."""
    dialogue = live(what)
    arrived: dict[str, set[int]] = {}
    for event in dialogue.events:
        if event.n:
            assert event.n not in arrived.setdefault(event.source, set())
            arrived[event.source].add(event.n)
    for name, source in dialogue.map.sources.items():
        missing = {n for first, last in source.missing for n in range(first, last + 1)}
        assert missing.isdisjoint(arrived[name])
        assert missing | arrived[name] == set(range(1, source.mark + 1))
