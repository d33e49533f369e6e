"""What messages of a design stand for, and turns that are held against it."""

from __future__ import annotations

import time

import pytest

from lingbot_map.ask.bases.sequence.design import Design, designed, hold
from lingbot_map.ask.bases.sequence.meaning import meant, written
from lingbot_map.errors import BadInput
from tests.builders import Dialogue, answered, assigned, cleared, recalled, routed, said
from tests.torture.hostile import STRINGS

HEAD = "@startuml\nactor User\nparticipant Bot\nparticipant Slots\n"


def design(*lines: str, where: str = "flow.puml", **messages: str) -> Design:
    return designed(HEAD + "\n".join(lines) + "\n@enduml\n", where, messages or None, "rules.toml line 4")


def read(*lines: str, **messages: str) -> list[str]:
    made = design(*lines, **messages)
    return [made.meant[message.number].words for message in made.diagram.messages]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("User -> Bot: clear my cart", "utterance"),
        ("User -> Bot: 清空购物车", "utterance"),
        ("Bot -> User: read the terms", "answer"),
        ("Bot -> Slots: clearSlots(旧业务)", "clear"),
        ("Bot -> Slots: 清空槽位", "clear"),
        ("Bot -> Slots: set brand = clear it", "write brand"),
        ("Bot -> Bot: 写入 套餐 (plan) = 29", "write plan"),
        ("Bot -> Bot: intent refund (0.9)", "route refund"),
        ("Bot -> Bot: 意图识别", "route"),
        ("Bot -> Slots: vector: refund", "retrieve vector"),
        ("Bot -> Bot: 重排序：d1 0.8", "rerank reranked"),
        ("Bot -> Slots: deductBalance()", "none"),
    ],
)
def test_a_message_is_read_by_who_speaks_then_by_its_form_then_by_its_words(line: str, kind: str) -> None:
    made = design("User -> Bot: hi", line)
    word, _, name = kind.partition(" ")
    assert made.meant[2].kind == word.replace("none", "")
    assert name in made.meant[2].names if name else not made.meant[2].names


def test_the_return_of_a_call_is_no_step_and_needs_no_mapping() -> None:
    made = design("User -> Bot: hi", "Bot -> Slots: read brand", "Slots --> Bot: clear answer")
    assert (made.meant[3].kind, made.meant[3].by, made.unmapped) == ("", "return", ())


def test_comments_say_what_messages_stand_for() -> None:
    lines = (
        "User -> Bot: hi",
        "' lingbot: clear brand",
        "Bot -> Slots: tidy()",
        "Bot -> Slots: save(x)",
        "Bot -> Bot: think",
    )
    more = ("' lingbot: save = 写入", "' lingbot: think = none")
    assert read(*lines, *more) == ["utterance", "clear brand", "write", "none"]
    assert design(*lines, *more).unmapped == ()
    assert read(*lines, *more, save="read brand")[2] == "read brand"  # a rules file puts comments right
    mermaid = "sequenceDiagram\nactor U\n  %% lingbot: route\n  B->>C: x\n  %% lingbot: y = 清空\n  B->>C: y\n"
    assert [each.kind for each in designed(mermaid, "x.mmd").meant.values()] == ["route", "clear"]


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        (("User -> Bot: hi", "' lingbot: frobnicate"), "flow.puml line 6: expected a kind of step"),
        (("' lingbot: nobody = write", "User -> Bot: hi"), "the name or label of a message of flow.puml, found nobody"),
        (("' lingbot: write \"x", "User -> Bot: hi"), "flow.puml line 5: expected a name as it is"),
        (("User -> Bot: hi", "alt x", "Bot -> User: y"), 'flow.puml line 6: expected an "end"'),
        (("Bot -> Slots: deductBalance()",), "something that a probe records, found 1 that stand for nothing"),
    ],
)  # fmt: skip
def test_a_broken_design_is_an_error_with_its_line(lines: tuple[str, ...], where: str) -> None:
    with pytest.raises(BadInput) as why:
        design(*lines)
    assert where in str(why.value)


def test_a_rule_that_names_no_message_is_an_error_of_the_rules_file() -> None:
    with pytest.raises(BadInput, match=r"rules\.toml line 4: expected the name or label of a message"):
        design("User -> Bot: hi", nobody="write")
    with pytest.raises(BadInput, match=r"rules\.toml line 4: expected a kind of step"):
        design("User -> Bot: hi", hi="wriet")


@pytest.mark.parametrize("name", [*STRINGS, "a = b", '"', "品牌", "\U0001f600", ""])
def test_what_is_written_beside_a_message_reads_back(name: str) -> None:
    text = written("write", name)
    assert meant(text, "x", "comment").names == (frozenset((name,)) if name else frozenset())
    assert not set(text) & set("{}<>%#;=\n\r")


def switching() -> Dialogue:
    told = Dialogue("s")
    told.tell(said("hi", "1"), routed("repair"), answered("ok"), turn="1")
    told.tell(said("buy", "2"), routed("purchase"), assigned("brand", "x"), answered("ok"), turn="2")
    told.tell(said("more", "3"), routed("purchase"), recalled("vector", {"d": 0.9}), answered("ok"), turn="3")
    return told


CHANGES = ["业务变更", "business changes", "business changed", "業務變更", "业务切换", "intent changes"]
STAYS = ["业务不变", "no business change", "business unchanged"]


@pytest.mark.parametrize("condition", [*CHANGES, *STAYS])
def test_conditions_in_either_language_decide_what_is_missing(condition: str) -> None:
    made = design(
        "User -> Bot: hi", "Bot -> Bot: classify", f"opt {condition}", "Bot -> Slots: clear", "end", "Bot -> User: x"
    )
    held = hold(made, switching().map)
    wanting = [turn.number for turn in held.turns if turn.found.missing]
    assert wanting == ([2] if condition in CHANGES else [1, 3])


def test_a_design_with_headings_is_of_the_turns_that_it_names() -> None:
    made = design("== Turn 2 ==", "User -> Bot: hi", "Bot -> Slots: set brand = x", "== 第 3 轮 ==", "Bot -> User: x")
    held = hold(made, switching().map)
    assert [(turn.number, [m.id for m in turn.found.missing]) for turn in held.turns] == [(2, []), (3, [])]
    assert held.undrawn == (1,)
    assert hold(made, switching().map, (1,)).turns[0].fault == "flow.puml says nothing of this turn"


def test_a_design_that_has_nothing_to_do_with_a_record_does_not_pass() -> None:
    optional = design("opt x", "Bot -> Slots: clear", "end")
    assert all(turn.conforms for turn in hold(optional, switching().map).turns)
    assert not hold(optional, switching().map).conforms
    order = design("User -> Bot: hi", "Bot -> Slots: deductBalance()", "Bot -> User: ok")
    assert (hold(order, switching().map).matched, hold(order, switching().map).blind) == (6, True)
    assert not hold(order, switching().map).conforms
    failing = design(
        "User -> Bot: hi", "opt x", "Bot -> Slots: throw error", "end", "Bot -> Bot: b()", "Bot -> User: ok"
    )
    assert hold(failing, switching().map).blind  # what happens when it fails was not seen either
    assert hold(design("User -> Bot: hi", "Bot -> Bot: a", "Bot -> User: ok", a="none"), switching().map).conforms


def test_a_name_of_another_kind_of_thing_does_not_bind_a_message() -> None:
    told = Dialogue("s")
    told.tell(
        said("hi", "1"), routed("plan"), assigned("docs", 1), recalled("vector", {"d": 1.0}), cleared("docs"), turn="1"
    )
    made = design("User -> Bot: hi", "Bot -> Bot: retrieve docs for plan")
    assert hold(made, told.map).conforms


def test_a_turn_of_the_record_as_it_was_at_an_event() -> None:
    told = switching()
    made = design("User -> Bot: hi", "Bot -> Bot: classify", "Bot -> User: x")
    whole = hold(made, told.map)
    assert [turn.conforms for turn in whole.turns] == [True, True, True]
    early = hold(made, told.map, upto=whole.turns[2].found.matched[1][1])
    assert [turn.conforms for turn in early.turns] == [True, True, False]


def test_a_design_of_thousands_of_branches_is_refused_and_not_a_crash() -> None:
    lines = [line for _ in range(4000) for line in ("opt x", "Bot -> Slots: clear", "end")]
    told = Dialogue("s")
    told.tell(said("hi", "1"), cleared("brand"), turn="1")
    (turn,) = hold(design(*lines), told.map).turns
    assert "can be replayed" in turn.fault


def test_a_long_design_is_replayed_in_time_that_follows_its_length() -> None:
    took = []
    for length in (300, 3000):
        made = design("User -> Bot: hi", *["Bot -> Slots: clear"] * length)
        began = time.perf_counter()
        (turn,) = hold(made, switching().map, (2,)).turns
        took.append(time.perf_counter() - began)
        assert len(turn.found.missing) == length
    assert took[1] < 60 * took[0] + 0.5, took  # a hundred times as long where each state is compared as a whole
