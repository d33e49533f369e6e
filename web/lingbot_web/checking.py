"""Recordings held against what must be so: no findings that count, the rules of a file, golden maps, designs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lingbot_map import importers
from lingbot_map.checks import CODES
from lingbot_map.compare import Difference, TurnFacts, compare, end_of, facts_of
from lingbot_map.errors import BadInput, LingbotMapError
from lingbot_map.graph import DialogueMap
from lingbot_map.model import Finding
from lingbot_map.store.recording import LOG
from lingbot_map.testing import Opened, Rule, Rules, open_maps
from lingbot_map.testing.asserting import known
from lingbot_map.testing.golden import is_golden, keep_golden, read_golden

if TYPE_CHECKING:
    from lingbot_map.ask.bases.sequence.design import Design
    from lingbot_web.designs import DesignReport, Deviation

RULE, GOLDEN, DESIGN = "RULE", "GOLDEN", "DESIGN"
"""The codes of a broken rule, of a difference to a golden map and of one to a design, beside those of findings."""
ABOUT = {
    **{code: kind for kind, code in CODES.items()},
    RULE: "a rule of the rules file does not hold",
    GOLDEN: "the map differs from its golden map",
    DESIGN: "a turn did not go as a diagram designs it",
}
_EVIDENCE = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """Something that is not as it must be, in ``turn`` (0: the session) at event ``seq`` (0: none in particular).

    ``id`` is the same in each run over the same recording. ``text`` is the sentence in the language asked for,
    ``nodes`` and ``seqs`` are the evidence.
    """

    code: str
    id: str
    turn: int
    seq: int
    text: str
    nodes: Sequence[str] = ()
    seqs: Sequence[int] = ()

    @property
    def evidence(self) -> str:
        """The evidence in words; "" where there is none."""
        parts = [_some([str(node) for node in self.nodes], "")]
        parts.append(_some([str(seq) for seq in self.seqs], "events "))
        return "; ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One session of ``file``, and what is wrong with it; ``left_out`` counts findings that do not count, ``designs``
    say how its turns stand to each design that it was held against."""

    file: Path
    session: str
    format: str
    turns: int
    events: int
    issues: list[Issue]
    left_out: int = 0
    designs: Sequence[DesignReport] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRead:
    """``file`` could not be read, for ``why``."""

    file: Path
    why: str


@dataclass(frozen=True, slots=True)
class Goldens:
    """The golden maps of the file at ``path``, by session."""

    path: Path
    turns: dict[str, list[TurnFacts]]


@dataclass(frozen=True, slots=True)
class Designed:
    """A ``design`` that sessions must follow, in ``turns`` alone if there are any; ``rule`` is what asks for it."""

    design: Design
    turns: Sequence[int] = ()
    rule: Rule | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What is asked of each session: ``count`` are the kinds of findings that must not be there."""

    count: frozenset[str]
    rules: Rules | None = None
    golden: Goldens | None = None
    designs: Sequence[Designed] = ()
    lang: str = "en"


def counted(fail_on: Sequence[str], but: Sequence[str]) -> frozenset[str]:
    """The kinds of findings that count: those of ``fail_on`` (kinds or codes; none: all; "none": no finding does), less
    ``but``. Raises ``BadInput``."""
    _known("--fail-on", [said for said in fail_on if said not in ("none", "all")])
    _known("--except", but)
    if "none" in fail_on:
        if len(fail_on) > 1:
            raise BadInput("--fail-on", "none alone, or kinds and codes", " and ".join(fail_on))
        return frozenset()
    every = not fail_on or "all" in fail_on
    return frozenset(
        kind
        for kind, code in CODES.items()
        if (every or kind in fail_on or code in fail_on) and kind not in but and code not in but
    )


def designs(paths: Sequence[Path], turns: Sequence[int], rules: Rules | None) -> list[Designed]:
    """The designs of files, for ``turns`` alone if there are any, and those that ``rules`` name. Raises ``BadInput``
    for one that can't be read, with its line."""
    if turns and not paths:
        raise BadInput("--at-turn", "--design FILE beside it", "none")
    asked = rules.designs if rules is not None else []
    if not paths and not asked:
        return []
    from lingbot_web.designs import read_design

    found = [Designed(read_design(path), turns) for path in paths]
    for rule in asked:
        if (said := rule.designed) is not None and rules is not None:
            place = f"{rules.path} line {rule.line}" if rule.line else rules.path
            design = read_design(said.path, said.messages, place)
            found.append(Designed(design, (said.at_turn,) if said.at_turn else (), rule))
    return found


def goldens(path: Path) -> Goldens:
    """The golden maps of a file: one, or those of the sessions of a recording. Raises ``BadInput``, ``OSError``."""
    if path.is_file() and is_golden(path):
        session, turns = read_golden(path)
        return Goldens(path, {session: turns})
    return Goldens(path, {opened.session: facts_of(opened.map) for opened in open_maps(path)})


def check(
    files: Sequence[Path],
    demands: Demands,
    *,
    columns: importers.Mapped | None = None,
    note: Callable[[str], None] = lambda _: None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Checked | NotRead]:
    """What each session of ``files`` comes to. A file that can't be read costs that file alone; ``note`` hears what
    else could not be read.

    A session is compared with the golden map of its name. Where there is one golden map and one session, they belong
    together whatever their names are. Raises ``BadInput`` at the end if a golden map is of none of the sessions.
    """
    golden = demands.golden.turns if demands.golden is not None else {}
    unused = set(golden)
    held: tuple[Path, Opened] | None = None  # the first session: it may turn out to be the only one
    sessions = 0
    for file, opened in _opened(files, columns, note, progress):
        if isinstance(opened, NotRead):
            yield opened
            continue
        sessions += 1
        if held is not None:
            yield _checked(*held, demands, None)
            held = None
        if sessions == 1 and len(golden) == 1 and opened.session not in golden:
            held = (file, opened)
            continue
        unused.discard(opened.session)
        yield _checked(file, opened, demands, golden.get(opened.session))
    if held is not None:
        yield _checked(*held, demands, golden[unused.pop()])
    if unused and demands.golden is not None:
        raise BadInput(str(demands.golden.path), "golden maps of sessions in the files", f"one of {min(unused)}")


def write_golden(files: Sequence[Path], path: Path, columns: importers.Mapped | None = None) -> tuple[str, bool]:
    """Write the golden map of the one session in ``files``; (its id, whether the file changed). Raises ``BadInput``."""
    found = [opened for file in files for opened in open_maps(file, columns)]
    if len(found) != 1:
        raise BadInput("--update-golden", "one session in the files", str(len(found)))
    return found[0].session, keep_golden(path, found[0].map)


def _opened(
    files: Sequence[Path],
    columns: importers.Mapped | None,
    note: Callable[[str], None],
    progress: Callable[[int, int], None] | None,
) -> Iterator[tuple[Path, Opened | NotRead]]:
    for number, file in enumerate(files):
        if progress is not None:
            progress(number, len(files))
        problems: list[str] = []
        if (file / LOG).is_file():
            file = file / LOG
        try:
            for opened in open_maps(file, columns):
                problems = opened.problems
                yield file, opened
        except (LingbotMapError, OSError) as why:
            yield file, NotRead(file=file, why=_reason(file, why))
        for problem in problems:
            note(problem)


def _checked(file: Path, opened: Opened, demands: Demands, golden: list[TurnFacts] | None) -> Checked:
    map = opened.map
    counts = [finding for finding in map.findings.values() if finding.kind in demands.count]
    issues = [_of_finding(finding, demands.lang) for finding in sorted(counts, key=lambda f: (f.turn, f.seq))]
    if demands.rules is not None:
        issues += _of_rules(demands.rules, map)
    if golden is not None:
        issues += [_of_golden(map, difference) for difference in compare(golden, facts_of(map)).differences]
    reports = []
    for asked in demands.designs:
        if asked.rule is None or asked.rule.is_of(opened.session):
            report, found = _of_design(asked, map, demands)
            reports.append(report)
            issues += found
    return Checked(
        file=file,
        session=opened.session,
        format=opened.format,
        turns=map.turn,
        events=map.seq,
        issues=issues,
        left_out=len(map.findings) - len(counts),
        designs=reports,
    )


def _of_finding(finding: Finding, lang: str) -> Issue:
    return Issue(
        code=finding.code,
        id=finding.id,
        turn=finding.turn,
        seq=finding.seq,
        text=finding.reason.get(lang) or finding.reason["en"],
        nodes=finding.nodes,
        seqs=finding.seqs,
    )


def _of_rules(rules: Rules, map: DialogueMap) -> Iterator[Issue]:
    for rule, mismatch in rules.broken(map):
        place = f"{rules.path}:{rule.line}" if rule.line else rules.path
        name = f"{rule.name}: " if rule.name else ""
        said = f"{name}expected {mismatch.expected}, found {mismatch.found} ({place})"
        yield Issue(code=RULE, id=f"{rule.line}:{rule.name}", turn=mismatch.turn, seq=mismatch.seq, text=said)


def _of_golden(map: DialogueMap, difference: Difference) -> Issue:
    return Issue(
        code=GOLDEN,
        id=f"{difference.a_turn}:{difference.b_turn}:{difference.what}",
        turn=difference.turn,
        seq=end_of(map, difference.turn),
        text=f"expected {difference.expected}, found {difference.b}",
    )


def _of_design(asked: Designed, map: DialogueMap, demands: Demands) -> tuple[DesignReport, list[Issue]]:
    from lingbot_map.ask.bases.sequence.design import hold
    from lingbot_web.designs import deviations, report_of

    rule, rules = asked.rule, demands.rules
    name = f"{rule.name}: " if rule is not None and rule.name else ""
    place = f" ({rules.path}:{rule.line})" if rule is not None and rule.line and rules is not None else ""

    def issue(found: Deviation) -> Issue:
        text = f"{name}{found.text(demands.lang)}{place}"
        return Issue(code=DESIGN, id=found.id, turn=found.turn, seq=found.seq, text=text, seqs=found.seqs)

    report = report_of(hold(asked.design, map, asked.turns))
    return report, [issue(found) for found in deviations(report)]


def _known(where: str, kinds: Iterable[str]) -> None:
    try:
        known(*kinds)
    except ValueError as why:
        raise BadInput(where, "kinds or codes of findings", str(why)) from None


def _reason(file: Path, why: Exception) -> str:
    if isinstance(why, OSError):
        return f"{why.filename or file}: {why.strerror or type(why).__name__}"
    return str(why)


def _some(items: list[str], what: str) -> str:
    if not items:
        return ""
    return what + ", ".join(items[:_EVIDENCE]) + (" …" if len(items) > _EVIDENCE else "")
