"""What the fixture ``dialogue_map`` gives: recordings of a bot in the test's process, or of one that is on file."""

from __future__ import annotations

import asyncio
import importlib
import inspect
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.compare import end_of
from lingbot_map.errors import LingbotMapError
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.testing import Opened, Recording, open_maps, record
from lingbot_probes import Probe

SESSION = "regression"
_SHOWN = 60


class Recorder:
    """Records probes until the test is over. ``bot`` and ``probe`` are as the settings name them (``module:name``),
    ``recording`` is a file that stands for the bot (None: the bot itself), looked for from ``folder`` on."""

    def __init__(self, *, bot: str, probe: str, recording: str | None, folder: Path) -> None:
        self._bot = bot
        self._probe = probe
        self._file = folder / recording if recording else None
        self._stack = ExitStack()
        self._recorded: dict[Probe, Recording] = {}
        self._others: list[Recording] = []

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __call__(self, probe: Probe) -> Recording:
        """Record what ``probe`` says from now on to the end of the test. One recording for each probe."""
        recording = self._recorded.get(probe)
        if recording is None:
            recording = self._recorded[probe] = self._stack.enter_context(record(probe))
        return recording

    def say(self, said: Sequence[str], session: str = SESSION) -> Recording:
        """Say these words to the bot that ``lingbot_bot`` names, one turn each; what it did then.

        A coroutine function is run in a loop of its own. With ``--dialogue-recording`` no bot is asked: what comes
        back is the recording up to the last of these words.
        """
        if self._file is not None:
            return self._on_file(said)
        reply, recording = self._asked()
        if not _is_async(reply):
            for text in said:
                reply(session, text)
                recording.settle()
            return recording
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self._talk(reply, recording, said, session))
        raise pytest.UsageError("the bot is asynchronous and so is the test: await dialogue_map.asay([...])")

    async def asay(self, said: Sequence[str], session: str = SESSION) -> Recording:
        """``say`` in a test that has a loop."""
        if self._file is not None:
            return self._on_file(said)
        return await self._talk(*self._asked(), said, session)

    def events_of(self, map: DialogueMap) -> list[Event] | None:
        """The events behind a map that was recorded here; ``None`` for any other."""
        for recording in (*self._recorded.values(), *self._others):
            for session in recording.sessions:
                if recording.is_map(session, map):
                    return recording.events[session]
        return None

    @staticmethod
    async def _talk(reply: Callable[..., Any], recording: Recording, said: Sequence[str], session: str) -> Recording:
        for text in said:
            answer = reply(session, text)
            if inspect.isawaitable(answer):
                await answer
            recording.settle()
        return recording

    def _asked(self) -> tuple[Callable[..., Any], Recording]:
        if not self._bot:
            raise pytest.UsageError(
                "dialogue_map.say() asks the bot that pytest's settings name: lingbot_bot = module:function, "
                "a function of (session_id, text)"
            )
        module, reply = _named("lingbot_bot", self._bot)
        if not callable(reply):
            raise pytest.UsageError(f"lingbot_bot: {self._bot} is no function of (session_id, text)")
        if self._probe:
            probe = _named("lingbot_probe", self._probe)[1]
        else:
            probes = {id(value): value for value in vars(module).values() if isinstance(value, Probe)}
            if len(probes) != 1:
                raise pytest.UsageError(
                    f"lingbot_bot: {module.__name__} has {len(probes) or 'no'} probes; "
                    "name the one of the bot: lingbot_probe = module:name"
                )
            (probe,) = probes.values()
        if not isinstance(probe, Probe):
            raise pytest.UsageError(f"lingbot_probe: {self._probe} is no Probe")
        return reply, self(probe)

    def _on_file(self, said: Sequence[str]) -> Recording:
        assert self._file is not None
        try:
            sessions = list(open_maps(self._file))
        except LingbotMapError as why:
            raise pytest.UsageError(f"--dialogue-recording: {why}") from None
        for opened in sessions:
            upto = _upto(opened, said)
            if upto:
                recording = Recording.of(opened.session, [event for event in opened.events if event.seq <= upto])
                self._others.append(recording)
                return recording
        first = said[0][:_SHOWN] if said else ""
        raise pytest.UsageError(
            f"--dialogue-recording: nobody says these {len(said)} things one after the other in {self._file}, "
            f"from {first!r} on; is it the recording that the test was made from?"
        )


def _upto(opened: Opened, said: Sequence[str]) -> int:
    """The last event of the turn in which the last of ``said`` was said; 0 if they were not said."""
    map = opened.map
    turns = [(n, node.label) for n in sorted(map.turns) if (node := map.nodes.get(f"utterance:{n}")) and node.label]
    texts = [text for _, text in turns]
    wanted = list(said)
    for start in range(len(texts) - len(wanted) + 1):
        if wanted and texts[start : start + len(wanted)] == wanted:
            return end_of(map, turns[start + len(wanted) - 1][0])
    return 0


def _named(setting: str, said: str) -> tuple[Any, Any]:
    """(module, what it calls so) of ``module:name``."""
    name, colon, attribute = said.partition(":")
    if not colon or not name or not attribute:
        raise pytest.UsageError(f"{setting}: expected module:name, found {said}")
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as why:
        if why.name != name.partition(".")[0] and why.name != name:
            raise
        raise pytest.UsageError(
            f"{setting}: there is no module {name} on the path; `pythonpath = .` in pytest's settings puts their "
            "folder on it"
        ) from None
    value: Any = module
    for part in attribute.split("."):
        if not hasattr(value, part):
            raise pytest.UsageError(f"{setting}: {name} has no {attribute}")
        value = getattr(value, part)
    return module, value


def _is_async(reply: Callable[..., Any]) -> bool:
    called = reply if inspect.isroutine(reply) else type(reply).__call__
    return inspect.iscoroutinefunction(called)
