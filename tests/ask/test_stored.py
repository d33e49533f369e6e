"""Folders of documents with an index on disk: the same answers, only what changed read, no harm from what happens."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases import documents
from lingbot_map.ask.bases.documents import files, seal
from lingbot_map.ask.bases.documents.answering import Documents
from lingbot_map.ask.bases.documents.library import Library
from lingbot_map.ask.bases.documents.stored import NAME, Stored
from lingbot_map.errors import BadInput
from tests.ask.test_documents import TESTS, WORLD, folder

QUESTION = "Who leads the team that operates the edge cluster?"
PORT = "What is the port of Alpha?"


def ask(stored: Stored | Library, text: str = QUESTION) -> str:
    answer = Ask(Documents(stored, "sentences")).ask(text)
    return f"{answer.text} {answer.cites}"


def port(n: int) -> dict[str, str]:
    return {"a.md": f"# Alpha\nThe port of Alpha is {n}. The owner of Alpha is Person{n}.\n"}


def index(at: Path) -> set[str]:
    return {each.name for each in (at / NAME).iterdir()}


class Counts:
    """Letters counted; remembers what it was given."""

    def __init__(self, name: str = "counts") -> None:
        self.name = name
        self.given: list[str] = []

    def encode(self, texts: Sequence[str]) -> Any:
        import numpy as np

        self.given += texts
        rows = np.array([[text.count(letter) + 0.01 for letter in "abcdefgh"] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


# ---- the same answers ----


@pytest.mark.parametrize(
    ("texts", "questions"),
    [
        (WORLD, (QUESTION, "When does GateKeeper retire?", "Who owns the moon?")),
        (
            TESTS,
            ("输错密码后账号锁定多久？", "登录失败锁定会影响哪些测试范围？", "哪些缺陷还没修复？", "什么是锁定名单？"),
        ),
    ],
)
@pytest.mark.parametrize("kind", ["recall", "sentences"])
def test_an_index_answers_as_memory_does(
    tmp_path: Path, texts: dict[str, str], questions: Sequence[str], kind: Any
) -> None:
    at = folder(tmp_path, texts)
    memory, made = Library(files.read([at])), Stored(at)
    for held in (made, Stored(at)):
        for text in questions:
            first = Ask(Documents(memory, kind)).ask(text)
            again = Ask(Documents(held, kind)).ask(text)
            assert (again.text, again.cites, again.chains) == (first.text, first.cites, first.chains)
            assert [each.item for each in again.evidence] == [each.item for each in first.evidence]


def test_an_index_is_kept_of_a_large_folder_alone(tmp_path: Path) -> None:
    at = folder(tmp_path, WORLD)
    documents.opened([at], "recall")
    assert not (at / NAME).exists()
    (at / "long.md").write_text("# Long\n" + "Every ship has a name. " * 50_000, "utf-8")
    documents.opened([at], "recall")
    assert index(at) >= {seal.NAME, "lock"}


# ---- only what changed ----


def test_only_changed_documents_are_read_again(tmp_path: Path) -> None:
    at = folder(tmp_path, {**WORLD, **port(7001)})
    stored = Stored(at)
    rows = dict(stored.snapshot.by_document)
    folder(at, port(7002))
    os.utime(at / "gate.md", (1, 1))
    (at / "duty.md").unlink()
    heard: list[int] = []
    again = Stored(at, progress=lambda done, total: heard.append(total))
    assert heard == [2]
    assert "7002" in ask(again, PORT)
    assert {id for id, each in again.snapshot.by_document.items() if each != rows[id]} == {"a.md"}
    assert "duty.md" not in again.snapshot.documents
    assert not again.snapshot.known('"7001"')
    assert "roster" not in again.snapshot.titles.called
    assert again.snapshot.postings.get("mira olsen") is None


def test_a_table_that_changes_is_read_again(tmp_path: Path) -> None:
    at = folder(tmp_path, TESTS)
    Stored(at)
    folder(at, {"fine.tsv": "source\tkind\ttext\tof\nRK-1\t风险\t新的风险\tREQ-7\n"})
    assert [row.id for row in Stored(at).snapshot.fine] == ["fine:RK-1"]


def test_a_reader_keeps_what_it_began_with_and_a_writer_waits_for_none(tmp_path: Path) -> None:
    at = folder(tmp_path, {**WORLD, **port(7001)})
    reader, writer = Stored(at), Stored(at)
    held = reader.snapshot
    folder(at, port(7002))
    writer.refresh()
    assert "7002" in ask(writer, PORT)
    assert "7001" in ask(reader, PORT)
    reader.refresh()
    assert "7002" in ask(reader, PORT)
    assert held.documents["a.md"].text.startswith("The port of Alpha is 7001.")
    held.close()
    folder(at, port(7003))
    assert "7003" in ask(Stored(at), PORT)


def test_vectors_are_kept_and_only_new_sentences_are_encoded(tmp_path: Path) -> None:
    at = folder(tmp_path, {**WORLD, **port(7001)})
    first = Counts()
    made = Stored(at, encoder=first)
    near = made.snapshot.vectors.nearest("edge cluster", 3)
    assert near == Library(files.read([at]), encoder=Counts()).snapshot.vectors.nearest("edge cluster", 3)
    again = Counts()
    assert Stored(at, encoder=again).snapshot.vectors.nearest("edge cluster", 3) == near
    assert again.given == ["edge cluster"]
    folder(at, port(7002))
    again.given.clear()
    changed = Stored(at, encoder=again)
    assert again.given == ["Alpha: The port of Alpha is 7002.", "Alpha: The owner of Alpha is Person7002."]
    assert changed.snapshot.vectors.like("a.md", 0, 5, 0.99) == []
    other = Counts("other")
    assert Stored(at, encoder=other).snapshot.vectors.encoder is other
    assert len(other.given) == len(changed.snapshot.sentences)


# ---- damage, kills, several processes, folders that can't be written ----


def test_flipped_bytes_anywhere_are_refused_with_the_file_and_the_remedy(tmp_path: Path) -> None:
    at = folder(tmp_path, WORLD)
    Stored(at, encoder=Counts()).snapshot.close()
    for name in index(at):
        path = at / NAME / name
        whole = path.read_bytes()
        step = max(1, len(whole) // 60)
        for place in range(0, len(whole) - 1, step) if not name.endswith(("-wal", "-shm", "lock")) else ():
            damaged = bytearray(whole)
            damaged[place] ^= 0x20
            damaged[place + 1] ^= 0x01
            path.write_bytes(damaged)
            with pytest.raises(BadInput, match=rf"{NAME}/{name}.*delete the folder"):
                Stored(at, encoder=Counts())
        for short in (0, len(whole) // 2, len(whole) - 1) if whole else ():
            if name.endswith(("-wal", "-shm")):
                continue
            path.write_bytes(whole[:short])
            with pytest.raises(BadInput, match=rf"{NAME}/{name}.*delete the folder"):
                Stored(at, encoder=Counts())
        path.write_bytes(whole)
    assert "Mira Olsen" in ask(Stored(at, encoder=Counts()))
    shutil.rmtree(at / NAME)
    assert "Mira Olsen" in ask(Stored(at))


KILLED = (
    "import os, signal, sys\n"
    "from pathlib import Path\n"
    "from lingbot_map.ask.bases.documents import indexing, seal\n"
    "from lingbot_map.ask.bases.documents.stored import Stored\n"
    "def die(*given): os.kill(os.getpid(), signal.SIGKILL)\n"
    "where = sys.argv[2]\n"
    "if where == 'reading': Stored(Path(sys.argv[1]), progress=die)\n"
    "keep = seal.Seal.strike\n"
    "def strike(self, name, pieces):\n"
    "    if where == 'committed': die()\n"
    "    keep(self, name, pieces)\n"
    "seal.Seal.strike = strike\n"
    "close = seal.Seal.close\n"
    "def closed(self, folder, name):\n"
    "    if where == 'written': die()\n"
    "    close(self, folder, name)\n"
    "seal.Seal.close = closed\n"
    "Stored(Path(sys.argv[1]))\n"
)


def killed(at: Path, where: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(at), where], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("where", ["reading", "written"])
def test_a_first_index_that_is_killed_is_made_again(tmp_path: Path, where: str) -> None:
    at = folder(tmp_path, WORLD)
    killed(at, where)
    assert not (at / NAME / seal.NAME).exists()
    assert "Mira Olsen" in ask(Stored(at))
    assert len([name for name in index(at) if name.endswith(".db")]) == 1


@pytest.mark.parametrize("where", ["reading", "committed", "written"])
def test_a_change_that_is_killed_leaves_a_whole_index(tmp_path: Path, where: str) -> None:
    at = folder(tmp_path, {**WORLD, **port(7001)})
    Stored(at).snapshot.close()
    folder(at, port(7002))
    killed(at, where)
    for n in (7002, 7003, 7003):
        folder(at, port(n))
        again = Stored(at)
        assert f"is {n}" in ask(again, PORT)
        assert "Mira Olsen" in ask(again)
        again.snapshot.close()


def test_a_reader_who_comes_while_another_writes_sees_the_old_or_the_new(tmp_path: Path) -> None:
    at = folder(tmp_path, {**WORLD, **port(7000)})
    Stored(at)
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from lingbot_map.ask.bases.documents.stored import Stored\n"
        "at = Path(sys.argv[1])\n"
        "stored = Stored(at)\n"
        "for n in range(7001, 7031):\n"
        "    said = f'# Alpha\\nThe port of Alpha is {n}. The owner of Alpha is Person{n}.\\n'\n"
        "    (at / 'new').write_text(said)\n"
        "    (at / 'new').replace(at / 'a.md')\n"
        "    stored.refresh()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(at)]) as writer:
        seen = set()
        while writer.poll() is None:
            said = ask(Stored(at), "What is the port of Alpha and who is the owner of Alpha?")
            numbers = {word.strip(".")[-4:] for word in said.split() if word.strip(".")[-4:].isdigit()}
            assert len(numbers) == 1, said
            seen |= numbers
    assert writer.returncode == 0
    assert "7030" in ask(Stored(at), PORT)
    assert seen


def test_two_processes_that_index_one_folder_both_answer(tmp_path: Path) -> None:
    at = folder(tmp_path, WORLD)
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from lingbot_map.ask import Ask\n"
        "from lingbot_map.ask.bases.documents.answering import Documents\n"
        "from lingbot_map.ask.bases.documents.stored import Stored\n"
        "print(Ask(Documents(Stored(Path(sys.argv[1])), 'sentences')).ask(sys.argv[2]).text)\n"
    )
    command = [sys.executable, "-c", script, str(at), QUESTION]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = {each.communicate(timeout=60)[0] for each in running}
    assert [each.returncode for each in running] == [0, 0, 0]
    assert len(said) == 1
    assert "Mira Olsen" in said.pop()
    assert len([name for name in index(at) if name.endswith(".db")]) == 1


def test_an_interrupted_index_leaves_nothing_behind(tmp_path: Path) -> None:
    at = folder(tmp_path, WORLD)

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Stored(at, progress=interrupt)
    assert index(at) == {"lock"}
    Stored(at)
    folder(at, port(7001))
    with pytest.raises(KeyboardInterrupt):
        Stored(at, progress=interrupt)
    assert "7001" in ask(Stored(at), PORT)


def test_a_kill_and_then_an_interruption_leave_a_whole_index(tmp_path: Path) -> None:
    at = folder(tmp_path, {**WORLD, **port(7001)})
    Stored(at).snapshot.close()
    folder(at, port(7002))
    killed(at, "committed")
    folder(at, port(7003))

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Stored(at, progress=interrupt)
    os.utime(at / "a.md", (1, 1))
    assert "7003" in ask(Stored(at), PORT)


@contextlib.contextmanager
def nothing_written(at: Path) -> Iterator[None]:
    """The folder can be read alone: as somebody else where root runs the tests, to whom everything is open."""
    for each in (at, *at.rglob("*")):
        each.chmod(0o555 if each.is_dir() else 0o444)
    try:
        if os.geteuid() == 0:
            os.seteuid(65534)
        yield
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        for each in (at, *at.rglob("*")):
            each.chmod(0o755 if each.is_dir() else 0o644)


def test_a_folder_that_can_only_be_read_is_brought_up_to_date_in_a_place_of_its_own() -> None:
    at = folder(Path(tempfile.mkdtemp(prefix="ask-read-only-")), {**WORLD, **port(7001)})
    try:
        Stored(at).snapshot.close()
        with nothing_written(at):
            kept = Stored(at)
            assert kept.home == at / NAME
        folder(at, port(7002))  # somebody else may write there
        before = index(at)
        with nothing_written(at):
            kept.refresh()
            assert "7002" in ask(kept, PORT)
        assert index(at) == before
    finally:
        shutil.rmtree(at)


def test_a_folder_that_can_only_be_read_is_answered_from() -> None:
    at = folder(Path(tempfile.mkdtemp(prefix="ask-read-only-")), WORLD)
    at.chmod(0o755)
    try:
        with nothing_written(at):
            stored = Stored(at)
            assert "Mira Olsen" in ask(stored)
            assert not (at / NAME).exists()
            gone = stored.home
        del stored
        assert not gone.exists()
        Stored(at).snapshot.close()
        before = index(at)
        with nothing_written(at):
            kept = Stored(at)
            assert kept.home == at / NAME
            assert "Mira Olsen" in ask(kept)
        assert index(at) == before
        folder(at, port(7001))
        with nothing_written(at):
            fresh = Stored(at)
            assert fresh.home != at / NAME
            assert "7001" in ask(fresh, PORT)
    finally:
        shutil.rmtree(at)
