"""Folders of many documents that change while they are served: the next answer is of what they say now."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases.documents import KEPT, indexing
from lingbot_map.ask.bases.documents.files import File
from lingbot_map.ask.bases.documents.stored import Stored
from lingbot_map.errors import BadInput
from lingbot_web.ask_bases import Bases
from lingbot_web.ask_folders import EVERY, MANY, Status, Watched

WIKI, CHAINS = "docs:wiki", "chains:wiki"
ALPHA, NEWCOMER = "What is the port of Alpha?", "Who runs Quillon?"


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def written(at: Path, name: str, text: str) -> None:
    (at / name).write_text(text, encoding="utf-8")
    os.utime(at / name, ns=(0, (at / name).stat().st_mtime_ns + 1))  # of whatever grain the disk's clock is


def wiki(tmp_path: Path, *, large: bool) -> Path:
    """600 files: below what an index is kept of, or above."""
    at = tmp_path / "wiki"
    at.mkdir()
    filler = "Nothing of note happens in this room on most days. " * (2 + KEPT // 600 // 50 if large else 1)
    for n in range(598):
        written(at, f"room{n}.md", f"# Room {n}\n\n{filler}\n")
    written(at, "alpha.md", "# Alpha\n\nThe port of Alpha is 7001.\n")
    written(at, "beta.md", "# Beta\n\nThe port of Beta is 8800.\n")
    return at


def said(bases: Bases, id: str, question: str) -> str:
    return Ask(bases.opened(id)).ask(question).text


@pytest.mark.parametrize("large", [False, True], ids=["in memory", "by its index"])
def test_the_next_question_after_the_interval_is_answered_from_what_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    at, clock = wiki(tmp_path, large=large), Clock()
    bases = Bases(docs=[at], clock=clock)
    for id in (WIKI, CHAINS):
        for _ in range(2):  # the second one is kept
            assert "7001" in said(bases, id, ALPHA)
        assert Ask(bases.opened(id)).ask(NEWCOMER).abstained
    library = bases.opened(WIKI).library  # type: ignore[attr-defined]
    assert isinstance(library, Stored) is large
    assert bases.opened(CHAINS).library is library  # type: ignore[attr-defined]

    read: list[str] = []
    reading = indexing._read

    def noted(found: tuple[File, ...]) -> object:
        read.extend(each.id for each in found)
        return reading(found)

    monkeypatch.setattr(indexing, "_read", noted)
    written(at, "alpha.md", "# Alpha\n\nThe port of Alpha is 7002.\n")
    written(at, "quillon.md", "# Quillon\n\nQuillon is run by Mira Olsen.\n")
    (at / "beta.md").unlink()
    clock.now += EVERY / 2
    assert "7001" in said(bases, WIKI, ALPHA)
    clock.now += EVERY
    for id in (WIKI, CHAINS):
        assert "7002" in said(bases, id, ALPHA)
        assert "Mira Olsen" in said(bases, id, NEWCOMER)
        assert bases.opened(id).item("beta.md") is None
        assert bases.opened(id).item("room7.md") is not None
    assert sorted(read) == (["alpha.md", "quillon.md"] if large else [])
    assert (bases.opened(WIKI).library is library) is large  # type: ignore[attr-defined]  # not opened anew


def test_who_is_answered_meanwhile_keeps_what_they_began_with(tmp_path: Path) -> None:
    at, clock = wiki(tmp_path, large=True), Clock()
    bases = Bases(docs=[at], clock=clock)
    base = bases.opened(WIKI)
    asking = Ask(base)
    read = base.read(ALPHA, asking.dialog)
    written(at, "alpha.md", "# Alpha\n\nThe port of Alpha is 7002.\n")
    clock.now += EVERY
    other = threading.Thread(target=bases.opened, args=(WIKI,))
    other.start()
    other.join()
    assert "7001" in asking.ask(ALPHA, read=read).text
    assert "7002" in said(bases, WIKI, ALPHA)


def test_a_folder_that_can_not_be_read_is_told_and_answers_once_it_is_mended(tmp_path: Path) -> None:
    at, clock = wiki(tmp_path, large=True), Clock()
    bases = Bases(docs=[at], clock=clock)
    bases.opened(WIKI)
    (at / "alpha.md").write_bytes(b"# Alpha\n\n\xff\xfe\n")
    clock.now += EVERY
    with pytest.raises(BadInput, match=r"alpha\.md byte 9"):
        bases.opened(WIKI)
    written(at, "alpha.md", "# Alpha\n\nThe port of Alpha is 7003.\n")
    clock.now += EVERY
    assert "7003" in said(bases, WIKI, ALPHA)
    for each in at.glob("*.md"):
        each.unlink()
    clock.now += EVERY
    with pytest.raises(BadInput, match="no file that ends in"):
        bases.opened(WIKI)


@pytest.mark.parametrize(
    ("files", "seconds", "pause"), [(3, 0.001, 0.0), (MANY + 1, 0.001, EVERY), (3, 0.06, EVERY), (200_000, 1.5, 30.0)]
)
def test_a_look_at_many_files_takes_a_twentieth_of_the_time_at_most(files: int, seconds: float, pause: float) -> None:
    clock, looks = Clock(), 0

    def listed() -> list[Status]:
        nonlocal looks
        looks += 1
        clock.now += seconds
        return [("a.md", 1, looks)] * files

    watched = Watched(listed, clock)
    first = watched.stamp()
    if pause:
        clock.now += pause * 0.99
        assert (watched.stamp(), looks) == (first, 1)
        clock.now += pause * 0.02
    assert watched.stamp() != first
    assert looks == 2
