"""A session as messages between user, bot and knowledge bases, and as the text of a diagram."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lingbot_map.errors import BadInput
from lingbot_map.events import Gap
from lingbot_map.store.files import FileStore
from lingbot_probes.signals import Doc, Failed, Retrieved, Undone
from lingbot_web.export import Wish, export
from lingbot_web.export_diagram import mermaid, plantuml
from lingbot_web.export_sequence import Block, Divider, Message, Note, Step, sequence_of
from tests.builders import Dialogue, answered, assigned, cleared, read, recalled, routed, said
from tests.torture.hostile import STRINGS

CASES = Path(__file__).resolve().parents[2] / "snapshots"


def texts(steps: list[Step]) -> list[str]:
    """Messages and notes, those in blocks too."""
    out = []
    for step in steps:
        if isinstance(step, Block):
            out += texts(step.steps)
        elif not isinstance(step, Divider):
            out.append(step.text)
    return out


def test_what_happened_is_said_in_order() -> None:
    dialogue = Dialogue("s")
    dialogue.tell(said("hi"), routed("buy", 0.75, label="Buy"), assigned("brand", "x"), read("brand"), cleared("brand"))
    dialogue.tell(recalled("vector", {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6}, query="brand x"))
    dropped = Doc(id="b", score=0.2, dropped_because="too long")
    dialogue.tell(recalled("prompt", [Doc(id="a", score=0.9), dropped]), answered("here", "a"))
    dialogue.tell(Failed(where="pay", error="no card"))
    sequence = sequence_of(dialogue.map, dialogue.events, "en")
    assert texts(sequence.steps) == [
        "hi",
        "intent Buy (buy) (0.75)",
        "set brand = x",
        "read brand",
        "clear brand",
        "vector: brand x",
        "a 0.9, b 0.8, c 0.7, 1 more",
        "prompt: a 0.9; cut: b",
        "here",
        "from a",
        "failed at pay: no card",
    ]
    assert [party.kind for party in sequence.parties] == ["actor", "participant", "database"]


def test_a_knowledge_base_that_the_source_names_is_a_party_of_its_own() -> None:
    dialogue = Dialogue("s")
    dialogue.tell(said("hi"))
    for name in ("faq", "plans", "faq"):
        dialogue.tell(Retrieved(query="q", stage="vector", docs=(Doc(id=name),), params={"knowledge_base": name}))
    sequence = sequence_of(dialogue.map, dialogue.events, "zh")
    assert [party.name for party in sequence.parties[2:]] == ["知识库 faq", "知识库 plans"]


def test_what_follows_a_condition_stands_under_it_until_the_next_route() -> None:
    dialogue = Dialogue("s")
    dialogue.tell(said("a"), routed("x", condition="phone = null"), assigned("n", 1), routed("y"), assigned("n", 2))
    _, _, block, *rest = sequence_of(dialogue.map, dialogue.events, "en").steps
    assert isinstance(block, Block)
    assert (block.kind, block.label, texts(block.steps)) == ("alt", "phone = null", ["intent x (0.9)", "set n = 1"])
    assert texts(rest)[:2] == ["intent y (0.9)", "set n = 2"]


def test_a_loop_is_around_its_turns_and_crossing_ones_do_not_tear_the_diagram() -> None:
    store = FileStore(CASES, read_only=True)
    for key in list(store.keys()):
        recording = store.open(key)
        text = ""
        events = list(recording.events())
        dialogue = Dialogue(recording.session)
        for event in events:
            dialogue.mapper.apply(event)
        for write in (mermaid, plantuml):
            text = write(sequence_of(dialogue.map, events, "en"))
            opened = sum(line.lstrip().startswith(("alt ", "loop ")) for line in text.splitlines())
            assert opened == sum(line.strip() == "end" for line in text.splitlines())
        loops = [found for found in dialogue.map.findings.values() if found.kind == "loop"]
        assert text.count("\nloop ") == len(loops)


def test_losses_and_what_was_undone_are_told() -> None:
    dialogue = Dialogue("s")
    dialogue.tell(said("a", turn="1"), answered("b"))
    dialogue.tell(said("c", turn="2"), Undone(turn="2", why="rewind"))
    dialogue.own(Gap(source="bot", first=9, last=12))
    steps = sequence_of(dialogue.map, dialogue.events, "en").steps
    notes = [(step.text, step.wrong) for step in steps if isinstance(step, Note)]
    assert ("undone: rewind", False) in notes
    assert ("4 events lost", True) in notes


def test_only_the_turns_that_are_wanted(tmp_path: Path) -> None:
    out = tmp_path / "some.mmd"
    export(CASES, "case-intent-drift", Wish(to="mermaid", turns=(8, 9), lang="zh"), out)
    text = out.read_text("utf-8")
    assert "第 8 轮" in text
    assert "第 9 轮" in text
    assert "第 7 轮" not in text
    with pytest.raises(BadInput, match=r"--turns: expected turns from 0 to 12.*found 8-99"):
        export(CASES, "case-intent-drift", Wish(to="mermaid", turns=(8, 99)), out)
    with pytest.raises(BadInput, match=r"--turns: expected --to mermaid or plantuml beside it, found --to csv"):
        export(CASES, "case-intent-drift", Wish(to="csv", turns=(8, 9)), out)


def test_a_message_between_parties_is_a_line_of_its_own_whatever_it_says() -> None:
    dialogue = Dialogue("s")
    for text in (*STRINGS, "a\nuser->>bot: forged", "a\r\nuser -> bot: forged", "@enduml", "%getenv()", "!include x"):
        dialogue.tell(said(text), answered(text))
    sequence = sequence_of(dialogue.map, dialogue.events, "en")
    messages = sum(isinstance(step, Message) for step in sequence.steps)
    plain = plantuml(sequence).splitlines()
    assert sum(line.startswith(("user -> bot:", "bot --> user:")) for line in plain) == messages
    assert plain.count("@enduml") == 1
    assert not any("%" in line or line.startswith("!") for line in plain)
    drawn = mermaid(sequence).splitlines()
    assert sum(line.startswith(("  user->>bot:", "  bot-->>user:")) for line in drawn) == messages


@pytest.mark.skipif(shutil.which("plantuml") is None, reason="plantuml is not installed")
@pytest.mark.slow
def test_plantuml_draws_hostile_texts_as_they_are(tmp_path: Path) -> None:
    dialogue = Dialogue("s")
    orders = ('%getenv("HOME")', "!include /etc/passwd", "[[x y]]", "<img:x>", "**b** //i// __u__", "~x &#65; <U+0041>")
    for text in (*STRINGS, *orders):
        dialogue.tell(said(text), routed(text or "empty", condition=text), answered(text))
    source = tmp_path / "s.puml"
    source.write_text(plantuml(sequence_of(dialogue.map, dialogue.events, "en")), "utf-8")
    command = ["plantuml", "-tsvg", "-charset", "UTF-8", str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    root = ElementTree.parse(source.with_suffix(".svg")).getroot()
    shown = "\n".join("".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text"))
    for text in orders:
        assert text in shown.replace("\xa0", " ")
    assert not list(root.iter("{http://www.w3.org/2000/svg}a"))
