"""What a graph's nodes give back: what they say, and what they write into the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lingbot_probes.adapters.langgraph_line import Line
from lingbot_probes.adapters.langgraph_run import Root, Run
from lingbot_probes.adapters.langgraph_words import (
    Message,
    command,
    is_messages,
    message,
    messages,
    plain,
    slots,
    spoken,
)


class Nodes:
    """Tells on a line what the nodes of its runs give back."""

    def __init__(self, line: Line) -> None:
        """Nothing yet."""
        self._line = line

    def gave(self, root: Root, run: Run, output: Any) -> None:
        """What a node gave back: an update of the state, a command with one, several of these, or messages."""
        if run.whole and type(output) is dict:
            self.settle(root, run.checkpoint, output, first=False)
        for update in output if type(output) is list and message(output) is None else [output]:
            told = command(update)
            if told is not None:
                update = plain(told.get("update"))
                root.goes(run, told.get("goto"))
            said = messages(update)
            if said is not None:
                self.say(root, said)
            elif type(update) is dict:
                held = {}
                for key, value in update.items():
                    if key[:2] == "__":
                        continue
                    if is_messages(key, value) or message(value) is not None:
                        self.say(root, messages(value) or [])
                    else:
                        held[key] = plain(value)
                root.wrote(run.graph, run.intent, held, whole=run.whole)

    def say(self, root: Root, said: list[Message], *, asked: bool = False) -> None:
        for one in root.new(said):
            before = self._line.answers
            self._line.say(one, root.made_of(one.text), asked=asked or root.resumed)
            if self._line.answers != before:
                root.answered = True
            if self._line.scribe.turn != root.turn:
                root.turn, root.answered = self._line.scribe.turn, self._line.answers > 0

    def settle(self, root: Root, graph: str, values: Mapping[str, Any], *, first: bool) -> None:
        """A step is over: ``values`` is the state that the next one sees, or the run's output."""
        line = self._line
        written = root.settle(graph)
        seen = slots(values)
        if first:
            self._met(root, values)
            if not line.begun:
                given = {key for _, held, _ in written for key in held}
                line.take_over({key: value for key, value in seen.items() if key not in given})
            line.begun = True
        line.settle(written, seen)

    def _met(self, root: Root, values: Mapping[str, Any]) -> None:
        """What had been said when the run's first node began; what somebody added from outside is said now."""
        for key, value in values.items():
            if is_messages(key, value):
                said = messages(value) or []
                if root.resumed and self._line.begun:
                    self.say(root, [one for one in said if one.id], asked=True)
                self._line.hear(one for one in said if one.id)
                root.before = said

    def over(self, root: Root, output: Any) -> None:
        """The run has ended: what its last step wrote, and the answer where no message told it."""
        if root.seen or root.at:
            self.settle(root, "", output if type(output) is dict else {}, first=False)
        if not root.over and not root.failed and not root.answered and not root.waiting:
            self._closing(root, output)
        root.over = True

    def _closing(self, root: Root, output: Any) -> None:
        """The answer of a run whose nodes put none into the state."""
        said = messages(output)
        if said is None and type(output) is dict:
            said = next((messages(value) for key, value in output.items() if is_messages(key, value)), None)
        if said and said[-1].by == "ai":
            self.say(root, said[-1:])
        text = "" if said is not None or root.answered else spoken(output) or ("" if root.seen else root.last)
        if text:
            self._line.answer(text, root.made_of(text))
