"""Which turn of one dialogue is which of another, by what was said in them; their numbers say nothing.

Turns with the same words are matched first (the longest common subsequence), then turns with similar words between two
such matches. The cost is bounded whatever the texts are. The page's ``align.js`` is held to the same vectors.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

MOST_CELLS = 1_000_000
"""Of a table of all pairs of turns: 1,000 turns against 1,000. Beyond it, texts that both say just once divide it."""
MOST_SIMILAR = 2_500
"""Pairs of texts that are compared letter by letter between two matches: 50 turns against 50."""
SIMILAR = 500
"""Thousandths of their letter pairs that two texts must share to be taken for one another."""

Pair = tuple[int, int]


def align(a: Sequence[str], b: Sequence[str]) -> list[Pair]:
    """Places (in ``a``, in ``b``) that belong together, growing in both; a place in none of them has no partner.

    Case and the amount of white space don't count. The same texts give the same pairs.
    """
    ours, theirs = [_plain(text) for text in a], [_plain(text) for text in b]
    same = list(_same(ours, theirs))
    fixed = [(-1, -1), *same, (len(ours), len(theirs))]
    out: list[Pair] = []
    for (i, j), (k, m) in pairwise(fixed):
        out += _similar(ours, theirs, (i + 1, k), (j + 1, m))
        if k < len(ours):
            out.append((k, m))
    return out


def likeness(a: str, b: str) -> int:
    """How alike two texts are: thousandths of their pairs of neighbouring letters, ends included, that both have."""
    return _alike(_letter_pairs(_plain(a)), _letter_pairs(_plain(b)))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _same(a: list[str], b: list[str]) -> Iterator[Pair]:
    """The matches of equal texts."""
    first = 0
    while first < min(len(a), len(b)) and a[first] == b[first]:
        yield first, first
        first += 1
    last = 0
    while last < min(len(a), len(b)) - first and a[-1 - last] == b[-1 - last]:
        last += 1
    yield from _between(a, b, (first, len(a) - last), (first, len(b) - last), divided=False)
    for place in range(last, 0, -1):
        yield len(a) - place, len(b) - place


def _between(a: list[str], b: list[str], in_a: Pair, in_b: Pair, *, divided: bool) -> Iterator[Pair]:
    n, m = in_a[1] - in_a[0], in_b[1] - in_b[0]
    if not n or not m:
        return
    if n * m <= MOST_CELLS:
        for i, j in _longest(a[slice(*in_a)], b[slice(*in_b)]):
            yield in_a[0] + i, in_b[0] + j
        return
    if divided:  # too much of it says the same again and again: no table of it is made
        return
    i, j = in_a[0], in_b[0]
    for k, p in [*_anchors(a, b, in_a, in_b), (in_a[1], in_b[1])]:
        yield from _between(a, b, (i, k), (j, p), divided=True)
        if k < in_a[1]:
            yield k, p
        i, j = k + 1, p + 1


def _longest(a: list[str], b: list[str]) -> Iterator[Pair]:
    """The longest common subsequence; of several the one whose matches come first in ``a``."""
    n, m = len(a), len(b)
    rows = [array("H", bytes(2 * (m + 1)))]
    for text in reversed(a):
        below = rows[-1]
        row = array("H", bytes(2 * (m + 1)))
        best = 0
        for j in range(m - 1, -1, -1):
            if text == b[j]:
                best = below[j + 1] + 1
            elif below[j] > best:
                best = below[j]
            row[j] = best
        rows.append(row)
    rows.reverse()
    i = j = 0
    while i < n and j < m:
        if a[i] == b[j]:
            yield i, j
            i, j = i + 1, j + 1
        elif rows[i + 1][j] > rows[i][j + 1]:
            i += 1
        else:
            j += 1


def _anchors(a: list[str], b: list[str], in_a: Pair, in_b: Pair) -> list[Pair]:
    """The longest growing run of texts that both say exactly once (as patience does with cards)."""
    once_a, once_b = _once(a, in_a), _once(b, in_b)
    tops: list[int] = []
    heads: list[Pair] = []
    before: dict[Pair, Pair | None] = {}
    for text, i in once_a.items():
        j = once_b.get(text)
        if j is None:
            continue
        place = bisect_left(tops, j)
        before[i, j] = heads[place - 1] if place else None
        tops[place : place + 1] = [j]
        heads[place : place + 1] = [(i, j)]
    out: list[Pair] = []
    at = heads[-1] if heads else None
    while at is not None:
        out.append(at)
        at = before[at]
    return out[::-1]


def _once(texts: list[str], within: Pair) -> dict[str, int]:
    counts: dict[str, int] = {}
    for text in texts[slice(*within)]:
        counts[text] = counts.get(text, 0) + 1
    return {texts[i]: i for i in range(*within) if counts[texts[i]] == 1}


def _similar(a: list[str], b: list[str], in_a: Pair, in_b: Pair) -> list[Pair]:
    """The pairs of similar texts, growing in both, that are most alike in all; none where there are too many."""
    n, m = in_a[1] - in_a[0], in_b[1] - in_b[0]
    if n <= 0 or m <= 0 or n * m > MOST_SIMILAR:
        return []
    ours = [_letter_pairs(text) for text in a[slice(*in_a)]]
    theirs = [_letter_pairs(text) for text in b[slice(*in_b)]]
    alike = [[_alike(x, y) for y in theirs] for x in ours]
    best = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            paired = alike[i][j] + best[i + 1][j + 1] if alike[i][j] >= SIMILAR else 0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    out: list[Pair] = []
    i = j = 0
    while i < n and j < m:
        if alike[i][j] >= SIMILAR and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            out.append((in_a[0] + i, in_b[0] + j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return out


def _letter_pairs(text: str) -> frozenset[str]:
    ended = f"\x02{text}\x03"
    return frozenset(ended[i : i + 2] for i in range(len(ended) - 1))


def _alike(a: frozenset[str], b: frozenset[str]) -> int:
    return 2000 * len(a & b) // (len(a) + len(b))
