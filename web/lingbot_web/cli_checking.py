"""The commands for CI: ``check`` and ``diff``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from lingbot_map.errors import BadInput, LingbotMapError
from lingbot_web import terminal
from lingbot_web.cli_recordings import Json, Mapping

if TYPE_CHECKING:
    from lingbot_map.compare import Comparison, Difference, TurnFacts

CLEAN, DIFFERS, BAD_INPUT = 0, 1, 2

Told: TypeAlias = "tuple[Path, str, list[TurnFacts]]"
"""A side of a comparison: its file, the session's id, its turns."""

Files = Annotated[
    list[Path],
    typer.Argument(help="Recordings of any format that `import` knows, or folders of recordings of ours."),
]
Side = Annotated[Path, typer.Argument(help="A recording of any format that `import` knows, or a golden map.")]


def check(
    files: Files,
    rules: Annotated[Path | None, typer.Option("--rules", help="A file of rules (TOML) that must hold.")] = None,
    golden: Annotated[
        Path | None, typer.Option("--golden", help="A golden map, or a recording, that a session must be like.")
    ] = None,
    design: Annotated[
        list[Path] | None,
        typer.Option(
            "--design",
            help="A sequence diagram (PlantUML, Mermaid, XMI) that turns must follow; may be repeated. Comments in it "
            "say what messages stand for (' lingbot: save = write), see docs/testing.md.",
            metavar="FILE",
        ),
    ] = None,
    at_turn: Annotated[
        list[int] | None,
        typer.Option(
            "--at-turn",
            min=1,
            help="A turn that the designs are of; may be repeated. Default: every turn.",
            metavar="TURN",
        ),
    ] = None,
    update_golden: Annotated[
        bool, typer.Option("--update-golden", help="Write the golden map of the one session instead of comparing it.")
    ] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            help="A kind or code of findings that counts; may be repeated. Default: all; none: no finding.",
            metavar="KIND",
        ),
    ] = None,
    but: Annotated[
        list[str] | None,
        typer.Option(
            "--except", help="A kind or code of findings that does not count; may be repeated.", metavar="KIND"
        ),
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit's XML to this file, too.")] = None,
    sarif: Annotated[Path | None, typer.Option("--sarif", help="Write SARIF 2.1.0 to this file, too.")] = None,
    lang: Annotated[str, typer.Option("--lang", help="Findings in zh or en.")] = "en",
    mapping: Mapping = None,
    as_json: Json = False,
) -> int:
    """Hold recordings against what must be so. For CI; nothing is written into a data folder.

    Exit code 0: clean. 1: a finding that counts, a broken rule, a difference, a step not as designed. 2: a file or an
    option that can't be read; what could be read has been checked all the same.

    Example: lingbot-map check recordings/*.jsonl --except LM402 --junit check.xml

    Example: lingbot-map check call.jsonl --fail-on none --rules telecom.toml --golden call.golden.jsonl

    Example: lingbot-map check call.jsonl --fail-on none --design flow.puml --at-turn 15
    """
    try:
        counts = (fail_on or (), but or ())
        designs = (design or (), at_turn or ())
        return _check(files, rules, golden, update_golden, designs, counts, (junit, sarif), lang, mapping, as_json)
    except (LingbotMapError, OSError) as why:
        return _bad(why)


def _check(
    files: Sequence[Path],
    rules: Path | None,
    golden: Path | None,
    update: bool,
    designs: tuple[Sequence[Path], Sequence[int]],
    counts: tuple[Sequence[str], Sequence[str]],
    reports: tuple[Path | None, Path | None],
    lang: str,
    mapping: Sequence[str] | None,
    as_json: bool,
) -> int:
    from lingbot_map import importers
    from lingbot_map.testing import read_rules
    from lingbot_web import check_reports, checking

    if lang not in ("zh", "en"):
        raise BadInput("--lang", "zh or en", lang)
    columns = importers.columns_of(mapping) if mapping else None
    count = checking.counted(*counts)
    if update:
        if golden is None:
            raise BadInput("--update-golden", "--golden FILE beside it", "none")
        session, changed = checking.write_golden(files, golden, columns)
        terminal.complain(f"{'written to' if changed else 'unchanged:'} {golden}: the golden map of {session}")
    asked = read_rules(rules) if rules is not None else None
    demands = checking.Demands(
        count=count,
        rules=asked,
        golden=checking.goldens(golden) if golden is not None else None,
        designs=checking.designs(*designs, asked),
        lang=lang,
    )
    found: list[checking.Checked | checking.NotRead] = []
    notes: list[str] = []
    with terminal.progress("Checking") as progress:
        for item in checking.check(files, demands, columns=columns, note=notes.append, progress=progress):
            found.append(item)
    for path, write in zip(reports, (check_reports.junit, check_reports.sarif), strict=True):
        if path is not None:
            path.write_bytes(write(found))
    with _reader_may_leave():
        if as_json:
            terminal.say_json([_as_json(item) for item in found])
        else:
            _tell(found)
    for note in notes:
        terminal.complain(f"note: {note}")
    bad = [item for item in found if isinstance(item, checking.NotRead)]
    for item in bad:
        terminal.complain(f"lingbot-map: {item.why}")
    if bad:
        return BAD_INPUT
    return DIFFERS if any(isinstance(item, checking.Checked) and item.issues for item in found) else CLEAN


@contextmanager
def _reader_may_leave() -> Iterator[None]:
    """Whoever reads us may have gone (`| head`): the exit code says all the same what was found."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at exit


def _tell(found: Sequence[Any]) -> None:
    from lingbot_web.check_reports import design_lines
    from lingbot_web.checking import Checked

    sessions = [item for item in found if isinstance(item, Checked)]
    for item in sessions:
        wrong = terminal.count(len(item.issues), "issue") if item.issues else "clean"
        left = f" ({terminal.count(item.left_out, 'finding')} not counted)" if item.left_out else ""
        place = f"{terminal.visible(str(item.file))}  {terminal.visible(item.session)}"
        terminal.say(f"{place}  {terminal.count(item.turns, 'turn')}, {wrong}{left}")
        for issue in item.issues:
            where = f"turn {issue.turn}" if issue.turn else "session"
            evidence = f"  [{terminal.visible(issue.evidence)}]" if issue.evidence else ""
            terminal.say(f"  {where:9} {issue.code:6}  {terminal.visible(issue.text)}{evidence}")
        for report in item.designs:
            for line in design_lines(report):
                terminal.say(f"  {terminal.visible(line)}")
    issues = sum(len(item.issues) for item in sessions)
    wrong_ones = sum(1 for item in sessions if item.issues)
    checked = terminal.count(len(sessions), "session")
    terminal.say(f"{terminal.count(issues, 'issue')} in {wrong_ones:,} of {checked}")


def _as_json(item: Any) -> dict[str, Any]:
    said = asdict(item)
    return {**said, "file": str(item.file)}


def diff(
    a: Side,
    b: Side,
    session: Annotated[str, typer.Option("--session", help="The session to compare, in files of several.")] = "",
    as_json: Json = False,
) -> int:
    """Say what two sessions differ in: first where they part, then jumps, slots, recalls, findings.

    Turns are matched by what the user said, not by their numbers. Words of answers, confidences and scores do not
    count. Exit code 0: the same. 1: different. 2: a file can't be read.

    Example: lingbot-map diff before.jsonl after.jsonl
    """
    try:
        return _diff(a, b, session, as_json)
    except (LingbotMapError, OSError) as why:
        return _bad(why)


def _diff(a: Path, b: Path, session: str, as_json: bool) -> int:
    from lingbot_map.compare import compare

    ours, theirs = (_side(path, session) for path in (a, b))
    comparison = compare(ours[1], theirs[1])
    with _reader_may_leave():
        if as_json:
            _say_json(comparison, (a, *ours), (b, *theirs))
        else:
            _say(comparison, (a, *ours), (b, *theirs))
    return DIFFERS if comparison.differences else CLEAN


def _say_json(comparison: Comparison, a: Told, b: Told) -> None:
    first = comparison.first
    said = {
        **{
            name: {"file": str(file), "session": session, "turns": _count(turns)}
            for name, (file, session, turns) in (("a", a), ("b", b))
        },
        "same": first is None,
        "first": asdict(first) if first is not None else None,
        "differences": [asdict(difference) for difference in comparison.differences],
        "rows": comparison.rows,
    }
    terminal.say_json(said)


def _say(comparison: Comparison, a: Told, b: Told) -> None:
    differences, first = comparison.differences, comparison.first
    for side, (file, session, turns) in (("A", a), ("B", b)):
        place = f"{terminal.visible(str(file))}  {terminal.visible(session)}"
        terminal.say(f"{side}  {place}  {terminal.count(_count(turns), 'turn')}")
    if first is None:
        terminal.say("the same: flow, slots, recalls and findings of every turn")
        return
    number, turns = (first.a_turn, a[2]) if first.b_turn is None else (first.b_turn, b[2])
    heard = next(turn.said for turn in turns if turn.number == number)
    said_then = f" ({terminal.visible(heard[:60])})" if heard else ""
    terminal.say(f"they part in {_place(first)}{said_then}: {_words(first)}")
    for kind, title in _TITLES.items():
        some = [difference for difference in differences if difference.kind == kind]
        if some:
            terminal.say(title)
        for difference in some:
            terminal.say(f"  {_place(difference):12} {_words(difference)}")
    lanes = sum(1 for row in comparison.rows if any(row))
    terminal.say(f"{terminal.count(len(differences), 'difference')} in {terminal.count(lanes, 'turn')}")


def _count(turns: list[TurnFacts]) -> int:
    """How many turns there are: number 0 is what came before the first one."""
    return sum(1 for turn in turns if turn.number)


_TITLES = {
    "turn": "turns that one lacks",
    "jump": "jumps",
    "slot": "slots",
    "recall": "recalls",
    "answer": "answers",
    "finding": "findings",
}


def _side(path: Path, session: str) -> tuple[str, list[TurnFacts]]:
    """(id, turns) of the session to compare; notes on what could not be read go to standard error."""
    from lingbot_map.compare import facts_of
    from lingbot_map.testing import open_maps
    from lingbot_map.testing.golden import is_golden, read_golden

    if path.is_file() and is_golden(path):
        return read_golden(path)
    found = {}
    problems: list[str] = []
    with terminal.progress(f"Reading {path.name}"):
        for opened in open_maps(path):
            problems = opened.problems
            if not session or opened.session == session:
                found[opened.session] = facts_of(opened.map)
    for problem in problems:
        terminal.complain(f"note: {problem}")
    if len(found) != 1:
        some = ", ".join(list(found)[:5]) or "none"
        expected = f"the session {session}" if session else "one session"
        raise BadInput(str(path), expected, some, "" if session else "say which with --session")
    return next(iter(found.items()))


def _place(difference: Difference) -> str:
    sides = (("A", difference.a_turn), ("B", difference.b_turn))
    return " | ".join(f"{side} {turn}" for side, turn in sides if turn is not None)


def _words(difference: Difference) -> str:
    what = "" if difference.kind == "turn" else f"{difference.what.removesuffix(':')}: "
    return terminal.visible(f"{what}{difference.a} | {difference.b}")


def _bad(why: LingbotMapError | OSError) -> int:
    if isinstance(why, OSError):
        where = f"{os.fsdecode(why.filename)}: " if why.filename else ""
        terminal.complain(f"lingbot-map: {where}{why.strerror or type(why).__name__}")
    else:
        terminal.complain(f"lingbot-map: {why}")
    return BAD_INPUT
