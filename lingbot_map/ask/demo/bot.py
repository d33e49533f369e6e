"""The demo bot as a program: it asks what the story says, then waits for questions from the page; or a person asks."""

from __future__ import annotations

import argparse
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache

from lingbot_map.ask.askable import Base
from lingbot_map.ask.bases import opened
from lingbot_map.ask.demo.story import LANGUAGES, NAMES, Topic, topics
from lingbot_map.ask.engine import Ask
from lingbot_map.demo.bot import shown
from lingbot_map.demo.channel import RestChannel
from lingbot_map.demo.leaving import told_to_leave
from lingbot_map.demo.options import PACE, options
from lingbot_probes import Probe

probe = Probe("ask-demo")

HELP = {
    "zh": "请就一家茶铺提问。/graph 问商品图谱，/docs 问文档，/diagram 问下单流程图，/quit 退出。\n",
    "en": "Ask about a tea shop. /graph asks its products, /docs its documents, /diagram how an order goes; "
    "/quit leaves.\n",
}


@cache
def _base(topic: Topic) -> Base:
    return opened(topic.kind, [topic.place])


class Desk:
    """The dialogues with the bases, one question at a time, whoever asks. One that a person asks in is left to them."""

    def __init__(self) -> None:
        self._asks: dict[str, Ask] = {}
        self._taken: set[str] = set()
        self._turn = threading.Lock()
        self._channel: RestChannel | None = None

    def listen(self) -> None:
        """Let people ask from the map's page; the dialogues that begin from now on say where."""
        self._channel = RestChannel(self.hear)

    def open(self, session: str, topic: Topic) -> None:
        """A new dialogue about ``topic``."""
        url = self._channel.url if self._channel is not None else ""
        meta = {"channel": "ask", "base": topic.name, "language": topic.lang}
        with probe.session(session, title=topic.title, meta=meta, reply=url):
            self._asks[session] = Ask(_base(topic), probe=probe, session=session)

    def ask(self, session: str, question: str) -> str | None:
        """The answer to a question of the story; ``None`` once a person asks in its dialogue."""
        with self._turn:
            return None if session in self._taken else self._asks[session].ask(question).text

    def hear(self, session: str, question: str) -> str:
        """The answer to a question that a person asks in ``session``."""
        with self._turn:
            self._taken.add(session)
            if session not in self._asks:  # of another run of this program
                return "This dialogue is over. 这次对话已经结束。"
            return self._asks[session].ask(question).text

    def close(self) -> None:
        """End all dialogues."""
        if self._channel is not None:
            self._channel.close()
        for session in self._asks:
            probe.ended("stopped", session=session)


def run_demo(
    desk: Desk,
    *,
    lang: str = "zh",
    pace: float = PACE,
    turns: int | None = None,
    run: str = "",
    stop: Callable[[float], bool] = lambda seconds: False,
) -> int:
    """Ask all questions of the story, dialogues in ``lang`` first; returns how many were asked.

    Ends before when ``turns`` are asked or ``stop`` says so: it is called after each, waits ``pace`` seconds, and
    returns whether to end. ``run`` is a part of the sessions' ids.
    """
    run = run or secrets.token_hex(3)
    asked = 0
    for number, topic in enumerate(topics(lang), 1):
        session = f"ask-{run}-{number}-{topic.name}-{topic.lang}"
        desk.open(session, topic)
        for question in topic.questions:
            if desk.ask(session, question) is None:
                break
            asked += 1
            if asked == turns or stop(pace):
                return asked
    return asked


def chat(desk: Desk, lang: str, run: str = "") -> None:
    """Whoever sits at the terminal asks, until they leave."""
    run = run or secrets.token_hex(3)
    own = {topic.name: topic for topic in topics(lang)[: len(NAMES)]}
    name, number = "docs", 0
    session = ""
    sys.stdout.write(HELP[lang])
    with suppress(EOFError, KeyboardInterrupt):
        while (text := input(f"{name}> ").strip()) != "/quit":
            if text.removeprefix("/") in own and text.startswith("/"):
                name, session = text[1:], ""
            elif text:
                if not session:
                    number += 1
                    session = f"ask-{run}-chat-{number}-{name}"
                    desk.open(session, own[name])
                sys.stdout.write(shown(desk.hear(session, text)) + "\n")
        return
    sys.stdout.write("\n")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    program, words = "lingbot_map.ask.demo", {"turn": "questions", "story": "the story", "chat": "ask yourself"}
    return options(program, __doc__, LANGUAGES, **words).parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """The program; returns its exit code."""
    wanted = _arguments(argv)
    if wanted.endpoint:
        probe.connect(wanted.endpoint, wanted.token)
    desk = Desk()
    desk.listen()
    try:
        if wanted.chat:
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            with suppress(KeyboardInterrupt):  # told to leave in the middle of an answer
                chat(desk, wanted.lang)
            return 0
        stop = told_to_leave(wanted.parent)
        asked = run_demo(desk, lang=wanted.lang, pace=wanted.pace, turns=wanted.turns, stop=stop)
        while not (wanted.once or asked == wanted.turns or stop(1.0)):
            pass  # people may still ask from the page
    finally:
        desk.close()
        probe.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
