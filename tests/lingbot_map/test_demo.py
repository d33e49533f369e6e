"""The demo's assistant: a real router, real slots and a real search, which go wrong where they are meant to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lingbot_map.demo.assistant import Assistant
from lingbot_map.demo.customer import Customer, customers, made_up
from lingbot_map.demo.dialogue import Decision, Dialogue
from lingbot_map.demo.intents import ALL, BY_NAME
from lingbot_map.demo.knowledge import DAY, HitCounter, Knowledge
from lingbot_map.demo.probing import probe
from lingbot_map.demo.retrieval import Retriever
from lingbot_map.demo.router import Context, Router
from lingbot_map.demo.slots import SLOTS, extract
from lingbot_map.demo.story import EN, FACTS_EN, FACTS_ZH, ZH
from lingbot_map.demo.text import LONGEST, cosine, embed, normal
from lingbot_map.testing import record
from tests.lingbot_map.demo_phrases import HELD_OUT_EN, HELD_OUT_ZH

NOON = 1_749_729_600.0


@pytest.fixture(autouse=True, scope="module")
def _nothing_leaves_the_process() -> Iterator[None]:
    with record(probe):
        yield


def _assistant(lang: str) -> Assistant:
    return Assistant(lang, lambda: NOON)


def _talk(dialogue: Dialogue, says: tuple[str, ...]) -> list[tuple[Decision, str]]:
    """What the assistant decided and said, turn by turn."""
    decided: list[Decision] = []
    route = dialogue.route

    def noted(text: str, said: dict[str, str | None]) -> Decision:
        decided.append(route(text, said))
        return decided[-1]

    dialogue.route = noted  # type: ignore[method-assign,assignment]
    return [(decided[-1], reply.text) for text in says if (reply := dialogue.reply(text))]


# --- the router ---


@pytest.mark.parametrize(("lang", "phrases"), [("zh", HELD_OUT_ZH), ("en", HELD_OUT_EN)])
def test_phrases_that_the_router_never_saw_are_routed_as_a_person_would(
    lang: str, phrases: tuple[tuple[str, str], ...]
) -> None:
    router = Router(lang)
    wrong = [(text, wanted, router.rank(text)[0]) for text, wanted in phrases if router.rank(text)[0][0] != wanted]
    assert len(wrong) / len(phrases) <= 0.1, wrong


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_confidences_are_shares_of_one_and_follow_the_text(lang: str) -> None:
    router = Router(lang)
    sure, vague = (
        ("我要开发票", "那个什么发票之类的东西能不能")
        if lang == "zh"
        else ("invoice", "would an invoice be of use to anybody")
    )
    for text in (sure, vague, "", "%%%"):
        ranked = router.rank(text)
        assert sum(confidence for _, confidence in ranked) == pytest.approx(1)
        assert ranked == sorted(ranked, key=lambda pair: (-pair[1], pair[0]))
    assert router.rank(sure)[0][0] == router.rank(vague)[0][0] == "invoice"
    assert router.rank(sure)[0][1] > router.rank(vague)[0][1] + 0.02
    assert router.rank("%%%")[0] == ("unclear", 1.0)


def test_the_task_at_hand_counts_unless_the_customer_corrects_the_assistant() -> None:
    router = Router("zh")
    alone = dict(router.rank("还要多久"))
    within = dict(router.rank("还要多久", Context(task="ticket_query")))
    assert within["ticket_query"] > alone["ticket_query"] + 0.05
    corrected = router.rank("不，我是说还要多久", Context(task="ticket_query"))
    assert corrected == router.rank("不，我是说还要多久")
    assert router.rank("下周三", Context(task="roaming", answers=True))[0][0] == "roaming"


def test_every_intent_has_a_family_slots_and_words_in_both_languages() -> None:
    assert len(ALL) >= 20
    for intent in ALL:
        assert not intent.parent or not BY_NAME[intent.parent].parent
        for name in (*intent.required, *intent.accepted):
            assert name in SLOTS
            for lang in ("zh", "en"):
                assert SLOTS[name].ask(lang) or name == "current_plan"
                assert SLOTS[name].label(lang)
    asked = {name for intent in ALL for name in intent.required}
    assert asked <= set(FACTS_ZH)
    assert asked <= set(FACTS_EN)


# --- slots ---


@pytest.mark.parametrize(
    ("text", "lang", "asked", "found"),
    [
        ("手机号是13800006621", "zh", "", {"phone": "138 0000 6621"}),
        ("换成畅享129", "zh", "", {"target_plan": "畅享129"}),
        ("129", "zh", "target_plan", {"target_plan": "畅享129"}),
        ("129", "zh", "", {}),
        ("充50元", "zh", "", {"amount": "50元"}),
        ("我问的是6月的", "zh", "", {"bill_month": "6月"}),
        ("比上个月多了", "zh", "", {}),
        ("工单号我没有啊", "zh", "", {"ticket_number": None}),
        ("工单号？工单号在哪里看", "zh", "", {}),
        ("工单 T24-7260", "zh", "", {"ticket_number": "T24-7260"}),
        ("我说的是轻语，不是星舟", "zh", "", {"brand": "轻语"}),
        ("望江小区3栋502", "zh", "", {"address": "望江小区3栋502"}),
        ("it is 139 0000 4172", "en", "", {"phone": "139 0000 4172"}),
        ("the 129 please", "en", "", {"target_plan": "Enjoy 129"}),
        ("yes, go ahead", "en", "confirmed", {"confirmed": "yes"}),
        ("I have no ticket", "en", "", {"ticket_number": None}),
        ("more than last month", "en", "", {}),
        ("send it to demo@example.com", "en", "", {"email": "demo@example.com"}),
    ],
)
def test_slots_are_read_out_of_what_is_said(text: str, lang: str, asked: str, found: dict[str, str | None]) -> None:
    assert extract(text, lang, asked) == found


@pytest.mark.parametrize(("lang", "facts"), [("zh", FACTS_ZH), ("en", FACTS_EN)])
def test_what_the_scripted_customer_answers_can_be_read(lang: str, facts: dict[str, tuple[str, ...]]) -> None:
    unread = [
        text
        for slot, wordings in facts.items()
        for text in wordings
        if slot not in extract(text.format(digits=4321), lang, slot)
    ]
    assert unread == []


# --- the search ---


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_two_versions_of_a_rule_are_alike_and_nothing_else_is(lang: str) -> None:
    knowledge = Knowledge(lang, lambda: NOON)
    assert len(knowledge.documents) >= 60
    assert knowledge.near("stacking-rules") == (("stacking-rules-old", 0.87),)
    assert knowledge.near("stacking-rules-old") == (("stacking-rules", 0.87),)
    others = [document.id for document in knowledge.documents if "stacking" not in document.id]
    assert [name for name in others if knowledge.near(name)] == []
    assert (knowledge.hits.week("stacking-rules-old"), knowledge.hits.week("stacking-rules")) == (28, 3)


def test_popularity_alone_puts_the_outdated_rule_first(monkeypatch: pytest.MonkeyPatch) -> None:
    question = "学生优惠和家庭优惠可以叠加吗 优惠活动"
    retriever = Retriever(Knowledge("zh", lambda: NOON))
    vector, keyword = retriever.recall_vector(question, "promotion"), retriever.recall_keyword(question, "promotion")
    assert vector[0].document.id == keyword[0].document.id == "stacking-rules"
    fused = retriever.fuse(question, vector, keyword)
    assert fused[0].document.id == "stacking-rules"
    assert retriever.rerank(question, fused)[0].document.id == "stacking-rules-old"
    prompt = retriever.select(question, retriever.rerank(question, fused))
    dropped = {hit.document.id: hit.dropped for hit in prompt}
    assert dropped["stacking-rules-old"] == ""
    assert dropped["stacking-rules"] == "near duplicate"

    monkeypatch.setattr("lingbot_map.demo.retrieval.POPULARITY", 0.0)
    assert retriever.rerank(question, fused)[0].document.id == "stacking-rules"


def test_each_reason_to_leave_a_document_out_occurs() -> None:
    reasons = set()
    for lang, says in (("zh", ZH), ("en", EN)):
        retriever = Retriever(Knowledge(lang, lambda: NOON))
        for text in says:
            fused = retriever.fuse(text, retriever.recall_vector(text), retriever.recall_keyword(text))
            reasons |= {hit.dropped for hit in retriever.select(text, retriever.rerank(text, fused))}
    assert reasons == {"", "below threshold", "over budget", "near duplicate"}


def test_hits_of_today_count_from_tomorrow_on_and_for_seven_days() -> None:
    now = NOON
    counter = HitCounter(lambda: now, {"a": 28, "b": 3})
    counter.used("b")
    assert (counter.week("a"), counter.week("b")) == (28, 3)
    now += DAY
    assert counter.week("a") == 24
    now += 6 * DAY
    assert (counter.week("a"), counter.week("b")) == (0, 1)
    now += 100 * DAY
    assert counter.week("b") == 0


def test_an_embedding_is_the_same_everywhere_and_of_length_one() -> None:
    one, other = embed("学生优惠可以叠加"), embed("学生优惠能不能叠加")
    assert cosine(one, one) == pytest.approx(1)
    assert 0.3 < cosine(one, other) < 1
    assert cosine(one, embed("broadband")) == 0
    assert set(embed("invoice")) == {1860, 3488}  # crc32, not the hash that differs in each process
    assert embed("") == {}


# --- the dialogue ---


def test_the_story_goes_wrong_in_the_three_ways_it_is_meant_to() -> None:
    dialogue = _assistant("zh").open("story")
    turns = _talk(dialogue, ZH)
    assert len(turns) == 40
    intents = {number: decision.intent for number, (decision, _) in enumerate(turns, 1)}
    conditions = {number: decision.condition for number, (decision, _) in enumerate(turns, 1)}

    # Intent drift: let through with a ticket that is not there, and back three turns after the dispute began.
    assert [intents[n] for n in range(5, 10)] == [
        "change_plan",
        "data_dispute",
        "appeal",
        "ticket_query",
        "change_plan",
    ]
    assert [conditions[n] for n in (7, 8, 9)] == ["ticket_number = null"] * 3
    assert turns[6][0].missing == ("ticket_number",)

    # Slot pollution: the product line of the repair answers the price query five turns later.
    assert (intents[12], intents[17]) == ("after_sale", "price_query")
    assert "星舟" in turns[16][1]
    assert "轻语" in turns[17][1]

    # Recall drift: three times the rule that no longer holds.
    assert all("不能同时享受" in turns[n][1] for n in (18, 19, 20))
    assert intents[40] == "thanks"
    assert all(decision.intent != "unclear" for decision, _ in turns)


def test_the_english_story_understands_its_customer() -> None:
    turns = _talk(_assistant("en").open("story"), EN)
    assert 20 <= len(turns) <= 30
    assert all(decision.intent != "unclear" for decision, _ in turns)
    assert sum(text.startswith("I still need this") for _, text in turns) == 0


def test_a_task_that_is_done_takes_its_slots_with_it() -> None:
    dialogue = _assistant("zh").open("s")
    for text in ("给手机充50元", "138 0000 6621"):
        dialogue.reply(text)
    assert dialogue.memory["amount"] == "50元"
    dialogue.reply("转人工")
    assert "amount" not in dialogue.memory
    assert dialogue.memory["phone"] == "138 0000 6621"


def test_a_door_stays_shut_as_long_as_nobody_looked() -> None:
    dialogue = _assistant("zh").open("s")
    turns = _talk(dialogue, ("我要申诉", "138 0000 6621", "我要申诉"))
    assert [decision.intent for decision, _ in turns] == ["data_dispute", "data_dispute", "appeal"]
    assert turns[2][0].condition == "ticket_number = null"


HOSTILE = (
    "",
    " \n\t ",
    "a" * 100_000,
    "套餐" * 50_000,
    "😀🔥👨‍👩‍👧‍👦",
    "\x00\x1b[31m\x07\u202e\u200b",
    "{doc} {0} {} %s %(x)s",
    "\ud800 half a pair",
    "Ich hätte gern einen anderen Tarif",
    "プランを変更したい",
    "أريد تغيير الباقة",
    "T99-9999 138 0000 0000 129 1月 星舟 黑屏 明天 日本 123456 彩铃 城东",
    "1" * 400,
    "<script>alert(1)</script>",
)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_nothing_that_is_said_breaks_the_assistant(lang: str) -> None:
    assistant = _assistant(lang)
    openings = ("", "换套餐" if lang == "zh" else "change my plan", "申诉" if lang == "zh" else "appeal")
    for opening in openings:
        dialogue = assistant.open("s")
        if opening:
            dialogue.reply(opening)
        for text in (*HOSTILE, *HOSTILE):
            reply = dialogue.reply(text)
            assert reply.text
            assert "{" not in reply.text
            assert reply.text.isprintable()
    assert len(normal("套餐" * 50_000)) == LONGEST


def test_the_same_words_get_the_same_answers() -> None:
    def answers() -> list[str]:
        return [text for _, text in _talk(_assistant("zh").open("s"), ZH)]

    assert answers() == answers()


# --- the customers ---


def test_customers_come_without_end_and_the_same_for_a_seed() -> None:
    def first(seed: int, count: int) -> list[Customer]:
        came = customers("zh", seed)
        return [next(came) for _ in range(count)]

    one, again, other = first(1, 12), first(1, 12), first(2, 12)
    assert [c.lines for c in one] == [c.lines for c in again]
    assert [c.lines for c in one[:2]] == [list(ZH), list(EN)]
    assert [c.lines for c in one[2:]] != [c.lines for c in other[2:]]
    assert {c.lang for c in one[2:]} == {"zh", "en"}
    assert len({tuple(c.lines) for c in one}) == 12


def test_made_up_customers_are_mostly_understood_and_always_leave() -> None:
    import random

    understood = said = 0
    assistants = {lang: _assistant(lang) for lang in ("zh", "en")}
    for number in range(30):
        lang = ("zh", "en")[number % 2]
        customer = made_up(lang, random.Random(number))
        dialogue = assistants[lang].open(f"s{number}")
        asked, turns = "", 0
        while (text := customer.says(asked)) is not None:
            ((decision, _),) = _talk(dialogue, (text,))
            asked = dialogue.waiting
            understood += decision.intent != "unclear"
            turns += 1
            assert turns < 80
        said += turns
    assert understood / said > 0.95
