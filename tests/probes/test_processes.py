"""Whole processes: what importing costs, how it ends, how it forks. Each script runs plain and with the probe."""

from __future__ import annotations

import ast
import sys

import pytest

from tests.probes.listening import Server
from tests.torture.probe_ends import ENDS, FORKS, PLAIN, PROBED, ended
from tests.torture.probe_sinks import SINKS

DEAD = "http://127.0.0.1:9"
PATIENCE = 180  # seconds for a whole process, on a machine with other work; it is not waited for


def run(script: str, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    """(exit code, output, errors)"""
    done = ended(script, PATIENCE, env)
    assert not done.hung
    return done.code, done.out, done.err


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
    code, out, err = run(LISTED.format(act=act))
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


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("listening", [True, False], ids=["map there", "no map"])
def test_ends_as_it_would_without(name: str, listening: bool, server: Server) -> None:
    url = server.url if listening else DEAD
    plain = run(PLAIN + ENDS[name])
    probed = run(PROBED.format(url=url) + ENDS[name])
    assert probed == plain


def test_the_last_events_arrive(server: Server) -> None:
    late = "import atexit\natexit.register(lambda: probe(lambda: ('late', 0.5))())\n"
    script = PROBED.format(url=server.url) + late + "for i in range(100): probe(lambda: ('a', 0.5))()"
    code, _, err = run(script)
    assert (code, err) == (0, "")
    told = [signal["intent"] for signal in server.map.signals()]
    assert told == ["a"] * 100 + ["late"]


# Each says something and then measures its own end; ``late`` is said when no thread can be started any more.
SELF_TIMED = """
import atexit, os, socket, time
ended = []
atexit.register(lambda: print(time.perf_counter() - ended[0]))
from lingbot_probes import Probe
bot = Probe("bot", {url!r})
{says}
atexit.register(lambda: ended.append(time.perf_counter()))
"""
SAYS = {
    "before": "bot.answered('x')\ntime.sleep(0.2)",
    "late": "atexit.register(lambda: bot.answered('x'))",
    "much, late": "atexit.register(lambda: [bot.answered('x' * 16_000) for _ in range(500)])",
}


def delay(script: str) -> float:
    """Seconds that the program found its end to take; of several attempts the best, for other work may delay it too."""
    found = []
    for _ in range(8):
        done = ended(script)
        assert (done.code, done.err) == (0, "")
        found.append(float(done.out))
        if found[-1] <= 0.5:
            break
    return min(found)


@pytest.mark.parametrize("says", SAYS)
@pytest.mark.parametrize("sink", ["silence", "drops", "a slow one"])
def test_the_end_is_delayed_by_half_a_second_at_most(sink: str, says: str) -> None:
    with SINKS[sink]() as url:
        assert delay(SELF_TIMED.format(url=url, says=SAYS[says])) <= 0.5


def test_a_resolver_that_hangs_does_not_delay_the_end() -> None:
    """Nobody can be asked for an address with a time limit, so at the end nobody is."""
    never = "socket.getaddrinfo = lambda *args, **kwargs: time.sleep(60)\n"
    for says in SAYS.values():
        assert delay(SELF_TIMED.format(url="http://map.example:8700", says=never + says)) <= 0.5


# -- forks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORKS)
def test_forks_as_it_would_without(name: str, server: Server) -> None:
    probed = ended(PROBED.format(url=server.url) + FORKS[name], PATIENCE)
    assert probed.seen == ended(PLAIN + FORKS[name], PATIENCE).seen
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
    assert run(PROBED.format(url=server.url) + script) == (0, "0 True\n", "")
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
    code, _, err = run(PROBED.format(url=server.url) + script)
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
    assert run(script) == (0, "True\n", "")
    assert server.map.signals() == [{"kind": "answered", "text": "x"}]


def test_switched_off_nothing_is_loaded_and_nothing_runs() -> None:
    script = (
        "import sys, threading\nfrom lingbot_probes import Probe\np = Probe('bot')\n"
        "def f(): return 'x'\n"
        "assert p.intent(f) is f and p.turn(f) is f and p.retrieval()(f) is f and p.slots(f) is f\n"
        "p.answered('x'); f(); p.flush()\nprint(threading.active_count(), 'socket' in sys.modules)"
    )
    for word in ("off", "OFF", "0", "false", "no"):
        assert run(script, {"LINGBOT_MAP": word}) == (0, "1 False\n", "")
