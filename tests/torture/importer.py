"""`lingbot-map import`, many times over: a process that has loaded the command and forks for each file.

``python -m tests.torture.importer``: a JSON object a line in (``folder``, ``file``, ``data``, ``out``, ``seconds``),
one a line out (``code``, ``seconds`` of processor time, ``megabytes``, ``hung``). Each import is a process of its own
that ends as the command does; what it prints goes to the file ``out``. To start Python for each would take six times as
long.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lingbot_web.cli import run
from tests.torture.driver import PYTHON, ROOT, end

SECONDS = 240
"""Of processor time, after which the system ends an import whatever it does."""


@dataclass(frozen=True, slots=True)
class Done:
    """How one import ended: exit code (negative: by that signal), what it printed, what it took."""

    code: int
    said: str
    seconds: float
    megabytes: float
    hung: bool


class Importer:
    """The process, started once."""

    def __init__(self, runtime: Path) -> None:
        self._process = subprocess.Popen(
            [PYTHON, "-m", "tests.torture.importer"],
            cwd=ROOT,
            env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)},
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._out = runtime / "said"

    def __call__(self, file: Path, data: Path, seconds: float) -> Done:
        """Import ``file`` from its own folder into ``data``; after so many seconds on the clock it is ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"folder": file.parent, "file": file.name, "data": data, "out": self._out, "seconds": seconds}
        self._process.stdin.write(json.dumps({name: str(value) for name, value in asked.items()}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return Done(said=self._out.read_text("utf-8", "replace"), **answer)

    def close(self) -> None:
        end(self._process)
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()


def _import(asked: dict[str, str]) -> int:
    """What a process of its own does; the exit code."""
    out = os.open(asked["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(out, 1)
    os.dup2(out, 2)
    sys.stdin = Path(os.devnull).open()  # noqa: SIM115 (the one there was is read from already)
    os.chdir(asked["folder"])
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    code = run(["import", asked["file"], "--data", asked["data"]])
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _attempt(asked: dict[str, str]) -> dict[str, Any]:
    pid = os.fork()
    if not pid:
        code = 70
        try:
            code = _import(asked)
        except BaseException:
            sys.excepthook(*sys.exc_info())  # as at the end of any Python: the driver looks for it
        finally:
            os._exit(code)
    hung = False

    def stop(*_: object) -> None:
        nonlocal hung
        hung = True
        os.kill(pid, signal.SIGKILL)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, float(asked["seconds"]))
    _, status, used = os.wait4(pid, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": used.ru_utime + used.ru_stime,
        "megabytes": used.ru_maxrss / 1024,
        "hung": hung,
    }


def main() -> None:
    """Until stdin ends."""
    for line in iter(sys.stdin.readline, ""):
        sys.stdout.write(json.dumps(_attempt(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
