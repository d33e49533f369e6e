"""The commands of ``lingbot-map``. What goes wrong is one line on standard error and an exit code that is not 0."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lingbot_map.errors import BadInput, DataFolderBusy, LingbotMapError, NewerFormat
from lingbot_web import (
    cli_asking,
    cli_checking,
    cli_keeping,
    cli_opening,
    cli_recordings,
    cli_serving,
    cli_tail,
    terminal,
)
from lingbot_web.remote import MapRefused

OK, FAILED, BAD_INPUT, BUSY, INTERRUPTED = 0, 1, 2, 4, 130
"""Exit codes. ``verify`` has 3 besides: a recording was refused."""


class _InOrder(TyperGroup):
    """Commands in the order in which somebody needs them."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)


main = typer.Typer(
    cls=_InOrder,
    name="lingbot-map",
    help="See what a chatbot does while it talks: a map of its dialogue, live and recorded.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        terminal.say(f"lingbot-map {version('lingbot-map')}")
        raise typer.Exit


@main.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options of the command itself."""


for _name, _command in (
    ("serve", cli_serving.serve),
    ("open", cli_opening.open_files),
    ("tail", cli_tail.tail),
    ("import", cli_recordings.import_files),
    ("sessions", cli_recordings.sessions),
    ("export", cli_recordings.export),
    ("verify", cli_recordings.verify),
    ("stats", cli_recordings.stats),
    ("check", cli_checking.check),
    ("diff", cli_checking.diff),
    ("ask", cli_asking.ask),
    ("prune", cli_keeping.prune),
    ("forget", cli_keeping.forget),
    ("demo", cli_serving.demo),
):
    main.command(_name)(_command)


def run(arguments: Sequence[str]) -> int:
    """Run one command; what comes back is the exit code. Nothing is raised for what a user can cause."""
    terminal.tolerate()
    try:
        code = main(args=list(arguments) or ["--help"], standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else OK
    except typer.TyperException as why:
        terminal.complain(f"lingbot-map: {why.format_message()} (`lingbot-map -h` says what there is)")
        return BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has gone (`| head`); Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except SystemExit as why:  # what typer and rich make of a reader that has gone
        if isinstance(why.__context__, BrokenPipeError):
            return OK
        raise
    except LingbotMapError as why:
        terminal.complain(f"lingbot-map: {why}")
        return _code(why)
    except OSError as why:
        where = f"{why.filename}: " if why.filename else ""
        terminal.complain(f"lingbot-map: {where}{why.strerror or type(why).__name__}")
        return FAILED


def _code(why: LingbotMapError) -> int:
    if isinstance(why, DataFolderBusy):
        return BUSY
    if isinstance(why, BadInput | NewerFormat) or (isinstance(why, MapRefused) and 400 <= why.status < 500):
        return BAD_INPUT
    return FAILED
