"""Assertions as a file: TOML, one table a claim, for ``lingbot-map check`` and for whoever writes no Python.

[[rule]]
jumped = ["change_plan", "appeal"]

[[rule]]
slot = "brand"
was = "B"
at_turn = 12

[[rule]]
has_no = "findings"
except = ["LM402"]
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from lingbot_map.errors import BadInput
from lingbot_map.graph import DialogueMap
from lingbot_map.testing.asserting import Asserted, MapDiffers, Mismatch, known

_HEADER = re.compile(r"^\s*\[\[\s*rule\s*\]\]\s*(?:#.*)?$")
_BESIDE = {
    "jumped": {"at_turn"},
    "never_jumped": set(),
    "path": set(),
    "slot": {"was", "ends_as", "unset", "at_turn"},
    "has": set(),
    "never": set(),
    "has_no": {"except"},
    "recalled": {"stage", "rank", "rank_at_most", "at_turn"},
    "answered_from": set(),
    "matches": set(),
    "design": {"at_turn", "messages"},
}
"""Each claim with what may stand beside it."""
_EVERYWHERE = {"name", "session"}

Claim = Callable[[Asserted], object]


@dataclass(frozen=True, slots=True)
class Designed:
    """The claim that a session went as the diagram in ``path`` draws it, in ``at_turn`` or in every turn (None).
    ``messages`` are what its messages stand for, by their names."""

    path: Path
    at_turn: int | None
    messages: dict[str, str]


@dataclass(frozen=True, slots=True)
class Rule:
    """One claim, of sessions whose id fits the pattern ``session`` (``*`` and ``?`` as in a shell); it begins at
    ``line`` of its file (0: not known). ``name`` is what people call it.

    What is ``designed`` is not for ``claim`` to say: whoever reads diagrams holds the session against it.
    """

    line: int
    name: str
    session: str
    claim: Claim
    designed: Designed | None = None

    def is_of(self, session: str) -> bool:
        """Whether the rule speaks of a session."""
        return fnmatchcase(session, self.session)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of the file at ``path``."""

    path: str
    rules: list[Rule]

    @property
    def designs(self) -> list[Rule]:
        """The rules that hold a session against a diagram."""
        return [rule for rule in self.rules if rule.designed is not None]

    def broken(self, map: DialogueMap) -> list[tuple[Rule, Mismatch]]:
        """The rules that ``map`` breaks, each with where to look first; those of ``designs`` are not looked at."""
        out = []
        for rule in self.rules:
            if rule.designed is not None or not rule.is_of(map.session):
                continue
            try:
                rule.claim(Asserted(map))
            except MapDiffers as why:
                out.append((rule, why.mismatches[0]))
        return out


def read_rules(path: Path) -> Rules:
    """The rules of a file. Raises ``BadInput`` that names the line, ``OSError`` where the file can't be read."""
    try:
        text = path.read_bytes().decode()
        tables = tomllib.loads(text)
    except UnicodeDecodeError as why:
        raise BadInput(str(path), "rules in TOML, in UTF-8", f"the byte {why.object[why.start]:#04x}") from None
    except tomllib.TOMLDecodeError as why:
        said = re.search(r"^(.*) \(at (?:line (\d+), column \d+|end of document)\)$", str(why))
        line = said[2] if said and said[2] else text.count("\n") + 1
        raise BadInput(f"{path} line {line}", "TOML", said[1] if said else str(why)) from None
    lines = text.splitlines()
    rules = tables.pop("rule", None)
    if tables or type(rules) is not list or not rules:
        other = next(iter(tables), "")
        number = next((i for i, line in enumerate(lines, 1) if other and other in line), 1)
        raise BadInput(f"{path} line {number}", "tables [[rule]] and nothing else", other or "none of them")
    heads = [number for number, line in enumerate(lines, 1) if _HEADER.match(line)]
    if len(heads) != len(rules):  # a header within a text, or tables written inline: then only their order is known
        heads = [0] * len(rules)
    bounds = [*heads[1:], len(lines) + 1]
    return Rules(
        str(path),
        [
            _Reader(path, lines, number, head, end).read(table)
            for number, (table, head, end) in enumerate(zip(rules, heads, bounds, strict=True), 1)
        ],
    )


def _is_json(value: Any) -> bool:
    """TOML has dates and times besides, which no slot holds."""
    if type(value) is dict:
        return all(map(_is_json, value.values()))
    return all(map(_is_json, value)) if type(value) is list else type(value) in (str, int, float, bool, type(None))


def _unsaid(map: Asserted) -> None:
    return


class _Reader:
    """Reads one table, which stands between two lines."""

    def __init__(self, path: Path, lines: list[str], number: int, head: int, end: int) -> None:
        self.path = path
        self.head = head
        self._lines = lines
        self._number = number
        self._end = end

    def wrong(self, key: str, expected: str, found: str) -> BadInput:
        """What is wrong with ``key`` of the rule; "": with the rule as a whole."""
        if not self.head:
            return BadInput(f"{self.path} rule {self._number}", expected, found)
        at = re.compile(rf'^\s*"?{re.escape(key)}"?\s*=') if key else None
        line = next(
            (n for n in range(self.head, self._end) if at and at.match(self._lines[n - 1])),
            self.head,
        )
        return BadInput(f"{self.path} line {line}", expected, found)

    def read(self, table: Any) -> Rule:
        """The rule that ``table`` says."""
        if type(table) is not dict:
            raise self.wrong("", "a table", repr(table))
        claims = [key for key in table if key in _BESIDE]
        if len(claims) != 1:
            found = " and ".join(claims) or ", ".join(table) or "nothing"
            raise self.wrong(claims[1] if claims else "", f"one of {', '.join(_BESIDE)}", found)
        (key,) = claims
        allowed = {key, *_BESIDE[key], *_EVERYWHERE}
        for name in table:
            if name not in allowed:
                raise self.wrong(name, f"beside {key} only {', '.join(sorted(allowed - {key}))}", name)
        designed = self._designed(table) if key == "design" else None
        claim = self._claim(key, table) if designed is None else _unsaid
        return Rule(self.head, self._text(table, "name", ""), self._text(table, "session", "*"), claim, designed)

    def _designed(self, table: dict[str, Any]) -> Designed:
        messages = table.get("messages", {})
        if type(messages) is not dict or not all(type(kind) is str for kind in messages.values()):
            expected = 'messages as a table of texts, { clearSlots = "clear" }'
            raise self.wrong("messages", expected, repr(messages))
        path = self.path.parent / self._text(table, "design")
        return Designed(path, self._count(table, "at_turn"), messages)

    def _claim(self, key: str, table: dict[str, Any]) -> Claim:
        turn = self._count(table, "at_turn")
        if key in ("jumped", "never_jumped"):
            intents = self._texts(table, key)
            if len(intents) < 2:
                raise self.wrong(key, "two intents or more", str(intents))
            if key == "jumped":
                return lambda map: map.jumped(*intents, at_turn=turn)
            return lambda map: map.never_jumped(*intents)
        if key in ("path", "answered_from"):
            texts = self._texts(table, key)
            return (lambda map: map.path(*texts)) if key == "path" else (lambda map: map.answered_from(*texts))
        if key == "slot":
            return self._slot(table, turn)
        if key in ("has", "never"):
            kinds = self._kinds(table, key)
            return (lambda map: map.has(*kinds)) if key == "has" else (lambda map: map.never(*kinds))
        if key == "has_no":
            what = self._text(table, key)
            if what != "findings":
                self._kinds(table, key)
            but = self._kinds(table, "except") if "except" in table else []
            return lambda map: map.has_no(what, except_=but)
        if key == "matches":
            golden = (self.path.parent / self._text(table, key)).absolute()
            return lambda map: map.matches(golden)
        doc, stage = self._text(table, key), self._text(table, "stage", "") or None
        rank, most = self._count(table, "rank"), self._count(table, "rank_at_most")
        return lambda map: map.recalled(doc, stage=stage, rank=rank, rank_at_most=most, at_turn=turn)

    def _slot(self, table: dict[str, Any], turn: int | None) -> Claim:
        name = self._text(table, "slot")
        said = [key for key in ("was", "ends_as", "unset") if key in table]
        if len(said) != 1:
            expected = "beside slot one of was (with at_turn), ends_as, unset = true"
            raise self.wrong(said[1] if said else "slot", expected, " and ".join(said) or "none")
        if said == ["unset"] and table["unset"] is not True:
            raise self.wrong("unset", "true", repr(table["unset"]))
        if said == ["was"] and turn is None:
            raise self.wrong("was", "at_turn beside was; ends_as for the end of the session", "none")
        if said == ["ends_as"] and turn is not None:
            raise self.wrong("at_turn", "was, for the value in a turn", "ends_as, for the end of the session")
        value = None if said == ["unset"] else table[said[0]]
        if not _is_json(value):
            raise self.wrong(said[0], "a value that JSON has", f"{value!r}; write it as a text")
        if turn is None:
            return lambda map: map.slot(name).ends_as(value)
        return lambda map: map.slot(name).was(value, at_turn=turn)

    def _text(self, table: dict[str, Any], key: str, default: str | None = None) -> str:
        value = table.get(key, default)
        if type(value) is not str or (default is None and not value):
            raise self.wrong(key, f"{key} as a text", repr(value))
        return value

    def _texts(self, table: dict[str, Any], key: str) -> list[str]:
        value = table[key]
        if type(value) is not list or not all(type(item) is str for item in value):
            raise self.wrong(key, f"{key} as a list of texts", repr(value))
        return value

    def _kinds(self, table: dict[str, Any], key: str) -> list[str]:
        kinds = self._texts(table, key) if type(table[key]) is list else [self._text(table, key)]
        try:
            known(*kinds)
        except ValueError as why:
            raise self.wrong(key, "kinds or codes of findings", str(why)) from None
        return kinds

    def _count(self, table: dict[str, Any], key: str) -> int | None:
        value = table.get(key)
        if key in table and (type(value) is not int or value < 1):
            raise self.wrong(key, f"{key} as a whole number from 1 on", repr(value))
        return value
