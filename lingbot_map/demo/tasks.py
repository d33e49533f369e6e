"""The tasks of a dialogue: what is being worked on, what was put aside, and which slots go when one is left."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from lingbot_map.demo.intents import ALL, family
from lingbot_map.demo.slots import SLOTS

KEPT = 4
"""So many tasks are remembered; the one put aside first is forgotten first."""


@dataclass(slots=True)
class Task:
    """A piece of work: ``home`` is its intent, ``intent`` the part being talked about, ``open`` the parts not done."""

    home: str
    intent: str
    open: set[str] = field(default_factory=set)
    asked: Counter[str] = field(default_factory=Counter)


class TaskStack:
    """The tasks of one dialogue, the current one on top."""

    def __init__(self) -> None:
        self._tasks: list[Task] = []

    @property
    def current(self) -> Task | None:
        return self._tasks[-1] if self._tasks else None

    def suspended(self) -> tuple[str, ...]:
        """The homes of the tasks put aside unfinished, latest first."""
        return tuple(task.home for task in reversed(self._tasks[:-1]))

    def enter(self, intent: str) -> Task | None:
        """Makes ``intent`` the one being talked about. Returns the task that was left finished, if one was."""
        current, left = self.current, None
        if current is None or current.home != family(intent):
            if current and not current.open:
                left = self._tasks.pop()
            before = next((task for task in self._tasks if task.home == family(intent)), None)
            if before:
                self._tasks.remove(before)
            self._tasks.append(before or Task(home=family(intent), intent=intent))
            del self._tasks[:-KEPT]
        task = self._tasks[-1]
        task.intent = intent
        task.open.add(intent)
        return left

    def abandon(self) -> Task | None:
        """Drops the current task and goes back to the one before it, which is returned."""
        self._tasks.pop()
        return self.current

    def finish(self, intent: str, complete: bool) -> None:
        """``intent`` is done; with ``complete`` everything its task needs is there, and the task is done with it."""
        task = self._tasks[-1]
        task.open.discard(intent)
        if complete:
            task.open.discard(task.home)
        elif task.home in task.open:
            task.intent = task.home


def task_slots(home: str) -> tuple[str, ...]:
    """The slots that are meant for the task ``home`` and its parts alone."""
    names: dict[str, None] = {}
    for intent in ALL:
        if family(intent.name) == home:
            names |= dict.fromkeys((*intent.required, *intent.accepted))
    return tuple(name for name in names if SLOTS[name].scope == "task")
