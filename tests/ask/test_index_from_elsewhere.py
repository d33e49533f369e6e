"""A folder of documents that comes from somebody else, its index with it: nothing outside is written, removed or waited
for, and whatever is no document or index is told with its place. A disk that is full, and files that go, too."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases import documents, sequence
from lingbot_map.ask.bases.documents import files, seal, stored
from lingbot_map.ask.bases.documents.answering import Documents
from lingbot_map.ask.bases.documents.stored import NAME, Stored
from lingbot_map.ask.bases.sequence import source
from lingbot_map.errors import BadInput
from tests.ask.test_documents import WORLD, folder
from tests.ask.test_stored import PORT, ask, index, port

LARGE = {f"n{n}.md": f"# Note {n}\n" + f"The port of gate{n} is {n}. Its owner is Person{n}. " * 60 for n in range(400)}


def sealed(text: bytes) -> bytes:
    """A seal with the right checksum, as anybody can make it."""
    return b"%08x\n" % zlib.crc32(text) + text


# ---- an index that leads elsewhere ----


def test_an_index_that_is_a_link_has_nothing_written_and_nothing_removed(tmp_path: Path) -> None:
    at = folder(tmp_path / "docs", WORLD)
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("years of work", "utf-8")
    (at / NAME).symlink_to(other)
    with pytest.raises(BadInput, match="the folder of an index"):
        Stored(at)
    assert [each.name for each in other.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("name", ["current.new", seal.NAME, "lock", "words-0123456789ab.db-wal"])
def test_a_link_in_an_index_has_no_file_elsewhere_written(tmp_path: Path, name: str) -> None:
    at, mine = folder(tmp_path / "docs", WORLD), tmp_path / "mine.txt"
    mine.write_text("mine", "utf-8")
    (at / NAME).mkdir()
    (at / NAME / name).symlink_to(mine)
    with pytest.raises(BadInput, match="a file of an index"):
        Stored(at)
    assert mine.read_text("utf-8") == "mine"


@pytest.mark.parametrize("name", [seal.NAME, "lock", "current.new"])
@pytest.mark.parametrize("made", [os.mkfifo, os.mkdir])
def test_a_pipe_or_folder_in_an_index_is_not_waited_for(
    tmp_path: Path, name: str, made: Callable[[Path], object]
) -> None:
    at = folder(tmp_path, WORLD)
    (at / NAME).mkdir()
    made(at / NAME / name)
    with pytest.raises(BadInput, match="a file of an index"):
        Stored(at)


@pytest.mark.parametrize(
    "text",
    [
        b"{}", b"[]", b"\xff", b"[" * 100_000, b'{"format": 1}', b'{"format":2,"files":{}}', b'{"format":1,"files":{}}',
        b'{"format":1,"files":[1]}', b'{"format":1,"files":{"words-0123456789ab.db":"x"}}',
        b'{"format":1,"files":{"words-0123456789ab.db":["x"]}}', b'{"format":1,"files":{"../../../mine.txt":[]}}',
        b'{"format":1,"files":{"words-0123456789ab.db":[],"../mine.txt":[]}}',
    ],
)  # fmt: skip
def test_a_seal_that_no_index_has_is_refused_with_the_remedy(tmp_path: Path, text: bytes) -> None:
    at = folder(tmp_path, WORLD)
    (at / NAME).mkdir()
    (at / NAME / seal.NAME).write_bytes(sealed(text))
    with pytest.raises(BadInput) as why:
        Stored(at)
    assert why.value.remedy == seal.REMEDY


def test_a_sealed_database_that_is_no_index_is_refused(tmp_path: Path) -> None:
    at = folder(tmp_path, WORLD)
    Stored(at).snapshot.close()
    known = seal.read(at / NAME)
    assert known is not None
    db = sqlite3.connect(at / NAME / known.database)
    db.executescript("pragma journal_mode=delete; drop table doc; create table doc(x);")
    db.close()
    (at / NAME / f"{known.database}-wal").unlink(missing_ok=True)
    known.strike(known.database, set(range(len(known.files[known.database]))))
    known.close(at / NAME, known.database)
    seal.write(at / NAME, known)
    with pytest.raises(BadInput) as why:
        Stored(at)
    assert why.value.remedy == seal.REMEDY


def test_what_no_index_makes_is_left_where_it_lies(tmp_path: Path) -> None:
    at = folder(tmp_path, {**WORLD, **port(7001)})
    Stored(at)
    (at / NAME / "notes.txt").write_text("mine", "utf-8")
    (at / NAME / "words-ffffffffffff.db").write_text("of one that was killed", "utf-8")
    folder(at, port(7002))
    Stored(at)
    assert "notes.txt" in index(at)
    assert "words-ffffffffffff.db" not in index(at)


# ---- what is no document, or is none any more ----


def test_links_to_nothing_and_to_themselves_are_no_documents(tmp_path: Path) -> None:
    at = folder(tmp_path, WORLD)
    (at / "self.md").symlink_to("self.md")
    (at / "gone.md").symlink_to("nowhere.md")
    (at / "zero.md").symlink_to("/dev/zero")
    (at / "up").symlink_to("..")
    os.mkfifo(at / "pipe.md")
    assert [each.id for each in files.listed(at)] == sorted(WORLD)


def test_a_document_that_goes_before_it_is_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = folder(tmp_path, {**WORLD, **port(7001), "b.md": "# Beta\nThe owner of Beta is Ann.\n"})
    listed = files.listed

    def leaving(path: Path) -> list[files.File]:
        found = listed(path)
        (at / "b.md").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(files, "listed", leaving)
    assert "b.md" not in {each.id for each in files.read([at]).documents}
    (at / "b.md").write_text("# Beta\nThe owner of Beta is Ann.\n", "utf-8")
    held = Stored(at)
    assert "b.md" not in held.snapshot.documents
    assert "7001" in ask(held, PORT)


def test_a_table_may_have_a_cell_of_any_length(tmp_path: Path) -> None:
    row = "RK-1\t风险\t" + "很长的风险" * 40_000 + "\tREQ-7"
    at = folder(tmp_path, {**WORLD, "fine.tsv": f'source\tkind\ttext\tof\n{row}\nRK-2\t"风险\t短\tREQ-8\n'})
    assert [(each.id, each.kind, each.line) for each in files.read([at]).fine] == [
        ("fine:RK-1", "风险", 2),
        ("fine:RK-2", '"风险', 3),
    ]


def test_a_device_without_an_end_is_not_read_to_it(tmp_path: Path) -> None:
    for text_of in (files.text_of, source.text_of):
        with pytest.raises(BadInput, match="at most"):
            text_of(Path("/dev/zero"))


def test_a_folder_of_diagrams_may_lose_one_of_its_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.puml").write_text("@startuml\nA -> B: pay()\n@enduml\n", "utf-8")
    (tmp_path / "b").mkdir()
    scan = os.scandir

    def scanned(path: str | Path) -> object:
        if str(path).endswith("/b"):
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scanned)
    assert len(sequence.opened([tmp_path]).views) == 1


# ---- no room ----


def limited(at: Path, most: int) -> subprocess.CompletedProcess[str]:
    """An ``ask`` whose files may have ``most`` bytes."""
    command = [sys.executable, "-m", "lingbot_web", "ask", "What is the port of gate7?", "--docs", str(at)]

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return subprocess.run(command, preexec_fn=bound, capture_output=True, text=True, timeout=60, check=False)


def test_an_index_without_room_says_so_and_is_made_when_there_is(tmp_path: Path) -> None:
    at = folder(tmp_path, LARGE)
    full = limited(at, 300_000)
    assert (full.returncode, full.stdout) == (2, "")
    assert full.stderr.count("\n") == 1
    assert "room to write an index" in full.stderr
    assert index(at) <= {"lock"}
    assert "is 7" in Ask(documents.opened([at], "recall")).ask("What is the port of gate7?").text


def test_a_change_that_can_only_be_logged_is_answered_from(tmp_path: Path) -> None:
    at = folder(tmp_path, LARGE)
    Stored(at)
    folder(at, port(7001))
    again = limited(at, 150_000)  # less than the database, more than its log
    assert again.returncode == 0, again.stderr
    held = Stored(at)
    assert "7001" in ask(held, PORT)
    assert Ask(Documents(held, "recall")).ask("What is the port of gate7?").cites


def test_the_names_that_an_index_makes_are_its_own(tmp_path: Path) -> None:
    at = folder(tmp_path, WORLD)
    Stored(at)
    assert all(seal.is_made(name) for name in index(at) - {seal.NAME, "lock"})
    assert not any(map(seal.is_made, ("thesis.tex", "words.db", "current", "vectors-x.i8", "../words-0123456789ab.db")))
    assert stored.NAME.startswith(".")
