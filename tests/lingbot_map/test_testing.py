"""What users' own suites lean on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.compare import facts_of
from lingbot_map.errors import LingbotMapError, UnknownSession
from lingbot_map.graph import DialogueMap
from lingbot_map.testing import UPDATE, Asserted, MapDiffers, Recording, assert_map, open_maps, record
from lingbot_map.testing.golden import NoGolden
from lingbot_probes import Probe
from lingbot_probes.codec import numbered_to_dict
from lingbot_probes.signals import Numbered, TurnStarted
from tests.builders import Dialogue, answered, assigned, read, recalled, routed, said


def test_a_bot_is_recorded_and_its_map_asserted() -> None:
    probe = Probe("bot")

    @probe.intent
    def route(text: str) -> tuple[str, float]:
        return ("price_query", 0.9)

    @probe.turn
    def reply(session_id: str, text: str) -> str:
        route(text)
        slots["plan"] = "B"
        return f"plan {slots['plan']}"

    slots: dict[str, str] = probe.observed({})
    reply("before", "hello")
    with record(probe) as recording:
        assert reply("s1", "how much?") == "plan B"
    assert recording.sessions == ["s1"], "what was said before the block is not in it"
    map = recording.map("s1")
    assert [event.signal.kind for event in recording.events["s1"]] == [
        "turn_started",
        "intent_routed",
        "slot_assigned",
        "slot_read",
        "answered",
    ]
    assert_map(map, path=["price_query"], slots={"plan": "B", "other": None}, none=["loop", "LM302"], answered_from=[])
    with pytest.raises(AssertionError) as caught:
        assert_map(map, path=["bill"], slots={"plan": "A"}, has=["drift"], answered_from=["doc"])
    message = str(caught.value)
    assert "expected the flow bill, found price_query" in message
    assert "expected slot plan = 'A', found 'B'" in message
    assert "expected a drift finding, found none" in message
    assert "expected an answer from ['doc'], found []" in message
    with pytest.raises(UnknownSession, match="no session 's2' was recorded; these were: s1"):
        recording.map("s2")


def test_a_misspelt_finding_does_not_pass() -> None:
    with pytest.raises(ValueError, match="no finding is called 'leek'; there are gap \\(LM101\\)"):
        assert_map(DialogueMap("s"), none=["leek"])


def telecom() -> Any:
    """Four turns: a plan is changed, a ticket is looked up, the brand leaks into a price query and is overwritten."""
    told = Dialogue("call-17")
    told.tell(said("change my plan", "t1"), routed("change_plan"), assigned("brand", "B"), turn="t1")
    told.tell(said("my ticket", "t2"), routed("ticket_query", condition="ticket_number = null"), turn="t2")
    told.tell(said("how much", "t3"), routed("price_query"), read("brand"), turn="t3")
    told.tell(recalled("vector", {"old": 0.9, "new": 0.8}), recalled("reranked", {"new": 0.9, "old": 0.2}), turn="t3")
    told.tell(answered("99", "new"), turn="t3")
    told.tell(said("and C?", "t4"), routed("price_query"), assigned("brand", "C"), turn="t4")
    return told.map


HELD: list[Callable[[Asserted], object]] = [
    lambda map: map.jumped("change_plan", "ticket_query"),
    lambda map: map.jumped("change_plan", "ticket_query", "price_query", at_turn=3),
    lambda map: map.never_jumped("ticket_query", "change_plan"),
    lambda map: map.path("change_plan", "ticket_query", "price_query", "price_query"),
    lambda map: map.slot("brand").was("B", at_turn=3).slot("brand").ends_as("C"),
    lambda map: map.slot("nothing").was(None, at_turn=1),
    lambda map: map.has("leak", "LM301").never("loop", "LM401"),
    lambda map: map.has_no("findings", except_=["leak", "LM301"]).has_no("loop"),
    lambda map: map.recalled("old", stage="reranked", rank=2).recalled("new", rank_at_most=1, at_turn=3),
    lambda map: map.answered_from("new"),
]
BROKEN: list[tuple[Callable[[Asserted], object], str]] = [
    (
        lambda map: map.jumped("change_plan", "price_query"),
        "turn 2: expected a jump change_plan → price_query, found change_plan → ticket_query",
    ),
    (
        lambda map: map.jumped("ticket_query", "price_query", at_turn=4),
        "turn 4: expected a jump ticket_query → price_query in turn 4, found it in turn 3",
    ),
    (
        lambda map: map.jumped("bye", "hello"),
        "expected a jump bye → hello, found no visit of bye; the flow was",
    ),
    (
        lambda map: map.never_jumped("change_plan", "ticket_query"),
        "turn 2: expected no jump change_plan → ticket_query, found it (let through by ticket_number = null)",
    ),
    (lambda map: map.path("change_plan"), "turn 2: expected the flow change_plan, found change_plan → ticket_query →"),
    (
        lambda map: map.slot("brand").was("C", at_turn=2),
        "turn 2: expected slot brand = 'C', found 'B' (written in turn 1)",
    ),
    (
        lambda map: map.slot("brand").was("C", at_turn=9),
        "expected slot brand = 'C' in turn 9, found a session of 4",
    ),
    (
        lambda map: map.never("overwrite"),
        "turn 4: expected no overwrite finding, found brand: B from turn 1",
    ),
    (lambda map: map.has_no("findings", except_="LM301"), "turn 3: expected no leak finding, found"),
    (lambda map: map.has("drift"), "expected a drift finding, found leak, overwrite"),
    (
        lambda map: map.recalled("old", stage="reranked", rank_at_most=1),
        "turn 3: expected document old recalled by reranked at rank 1 at most, found it at rank 2 of reranked",
    ),
    (lambda map: map.recalled("other"), "expected document other recalled, found only old, new"),
    (
        lambda map: map.recalled("old", stage="prompt"),
        "expected document old recalled by prompt, found nothing",
    ),
    (lambda map: map.answered_from(), "turn 3: expected an answer from [], found ['new']"),
]


@pytest.mark.parametrize("claim", HELD)
def test_a_claim_that_holds_goes_on(claim: Callable[[Asserted], object]) -> None:
    assert isinstance(claim(assert_map(telecom())), Asserted)


@pytest.mark.parametrize(("claim", "message"), BROKEN, ids=[message[:40] for _, message in BROKEN])
def test_a_claim_that_does_not_hold_says_turn_expected_and_found(
    claim: Callable[[Asserted], object], message: str
) -> None:
    with pytest.raises(MapDiffers) as caught:
        claim(assert_map(telecom()))
    assert f"session call-17:\n- {message}" in str(caught.value)
    mismatch = caught.value.mismatches[0]
    if mismatch.turn:
        shown = caught.value.map.moment(mismatch.seq)
        assert shown is not None
        assert shown.turn == mismatch.turn, "where the map is to be opened"


def test_a_claim_that_can_not_be_is_a_mistake_in_the_test_and_no_failure() -> None:
    wrongs: list[Callable[[Asserted], object]] = [
        lambda map: map.jumped("one"),
        lambda map: map.never("leek"),
        lambda map: map.has_no("findings", except_=["LM999"]),
        lambda map: map.has_no("finding"),
    ]
    for wrong in wrongs:
        with pytest.raises(ValueError, match=r"name at least two|no finding is called"):
            wrong(assert_map(telecom()))


def test_a_golden_map_is_written_when_asked_compared_else_and_names_the_first_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden = tmp_path / "call.golden.jsonl"
    with pytest.raises(NoGolden, match="there is no golden map yet; --update-golden writes it"):
        assert_map(telecom()).matches(golden)
    monkeypatch.setenv(UPDATE, "1")
    assert_map(telecom()).matches(golden)
    written = golden.read_bytes()
    assert_map(telecom()).matches(golden)
    assert golden.read_bytes() == written
    assert written.decode().splitlines()[3] == (
        '{"turn": 3, "said": "how much", "flow": ["price_query"], '
        '"recalled": {"reranked": ["new", "old"], "vector": ["old", "new"]}, "used": ["new"], "findings": ["LM302"]}'
    )
    monkeypatch.delenv(UPDATE)
    assert_map(telecom()).matches(golden)
    golden.write_text(golden.read_text().replace('"brand": "C"', '"brand": "D"').replace('["new", "old"]', '["new"]'))
    with pytest.raises(MapDiffers) as caught:
        assert_map(telecom()).matches(golden)
    assert str(caught.value) == (
        "session call-17:\n"
        "- turn 3: expected document 2 of reranked none, found old\n"
        "- turn 4: expected slot brand = 'D', found = 'C'"
    )
    assert telecom().moment(caught.value.mismatches[0].seq).turn == 3


def test_a_golden_map_that_can_not_be_read_names_the_line(tmp_path: Path) -> None:
    golden = tmp_path / "g.jsonl"
    head = '{"lingbot":"golden","version":1,"session":"s"}\n'
    for text, message in (
        (head + '{"turn": 1}\n{"turn": "2"}\n', "line 3: expected a turn of a golden map, found Expected `int`"),
        (head + '{"turn": 1, "slot": {}}\n', "line 2: .*unknown field `slot`"),
        (head + "\xff\n", "line 2"),
        ('{"lingbot":"golden","version":"x"}', "line 1: expected a golden map's header"),
        (head.replace("1", "2"), "format version 2, but this program reads up to 1"),
        ("what is this", "no known format fits"),
    ):
        golden.write_bytes(text.encode("latin-1"))
        with pytest.raises(LingbotMapError, match=message):
            assert_map(telecom()).matches(golden)


def test_a_recording_is_a_golden_map_too_and_a_path_is_beside_the_file_that_calls(root: Path, tmp_path: Path) -> None:
    cases = sorted((root / "snapshots" / "cases").iterdir())
    for case in cases:
        (opened,) = open_maps(case)
        assert_map(opened.map).matches(case / "events.jsonl")
        assert opened.map.turn > 5
        with pytest.raises(MapDiffers, match="expected a turn with"):
            assert_map(telecom()).matches(case / "events.jsonl")
    calling = tmp_path / "suite.py"
    calling.write_text("def claim(asserted):\n    asserted.matches('there.jsonl')\n")
    names: dict[str, Any] = {}
    exec(compile(calling.read_text(), str(calling), "exec"), names)
    with pytest.raises(NoGolden, match=str(tmp_path / "there.jsonl")):
        names["claim"](assert_map(telecom()))


def test_a_recording_that_goes_on_has_what_was_said_so_far_and_says_why_it_has_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    probe = Probe("bot")

    @probe.turn
    def reply(session_id: str, text: str) -> str:
        return text

    with record(probe) as recording:
        with pytest.raises(UnknownSession, match="nothing was recorded; does the bot under test use this very probe"):
            recording.map()
        reply("a", "hello")
        assert recording.map().turn == 1
        reply("b", "hello")
        with pytest.raises(UnknownSession, match="2 sessions were recorded, say which one: a, b"):
            recording.map()
    monkeypatch.setenv("LINGBOT_MAP", "off")
    with record(Probe("off")) as recording, pytest.raises(UnknownSession, match="the probe is off"):
        recording.map()


def test_a_session_of_thousands_of_turns_is_all_there() -> None:
    recording = Recording()
    turns = 2_100
    for first in range(1, turns, 300):
        said_then = [(n, TurnStarted(turn=f"t{n}", utterance=f"word {n}")) for n in range(first, first + 300)]
        items = [
            numbered_to_dict(Numbered(session="s", n=n, signal=signal, turn=signal.turn)) for n, signal in said_then
        ]
        recording.deliver({"source": "bot", "events": items, "numbered": {"s": first + 299}})
    assert [turn.number for turn in facts_of(recording.map())] == list(range(1, turns + 1))
