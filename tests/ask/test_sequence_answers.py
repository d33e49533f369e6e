"""Questions about a diagram, in Chinese and English: computed, cited, and refused where the diagram says nothing."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

from lingbot_map.ask import Answer, Ask
from lingbot_map.ask.bases.sequence import opened
from lingbot_map.errors import BadInput
from tests.ask.acceptance import FIXTURES, asked, expectations, faults

SHOP = """@startuml checkout
actor Buyer
participant CartService
participant "BillingService" as Bill
participant StockService
queue EventBus
database CartDB

Buyer -> CartService : checkout(cartId)
CartService -> CartDB : saveCart(state=OPEN)
CartDB --> CartService : saved
CartService -> Bill : charge(cartId)
loop 最多5次
  alt 扣款超时
    Bill --> CartService : late
    CartService -> Bill : retryCharge(cartId)
  else 扣款成功
    Bill --> CartService : charged
  end
end
break 账户被锁定
  CartService -> CartDB : closeCart(state=LOCKED)
  CartService --> Buyer : checkoutRefused
end
opt 需要礼品包装
  CartService ->> EventBus : wrapRequested
end
alt 仓库有货
  CartService -> StockService : reserve(items)
  StockService --> CartService : reserved
else 仓库服务不可用
  CartService -> Bill : cancelCharge(cartId)
  Bill --> CartService : chargeCancelled
end
par
  CartService ->> EventBus : cartClosed
else
  CartService -> CartDB : writeHistory
end
note over CartService : saveCart 必须先于 charge
CartService --> Buyer : checkoutDone
@enduml
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    path = tmp_path_factory.mktemp("diagrams") / "checkout.puml"
    path.write_text(SHOP, "utf-8")
    return Ask(opened([path]))


def kept(answer: Answer) -> Answer:
    """Every sentence cites something that exists, unless the answer abstains."""
    for sentence in answer.sentences:
        assert bool(sentence.cites) != answer.abstained
    return answer


@pytest.mark.parametrize(
    ("question", "says", "cites", "verdict"),
    [
        ("扣款超时后会做什么，最多几次？", ["retryCharge(cartId)", "最多5次"], ["m5", "m6"], None),
        ("What happens when the charge times out?", ["retryCharge"], ["m5", "m6"], None),
        ("扣款超時後會做什麼？", ["retryCharge"], ["m6"], None),
        ("所有异步消息有哪些？", ["wrapRequested", "cartClosed"], ["m10", "m15"], None),
        ("Which messages are asynchronous?", ["wrapRequested", "cartClosed"], ["m10", "m15"], None),
        ("charge 之前必须先 saveCart 吗？", ["是"], ["m2", "m4", "n1"], "yes"),
        ("Must saveCart be called before charge?", ["Yes"], ["m2", "m4", "n1"], "yes"),
        ("saveCart 在 charge 之后吗？", ["否"], ["m2", "m4"], "no"),
        ("writeHistory 必须在 cartClosed 之后吗？", ["图中未约定"], ["m15", "m16"], "unspecified"),
        ("cancelCharge 会在 reserve 之后发生吗？", ["否", "互斥"], ["m11", "m13"], "no"),
        ("reserve 和 cancelCharge 互斥吗？", ["是"], ["m11", "m13"], "yes"),
        ("如果仓库服务不可用，完整调用链会怎么走？", ["cancelCharge", "checkoutDone"], ["m13", "m14", "m17"], None),
        ("账户被锁定以后还会 checkoutDone 吗？", ["否"], ["m9", "m17"], "no"),
        ("仓库有货时会 reserve 吗？", ["是"], ["m11"], "yes"),
        ("正常情况下 CartService 会依次给 BillingService 发什么？", ["charge(cartId)"], ["m4"], None),
        ("What does CartService normally send to BillingService?", ["charge(cartId)"], ["m4"], None),
        ("谁会写 CartDB？", ["saveCart", "writeHistory", "CartService"], ["m2", "m16"], None),
        ("寫 CartDB 的是誰？", ["saveCart", "writeHistory"], ["m2", "m8", "m16"], None),
        ("CartDB 由谁写入？", ["saveCart", "writeHistory"], ["m2", "m16"], None),
        ("Who writes to CartDB?", ["saveCart", "writeHistory"], ["m2", "m16"], None),
        ("倒数第二条消息是什么？", ["writeHistory"], ["m16"], None),
        ("saveCart 和 charge 之间有哪些消息？", ["saved"], ["m2", "m3", "m4"], None),
        ("Buyer 会收到什么消息？", ["checkoutDone"], ["m9", "m17"], None),
        ("哪个消息把状态改成 LOCKED？", ["closeCart"], ["m8"], None),
        ("什么情况下会 cancelCharge？", ["仓库服务不可用"], ["m13"], None),
        ("第4条消息是什么？", ["charge(cartId)"], ["m4"], None),
        ("What is the last message?", ["checkoutDone"], ["m17"], None),
        ("从 Buyer 到 StockService 的调用链是什么？", ["checkout", "reserve"], ["m1", "m11"], None),
        ("charge 的参数是什么？", ["cartId"], ["m4"], None),
        ("reserve 返回什么？", ["reserved"], ["m12"], None),
        ("最多重试几次？", ["最多5次"], ["m6"], None),
        ("这张图有什么风险？", ["wrapRequested"], ["m10"], None),
        ("不需要礼品包装会怎样？", ["wrapRequested"], ["m10", "f4"], None),
    ],
)
def test_answers(shop: Ask, question: str, says: list[str], cites: list[str], verdict: str | None) -> None:
    answer = kept(shop.ask(question))
    assert not answer.abstained
    assert [each for each in says if each not in answer.text] == []
    assert [each for each in cites if each not in answer.cites] == []
    assert answer.verdict == verdict
    assert answer.sentences == shop.ask(question).sentences


def test_what_if_leaves_out_what_excludes_it_and_lists_what_is_open(shop: Ask) -> None:
    answer = shop.ask("如果仓库服务不可用，完整调用链会怎么走？")
    assert "reserve" not in answer.text
    assert any("需要礼品包装" in point for point in answer.open_points)
    assert not any("账户被锁定" in point for point in answer.open_points)


def test_the_main_line_has_no_branch_in_it(shop: Ask) -> None:
    answer = shop.ask("正常情况下 CartService 会依次给 BillingService 发什么？")
    assert set(answer.cites) == {"m4"}


@pytest.mark.parametrize(
    "question",
    [
        "退款失败怎么办？",
        "取消扣款失败怎么办？", "仓库没货怎么办？", "重试之间间隔多久？", "第99条消息是什么？",
        "第0条消息？",
        "RiskService 在哪一步被调用？", "What happens when the refund fails?",
        "How long is the interval between retries?",
        "Where is RiskService called?", "扣款超时的短信模板是什么？",
        "CartService 用什么语言写的？",
        "如果风控拒绝，完整调用链会怎么走？",
        "今天天气怎么样？", "风控服务在哪一步被调用？", "账户余额不足怎么办？", "chargeX 之后是什么？",
    ],
)  # fmt: skip
def test_what_the_diagram_does_not_say_is_not_answered(shop: Ask, question: str) -> None:
    answer = kept(shop.ask(question))
    assert answer.abstained, answer.text
    assert ("图中未涉及" in answer.text) or ("ot in the diagram" in answer.text)


def test_words_in_common_are_not_enough_where_the_diagram_knows_the_other_thing(tmp_path: Path) -> None:
    path = tmp_path / "order.puml"
    lines = ["@startuml", "O -> P: deductBalance()", "P --> O: deductResult", "alt deductResult success"]
    lines += ["O -> I: reduceStock()", "else deductResult failure", "O -> P: refund()", "end", "@enduml"]
    path.write_text("\n".join(lines), "utf-8")
    ask = Ask(opened([path]))
    assert ask.ask("余额扣除失败后系统会做什么？").cites == ("m4", "f1")
    assert ask.ask("余额扣除失败后系统会调用哪个服务？").cites == ("m4", "f1")
    assert ask.ask("库存扣减失败怎么办？").abstained


def test_a_name_that_is_not_there_is_named(shop: Ask) -> None:
    assert "图中没有 RiskService" in shop.ask("RiskService 在哪一步被调用？").text


def test_it_means_what_was_asked_before(shop: Ask) -> None:
    shop.ask("第4条消息是什么？")
    assert "m4" in shop.ask("它是谁发给谁的？").cites


def test_of_several_diagrams_the_one_that_knows_the_names_answers(tmp_path: Path) -> None:
    (tmp_path / "checkout.puml").write_text(SHOP, "utf-8")
    (tmp_path / "login.mmd").write_text("sequenceDiagram\nWeb->>Auth: login(user)\nAuth-->>Web: token\n", "utf-8")
    ask = Ask(opened([tmp_path]))
    assert ask.ask("login 返回什么？").cites == ("login#m1", "login#m2")
    assert "checkout#m4" in ask.ask("charge 的参数是什么？").cites


def test_without_optional_packages_the_operators_still_answer(shop: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("rjieba", "rapidfuzz", "opencc"):
        monkeypatch.setitem(sys.modules, name, None)
    from lingbot_map.ask import text

    text._cutter.cache_clear()
    text._simplifier.cache_clear()
    try:
        assert "m6" in shop.ask("扣款超时之后会做什么呢？").cites
        assert shop.ask("退款失败时怎么办呢？").abstained
    finally:
        monkeypatch.undo()
        text._cutter.cache_clear()
        text._simplifier.cache_clear()


@pytest.mark.parametrize(
    ("name", "question"), [("库存服务", "谁会调用库存服务？"), ("StoreDesk", "Who calls StoreDesk?")]
)
def test_a_name_is_not_read_for_its_verb(tmp_path: Path, name: str, question: str) -> None:
    path = tmp_path / "stock.puml"
    path.write_text(f"@startuml\nOrder -> {name} : lock(items)\n@enduml\n", "utf-8")
    assert Ask(opened([path])).ask(question).cites == ("m1",)


@pytest.mark.parametrize(
    ("question", "cites"),
    [
        ("What does A send to B?", {"m1"}),
        ("what does a send to c", {"m5"}),
        ("A sends what to C?", {"m5"}),
        ("What does B send to A?", {"m4"}),
        ("Who sends login to B?", {"m1"}),
        ("A给B发了什么？", {"m1"}),
        ("Does a user log in?", {"m1"}),  # an article
        ("I want to know what B sends", {"m2", "m4"}),
    ],
)
def test_a_lifeline_of_one_letter_is_a_name_where_no_article_stands(
    tmp_path: Path, question: str, cites: set[str]
) -> None:
    path = tmp_path / "letters.puml"
    path.write_text(
        "@startuml\nA -> B : login\nB -> C : check\nC --> B : ok\nB --> A : token\nA -> C : logout\n@enduml\n"
    )
    assert set(Ask(opened([path])).ask(question).cites) == cites


def test_a_name_is_not_read_for_a_condition(tmp_path: Path) -> None:
    path = tmp_path / "stock.puml"
    lines = ["@startuml", "Order -> StockService : lock(items)", "alt in stock", "Order -> Till : pay()"]
    lines += ["else out of stock", "StockService --> Order : soldOut", "end", "@enduml"]
    path.write_text("\n".join(lines), "utf-8")
    ask = Ask(opened([path]))
    assert ask.ask("Who calls StockService?").cites == ("m1",)
    assert ask.ask("What happens if an item is in stock?").cites[0] == "m2"


PIECES = [
    "扣款", "超时", "charge", "reserve", "cartClosed", "之前", "之后", "必须", "吗", "如果", "怎么走", "第", "5",
    "条消息", "谁", "会写", "CartDB", "BillingService", "RiskService", "refund()", "多久", "异步",
    "what", "if", "before", "after", "must", "not", "message", "m4", "m999",
    "'; DROP TABLE x;--", "(", "[", "\\", "\x00", "💥",
    "仓库有货", "失败", "???", "的", "返回",
]  # fmt: skip


def test_a_thousand_made_up_questions_raise_nothing_and_invent_nothing(shop: Ask) -> None:
    rng = random.Random(5)
    for _ in range(1000):
        joint = rng.choice(("", " "))
        kept(shop.ask(joint.join(rng.choice(PIECES) for _ in range(rng.randint(0, 8)))))


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the agreed questions are not there")
def test_the_agreed_questions_are_answered_exactly() -> None:
    for expected in expectations("diagram"):
        answer = asked("diagram", expected.over).ask(expected.question)
        assert list(faults(expected, answer)) == [], f"{expected.id} {answer.text}"


def test_a_diagram_made_from_a_picture_says_so(tmp_path: Path) -> None:
    path = tmp_path / "picture.puml"
    path.write_text("@startuml\n' unverified: from a scan\nA -> B: go()\n@enduml\n", "utf-8")
    answer = Ask(opened([path])).ask("go 是谁发给谁的？")
    assert answer.cites == ("m1",)
    assert any("未经核实" in point for point in answer.open_points)


def test_a_huge_diagram_is_asked_soon_and_a_larger_one_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.puml"
    body = "par\n" + "\n".join(f"alt step{n} fails\nA -> B: call{n}()\nend" for n in range(9_000))
    body += "\nelse\n" + "\n".join(f"B ->> C: tell{n}()" for n in range(900)) + "\nend\n"
    path.write_text(f"@startuml\n{body}@enduml\n", "utf-8")
    ask = Ask(opened([path]))
    began = time.process_time()
    assert ask.ask("call1 必须在 tell7 之前吗？").verdict == "unspecified"
    assert ask.ask("tell1 必须在 tell700 之前吗？").verdict == "yes"
    assert not ask.ask("这张图有什么风险？").abstained
    assert time.process_time() - began < 20
    path.write_text("@startuml\n" + "A -> B: x\n" * 10_001 + "@enduml\n", "utf-8")
    with pytest.raises(BadInput, match="line 10002"):
        opened([path])


CRITICAL = """sequenceDiagram
A->>B: open
critical commit
A->>B: save
option disk is full
A->>C: alarm
end
A->>B: close
"""


def test_an_option_of_a_critical_region_is_a_condition(tmp_path: Path) -> None:
    (tmp_path / "d.mmd").write_text(CRITICAL, "utf-8")
    base = opened([tmp_path / "d.mmd"])
    assert "disk is full" in Ask(base).ask("When is alarm sent?").text
    assert "m3" not in Ask(base).ask("In the normal case what does A send?").cites
    whole = Ask(base).ask("If the disk is full, what is the whole sequence?")
    assert {"m1", "m2", "m3", "m4"} <= set(whole.cites)
    assert "m3" not in Ask(base).ask("Does close come after save?").cites
