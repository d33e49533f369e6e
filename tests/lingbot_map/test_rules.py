"""A file of rules says what the Python API says, and is exact about what is wrong with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lingbot_map.errors import BadInput
from lingbot_map.testing import read_rules
from tests.builders import Dialogue, answered, assigned, read, recalled, routed, said

HELD = """
# What the telecom assistant has to keep to.
[[rule]]
name = "the plan leads to the ticket"
jumped = ["change_plan", "ticket_query"]
at_turn = 2

[[rule]]
never_jumped = ["ticket_query", "change_plan"]
[[rule]]
path = ["change_plan", "ticket_query"]
[[rule]]
slot = "brand"
was = "B"
at_turn = 1
[[ rule ]] # a comment
slot = "brand"
ends_as = ["B", 2]
[[rule]]
slot = "phone"
unset = true
at_turn = 2
[[rule]]
slot = "phone"
unset = true
[[rule]]
has = "leak"
[[rule]]
never = ["loop", "LM401"]
[[rule]]
has_no = "findings"
except = ["leak", "overwrite"]
[[rule]]
recalled = "new"
stage = "reranked"
rank_at_most = 2
rank = 1
[[rule]]
answered_from = ["new"]
[[rule]]
session = "other-*"
has = "gap"
"""


def telecom() -> Dialogue:
    told = Dialogue("call-17")
    told.tell(said("change my plan", "t1"), routed("change_plan"), assigned("brand", "B"), turn="t1")
    told.tell(said("my ticket", "t2"), routed("ticket_query"), read("brand"), assigned("brand", ["B", 2]), turn="t2")
    told.tell(recalled("reranked", {"new": 0.9}), answered("99", "new"), turn="t2")
    return told


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "rules.toml"
    path.write_text(text, "utf-8")
    return path


def test_every_claim_of_the_python_api_has_its_rule(tmp_path: Path) -> None:
    rules = read_rules(written(tmp_path, HELD))
    assert len(rules.rules) == 13
    assert rules.rules[0].name == "the plan leads to the ticket"
    assert rules.broken(telecom().map) == []


def test_a_broken_rule_is_told_with_its_line_and_where_to_look(tmp_path: Path) -> None:
    text = HELD.replace('was = "B"', 'was = "C"').replace('has = "leak"', 'never = "leak"').replace("other-*", "call-*")
    broken = read_rules(written(tmp_path, text)).broken(telecom().map)
    assert [(rule.line, str(mismatch)) for rule, mismatch in broken[:1]] == [
        (12, "turn 1: expected slot brand = 'C', found 'B' (written in turn 1)")
    ]
    assert [text.splitlines()[rule.line] for rule, _ in broken] == [
        'slot = "brand"',
        'never = "leak"',
        'session = "call-*"',
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "expected tables [[rule]] and nothing else, found none of them"),
        ('\n[rules]\nnever = "loop"', 2, "expected tables [[rule]] and nothing else, found rules"),
        ('[rule]\nnever = "loop"', 1, "expected tables [[rule]]"),
        ("[[rule]]\nnever = loop", 2, "expected TOML, found Invalid value"),
        ('[[rule]]\nnever = "loop', 2, "expected TOML, found "),
        ('[[rule]]\nname = "x"\n', 1, "expected one of jumped, never_jumped, path, slot"),
        ('[[rule]]\nnever = "loop"\nhas = "leak"', 3, "found never and has"),
        ('[[rule]]\nhas = "leak"\n\n[[rule]]\nnever = "leek"', 5, "no finding is called 'leek'"),
        ('[[rule]]\nnever = ["loop", 1]', 2, "expected never as a list of texts"),
        ("[[rule]]\nnever = true", 2, "expected never as a text"),
        ('[[rule]]\nhas_no = "finding"', 2, "no finding is called 'finding'"),
        ('[[rule]]\nhas_no = "findings"\nexcept = "LM9"', 3, "no finding is called 'LM9'"),
        ('[[rule]]\njumped = ["a"]', 2, "expected two intents or more"),
        ('[[rule]]\njumped = ["a", "b"]\nat_turn = 0', 3, "expected at_turn as a whole number from 1 on, found 0"),
        ('[[rule]]\njumped = ["a", "b"]\nat_turn = true', 3, "found True"),
        (
            '[[rule]]\njumped = ["a", "b"]\nrank = 1',
            3,
            "beside jumped only at_turn, name, session, found rank",
        ),
        ('[[rule]]\nslot = "x"\nwas = "y"', 3, "expected at_turn beside was"),
        ('[[rule]]\nslot = "x"', 2, "expected beside slot one of was"),
        ('[[rule]]\nslot = "x"\nunset = false', 3, "expected true, found False"),
        ('[[rule]]\nslot = "x"\nends_as = "y"\nat_turn = 3', 4, "expected was, for the value in a turn"),
        ('[[rule]]\nslot = "x"\nends_as = 2024-05-01', 3, "write it as a text"),
        ('[[rule]]\nrecalled = "x"\nrank_at_most = "2"', 3, "expected rank_at_most as a whole number"),
        ('[[rule]]\nnever = "loop"\nsession = 4', 3, "expected session as a text, found 4"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadInput, match=re.escape(message)) as caught:
        read_rules(path)
    assert caught.value.where == f"{path} line {line}"


def test_where_lines_can_not_be_told_the_rule_is_numbered(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"rules.toml rule 2: expected never as a text"):
        read_rules(written(tmp_path, 'rule = [{never = "loop"}, {never = 3}]'))
    odd = '[[rule]]\nname = """\n[[rule]]\n"""\nnever = "loop"\n[[rule]]\nnever = 3'
    with pytest.raises(BadInput, match=r"rules.toml rule 2: "):
        read_rules(written(tmp_path, odd))
    path = tmp_path / "latin.toml"
    path.write_bytes(b"# caf\xe9\n")
    with pytest.raises(BadInput, match="expected rules in TOML, in UTF-8, found the byte 0xe9"):
        read_rules(path)


def test_a_rule_may_name_a_golden_map_beside_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = read_rules(written(tmp_path, '[[rule]]\nmatches = "g.jsonl"\n'))
    monkeypatch.setenv("LINGBOT_UPDATE_GOLDEN", "1")
    rules.broken(telecom().map)
    monkeypatch.delenv("LINGBOT_UPDATE_GOLDEN")
    assert rules.broken(telecom().map) == []
    (tmp_path / "g.jsonl").write_text((tmp_path / "g.jsonl").read_text().replace("ticket_query", "appeal"))
    ((_, mismatch),) = rules.broken(telecom().map)
    assert str(mismatch) == "turn 2: expected the flow appeal, found ticket_query"
