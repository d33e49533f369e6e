"""Whole processes: programs that end or fork in all the ways there are. Each must come out as it would without a probe.

A program finds the decorator as ``probe``; ``HEADS`` say what that is.
"""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass

from tests.torture.driver import PYTHON

PLAIN = "probe = lambda f: f\nbot = None\n"
PROBED = "from lingbot_probes import Probe\nbot = Probe('bot', {url!r})\nprobe = bot.intent\n"

ENDS = {
    "plain": "f = probe(lambda x: x)\nfor i in range(1000): f(i)\nprint('end')",
    "exit code": "import sys\nprobe(lambda: sys.exit(7))()",
    "unhandled exception": "def g(): raise SystemExit(9)\nf = probe(g)\nf()",
    "exception that was handled": (
        "def g(): raise ValueError('boom')\nf = probe(g)\ntry: f()\nexcept ValueError: raise SystemExit(9)"
    ),
    "call in atexit": "import atexit\nf = probe(lambda: print('late'))\natexit.register(f)",
    "call in atexit, registered first": (
        "import atexit\nbox = []\natexit.register(lambda: box[0]())\nbox.append(probe(lambda: print('late')))"
    ),
    "call in __del__": "f = probe(lambda: print('gone'))\nclass D:\n  def __del__(self): f()\nd = D()",
    "daemon thread calling to the end": (
        "import threading, time\nf = probe(lambda: time.sleep(0))\ndef run():\n  while True: f()\n"
        "threading.Thread(target=run, daemon=True).start()\ntime.sleep(0.1)\nprint('end')"
    ),
    "thread that outlives main": (
        "import threading, time\nf = probe(lambda: 'x')\n"
        "threading.Thread(target=lambda: (time.sleep(0.1), f(), print('end'))).start()"
    ),
    "os._exit": "import os\nprobe(lambda: os._exit(3))()",
    "SIGTERM": "import os, signal, time\nprobe(lambda: os.kill(os.getpid(), signal.SIGTERM))()\ntime.sleep(5)",
    "SIGINT": (
        "import os, signal, time\ntry: probe(lambda: (os.kill(os.getpid(), signal.SIGINT), time.sleep(5)))()\n"
        "except KeyboardInterrupt: print('interrupted')"
    ),
    "hooks stay": (
        "import signal, sys, threading\nh = {s: signal.getsignal(s) for s in (1, 2, 13, 15)}\nprobe(lambda: 1)()\n"
        "print(h == {s: signal.getsignal(s) for s in (1, 2, 13, 15)}, sys.excepthook is sys.__excepthook__,"
        " threading.excepthook is threading.__excepthook__, sys.getprofile(), threading.getprofile())"
    ),
    "asyncio": (
        "import asyncio\nasync def g(i):\n  await asyncio.sleep(0)\n  return i\nf = probe(g)\n"
        "async def main(): return sum(await asyncio.gather(*(f(i) for i in range(500))))\nprint(asyncio.run(main()))"
    ),
    "abandoned async generator": (
        "import asyncio\nasync def g():\n  try:\n    while True: yield 1\n  finally:\n    await asyncio.sleep(0)\n"
        "    print('closed')\nf = probe(g)\nasync def main():\n  global kept\n  kept = f()\n"
        "  async for x in kept: break\n"
        "asyncio.run(main())"
    ),
    "many probes": "all = [probe(lambda i=i: i) for i in range(30)]\nprint(sum(f() for f in all))",
}
"""None of them takes long by itself, so what one takes longer with a probe is the probe's."""

FORKS = {
    "fork 50 times under load": """
import os, threading, time
f = probe(lambda x: ("a", 0.5))
stop = []
def hammer():
    while not stop: f(1)
threads = [threading.Thread(target=hammer, daemon=True) for _ in range(4)]
[thread.start() for thread in threads]
time.sleep(0.1)
bad = 0
for _ in range(50):
    pid = os.fork()
    if pid == 0:
        for i in range(200): f(i)
        import json, socket, tempfile  # a lock that nobody would open hangs here
        os._exit(0)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done: break
        time.sleep(0.002)
    else:
        os.kill(pid, 9); os.waitpid(pid, 0); bad += 1
    bad += status != 0
stop.append(1)
print("bad", bad)
""",
    "fork pool": (
        "import multiprocessing as m\nf = probe(lambda x: x * 2)\ndef g(x): return f(x)\n"
        "with m.get_context('fork').Pool(3) as p: print(sum(p.map(g, range(300))))"
    ),
    "child ends normally": (
        "import os, sys\nf = probe(lambda x: x)\n[f(i) for i in range(300)]\npid = os.fork()\n"
        "if pid == 0:\n  f(1)\n  sys.exit(0)\nprint(os.waitpid(pid, 0)[1])"
    ),
    "fork inside a call": (
        "import os, sys\ndef g():\n  pid = os.fork()\n  return pid\nf = probe(g)\npid = f()\n"
        "if pid == 0:\n  probe(lambda: 1)()\n  os._exit(5)\nprint(os.waitpid(pid, 0)[1])"
    ),
    "fork of a fork": (
        "import os, sys\nf = probe(lambda x: x)\nf(0)\npid = os.fork()\nif pid == 0:\n  f(1)\n  pid = os.fork()\n"
        "  if pid == 0:\n    f(2)\n    sys.exit(4)\n  sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) + 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    ),
    "fork from a thread": (
        "import os, threading\nf = probe(lambda x: x)\nf(0)\ndef run():\n  pid = os.fork()\n"
        "  if pid == 0:\n    f(1)\n    os._exit(3)\n  print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n"
        "t = threading.Thread(target=run)\nt.start()\nt.join()"
    ),
    "another program": "import subprocess, sys\nprobe(lambda: subprocess.run([sys.executable, '-c', 'print(1)']))()",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended. ``hung``: it did not, within its patience."""

    code: int
    out: str
    err: str
    seconds: float
    hung: bool = False

    @property
    def seen(self) -> tuple[bool, int, str, str]:
        """What the outside can tell."""
        return self.hung, self.code, self.out, self.err


def ended(script: str, patience: float = 60, env: dict[str, str] | None = None) -> Ended:
    """Run a program to its end, warnings shown; ``env`` goes over the environment."""
    began = time.perf_counter()
    try:
        done = subprocess.run(
            [PYTHON, "-W", "default", "-c", script],
            capture_output=True,
            text=True,
            timeout=patience,
            env={**os.environ, **(env or {})},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ended(-1, "", "", patience, hung=True)
    return Ended(done.returncode, done.stdout, done.stderr, time.perf_counter() - began)
