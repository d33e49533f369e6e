"""The turn table as CSV: the same as the page's, to the byte, and no cell that a spreadsheet program would run."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lingbot_map import codec
from lingbot_map.graph import DialogueMap
from lingbot_web.export_csv import COLUMNS, turns_csv
from tests.builders import Dialogue, answered, assigned, cleared, read, routed, said
from tests.torture.hostile import STRINGS
from tests.vectors import make

GOLDEN = sorted((make.FOLDER / "csv").glob("*.csv"))


def rows(text: str) -> list[list[str]]:
    """What a reader of CSV makes of it."""
    assert text.startswith("\ufeff")
    assert text.endswith("\r\n")
    return list(csv.reader(io.StringIO(text[1:], newline=""), strict=True))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_table_of_a_vector_is_the_pages(path: Path) -> None:
    value = json.loads((make.FOLDER / f"{path.stem}.json").read_text("utf-8"))
    map = DialogueMap(value["session"])
    for delta in codec.decode_deltas(msgspec.json.encode(value["deltas"])):
        map.apply(delta)
    assert turns_csv(map, lang="zh").encode() == path.read_bytes()


def test_there_are_such_tables() -> None:
    assert len(GOLDEN) >= 9


@pytest.mark.parametrize("text", STRINGS)
def test_no_cell_is_a_formula_and_every_text_comes_back(text: str) -> None:
    dialogue = Dialogue()
    dialogue.tell(said(text), routed(text or "x"), assigned(text or "x", text), answered(text))
    header, row = rows(turns_csv(dialogue.map))
    assert tuple(header) == COLUMNS
    assert len(row) == len(COLUMNS)
    for cell in row:
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")), cell
        assert not any(ord(char) < 32 and char not in "\t\r\n" for char in cell)
    if text.isprintable() and text[:1] not in "=+-@":
        assert row[2] == text


@pytest.mark.parametrize(
    "value",
    [
        1, 1.0, -0.0, 0.1, 1e21, 1e20, 123456789012345680000, 1e-6, 1e-7, 1.5e-7, 1.25e300, -2.5, 2**53 + 1, 10**25,
        True, None, [], {}, {"b": 1, "10": 2, "9": 3, "a": [1.50, None], "01": 4}, ["\u2028", "\x7f", "\"\\/"],
        {"__proto__": 1}, 4294967294,
        {"4294967295": 1, "4294967294": 2, "a": 3}, "好" * 1001, "\U0001f468" * 1000, ["x" * 1000],
    ],
)  # fmt: skip
def test_a_value_is_written_as_browsers_write_it(value: Any) -> None:
    script = (
        "import { turnsCsv } from 'lb/table_csv';\nimport { DialogueMap } from 'lb/fold';\n"
        "import { readFileSync } from 'node:fs';\n"
        "const map = DialogueMap.fromKeyframe(JSON.parse(readFileSync(0, 'utf8')));\n"
        "process.stdout.write(turnsCsv(map, { from: 1, to: 1, upto: Infinity, lang: 'en' }));\n"
    )
    dialogue = Dialogue()
    score = value if type(value) in (int, float) else 0.5
    dialogue.tell(
        said("x"), assigned("slot", value), routed("y", confidence=0.12345), routed("z", confidence=min(abs(score), 1))
    )
    command = ["node", "--import", "./tests/js/names.mjs", "--input-type=module", "--eval", script]
    done = subprocess.run(command, input=codec.keyframe(dialogue.map), capture_output=True, check=True, timeout=60)
    assert turns_csv(dialogue.map) == done.stdout.decode()


def test_the_table_as_of_a_moment_ends_there() -> None:
    dialogue = Dialogue()
    dialogue.tell(said("one"), assigned("a", 1), said("two"), assigned("b", 2), read("a"), cleared("b"))
    assert [row[0] for row in rows(turns_csv(dialogue.map))[1:]] == ["1", "2"]
    assert [row[0] for row in rows(turns_csv(dialogue.map, upto=2))[1:]] == ["1"]
    _, _, second = rows(turns_csv(dialogue.map, upto=4))
    assert second[5] == "b = 2"
    _, _, second = rows(turns_csv(dialogue.map))
    assert second[5] == "b = 2; b cleared; a read"
