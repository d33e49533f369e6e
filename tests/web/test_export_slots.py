"""Every write of a slot as a row of CSV: what it was, what it became, who did it, and what was found about it."""

from __future__ import annotations

import csv
import io

from lingbot_web.export_slots import COLUMNS, slots_csv
from tests.builders import Dialogue, assigned, cleared, read, routed, said


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text[1:], newline=""), strict=True))


def test_each_write_is_a_row_with_old_and_new() -> None:
    dialogue = Dialogue("s")
    dialogue.tell(said("a"), routed("buy"), assigned("brand", "x", label="Brand"), assigned("n", 2.0))
    dialogue.tell(said("b"), routed("ask"), assigned("brand", "y"), assigned("brand", "y"), read("brand"))
    dialogue.tell(cleared("brand"), assigned("brand", None))
    found = rows(slots_csv(dialogue.map))
    assert list(found[0]) == list(COLUMNS)
    told = [(row["slot"], row["change"], row["old"], row["new"], row["by"], row["turn"]) for row in found]
    assert told == [
        ("brand", "set", "", "x", "intent:buy", "1"),
        ("n", "set", "", "2", "intent:buy", "1"),
        ("brand", "changed", "x", "y", "intent:ask", "2"),
        ("brand", "same", "y", "y", "intent:ask", "2"),
        ("brand", "cleared", "y", "", "intent:ask", "2"),
        ("brand", "null", "", "null", "intent:ask", "2"),
    ]
    assert found[0]["label"] == "Brand"
    assert "LM301" in found[2]["anomalies"]
    assert found[2]["seq"] == "7"


def test_as_of_a_moment_later_writes_and_findings_are_not_there() -> None:
    dialogue = Dialogue("s")
    dialogue.tell(said("a"), routed("buy"), assigned("brand", "x"), assigned("brand", "y"))
    assert [row["new"] for row in rows(slots_csv(dialogue.map, upto=3))] == ["x"]
    assert rows(slots_csv(dialogue.map, upto=3))[0]["anomalies"] == ""


def test_no_cell_is_a_formula() -> None:
    dialogue = Dialogue("s")
    dialogue.tell(said("a"), routed("buy"), assigned("=cmd", "=1+1"), assigned("=cmd", "@x"))
    for row in rows(slots_csv(dialogue.map)):
        assert not any(cell.startswith(("=", "@", "+", "-")) for cell in row.values())
