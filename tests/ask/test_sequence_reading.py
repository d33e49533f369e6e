"""Sequence diagrams in PlantUML, Mermaid and XMI become one form; what isn't understood is an error with its line."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from lingbot_map.ask.bases.sequence import opened
from lingbot_map.ask.bases.sequence.ir import Diagram
from lingbot_map.ask.bases.sequence.source import read
from lingbot_map.errors import BadInput

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "sequence"


def one(text: str, where: str = "x.puml") -> Diagram:
    diagrams, _ = read(text, where)
    assert len(diagrams) == 1
    return diagrams[0]


def puml(*lines: str) -> Diagram:
    return one("\n".join(("@startuml", *lines, "@enduml")))


def mmd(*lines: str) -> Diagram:
    return one("\n".join(("sequenceDiagram", *lines)), "x.mmd")


def told(diagram: Diagram) -> list[tuple[str, str, str, str]]:
    return [(each.source, each.target, each.label, each.arrow) for each in diagram.messages]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("A -> B: x", ("A", "B", "x", "sync")),
        ("A->B:x:y", ("A", "B", "x:y", "sync")),
        ("A ->> B: x", ("A", "B", "x", "async")),
        ("A -\\ B: x", ("A", "B", "x", "async")),
        ("A //-- B: x", ("B", "A", "x", "async")),
        ("A <- B: x", ("B", "A", "x", "sync")),
        ("A <-[#red]- B: x", ("B", "A", "x", "sync")),
        ("A -[#0000FF]> B ++ #red: x", ("A", "B", "x", "sync")),
        ("[-> A: x", ("[", "A", "x", "sync")),
        ("A ->]: x", ("A", "[", "x", "sync")),
        ("A <-o? ++: x", ("[", "A", "x", "sync")),
        ("A -x B: x", ("A", "B", "x", "sync")),
        ('"A b" as A -> B: x', ("A", "B", "x", "sync")),
        ("& A -> B: <color #red>**x**</color>", ("A", "B", "x", "sync")),
        ("{start} A -> B: x", ("A", "B", "x", "sync")),
    ],
)
def test_plantuml_arrows(line: str, expected: tuple[str, str, str, str]) -> None:
    assert told(puml(line)) == [expected]


def test_a_dashed_arrow_is_a_reply_only_to_a_call() -> None:
    assert [each.arrow for each in puml("B --> A: early", "A -> B: go", "B --> A: done").messages] == [
        "sync",
        "sync",
        "reply",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("A->>B: x", ("A", "B", "x", "sync")),
        ("A-)B: x", ("A", "B", "x", "async")),
        ("A-xB: x", ("A", "B", "x", "sync")),
        ("A<<->>B: x", ("A", "B", "x", "sync")),
        ("A-|\\B: x", ("A", "B", "x", "async")),
        ("A/|--B: x", ("B", "A", "x", "async")),
        ("A ()->>() B: x", ("A", "B", "x", "sync")),
        ("A->>+B:wrap: x<br/>y", ("A", "B", "x y", "sync")),
        ("Alice-in-Wonderland->Bob:Hello - you", ("Alice-in-Wonderland", "Bob", "Hello - you", "sync")),
        ("A->>B: #35;1 #59; &nbsp;x # a comment", ("A", "B", "#1 ;  x".replace("  x", " \xa0x"), "sync")),
    ],
)
def test_mermaid_arrows(line: str, expected: tuple[str, str, str, str]) -> None:
    assert told(mmd(line)) == [expected]


def test_a_message_knows_its_whole_path_with_operands_and_conditions() -> None:
    diagram = puml(
        "alt first", "A -> B: 1", "else second", "loop 3 times", "opt", "A -> B: 2", "end", "end", "end", "A -> B: 3"
    )
    paths = [[(step.kind, step.operand, step.condition) for step in each.path] for each in diagram.messages]
    assert paths == [[("alt", 1, "first")], [("alt", 2, "second"), ("loop", 1, "3 times"), ("opt", 1, "")], []]
    outer = diagram.fragment("f1")
    assert (outer.line, outer.end, [each.line for each in outer.operands]) == (2, 10, [2, 4])
    assert [(each.first, each.last) for each in outer.operands] == [(1, 1), (2, 2)]


def test_name_and_parameters_are_apart() -> None:
    message = puml("A -> B: createOrder(items, 3)").messages[0]
    assert (message.name, message.params, message.label) == ("createOrder", "items, 3", "createOrder(items, 3)")
    plain = puml("A -> B: Hello (you)").messages[0]
    assert (plain.name, plain.params) == ("Hello (you)", "")


def test_lifelines_that_nobody_declared_are_there() -> None:
    diagram = puml('database "The DB" as D', "A -> D: x", "note over E: y")
    lines = {id: (line.name, line.kind, line.implicit) for id, line in diagram.lifelines.items()}
    assert lines["D"] == ("The DB", "database", False)
    assert lines["A"] == ("A", "participant", True)
    assert lines["E"][2]


def test_notes_references_returns_and_dividers_are_kept() -> None:
    diagram = puml(
        "A -> B ++: go", "note right", "over two", "lines", "end note", "== Part ==", "ref over A, B: login",
        "return done", "... 5 minutes later ...", "A -> B & C: both",
    )  # fmt: skip
    assert [note.text for note in diagram.notes] == ["over two lines", "5 minutes later"]
    assert diagram.sections == ((7, "Part", 1),)
    assert (diagram.fragments[0].kind, diagram.fragments[0].over) == ("ref", ("A", "B"))
    assert told(diagram)[1:] == [("B", "A", "done", "reply"), ("A", "B", "both", "sync"), ("A", "C", "both", "sync")]


def test_the_preprocessor_decides_what_is_drawn() -> None:
    diagram = puml(
        "!$who = \"B\"", "!define OLD", "!if ($who == \"C\")", "A -> C: no", "!else", "A -> $who: yes", "!endif",
        "!ifdef OLD", "A -> B: old", "!endif", "!procedure call($x, $y=\"d\")", "A -> B: $x $y", "!endprocedure",
        "call(\"one\")", "call(\"two\", \"z\")", "!include other.puml",
    )  # fmt: skip
    assert [each.label for each in diagram.messages] == ["yes", "old", "one d", "two z"]
    assert [line for line, _ in diagram.remarks] == [17]


@pytest.mark.parametrize(
    ("lines", "where", "found"),
    [
        (("A -> B: x", "what is this"), "line 3", "what is this"),
        (("A -> B: x", "alt ok", "B --> A: y"), "line 3", "alt ok"),
        (("A -> B: x", "end"), "line 3", "end"),
        (("else x", "A -> B"), "line 2", "else x"),
        (("note over A", "text"), "line 2", "none"),
        (("!while 1", "A -> B", "!endwhile"), "line 2", "loop"),
        (("!if (1 == 2)", "A -> B"), "line 2", "none"),
    ],
)
def test_an_error_names_the_line(lines: tuple[str, ...], where: str, found: str) -> None:
    with pytest.raises(BadInput) as why:
        puml(*lines)
    assert why.value.where.endswith(where)
    assert found in why.value.found


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("@startuml\nstart\n:go;\nstop\n@enduml", "activity"),
        ("@startuml\nclass A\nA <|-- B\n@enduml", "class"),
        ("@startuml\n[*] --> On\nOn --> [*]\n@enduml", "state"),
        ("@startuml\nusecase U\nactor A\nA --> (U)\n@enduml", "use case"),
        ("@startmindmap\n* a\n@endmindmap", "mindmap"),
        ("flowchart TD\n A --> B", "flowchart"),
        ("classDiagram\n A <|-- B", "classDiagram"),
        ("just a letter\nto somebody", "just a letter"),
    ],
)
def test_another_kind_of_diagram_is_refused_with_its_kind(text: str, kind: str) -> None:
    with pytest.raises(BadInput, match=kind):
        read(text, "x.txt")


def test_a_page_gives_its_sequence_diagrams_and_tells_the_others() -> None:
    text = "# Flow\n\n```mermaid\nsequenceDiagram\nA->>B: x\n```\nwords\n```mermaid\npie\n```\n"
    diagrams, refused = read(text, "x.md")
    assert [(each.source, len(each.messages), each.messages[0].line) for each in diagrams] == [("x.md", 1, 5)]
    assert [(each.where, each.kind) for each in refused] == [("x.md line 9", "a Mermaid pie")]


def test_a_folder_keeps_what_it_can_read_and_tells_the_rest(tmp_path: Path) -> None:
    (tmp_path / "a.puml").write_text("@startuml\nA -> B: x\n@enduml\n", "utf-8")
    (tmp_path / "b.puml").write_text("@startuml\nalt x\nA -> B\n@enduml\n", "utf-8")
    base = opened([tmp_path])
    assert len(base.views) == 1
    assert base.refused[0].where.endswith("b.puml line 2")
    with pytest.raises(BadInput, match="line 2"):
        opened([tmp_path / "b.puml"])


@pytest.mark.parametrize("raw", [b"", b"\x00\xff\xfe\x00", b"   \n"])
def test_empty_and_binary_files_are_refused(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "x.puml").write_bytes(raw)
    with pytest.raises(BadInput, match=r"x\.puml"):
        opened([tmp_path / "x.puml"])


@pytest.mark.parametrize("piece", ["//a", "[[", "<", "alt x\n", "A -> B: (((((", '""', "&#", "A --------", "opt {{{{"])
def test_hostile_text_ends_soon(piece: str) -> None:
    text = "@startuml\nA -> B: " + piece * (60_000 // len(piece)) + "\n@enduml"
    began = time.process_time()
    with suppress(BadInput):
        read(text, "x.puml")
    assert time.process_time() - began < 3


UML = """<?xml version="1.0" encoding="windows-1252"?>
<xmi:XMI xmlns:uml="http://schema.omg.org/spec/UML/2.1" xmlns:xmi="http://schema.omg.org/spec/XMI/2.1">
 <packagedElement xmi:type="uml:Collaboration" xmi:id="C">
  <ownedAttribute xmi:type="uml:Property" xmi:id="P1" name="订单服务"/>
  <ownedBehavior xmi:type="uml:Interaction" xmi:id="I" name="Pay">
   <lifeline xmi:type="uml:Lifeline" xmi:id="L1" name="" represents="P1"/>
   <lifeline xmi:type="uml:Lifeline" xmi:id="L2" name="Payment"/>
   <fragment xmi:type="uml:OccurrenceSpecification" xmi:id="S1" covered="L1"/>
   <fragment xmi:type="uml:OccurrenceSpecification" xmi:id="R1" covered="L2"/>
   <fragment xmi:type="uml:CombinedFragment" xmi:id="F" interactionOperator="alt">
    <operand xmi:type="uml:InteractionOperand" xmi:id="O1">
     <guard xmi:id="G1"><specification xmi:type="uml:OpaqueExpression" body="[timeout]"/></guard>
     <fragment xmi:type="uml:OccurrenceSpecification" xmi:id="S2" covered="L2"/>
     <fragment xmi:type="uml:OccurrenceSpecification" xmi:id="R2" covered="L1"/>
    </operand>
    <operand xmi:type="uml:InteractionOperand" xmi:id="O2">
     <guard xmi:id="G2"><specification xmi:type="uml:OpaqueExpression"><body>else</body></specification></guard>
     <fragment xmi:type="uml:OccurrenceSpecification" xmi:id="S3"><covered xmi:idref="L1"/></fragment>
     <fragment xmi:type="uml:OccurrenceSpecification" xmi:id="R3" covered="L2"/>
    </operand>
   </fragment>
   <message xmi:id="M3" name="cancel" messageSort="asynchSignal" sendEvent="S3" receiveEvent="R3"/>
   <message xmi:id="M1" name="pay" messageSort="synchCall" sendEvent="S1" receiveEvent="R1"/>
   <message xmi:id="M2" name="late" messageSort="reply" sendEvent="S2" receiveEvent="R2"/>
  </ownedBehavior>
 </packagedElement>
</xmi:XMI>
"""
UMBRELLO = """<?xml version="1.0" encoding="UTF-8"?>
<XMI xmi.version="1.2"><XMI.content><UML xmi.id="c2" name="Pay"/><Op xmi.id="o1" name="deduct"/></XMI.content>
 <XMI.extensions><diagrams><diagram xmi.id="d" type="3" name="seq">
  <widgets>
   <objectwidget xmi.id="c1" localid="w1" x="10" instancename="order"/>
   <objectwidget xmi.id="c2" localid="w2" x="90" instancename=""/>
   <combinedFragmentwidget x="5" y="90" height="100" combinedFragmentname="ok" CombinedFragmenttype="7">
    <floatingdashlinewidget y="140" text="else"/></combinedFragmentwidget>
  </widgets>
  <messages>
   <messagewidget widgetaid="w1" widgetbid="w2" y="150" operation="" sequencemessagetype="1001">
    <floatingtext text="3: cancel"/></messagewidget>
   <messagewidget widgetaid="w1" widgetbid="w2" y="60" operation="o1" sequencemessagetype="1000"/>
   <messagewidget widgetaid="w2" widgetbid="w1" y="100" operation="" sequencemessagetype="1000">
    <floatingtext text="done"/></messagewidget>
   <messagewidget widgetaid="w1" widgetbid="w2" y="190" operation="last" sequencemessagetype="1000"/>
   <messagewidget widgetaid="w1" widgetbid="w2" y="191" operation="after" sequencemessagetype="1000"/>
  </messages>
 </diagram></diagrams></XMI.extensions></XMI>
"""


def test_xmi_of_uml_2_is_read_in_the_order_of_its_events() -> None:
    diagram = one(UML, "x.xmi")
    assert [(diagram.named(each.source), each.label, each.arrow) for each in diagram.messages] == [
        ("订单服务", "pay", "sync"),
        ("Payment", "late", "reply"),
        ("订单服务", "cancel", "async"),
    ]
    assert [[step.condition for step in each.path] for each in diagram.messages] == [[], ["timeout"], ["else"]]
    assert diagram.messages[0].line == 23


def test_umbrello_is_read_by_height() -> None:
    diagram = one(UMBRELLO, "x.xmi")
    assert [(each.label, each.arrow) for each in diagram.messages] == [
        ("deduct", "sync"),
        ("done", "sync"),
        ("cancel", "async"),
        ("last", "sync"),
        ("after", "sync"),
    ]
    assert [[(step.operand, step.condition) for step in each.path] for each in diagram.messages] == [
        [],
        [(1, "ok")],
        [(2, "else")],
        [(2, "else")],
        [],
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "b">]>\n<x>&a;</x>', "line 2"),
        ('<?xml version="1.0"?><x><y>', "line 1"),
        ('<?xml version="1.0"?><x xmlns:xmi="y"><z xmi:type="uml:Class"/></x>', "Class"),
        ('<?xml version="1.0"?>' + "<a>" * 5000 + "</a>" * 5000, "elements deep"),
    ],
)
def test_hostile_and_foreign_xml_is_refused(text: str, found: str) -> None:
    with pytest.raises(BadInput, match=found):
        read(text, "x.xmi")


def test_without_defusedxml_xml_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "defusedxml", None)
    with pytest.raises(BadInput, match=r"lingbot-map\[ask\]"):
        read(UML, "x.xmi")


@pytest.mark.skipif(not DATA.is_dir(), reason="the real diagrams are not there")
def test_every_real_diagram_is_understood_or_refused_for_a_reason() -> None:
    refused: list[BadInput] = []
    for path in sorted(DATA.glob("*/*")):
        try:
            diagrams, _ = read(path.read_text("utf-8"), path.name)
        except BadInput as why:
            refused.append(why)
            continue
        for diagram in diagrams:
            known = {fragment.id for fragment in diagram.fragments}
            assert all(step.fragment in known for message in diagram.messages for step in message.path)
    assert all('an "end"' in why.expected or "activity" in why.found for why in refused), refused
    assert len(refused) <= 5
