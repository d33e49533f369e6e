"""Tables of dialogue rows with a mapping: what the columns become, whose row it is, what is refused and how."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lingbot_map.errors import BadInput, UnknownFormat, Unmapped
from lingbot_map.importers import Columns, Report, columns_of
from lingbot_probes.signals import Answered, Doc, IntentRouted, Retrieved, SlotAssigned, TurnStarted
from tests.samples.imports import Opened, mapped, opened

MAP = "session=conv_id,user=question,bot=answer,intent=intent,confidence=sure,time=at,slot.city=city,doc=source"
ROWS: list[dict[str, Any]] = [
    {"conv_id": "a", "question": 'hello, "you"\nthere', "answer": "hi", "intent": "greet", "sure": 0.93, "at": 1.7e9},
    {
        "conv_id": "b",
        "question": "哪里？",
        "answer": "这里",
        "intent": "ask",
        "sure": 1,
        "at": 1.7e9 + 1,
        "city": "隆德",
    },
    {"conv_id": "a", "question": "bye", "answer": "see you", "at": 1.7e9 + 2, "city": "Lund", "source": "faq-1"},
    {"conv_id": "a", "question": "", "answer": "and thanks", "at": 1.7e9 + 3, "city": "Lund", "source": ""},
]
NAMES = ["conv_id", "question", "answer", "intent", "sure", "at", "city", "source"]


def separated(rows: list[dict[str, Any]], by: str = ",", end: str = "\r\n", names: list[str] | None = None) -> bytes:
    """Rows as a spreadsheet writes them."""

    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in (by, '"', "\n")) else text

    names = names or NAMES
    table = [names, *([cell(row.get(name)) for name in names] for row in rows)]
    return "".join(by.join(cells) + end for cells in table).encode()


def taken(content: bytes, said: str = MAP, report: Report | None = None, **more: Any) -> list[Opened]:
    """The sessions of a table."""
    return opened(content, report, name="calls.csv", columns=columns_of([said]), **more)


CONTAINERS = {
    "csv": separated(ROWS),
    "marked": b"\xef\xbb\xbf" + separated(ROWS),
    "semicolons": separated(ROWS, by=";"),
    "tabs": separated(ROWS, by="\t", end="\n"),
    "blank rows": separated(ROWS).replace(b"\r\nb", b"\r\n\r\n,,,,,,,\r\nb"),
    "lines": b"\n".join(json.dumps(row).encode() for row in ROWS),
    "list": json.dumps(ROWS, indent=1).encode(),
    "other order": separated(ROWS, names=NAMES[::-1]),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_rows_are_grouped_by_session_in_the_order_of_the_file(container: str) -> None:
    report = Report()
    a, b = taken(CONTAINERS[container], report=report)
    assert (report.format, report.problem_count, report.records) == ("table", 0, 4)
    assert (a.session.session_id, b.session.session_id) == ("a", "b")
    assert [item.signal for item in a.items[1:]] == [
        TurnStarted(turn="1", utterance='hello, "you"\nthere'),
        IntentRouted(intent="greet", confidence=0.93),
        Answered(text="hi"),
        TurnStarted(turn="2", utterance="bye"),
        SlotAssigned(slot="city", value="Lund"),
        Retrieved(query="bye", stage="fused", docs=(Doc(id="faq-1", rank=1),)),
        Answered(text="see you"),
        Answered(text="and thanks"),
    ]
    assert [item.said_at for item in a.items] == [1.7e9] * 4 + [1.7e9 + 2] * 4 + [1.7e9 + 3]
    assert {item.turn for item in a.items[-4:]} == {"2"}
    assert b.of(IntentRouted, SlotAssigned) == [
        IntentRouted(intent="ask", confidence=1.0),
        SlotAssigned(slot="city", value="隆德"),
    ]
    assert b.session.coverage == {"flow": "full", "state": "partial", "knowledge": "none"}
    assert [(fact["code"], fact["count"]) for fact in a.session.lost] == [("unrouted", 1), ("reads", 0), ("stages", 0)]


def test_a_second_import_is_none_and_a_longer_table_goes_on() -> None:
    for said in (MAP, MAP.replace("time=at,", "")):
        short, long = taken(separated(ROWS[:2]), said), taken(separated([*ROWS, {**ROWS[0], "conv_id": "c"}]), said)
        for one, other in zip(short, long, strict=False):
            assert (one.session.session_id, one.session.source) == (other.session.session_id, other.session.source)
            assert other.items[: len(one.items)] == one.items
        mapper = mapped("a", short[0].session.source, short[0].items)
        mapped("a", short[0].session.source, long[0].items, mapper)
        assert mapper.map.cursor.seq == len(long[0].items)
        assert long[0].session.timed == ("time" in said)
        assert ("untimed" in [fact["code"] for fact in long[0].session.lost]) == ("time" not in said)


def test_a_table_with_a_row_for_each_message() -> None:
    rows = [["c", "客户", "你好"], ["c", "Assistant", "您好"], ["c", "robot", "?"], ["c", "user", "再见"]]
    lines = "\n".join(json.dumps(dict(zip(("id", "meta", "text"), (a, {"by": b}, c), strict=True))) for a, b, c in rows)
    report = Report()
    (one,) = taken(lines.encode(), "session=id,role=meta.by,text=text", report)
    assert [item.signal for item in one.items if type(item.signal) in (TurnStarted, Answered)] == [
        TurnStarted(turn="1", utterance="你好"),
        Answered(text="您好"),
        TurnStarted(turn="2", utterance="再见"),
    ]
    assert [str(problem) for problem in report.problems] == [
        "calls.csv line 3: column meta.by: expected who speaks (user, assistant ...), found 'robot'"
    ]


def test_errors_name_row_and_column_and_cost_that_row_alone() -> None:
    bad = separated(
        [
            ROWS[0],
            {**ROWS[2], "sure": "very"},
            {**ROWS[2], "at": "yesterday"},
            {**ROWS[2], "conv_id": " "},
            {**ROWS[2], "sure": "87%", "at": "2024-05-01T08:00:00+08:00"},
            {**ROWS[2], "at": 1_700_000_000_123},
        ]
    )
    head, *rows = bad.split(b"\r\nb")[0].split(b"\r\n")
    rows[5:5] = ["a,不,".encode("gb18030") + b",,,,,", b"a,b,c,d,e,f,g,h,i"]
    report = Report()
    (one,) = taken(b"\r\n".join([head, *rows]), report=report)
    assert sorted(str(problem) for problem in report.problems) == [
        "calls.csv row 3: column sure: expected a confidence from 0 to 1, found 'very'",
        "calls.csv row 4: column at: expected a time (ISO 8601, or Unix seconds), found 'yesterday'",
        "calls.csv row 5: column conv_id: expected the name of a session, found ' '",
        "calls.csv row 7: not UTF-8 (byte 0xb2); save it as UTF-8 (in a spreadsheet: CSV UTF-8)",
        "calls.csv row 8: expected 8 cells, found 9; is a cell with ',' in it not quoted?",
    ]
    assert one.session.problem_count == 2
    assert [item.said_at for item in one.items][-1] == 1_700_000_000.123
    assert len(one.of(TurnStarted)) == 3


def test_documents_are_names_or_objects() -> None:
    held = [{"id": "d1", "title": "One", "score": 0.5, "text": "t"}, {"name": "two"}, "three", ""]
    lines = [{"s": "x", "q": "?", "d": held}, {"s": "x", "q": "!", "d": json.dumps(["a", "b"])}, {"s": "x", "d": [{}]}]
    report = Report()
    (one,) = taken("\n".join(map(json.dumps, lines)).encode(), "session=s,user=q,doc=d", report)
    first, second = one.of(Retrieved)
    assert first.docs == (
        Doc(id="d1", title="One", score=0.5, rank=1, snippet="t"),
        Doc(id="two", rank=2),
        Doc(id="three", rank=3),
    )
    assert [doc.id for doc in second.docs] == ["a", "b"]
    assert [str(problem) for problem in report.problems] == [
        "calls.csv line 3: column d: expected documents (names, or objects with an id), found {}"
    ]


def test_columns_and_rows_left_out_are_counted() -> None:
    (one,) = taken(
        separated([{**ROWS[0], "conv_id": "a"}, {"conv_id": "a", "intent": "x"}]), "session=conv_id,user=question"
    )
    counts = {fact["code"]: fact["count"] for fact in one.session.lost}
    assert (counts["columns"], counts["empty_rows"]) == (6, 1)


@pytest.mark.parametrize(
    ("content", "columns", "example"),
    [
        (
            separated(ROWS),
            ", ".join(NAMES),
            "session=conv_id,user=question,bot=answer,intent=intent,time=at,doc=source",
        ),
        (
            CONTAINERS["lines"],
            "conv_id, question, answer, intent, sure, at",
            "session=conv_id,user=question,bot=answer",
        ),
        ("对话,问题,回答\n1,在吗,在".encode(), "对话, 问题, 回答", "session=对话,user=问题,bot=回答"),
        (b"a,b\n1,2", "a, b", "session=COLUMN,user=COLUMN,bot=COLUMN"),
        (
            b"chat_id;speaker;message\n1;user;x",
            "chat_id, speaker, message",
            "session=chat_id,role=speaker,text=message",
        ),
    ],
)
def test_a_table_without_a_mapping_is_refused_with_its_columns_and_an_example(
    content: bytes, columns: str, example: str
) -> None:
    with pytest.raises(Unmapped) as caught:
        opened(content, name="my calls.csv")
    said = str(caught.value)
    assert said.startswith(f"my calls.csv: a table with the columns {columns}")
    assert "lingbot-map open 'my calls.csv' --map " in said
    assert caught.value.example.startswith(example)
    if "COLUMN" not in example:
        columns_of([caught.value.example])


@pytest.mark.parametrize(
    "content",
    [b"Dear all, I write\nto you, my friend, and others", b'[{"a": 1, "b": 2}]', b"one\ntwo\n", b"a,a\n1,2\n"],
)
def test_what_is_no_table_is_called_none(content: bytes) -> None:
    with pytest.raises(UnknownFormat) as caught:
        opened(content)
    assert type(caught.value) is UnknownFormat


@pytest.mark.parametrize(
    ("content", "said", "expected"),
    [
        (separated(ROWS), "session=conv_id,user=questoin", "--map questoin: expected a column .*mean question"),
        (CONTAINERS["lines"], "session=conv_id,bot=reply", "--map reply: expected a column of calls.csv"),
        (b"\x89PNG\r\n\x1a\n\x00", "session=a,user=b", "expected a table .*binary data"),
        ("a,b\n1,2".encode("utf-16"), "session=a,user=b", "UTF-16 text; save it as UTF-8"),
        ("会话,问题\n1,不\n".encode("gb18030"), "session=会话,user=问题", "row 1: .*not UTF-8 .*save it as UTF-8"),
        (b"a,b\n,x\n,y\n", "session=a,user=b", "at least one conversation .*row 2: column a"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_reason(content: bytes, said: str, expected: str) -> None:
    with pytest.raises(BadInput, match=expected):
        taken(content, said)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("user=q", "expected session, and user or bot"),
        ("session=a", "expected session, and user or bot"),
        ("session=a,role=b,user=c", "role and text together"),
        ("session=a,user", "expected session, and user or bot"),
        ("session=a,user=b,colour=c", "found colour=c"),
        ("session=a,user=b,slot.=c", "found slot.=c"),
        ("session=a,user=b,user=c", "one column for user, found b and c"),
        ("", "found nothing"),
    ],
)
def test_a_mapping_that_says_nothing_is_refused(said: str, expected: str) -> None:
    with pytest.raises(BadInput, match=expected):
        columns_of([said])


def test_a_column_may_have_a_comma_and_keys_may_come_one_by_one() -> None:
    together = columns_of(["session=id, of call,user=what, if any,slot.city=a=b"])
    apart = columns_of(["session=id, of call", "user=what, if any", "slot.city=a=b"])
    assert together == apart
    assert isinstance(together, Columns)
    assert list(together) == ["id, of call", "what, if any", "a=b"]


def test_a_quote_that_never_closes_costs_what_it_swallows() -> None:
    rows = b"".join(b"a,say %d\n" % i for i in range(30_000))
    report = Report()
    (one,) = taken(b'id,q\na,first\na,"second\n' + rows, "session=id,user=q", report)
    assert report.problem_count == 1
    assert "calls.csv row 3: a quote that is not closed within 131,072 characters; close it" in str(report.problems[0])
    assert one.of(TurnStarted)[0].utterance == "first"
    assert one.of(TurnStarted)[-1].utterance == "say 29999"


FLAWED = [
    (b"id,q,q\n1,x,y\n", r"row 1: .*own for each column, found 'q' for columns 2 and 3; give one of them another"),
    (b"\xef\xbb\xbfid;q;q\n1;x;y\n", "row 1: .*'q' for columns 2 and 3"),
    (b"id,q,a\n", "row 1: expected rows below the header, found the header alone; export the rows with it"),
    (b"id,q,a", "row 1: expected rows below the header"),
    (b"id,,a\n1,x,y\n", "row 1: expected a name for each column, found none for column 2; write one"),
    (b"id,q," + b"a" * 150 + b"\n1,x,y\n", "row 1: .*at most 100 characters, found 150 characters for column 3"),
    (b'id,"q,a\n1,x,y\n', "row 1: expected a header.* found a quote that is never closed .*; close it"),
    (b'id,q,a\n1,"x,y\n2,x,y\n', "row 2: .*found a quote that is never closed .*; close it"),
    (b'id,q,a\n1,"x,y', "row 2: .*found a quote that is never closed"),
    (b'id,q,a\n1,"' + b"x\n" * 70_000, "row 2: .*a quote that is not closed within 131,072 characters; close it"),
    (b"id,q," + b"a" * 140_000 + b"\n1,x,y\n", "row 1: .*a cell of more than 131,072 characters; shorten it"),
    (b"id,q,a\n1," + b"x" * 140_000 + b",y\n", "row 2: .*a cell of more than 131,072 characters; shorten it"),
    (b"id,q,a\n1,x\n", "row 2: expected a cell for each column, found 2 cells where the header has 3; put"),
]


@pytest.mark.parametrize(("content", "said"), FLAWED)
def test_a_table_with_a_flaw_is_told_the_place_and_the_remedy(content: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=f"^calls.csv {said}") as caught:
        taken(content, "session=id,user=q")
    assert "JSON" not in str(caught.value).replace("as JSON lines", "")
    with pytest.raises(UnknownFormat, match=rf"^calls.csv: no known format fits \(table: calls.csv {said}"):
        opened(content, name="calls.csv")


def test_lines_without_cells_are_told_what_divides_cells() -> None:
    with pytest.raises(BadInput, match="found lines that no comma, semicolon, tab or "):
        taken(b"one\ntwo\n", "session=id,user=q")


def test_a_row_with_a_flaw_costs_that_row_also_where_it_is_the_first_or_the_last() -> None:
    report = Report()
    content = b"id,q\na," + b"x" * 140_000 + b'\na,5" of rain\na,told\nb,"a quote\nc,swallowed\n'
    (one,) = taken(content, "session=id,user=q", report)
    assert [turn.utterance for turn in one.of(TurnStarted)] == ['5" of rain', "told"]
    assert [problem.where for problem in report.problems] == ["calls.csv row 2", "calls.csv row 5"]
    assert "never closed and swallows what follows" in report.problems[1].reason
