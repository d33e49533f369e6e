"""Golden maps: what happened in each turn, a line a turn, to be read and reviewed like code.

No times, ids, confidences or answers' words are in it: it changes where the dialogue does, and only there.
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any

import msgspec

from lingbot_map.compare import TurnFacts, facts_of
from lingbot_map.errors import BadInput, LingbotMapError, NewerFormat, TooLarge
from lingbot_map.graph import DialogueMap
from lingbot_map.testing.opening import open_maps

VERSION = 1
UPDATE = "LINGBOT_UPDATE_GOLDEN"
"""Set to anything in the environment: golden maps are written, not compared. pytest's ``--update-golden`` sets it."""
written: list[Path] = []
"""The golden maps that this process wrote, for whoever tells."""
_LARGEST = 64 << 20  # bytes; a turn takes some 300


class NoGolden(LingbotMapError, AssertionError):
    """There is no golden map at ``path`` yet."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"{self.path}: there is no golden map yet; --update-golden writes it"


class _Head(msgspec.Struct, frozen=True):
    lingbot: str
    version: int
    session: str


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    turn: int
    said: str = ""
    flow: tuple[str, ...] = ()
    slots: dict[str, Any] = msgspec.field(default_factory=dict)
    cleared: tuple[str, ...] = ()
    recalled: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    used: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()


def updating() -> bool:
    """Whether golden maps are to be written."""
    return bool(os.environ.get(UPDATE))


def golden_text(map: DialogueMap) -> str:
    """The golden map of ``map``: a header line, then a line a turn. The same dialogue gives the same text."""
    lines: list[dict[str, Any]] = [{"lingbot": "golden", "version": VERSION, "session": map.session}]
    for turn in facts_of(map):
        told: dict[str, Any] = {"turn": turn.number, "said": turn.said, "flow": list(turn.flow)}
        told["slots"] = {name: turn.slots[name] for name in sorted(turn.slots)}
        told["cleared"] = list(turn.cleared)
        told["recalled"] = {stage: list(docs) for stage, docs in sorted(turn.recalled.items())}
        told["used"] = list(turn.used)
        told["findings"] = list(turn.findings)
        lines.append({name: value for name, value in told.items() if value not in ("", [], {}) or name == "turn"})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def keep_golden(path: Path, map: DialogueMap) -> bool:
    """Write the golden map of ``map`` to ``path``, whole or not at all; whether that changed anything."""
    text = golden_text(map).encode("utf-8", "replace")
    if path.is_file() and path.read_bytes() == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        beside.write_bytes(text)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    written.append(path)
    return True


def is_golden(path: Path) -> bool:
    """Whether the file begins as a golden map does."""
    with path.open("rb") as file:
        return file.read(64).replace(b" ", b"").startswith(b'{"lingbot":"golden"')


def read_golden(path: Path) -> tuple[str, list[TurnFacts]]:
    """(session, turns) of a golden map. Raises ``BadInput`` naming the line, ``NewerFormat``, ``TooLarge``."""
    size = path.stat().st_size
    if size > _LARGEST:
        raise TooLarge(str(path), "a golden map of bytes", size, _LARGEST)
    first, *rest = path.read_bytes().splitlines() or [b""]
    try:
        head = msgspec.json.decode(first, type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError) as why:
        raise BadInput(f"{path} line 1", 'a golden map\'s header: {"lingbot": "golden", ...}', str(why)) from None
    if head.version > VERSION:
        raise NewerFormat(str(path), head.version, VERSION)
    turns = []
    for number, raw in enumerate(rest, 2):
        if not raw.strip():
            continue
        try:
            line = msgspec.json.decode(raw, type=_Line)
        except (msgspec.DecodeError, UnicodeDecodeError) as why:
            raise BadInput(f"{path} line {number}", "a turn of a golden map", str(why)) from None
        values = {name: getattr(line, name) for name in _Line.__struct_fields__[1:]}
        turns.append(TurnFacts(number=line.turn, **values))
    return head.session, turns


def read_facts(path: Path, session: str = "") -> list[TurnFacts]:
    """The turns of a golden map or of a recording; of several sessions, those of ``session``. Raises ``BadInput``."""
    if path.is_file() and is_golden(path):
        return read_golden(path)[1]
    found = list(open_maps(path))
    if len(found) > 1:
        ids = [opened.session for opened in found]
        found = [opened for opened in found if opened.session == session]
        if not found:
            raise BadInput(str(path), f"the session {session}", ", ".join(ids[:5]) + " …" * (len(ids) > 5))
    return facts_of(found[0].map)
