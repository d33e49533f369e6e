"""Whole processes: what importing costs, how it ends, how it forks. Each script runs plain and with the probe."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time

import pytest

from tests.probes.listening import Server

PLAIN = "probe = lambda f: f\nbot = None\n"
PROBED = "from lingbot_probes import Probe\nbot = Probe('bot', {url!r})\nprobe = bot.intent\n"
DEAD = "http://127.0.0.1:9"
PATIENCE = 180  # seconds for a whole process, on a machine with other work; it is not waited for


def run(script: str, env: dict[str, str] | None = None) -> tuple[int, str, str, float]:
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", script],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, **(env or {})},
        check=False,
    )
    return done.returncode, done.stdout, done.stderr, time.perf_counter() - began


# -- importing ---------------------------------------------------------------------------------------------------

HEAVY = {
    "typing", "dataclasses", "inspect", "re", "json", "http.client", "http", "ssl", "socket", "email", "urllib.parse",
    "asyncio", "logging", "tempfile", "random", "subprocess", "multiprocessing", "concurrent.futures", "traceback",
}  # fmt: skip
LISTED = """
import sys
before = set(sys.modules)
{act}
print(sorted(set(sys.modules) - before))
"""


def loaded(act: str) -> set[str]:
    code, out, err, _ = run(LISTED.format(act=act))
    assert (code, err) == (0, "")
    return set(ast.literal_eval(out))


def test_the_import_loads_the_standard_library_alone_and_little_of_it() -> None:
    found = loaded("import lingbot_probes")
    foreign = {name.partition(".")[0] for name in found} - set(sys.stdlib_module_names) - {"lingbot_probes"}
    assert foreign == set()
    assert found & HEAVY == set()
    assert len([name for name in found if not name.startswith("lingbot_probes")]) <= 20


def test_a_probe_that_was_not_used_has_loaded_no_network_and_started_no_thread() -> None:
    act = "from lingbot_probes import Probe\np = Probe('bot')\np.intent(lambda: 'x')\nimport threading\n"
    found = loaded(act + "assert threading.active_count() == 1")
    assert found & HEAVY == set()


def test_nothing_but_the_standard_library_is_ever_loaded() -> None:
    act = "from lingbot_probes import Probe, Answered\np = Probe('bot', 'http://127.0.0.1:9')\n"
    found = loaded(act + "p.emit(Answered(text='x'))\np.flush(0.3)")
    foreign = {name.partition(".")[0] for name in found} - set(sys.stdlib_module_names) - {"lingbot_probes"}
    assert foreign == set()


# -- the end -----------------------------------------------------------------------------------------------------

ENDS = {
    "plain": "f = probe(lambda x: x)\nfor i in range(1000): f(i)\nprint('end')",
    "exit code": "import sys\nprobe(lambda: sys.exit(7))()",
    "unhandled exception": "def g(): raise SystemExit(9)\nf = probe(g)\nf()",
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
}


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("listening", [True, False], ids=["map there", "no map"])
def test_ends_as_it_would_without(name: str, listening: bool, server: Server) -> None:
    url = server.url if listening else DEAD
    plain = run(PLAIN + ENDS[name])
    probed = run(PROBED.format(url=url) + ENDS[name])
    assert probed[:3] == plain[:3]


def test_the_last_events_arrive(server: Server) -> None:
    late = "import atexit\natexit.register(lambda: probe(lambda: ('late', 0.5))())\n"
    script = PROBED.format(url=server.url) + late + "for i in range(100): probe(lambda: ('a', 0.5))()"
    code, _, err, _ = run(script)
    assert (code, err) == (0, "")
    told = [signal["intent"] for signal in server.map.signals()]
    assert told == ["a"] * 100 + ["late"]


def test_a_map_that_hangs_delays_the_end_by_half_a_second_at_most() -> None:
    """The server takes the connection and never answers; the process measures its own end."""
    hang = """
import socket, threading, os, time
listening = socket.create_server(("127.0.0.1", 0))
url = f"http://127.0.0.1:{listening.getsockname()[1]}"
began = []
import atexit
atexit.register(lambda: (print(time.perf_counter() - began[0]), listening.close()))
from lingbot_probes import Probe
bot = Probe("bot", url)
bot.answered("x")
time.sleep(0.2)
began.append(time.perf_counter())
"""
    code, out, err, _ = run(hang)
    assert (code, err) == (0, "")
    assert float(out) <= 0.5


# -- forks -------------------------------------------------------------------------------------------------------


def test_fifty_forks_under_load(server: Server) -> None:
    script = """
import os, sys, threading, time
f = probe(lambda x: ("a", 0.5))
stop = []
def hammer():
    while not stop: f(1)
threads = [threading.Thread(target=hammer, daemon=True) for _ in range(4)]
[thread.start() for thread in threads]
bad = 0
for _ in range(50):
    pid = os.fork()
    if pid == 0:
        for i in range(50): f(i)
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
"""
    assert run(PROBED.format(url=server.url) + script)[:3] == (0, "bad 0\n", "")
    sources = {source for source, _ in server.map.accepted}
    assert server.map.repeated == 0 or len(sources) > 1


def test_a_fork_while_the_thread_looks_for_its_token_leaves_no_lock_behind(server: Server) -> None:
    """``tempfile`` looks for its folder under a lock; a child that is forked meanwhile would wait for it for ever."""
    script = """
import os, tempfile, threading
inside, look = threading.Event(), tempfile._get_default_tempdir
def slow():
    inside.set()
    threading.Event().wait(0.3)
    return look()
tempfile._get_default_tempdir = slow
bot.answered("parent")
inside.wait(60)
pid = os.fork()
if pid == 0:
    bot.answered("child")
    os._exit(0 if bot.flush(20) else 1)
print(os.waitpid(pid, 0)[1], bot.flush(20))
"""
    assert run(PROBED.format(url=server.url) + script)[:3] == (0, "0 True\n", "")
    assert sorted(signal["text"] for signal in server.map.signals()) == ["child", "parent"]


@pytest.mark.parametrize("how", ["fork", "prefork of a session", "pool", "exit"])
def test_workers_are_sources_of_their_own_and_nothing_comes_twice(how: str, server: Server) -> None:
    """Four workers, 1,000 events each, after the parent has numbered some itself, in an open session.

    How long that takes is not the question: each waits until its events are there, and may take its time at the end.
    """
    work = """
import os, sys, json, multiprocessing
import lingbot_probes.sender
lingbot_probes.sender.LEAVE = 60.0
def work(number):
    for block in range(4):
        for i in range(250): bot.answered(f"{number} {block} {i}")
        while not bot.flush(10): pass
"""
    ends = {
        "fork": "os._exit(0)",
        "prefork of a session": "assert bot.flush(60); os._exit(0)",
        "exit": "bot.answered('bye'); sys.exit(0)",
    }
    forks = """
with bot.session("shared"):
    for i in range(20): bot.answered(f"parent {i}")
    pids = []
    for number in range(4):
        pid = os.fork()
        if pid == 0:
            work(number)
            END
        pids.append(pid)
    for pid in pids: os.waitpid(pid, 0)
"""
    pool = """
with bot.session("shared"):
    for i in range(20): bot.answered(f"parent {i}")
    with multiprocessing.get_context("fork").Pool(4) as workers: workers.map(work, range(4), chunksize=1)
"""
    script = work + (pool if how == "pool" else forks.replace("END", ends.get(how, "")))
    code, _, err, _ = run(PROBED.format(url=server.url) + script)
    assert (code, err) == (0, "")
    told = [signal.get("text") for signal in server.map.signals("shared") if signal["kind"] == "answered"]
    expected = {f"parent {i}" for i in range(20)} | {
        f"{number} {block} {i}" for number in range(4) for block in range(4) for i in range(250)
    }
    assert set(told) - {"bye"} == expected
    assert len([text for text in told if text != "bye"]) == len(expected)
    if how == "exit":
        assert told.count("bye") == 4
    for (_, session), events in server.map.accepted.items():
        assert session == "shared"
        assert sorted(events) == list(range(1, len(events) + 1))
    assert not any(server.map.lost().values())


# -- configuration -----------------------------------------------------------------------------------------------


def test_the_environment_is_read_when_the_probe_is_made(server: Server) -> None:
    server.token = "word"
    script = (
        "import lingbot_probes, os\n"
        f"os.environ['LINGBOT_ENDPOINT'] = {server.url!r}\nos.environ['LINGBOT_TOKEN'] = 'word'\n"
        "p = lingbot_probes.Probe('bot')\np.answered('x')\nprint(p.flush(10))"
    )
    assert run(script)[:3] == (0, "True\n", "")
    assert server.map.signals() == [{"kind": "answered", "text": "x"}]


def test_switched_off_nothing_is_loaded_and_nothing_runs() -> None:
    script = (
        "import sys, threading\nfrom lingbot_probes import Probe\np = Probe('bot')\n"
        "def f(): return 'x'\n"
        "assert p.intent(f) is f and p.turn(f) is f and p.retrieval()(f) is f and p.slots(f) is f\n"
        "p.answered('x'); f(); p.flush()\nprint(threading.active_count(), 'socket' in sys.modules)"
    )
    for word in ("off", "OFF", "0", "false", "no"):
        assert run(script, {"LINGBOT_MAP": word})[:3] == (0, "1 False\n", "")
