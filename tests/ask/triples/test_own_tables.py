"""Tables of nodes and edges that somebody wrote by hand, without a word on how their relations are said."""

from __future__ import annotations

from pathlib import Path

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases import opened

TABLES = {
    "people.csv": "id,name,type,born\np1,Ada Linde,person,1971\np2,Otis Crane,person,1980\np3,Mei Song,person,1985\n"
    "p4,Ivo Marsh,person,1978\n",
    "yards.csv": "id,name,type,city\nc1,Harbour Yard,yard,Portmere\nc2,North Yard,yard,Elm\n",
    "edges.csv": "source,target,type\np1,c1,works at\np2,c1,works at\np3,c1,works at\np4,c2,works at\n"
    "p1,p2,supervises\np2,p3,supervises\np1,p4,supervises\np1,c1,founded\n",
}


@pytest.fixture
def yards(tmp_path: Path) -> Ask:
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return Ask(opened("graph", [tmp_path]))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who supervises Mei Song?", ["Otis Crane"]),
        ("Who is the supervisor of Mei Song?", ["Otis Crane"]),
        ("Who is Mei Song's supervisor?", ["Otis Crane"]),
        ("Who supervises the supervisor of Mei Song?", ["Ada Linde"]),
        ("Who is the supervisor of the supervisor of Mei Song?", ["Ada Linde"]),
        ("Who was supervised by the founder of Harbour Yard?", ["Otis Crane", "Ivo Marsh"]),
        ("Whom does Ada Linde supervise?", ["Otis Crane", "Ivo Marsh"]),
        ("Where does Mei Song work?", ["Harbour Yard"]),
        ("Where does the supervisor of Ivo Marsh work?", ["Harbour Yard"]),
    ],
)
def test_a_doer_is_who_does_it(yards: Ask, question: str, names: list[str]) -> None:
    assert sorted(str(row["name"]) for row in yards.ask(question).rows) == sorted(names)


def test_what_nobody_does_is_not_read_the_other_way_as_a_fact(yards: Ask) -> None:
    answer = yards.ask("Who supervises the supervisor of Otis Crane?")
    assert answer.abstained or answer.text.startswith("Nothing says it exactly")


@pytest.mark.parametrize("question", ["Who works at the same yard as Mei Song?", "Who repairs boats at Harbour Yard?"])
def test_an_answer_that_leaves_words_unread_says_so(yards: Ask, question: str) -> None:
    answer = yards.ask(question)
    assert answer.abstained or answer.text.startswith("Nothing says it exactly")


def test_whether_is_denied_where_the_relation_leads_elsewhere(yards: Ask) -> None:
    assert yards.ask("Does Ivo Marsh work at North Yard?").verdict == "yes"
    answer = yards.ask("Does Ivo Marsh work at Harbour Yard?")
    assert answer.verdict == "no"
    assert "North Yard" in answer.text


def test_who_begins_anew_and_is_not_asked_of_the_answer_before(yards: Ask) -> None:
    yards.ask("Does Ivo Marsh work at Harbour Yard?")
    rows = yards.ask("Who was born before 1980?").rows
    assert sorted(str(row["name"]) for row in rows) == ["Ada Linde", "Ivo Marsh"]
