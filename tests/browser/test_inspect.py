"""What the inspector tells of each kind of thing, and what it hands on: JSON, links, regression tests."""

from __future__ import annotations

import json
import re
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lingbot_probes import Probe
from lingbot_probes.signals import (
    Answered,
    Doc,
    IntentRouted,
    Numbered,
    Retrieved,
    SessionStarted,
    Signal,
    SlotAssigned,
    TurnStarted,
)
from lingbot_web.pytest_recorder import Recorder
from tests.browser.conftest import Watch
from tests.browser.picture import until
from tests.browser.serving import Site, key_of
from tests.browser.telecom import signals

pytestmark = pytest.mark.browser
Open = Callable[..., Page]

COPIES = "navigator.clipboard.writeText = async (text) => { window.copied = text; };"
INTENT = "w=9_22&sel=node~16~0~intent:change_plan"
SLOT = "w=9_22&sel=node~18~0~slot:brand"
DOC = "w=16_25&sel=node~19~0~doc:kb-0117"


def part(page: Page, title: str) -> Any:
    """The part of the pane under ``title``."""
    return page.locator("#right .part").filter(has=page.locator("h2", has_text=title))


def copied(page: Page, button: str) -> str:
    """What pressing ``button`` puts on the clipboard."""
    page.evaluate("window.copied = ''")
    page.locator("#right .panel:not([hidden])").get_by_role("button", name=button, exact=True).first.click()
    until(page, "window.copied")
    return str(page.evaluate("window.copied"))


def test_an_intent_tells_what_it_beat_what_it_needs_and_what_let_it_in_and_out(open_told: Open) -> None:
    page = open_told(INTENT)
    beat = part(page, "Candidates")
    expect(beat.locator(".won")).to_contain_text("套餐变更")
    expect(beat.locator(".won .end")).to_have_text("0.55")
    expect(beat.locator("li")).to_have_count(3)
    expect(beat).to_contain_text("turn 16")
    needs = part(page, "Required slots")
    expect(needs).to_contain_text("3 of 3 filled")
    expect(needs.locator("li").first).to_contain_text("手机号 138····6621")
    into = part(page, "Jumps in").locator("li")
    expect(into).to_have_count(7)
    expect(into.nth(4)).to_contain_text("工单查询 →")
    expect(into.nth(4).locator("code")).to_have_text("ticket_number = null")
    expect(into.first.locator(".lack")).to_have_text("missing 手机号, 目标套餐")  # by the names they have elsewhere
    out = part(page, "Jumps out").locator("li")
    expect(out.first).to_contain_text("→ 套餐对比")
    into.nth(4).locator("button").click()
    expect(into.nth(4).locator("button")).to_have_attribute("aria-current", "true")
    expect(into.nth(4).locator("button")).to_be_focused()


def test_a_loop_tells_between_which_intents_each_condition_stood_and_which_jump_closed_it(open_told: Open) -> None:
    page = open_told("w=9_22&sel=node~17~0~intent:data_dispute")
    told = page.locator("#right .callout .jumps li")
    expect(told).to_have_count(2)
    assert [" ".join(line.split()) for line in told.all_inner_texts()] == [
        "16 工单查询 → 套餐变更 0.55 ticket_number = null",
        "17 套餐变更 → 流量申诉 0.62 no condition missing 工单号 closes the loop",
    ]
    into = part(page, "Jumps in").locator("li")
    expect(into.filter(has_text="closes the loop").locator(".turn")).to_have_text("17")
    # The finding's own pane lists every jump of it.
    page.locator("#right .callout-head").click()
    expect(told.locator(".turn")).to_have_text(["15", "16", "17"])
    expect(told.filter(has_text="closes the loop")).to_have_count(1)
    # Before the loop was closed, nothing says that a jump does.
    page = open_told("w=9_22&sel=node~16~0~intent:change_plan&at=118")
    expect(part(page, "Jumps in").locator(".turn").last).to_have_text("16")
    expect(page.locator("#right .closes")).to_have_count(0)


def test_required_slots_are_those_of_the_moment_and_tell_where_the_visit_differed(open_told: Open) -> None:
    page = open_told("sel=node~2~0~intent:change_plan&at=8")
    needs = part(page, "Required slots")
    expect(needs.locator("li.bad").first).to_contain_text("missing")
    page = open_told("sel=node~1~0~intent:change_plan")
    expect(part(page, "Required slots")).to_contain_text("3 of 3 filled")
    expect(part(page, "Required slots").locator("li").first).to_contain_text("missing at the visit in turn 1")


def test_a_slot_tells_overwrites_readers_scope_and_what_is_left_of_its_life(open_told: Open) -> None:
    page = open_told(f"{SLOT}&at=131")
    expect(page.locator("#right .chart .rise.bad")).to_have_count(1)
    expect(part(page, "Overwrites").locator("li")).to_have_text("18星途 → 轻语old value of turn 12 · 价格查询")
    expect(part(page, "Readers").locator("li")).to_have_text("售后服务 after_sale.policy × 1 · turn 13")
    expect(page.locator("#right .lifetime")).to_have_text("30:00 left")
    page.locator("#map").focus()
    page.keyboard.press(".")
    expect(page.locator("#panel-inspect .moment")).to_contain_text("seq 132")


def test_a_lifetime_runs_on_while_the_session_is_live(site: Site, watch: Watch) -> None:
    said: list[Signal] = [SessionStarted(), TurnStarted(turn="a"), SlotAssigned(slot="x", value=1)]
    site.say([Numbered(session="s", n=n, signal=signal) for n, signal in enumerate(said, 1)])
    page = watch.open(site, f"s={key_of('s')}&sel=node~1~0~slot:x")
    left = page.locator("#right .lifetime")
    expect(left).to_have_text(re.compile(r"^(30:00|29:\d\d) left$"))
    first = left.inner_text()
    expect(left).not_to_have_text(first)
    expect(left).to_have_text(re.compile(r"^29:\d\d left$"))


def test_a_value_whose_life_is_over_tells_when_it_ended(site: Site, watch: Watch) -> None:
    said: list[Signal] = [SessionStarted(), TurnStarted(turn="a"), SlotAssigned(slot="x", value=1)]
    site.say([Numbered(session="s", n=n, signal=signal) for n, signal in enumerate(said, 1)])
    page = watch.page()
    page.clock.install(time=time.time() + 3600)
    page.goto(f"{site.url}#t={site.token}&s={key_of('s')}&sel=node~1~0~slot:x")
    expect(page.locator("#right .lifetime")).to_have_text(re.compile(r"^expired at \d\d:\d\d:\d\d$"))


def test_a_document_tells_each_stage_and_its_hits_beside_its_rivals(open_told: Open) -> None:
    page = open_told(DOC)
    stages = part(page, "Stage by stage").locator("tbody tr")
    expect(stages).to_have_count(3)
    assert [row.split() for row in stages.all_inner_texts()] == [
        ["vector", "#2", "/", "3", "0.820", "cosine"],
        ["reranked", "#1", "/", "3", "▲1", "0.910", "cross-encoder"],
        ["prompt", "#1", "/", "2", "0.910", "cross-encoder"],
    ]
    hits = part(page, "Hits against its rivals").locator("li")
    expect(hits).to_have_count(3)
    assert [row.split() for row in hits.all_inner_texts()] == [
        ["套餐A·规则说明", "28"],
        ["优惠叠加规则", "11"],
        ["套餐B·促销说明", "3"],
    ]
    widths = hits.locator(".bar i").evaluate_all("all => all.map((bar) => bar.getBoundingClientRect().width)")
    assert widths[0] > widths[1] > widths[2] > 0
    expect(part(page, "Properties")).to_contain_text("2023-03")


def test_a_stage_that_did_not_return_a_document_says_so(site: Site, watch: Watch) -> None:
    said: list[Signal] = [
        TurnStarted(turn="a", utterance="q"),
        IntentRouted(intent="x"),
        Retrieved(query="q", stage="vector", docs=(Doc(id="a", score=0.9), Doc(id="b", score=0.8))),
        Retrieved(query="q", stage="keyword", docs=(Doc(id="b", score=7.0),)),
        Retrieved(query="q", stage="reranked", docs=(Doc(id="b", score=0.9, dropped_because="<i>budget</i>"),)),
        Answered(text="ok"),
    ]
    site.say([Numbered(session="s", n=n, signal=signal) for n, signal in enumerate(said, 1)])
    page = watch.open(site, f"s={key_of('s')}&sel=node~1~0~doc:a")
    absent = part(page, "Stage by stage").locator("tr.absent")
    expect(absent).to_have_text(["keywordnot returned", "rerankednot returned"])
    page = watch.open(site, f"s={key_of('s')}&sel=node~1~0~doc:b")
    expect(page.locator("#right .dropped")).to_contain_text("<i>budget</i>")
    page = watch.open(site, f"s={key_of('s')}&sel=node~1~0~intent:x")
    expect(part(page, "Candidates")).to_contain_text("The source gives no candidates.")
    expect(page.locator("#right .part").first).to_contain_text("The source gives no confidence.")


def test_an_answer_tells_what_it_used_and_what_was_cut_and_why(open_told: Open) -> None:
    page = open_told("w=9_22&sel=node~19~0~answer:19")
    expect(part(page, "Documents used").locator("li")).to_have_count(2)
    cut = page.locator("#right .docs li:not(.used)")
    expect(cut).to_have_count(1)
    expect(cut.locator(".why")).to_have_text("低于提示词门槛")
    expect(page.locator("#right .callout-head")).to_have_text(re.compile("^Recall drift"))


def test_an_answers_documents_are_parted_by_what_became_of_them(site: Site, watch: Watch) -> None:
    found = (Doc(id="a", score=0.9), Doc(id="b", score=0.8), Doc(id="c", score=0.1, dropped_because="weak"))
    said: list[Signal] = [
        TurnStarted(turn="t1", utterance="q"),
        Retrieved(query="q", stage="reranked", docs=found),
        Retrieved(query="q", stage="prompt", docs=found[:2]),
        Answered(text="ok", docs=("b",)),
        TurnStarted(turn="t2", utterance="q"),
        Retrieved(query="q", stage="vector", docs=found[:1]),
        Answered(text="ok"),
    ]
    turns = ["t1"] * 4 + ["t2"] * 3
    site.say(
        [
            Numbered(session="s", n=n, turn=turn, signal=signal)
            for n, (turn, signal) in enumerate(zip(turns, said, strict=True), 1)
        ]
    )
    for subject in ("node~1~0~answer:1", "turn~1~0~utterance:1"):
        page = watch.open(site, f"s={key_of('s')}&sel={subject}")
        expect(part(page, "Documents used").locator("li .words")).to_have_text(["b"])
        unused = part(page, "In the prompt, not used by the answer")
        expect(unused.locator("li .words")).to_have_text(["a"])
        expect(unused.locator(".why")).to_have_count(0)
        cut = part(page, "Documents cut before the prompt")
        expect(cut.locator("li .words")).to_have_text(["c"])
        expect(cut.locator(".why")).to_have_text("weak")
        page.close()
    page = watch.open(site, f"s={key_of('s')}&sel=node~2~0~answer:2")
    expect(part(page, "Documents found").locator("li .words")).to_have_text(["a"])
    expect(page.locator("#right")).not_to_contain_text("cut before")


def test_raw_events_and_nodes_are_copied_as_json(open_told: Open) -> None:
    page = open_told(f"{SLOT}&at=136", init=COPIES)
    page.locator("#panel-inspect .event").first.wait_for()
    events = json.loads(copied(page, "Copy these events as JSON"))
    assert [event["seq"] for event in events] == [87, 95, 131]
    assert [event["signal"]["kind"] for event in events] == ["slot_assigned", "slot_read", "slot_assigned"]
    node = json.loads(copied(page, "Copy as JSON"))
    assert node["node"]["props"]["value"] == "轻语"
    assert max(edge["seq"] for edge in node["edges"]) <= 136


def test_all_events_behind_a_long_subject_are_copied_not_only_those_shown(open_told: Open) -> None:
    page = open_told(INTENT, init=COPIES)
    page.locator("#panel-inspect .event").first.wait_for()
    assert page.locator("#panel-inspect .event").count() < 12
    events = json.loads(copied(page, "Copy these events as JSON"))
    seqs = [event["seq"] for event in events]
    assert seqs == sorted(set(seqs))
    assert len(seqs) > 12


def test_raw_events_that_cannot_be_read_say_why_and_can_be_asked_for_again(open_told: Open, watch: Watch) -> None:
    watch.forgiven.append("Failed to load resource")
    page = open_told("w=9_22")
    page.route("**/events?*", lambda route: route.abort())
    page.locator("#right .callout-head").first.click()
    raw = page.locator("#right .raw-events")
    expect(raw).to_contain_text("The raw events could not be read: the server does not answer.")
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    raw.get_by_role("button", name="Copy these events as JSON").click()
    expect(page.locator(".toast")).to_contain_text("Not copied: the server does not answer")
    page.unroute("**/events?*")
    raw.get_by_role("button", name="Try again").click()
    expect(raw.locator(".event").first).to_be_visible()


def test_a_regression_test_fails_on_the_bot_as_it_is_and_passes_on_a_mended_one(
    open_told: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_told("w=9_22", init=COPIES)
    page.locator("#right .callout").filter(has_text="LM301").wait_for()
    page.locator("#right .callout").filter(has_text="LM301").locator(".callout-head").click()
    expect(page.locator("#right .chip.bad")).to_have_text("LM301")
    snippet = copied(page, "Regression assertion")
    with pytest.raises(AssertionError, match="turn 18: expected no overwrite finding, found"):
        run(snippet, Bot(faulty=True), monkeypatch)
    run(snippet, Bot(faulty=False), monkeypatch)


def test_what_was_recorded_is_asserted_of_a_slot_a_flow_an_answer_and_a_turn(
    open_told: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (SLOT, INTENT, DOC, "sel=turn~18~0~utterance:18"):
        page = open_told(place, init=COPIES)
        page.locator("#right .pane-bar .text-button").first.wait_for()
        snippet = copied(page, "Assertion")
        run(snippet, Bot(faulty=True), monkeypatch)
    assert "claims.path(" in snippet
    with pytest.raises(AssertionError, match="expected slot brand = 'other', found '轻语'"):
        run(snippet.replace('"brand").ends_as("轻语")', '"brand").ends_as("other")'), Bot(faulty=True), monkeypatch)


class Bot:
    """A bot that tells the telecom dialogue turn by turn; unless ``faulty``, without the overwrite in it."""

    def __init__(self, *, faulty: bool) -> None:
        self.probe = Probe("telecom", mask=False)  # what it is held against was recorded as it was said
        self.told = [(turn, signal) for turn, signal in signals() if faulty or getattr(signal, "value", None) != "轻语"]
        self.turn = 0

    def reply(self, session: str, text: str) -> None:
        """Say what the bot does in its next turn."""
        self.turn += 1
        for turn, signal in self.told:
            if turn == f"t{self.turn}":
                if isinstance(signal, TurnStarted):
                    assert signal.utterance == text
                self.probe.emit(signal, session=session, turn=turn)


def run(snippet: str, bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the tests of ``snippet`` as a module against ``bot``."""
    module = types.ModuleType("my_bot")
    vars(module).update(probe=bot.probe, reply=bot.reply)
    monkeypatch.setitem(sys.modules, "my_bot", module)
    names: dict[str, Any] = {}
    exec(compile(snippet, "regression.py", "exec"), names)
    tests = [test for name, test in names.items() if name.startswith("test_")]
    assert len(tests) == 1
    try:
        with Recorder(bot="my_bot:reply", probe="", recording=None, folder=Path()) as dialogue_map:
            tests[0](dialogue_map)
    finally:
        bot.probe.close()


def test_hostile_and_long_words_stay_text_and_inside_the_panel(site: Site, watch: Watch) -> None:
    evil = '<img src=x onerror="window.hit=1">\u202e'
    said: list[Signal] = [
        TurnStarted(turn="a", utterance=evil),
        IntentRouted(intent=evil, condition=evil * 20, required=(evil,), candidates=((evil + "2", 0.4),)),
        SlotAssigned(slot="s", value={evil: ["长" * 900]}, scope=evil, task=evil),
        SlotAssigned(slot="s", value=evil),
        Retrieved(query=evil, stage=evil, docs=(Doc(id=evil, title=evil * 30, hits=3, dropped_because=evil),)),
        Answered(text=evil * 100),
    ]
    site.say([Numbered(session="s", n=n, signal=signal) for n, signal in enumerate(said, 1)])
    for place in ("turn~1~0~utterance:1", "node~1~2~slot:s", "node~1~0~answer:1"):
        page = watch.open(site, f"s={key_of('s')}&sel={place}")
        page.locator("#right .heading .chip").wait_for()
        for tab in ("inspect", "changes"):
            page.locator(f"#tab-{tab}").click()
            panel = page.locator("#right .panel:not([hidden])")
            assert panel.evaluate("e => e.scrollWidth - e.clientWidth") <= 1, (place, tab)
            assert page.locator("#right img").count() == 0
        assert not page.evaluate("'hit' in window")


def test_each_answer_of_a_turn_is_reached_by_keys_and_from_the_list(site: Site, watch: Watch) -> None:
    said: list[Signal] = [TurnStarted(turn="a", utterance="q"), *(Answered(text=f"part {n}") for n in range(1, 11))]
    site.say([Numbered(session="s", n=n, turn="a", signal=signal) for n, signal in enumerate(said, 1)])
    page = watch.open(site, f"s={key_of('s')}&sel=node~1~2~answer:1")
    told = page.locator("#score-focus")
    expect(told).to_have_text("Turn 1, answer 1 of 10 part 1")
    page.locator("#map").focus()
    for n in range(2, 11):
        page.keyboard.press("ArrowRight")
        expect(told).to_have_text(f"Turn 1, answer {n} of 10 part {n}")
    expect(page.locator("#right .heading .sub")).to_have_text("answer:1.10 · 10 / 10")
    rows = part(page, "All answers of this turn").locator("button")
    expect(rows).to_have_count(10)
    rows.nth(3).click()
    expect(told).to_have_text("Turn 1, answer 4 of 10 part 4")
    expect(rows.nth(3)).to_have_attribute("aria-current", "true")


def test_what_predicted_an_intent_is_no_condition(site: Site, watch: Watch) -> None:
    said: list[tuple[str, Signal]] = [
        ("a", TurnStarted(turn="a", utterance="order")),
        ("a", IntentRouted(intent="start")),
        ("b", TurnStarted(turn="b", utterance="large")),
        ("b", IntentRouted(intent="pizza_form", predicted_by="TEDPolicy")),
    ]
    site.say([Numbered(session="s", n=n, turn=turn, signal=signal) for n, (turn, signal) in enumerate(said, 1)])
    page = watch.open(site, f"s={key_of('s')}&sel=node~2~4~intent:pizza_form")
    into = part(page, "Jumps in").locator("li")
    expect(into.locator(".condition")).to_have_text("predicted by TEDPolicy")
    expect(into.locator("code")).to_have_count(0)
    page = watch.open(site, f"s={key_of('s')}&sel=turn~2~4~utterance:2&lang=zh")
    expect(page.locator("#right .happened")).to_contain_text("start → pizza_form 由 TEDPolicy 预测")
