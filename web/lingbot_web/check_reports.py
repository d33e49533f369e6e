"""What a check found, as other programs read it: SARIF 2.1.0 for code scanning, JUnit's XML for CI."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from xml.etree import ElementTree

import orjson

from lingbot_map.legible import legible
from lingbot_web.checking import ABOUT, DESIGN, GOLDEN, RULE, Checked, Issue, NotRead
from lingbot_web.terminal import visible

if TYPE_CHECKING:
    from lingbot_web.designs import DesignReport, Step

_SEQ = re.compile(rb'^\{"seq":([1-9][0-9]{0,15}),', re.MULTILINE)
_LARGEST = 256 << 20  # bytes of a recording whose lines are numbered

Found = Sequence[Checked | NotRead]


def sarif(found: Found) -> bytes:
    """A SARIF 2.1.0 log with one run: a rule for each code, a result for each issue, at the line of the event in a
    recording of ours and at the first line of any other file; a notification for each file that could not be read."""
    codes = list(ABOUT)
    rules = [{"id": code, "name": _name(code), "shortDescription": {"text": ABOUT[code]}} for code in codes]
    results: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for item in found:
        if isinstance(item, NotRead):
            notes.append({"level": "error", "message": {"text": item.why}, "locations": [_place(item.file, 1)]})
            continue
        lines = _lines(item) if item.issues else {}
        for issue in item.issues:
            location = _place(item.file, lines.get(issue.seq, 1))
            turn = f"/turn {issue.turn}" if issue.turn else ""
            location["logicalLocations"] = [{"fullyQualifiedName": f"{item.session}{turn}", "kind": "session"}]
            text = f"{_where(issue)}{issue.text}" + (f" [{issue.evidence}]" if issue.evidence else "")
            results.append(
                {
                    "ruleId": issue.code,
                    "ruleIndex": codes.index(issue.code),
                    "level": "error" if issue.code in (RULE, GOLDEN, DESIGN) else "warning",
                    "message": {"text": text},
                    "locations": [location],
                    "partialFingerprints": {"lingbotMap/v1": _fingerprint(item, issue)},
                }
            )
    driver = {"name": "lingbot-map", "version": version("lingbot-map"), "rules": rules}
    invocation = {"executionSuccessful": not notes, "toolExecutionNotifications": notes}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "invocations": [invocation]}
    log = {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{**run, "results": results}],
    }
    return orjson.dumps(legible(log), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def junit(found: Found) -> bytes:
    """JUnit's XML: a suite for each file, a case for each session, a failure with all that is wrong with it; an error
    for a file that could not be read."""
    root = ElementTree.Element("testsuites", name="lingbot-map check")
    suites: dict[Path, ElementTree.Element] = {}
    for item in found:
        suite = suites.get(item.file)
        if suite is None:
            suite = suites[item.file] = ElementTree.SubElement(root, "testsuite", name=_plain(str(item.file)))
        name = item.session if isinstance(item, Checked) else item.file.name
        case = ElementTree.SubElement(suite, "testcase", classname=_plain(str(item.file)), name=_plain(name))
        if isinstance(item, NotRead):
            ElementTree.SubElement(case, "error", message=_plain(item.why), type="NotRead")
            continue
        if item.issues:
            told = [f"{_where(issue)}{issue.code} {issue.text}" for issue in item.issues]
            failure = ElementTree.SubElement(case, "failure", message=_plain(told[0]), type=_plain(item.issues[0].code))
            failure.text = "\n".join(
                _plain(line + (f" [{issue.evidence}]" if issue.evidence else ""))
                for line, issue in zip(told, item.issues, strict=True)
            )
        if item.designs:
            lines = [line for report in item.designs for line in design_lines(report)]
            ElementTree.SubElement(case, "system-out").text = "\n".join(_plain(line) for line in lines)
    for element in (root, *suites.values()):
        for what, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            element.set(what, str(sum(1 for _ in element.iter(tag))))
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def design_lines(report: DesignReport) -> Iterator[str]:
    """How a session stands to a design: a line for the whole, one for each turn with its steps and their events, and
    one for each message whose words alone say what it is, or that can't be held against a record."""
    right = sum(turn.conforms for turn in report.turns)
    turns = f"{len(report.turns):,} turn" + ("" if len(report.turns) == 1 else "s")
    yield f"design {report.design}: {right:,} of {turns} as designed"
    for turn in report.turns:
        steps = turn.steps
        matched = [f"{step.message} = {step.event}" for step in steps if step.status == "matched"]
        parts = [f"{len(matched)} matched" + (f" ({', '.join(matched)})" if matched else "")]
        for status, word in (("missing", "missing"), ("elsewhere", "at another place"), ("extra", "extra")):
            apart = [_step(step) for step in steps if step.status == status]
            if apart:
                parts.append(f"{word}: {', '.join(apart)}")
        yield f"  turn {turn.turn}: {turn.fault or '; '.join(parts)}"
    if report.undrawn:
        some = ", ".join(str(turn) for turn in report.undrawn[:10]) + (" …" if len(report.undrawn) > 10 else "")
        yield f"  not designed, so not held against it: turn {some}"
    for each in report.read_as:
        if each.by == "words":
            named = f" {each.name}" if each.name else ""
            yield f"  {each.message} {each.label} (line {each.line}) is read as: {each.kind}{named}"
    for each in report.unmapped:
        yield f"  {each.message} {each.label} (line {each.line}) stands for nothing that is recorded: not checked"


def _step(step: Step) -> str:
    did = f"{step.kind} {step.name}".strip()
    return f"{step.message or did} = {step.event}" if step.event else step.message


def _where(issue: Issue) -> str:
    return f"turn {issue.turn}: " if issue.turn else ""


def _plain(text: str) -> str:
    """Text that XML can hold: what it has no character for is written as an escape."""
    return visible(legible(text))


def _name(code: str) -> str:
    return {RULE: "BrokenRule", GOLDEN: "GoldenMap", DESIGN: "NotAsDesigned"}.get(code) or ABOUT[code].capitalize()


def _place(file: Path, line: int) -> dict[str, Any]:
    # A relative path stays one: code scanning takes it from the root of the repository on.
    path = quote(file.as_posix().encode("utf-8", "surrogateescape"))
    uri = f"file://{path}" if file.is_absolute() else path
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}


def _lines(item: Checked) -> dict[int, int]:
    """{seq: its line} in a recording of ours; empty for any other file, whose lines say nothing of events."""
    file = item.file
    if item.format != "recording" or not file.is_file() or file.stat().st_size > _LARGEST:
        return {}
    found: dict[int, int] = {}
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            match = _SEQ.match(line)
            if match:
                found.setdefault(int(match[1]), number)
    return found


def _fingerprint(item: Checked, issue: Issue) -> str:
    """The same for the same issue of the same session, wherever the file is and whatever else is in it."""
    said = f"{item.session}\n{issue.code}\n{issue.id}"
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:32]
