"""What has to go: by age, by room, by both; and what never does."""

from __future__ import annotations

import msgspec
import pytest

from lingbot_map.errors import BadInput
from lingbot_map.pipeline.keeping import weigh
from lingbot_map.store.footprint import Footprint
from lingbot_map.store.retention import Keep, Stored, keep_from, to_go
from lingbot_map.store.summary import Summary
from tests.lingbot_map.test_store_index import summary

NOW = 1_800_000_000.0
DAY = 86_400


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (["7d"], Keep(age=7 * DAY)),
        (["12h"], Keep(age=12 * 3600)),
        (["90 min"], Keep(age=5400)),
        (["2w"], Keep(age=14 * DAY)),
        (["1.5D"], Keep(age=1.5 * DAY)),
        (["20GB"], Keep(size=20_000_000_000)),
        (["500 kB"], Keep(size=500_000)),
        (["2gib"], Keep(size=2 << 30)),
        (["20GB", "7d"], Keep(age=7 * DAY, size=20_000_000_000)),
        ([], Keep()),
    ],
)
def test_ages_and_sizes_are_read(said: list[str], meant: Keep) -> None:
    assert keep_from(said) == meant
    assert bool(meant) == bool(said)


@pytest.mark.parametrize(
    "said", ["", "7", "d", "0d", "0GB", "-7d", "7x", "7 days", "inf d", "1e3d", "7d 20GB", "٧d", "9999999999d"]
)
def test_what_is_neither_is_refused_with_an_example(said: str) -> None:
    with pytest.raises(BadInput, match="such as 7d, a size such as 20GB"):
        keep_from([said])


@pytest.mark.parametrize("said", ["1m", "90 m", "1M", "1mo", "2 months"])
def test_a_minute_is_not_taken_for_a_month(said: str) -> None:
    with pytest.raises(BadInput, match=r"say min for minutes .* 30d for one"):
        keep_from([said])


@pytest.mark.parametrize("said", [["7d", "8d"], ["1GB", "1GB"]])
def test_two_of_a_kind_are_refused(said: list[str]) -> None:
    with pytest.raises(BadInput, match="found another"):
        keep_from(said)


def stored(name: str, days: float, size: int = 10) -> Stored:
    return Stored(name, name, NOW - days * DAY, size)


def gone(going: list[Stored], keep: Keep) -> list[tuple[str, str]]:
    return [(one.stored.key, one.why) for one in to_go(going, keep, NOW)]


def test_by_age_goes_what_is_older() -> None:
    all = [stored("new", 1), stored("old", 8), stored("older", 9), stored("on the day", 7)]
    assert gone(all, Keep(age=7 * DAY)) == [("older", "age"), ("old", "age")]


def test_by_size_go_the_oldest_until_the_rest_fits() -> None:
    all = [stored(str(days), days) for days in (3, 1, 2, 4)]
    assert gone(all, Keep(size=40)) == []
    assert gone(all, Keep(size=39)) == [("4", "size")]
    assert gone(all, Keep(size=11)) == [("4", "size"), ("3", "size"), ("2", "size")]


def test_both_bounds_hold_together() -> None:
    all = [stored(str(days), days) for days in (1, 2, 3, 9)]
    assert gone(all, Keep(age=7 * DAY, size=20)) == [("9", "age"), ("3", "size")]


def test_without_a_bound_nothing_goes() -> None:
    assert gone([stored("old", 10_000, 1 << 50)], Keep()) == []


def known(
    name: str, days: float, *, size: int = 10, written: float | None = None, **more: object
) -> tuple[Summary, Footprint]:
    one = msgspec.structs.replace(summary(name), updated_at=NOW - days * DAY, ended_at=NOW - days * DAY, **more)
    return one, Footprint(size, NOW - DAY * (days if written is None else written))


def test_pinned_live_watched_and_damaged_sessions_stay_and_are_counted() -> None:
    all = [
        known("pinned", 30, pinned=True),
        known("damaged", 30, damaged="a folder, not a file"),
        known("watched", 30),
        known("plain", 30),
        known("talking", 0.01, live=True),
        known("left open", 30, live=True),
    ]
    found = weigh(all, Keep(age=0.001 * DAY), NOW, 7200, {summary("watched").key})
    assert sorted(one.stored.name for one in found.going) == ["left open", "plain"]
    assert found.stayed == {"pinned": 1, "damaged": 1, "watched": 1, "live": 1}
    assert (found.freed, found.left) == (20, 40)


def test_what_stays_takes_its_room_all_the_same() -> None:
    all = [known("pinned", 30, size=100, pinned=True), known("a", 2), known("b", 1)]
    found = weigh(all, Keep(size=105), NOW, 7200)
    assert [one.stored.name for one in found.going] == ["a", "b"]
    assert found.left == 100


def test_committed_cases_are_not_even_counted() -> None:
    found = weigh(
        [known("case", 900, size=1 << 40, origin="case"), known("a", 1)], Keep(age=DAY * 7, size=1000), NOW, 7200
    )
    assert (found.going, found.stayed, found.left) == ([], {}, 10)


def test_a_recording_that_was_taken_in_lately_counts_from_then() -> None:
    all = [known("taken in today", 400, written=0.1), known("a clock gone wild", 400, written=-90)]
    found = weigh(all, Keep(age=7 * DAY), NOW, 7200)
    assert [one.stored.name for one in found.going] == ["a clock gone wild"]
