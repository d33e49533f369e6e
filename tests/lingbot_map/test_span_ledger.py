"""The ledger of spans: bounded, emptied, mended, and never the reason that something is told twice."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.store import span_ledger
from lingbot_map.store.span_ledger import SpanLedger


def waiting(trace: str, number: int = 1) -> dict[str, Any]:
    return {"source": "s", "probe": "p", "span": [trace, f"{number}", "", "", "", "", None, None, False, "", False]}


def read(folder: Path) -> list[tuple[str, str]]:
    return [(what, said["trace"] if what == "told" else said["span"][0]) for what, said in SpanLedger(folder).read()]


def test_what_was_written_is_read_again_and_what_waits_no_more_is_gone(tmp_path: Path) -> None:
    ledger = SpanLedger(tmp_path)
    ledger.wait([waiting("t1"), waiting("t2")])
    ledger.told("t1", "s", "key", "t1", ["1", "2"])
    assert read(tmp_path) == [("told", "t1"), ("wait", "t1"), ("wait", "t2")]
    ledger.nothing_waits()
    assert read(tmp_path) == [("told", "t1")]
    assert (tmp_path / "spans.waiting").stat().st_mode & 0o777 == 0o600
    ledger.wait([waiting("t3")])
    assert read(tmp_path) == [("told", "t1"), ("wait", "t3")]


def test_the_ids_of_what_was_told_are_bounded_and_the_latest_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(span_ledger, "TOLD_BYTES", 1_000)
    ledger = SpanLedger(tmp_path)
    for number in range(100):
        ledger.told(f"t{number}", "s", "key", "t", ["1"])
    known = [trace for _, trace in read(tmp_path)]
    assert known == [f"t{number}" for number in range(100 - len(known), 100)]
    assert 5 < len(known) < 40
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 2_300


def test_while_others_wait_what_was_told_is_taken_out_once_much_has_gathered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(span_ledger, "WAITING_BYTES", 1_000)
    ledger = SpanLedger(tmp_path)
    ledger.wait([waiting(f"t{number}") for number in range(50)])
    assert ledger.grown
    ledger.tidy(lambda trace: trace in ("t3", "t7"))
    assert read(tmp_path) == [("wait", "t3"), ("wait", "t7")]
    assert SpanLedger(tmp_path).grown is False


def test_what_the_disk_refuses_is_written_with_the_next_and_leaves_no_half_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = SpanLedger(tmp_path)
    ledger.wait([waiting("t1")])

    def half(fd: int, data: bytes) -> None:
        os.write(fd, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(span_ledger, "write_all", half)
        with pytest.raises(OSError, match="No space"):
            ledger.wait([waiting("t2")])
        assert read(tmp_path) == [("wait", "t1")]
    ledger.wait([waiting("t3")])
    assert read(tmp_path) == [("wait", "t1"), ("wait", "t2"), ("wait", "t3")]


def test_without_a_folder_nothing_is_kept() -> None:
    ledger = SpanLedger()
    ledger.wait([waiting("t1")])
    ledger.told("t1", "s", "key", "t1", ["1"])
    ledger.nothing_waits()
    ledger.tidy(lambda trace: True)
    assert (ledger.kept, ledger.grown, list(ledger.read())) == (False, False, [])
