"""Large folders of documents: what it takes to index, open, ask and change one.

The folders are generated, the same each time: articles of some 25 sentences over invented places and people, with
words as common and as rare as those of a language (Zipf), that name each other. Each step runs in a process of its own;
times are those of the processor, since other work may share it. Memory is the most that was resident (pages of the
mapped index among them), and beside it what was private. BENCH_ASK_FOLDERS are the sizes in sentences ("22000,120000"
unless told; 500000 takes some minutes and 0.5 GB of disk).
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench import Figure

SIZES = tuple(int(part) for part in os.environ.get("BENCH_ASK_FOLDERS", "22000,120000").split(",") if part)
BARS: dict[int, dict[str, float]] = {
    22_000: {"index": 10, "p50": 15, "p95": 40},
    120_000: {"index": 60, "p50": 60, "memory": 512, "changed": 200, "part": 1},
    500_000: {"index": 300, "p50": 150, "memory": 2048, "open": 1},
}
_SENTENCES = 25  # a document
_ASKED = 60
_SYLLABLES = tuple(first + second for first in "bdfghklmnprs" for second in "aeio")
_HOW = ("founded by", "built beside", "named after", "supplied from", "moved to", "led by", "closed because of")
_WHO = (
    "Who leads {a}?",
    "When was {a} founded?",
    "What was {a} named after and who built {b}?",
    "Where did the {w} of {a} move to?",
    "Which {w} does {a} share with {b}?",
    "How many {w} does the {v} near {a} hold?",
)


def _word(rng: random.Random) -> str:
    return "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 4)))


class World:
    """The words and names of a folder of so many sentences."""

    def __init__(self, sentences: int) -> None:
        self.rng = random.Random(sentences)
        self.count = max(4, sentences // _SENTENCES)
        words = list(dict.fromkeys(_word(self.rng) for _ in range(30_000)))
        self.words = words
        self.weights = [1 / (rank + 3) for rank in range(len(words))]
        total, self.cumulative = 0.0, []
        for weight in self.weights:
            total += weight
            self.cumulative.append(total)
        self.names = [
            f"{_word(self.rng).capitalize()} {_word(self.rng).capitalize()} {at % 97}" for at in range(self.count)
        ]

    def some(self, count: int) -> list[str]:
        """Words, common ones more often."""
        return self.rng.choices(self.words, cum_weights=self.cumulative, k=count)

    def document(self, at: int) -> str:
        """The text of a document: every third sentence names another."""
        parts = [f"# {self.names[at]}\n"]
        for n in range(_SENTENCES):
            said = self.some(9)
            if n % 3 == 0:
                other = self.names[self.rng.randrange(self.count)]
                parts.append(
                    f"The {said[0]} of {self.names[at]} was {self.rng.choice(_HOW)} {other} in {1800 + n * 7}."
                )
            else:
                parts.append(f"{said[0].capitalize()} {' '.join(said[1:])} {self.rng.randrange(10_000)}.")
            if n % 6 == 5:
                parts.append("\n\n")
        return " ".join(parts)

    def questions(self) -> list[str]:
        """What is asked: names, with common and rare words beside them."""
        found = []
        for at in range(_ASKED):
            w, v = self.some(2)
            a, b = self.rng.choice(self.names), self.rng.choice(self.names)
            found.append(_WHO[at % len(_WHO)].format(a=a, b=b, w=w, v=v))
        return found


def _make(folder: Path, sentences: int) -> None:
    world = World(sentences)
    for at in range(world.count):
        path = folder / f"{at % 100:02d}" / f"{at}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(world.document(at), "utf-8")


def _memory() -> dict[str, float]:
    said = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text("ascii").splitlines())
    return {name: int(said[name].split()[0]) / 1024 for name in ("VmHWM", "RssAnon")}


def _steps(step: str, folder: Path, sentences: int) -> dict[str, Any]:
    from lingbot_map.ask import Ask
    from lingbot_map.ask.bases.documents.answering import Documents
    from lingbot_map.ask.bases.documents.stored import Stored

    began = time.process_time()
    stored = Stored(folder)
    told: dict[str, Any] = {"seconds": time.process_time() - began}
    if step == "ask":
        world = World(sentences)
        for kind in ("recall", "chains"):
            asking = Ask(Documents(stored, "recall" if kind == "recall" else "sentences"))
            times = []
            for text in world.questions():
                began = time.process_time()
                asking.ask(text)
                times.append((time.process_time() - began) * 1000)
            told[kind] = times
    elif step == "change":
        path = folder / "07" / "107.md"
        times = []
        for n in range(5):
            path.write_text(path.read_text("utf-8") + f"\nThe gate of number {n} is new.\n", "utf-8")
            began = time.process_time()
            stored.refresh()
            times.append((time.process_time() - began) * 1000)
        told["times"] = times
    return told | _memory() | {"sentences": len(stored.snapshot.sentences)}


def _run(step: str, folder: Path, sentences: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.ask_folders", step, str(folder), str(sentences)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _measured(sentences: int) -> Iterator[Figure]:
    bars = BARS.get(sentences, {})
    label = f"{sentences:,} sentences"
    with tempfile.TemporaryDirectory(prefix="bench-ask-") as at:
        folder = Path(at)
        _make(folder, sentences)
        made = _run("index", folder, sentences)
        size = sum(each.stat().st_size for each in (folder / ".lingbot-ask").iterdir()) / 2**20
        yield Figure(
            name=f"{label}: index",
            value=round(made["seconds"], 1),
            unit="s",
            bar=bars.get("index"),
            note=f"{made['sentences']} sentences, {made['VmHWM']:.0f} MB, {size:.0f} MB on disk",
        )
        opening = min((_run("open", folder, sentences) for _ in range(3)), key=lambda each: float(each["seconds"]))
        yield Figure(name=f"{label}: open", value=round(opening["seconds"], 3), unit="s", bar=bars.get("open", 1))
        asked = _run("ask", folder, sentences)
        for kind in ("recall", "chains"):
            times = sorted(asked[kind])
            first = f"the first {asked[kind][0]:.0f} ms"
            yield Figure(
                name=f"{label}: a question ({kind}), p50",
                value=round(times[len(times) // 2], 1),
                unit="ms",
                bar=bars.get("p50"),
                note=first,
            )
            yield Figure(
                name=f"{label}: a question ({kind}), p95",
                value=round(times[int(0.95 * len(times))], 1),
                unit="ms",
                bar=bars.get("p95"),
            )
        note = f"{asked['RssAnon']:.0f} MB of it private"
        yield Figure(name=f"{label}: memory", value=round(asked["VmHWM"]), unit="MB", bar=bars.get("memory"), note=note)
        times = sorted(_run("change", folder, sentences)["times"])
        middle = times[len(times) // 2]
        yield Figure(
            name=f"{label}: one document changed", value=round(middle, 1), unit="ms", bar=bars.get("changed", 200)
        )
        part = 100 * middle / 1000 / made["seconds"]
        yield Figure(
            name=f"{label}: one document changed, of making the index",
            value=round(part, 2),
            unit="%",
            bar=bars.get("part"),
        )


def measure() -> Iterable[Figure]:
    """All sizes."""
    for sentences in SIZES:
        yield from _measured(sentences)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(_steps(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
    else:
        for figure in measure():
            print(figure)
