"""A session as a sequence of messages between its parties: what diagrams of it are drawn from.

The parties are the user, the bot, and each knowledge base that was asked. A retrieval's params name it
(``knowledge_base``, ``collection``, ``index`` or ``retriever``), else the stage does. What the bot does within itself
(a route, a write, a read, a reranking) is a message of the bot to the bot.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from lingbot_map.ask.bases.sequence.meaning import STAGE_KIND, formed, written
from lingbot_map.events import Event, Gap
from lingbot_map.graph import DialogueMap
from lingbot_map.model import Finding
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Retrieved,
    SessionEnded,
    SlotAssigned,
    SlotCleared,
    SlotRead,
    TurnStarted,
    Undone,
)

Lang = Literal["en", "zh"]

USER, BOT = "user", "bot"
_NAMED_BY = ("knowledge_base", "collection", "index", "retriever")
_ROUTES = ("vector", "keyword")
"""Stages that ask a knowledge base; the others sort out what these found."""
_DOCS = 3
"""Documents of a stage that are named; the rest is counted."""
UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Characters that no diagram shows."""
_LONGEST = 160
"""Characters of an utterance, a value or an answer that are shown."""

_WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        "user": "User", "bot": "Bot", "base": "Knowledge base", "turn": "Turn {}", "before": "Before the first turn",
        "route": "intent {}", "loop": "loop: {}", "set": "set {} = {}", "clear": "clear {}", "read": "read {}",
        "ask": "{}: {}", "cut": "cut: {}", "more": "{} more", "none": "no document", "from": "from {}",
        "failed": "failed at {}: {}", "undone": "undone: {}", "lost": "{} events lost", "ended": "the session ended",
        "empty": "(nothing)", "comma": ", ", "semicolon": "; ", "turns": "turns {} to {}",
        "stage vector": "vector", "stage keyword": "keyword", "stage fused": "fused", "stage reranked": "reranked",
        "stage prompt": "prompt",
    },
    "zh": {
        "user": "用户", "bot": "机器人", "base": "知识库", "turn": "第 {} 轮", "before": "第一轮之前",
        "route": "意图 {}", "loop": "循环：{}", "set": "写入 {} = {}", "clear": "清空 {}", "read": "读取 {}",
        "ask": "{}：{}", "cut": "未采用：{}", "more": "另有 {} 篇", "none": "没有文档", "from": "依据 {}",
        "failed": "{} 出错：{}", "undone": "已撤销：{}", "lost": "丢失 {} 个事件", "ended": "会话结束",
        "empty": "（空）", "comma": "、", "semicolon": "；", "turns": "第 {} 轮到第 {} 轮",
        "stage vector": "向量召回", "stage keyword": "关键词召回", "stage fused": "融合", "stage reranked": "重排序",
        "stage prompt": "进入提示词",
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Party:
    """A lifeline: ``id`` is a word of letters and digits, ``name`` what is shown."""

    id: str
    name: str
    kind: Literal["actor", "participant", "database"]


@dataclass(frozen=True, slots=True)
class Message:
    """``source`` says ``text`` to ``target`` (ids of parties); a ``reply`` is drawn with a dashed line."""

    source: str
    target: str
    text: str
    reply: bool = False
    hint: str = ""
    """What it stands for in a record, where its text would be read as something else."""


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that stands over the parties from the first to the last of ``over``."""

    over: tuple[str, ...]
    text: str
    wrong: bool = False
    """Whether it tells of a finding or a failure."""


@dataclass(frozen=True, slots=True)
class Divider:
    """A turn begins."""

    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """Steps that happened under a condition ("alt") or again and again ("loop")."""

    kind: Literal["alt", "loop"]
    label: str
    steps: list[Step] = field(default_factory=list)


Step = Message | Note | Divider | Block


@dataclass(frozen=True, slots=True)
class Sequence:
    """The parties in the order of their first words, and all steps in order."""

    title: str
    parties: list[Party]
    steps: list[Step]


def sequence_of(
    map: DialogueMap, events: Iterable[Event], lang: Lang, turns: tuple[int, int] | None = None
) -> Sequence:
    """The sequence of ``events`` in order, with labels and findings from ``map``, which has come as far as they or
    farther; ``turns`` are the first and the last that are wanted (None: all)."""
    first, last = turns or (0, map.turn)
    teller = _Teller(map, lang)
    of_turn: dict[int, list[Step]] = {}
    seq = 0
    for event in events:
        seq = event.seq
        if first <= event.turn <= last:
            teller.tell(event, of_turn)
    findings = [found for found in map.findings.values() if found.seq <= seq and first <= found.turn <= last]
    for found in findings:
        if found.kind not in ("failure", "gap"):  # these are told where they happened
            _findings_note(of_turn, found, lang)
    loops = [found for found in findings if found.kind == "loop"]
    title = str(map.about.get("name") or map.about.get("title") or map.session)
    if turns is not None:
        title = f"{title} ({teller.words['turns'].format(first, last)})"
    return Sequence(title, teller.parties(), _in_loops(of_turn, loops, lang))


def _findings_note(of_turn: dict[int, list[Step]], found: Finding, lang: Lang) -> None:
    reason = found.reason.get(lang) or found.reason.get("en") or ""
    of_turn.setdefault(found.turn, []).append(Note((BOT,), f"{found.code} {found.kind}: {reason}", wrong=True))


def _in_loops(of_turn: dict[int, list[Step]], loops: list[Finding], lang: Lang) -> list[Step]:
    """The turns in order; each loop is a block around the turns that it spans. One that would cross another is left to
    its note."""
    spans: list[tuple[int, int, Finding]] = []
    for found in sorted(loops, key=lambda found: (found.since, -found.turn)):
        begin, end = found.since, found.turn
        if all(end < a or begin > b or (a <= begin and end <= b) for a, b, _ in spans):
            spans.append((begin, end, found))
    steps: list[Step] = []
    open_blocks: list[tuple[int, Block]] = []
    for turn in sorted(of_turn):
        while open_blocks and open_blocks[-1][0] < turn:
            open_blocks.pop()
        for begin, end, found in [span for span in spans if span[0] <= turn <= span[1]]:
            if all(block.label != _loop_label(found, lang) for _, block in open_blocks):
                block = Block("loop", _loop_label(found, lang))
                (open_blocks[-1][1].steps if open_blocks else steps).append(block)
                open_blocks.append((end, block))
                spans.remove((begin, end, found))
        (open_blocks[-1][1].steps if open_blocks else steps).extend(of_turn[turn])
    return steps


def _loop_label(found: Finding, lang: Lang) -> str:
    span = _WORDS[lang]["turns"].format(found.since, found.turn)
    return f"{found.code} {' -> '.join(node.partition(':')[2] for node in found.nodes)} ({span})"


class _Teller:
    """What must be known across the events of a session."""

    def __init__(self, map: DialogueMap, lang: Lang) -> None:
        self.words = _WORDS[lang]
        self._map = map
        self._bases: dict[str, str] = {}  # name -> id
        self._said: set[int] = set()  # turns whose utterance was told
        self._under: dict[int, Block] = {}  # turn -> the condition that what follows stands under

    def parties(self) -> list[Party]:
        """Everybody who said or was asked something."""
        base = self.words["base"]
        return [
            Party(USER, self.words["user"], "actor"),
            Party(BOT, self.words["bot"], "participant"),
            *(Party(id, f"{base} {name}".strip(), "database") for name, id in self._bases.items()),
        ]

    def tell(self, event: Event, of_turn: dict[int, list[Step]]) -> None:
        """Add the steps of one event to those of its turn."""
        turn, signal = event.turn, event.signal
        steps = self._steps(event)
        if not steps:
            return
        if turn not in of_turn:
            of_turn[turn] = [Divider(self.words["turn"].format(turn) if turn else self.words["before"])]
        if isinstance(signal, IntentRouted | TurnStarted | Undone | SessionEnded):
            self._under.pop(turn, None)
        if isinstance(signal, IntentRouted) and signal.condition.strip():
            block = self._under[turn] = Block("alt", signal.condition)
            of_turn[turn].append(block)
        under = self._under.get(turn)
        (of_turn[turn] if under is None else under.steps).extend(steps)

    def _steps(self, event: Event) -> list[Step]:
        words, signal = self.words, event.signal
        undone = self._map.is_undone(event.seq)
        match signal:
            case TurnStarted(utterance=said):
                unsaid = undone or not said or event.turn in self._said
                if not unsaid:
                    self._said.add(event.turn)
                return [Message(USER, BOT, _cut(said) or words["empty"], hint="none" if unsaid else "")]
            case IntentRouted():
                return [self._within(self._route(signal), "route", signal.intent, undone=undone)]
            case SlotAssigned():
                value = signal.value if isinstance(signal.value, str) else _json(signal.value)
                text = words["set"].format(self._name("slot", signal.slot), _cut(value) or '""')
                return [self._within(text, "write", signal.slot, undone=undone)]
            case SlotCleared():
                text = words["clear"].format(self._name("slot", signal.slot))
                return [self._within(text, "clear", signal.slot, undone=undone)]
            case SlotRead():
                text = words["read"].format(self._name("slot", signal.slot))
                return [self._within(text, "read", signal.slot, undone=undone)]
            case Retrieved():
                return self._retrieval(signal, undone=undone)
            case Answered():
                shown = _cut(signal.text) or words["empty"]
                told: list[Step] = [Message(BOT, USER, shown, reply=True, hint="none" if undone else "")]
                if signal.docs:
                    docs = words["comma"].join(self._name("doc", doc) for doc in signal.docs)
                    told.append(Note((BOT,), words["from"].format(docs)))
                return told
            case Failed():
                return [Note((BOT,), words["failed"].format(signal.where, _cut(signal.error)), wrong=True)]
            case Undone():
                return [Note((USER, BOT), words["undone"].format(signal.why or self._from(event)))]
            case Gap():
                return [Note((BOT,), words["lost"].format(signal.last - signal.first + 1), wrong=True)]
            case SessionEnded():
                return [Note((USER, BOT), words["ended"])]
        return []

    def _from(self, event: Event) -> str:
        first = next((first for first, last, _ in self._map.undone if last == event.seq - 1), event.seq)
        moment = self._map.moment(first)
        return self.words["turn"].format(moment.turn if moment else event.turn)

    def _route(self, signal: IntentRouted) -> str:
        told = self.words["route"].format(self._name("intent", signal.intent))
        return told if signal.confidence is None else f"{told} ({_figure(signal.confidence)})"

    def _within(self, text: str, kind: str, name: str, *, undone: bool) -> Message:
        return Message(BOT, BOT, text, hint="none" if undone else self._hint(text, kind, name))

    def _hint(self, text: str, kind: str, name: str) -> str:
        """What to say beside a text so that it is read as this step; "" where it is read so anyway."""
        read = formed(UNFIT.sub("\ufffd", text).strip())
        if read is not None and read.kind == kind and (name in read.names if name else not read.names):
            prefix = {"write": "slot:", "clear": "slot:", "read": "slot:", "route": "intent:"}.get(kind)
            if prefix is None or not any(prefix + other in self._map.nodes for other in read.names - {name}):
                return ""
        return written(kind, name)

    def _retrieval(self, signal: Retrieved, *, undone: bool) -> list[Step]:
        docs, stage = self._docs(signal), self._stage(signal.stage)
        base = _named(signal) or (stage if signal.stage in _ROUTES else "")
        kind, name = STAGE_KIND.get(signal.stage, "retrieve"), signal.stage
        if not signal.docs:
            kind, name = "retrieve", ""  # the map keeps a stage with its documents
        if not base:
            return [self._within(self.words["ask"].format(stage, docs), kind, name, undone=undone)]
        asked = self.words["ask"].format(stage, _cut(signal.query)) if signal.query else stage
        hint = "none" if undone else self._hint(asked, kind, name)
        return [Message(BOT, self._base(base), asked, hint=hint), Message(self._base(base), BOT, docs, reply=True)]

    def _stage(self, stage: str) -> str:
        return self.words.get(f"stage {stage}", stage)

    def _base(self, name: str) -> str:
        return self._bases.setdefault(name, f"base{len(self._bases) + 1}")

    def _docs(self, signal: Retrieved) -> str:
        words = self.words
        on = [doc for doc in signal.docs if not doc.dropped_because]
        cut = [doc for doc in signal.docs if doc.dropped_because]
        told = [
            self._name("doc", doc.id) + ("" if doc.score is None else f" {_figure(doc.score)}") for doc in on[:_DOCS]
        ]
        if len(on) > _DOCS:
            told.append(words["more"].format(len(on) - _DOCS))
        parts = [words["comma"].join(told)] if told else []
        if cut:
            named = [self._name("doc", doc.id) for doc in cut[:_DOCS]]
            if len(cut) > _DOCS:
                named.append(words["more"].format(len(cut) - _DOCS))
            parts.append(words["cut"].format(words["comma"].join(named)))
        return words["semicolon"].join(parts) if parts else words["none"]

    def _name(self, kind: str, id: str) -> str:
        node = self._map.nodes.get(f"{kind}:{id}")
        label = node.label if node is not None else ""
        return _cut(id if label in ("", id) else f"{label} ({id})")


def _named(signal: Retrieved) -> str:
    for key in _NAMED_BY:
        name = signal.params.get(key)
        if isinstance(name, str) and name.strip():
            return name
    return ""


def _figure(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
