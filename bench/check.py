"""What a run of ``lingbot-map check`` costs in CI: a hundred recordings, with rules and both reports."""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench import Figure
from bench.dialogues import generate, place
from lingbot_map.compare import compare, facts_of
from lingbot_map.events import EpochStarted, Event
from lingbot_map.intake import Intake
from lingbot_map.mapper import Mapper, replay
from lingbot_map.store.lines import event_line, header_line
from lingbot_web.cli import run

RECORDINGS, TURNS = 100, 50
LONG = 1000
RULES = """
[[rule]]
never_jumped = ["smalltalk", "handover", "invoice", "roaming"]

[[rule]]
has_no = "findings"
except = ["failure", "loop", "overwrite", "leak", "drift", "stale"]
"""


def measure() -> Iterator[Figure]:
    """CPU seconds of the check, and of comparing two long dialogues."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [str(_recording(folder / f"{seed}.jsonl", seed)) for seed in range(RECORDINGS)]
        (folder / "rules.toml").write_text(RULES, "utf-8")
        options = ["--rules", "rules.toml", "--junit", "out.xml", "--sarif", "out.sarif"]
        options = [str(folder / word) if "." in word else word for word in options]
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())) as said:
            before = time.process_time()
            code = run(["check", *files, *options])
            took = time.process_time() - before
            said.seek(0)
            last = said.read().splitlines()[-1]
    assert code == 1, last
    yield Figure(
        name=f"checking {RECORDINGS} recordings of {TURNS} turns",
        value=took,
        unit="s",
        bar=5.0,
        note=f"findings, two rules, JUnit and SARIF: {last}",
    )
    a, b = (facts_of(replay(list(place(generate(LONG, seed=seed))))) for seed in (1, 2))
    before = time.process_time()
    differences = len(compare(a, b).differences)
    yield Figure(
        name="comparing two dialogues of 1,000 turns",
        value=time.process_time() - before,
        unit="s",
        bar=3.0,
        note=f"{differences:,} differences",
    )


def _recording(path: Path, seed: int) -> Path:
    mapper = Mapper(session=f"call-{seed}")
    intake = Intake(mapper.map)
    items = list(generate(TURNS, seed=seed, session=mapper.map.session))
    events: list[Event] = [intake.own(EpochStarted(epoch="bench"), items[0].said_at or 0.0)]
    mapper.apply(events[0])
    events += intake.take("bench", items, 1.8e9, numbered=len(items), recorded=True).events
    path.write_bytes(b"".join([header_line(mapper.map.session), *map(event_line, events)]))
    return path
