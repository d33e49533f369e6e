"""The assistant with its customers, as a program: a scripted one that goes on until it is stopped, or a person."""

from __future__ import annotations

import argparse
import random
import secrets
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice

from lingbot_map.demo.assistant import LANGUAGES
from lingbot_map.demo.customer import customers
from lingbot_map.demo.desk import Desk
from lingbot_map.demo.leaving import told_to_leave
from lingbot_map.demo.options import PACE, options
from lingbot_map.demo.probing import probe

HELP = {
    "zh": "请输入您的问题。/new 开始新会话，/quit 退出。\n",
    "en": "Type what you would ask your telecom company. /new starts over, /quit leaves.\n",
}


def run_demo(
    *,
    lang: str = "zh",
    pace: float = PACE,
    turns: int | None = None,
    once: bool = False,
    seed: int = 1,
    run: str = "",
    stop: Callable[[float], bool] = lambda seconds: False,
    desk: Desk | None = None,
) -> int:
    """Talks as the scripted customers do, and returns how many turns it took.

    Goes on until ``turns`` are said, after both stories with ``once``, or when ``stop`` says so: it is called
    between two turns, waits the given seconds, and returns whether to end. ``run`` is a part of the sessions' ids.
    A dialogue that a person at ``desk`` takes over is left to them.
    """
    desk = desk or Desk(lang)
    run = run or secrets.token_hex(3)
    chance = random.Random(seed)
    said = 0
    for number, customer in enumerate(islice(customers(lang, seed), 2 if once else None), 1):
        dialogue = desk.open(f"demo-{run}-{number}", customer.lang)
        meta = {"channel": "demo", "language": customer.lang, "seed": seed}
        with probe.session(dialogue.session, title=customer.title, meta=meta, reply=desk.reply_url):
            asked = ""
            while (text := customer.says(asked)) is not None:
                reply = desk.turn(dialogue, text)
                if reply is None:
                    break
                asked = reply.asks
                said += 1
                if said == turns or stop(pace * chance.uniform(0.7, 1.3)):
                    probe.ended("stopped")
                    return said
            if not desk.taken(dialogue.session):
                probe.ended("customer left")
    return said


def chat(lang: str, run: str = "", desk: Desk | None = None) -> None:
    """A conversation with whoever sits at the terminal, until they leave. At ``desk`` others may speak as well."""
    desk = desk or Desk(lang)
    run = run or secrets.token_hex(3)
    number = 1
    sys.stdout.write(HELP[lang])
    while True:
        dialogue = desk.open(f"chat-{run}-{number}", lang)
        meta = {"channel": "terminal", "language": lang}
        with probe.session(dialogue.session, title="", meta=meta, reply=desk.reply_url):
            again = _talk(lambda text, session=dialogue.session: desk.hear(session, text))  # type: ignore[misc]
            desk.leave(dialogue.session)
            probe.ended("customer left")
        if not again:
            return
        number += 1


def _talk(answer: Callable[[str], str]) -> bool:
    """One dialogue at the terminal; returns whether another one is wanted."""
    try:
        while (text := input("> ").strip()) != "/quit":
            if text == "/new":
                return True
            if text:
                sys.stdout.write(shown(answer(text)) + "\n")
    except (EOFError, KeyboardInterrupt):
        sys.stdout.write("\n")
    return False


def shown(text: str) -> str:
    """``text`` without anything that a terminal would take for a command."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = options(
        "lingbot_map.demo", __doc__, LANGUAGES, turn="turns", story="the two stories", chat="type yourself"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the sessions after the stories")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """The program; returns its exit code."""
    wanted = _arguments(argv)
    if wanted.endpoint:
        probe.connect(wanted.endpoint, wanted.token)
    desk = Desk(wanted.lang)
    desk.listen()
    if wanted.chat:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):  # told to leave in the middle of an answer
            chat(wanted.lang, desk=desk)
        desk.close()
        probe.close()
        return 0

    stop = told_to_leave(wanted.parent)
    try:
        run_demo(
            lang=wanted.lang,
            pace=wanted.pace,
            turns=wanted.turns,
            once=wanted.once,
            seed=wanted.seed,
            stop=stop,
            desk=desk,
        )
    finally:
        desk.close()
        probe.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
