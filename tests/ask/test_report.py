"""What is asked, as a map: intents, slots, topics, recalls, what was cited; and that telling changes no answer."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingbot_map.ask import Ask, Base, Found, Item, Question, Route, Sentence, bases
from lingbot_map.ask.bases import opened
from lingbot_map.ask.bases.documents import wording
from lingbot_map.ask.bases.sequence import reading
from lingbot_map.ask.bases.session.answering import OPERATORS
from lingbot_map.ask.demo.story import TOPICS, Topic
from lingbot_map.ask.dialog import Dialog
from lingbot_map.ask.labels import label
from lingbot_map.ask.pool import Fused, Hit, evidence
from lingbot_map.graph import DialogueMap
from lingbot_map.testing import Recording, record
from lingbot_probes import Probe
from lingbot_probes.signals import Failed, Retrieved
from tests.ask import acceptance, recorded
from tests.ask.recorded import faults_of, plain


@cache
def base_of(topic: Topic) -> Base:
    return opened(topic.kind, [topic.place])


def topic(lang: str, name: str) -> Topic:
    return next(each for each in TOPICS if (each.lang, each.name) == (lang, name))


PATIENCE = 20.0
PROBE = Probe("ask-test", capacity=5000, mask=False)


@pytest.fixture
def probe() -> Probe:
    return PROBE  # one for all: each recording begins anew


def told(probe: Probe, base: Base, *questions: str) -> tuple[Recording, DialogueMap]:
    with record(probe) as recording:
        ask = Ask(base, probe=probe, session="s")
        for question in questions:
            ask.ask(question)
            probe.flush(5)
        return recording, recording.map("s")


def jumps(map: DialogueMap) -> list[tuple[int, str, str]]:
    return [
        (edge.turn, edge.target[7:], edge.props.get("condition", ""))
        for edge in map.edges.values()
        if edge.id.startswith("jump:")
    ]


@pytest.mark.parametrize("told_of", TOPICS, ids=lambda each: f"{each.name}-{each.lang}")
def test_every_question_of_the_story_is_a_turn_that_says_how_it_was_answered(probe: Probe, told_of: Topic) -> None:
    with record(probe) as recording:
        ask = Ask(base_of(told_of), probe=probe, session="s")
        answers = []
        for question in told_of.questions:
            answers.append(ask.ask(question))
            probe.flush(5)
        map = recording.map("s")
        faults = [f for n, answer in enumerate(answers, 1) for f in faults_of(map, recording.events["s"], n, answer)]
    assert faults == []
    assert answers[-1].abstained
    assert not any(answer.abstained for answer in answers[:-1])


def test_topics_are_tasks_and_their_moves_are_jumps_that_say_so(probe: Probe) -> None:
    of = topic("zh", "graph")
    _, map = told(probe, base_of(of), *of.questions)
    moves = {turn: condition for turn, intent, condition in jumps(map) if intent != "abstained"}
    assert moves == {
        1: "",
        2: "新话题：青禾",
        3: "新话题：山月茶园",
        4: "接着：山月茶园",
        5: "接着：山月茶园",
        6: "新话题：老枞红茶",
        7: "回到：山月茶园",
        8: "新话题：青禾",
    }
    # What a later question goes on with is read, and no leak; what it is bound to anew is overwritten.
    read = [(edge.turn, edge.source) for edge in map.edges.values() if edge.kind == "read"]
    assert (4, "slot:供应商") in read
    assert {finding.code for finding in map.findings.values()} == {"LM301"}
    over = [
        (edge.turn, edge.props["old"], edge.props["new"]) for edge in map.edges.values() if edge.kind == "overwrite"
    ]
    assert (6, "雪芽 [p2]", "老枞红茶 [p3]") in over
    assert (7, "老枞红茶 [p3]", "雪芽 [p2]") in over


def test_a_namesake_that_was_not_meant_is_a_candidate_with_its_reason(probe: Probe) -> None:
    recording, map = told(probe, base_of(topic("zh", "graph")), "青禾供应哪些商品？", "青禾放在哪个仓库？")
    names = [
        event.signal
        for event in recording.events["s"]
        if isinstance(event.signal, Retrieved) and event.signal.params.get("retriever") == "names"
    ]
    assert [[(doc.id, doc.dropped_because) for doc in signal.docs] for signal in names] == [
        [("s1", "指的是它"), ("p4", "同名的另一个 [p4]")],
        [("p4", "指的是它"), ("s1", "同名的另一个 [s1]")],
    ]
    assert map.nodes["slot:商品"].props["value"] == "青禾 [p4]"  # of the kind that was meant, not of the first namesake


def test_an_answer_that_looks_wrong_is_explained_by_what_was_not_cited(probe: Probe) -> None:
    _, map = told(probe, base_of(topic("en", "docs")), "Within how many days can tea be returned?")
    assert "7 days" in map.nodes["answer:1"].label
    ranked = {
        edge.target: (edge.props["rank"], edge.props.get("dropped_because", ""))
        for edge in map.edges.values()
        if edge.kind == "recall" and edge.props["stage"] == "reranked"
    }
    assert ranked["doc:returns.md"] == (1, "")
    assert ranked["doc:members-2026.md"] == (2, "not in the answer")


def test_an_abstention_is_an_intent_of_its_own_with_its_reason(probe: Probe) -> None:
    _, map = told(probe, base_of(topic("en", "graph")), "What does Nobody Known supply?")
    assert jumps(map)[-1][1] == "abstained"
    assert jumps(map)[-1][2] == "not found: Nobody Known"
    assert map.nodes["intent:abstained"].label == "no answer"
    assert not any(edge.kind == "merge" for edge in map.edges.values())


class Slow:
    """One route in time, one that is late, one that breaks."""

    name = "slow"

    def __init__(self) -> None:
        self.released = threading.Event()

    def read(self, text: str, dialog: Dialog) -> Question:
        return Question(text=text, lang="en", terms=("word",))

    def compute(self, question: Question) -> Found | None:
        return None

    def routes(self, question: Question) -> Sequence[Route]:
        released = self.released

        def waits(late: Callable[[], bool]) -> Sequence[Hit]:
            released.wait(PATIENCE)  # until after the answer, however long that takes
            return ()

        def breaks(late: Callable[[], bool]) -> Sequence[Hit]:
            raise KeyError("gone")

        return (
            Route(name="words", run=lambda late: [Hit(item="a", score=2.0, why="it says so")]),
            Route(name="waits", run=waits),
            Route(name="breaks", run=breaks),
        )

    def answer(self, question: Question, pool: Sequence[Fused]) -> Found:
        return Found(sentences=(Sentence(text="It is a.", cites=("a",)),))

    def item(self, id: str) -> Item | None:
        return Item(id=id, kind="thing", text="a thing", title="A") if id == "a" else None


def test_a_route_that_is_late_or_breaks_is_a_failure_on_the_map(probe: Probe) -> None:
    with record(probe) as recording:
        base = Slow()
        answer = Ask(base, limit=0.2, probe=probe, session="s").ask("what?")
        base.released.set()
        map = recording.map("s")
        failed = {e.signal.where: e.signal.error for e in recording.events["s"] if isinstance(e.signal, Failed)}
        assert list(faults_of(map, recording.events["s"], 1, answer)) == []
    assert failed == {"waits": "too late, not counted", "breaks": "KeyError"}
    assert {finding.kind for finding in map.findings.values()} == {"failure"}


class Broken(Slow):
    """A base whose items can be shown by the engine and not by whoever asks a second time."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def routes(self, question: Question) -> Sequence[Route]:
        return (Route(name="pages", run=lambda late: [Hit(item="b", score=1.0)]), *super().routes(question)[:1])

    def item(self, id: str) -> Item | None:
        if id == "b":
            self.asked += 1
            if self.asked % 2:
                raise ValueError("b can't be shown")
            return None
        return super().item(id)

    def answer(self, question: Question, pool: Sequence[Fused]) -> Found:
        return Found(sentences=(Sentence(text="It is a.", cites=("a",)),))


def test_what_goes_wrong_in_telling_is_told_and_spoils_no_answer(probe: Probe) -> None:
    with record(probe) as recording:
        assert Ask(Broken(), probe=probe, session="s").ask("what?").text == "It is a."
        assert recording.map("s").nodes["answer:1"].label == "It is a."
        failed = [e.signal for e in recording.events["s"] if isinstance(e.signal, Failed)]
    assert {signal.where for signal in failed} == {"report"}
    assert "b can't be shown" in failed[0].error


def test_an_error_of_a_base_is_told_and_raised(probe: Probe) -> None:
    class Raises(Slow):
        def compute(self, question: Question) -> Found | None:
            raise LookupError("no base")

    with record(probe) as recording:
        with pytest.raises(LookupError):
            Ask(Raises(), probe=probe, session="s").ask("what?")
        recording.map("s")
        failed = [e.signal for e in recording.events["s"] if isinstance(e.signal, Failed)]
    assert [(signal.where, "no base" in signal.error) for signal in failed] == [("ask", True)]


def test_a_session_without_a_name_is_called_what_was_asked_first(probe: Probe) -> None:
    with record(probe) as recording:
        ask = Ask(base_of(topic("en", "graph")), probe=probe)
        ask.ask("Where is Snow Bud stored?")
        map = recording.map()
    assert ask.report is not None
    assert ask.report.session.startswith("ask-")
    assert map.about["title"] == "Where is Snow Bud stored?"
    assert map.about["meta"] == {"channel": "ask", "base": "graph"}


def test_every_kind_of_question_and_every_route_has_a_short_name_in_both_languages() -> None:
    routes = {
        name
        for path in Path(bases.__file__).parent.rglob("*.py")
        for name in re.findall(r'Route\(\s*name="(.+?)"', path.read_text("utf-8"))
    }
    assert {"words", "semantic", "relations"} <= routes
    kinds = {*OPERATORS, "conform", "no such name", "why", *(type for type, _, _ in wording._TYPES)}
    plans = {"between", "check", "most", "average", "count", "3 hops", "property", "about", "extreme", "filter"}
    for name in {*routes, *kinds, *plans, *reading._PLAIN, "relation", "", "duration, count"} - {""}:
        chinese, english = label(name, "zh"), label(name, "en")
        assert not chinese.isascii(), name
        assert len(chinese) <= 8, name
        assert english.isascii(), name
        assert len(english) <= 20, name


def test_what_has_no_name_is_called_what_it_says(probe: Probe) -> None:
    _, map = told(probe, base_of(topic("zh", "diagram")), "调用 pay 之前必须先 lockStock 吗？", "退款失败怎么办？")
    assert map.nodes["doc:f1"].label == "alt: 库存不足 / 库存充足"
    assert map.nodes["doc:n1"].label == "pay 之前必须先 lockStock"
    words = [edge.props["value"] for edge in map.edges.values() if edge.target == "slot:terms" and edge.props["value"]]
    assert len(words) == 1
    assert "退款" in words[0]


def test_the_best_evidence_is_sure_and_none_is_surer() -> None:
    pool = [
        Fused(item=name, score=score, ranks={"words": 1}, reasons={"words": ""})
        for name, score in (("cited", 0.049), ("first", 0.06))
    ]
    shown = evidence(pool, lambda id: Item(id=id, kind="", text=""), "en")
    assert [item.confidence for item in shown] == [round(0.049 / 0.06, 4), 1.0]


PIECES = st.sampled_from(
    [word for each in TOPICS for question in each.questions for word in (question, *question.split())]
    + [
        "它",
        "那个呢？",
        "回到刚才那个",
        "it",
        "and then?",
        "青禾",
        "[p4]",
        "'}) //",
        "\x00",
        "💥",
        "第3条",
        "的",
        "",
        "多少",
    ]
)
SILENT = {each: Ask(base_of(each)) for each in TOPICS}
FUZZED = Probe("ask-fuzzed", sink=type("Sink", (), {"deliver": lambda self, batch: {"acked": {}}})(), capacity=500)
TOLD = {each: Ask(base_of(each), probe=FUZZED) for each in TOPICS}


@settings(max_examples=300, deadline=None)
@given(of=st.sampled_from(TOPICS), pieces=st.lists(PIECES, max_size=4), joint=st.sampled_from(["", " "]))
def test_recording_changes_no_answer(of: Topic, pieces: list[str], joint: str) -> None:
    question = joint.join(pieces)
    assert plain(TOLD[of].ask(question)) == plain(SILENT[of].ask(question))
    assert FUZZED.errors == 0


@settings(max_examples=100, deadline=None)
@given(of=st.sampled_from(TOPICS), questions=st.lists(st.lists(PIECES, max_size=3).map("".join), max_size=6))
def test_whatever_is_asked_the_map_says_the_same_as_the_answers(of: Topic, questions: list[str]) -> None:
    with record(PROBE) as recording:
        ask = Ask(base_of(of), probe=PROBE, session="s")
        answers = [ask.ask(question) for question in questions]
        map = recording.map("s") if questions else DialogueMap()
        events = recording.events.get("s", [])
        faults = [f for n, answer in enumerate(answers, 1) for f in faults_of(map, events, n, answer)]
    assert faults == []
    assert not [f for f in map.findings.values() if f.kind in ("failure", "gap", "leak")]


@pytest.mark.skipif(not acceptance.FIXTURES.is_dir(), reason="the agreed questions are not there")
def test_the_agreed_questions_are_answered_the_same_and_their_maps_say_how() -> None:
    faults: list[str] = []
    assert acceptance.run_recorded(say=faults.append) == 0, faults
    assert recorded.NOT_ROUTES  # the runner itself is what ``python -m tests.ask.acceptance --recorded`` runs


def test_a_long_answer_keeps_the_names_of_what_it_cites(probe: Probe, tmp_path: Path) -> None:
    long = "把很长很长的一句话放进消息里，好让一个事件装不下全部的文字" * 4
    lines = [f"甲方服务{n} -> 乙方服务 : 第{n}步{long}" for n in range(60)]
    (tmp_path / "long.puml").write_text("@startuml\n" + "\n".join(lines) + "\n@enduml\n", "utf-8")
    with record(probe) as recording:
        ask = Ask(opened("diagram", [tmp_path / "long.puml"]), probe=probe, session="s")
        answer = ask.ask("所有消息有哪些？")
        map, events = recording.map("s"), recording.events["s"]
    assert len(answer.cites) >= 50
    assert [edge.source[4:] for edge in map.edges.values() if edge.kind == "merge"] == list(answer.cites[:50])
    assert list(faults_of(map, events, 1, answer)) == []
    assert map.nodes["doc:m50"].label.startswith("第49步")
