"""Conversations of several turns that repeat themselves: how many of the repeated questions are kept off the work, and
how long such a one takes. One conversation of each base goes through its script five times; others follow it."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

from bench import Figure
from lingbot_map.ask import Ask
from lingbot_map.ask.bases import KINDS, opened
from lingbot_map.ask.kept import outcomes_of
from tests.ask.acceptance import OWN, expectations

ROUNDS = 5


def measure() -> Iterator[Figure]:
    """The share of repeats that are kept off, and the time of one, for each base; times by the clock."""
    for kind in KINDS:
        over = {expected.over for expected in expectations(kind, folder=OWN)}
        asked = repeats = hits = 0
        times: list[float] = []
        for each in sorted(over):
            script = [expected.question for expected in expectations(kind, folder=OWN) if expected.over == each]
            base = opened(kind, [Path(OWN / part.strip()) for part in each.split("+")])
            rng = random.Random(0)
            for conversation in range(3):
                one = Ask(base)
                for number in range(ROUNDS):
                    if conversation == 2:  # in another order what follows a topic follows another one
                        rng.shuffle(script)
                    for question in script:
                        before = outcomes_of(base).hits
                        began = time.perf_counter()
                        one.ask(question)
                        took = (time.perf_counter() - began) * 1000
                        asked += 1
                        repeats += number > 0 or conversation > 0
                        if outcomes_of(base).hits > before:
                            hits += 1
                            times.append(took)
        times.sort()
        note = f"{asked} questions, {repeats} of them repeats"
        share = round(100 * hits / repeats, 1)
        yield Figure(name=f"{kind}: repeats kept off", value=share, unit="%", bar=60, better="more", note=note)
        note = f"median {times[len(times) // 2]:.3f} ms"
        p95 = round(times[int(len(times) * 0.95)], 3)
        yield Figure(name=f"{kind}: a kept answer, p95", value=p95, unit="ms", bar=1, note=note)


if __name__ == "__main__":
    for figure in measure():
        print(f"{figure.name}: {figure.value} {figure.unit} ({figure.note})")
