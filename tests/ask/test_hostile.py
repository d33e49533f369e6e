"""What is made to harm: files that are no diagram or graph or want to be too much, questions that are none. Each is a
clear error with its place or an abstention, soon; nothing that isn't there is said as fact."""

from __future__ import annotations

import io
import random
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.ask import Answer, Ask
from lingbot_map.ask.bases import KINDS, opened
from lingbot_map.ask.bases.sequence.source import read
from lingbot_map.errors import BadInput
from tests.ask.test_kept import SCRIPTS, base_of
from tests.growth import grows_within

_ENTITIES = "".join(f'<!ENTITY a{n} "{"&a" + str(n - 1) + ";" if n else "ha"}">' for n in range(10))
_DTD = '<?xml version="1.0"?><!DOCTYPE x [{}]>{}'
_XMI = '<xmi:XMI xmlns:xmi="http://schema.omg.org/spec/XMI/2.1">{}</xmi:XMI>'
_GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph><node id="{}"/></graph></graphml>'
_OUTSIDE = '<!ENTITY out SYSTEM "file:///etc/hostname">'


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.puml", "@startuml\nA -> B: x\n@enduml")
    return file.getvalue()


def nested(depth: int) -> bytes:
    return ("@startuml\n" + "alt c\n" * depth + "A -> B: go\n" + "end\n" * depth + "@enduml\n").encode()


DIAGRAMS: dict[str, tuple[bytes, str]] = {
    "deep.puml": (nested(10_000), "line 102"),
    "deep.mmd": (b"sequenceDiagram\n" + b"alt c\n" * 10_000 + b"A->>B: go\n" + b"end\n" * 10_000, "line 102"),
    "long.puml": (b"@startuml\nA -> B: " + b"x " * 500_000 + b"\n@enduml", "line 2"),
    "open.puml": (b"@startuml\nA -> B: x\nalt q\nB -> A: y\n@enduml", "line 3"),
    "note.puml": (b"@startuml\nA -> B: x\nnote left\nfoo\n@enduml", "line 3"),
    "nul.puml": (b"@startuml\nA -> B: x\0y\n@enduml", "line 2"),
    "nuls.puml": (b"\0" * 100, "line 1"),
    "gbk.puml": ("@startuml\n用户 -> 服务: 下单\n@enduml".encode("gbk"), "line 2"),
    "zip.puml": (zipped(), "line 1"),
    "zip.xmi": (zipped(), "line 1"),
    "laugh.xmi": (_DTD.format(_ENTITIES, _XMI.format("&a9;")).encode(), "line 1"),
    "outside.xmi": (_DTD.format(_OUTSIDE, _XMI.format("&out;")).encode(), "line 1"),
    "deep.xmi": (_XMI.format("<a>" * 50_000 + "</a>" * 50_000).encode(), "deep"),
    "while.puml": (b"@startuml\n!while 1\nA -> B: x\n!endwhile\n@enduml", "line 2"),
    "empty.puml": (b"", "empty"),
}
EDGES = b"source\trelation\ttarget\na\tR\ta\n"
GRAPHS: dict[str, tuple[dict[str, bytes], str]] = {
    "ragged": ({"nodes.tsv": b"id\tkind\tname\na\tX\tA\tmore\n", "edges.tsv": EDGES}, "nodes.tsv:2"),
    "twice": ({"nodes.tsv": b"id\tkind\tname\na\tX\tA\na\tX\tB\n", "edges.tsv": EDGES}, "nodes.tsv:3"),
    "big": ({"nodes.tsv": b"id\tkind\tname\na\tX\t" + b"x" * 10_000_000 + b"\n"}, "nodes.tsv:2"),
    "gbk": ({"nodes.tsv": "id\tkind\tname\na\tX\t安娜\n".encode("gbk")}, "nodes.tsv:2"),
    "utf-16": ({"nodes.tsv": "id\tkind\tname\na\tX\tA\n".encode("utf-16")}, "nodes.tsv:1"),
    "nul": ({"nodes.tsv": b"id\tkind\tname\na\tX\tA\0B\n"}, "nodes.tsv:2"),
    "hanging": (
        {"nodes.tsv": b"id\tkind\tname\na\tX\tA\n", "edges.tsv": EDGES.replace(b"\ta\n", b"\tz\n")},
        "edges.tsv:2",
    ),
    "cut": ({"nodes.jsonl": b'{"id":"a","kind":"X","name":"A"}\n{"id":"b"'}, "nodes.jsonl:2"),
    "deep": ({"nodes.jsonl": b'{"id":"a","name":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"}, "nodes.jsonl:1"),
    "quote": ({"nodes.csv": b'id,kind,name\na,X,"open\n' + b"b,X,B\n" * 1000}, "nodes.csv"),
    "laugh": ({"g.graphml": _DTD.format(_ENTITIES, _GRAPHML.format("&a9;")).encode()}, "g.graphml"),
    "outside": ({"g.graphml": _DTD.format(_OUTSIDE, _GRAPHML.format("&out;")).encode()}, "g.graphml"),
    "zip": ({"nodes.tsv": zipped()}, "nodes.tsv:"),
    "empty": ({"nodes.tsv": b""}, "none"),
}


def refused(kind: str, path: Path) -> str:
    began = time.process_time()
    with pytest.raises(BadInput) as caught:
        opened(kind, [path])
    assert time.process_time() - began < 5
    return str(caught.value)


@pytest.mark.parametrize("name", DIAGRAMS)
def test_a_hostile_diagram_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    raw, place = DIAGRAMS[name]
    (tmp_path / name).write_bytes(raw)
    told = refused("diagram", tmp_path / name)
    assert place in told
    assert len(told) < 1000


@pytest.mark.parametrize("name", GRAPHS)
def test_a_hostile_graph_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    files, place = GRAPHS[name]
    for file, raw in files.items():
        (tmp_path / file).write_bytes(raw)
    told = refused("graph", tmp_path)
    assert place in told
    assert len(told) < 1000


@pytest.mark.parametrize(
    "text",
    [
        "@startuml\n???\n" + "\n" * 200_000 + "x\n@enduml",
        "@startuml\n" + ("??? " + "-" * 90_000 + " x\n") * 2 + "@enduml",
        "@startuml\n" + ("??? " + " ->(" * 20_000 + "\n") * 2 + "@enduml",
        "@startuml\nA -> B: x\n" + "\n" * 200_000 + "@enduml",
        "\n" * 100_000 + " " * 90_000 + "@startuml\nA -> B: x\n@enduml",
        "sequenceDiagram\nA->>B: x\n" + " " * 90_000 + "\n" * 100_000 + "B->>A: y",
    ],
    ids=["blank and unknown", "dashes", "arrows", "blank", "blank before", "spaces"],
)
def test_runs_of_one_character_are_read_in_time_that_follows_their_length(text: str) -> None:
    began = time.process_time()
    with suppress(BadInput):
        read(text, "x.puml")
    assert time.process_time() - began < 5  # 41 s for 20,000 blank lines where each was begun at anew


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("  start", "an activity diagram"), ("  :pay;  ", "an activity diagram"),
        ("if (paid) then (yes)", "an activity diagram"),
        (" [*] --> Idle", "a state diagram"), ("Idle ---> [*]", "a state diagram"),
        ("Shop <|-- Store", "a class diagram"),
        ("  (Pay) as P", "a use case diagram"), ("User --> (Pay)  ", "a use case diagram"),
        ("  [Shop] --> DB", "a component diagram"), ("** idea", "a mind map"),
    ],
)  # fmt: skip
def test_a_diagram_of_another_kind_is_called_so(line: str, kind: str) -> None:
    with pytest.raises(BadInput) as why:
        read(f"@startuml\n\n{line}\n\n@enduml", "x.puml")
    assert why.value.found == kind


@pytest.mark.parametrize("encoding", ["x-unheard-of", "utf-7", "gbk"])
def test_graphml_in_an_encoding_that_no_parser_has_is_refused(tmp_path: Path, encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    (tmp_path / "a.graphml").write_text(head + _GRAPHML.format("a"), "utf-8")
    with pytest.raises(BadInput, match="save it as UTF-8"):
        opened("graph", [tmp_path / "a.graphml"])


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_not_the_highest_of_a_graph(tmp_path: Path, value: str) -> None:
    (tmp_path / "n.jsonl").write_text(
        f'{{"id":"1","kind":"Film","y":{value}}}\n{{"id":"2","kind":"Film","y":3}}\n', "utf-8"
    )
    with pytest.raises(BadInput, match=r"n\.jsonl:1"):
        opened("graph", [tmp_path])


def test_cycles_loops_and_a_mark_of_order_are_no_harm(tmp_path: Path) -> None:
    (tmp_path / "nodes.tsv").write_bytes(b"\xef\xbb\xbfid\tkind\tname\r\na\tPerson\tAnna\r\nb\tPerson\tBert\n")
    (tmp_path / "edges.tsv").write_bytes(b"source\trelation\ttarget\r\na\tKNOWS\ta\na\tKNOWS\tb\nb\tKNOWS\ta\n")
    base = opened("graph", [tmp_path])
    assert {row["id"] for row in Ask(base).ask("Who knows Bert?").rows} == {"a"}
    assert not Ask(base).ask("How are Anna and Bert connected?").abstained


def diagram(count: int) -> str:
    lines = [f"S{n % 40} -> S{(n + 1) % 40}: step{n}(x)\nalt case {n}\nS1 -> S2: a{n}\nend" for n in range(count)]
    return "\n".join(("@startuml", *lines, "@enduml"))


def graph(count: int) -> str:
    return "source\trelation\ttarget\n" + "".join(f"Item {n}\tleads to\tItem {n * 7 % count}\n" for n in range(count))


@pytest.mark.parametrize(
    ("kind", "file", "made", "count"), [("diagram", "d.puml", diagram, 400), ("graph", "t.tsv", graph, 15_000)]
)
def test_twice_as_much_takes_about_twice_as_long(
    kind: str, file: str, made: Callable[[int], str], count: int, tmp_path: Path
) -> None:
    def ask(size: int) -> Callable[[], Answer]:
        path = tmp_path / str(size) / file
        path.parent.mkdir()
        path.write_text(made(size), "utf-8")
        return lambda: Ask(opened(kind, [path])).ask("what does Item 3 lead to?")

    ask(10)()
    assert grows_within(3.5, ask(count), ask(2 * count))


_ODD = {
    "nothing": "",
    "spaces": "  \n\t ",
    "marks": "？？！!…。,;'\"()[]{}",
    "faces": "😀🚀👩‍👩‍👧‍👦?",
    "controls": "".join(map(chr, range(32))) + "\x7f\x80\x9f",
    "table": "'); DROP TABLE sentences;-- ",
    "index": 'NEAR(zq qz)^9 AND "zq* OR zq:qz (',
    "template": "{{7*7}} ${jndi:ldap://x} <script>alert(1)</script> {0.__class__} %s%n",
    "number": "第" + "9" * 300 + "条消息和第" + "9" * 300 + "轮是什么？",
    "word": "x" * 10_000_000,
    "han": "书" * 10_000_000,
    "brackets": "《" * 5_000_000,
    "of": "的" * 5_000_000,
    "digits": "1" * 10_000_000,
    "wide": "\ufdfa" * 100_000,
    "marked": "e\u0301" * 3_000_000,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("odd", _ODD)
def test_what_is_no_question_is_not_answered(kind: str, odd: str) -> None:
    began = time.process_time()
    answer = Ask(base_of(kind)).ask(_ODD[odd])
    assert answer.abstained, answer.text
    assert not answer.cites
    assert time.process_time() - began < 5


@pytest.mark.parametrize("kind", KINDS)
def test_halves_and_hidden_characters_and_ten_megabytes_end_well(kind: str) -> None:
    base = base_of(kind)
    question = SCRIPTS[kind][0]
    for odd in (f"\u202e{question}\u202c", f"\ud800{question}\udfff", f"\0{question}\0", question * 500_000):
        began = time.process_time()
        assert_nothing_invented(base, Ask(base).ask(odd))
        assert time.process_time() - began < 5


def assert_nothing_invented(base: Any, answer: Answer) -> None:
    assert all(base.item(cite) is not None for cite in answer.cites)
    assert answer.abstained or all(sentence.cites for sentence in answer.sentences)
    assert all(base.item(piece.item) is not None for piece in answer.evidence)
    assert all(base.item(item) is not None for chain in answer.chains for item in chain.items)


_WORDS = """
谁 什么 哪些 为什么 多少 几个 第3轮 第5条 之前 之后 吗 没有 不是 最多 最高 比 和 或 的 超过 两本以上
2012年 0.7 如果 失败
who which what why how many turn 3 message 5 before after not no most than and or of more two in 2012 below if
destination passengers Porto book_hotel doc_fares BookingService holdDeposit retryHold 满房 扣押金超时 沈青禾 雾港
作者 出版社 评分 配偶 REQ-310 号源 爽约 电子发票 Halcyon 会话策略 单点登录 zq ？ 。 { } '
"""
_PIECES = ("\u202e", *_WORDS.split())


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_thousand_questions_of_any_sort_no_answer_cites_what_is_not_there(kind: str) -> None:
    base, rng = base_of(kind), random.Random(11)
    one = Ask(base)
    for number in range(1000):
        if number % 7 == 0:
            one = Ask(base)
        joint = rng.choice(("", " "))
        assert_nothing_invented(base, one.ask(joint.join(rng.choices(_PIECES, k=rng.randint(1, 9)))))
