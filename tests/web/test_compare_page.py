"""The page and the map compare alike: the same turns matched, the same things told apart."""

from __future__ import annotations

import json
import subprocess
from itertools import permutations
from pathlib import Path
from typing import Any

from lingbot_map import codec
from lingbot_map.compare import compare, facts_of
from lingbot_map.graph import DialogueMap
from lingbot_map.testing import open_maps
from tests.builders import Dialogue, answered, assigned, cleared, recalled, routed, said

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import { readFileSync } from 'node:fs';
import { compare, factsOf } from 'lb/compare';
import { DialogueMap } from 'lb/fold';
const facts = JSON.parse(readFileSync(0, 'utf8')).map((keyframe) => factsOf(DialogueMap.fromKeyframe(keyframe)));
const told = facts.flatMap((a) => facts.filter((b) => b !== a).map((b) => compare(a, b)));
const brief = ({ rows, differences }) => ({ rows, differences: differences.map(({ kind, a, b }) => [kind, a, b]) });
process.stdout.write(JSON.stringify(told.map(brief)));
"""


def of_the_page(maps: list[DialogueMap]) -> list[dict[str, Any]]:
    """What the page makes of each map beside each other one."""
    keyframes = b"[" + b",".join(map(codec.keyframe, maps)) + b"]"
    command = ["node", "--import", "./tests/js/names.mjs", "--input-type=module", "--eval", SCRIPT]
    done = subprocess.run(command, input=keyframes, capture_output=True, check=True, timeout=60, cwd=ROOT)
    told: list[dict[str, Any]] = json.loads(done.stdout)
    return told


def test_both_tell_the_same_of_any_two() -> None:
    maps = [opened.map for case in sorted((ROOT / "snapshots" / "cases").iterdir()) for opened in open_maps(case)]
    for change in range(4):
        told = Dialogue(f"built {change}")
        told.tell(
            said("hello", "t1"), routed("greet"), assigned("city", "Lund"), assigned("n", [1, {"a": 2.0}]), turn="t1"
        )
        if change:
            told.tell(said("Change  my plan", "x"), routed("change_plan"), cleared("city"), assigned("b", 1), turn="x")
        told.tell(said("bill", "t2"), routed("bill" if change < 2 else "price"), turn="t2")
        docs = {"x": 0.9, "y": 0.5} if change < 3 else {"y": 0.9}
        told.tell(recalled("reranked", docs), recalled("zzz", docs), answered("9", *docs), turn="t2")
        told.tell(assigned("city", "Malmö" if change == 3 else "Lund"), turn="t2")
        maps.append(told.map)
    by_page = iter(of_the_page(maps))
    some = 0
    for a, b in permutations(maps, 2):
        ours, theirs = compare(facts_of(a), facts_of(b)), next(by_page)
        assert theirs["rows"] == [list(row) for row in ours.rows]
        mine = [[each.kind, each.a_turn, each.b_turn] for each in ours.differences]
        assert theirs["differences"] == mine, (a.session, b.session)
        some += len(mine)
    assert some > 100
