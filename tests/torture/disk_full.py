"""Fill the disk, break its flushes, limit a file's size: nothing acknowledged is lost, and writing goes on after it.

``python -m tests.torture.disk_full``; LB_DISK (2m) is the size of a small disk that is filled under the store's writer
and under `lingbot-map serve` (needs the right to mount, by root or by a user namespace), LB_RECOVER_MAX_S (2). Calls
that fail need strace.
"""

from __future__ import annotations

import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.live.server import wait_for
from tests.torture.crash_images import no_strace
from tests.torture.driver import PYTHON, ROOT, Recovery, Report, acked, end, writer
from tests.torture.serving import numbered, served

BALLAST = 1 << 20
"""Bytes that lie on the small disk until there is to be space again."""
RESUME_SECONDS = 5.0
FILE_BYTES = 100_000
_FOR_EVER = 10**9
_INSIDE = "--small"
_PAUSE = threading.Event()


@dataclass(frozen=True, slots=True)
class Fault:
    """``calls`` fail with ``error`` at the ordinals that ``when`` names, as strace writes them."""

    calls: str
    error: str
    when: str

    def prefix(self) -> list[str]:
        inject = f"inject={self.calls}:error={self.error}:when={self.when}"
        return ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={self.calls}", "-e", inject]

    def __str__(self) -> str:
        return f"{self.error} from {self.calls.partition(',')[0]} ({self.when})"


FAULTS = (
    Fault("fsync,fdatasync", "EIO", "3"),
    Fault("write,pwrite64,writev", "ENOSPC", "200..260"),
    Fault("fsync,fdatasync", "ENOSPC", "2+3"),
    Fault("rename,renameat,renameat2", "EIO", "1+1"),
    Fault("openat", "EMFILE", "500..520"),
    Fault("write,pwrite64,writev", "EIO", "120..125"),
    Fault("ftruncate", "EIO", "1+1"),
)


class Writer:
    """The store's writer as a process; ``said`` are the seqs that it acknowledged."""

    def __init__(
        self, data: Path, count: int, prefix: Sequence[str] = (), limits: Callable[[], None] | None = None
    ) -> None:
        self.said = [0]
        self.errors: list[str] = []
        self.process = subprocess.Popen(
            [*prefix, *writer("write", data, count)],
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=limits,
        )
        out, err = self.process.stdout, self.process.stderr
        assert out is not None
        assert err is not None
        self._readers = [
            threading.Thread(target=lambda: self.said.extend(map(acked, out))),
            threading.Thread(target=lambda: self.errors.extend(err)),
        ]
        for reader in self._readers:
            reader.start()

    def until_quiet(self, seconds: float, limit: float) -> None:
        """Until it has acknowledged nothing for so long, or has ended."""
        stop = time.monotonic() + limit
        seen, since = -1, time.monotonic()
        while self.process.poll() is None and time.monotonic() < stop and time.monotonic() - since < seconds:
            if max(self.said) != seen:
                seen, since = max(self.said), time.monotonic()
            _PAUSE.wait(0.02)

    def goes_on(self, after: int, within: float) -> bool:
        """Whether it acknowledges more than ``after`` in time."""
        stop = time.monotonic() + within
        while max(self.said) <= after and self.process.poll() is None and time.monotonic() < stop:
            _PAUSE.wait(0.02)
        return max(self.said) > after

    def stop(self) -> None:
        end(self.process)
        for reader in self._readers:
            reader.join(10)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


class Disks:
    """Disks that refuse, one after the other."""

    def __init__(self, limit: float) -> None:
        self.report = Report("disk_full")
        self.recover = Recovery(start=True)
        self._limit = limit

    def verify(self, name: str, data: Path, writing: Writer) -> None:
        """What the writer said and did, and what it left."""
        code = writing.process.poll()
        writing.stop()
        check, errors = self.report.check, "".join(writing.errors)
        check(f"{name}: no death by signal", code is None or code >= 0, code)
        check(f"{name}: no traceback", "Traceback" not in errors, errors[-300:])
        self._read_back(name, data, max(writing.said))

    def _read_back(self, name: str, data: Path, promised: int) -> None:
        check, got = self.report.check, self.recover(data)
        check(f"{name}: comes back", got.back, got.crash or got.status)
        last = max(got.events, default=0)
        check(f"{name}: every acknowledged event is there", last >= promised, f"{last} < {promised}")
        check(f"{name}: no hole", not got.holes() and not got.gaps, (got.holes()[:5], got.gaps[:5]))
        check(f"{name}: recovery is quick", got.start_seconds <= self._limit, f"{got.start_seconds:.2f} s")
        check(f"{name}: a start and a replay of the whole log give the same map", got.starts_alike)

    def fault(self, fault: Fault, data: Path) -> None:
        """Some calls of the writer fail, some of them for ever."""
        data.mkdir()
        writing = Writer(data, 3000, fault.prefix())
        writing.until_quiet(2.0, 20.0)
        self.verify(str(fault), data, writing)

    def file_limit(self, data: Path) -> None:
        """No file may grow beyond a size."""
        data.mkdir()
        size = (FILE_BYTES, FILE_BYTES)
        writing = Writer(data, _FOR_EVER, limits=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, size))
        writing.until_quiet(2.0, 20.0)
        self.report.check("file size limit: some events were stored before", max(writing.said))
        self.verify("file size limit", data, writing)

    def full(self, small: Path) -> None:
        """The writer fills the disk; it goes on when there is space."""
        ballast, data = small / "ballast", small / "data"
        data.mkdir()
        ballast.write_bytes(bytes(BALLAST))
        writing = Writer(data, _FOR_EVER)
        writing.until_quiet(2.0, 30.0)
        before = max(writing.said)
        self.report.check("disk full: some events were stored before", before)
        self.report.check("disk full: the disk is full", shutil.disk_usage(small).free < 65536)
        ballast.unlink()
        within = f"disk full: writing goes on within {RESUME_SECONDS:.0f} s of space"
        resumed = writing.goes_on(before, RESUME_SECONDS)
        self.report.check(within, resumed, f"stuck at {before}, exit code {writing.process.poll()}")
        self.verify("disk full", data, writing)
        shutil.rmtree(data)

    def full_under_the_map(self, small: Path) -> None:
        """The disk is full under a map that bots talk to and people look at."""
        ballast, data, check = small / "ballast", small / "data", self.report.check
        with served(data=data) as map:
            told = self._tell(map.client.send, 1, 50)
            check("full under the map: what fits is acknowledged", map.client.send([], "torture")["acked"] is not None)
            wait_for(lambda: map.client.get("/api/stats")["disk"]["waiting"] == 0, "the flush")
            with ballast.open("wb", buffering=0) as file:
                try:
                    while file.write(bytes(4096)):
                        pass
                except OSError:
                    pass
            last = self._tell(map.client.send, told + 1, 100)
            wait_for(lambda: map.status() == "degraded", "the health path's word")
            check("full under the map: the health path says it", True)
            frame = map.client.keyframe("torture")
            shown = frame["cursor"]["seq"]
            check("full under the map: the map in memory goes on", shown >= last, f"{shown} < {last}")
            acked = map.client.send([numbered(last)], "torture")["acked"]
            false = [span for spans in acked.values() for span in spans if span[1] >= last]
            check("full under the map: nothing is acknowledged that is not stored", not false, acked)
            ballast.unlink()
            began = time.monotonic()
            wait_for(lambda: map.status() == "ok", "the end of the outage")
            took = time.monotonic() - began
            check(f"full under the map: well within {RESUME_SECONDS:.0f} s of space", took <= RESUME_SECONDS, took)
            acked = map.client.send([numbered(last)], "torture")["acked"]
            check("full under the map: all is acknowledged then", acked == {"torture": [[1, last]]}, acked)
            printed = map.printed()
            check("full under the map: no traceback", "Traceback" not in printed, printed[-300:])
        self._read_back("full under the map", data, last)
        self.report.figures["full under the map: well again after, s"] = round(took, 2)

    @staticmethod
    def _tell(send: Callable[..., object], first: int, count: int) -> int:
        """Tell the signals from ``first`` on; the last."""
        for n in range(first, first + count, 10):
            send([numbered(i, 100) for i in range(n, n + 10)], "torture")
        return first + count - 1


def run(*, small: Path | None, why_no_small: str = "", limit: float = 2.0, faults: Sequence[Fault] = FAULTS) -> Report:
    """All of it; ``small`` is an empty disk of a few megabytes, or None with the reason."""
    disks = Disks(limit)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        if small is None:
            disks.report.skipped.append(f"a disk that is full: {why_no_small}")
        else:
            disks.full(small)
            disks.full_under_the_map(small)
        disks.file_limit(work / "limited")
        if faults and (why := no_strace()):
            disks.report.skipped.append(f"calls that fail: {why}")
        else:
            for number, fault in enumerate(faults):
                disks.fault(fault, work / f"fault{number}")
        disks.recover.close()
    return disks.report


def main(arguments: Sequence[str]) -> int:
    """Once more in a mount namespace with a small disk, which goes away with the process; else as we are."""
    limit = float(os.environ.get("LB_RECOVER_MAX_S", "2"))
    if arguments[:1] == [_INSIDE]:
        return run(small=Path(arguments[1]), limit=limit).show()
    with tempfile.TemporaryDirectory() as small:
        mount = f"mount -t tmpfs -o size={shlex.quote(os.environ.get('LB_DISK', '2m'))} none {shlex.quote(small)}"
        for unshare in (["unshare", "-m"], ["unshare", "-rm"]):
            try:
                done = subprocess.run([*unshare, "sh", "-c", mount], capture_output=True, text=True, check=False)
            except FileNotFoundError as missing:
                why = str(missing)
                continue
            why = done.stderr.strip().splitlines()[-1] if done.stderr else ""
            if done.returncode == 0:
                again = shlex.join([PYTHON, "-m", "tests.torture.disk_full", _INSIDE, small])
                return subprocess.run([*unshare, "sh", "-c", f"{mount} && exec {again}"], check=False).returncode
        return run(small=None, why_no_small=f"a small one can't be mounted ({why})", limit=limit).show()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
