"""The index when the disk refuses it or damages it under a running map."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lingbot_map.store.index import Index
from lingbot_map.store.summary import Summary
from tests.lingbot_map.test_store_index import NOW, found, summary

MANY = [f"session {i}" for i in range(200)]


@contextmanager
def full_disk() -> Iterator[None]:
    """No file takes more than it has; 0 bytes are written to those that are longer than 100."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def rows(*names: str) -> list[tuple[Summary, tuple[()]]]:
    return [(summary(name, title="t" * 300), ()) for name in names]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    index = Index(tmp_path / "index.sqlite3")
    index.update(rows(*MANY), NOW)
    yield index
    index.close()


def all_of(index: Index) -> list[str]:
    return sorted(summary.id for summary in index.summaries())


def adrift(index: Index) -> bool:
    return index.file.adrift


def test_a_full_disk_takes_nothing_from_the_list(index: Index, tmp_path: Path) -> None:
    with full_disk():
        index.update(rows("new"), NOW)
        index.remove(summary(MANY[0]).key)
        assert all_of(index) == sorted(["new", *MANY[1:]])
        assert found(index, "new") == ["new"]
        assert adrift(index)
        assert not index.file.wants_filling
        index.file.settle()
        assert adrift(index)
        assert not (tmp_path / "index.sqlite3").exists(), "a killed map must not leave half an index"
    index.file.settle()
    assert not adrift(index)
    index.update(rows("newer"), NOW)
    index.close()
    again = Index(tmp_path / "index.sqlite3")
    assert not again.file.fresh
    assert all_of(again) == sorted(["new", "newer", *MANY[1:]])
    again.close()


def test_a_map_that_is_killed_while_the_disk_is_full_begins_its_index_anew(index: Index, tmp_path: Path) -> None:
    with full_disk():
        index.update(rows("new"), NOW)
    again = Index(tmp_path / "index.sqlite3")
    assert again.file.fresh
    assert sorted(again.reconcile(summary(name).key for name in MANY)) == sorted(summary(name).key for name in MANY)
    again.close()


def test_a_file_that_has_no_more_room_goes_on_in_another(index: Index) -> None:
    pages = index.file.db.execute("PRAGMA page_count").fetchone()[0]
    index.file.db.execute(f"PRAGMA max_page_count = {pages}")
    more = [f"more {i}" for i in range(200)]
    index.update(rows(*more), NOW)
    assert all_of(index) == sorted([*MANY, *more])
    assert not index.file.wants_filling


def test_a_file_that_was_damaged_under_a_running_map_asks_to_be_filled_again(index: Index, tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite3"
    index.file.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    index.file.db.execute("PRAGMA cache_size = 0")
    index.update(rows("new"), NOW)
    assert index.file.wants_filling
    assert all_of(index) == ["new"]
    assert not adrift(index)


def test_what_was_removed_is_scrubbed_from_the_file(index: Index, tmp_path: Path) -> None:
    def raw() -> bytes:
        return b"".join(path.read_bytes() for path in tmp_path.iterdir())

    for name in MANY:
        index.hear(summary(name).key, f"what {name} asked for, 七个苹果 and {name}".encode() * 40)
    assert b"session 77" in raw()
    assert b"what session 77 asked" in raw()
    index.remove(summary("session 77").key)
    assert index.file.scrub()
    assert b"session 77" not in raw()
    assert b"session 78" in raw()
    assert b"what session 78 asked" in raw()
    assert found(index, "77 苹果") == ["session 177"]
    assert found(index, "178 asked 苹果") == ["session 178"]
