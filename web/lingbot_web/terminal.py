"""Words on a terminal. What came from outside is made visible first: no escape sequence, no turn of direction."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

import orjson
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from lingbot_map.errors import BadInput
from lingbot_map.legible import legible


class NobodyToAsk(BadInput):
    """The ``question`` needs an answer, and standard input is no terminal."""

    def __init__(self, question: str) -> None:
        super().__init__("standard input", "a terminal, or --yes", "none")
        self.question = question

    def __str__(self) -> str:
        return f"nobody can be asked here, since standard input is no terminal; say --yes to answer: {self.question}"


WIDEST = 64
"""Characters of a cell: an id of 300 would leave no room for the others. JSON has it whole."""
_SPACES = "\u3000\u00a0"  # spaces of their own right, in Chinese and in French


def visible(text: str) -> str:
    """``text`` with control, format and direction characters written as escapes, line ends too."""
    return "".join(char if char.isprintable() or char in _SPACES else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # a byte of a path or an argument that is not UTF-8
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")


def text(where: str, value: str) -> str:
    """``value`` as it is. Raises ``BadInput`` if the argument ``where`` had bytes that are not UTF-8."""
    if legible(value) != value:
        raise BadInput(where, "text in UTF-8", legible(value))
    return value


def tolerate() -> None:
    """Show the escape of what the terminal's encoding has no character for; without an output, say it to nobody."""
    if sys.stdout is None:  # started with >&-
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # paths, a line each


def say(line: str = "") -> None:
    """One line on standard output, as it is."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def say_json(value: Any) -> None:
    """``value`` as indented JSON on standard output, in UTF-8 wherever it goes: that is what JSON is written in."""
    sys.stdout.flush()
    sys.stdout.buffer.write(orjson.dumps(legible(value), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()


def asked(question: str) -> bool:
    """Whether somebody at the terminal says yes. Raises ``NobodyToAsk`` without one."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise NobodyToAsk(question)
    sys.stderr.write(f"{visible(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in ("y", "yes", "是")


def count(number: int, what: str) -> str:
    """``number`` of ``what``, an English noun whose plural ends in s."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def size(count: int) -> str:
    """``count`` bytes in the largest unit that leaves a whole number before the point."""
    for power, unit in ((4, "TB"), (3, "GB"), (2, "MB"), (1, "kB")):
        if count >= 1000**power:
            return f"{count / 1000**power:.1f} {unit}"
    return f"{count} B"


def age(seconds: float) -> str:
    """``seconds`` in whole days, hours or minutes."""
    for length, unit in ((86_400, "d"), (3600, "h")):
        if seconds >= length:
            return f"{seconds // length:,.0f} {unit}"
    return f"{max(seconds, 0) // 60:.0f} min"


def complain(line: str) -> None:
    """One line on standard error."""
    sys.stderr.write(visible(line) + "\n")
    sys.stderr.flush()


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> None:
    """A table on standard output; the columns numbered in ``right`` are set to the right."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        made.add_column(
            column, justify="right" if i in right else "left", overflow="ellipsis", no_wrap=i != 1, max_width=WIDEST
        )
    for row in rows:
        made.add_row(*(Text(visible(cell)) for cell in row))
    # Piped into a file or another program a line must not be folded at 80 columns.
    Console(file=sys.stdout, highlight=False, markup=False, width=None if sys.stdout.isatty() else 240).print(made)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error while something runs; ``None`` where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    console = Console(stderr=True, highlight=False, markup=False)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(visible(what), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
