"""What a power cut could have left of a data folder, by the system calls that a process made there.

The process runs once under strace. Its calls are gone through in order of completion; at any of them ``Disk.image``
makes a folder as a power cut at that moment could have left it: what was flushed is there, of the rest some is, torn,
in another order, or as zeros. Other processes and memory that is mapped are not seen.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tests.torture.driver import PYTHON, end

FileSystem = Literal["posix", "ext4"]
"""When a new name is safe. posix: once its folder is flushed; ext4: also once any file is, since its journal is one."""

CALLS = (
    "open,openat,creat,write,writev,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,"
    "ftruncate,close,lseek,dup,dup2,dup3,sendto,sendmsg"
)
_LINE = re.compile(r"(\d+) +(\d+\.\d+) (.*)")
_CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+).*?(?:<([\d.]+)>)?$")
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def strace(out: Path) -> list[str]:
    """The command to put before the one whose calls are to be written to ``out``."""
    quick = ["-f", "--seccomp-bpf"]  # calls of no interest don't stop the process
    return ["strace", *quick, "-qq", "-ttt", "-T", "-xx", "-s", "100000000", "-o", str(out), "-e", f"trace={CALLS}"]


class Control:
    """A process that does nothing but flush a file, traced like the one that is judged: what the machine withholds.

    On a machine with other work a traced process may stand still for a long time, whatever it does.
    """

    BEAT = 0.01
    _CODE = (
        "import os, sys, threading\n"
        "pause, fd = threading.Event(), os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)\n"
        f"while not pause.wait({BEAT}):\n"
        "    os.write(fd, b'x')\n"
        "    os.fdatasync(fd)\n"
    )

    def __init__(self, work: Path) -> None:
        self._trace = work / "control"
        command = [*strace(self._trace), PYTHON, "-c", self._CODE, str(work / "beats")]
        self._process = subprocess.Popen(command, text=True)
        self._beats: list[float] = []

    def __enter__(self) -> Control:
        return self

    def __exit__(self, *_: object) -> None:
        end(self._process)
        self._beats = [call.at for call in calls(self._trace) if call.name == "fdatasync"]

    def withheld(self, begin: float, until: float) -> float:
        """Seconds between two moments in which it could not go on."""
        near = [at for at in self._beats if begin - 1 < at < until + 1]
        late = 0.0
        for one, other in itertools.pairwise(near):
            late += max(0.0, min(other, until) - max(one, begin) - self.BEAT)
        return late


def no_strace() -> str:
    """Why no process can be traced here; "" if it can."""
    try:
        done = subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "there is no strace"
    return f"strace may not trace here ({done.stderr.strip()[:100]})" if done.returncode else ""


@dataclass(frozen=True, slots=True)
class Call:
    """A system call that succeeded; ``began`` and ``at``, when it was done, are in Unix time."""

    began: float
    at: float
    name: str
    arguments: str
    result: int

    @property
    def texts(self) -> list[bytes]:
        return [bytes.fromhex(text.replace("\\x", "")) for text in _STRING.findall(self.arguments)]

    @property
    def fd(self) -> int:
        found = re.match(r"\d+", self.arguments)
        return int(found[0]) if found else -1

    @property
    def last_number(self) -> int:
        found = re.search(r"(\d+)$", self.arguments)
        assert found, self
        return int(found[0])


def calls(trace: Path) -> Iterator[Call]:
    """The calls in strace's file, in order of completion."""
    waiting: dict[str, tuple[float, str]] = {}
    with trace.open(encoding="ascii") as lines:
        for line in lines:
            found = _LINE.match(line)
            if found is None:
                continue
            pid, at, text = found[1], float(found[2]), found[3]
            if text.endswith("<unfinished ...>"):
                waiting[pid] = at, text.removesuffix("<unfinished ...>").rstrip()
                continue
            began, first = waiting.pop(pid, (at, "")) if text.startswith("<... ") else (at, "")
            call = _CALL.match(first + text.partition(" resumed>")[2] if first else text)
            if call and int(call[3]) >= 0:
                yield Call(began, began + float(call[4] or 0), call[1], call[2].rstrip(), int(call[3]))


def _apply(content: bytearray, at: int, new: bytes | None) -> None:
    """Put ``new`` at ``at``; None: make the file ``at`` bytes long."""
    content.extend(bytes(max(0, at - len(content))))
    if new is None:
        del content[at:]
    else:
        content[at : at + len(new)] = new


@dataclass(frozen=True, slots=True)
class _Change:
    """``content`` put at offset ``at`` of a file, or the file made so long (None); done by the time ``by``."""

    by: float
    at: int
    content: bytes | None


@dataclass(slots=True, eq=False)
class _File:
    now: bytearray = field(default_factory=bytearray)
    safe: bytearray = field(default_factory=bytearray)
    pending: list[_Change] = field(default_factory=list)

    def change(self, by: float, at: int, content: bytes | None) -> None:
        self.pending.append(_Change(by, at, content))
        _apply(self.now, at, content)

    def flush(self, began: float) -> None:
        """What was there when the flush began is safe; what came while it went on need not be."""
        for change in self.pending:
            if change.by <= began:
                _apply(self.safe, change.at, change.content)
        self.pending = [change for change in self.pending if change.by > began]

    def after_cut(self, rng: random.Random) -> bytes:
        left = bytearray(self.safe)
        kind = rng.choice(("none", "all", "first", "torn", "some", "zeros"))
        done, rest = self.pending, self.pending[:0]
        if kind == "none":
            done = []
        elif kind == "some":
            done = [change for change in done if rng.random() < 0.5]
        elif kind != "all":
            whole = rng.randint(0, len(done))
            done, rest = done[:whole], done[whole:] if kind != "first" else []
        for change in done:
            _apply(left, change.at, change.content)
        if rest and (half := rest[0].content):
            _apply(left, rest[0].at, half[: rng.randrange(len(half))] if kind == "torn" else bytes(len(half)))
        return bytes(left)


@dataclass(frozen=True, slots=True)
class _Move:
    """The name ``path`` means ``file`` (None: nothing) since ``by``."""

    by: float
    path: str
    file: _File | None


@dataclass(slots=True)
class _Open:
    """An open file, or a folder (``file`` is None)."""

    file: _File | None
    at: int
    append: bool


class Disk:
    """The folder ``data`` as the calls made it, in the system's memory and on the disk."""

    def __init__(self, data: Path, kind: FileSystem) -> None:
        self._data = str(data)
        self._kind = kind
        self._names: dict[str, _File] = {}
        self._safe_names: dict[str, _File] = {}
        self._moves: list[_Move] = []  # not yet safe
        self._open: dict[int, _Open] = {}

    def do(self, call: Call) -> bytes | None:
        """Make the change that ``call`` made; what it wrote to anything outside the folder, else None."""
        texts, held = call.texts, self._open.get(call.fd)
        match call.name:
            case "open" | "openat" | "creat":
                self._opened(call, self._path(texts[0]))
            case "close":
                self._open.pop(call.fd, None)
            case "dup" | "dup2" | "dup3":
                if held is not None:
                    self._open[call.result] = held
            case "write" | "writev" | "pwrite64" | "sendto" | "sendmsg":
                written = b"".join(texts)[: call.result]
                if held is None:
                    return written
                if held.file is not None:
                    self._wrote(call, held, held.file, written)
            case "lseek":
                if held is not None:
                    held.at = call.result
            case "ftruncate":
                if held is not None and held.file is not None:
                    held.file.change(call.at, call.last_number, None)
            case "fsync" | "fdatasync":
                if held is not None:
                    self._flushed(held, call.began)
            case "rename" | "renameat" | "renameat2":
                old, new = (self._path(text) for text in texts)
                if old in self._names:
                    self._names[new] = self._names.pop(old)
                    self._moves += [_Move(call.at, new, self._names[new]), _Move(call.at, old, None)]
            case "unlink" | "unlinkat":
                path = self._path(texts[0])
                if self._names.pop(path, None) is not None:
                    self._moves.append(_Move(call.at, path, None))
        return None

    def _path(self, text: bytes) -> str:
        return os.path.join(self._data, os.fsdecode(text)).rstrip("/")

    def _opened(self, call: Call, path: str) -> None:
        inside = path.startswith(self._data + "/")
        if inside and path not in self._names and (call.name == "creat" or "O_CREAT" in call.arguments):
            self._names[path] = _File()
            self._moves.append(_Move(call.at, path, self._names[path]))
        file = self._names.get(path)
        if file is not None:
            self._open[call.result] = _Open(file, 0, "O_APPEND" in call.arguments)
            if file.now and (call.name == "creat" or "O_TRUNC" in call.arguments):
                file.change(call.at, 0, None)
        elif inside or path == self._data:
            self._open[call.result] = _Open(None, 0, False)
        else:
            self._open.pop(call.result, None)

    @staticmethod
    def _wrote(call: Call, held: _Open, file: _File, content: bytes) -> None:
        if call.name == "pwrite64":
            file.change(call.at, call.last_number, content)
            return
        at = len(file.now) if held.append else held.at
        file.change(call.at, at, content)
        held.at = at + len(content)

    def _flushed(self, held: _Open, began: float) -> None:
        if held.file is not None:
            held.file.flush(began)
        if held.file is None or self._kind == "ext4":
            _settle([move for move in self._moves if move.by <= began], self._safe_names)
            self._moves = [move for move in self._moves if move.by > began]

    def pending_since(self, path: Path) -> float | None:
        """When the oldest change of a file was made that no flush has made safe; None if all are."""
        file = self._names.get(str(path))
        return file.pending[0].by if file is not None and file.pending else None

    def image(self, into: Path, rng: random.Random) -> None:
        """Make ``into`` such a folder as a power cut could leave now, found by a machine that has started again."""
        kept = dict(self._safe_names)
        _settle(self._moves[: rng.randint(0, len(self._moves))], kept)
        into.mkdir()
        boot = _BOOT.read_bytes().strip()
        for path, file in kept.items():
            target = into / os.path.relpath(path, self._data)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.after_cut(rng).replace(boot, bytes(reversed(boot))))


def _settle(moves: Sequence[_Move], names: dict[str, _File]) -> None:
    for move in moves:
        if move.file is None:
            names.pop(move.path, None)
        else:
            names[move.path] = move.file
