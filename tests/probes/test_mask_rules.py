"""``Probe(mask=)``: key paths, patterns, functions, nothing at all; and what happens when a function fails."""

from __future__ import annotations

import re
from typing import Any

import pytest

from lingbot_probes import Misused, Probe
from lingbot_probes.signals import Answered, Raw, SlotAssigned, TurnStarted
from tests.probes.listening import Listener

PHONE = "13800138000"


def told(mask: Any, *signals: Any) -> list[dict[str, Any]]:
    map = Listener()
    probe = Probe("bot", sink=map, mask=mask)
    for signal in signals:
        probe.emit(signal, session="s")
    assert probe.flush(10)
    probe.close()
    return map.signals()


def slot(name: str, value: Any) -> SlotAssigned:
    return SlotAssigned(slot=name, value=value)


def test_a_path_hides_what_stands_there_and_below() -> None:
    mask = ["slots.member", "*.Inner", "utterance"]
    said = told(
        mask, slot("member", {"a": 1}), slot("other", {"inner": [5], "n": 5}), TurnStarted(turn="t", utterance="x y")
    )
    assert [re.sub(":[0-9a-f]{6}", ":#", str(signal.get("value", signal.get("utterance")))) for signal in said] == [
        "[masked:#]",
        "{'inner': '[masked:#]', 'n': 5}",
        "[masked:#]",
    ]


def test_a_name_alone_is_that_name_wherever_it_stands() -> None:
    said = told("plate", slot("car", {"plate": "沪A12345"}), slot("plate", "沪A12345"), slot("plates", "沪A12345"))
    inner, alone, other = (signal["value"] for signal in said)
    assert inner == {"plate": alone}
    assert alone.startswith("[masked:")
    assert other == "沪A12345"


def test_an_exclamation_mark_lets_through() -> None:
    said = told(
        ["!slots.hotline", "!text"], slot("hotline", PHONE), slot("phone", PHONE), Answered(text=f"call {PHONE}")
    )
    assert said[0]["value"] == PHONE
    assert said[1]["value"].startswith("[phone:")
    assert said[2]["text"] == f"call {PHONE}"


def test_a_pattern_hides_what_it_finds_beside_what_always_is() -> None:
    (said,) = told(re.compile(r"EMP-\d+"), Answered(text=f"EMP-17 and EMP-17, {PHONE}"))
    assert re.fullmatch(r"(\[masked:[0-9a-f]{6}\]) and \1, \[phone:[0-9a-f]{6}\]", said["text"])


def test_a_function_gets_path_and_value_and_the_rest_still_holds() -> None:
    asked: list[tuple[str, Any]] = []

    def mask(path: str, value: Any) -> Any:
        asked.append((path, value))
        return value.replace("Anna", "A.") if type(value) is str else value

    said = told(mask, slot("who", {"name": "Anna", "age": 40}), Answered(text=f"Anna, {PHONE}"))
    once = list(dict.fromkeys(asked))  # a batch is made again when it needs the key, or did not arrive
    assert once == [("slot", "who"), ("slots.who.name", "Anna"), ("slots.who.age", 40), ("text", f"Anna, {PHONE}")]
    assert said[0]["value"] == {"name": "A.", "age": 40}
    assert said[1]["text"].startswith("A., [phone:")


@pytest.mark.parametrize("error", [ValueError, RecursionError, SystemExit, KeyboardInterrupt])
def test_a_function_that_fails_shows_nothing(error: type[BaseException]) -> None:
    def mask(path: str, value: Any) -> Any:
        raise error(value)

    said = told(mask, Raw(name="x", data={"a": "Anna", "n": 7}), Answered(text="Anna"))
    assert said[0]["data"] == {"a": "[mask failed]", "n": "[mask failed]"}
    assert said[1]["text"] == "[mask failed]"


def test_what_a_function_returns_is_taken_by_its_type() -> None:
    class Hostile:
        def __repr__(self) -> str:
            raise AssertionError("called")

    said = told(lambda path, value: Hostile(), slot("a", "x"), Answered(text="x"))
    assert (said[0]["value"], said[1]["text"]) == ("Hostile", "Hostile")
    (number,) = told(lambda path, value: 5, Answered(text="x"))
    assert number["text"] == "[mask failed]", "a text must stay one"


def test_where_our_own_mask_goes_wrong_nothing_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str) -> Any:
        raise RuntimeError(text)

    monkeypatch.setattr("lingbot_probes.mask.found", broken)
    (said,) = told(True, Answered(text=f"call {PHONE}"))
    assert said == {"kind": "raw", "name": "answered", "data": "[mask failed]"}


def test_a_text_that_is_nested_deeper_than_is_looked_costs_that_text_and_no_more() -> None:
    (said,) = told(True, Answered(text="[" * 40 + PHONE + "]" * 40, docs=("d",)))
    assert said == {"kind": "answered", "text": "[mask failed]", "docs": ["d"]}


def test_false_alone_masks_nothing() -> None:
    (said,) = told(False, slot("password", PHONE))
    assert said["value"] == PHONE
    rules: tuple[Any, ...] = (True, [])
    for nothing_more in rules:
        (said,) = told(nothing_more, slot("password", PHONE))
        assert said["value"] == "[password]"


@pytest.mark.parametrize("mask", [None, 1, "", ["!"], [3], re.compile(b"x"), [str], b"x"])
def test_what_is_no_mask_is_refused_where_it_is_written(mask: Any) -> None:
    with pytest.raises(Misused, match=r"Probe\(mask=\)"):
        Probe("bot", mask=mask)
