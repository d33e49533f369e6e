"""Records the three cases that the map must make obvious: ``python -m lingbot_map.demo.cases [folder]``.

The assistant talks with a customer who says what is below; what goes wrong it does itself. Times are made up but
likely, everything else is as the probe said it. The same code makes the same bytes, so a change shows in a diff.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lingbot_map.demo.assistant import Assistant
from lingbot_map.demo.probing import probe
from lingbot_map.policy import Policy
from lingbot_map.session import Session
from lingbot_map.store import key_of
from lingbot_map.store.files import FileStore
from lingbot_probes import codec
from lingbot_probes.signals import Numbered, TurnStarted

MASK_KEY = "ca5e" * 16  # everybody knows it: the numbers behind the pseudonyms are made up
BEGAN = 1_749_707_040.0  # 12 June 2025, 05:44 UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An incident: the id of its session, its title, and what the customer says."""

    session: str
    lang: str
    title: str
    says: tuple[str, ...]


CASES: tuple[Case, ...] = (
    Case(
        session="case-intent-drift",
        lang="en",
        title="Intent drift: change plan, data dispute, appeal and back",
        says=(
            "hello",
            "I want to change my plan",
            "it is 138 0000 6621",
            "compare the plans for me",
            "let's go on with the plan change",
            "no, I mean my data overrun",
            "this charge is not right, I never used that much",
            "where do I find the ticket number",
            "so what now",
            "the 129 then",
            "I mean the data overrun, the one in June",
            "when will the ticket be done",
        ),
    ),
    Case(
        session="case-slot-pollution",
        lang="zh",
        title="槽位污染：售后的产品线被价格查询读走",
        says=(
            "你好",
            "我现在是什么套餐",
            "138 0000 6621",
            "还剩多少流量",
            "查一下我这个月话费",
            "怎么比上个月多了二十块，看看明细",
            "把彩铃退订了",
            "给手机充50元",
            "发票也开一下",
            "发到 demo@example.com",
            "我在城东，营业厅几点关门",
            "上次报修的星舟机顶盒又坏了",
            "就是那台盒子，一直黑屏",
            "等一下，先帮我看看家里的宽带，光猫亮红灯",
            "望江小区3栋502",
            "周六下午",
            "你们那款新手机现在什么价",
            "我说的是轻语，不是星舟",
            "好的谢谢，没别的事了",
        ),
    ),
    Case(
        session="case-recall-drift",
        lang="zh",
        title="召回漂移：旧规则靠热度排在新规则前面",
        says=(
            "您好",
            "最近有什么优惠活动",
            "学生优惠和家庭优惠可以叠加吗",
            "不对吧，学生优惠和家庭优惠不是可以叠加了吗",
            "我听说现在两项优惠可以合计，到底能不能叠加",
            "转人工",
        ),
    ),
)


class _Times:
    """The clock of a session, and the sink that stamps what the probe says in it."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._chance = random.Random(session)
        self._turns: dict[str, str] = {"": ""}
        self.now = BEGAN + self._chance.randrange(3600)
        self.items: list[Numbered] = []

    def __call__(self) -> float:
        return self.now

    def pause(self, text: str) -> None:
        """The customer reads, thinks and types ``text``."""
        self.now = round(self.now + 4 + 0.4 * len(text) + self._chance.uniform(0, 6), 3)

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Take what the probe says, as a map's server would."""
        acked: dict[str, list[list[int]]] = {}
        for data in batch["events"]:
            item = codec.numbered_from_dict(data)
            acked.setdefault(item.session, []).append([item.n, item.n])
            if item.session == self._session:  # the probe also tells what it told before
                self.items.append(self._placed(item))
        return {
            "v": codec.VERSION,
            "server": f"recorder-{self._session}",
            "acked": acked,
            "refused": [],
            "mask_key": MASK_KEY,
        }

    def _placed(self, item: Numbered) -> Numbered:
        """``item`` a moment later, in a turn whose id is the same each time this is played."""
        self.now = round(self.now + self._chance.uniform(0.004, 0.04), 3)
        turn = self._turns.setdefault(item.turn, f"t{len(self._turns)}")
        signal = item.signal
        if isinstance(signal, TurnStarted):
            signal = replace(signal, turn=turn)
        return replace(item, turn=turn, said_at=self.now, signal=signal)


def record(case: Case, folder: Path) -> Path:
    """Plays ``case`` and writes its recording below ``folder``; returns the recording's own folder."""
    times = _Times(case.session)
    dialogue = Assistant(case.lang, times).open(case.session)
    probe.drain_to(times)
    try:
        with probe.session(case.session, title=case.title, meta={"channel": "demo", "language": case.lang}):
            for text in case.says:
                dialogue.reply(text)
                if not probe.flush(5):
                    raise RuntimeError(f"the probe did not deliver: {probe.stats()}")
                times.pause(text)
            probe.ended("customer left")
        probe.flush(5)
    finally:
        probe.drain_to(None)

    with tempfile.TemporaryDirectory() as made:
        store = FileStore(Path(made))
        first = times.items[0].said_at or BEGAN
        session = Session.create(
            store, case.session, policy=Policy(), facts={"origin": "probe"}, now=first, epoch="case"
        )
        taken = session.intake.take("demo", times.items, times.now, recorded=True)
        session.apply(taken.events)
        session.close(times.now)
        store.close()
        kept = folder / key_of(case.session)
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(Path(made) / key_of(case.session), kept, ignore=shutil.ignore_patterns("*.snapshot"))
    return kept


def main(argv: Sequence[str] | None = None) -> int:
    """Records all cases; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lingbot_map.demo.cases", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("snapshots/cases"))
    folder: Path = parser.parse_args(argv).folder
    for case in CASES:
        sys.stdout.write(f"{record(case, folder)}  {case.title}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
