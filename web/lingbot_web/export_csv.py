"""The turn table as CSV: the page writes the same (``static/table_csv.js``), and both are held to the same files.

RFC 4180 with a byte order mark, so that spreadsheet programs take it for UTF-8. Names of columns are English in every
language, for scripts. A cell that a spreadsheet program would take for a formula begins with an apostrophe. Values that
are no text stand as the page's language writes them, so numbers and the order of members follow its rules.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

from lingbot_map.graph import DialogueMap
from lingbot_map.model import Edge, Finding

COLUMNS = ("turn", "time", "said", "intents", "confidence", "slots", "documents", "answered", "anomalies")

_LONGEST_VALUE = 1000
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_INDEX = re.compile(r"0|[1-9]\d{0,9}")
_LARGEST_INDEX = 2**32 - 2
_STATES = ("used", "prompt", "cut", "candidate")


def turns_csv(map: DialogueMap, *, upto: int | None = None, lang: Literal["zh", "en"] = "en") -> str:
    """All turns that ``map`` holds, as they stood after event ``upto`` (None: now); ``lang`` words the anomalies."""
    table = _Table(map, math.inf if upto is None else upto)
    return csv_lines([COLUMNS, *(table.cells(turn, lang) for turn in table.turns())])


def csv_lines(lines: Iterable[tuple[str, ...]]) -> str:
    """The lines as a file; no cell of it is a formula."""
    return "\ufeff" + "".join(",".join(_quoted(line)) + "\r\n" for line in lines)


def _quoted(line: tuple[str, ...]) -> Iterator[str]:
    for cell in line:
        fit = _UNFIT.sub("\ufffd", cell)
        safe = f"'{fit}" if _FORMULA.match(fit) else fit
        yield '"' + safe.replace('"', '""') + '"' if re.search(r'[",\r\n]', safe) else safe


class _Table:
    def __init__(self, map: DialogueMap, upto: float) -> None:
        self.map = map
        self.upto = upto
        self.spans: dict[int, tuple[int, int]] = {}
        for seq, turn in enumerate(map.moment_turn, map.first_moment):
            self.spans[turn] = (self.spans.get(turn, (seq, seq))[0], seq)
        self.steps: defaultdict[int, list[Edge]] = defaultdict(list)
        for edge in map.edges.values():
            first, last = self.spans.get(edge.turn, (1, 0))
            if edge.seq <= upto and first <= edge.seq <= last:
                self.steps[edge.turn].append(edge)
        self.findings: defaultdict[int, list[Finding]] = defaultdict(list)
        for finding in sorted(map.findings.values(), key=lambda finding: (finding.seq, _order(finding.id))):
            if finding.seq <= upto:
                self.findings[finding.turn].append(finding)

    def turns(self) -> range:
        map = self.map
        lanes = {*map.turns, *(edge.turn for edge in map.edges.values()), *(f.turn for f in map.findings.values())}
        first = map.retired + 1 if map.retired else 0 if 0 in lanes else 1
        last = max(lanes, default=0)
        if self.upto < map.seq:
            at = int(self.upto) - map.first_moment
            last = min(last, map.moment_turn[at] if 0 <= at < len(map.moment_turn) else 0)
        return range(first, last + 1)

    def cells(self, turn: int, lang: str) -> tuple[str, ...]:
        steps = self.steps[turn]
        utterance = self.map.nodes.get(f"utterance:{turn}")
        routed = [edge for edge in steps if edge.kind == "jump" and edge.source.startswith("utterance:")]
        return (
            str(turn),
            self._time(turn),
            utterance.label if utterance else "",
            "; ".join(self._name(edge.target) for edge in routed),
            "; ".join(_rounded(edge.props.get("confidence")) for edge in routed),
            "; ".join(self._slots(turn)),
            "; ".join(self._documents(steps)),
            "; ".join(self._answers(turn)),
            "; ".join(
                f"{f.code} {f.kind}: {f.reason.get(lang) or f.reason.get('en') or ''}" for f in self.findings[turn]
            ),
        )

    def _time(self, turn: int) -> str:
        place = self.map.turns.get(turn)
        if place is not None:
            at = place.at if place.said_at is None else place.said_at
        elif turn in self.spans:
            at = self.map.moment_at[self.spans[turn][0] - self.map.first_moment]
        else:
            return ""
        return csv_time(at)

    def _name(self, id: str) -> str:
        name = id.partition(":")[2]
        node = self.map.nodes.get(id)
        label = node.label if node is not None else ""
        return name if label in ("", name) else f"{label} ({name})"

    def _slots(self, turn: int) -> list[str]:
        blamed = {seq for finding in self.findings[turn] for seq in finding.seqs}
        written: list[str] = []
        read: dict[str, str] = {}
        for edge in self.steps[turn]:
            if edge.kind == "assign":
                cleared = edge.props.get("change") == "cleared"
                tail = " cleared" if cleared else f" = {csv_value(edge.props.get('value'))}"
                written.append(self._name(edge.target) + tail)
            elif edge.kind == "read" and (edge.source not in read or edge.seq in blamed):
                read[edge.source] = f"{self._name(edge.source)} read"
        return [*written, *read.values()]

    def _documents(self, steps: list[Edge]) -> list[str]:
        used = dict.fromkeys(edge.source for edge in steps if edge.kind == "merge")
        last: dict[str, Edge] = {}
        why: dict[str, str] = {}
        prompt: set[str] = set()
        for edge in steps:
            if edge.kind == "recall":
                dropped = str(edge.props.get("dropped_because") or "")
                last[edge.target] = edge
                why[edge.target] = dropped or why.get(edge.target, "")
                if edge.props.get("stage") == "prompt" and not dropped:
                    prompt.add(edge.target)
        lines: list[tuple[tuple[int, float, bytes], str]] = []
        for doc in dict.fromkeys([*used, *last]):
            props = last[doc].props if doc in last else {}
            state = "used" if doc in used else "prompt" if doc in prompt else "cut" if why[doc] else "candidate"
            rank = props.get("rank") or None
            parts = (
                f"#{_number(rank)}" if rank else "",
                self._name(doc),
                _rounded(props.get("score")),
                f"cut: {why[doc]}" if state == "cut" else state,
            )
            order = (_STATES.index(state), rank or math.inf, _order(doc))
            lines.append((order, " ".join(part for part in parts if part)))
        return [line for _, line in sorted(lines)]

    def _answers(self, turn: int) -> Iterator[str]:
        id, number = f"answer:{turn}", 2
        while (node := self.map.nodes.get(id)) is not None:
            if node.seq <= self.upto:
                yield node.label
            id, number = f"answer:{turn}.{number}", number + 1


def _order(id: str) -> bytes:
    """The page compares texts by their UTF-16 units."""
    return id.encode("utf-16-be", "surrogatepass")


def _rounded(value: Any) -> str:
    if type(value) not in (int, float) or not math.isfinite(value):
        return ""
    scaled = float(value) * 1e4 + 0.5
    return _number(math.floor(scaled) / 1e4 if math.isfinite(scaled) else scaled)


def csv_time(at: float) -> str:
    """A time in Unix seconds as UTC, to the second; "" for one that no calendar holds."""
    try:
        return datetime.fromtimestamp(math.floor(at), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):  # a source's clock may say anything
        return ""


def csv_value(value: Any) -> str:
    """A value as the page writes it, cut where it is very long."""
    whole = value if type(value) is str else _json(value)
    return whole if len(whole) <= _LONGEST_VALUE else whole[:_LONGEST_VALUE] + "…"


def _json(value: Any) -> str:
    """JSON as browsers write it: numbers without a needless point, members that are indexes first."""
    if type(value) in (int, float):
        return _number(value) if math.isfinite(float(value)) else "null"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: (0, int(name)) if _is_index(name) else (1, 0))
        return "{" + ",".join(f"{_json(name)}:{_json(value[name])}" for name in names) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_json, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _is_index(name: str) -> bool:
    return _INDEX.fullmatch(name) is not None and int(name) <= _LARGEST_INDEX


def _number(value: float) -> str:
    """A number as browsers write it."""
    value = float(value)
    if not math.isfinite(value):
        return "Infinity" if value > 0 else "-Infinity"
    sign, figures, exponent = Decimal(repr(value)).normalize().as_tuple()
    digits, point = "".join(map(str, figures)), len(figures) + int(exponent)
    if digits == "0":
        return "0"
    if 0 < point <= 21:
        text = digits.ljust(point, "0") if point >= len(digits) else f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        text = f"{digits[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return f"-{text}" if sign else text
