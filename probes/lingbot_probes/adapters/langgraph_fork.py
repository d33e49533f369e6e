"""Where on its line a thread goes on when a run names a checkpoint: events tell the step, and not the step's past."""

from __future__ import annotations

from collections import deque

from lingbot_probes.adapters.langgraph_line import Line, Mark
from lingbot_probes.adapters.langgraph_run import Root, Run

_KEPT = 2_000  # steps that a fork can go back over
_EPOCH = 0x01B21DD213814000  # 100 ns between 1582-10-15, where the time of such ids begins, and 1970 (RFC 9562)
_CLEAR = 0.001  # seconds between two times from which they tell which was first: runs' ids have no finer ones


class _Step:
    """A step of the graph: its number, when it began, and where the line stood before it."""

    __slots__ = ("at", "done", "mark", "number")

    def __init__(self, number: int, mark: Mark, at: float) -> None:
        self.number = number
        self.mark = mark
        self.at = at
        self.done = True  # whether it came to an end: else the graph's newest checkpoint lies before it


class Steps:
    """The steps of a thread, as far as they still hold."""

    def __init__(self, line: Line) -> None:
        """None yet."""
        self._line = line
        self._steps: deque[_Step] = deque(maxlen=_KEPT)

    def turn(self, at: float) -> None:
        """The user speaks: the graph's input takes a step of its own."""
        if self._steps:
            self._steps.append(_Step(self._steps[-1].number + 1, self._line.mark(), at))

    def arrive(self, run: Run, root: Root, updates: int, at: float) -> None:
        """``run`` is the first node of its run, after so many ``updates`` of the state from outside. Where the run goes
        on from an earlier checkpoint, what came after that is undone."""
        if root.held:
            if not root.resumed:
                number = run.step - 2 - updates
            elif updates:
                number = run.step - updates
            else:
                number = self._goes_on(run.step, made_at(root.checkpoint))
            mark = self._back(number)
            if number < run.step:  # the change takes a step, which a later fork may undo with what it wrote
                self._steps.append(_Step(number, mark or self._line.mark(), at))
        elif not root.resumed and len(self._steps) > 1 and run.step < self._steps[-1].number:
            self._steps.clear()  # without a checkpointer each run counts anew

    def begin(self, number: int, at: float) -> None:
        """The graph is in this step from here on."""
        if not self._steps or self._steps[-1].number != number:
            self._steps.append(_Step(number, self._line.mark(), at))

    def stopped(self) -> None:
        """The run stopped in the middle of a step, to wait or by an error."""
        if self._steps:
            self._steps[-1].done = False

    def _back(self, number: int) -> Mark | None:
        """Steps from ``number`` on no longer hold, if any that came to an end is among them. Returns where it began."""
        mark, done = None, False
        while self._steps and self._steps[-1].number >= number:
            step = self._steps.pop()
            mark, done = step.mark, done or step.done
        if mark is not None and done:
            self._line.back(mark, "fork")
        return mark

    def _goes_on(self, step: int, made: float | None) -> int:
        """The step that a run begins anew whose first one has the number ``step``. A change from outside has taken a
        step by itself, and so has a replay (LangGraph from 1 on), but none in older versions: then the checkpoint's
        own time shows that the step before had begun and still holds."""
        known = made is not None and bool(self._steps) and self._steps[-1].number >= step
        if known and made is not None and not self._fits(step - 1, made) and self._fits(step, made):
            return step
        return step - 1

    def _fits(self, number: int, made: float) -> bool:
        """Whether a checkpoint of that time lies before step ``number`` and after the ones before it."""
        late = any(step.at > made + _CLEAR for step in self._steps if step.number < number)
        return not late and all(step.at > made - _CLEAR for step in self._steps if step.number >= number)


def made_at(checkpoint: str) -> float | None:
    """When a checkpoint was made, in Unix seconds: what an id of version 6 says by itself."""
    if len(checkpoint) != 36 or checkpoint[14] != "6":
        return None
    try:
        ticks = int(checkpoint[:8] + checkpoint[9:13] + checkpoint[15:18], 16)
    except ValueError:
        return None
    return (ticks - _EPOCH) / 10_000_000
