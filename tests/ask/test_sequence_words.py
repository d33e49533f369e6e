"""Words of questions about a diagram: other forms of a label's verb, what comes before, deeds that nobody draws."""

from __future__ import annotations

from pathlib import Path

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases.sequence import meaning, opened
from lingbot_map.ask.bases.sequence.lexicon import TERMS, concepts

ORDER = """@startuml
actor Guest
participant Desk
participant Kitchen
Guest -> Desk: place order
Desk -> Kitchen: reserve table
alt table free
  Desk -> Kitchen: charge card
  Desk -> Guest: seat number
else table taken
  Desk -> Kitchen: notify purchasing
end
@enduml
"""
LIBRARY = """sequenceDiagram
    actor 读者
    participant 前台
    participant 系统
    读者->>前台: 申请借书
    前台->>系统: 登记借阅
    opt 读者是会员
        系统->>系统: 延长借期
    end
    loop 每天
        系统->>读者: 发送到期提醒
    end
"""


@pytest.fixture(scope="module")
def order(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    path = tmp_path_factory.mktemp("order") / "order.puml"
    path.write_text(ORDER, "utf-8")
    return Ask(opened([path]))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    path = tmp_path_factory.mktemp("library") / "library.mmd"
    path.write_text(LIBRARY, "utf-8")
    return Ask(opened([path]))


@pytest.mark.parametrize(
    ("question", "cites", "says"),
    [
        ("Who charges the card?", "m3", "Desk"),
        ("Who notifies purchasing?", "m5", "Desk"),
        ("Under which condition is the card charged?", "m3", "table free"),
        ("What happens before the table is reserved?", "m1", "Before reserve table"),
        ("What happens before the card is charged?", "m2", "Before charge card"),
    ],
)
def test_a_verb_in_another_form_names_its_message(order: Ask, question: str, cites: str, says: str) -> None:
    answer = order.ask(question)
    assert cites in answer.cites, answer.text
    assert says in answer.text


def test_what_comes_before_is_not_of_another_branch(order: Ask) -> None:
    answer = order.ask("What happens before notifying purchasing?")
    assert "m2" in answer.cites
    assert "charge card" not in answer.text


def test_a_condition_that_is_a_part_of_a_named_message_is_not_meant(tmp_path: Path) -> None:
    path = tmp_path / "shop.puml"
    path.write_text(
        "@startuml\nA -> B: check stock\nB --> A: level\nalt in stock\nA -> C: pack\nend\n@enduml\n", encoding="utf-8"
    )
    ask = Ask(opened([path]))
    assert ask.ask("What happens after the stock is checked?").cites == ("m1", "m2")
    assert "m3" in ask.ask("What happens if it is in stock?").cites


def test_what_comes_before_the_first_is_nothing(order: Ask) -> None:
    assert "Nothing comes before" in order.ask("What happens before the order is placed?").text


@pytest.mark.parametrize("question", ["Who refunds the guest?", "Who phones the guest?"])
def test_a_deed_that_nobody_draws_is_no_message_to_or_from_its_object(order: Ask, question: str) -> None:
    assert order.ask(question).abstained


@pytest.mark.parametrize(
    ("question", "cites"),
    [("登记借阅之前发生了什么？", "m1"), ("到期提醒多久发送一次？", "m4"), ("读者是会员时会怎样？", "m3")],
)
def test_chinese_questions_find_their_message(library: Ask, question: str, cites: str) -> None:
    answer = library.ask(question)
    assert cites in answer.cites, answer.text
    assert not answer.abstained


@pytest.mark.parametrize("question", ["谁把书交给读者？", "谁给读者打电话？"])
def test_a_chinese_deed_that_nobody_draws_is_not_a_condition_of_its_object(library: Ask, question: str) -> None:
    assert library.ask(question).abstained


@pytest.mark.parametrize(
    ("said", "also"),
    [("reserve", "reserved"), ("prepare", "preparing"), ("charges", "charge"), ("notifies", "notify"), ("锁住", "锁")],
)
def test_forms_of_a_word_are_one_concept(said: str, also: str) -> None:
    assert concepts(said)[0] == concepts(also)[0]


def test_a_word_that_begins_with_a_term_of_one_character_is_itself() -> None:
    assert concepts("读者是会员") == ("读者", "会员")


def test_the_words_of_steps_are_read_as_labels_are() -> None:
    words = [word for _, of, beside in meaning._WORDS for word in of | beside if TERMS.get(word, word) == word]
    stray = [word for word in words if concepts(word) not in ((word,), (word.removesuffix("s"),))]
    assert stray == []


LOGIN = """sequenceDiagram
  actor User
  participant Auth
  participant DB
  User->>Auth: log in
  Auth->>DB: load account
  DB-->>Auth: account
  alt password wrong
    loop up to 3 times
      User->>Auth: retry password
    end
  end
"""


def test_who_does_to_a_thing_what_nobody_draws_is_not_who_sends_it(tmp_path: Path) -> None:
    path = tmp_path / "login.mmd"
    path.write_text(LOGIN, "utf-8")
    ask = Ask(opened([path]))
    assert ask.ask("Who deletes the account?").abstained
    assert "m3" in ask.ask("Who sends the account?").cites
    assert "m3" in ask.ask("account 是谁发给谁的？").cites
    assert "m4" in ask.ask("How many times can the user retry?").cites
    assert "m4" in ask.ask("密码错误时会怎样？").cites


@pytest.mark.parametrize(
    "question", ["a b a b a b a b", "B B B", "Kitchen Guest Kitchen", "厨 Desk Desk", "and Guest and Guest"]
)
def test_names_alone_ask_nothing(order: Ask, tmp_path: Path, question: str) -> None:
    path = tmp_path / "short.puml"
    path.write_text("@startuml\nA -> B: pay\nB --> C: paid\n@enduml\n", "utf-8")
    for ask in (order, Ask(opened([path]))):
        answer = ask.ask(question)
        assert answer.abstained, answer.text
        assert not answer.cites


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Does Kitchen call Guest?", "no message itself"),
        ("From Desk to Kitchen?", "reserve table"),
        ("Desk 到 Kitchen？", "reserve table"),
        ("Guest和Desk之间有什么？", "place order"),
    ],
)
def test_what_is_said_of_two_names_is_answered(order: Ask, question: str, says: str) -> None:
    assert says in order.ask(question).text
