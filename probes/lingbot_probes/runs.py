"""Sets of numbers that are mostly one run: what of a session arrived, what was lost, what is in doubt."""

from __future__ import annotations

RUNS = 1_000
"""Separate losses or refusals of a session that are known one by one. Those before them are counted."""


class Numbers:
    """A set of positive whole numbers that is mostly one run: ``[[first, last], ...]``, sorted, disjoint."""

    __slots__ = ("runs",)

    def __init__(self) -> None:
        self.runs: list[list[int]] = []

    def __contains__(self, n: int) -> bool:
        for first, last in self.runs:
            if n <= last:
                return n >= first
        return False

    def add(self, first: int, last: int) -> None:
        runs = self.runs
        if runs and first >= runs[-1][0]:  # the usual case: it goes on where it stopped
            if first <= runs[-1][1] + 1:
                runs[-1][1] = max(runs[-1][1], last)
            else:
                runs.append([first, last])
            return
        merged: list[list[int]] = []
        for run in sorted([*runs, [first, last]]):
            if merged and run[0] <= merged[-1][1] + 1:
                merged[-1][1] = max(merged[-1][1], run[1])
            else:
                merged.append(list(run))
        self.runs = merged

    def discard(self, start: int, end: int | None = None) -> None:
        end = start if end is None else end
        out: list[list[int]] = []
        for first, last in self.runs:
            out += [run for run in ([first, min(last, start - 1)], [max(first, end + 1), last]) if run[0] <= run[1]]
        self.runs = out

    def within(self, start: int, end: int) -> int:
        """How many of start..end are in the set."""
        return sum(max(min(last, end) - max(first, start) + 1, 0) for first, last in self.runs)

    def holes(self, start: int, end: int) -> list[tuple[int, int]]:
        """The runs of start..end that are not in the set."""
        return [(max(first, start), last) for first, last in self.missing(end) if last >= start]

    def missing(self, top: int) -> list[tuple[int, int]]:
        """The runs of 1..top that are not in the set."""
        holes, expected = [], 1
        for first, last in self.runs:
            if first > top:
                break
            if first > expected:
                holes.append((expected, first - 1))
            expected = last + 1
        if expected <= top:
            holes.append((expected, top))
        return holes

    def full(self, top: int) -> bool:
        return top == 0 or (bool(self.runs) and self.runs[0][0] == 1 and self.runs[0][1] >= top)

    def total(self) -> int:
        """How many numbers it holds."""
        return sum(last - first + 1 for first, last in self.runs)

    def forget(self) -> int:
        """Let go of the lowest runs where there are too many of them; how many numbers that were."""
        if len(self.runs) <= RUNS:
            return 0
        oldest = self.runs[: RUNS // 2]
        del self.runs[: RUNS // 2]
        return sum(last - first + 1 for first, last in oldest)


class Tally(Numbers):
    """Numbers that are counted for ever, and remembered one by one only lately."""

    __slots__ = ("before",)

    def __init__(self) -> None:
        super().__init__()
        self.before = 0

    def add(self, first: int, last: int) -> None:
        super().add(first, last)
        self.before += self.forget()

    def total(self) -> int:
        return self.before + super().total()
