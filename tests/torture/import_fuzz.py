"""Import hostile files, then damaged ones: refused with the place named, or taken, and never anything else.

``python -m tests.torture.import_fuzz``; LB_FUZZ (200) damaged copies of good files, LB_BIG=1 also files of many
megabytes, LB_IMPORT_S (5) seconds of processor time and LB_IMPORT_MB (300) of memory for one file, LB_SEED. Each is
imported by `lingbot-map import`, as a process of its own, into a folder that has a recording already.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from lingbot_map.store.verify import SessionReport, examine
from tests.torture.corpus import Hostile, big, corpus, event, recording
from tests.torture.driver import Report, setting
from tests.torture.importer import Done, Importer

SAMPLES = Path(__file__).resolve().parents[1] / "samples" / "files"
HANGING = 4
"""So many times the allowed seconds may pass on the clock before it is ended."""
WORKERS = 2
THING_KB = 2.5
"""What a map holds is held: so much more may a file take for each thing that is rightly taken from it."""
BIG = 12
"""So many times as long as the others may those of many megabytes take; with no more memory."""
SAID = 20_000
"""Characters of output that a person may be shown for one file."""
LINEAR = 2.6
"""Twice the events may take so many times as long."""
OUR_OWN = ("lock", "index.sqlite3")
"""Files of the data folder that say nothing of what is recorded: a process id, and what is derived."""


class Listener:
    """Nobody may call here."""

    def __init__(self) -> None:
        self.callers: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                caller, _ = self._socket.accept()
            except OSError:
                return
            with caller:
                self.callers.append(caller.recv(200))

    def close(self) -> None:
        self._socket.close()


class Place:
    """A folder deep below others, in which one import after the other runs; what it writes elsewhere is seen."""

    def __init__(self, root: Path, base: Path) -> None:
        self._root = root
        self._base = base
        self.runtime = root.with_name(f"{root.name}-run")
        self.runtime.mkdir(0o700)
        self._importer = Importer(self.runtime)
        self.home = root / "in" / "the" / "middle"
        self.data = self.home / "data"

    def prepare(self, content: bytes, name: str) -> Path:
        shutil.rmtree(self._root, ignore_errors=True)
        self.home.mkdir(parents=True)
        shutil.copytree(self._base, self.data)
        path = self.home / name
        path.write_bytes(content)
        return path

    def run(self, path: Path, limit: float) -> Done:
        return self._importer(path, self.data, limit * HANGING)

    def close(self) -> None:
        self._importer.close()

    def strays(self, path: Path) -> list[str]:
        """What lies anywhere but in the data folder, besides the file itself."""
        found = (each for each in self._root.rglob("*") if each.is_file() and self.data not in each.parents)
        return [str(each.relative_to(self._root)) for each in found if each != path]


def _kept(data: Path) -> dict[str, str]:
    """Each file of a data folder and what is in it."""
    files = (path for path in data.rglob("*") if path.is_file() and not path.name.startswith(OUR_OWN))
    return {str(path.relative_to(data)): sha256(path.read_bytes()).hexdigest() for path in files}


def _recorded(data: Path) -> dict[str, SessionReport]:
    return {session.id: session for session in examine(data).sessions}


class Fuzz:
    """Imports files, two at a time, and judges what happens."""

    def __init__(self, work: Path, listener: Listener, limit: float, megabytes: int) -> None:
        self.report = Report("import_fuzz")
        self.slowest = self.largest = 0.0
        self._listener = listener
        self._limit, self._megabytes = limit, megabytes
        self._work = work
        self._lock = threading.Lock()
        self._free: list[Place] = []
        base = work / "base"
        base.mkdir()
        first = Place(work / "first", base)
        done = first.run(first.prepare(recording(event(1), session="first").encode(), "first.jsonl"), limit)
        self.report.check("a good recording is taken", done.code == 0, done.said[-300:])
        first.close()
        shutil.copytree(first.data, work / "kept")
        self._base = work / "kept"
        self._before = _kept(self._base)
        self._free = [Place(work / f"place{i}", self._base) for i in range(WORKERS)]

    def allow(self, limit: float) -> None:
        """So many seconds for those that follow."""
        self._limit = limit

    def all(self, files: Iterable[Hostile], look: Callable[[Hostile, Done, Path], None] | None = None) -> None:
        """Import each of them."""

        def attempt(hostile: Hostile) -> None:
            with self._lock:
                place = self._free.pop()
            try:
                path = place.prepare(hostile.content, hostile.name)
                done = place.run(path, self._limit)
                self._judge(hostile, done, place, path)
                if look is not None:
                    look(hostile, done, place.data)
            finally:
                with self._lock:
                    self._free.append(place)

        with ThreadPoolExecutor(WORKERS) as pool:
            for _ in pool.map(attempt, files):
                pass

    def close(self) -> None:
        for place in self._free:
            place.close()

    def _judge(self, hostile: Hostile, done: Done, place: Place, path: Path) -> None:
        said, name = done.said, re.escape(hostile.name)
        codes = {"refused": (2,), "taken": (0,), "noted": (0,), "either": (0, 2)}[hostile.right]
        # What we wrote into the file may come back quoted, but never as what a terminal acts on.
        acts = [char for char in said if (char < " " and char not in "\n") or char in "\x7f\u202e\u2066\u2028"]
        strays = place.strays(path)
        refused_but_changed = done.code == 2 and _kept(place.data) != self._before
        named = re.search(rf"^lingbot-map: {name}\b", said, re.MULTILINE)
        noted = re.search(rf"^note: {name} (line|item) \d+: ", said, re.MULTILINE)
        problems = [
            why
            for bad, why in (
                (done.hung, f"not done after {self._limit * HANGING:.0f} s"),
                (done.code not in codes, f"exit code {done.code}, but it should be {hostile.right}"),
                ("Traceback" in said, "traceback"),
                (done.code == 2 and not named, "refused without the file's name"),
                (hostile.right == "noted" and not noted, "taken without naming the place of what is wrong"),
                (hostile.right == "taken" and "note: " in said, "taken, but not without a word"),
                (len(said) > SAID + 100 * hostile.sessions, f"{len(said):,} characters of output"),
                (acts, f"control characters {acts[:3]!r} in the output"),
                ("root:x:0" in said, "shows a file"),
                (done.seconds > self._limit, f"{done.seconds:.1f} s"),
                (done.megabytes > self._megabytes + hostile.things * THING_KB / 1024, f"{done.megabytes:.0f} MB"),
                (strays, f"wrote elsewhere: {strays[:3]}"),
                (refused_but_changed, "refused, but the data folder is not as before"),
                (self._listener.callers, f"asked the network: {self._listener.callers[:1]}"),
            )
            if bad
        ]
        if done.code == 0:
            report = examine(place.data)
            if report.status != "clean" or "first" not in {session.id for session in report.sessions}:
                problems.append(f"left a data folder that is {report.status}: {report.as_text()[:200]}")
        with self._lock:
            self.slowest, self.largest = max(self.slowest, done.seconds), max(self.largest, done.megabytes)
            detail = "; ".join(problems) + f" | {said[-160:]!r}"
            self.report.check(f"{hostile.name} ({hostile.why})", not problems, detail)


def _look(report: Report) -> Callable[[Hostile, Done, Path], None]:
    """What was taken is there, event by event."""
    good = {name: range(1, 11) for name in ("good.jsonl", "crlf.jsonl", "bom.jsonl", "cut.jsonl")}
    wanted: dict[str, list[int]] = {name: list(seqs) for name, seqs in good.items()}
    wanted["cut.jsonl"] = list(range(1, 10))
    wanted |= {name: list(range(1, 11)) for name in ("not-utf8.jsonl", "overlong.jsonl", "surrogate.jsonl")}
    wanted["dup-reorder.jsonl"] = [1, 2, 3, 4, 5, 8, 9]

    def look(hostile: Hostile, done: Done, data: Path) -> None:
        if hostile.name not in wanted or done.code:
            return
        (session,) = (session for name, session in _recorded(data).items() if name != "first")
        log = next(data.glob(f"{session.key}/events.jsonl"))
        told = [json.loads(line) for line in log.read_text("utf-8").splitlines()[1:]]
        slots = [said["signal"]["slot"] for said in told if said["signal"]["kind"] == "slot_assigned"]
        expected = [f"slot_{seq}" for seq in wanted[hostile.name]]
        report.check(f"{hostile.name}: event by event", slots == expected, slots)
        gaps = [(said["signal"]["first"], said["signal"]["last"]) for said in told if said["signal"]["kind"] == "gap"]
        holes = [(6, 7)] if hostile.name == "dup-reorder.jsonl" else []
        report.check(f"{hostile.name}: what is missing is declared", gaps == holes, gaps)

    return look


def mutants(rng: random.Random, count: int, good: list[tuple[str, bytes]]) -> Iterable[Hostile]:
    """Copies of good files with one to eight things wrong."""
    pieces = (b"\x00", b"\xff", b'"', b"\\", b"[", b"{", b"9" * 30, b"1e400", b"\xed\xa0\x80", b"\n", b"null")
    for i in range(count):
        name, content = rng.choice(good)
        bad = bytearray(content)
        for _ in range(rng.randint(1, 8)):
            at = rng.randrange(len(bad) or 1)
            match rng.randrange(4):
                case 0 if bad:
                    bad[at] = rng.randrange(256)
                case 1:
                    del bad[at : at + rng.randint(1, 20)]
                case 2:
                    bad[at:at] = rng.choice(pieces)
                case _:
                    bad[at:at] = bad[at : at + rng.randint(1, 200)]
        yield Hostile(f"mutant-{i}-{name}", bytes(bad), "either", "damaged")


def run(*, fuzz: int, seed: int, limit: float = 5.0, megabytes: int = 300, with_big: bool = False) -> Report:
    """All of it, in folders of its own."""
    listener = Listener()
    with tempfile.TemporaryDirectory() as name:
        made = Fuzz(Path(name).resolve(), listener, limit, megabytes)
        hostile = corpus(listener.port)
        made.all(hostile, _look(made.report))
        good = [(each.name, each.content) for each in hostile if each.right == "taken" and len(each.content) < 200_000]
        good += [(path.name, path.read_bytes()) for path in sorted(SAMPLES.iterdir())]
        made.all(mutants(random.Random(seed), fuzz, good))
        if with_big:
            made.allow(limit * BIG)
            _big(made)
        made.close()
        made.report.figures |= {
            "hostile files, mutants": f"{len(hostile)}, {fuzz}",
            "slowest, s of processor time": round(made.slowest, 2),
            "largest, MB": round(made.largest),
        }
    listener.close()
    return made.report


def _big(made: Fuzz) -> None:
    """Files of many megabytes: time is linear in what they hold."""
    took: dict[str, float] = {}

    def look(hostile: Hostile, done: Done, data: Path) -> None:
        took[hostile.name] = done.seconds

    for each in big():
        made.all([each], look)
    ratio = took["big-good-2.jsonl"] / took["big-good.jsonl"]
    made.report.check("twice the events take twice as long", ratio < LINEAR, f"{ratio:.1f} times")


if __name__ == "__main__":
    raise SystemExit(
        run(
            fuzz=setting("LB_FUZZ", 200),
            seed=setting("LB_SEED", 1),
            limit=float(os.environ.get("LB_IMPORT_S", "5")),
            megabytes=setting("LB_IMPORT_MB", 300),
            with_big=bool(os.environ.get("LB_BIG")),
        ).show()
    )
