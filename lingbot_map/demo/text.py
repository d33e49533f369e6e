"""How the assistant reads a text: one normal form, n-gram features, hashed embeddings and search terms."""

from __future__ import annotations

import math
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping

LONGEST = 600
"""Characters of an utterance that are read; what comes after is never the request."""

DIMENSIONS = 4096
"""Buckets of an embedding. 68 short documents have about 4,000 n-grams; in fewer, strangers look alike."""

_RUNS = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[\u3400-\u9fff]+")
_STOP = frozenset(
    re.findall(
        r"\S+",
        "a an the of to in on at is are am was be i i'm i'd my me you your it its and or for with can could do does "
        "did please would like want have has this that what how there so",
    )
)


def normal(text: str) -> str:
    """``text`` in compatibility form and lower case, without control characters, cut to ``LONGEST``."""
    folded = unicodedata.normalize("NFKC", text[: 4 * LONGEST]).casefold()
    printable = "".join(char if char.isprintable() else " " for char in folded)
    return " ".join(printable.split())[:LONGEST]


def ngrams(text: str) -> Counter[str]:
    """The features of a text for routing and embedding: Chinese 1- to 3-grams; Latin words, word pairs and stems."""
    found: Counter[str] = Counter()
    before = ""
    for run in _RUNS.findall(normal(text)):
        if run[0] >= "\u3400":
            for size in (1, 2, 3):
                found.update(run[start : start + size] for start in range(len(run) - size + 1))
            before = ""
            continue
        if run not in _STOP:
            found[run] += 1
            if len(run) > 4:
                found[f"{run[:4]}~"] += 1
        if before:
            found[f"{before} {run}"] += 1
        before = run
    return found


def terms(text: str) -> list[str]:
    """The search terms of a text: pairs of Chinese characters (a lone one counts as itself) and Latin words."""
    found: list[str] = []
    for run in _RUNS.findall(normal(text)):
        if run[0] < "\u3400":
            if run not in _STOP:
                found.append(run[:-1] if len(run) > 4 and run.endswith("s") else run)
        elif len(run) == 1:
            found.append(run)
        else:
            found.extend(run[start : start + 2] for start in range(len(run) - 1))
    return found


def weigh(features: Mapping[str, int], rarity: Mapping[str, float], unseen: float) -> dict[str, float]:
    """``features`` by damped frequency and rarity, scaled to length 1; what ``rarity`` lacks weighs ``unseen``."""
    weighed = {name: (1 + math.log(count)) * rarity.get(name, unseen) for name, count in features.items()}
    return unit(weighed)


def unit(vector: Mapping[str, float]) -> dict[str, float]:
    """``vector`` scaled to length 1 (an empty one stays empty)."""
    length = math.sqrt(sum(value * value for value in vector.values()))
    return {name: value / length for name, value in vector.items()} if length else {}


def rarities(texts: Iterable[Counter[str]]) -> dict[str, float]:
    """How much each feature tells, by the share of ``texts`` it occurs in (smoothed inverse document frequency)."""
    seen: Counter[str] = Counter()
    total = 0
    for features in texts:
        seen.update(features.keys())
        total += 1
    return {name: math.log((1 + total) / (1 + count)) + 1 for name, count in seen.items()}


def embed(text: str) -> dict[int, float]:
    """A vector of ``DIMENSIONS`` buckets, length 1: n-grams hashed with a sign, damped, the same on every machine."""
    buckets: dict[int, float] = {}
    for feature, count in ngrams(text).items():
        mark = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
        bucket = mark % DIMENSIONS
        sign = 1.0 if mark & 0x8000_0000 else -1.0
        weight = (1 + math.log(count)) * (0.35 if len(feature) == 1 else 1.0)
        buckets[bucket] = buckets.get(bucket, 0.0) + sign * weight
    length = math.sqrt(sum(value * value for value in buckets.values()))
    return {bucket: value / length for bucket, value in buckets.items()} if length else {}


def cosine(one: Mapping[int, float], other: Mapping[int, float]) -> float:
    """How alike two embeddings are: 1 for the same direction, 0 for nothing in common."""
    if len(one) > len(other):
        one, other = other, one
    return sum(value * other[bucket] for bucket, value in one.items() if bucket in other)
