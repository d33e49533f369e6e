"""Where on its line a thread goes on when a run names a checkpoint: events tell the step, and not the step's past."""

from __future__ import annotations

from collections import deque

from lingbot_probes.adapters.langgraph_line import Line, Mark
from lingbot_probes.adapters.langgraph_run import Root, Run

_KEPT = 2_000  # steps that a fork can go back over
_EPOCH = 0x01B21DD213814000  # 100 ns between 1582-10-15, where the time of such ids begins, and 1970 (RFC 9562)
_CLEAR = 0.005  # seconds between two clocks' readings from which they tell which was first


class _Step:
    """A step of the graph: its number, its nodes, and where the line stood before it."""

    __slots__ = ("mark", "nodes", "number")

    def __init__(self, number: int, mark: Mark) -> None:
        self.number = number
        self.mark = mark
        self.nodes: set[str] = set()


class Steps:
    """The steps of a thread, as far as they still hold."""

    def __init__(self, line: Line) -> None:
        """None yet."""
        self._line = line
        self._steps: deque[_Step] = deque(maxlen=_KEPT)
        self._latest = 0.0  # when the last step began

    def turn(self) -> None:
        """The user speaks: the graph's input takes a step of its own."""
        if self._steps:
            self._steps.append(_Step(self._steps[-1].number + 1, self._line.mark()))

    def arrive(self, run: Run, root: Root, updates: int) -> None:
        """``run`` is the first node of its run, after so many ``updates`` of the state from outside. Where the run goes
        on from an earlier checkpoint, what came after that is undone."""
        if root.held:
            number = run.step - (0 if root.resumed else 2)
            if updates or (root.resumed and self._changed(run, number, root.checkpoint)):
                number -= updates or 1
            self._back(number)
        elif not root.resumed and len(self._steps) > 1 and run.step < self._steps[-1].number:
            self._steps.clear()  # without a checkpointer each run counts anew

    def begin(self, number: int, at: float) -> None:
        """The graph is in this step from here on."""
        if not self._steps or self._steps[-1].number != number:
            self._steps.append(_Step(number, self._line.mark()))
        self._latest = max(self._latest, at)

    def reached(self, run: Run) -> None:
        """A node of the step that goes on."""
        if self._steps:
            self._steps[-1].nodes.add(run.node)

    def _back(self, number: int) -> None:
        """Steps from ``number`` on no longer hold."""
        mark = None
        while self._steps and self._steps[-1].number >= number:
            mark = self._steps.pop().mark
        if mark is not None:
            self._line.back(mark, "fork")

    def _changed(self, run: Run, number: int, checkpoint: str) -> bool:
        """Whether the run goes on from a checkpoint that a change from outside made, which took a step of its own: then
        the node stood one step earlier before; else the checkpoint's own time tells, which such ids begin with."""
        nodes = {step.number: step.nodes for step in list(self._steps)[-50:]}
        here, earlier = run.node in nodes.get(number, ()), run.node in nodes.get(number - 1, ())
        made = made_at(checkpoint)
        if made is not None and self._latest and abs(made - self._latest) > _CLEAR:
            return made > self._latest
        return earlier and not here


def made_at(checkpoint: str) -> float | None:
    """When a checkpoint was made, in Unix seconds: what an id of version 6 says by itself."""
    if len(checkpoint) != 36 or checkpoint[14] != "6":
        return None
    try:
        ticks = int(checkpoint[:8] + checkpoint[9:13] + checkpoint[15:18], 16)
    except ValueError:
        return None
    return (ticks - _EPOCH) / 10_000_000
