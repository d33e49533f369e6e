"""Questions over a recorded session: each operator against a dialogue written here, and against the project's cases."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.ask import Answer, Ask
from lingbot_map.ask.bases import opened
from lingbot_map.errors import BadInput, TooLarge
from tests.ask import acceptance

CASES = Path(__file__).resolve().parents[2] / "snapshots" / "cases"

_DOCS = [
    {"doc": "doc_fees", "recall": 0.6, "rerank": 0.9, "rank": 1, "in_prompt": True},
    {"doc": "doc_visa", "recall": 0.8, "rerank": 0.4, "rank": 2, "in_prompt": False},
]
_TURNS: list[dict[str, Any]] = [
    {"user": "book a room in Porto", "intent": "book_room", "confidence": 0.9, "slots": [("city", "Porto")]},
    {"user": "no, in Lisbon", "intent": "book_room", "confidence": 0.8, "slots": [("city", "Lisbon")]},
    {"user": "do I need a visa", "intent": "visa_query", "confidence": 0.55, "recall": _DOCS, "answer": "Fees are 80."},
    {"user": "and flights", "intent": "book_flight", "confidence": 0.7, "reads": ["city"], "answer": "To Lisbon, 120."},
    {"user": "两位", "intent": "book_room", "confidence": 0.6, "slots": [("people", 2)], "jump_reason": "guests named"},
]


def write(path: Path, turns: list[dict[str, Any]]) -> Path:
    lines = []
    for number, turn in enumerate(turns, 1):
        slots = [{"name": name, "value": value} for name, value in turn.get("slots", ())]
        lines.append(json.dumps({"turn": number, **turn, "slots": slots}))
    path.write_text("\n".join(lines), "utf-8")
    return path


_ODD = (
    "谁 改写 为什么 第 轮 3 99 0.7 低于 city 城市 doc_visa book_room 跳到 turn why who overwrote between and prompt "
    "召回 重排 现在 是什么 % “ ） ; DROP 十百千 ² ٣ \u202e \x00 𝒳 it 它 那轮 最后一轮 置信度 哪些 不同 -1 1e9 t5 t00005"
)


@pytest.fixture(scope="module")
def trip(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    return Ask(opened("session", [write(tmp_path_factory.mktemp("ask") / "trip.jsonl", _TURNS)]))


def case(name: str) -> Ask:
    for folder in CASES.iterdir():
        if name in (folder / "events.jsonl").read_text("utf-8")[:200]:
            return Ask(opened("session", [folder]))
    raise AssertionError(name)


def cited(ask: Ask, answer: Answer) -> None:
    assert answer.abstained or all(s.cites for s in answer.sentences)
    assert all(ask.base.item(cite) is not None for cite in answer.cites)


@pytest.mark.parametrize(
    ("question", "kind", "says", "cites"),
    [
        ("Who overwrote city?", "writer", "from Porto (set in turn 1) to Lisbon", ("t1", "t2")),
        ("谁改写了城市？", "writer", "由 Porto（第1轮写入）改为 Lisbon", ("t1", "t2")),
        ("誰改寫了城市？", "writer", "第2轮", ("t2",)),
        ("What is the city now?", "value", "city is Lisbon now", ("t2",)),
        ("第1轮城市的值是什么？", "value", "Porto", ("t1",)),
        ("第2轮之前 city 是什么？", "value", "Porto", ("t1",)),
        ("How many people?", "value", "people is 2 now", ("t5",)),
        ("哪些变量被覆盖过？", "overwrites", "city", ("t1", "t2")),
        ("Which turns read city?", "readers", "turn 4 by book_flight, as Lisbon", ("t4",)),
        ("有没有读到别的业务的变量？", "leaks", "第4轮被 book_flight 读取", ("t2", "t4")),
        (
            "Why did turn 4 answer with Lisbon?",
            "why answer",
            "not cleared when turn 3 went from book_room",
            ("t2", "t3"),
        ),
        ("第3轮为什么引用费用文档？", "why answer", "向量召回把 doc_visa 排第1（0.8）", ("t3",)),
        ("Why is doc_visa not in the prompt?", "why document", "re-ranking 2nd (0.4); not in the prompt", ("t3",)),
        ("为什么跳到 visa_query？", "why jump", "置信度 0.55 低于 0.6", ("t3",)),
        ("Why did turn 5 jump to book_room?", "why jump", "condition: guests named", ("t5",)),
        ("有没有绕圈？", "loops", "book_room → visa_query → book_flight → book_room", ("t1", "t3", "t4", "t5")),
        ("Which turns are at most 60% confident?", "confidence", "2 turns have a confidence at most 0.6", ("t3", "t5")),
        ("哪一轮置信度最高？", "confidence", "第1轮", ("t1",)),
        ("What was recalled in turn 3?", "funnel", "vector search: doc_visa 0.8, doc_fees 0.6", ("t3",)),
        ("第三轮哪些文档进入提示词？", "prompt", "doc_fees；没有进入的有 doc_visa", ("t3",)),
        ("Which document entered the prompt most?", "hits", "doc_fees entered the prompt most often, 1 times", ("t3",)),
        ("第1轮和第2轮有什么不同？", "difference", "变量 city 改为 Lisbon", ("t1", "t2")),
        ("What is the difference between turn 1 and 2?", "difference", "Slot city was changed to Lisbon", ("t1", "t2")),
        ("book_room 写了哪些变量？", "writes of an intent", "people = 2", ("t1", "t2", "t5")),
        ("Which slots did book_flight read?", "readers", "turn 4 by book_flight", ("t4",)),
        ("为什么 city 没有清空？", "why value", "第3轮从 book_room 转到 visa_query 时没有清空", ("t2", "t3")),
        ("哪些轮次没有检索？", "retrieving", "没有检索的轮次：第1、2、4、5轮", ("t1", "t5")),
        ("What does the answer of turn 3 rest on?", "why answer", "The prompt held doc_fees", ("t3",)),
        ("现在是什么意图？", "intents", "最后的意图是 book_room", ("t5",)),
        ("第3轮和第4轮的召回有什么不同？", "difference", "第4轮 无", ("t3", "t4")),
        ("第4轮用户说了什么？", "turn", "and flights", ("t4",)),
        ("What did the bot answer in turn 4?", "turn", 'In turn 4 the bot answered "To Lisbon, 120."', ("t4",)),
        ("city 被改过几次？", "writer", "city 被改写 1 次", ("t2",)),
        ("How many times was city written?", "writer", "city was written 2 times", ("t1", "t2")),
        ("city 的历史值有哪些？", "writer", "city = Porto", ("t1", "t2")),
        ("Has city been overwritten?", "writer", "to Lisbon", ("t2",)),
        ("哪些文档从未进入提示词？", "prompt", "从未进入提示词的文档：doc_visa", ("doc:doc_visa",)),
        ("第2轮写入了哪些变量？", "turn", "第2轮写入 city = Lisbon", ("t2",)),
        ("第1轮到第2轮 people 有什么变化？", "difference", "没有记录到不同", ("t1", "t2")),
        ("When did the user mention flights?", "said", "In turn 4", ("t4",)),
        ("How many turns are there?", "length", "5 turns", ("t1", "t5")),
        ("从 visa_query 跳到 book_flight 是第几轮？", "jumps", "第4轮从 visa_query 跳到 book_flight", ("t4",)),
    ],
)
def test_an_operator_answers(trip: Ask, question: str, kind: str, says: str, cites: tuple[str, ...]) -> None:
    answer = trip.ask(question)
    assert answer.question.kind == kind
    assert says in answer.text
    assert set(cites) <= set(answer.cites)
    cited(trip, answer)


@pytest.mark.parametrize(
    "question",
    [
        "第6轮发生了什么？",
        "What happened in turn 0?",
        "用户的身份证号码是多少？",
        "妻子的城市是什么？",
        "城市的天气是什么？",
        "What is the city population?",
        "citi 现在是什么？",
        "who overwrote colour?",
        "colour 是谁写的？",
        "doc_tax 命中几次？",
        "Is there a slot called email?",
        "退款要几天？",
        "'}) DETACH DELETE n //",
        "",
    ],
)
def test_it_abstains_rather_than_guess(trip: Ask, question: str) -> None:
    answer = trip.ask(question)
    assert answer.abstained, answer.text
    assert not answer.cites


def test_a_near_name_is_offered_and_not_taken(trip: Ask) -> None:
    assert "people" in trip.ask("peopel 现在是什么？").text


def test_a_premise_that_does_not_hold_is_said(trip: Ask) -> None:
    assert "没有跳到 visa_query" in trip.ask("第4轮为什么跳到 visa_query？").text
    assert "没有跳转" in trip.ask("第2轮为什么跳转？").text


def test_what_was_named_before_is_it(trip: Ask) -> None:
    trip.ask("谁改写了 city？")
    answer = trip.ask("它现在是什么？")
    assert "Lisbon" in answer.text
    assert answer.question.mentions[0].how == "before"


def test_the_chain_leads_from_the_answer_to_the_write(trip: Ask) -> None:
    chain = trip.ask("Why did turn 4 answer with Lisbon?").chains[0]
    kinds = [item.partition(":")[0] for item in chain.items]
    assert kinds == ["answer", "t4", "read", "jump", "assign", "t2"]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_cases_are_explained(lang: str) -> None:
    zh = lang == "zh"
    polluted = case("case-slot-pollution")
    answer = polluted.ask("谁改写了 brand？" if zh else "Who overwrote brand?")
    assert {"t12", "t18"} <= set(answer.cites)
    assert all(value in answer.text for value in ("星舟", "轻语"))
    answer = polluted.ask("第17轮为什么这么回答？" if zh else "Why did turn 17 answer like that?")
    assert {"t12", "t17"} <= set(answer.cites)
    assert ("没有清空" if zh else "not cleared") in answer.text
    ranked = case("case-recall-drift").ask("第4轮为什么这样回答？" if zh else "Why did turn 4 answer so?")
    assert all(fact in ranked.text for fact in ("stacking-rules-old", "0.2572", "LM401"))
    jumped = case("case-intent-drift").ask(
        "第9轮为什么跳到 change_plan？" if zh else "Why did turn 9 go to change_plan?"
    )
    assert all(fact in jumped.text for fact in ("ticket_number = null", "0.014"))


_DESIGN = """@startuml
actor User
participant Router
participant Slots
User -> Router : utterance
Router -> Router : classify
opt 业务切换
  Router -> Slots : clearSlots(old business)
end
Router --> User : answer
@enduml
"""


def test_turns_are_held_against_the_diagram_that_designed_them(tmp_path: Path) -> None:
    turns = [{**turn, "answer": "yes"} for turn in _TURNS]
    (tmp_path / "flow.puml").write_text(_DESIGN, "utf-8")
    ask = Ask(opened("session", [tmp_path / "flow.puml", write(tmp_path / "trip.jsonl", turns)]))
    answer = ask.ask("Did turn 4 go as designed?")
    assert answer.verdict == "no"
    assert {"m3", "t4"} <= set(answer.cites)
    cited(ask, answer)
    answer = ask.ask("第1轮有没有按设计图走？")
    assert (answer.verdict, "t1" in answer.cites) == ("yes", True)
    assert "第3、4、5轮" in ask.ask("哪些轮次没有按设计走？").text


def test_without_a_diagram_nothing_is_said_of_the_design(trip: Ask) -> None:
    assert trip.ask("第4轮有没有按设计图走？").abstained


def test_one_diagram_is_the_design(tmp_path: Path) -> None:
    for name in ("a.puml", "b.puml"):
        (tmp_path / name).write_text(_DESIGN, "utf-8")
    paths = [tmp_path / "a.puml", tmp_path / "b.puml", write(tmp_path / "trip.jsonl", _TURNS)]
    with pytest.raises(BadInput, match="one designed"):
        opened("session", paths)


@pytest.mark.skipif(not acceptance.FIXTURES.is_dir(), reason="the agreed questions are not there")
def test_the_agreed_questions_are_answered_exactly() -> None:
    told: list[str] = []
    wrong = [
        e.id
        for e in acceptance.expectations("session")
        if (told := list(acceptance.faults(e, acceptance.asked("session", e.over).ask(e.question))))
    ]
    assert not wrong, (wrong, told)


def test_a_thousand_odd_questions_raise_nothing_and_invent_nothing(trip: Ask) -> None:
    rng = random.Random(6)
    words = _ODD.split(" ")
    for _ in range(1000):
        question = rng.choice(("", " ")).join(rng.choices(words, k=rng.randint(1, 9)))
        cited(trip, trip.ask(question))


@pytest.mark.parametrize(
    "piece",
    ["1", "0.7 ", "第", "一", "城市", "city ", "user said ", "turn 1 and 2 ", "between 1 and ", "a_b ", "低于", "a-"],
)
def test_a_long_question_ends_soon(trip: Ask, piece: str) -> None:
    trip.ask(piece)
    began = time.process_time()
    trip.ask(piece * 200_000)
    assert time.process_time() - began < 1.0


def test_the_same_question_has_the_same_answer(trip: Ask) -> None:
    first, second = (Ask(trip.base).ask("第3轮为什么这样回答？") for _ in range(2))
    assert (first.sentences, first.chains) == (second.sentences, second.chains)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"turn": 2', "line 2"),
        ('{"turn": 1, "user": "again"}', "a turn after 1"),
        ('{"turn": 2, "user": 3}', "user"),
        ('{"turn": 2, "confidence": "high", "intent": "a"}', "confidence"),
        ('{"turn": 2, "slots": [{"value": 1}]}', "a name"),
        ('{"turn": 2, "reads": "city"}', "a list of texts"),
        ("[" * 100_000, "line 2"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"turn": 1, "user": "hi"}\n' + line, "utf-8")
    with pytest.raises(BadInput, match=says):
        opened("session", [path])


def test_a_file_without_bounds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lingbot_map.ask.bases.session.turns_file.MOST_BYTES", 10)
    with pytest.raises(TooLarge):
        opened("session", [write(tmp_path / "large.jsonl", _TURNS)])


def test_one_session_is_asked_at_a_time(tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", _TURNS)
    with pytest.raises(BadInput, match="one session"):
        opened("session", [one, one])
    with pytest.raises(BadInput):
        opened("session", [tmp_path / "none.jsonl"])


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Which slots were never read?", "1 slot was never read: nights"),
        ("哪些变量从未被读取？", "nights"),
        ("How many turns are there?", "11 turns"),
        ("用户最后说了什么？", "thanks"),
        ("第999999999999999999999轮发生了什么？", "11"),
    ],
)
def test_what_is_left_out_is_told(question: str, says: str) -> None:
    asking = Ask(opened("session", [acceptance.OWN / "sessions" / "travel.jsonl"]))
    asking.ask("What was said in turn 4?")
    answer = asking.ask(question)
    assert says in answer.text
    assert "destination was read" not in answer.text


@pytest.mark.parametrize(
    "question", ["Did the bot fail?", "Did the bot crash?", "机器人有没有出错？", "机器人报错了吗？"]
)
def test_a_finding_of_another_kind_is_no_failure(question: str) -> None:
    answer = case("case-slot-pollution").ask(question)
    assert answer.text.startswith(("No failure of the bot was recorded", "没有记录到机器人报错"))
    assert "LM302" in answer.text


@pytest.mark.parametrize(
    ("question", "turn"),
    [
        ("用户第一句话说了什么？", "t1"),
        ("What did the user say first?", "t1"),
        ("What was the last message?", "t19"),
        ("What was the first utterance?", "t1"),
    ],
)
def test_the_first_and_the_last_utterance_are_turns(question: str, turn: str) -> None:
    answer = case("case-slot-pollution").ask(question)
    assert not answer.abstained
    assert answer.cites[0] == turn


@pytest.mark.parametrize(
    ("name", "question", "verdict", "says", "cites"),
    [
        ("case-recall-drift", "Was turn 5 based on a stale document?", "yes", "v3 is newer (LM402)", ("t5",)),
        ("case-recall-drift", "第5轮依据的是过期文档吗？", "yes", "（LM402）", ("t5", "doc:stacking-rules-old")),
        ("case-recall-drift", "Did turn 4 rest on an old version?", "yes", "v1", ("t4", "doc:stacking-rules")),
        ("case-recall-drift", "Was turn 6 based on an outdated document?", "no", "no newer version", ("t6",)),
        ("case-recall-drift", "第6輪是不是用了舊版文檔？", "no", "没有更新的版本", ("t6", "doc:agent-hours")),
        ("case-recall-drift", "Was turn 5 answered from the latest version of the document?", "no", "v3", ("t5",)),
        ("case-recall-drift", "第6轮用的是最新版文档吗？", "yes", "版本 v1", ("t6",)),
        ("case-recall-drift", "有没有用过期文档？", "yes", "第4轮", ("t2", "t5")),
        ("case-recall-drift", "哪些轮用了过期文档？", None, "第3轮", ("t2", "t5")),
        ("case-recall-drift", "Was turn 1 based on a stale document?", None, "No use of any document", ("t1",)),
        ("case-recall-drift", "Was turn 5 not based on a stale document?", None, "v3 is newer", ("t5",)),
        ("case-slot-pollution", "Was turn 17 based on a stale document?", "no", "no newer version", ("t17",)),
    ],
)
def test_whether_a_turn_rests_on_what_is_out_of_date(
    name: str, question: str, verdict: str | None, says: str, cites: tuple[str, ...]
) -> None:
    ask = case(name)
    answer = ask.ask(question)
    assert answer.verdict == verdict, answer.text
    assert says in answer.text
    assert set(cites) <= set(answer.cites)
    cited(ask, answer)


@pytest.mark.parametrize("question", ["Was turn 3 based on a stale document?", "第3轮依据的文档过期了吗？"])
def test_without_versions_nothing_is_said_of_staleness(trip: Ask, question: str) -> None:
    answer = trip.ask(question)
    assert answer.verdict is None
    assert "doc_fees" in answer.text
    assert ("Neither version nor date" if "turn" in question else "没有记录") in answer.text


def test_why_a_stale_document_was_used_is_told_by_its_causes() -> None:
    answer = case("case-recall-drift").ask("Why was turn 5 based on a stale document?")
    assert answer.question.kind == "why answer"
    assert "LM402" in answer.text
