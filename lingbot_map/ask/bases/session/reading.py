"""What a question asks of a session: which operator, which turns, which slots, intents and documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lingbot_map.ask.bases.session.cues import begins, bounds_in, cues_in, ends, turns_in
from lingbot_map.ask.bases.session.glossary import spoken
from lingbot_map.ask.bases.session.record import Record
from lingbot_map.ask.dialog import Dialog
from lingbot_map.ask.names import Names
from lingbot_map.ask.text import folded, lang_of, terms
from lingbot_map.ask.types import Mention, Question

LONGEST = 2000
"""Characters of a question that are read; what somebody pastes after them adds nothing."""
_SHORTEST_VALUE, _LONGEST_VALUE = 2, 60
_FILLERS_TEXT = (
    "用户 客户 顾客 我 你 他 她 它 我们 这 那 这个 那个 该 此 请问 请 告诉 知道 一下 到底 究竟 会话 对话 "
    "系统 机器人 里 中 上 下 时 时候 之前 之后 以前 以后 前 后 内 里面 其中 本次 这次 是 在 把 将 被 给 "
    "对 为 从 由 和 与 跟 都 还 又 再 就 也 才 已 已经 曾 曾经 过 了 吗 呢 吧 啊 的 值 变量 槽位 槽 字段 "
    "slot 这里 那么 么 呀 填 留 存 记 说 问"
)
_FILLERS = frozenset(_FILLERS_TEXT.split())
_EN_FILLERS_TEXT = (
    "the a an this that user customer client caller user's customer's s slot variable field value number "
    "of in at by for to and or please tell me bot session dialogue conversation his her their my your "
    "now then ever it its have has had get got been being ever still already also just really actually "
    "again before after later "
    "called named there when what which who how"
)
_EN_FILLERS = frozenset(_EN_FILLERS_TEXT.split())
_NEAR = 24
"""Characters on each side of a name that can make it a part of another; a bound, whatever stands there."""
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_BEFORE = re.compile(rf"([{_HAN}]+)$|([a-z][a-z-]*)('s)?\s+$")
_CODE = re.compile(r"\blm\d{3}\b|异常|告警|findings?\b")
_LATIN = re.compile(r"(?<![a-z0-9_])[a-z][a-z0-9_.-]{2,}")
_IDENTIFIER = re.compile(r"(?<![a-z0-9_])[a-z][a-z0-9]*_[a-z0-9_]+")
_CALLED = re.compile(r"\b(?:called|named)\s+([a-z]\w*)|(?:叫做?|名为|名叫)\s*([a-z]\w*)")
_AFTER = re.compile(rf"的?([{_HAN}]+)|\s+([a-z][a-z-]*)")


_WHY = re.compile(r"\bwhy\b|\bhow come\b|为什么|为何|为啥|怎么会|怎么就|凭什么|原因")
_LISTED = frozenset(("which_turn", "turns", "all", "many", "low", "intent", "jump", "whether"))
"""Cues of a question about turns: a bound without any of them is none on how sure a turn was."""


class Reader:
    """Reads questions over one record."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self.names = Names()
        self._values = Names()
        for node in record.map.nodes.values():
            if node.kind in ("slot", "intent", "doc"):
                self._name(node.id, node.kind, node.id.partition(":")[2], node.label)
        asked = {slot for turn in record.turns.values() for e in turn.routes for slot in e.props.get("missing", ())}
        for slot in sorted(asked):
            if f"slot:{slot}" not in record.map.nodes:
                self._name(f"slot:{slot}", "slot", slot, "")
        for writes in record.writes.values():
            for edge in writes:
                value = edge.props["value"]
                if type(value) in (str, int, float) and _SHORTEST_VALUE <= len(str(value)) <= _LONGEST_VALUE:
                    self._values.add(edge.id, "value", str(value), "value")

    def _name(self, id: str, kind: str, name: str, label: str) -> None:
        self.names.add(id, kind, name)
        self.names.add(id, kind, label)
        if label and "（" in label:
            self.names.add(id, kind, label.partition("（")[0], "alias")
        for alias in spoken(name):
            if len(alias) > 1:
                self.names.add(id, kind, alias, "alias")

    def read(self, text: str, dialog: Dialog, bound: Mapping[int, str] | None = None) -> Question:
        """The question. ``bound`` are the ids that a reader put right, by the place of the words that stand for them.
        Never raises."""
        text = text[:LONGEST]
        low = folded(text)
        mentions = self._mentions(low)
        fixed = {m.start: id for m in mentions if (id := (bound or {}).get(m.start, "")) in self._record.map.nodes}
        mentions = tuple(_put_right(m, fixed[m.start]) if m.start in fixed else m for m in mentions)
        blank = list(low)
        for mention in mentions:
            blank[mention.start : mention.start + len(mention.text)] = " " * len(mention.text)
        rest = "".join(blank)
        cues = cues_in(rest)
        turns = turns_in(low, self._record.first, self._record.last)
        if "it" in cues and dialog.topics and not any(m.kind != "value" for m in mentions):
            before = [m for m in dialog.topics[0].question.mentions if m.kind in ("slot", "intent", "doc")]
            mentions += tuple(replace(m, how="before") for m in before)
        if "that_turn" in cues and not turns and dialog.topics:
            turns = list(dialog.topics[0].question.args.get("turns", ()))
        mentions = tuple(
            m if m.start in fixed else n for m, n in zip(mentions, self._narrowed(mentions, cues), strict=True)
        )
        kept = tuple(m for m in mentions if m.kind != "slot" or m.how == "before" or _alone(low, rest, m))
        unknown = [m.text for m in mentions if m not in kept] or ([] if kept else _unknown(rest))
        args: dict[str, Any] = {"turns": turns, "cues": cues, "unknown": unknown}
        bounds = bounds_in(rest)
        kind = self._kind(cues, turns, kept, bounds, bool(unknown), rest)
        if kind == "difference" and len(turns) == 1:
            args["turns"] = turns = [turns[0] - 1, turns[0]]
        return Question(
            text=text,
            lang=lang_of(rest if any(char.isalpha() for char in rest) else text),
            kind=kind,
            mentions=kept,
            terms=terms(rest) if kind == "" else terms(text),
            constraints={"bounds": bounds} if bounds else {},
            args=args,
        )

    def _mentions(self, low: str) -> tuple[Mention, ...]:
        things = self.names.find(low)
        values = self._values.find(low)
        found = list(things)
        for value in values:
            over = [m for m in found if m.start < value.start + len(value.text) and value.start < m.start + len(m.text)]
            if all(len(m.text) < len(value.text) for m in over):
                found = [m for m in found if m not in over] + [value]
        return tuple(sorted(found, key=lambda m: m.start))

    def _narrowed(self, mentions: Sequence[Mention], cues: frozenset[str]) -> tuple[Mention, ...]:
        """One name of several things is the kind of thing that the words around ask for."""
        wanted = (
            ["slot"]
            if cues & {"slot", "overwrite", "write", "clear", "lacks"}
            else ["doc"]
            if cues & {"doc", "prompt", "recall"}
            else ["intent"]
            if cues & {"jump", "intent", "loop"}
            else []
        )
        out = []
        for mention in mentions:
            ids = [mention.id, *mention.others]
            fit = [id for id in ids if id.partition(":")[0] in wanted]
            if fit and fit[0] != mention.id and mention.kind != "value":
                others = tuple(id for id in ids if id != fit[0])
                mention = replace(mention, id=fit[0], kind=fit[0].partition(":")[0], others=others)
            out.append(mention)
        return tuple(out)

    def _kind(
        self,
        c: frozenset[str],
        turns: Sequence[int],
        mentions: Sequence[Mention],
        bounds: Any,
        unknown: bool,
        rest: str,
    ) -> str:
        has = {m.kind for m in mentions}
        if any(turn not in self._record.turns for turn in turns):
            return "no such turn"
        if "design" in c:
            return "conform"
        if _of_staleness(c, turns, has) and not _WHY.search(rest):
            return "stale documents"
        if "why" in c:
            return _why(c, turns, has, rest)
        if len(turns) >= 2 and c & {"differ", "overwrite"}:
            return "difference"
        if bounds is not None and ("confidence" in c or (not has and c & _LISTED)):
            return "confidence"
        if "low" in c or ("confidence" in c and c & {"lowest", "highest"}):
            return "confidence"
        if "loop" in c:
            return "loops"
        if "foreign" in c:
            return "leaks"
        if len(turns) == 1 and "differ" in c and re.search(r"上一?轮|前一?轮|\bprevious\b|\bbefore\b", rest):
            return "difference"
        if unknown and not has & {"slot", "value", "doc", "intent"}:
            return "no such name"
        if "slot" in has or ("value" in has and c & {"write", "overwrite", "which_turn", "value", "read", "clear"}):
            return _of_slot(c)
        return _of_the_rest(c, turns, has)


def _unknown(rest: str) -> list[str]:
    """Names that a question gives and that nothing bears: identifiers; in a Chinese question every Latin word."""
    words = _LATIN.findall(rest) if lang_of(rest) == "zh" else _IDENTIFIER.findall(rest)
    called = [match[1] or match[2] for match in _CALLED.finditer(rest)]
    return [w for w in [*words, *called] if w not in _EN_FILLERS and not cues_in(w) and not turns_in(w, 0, 0)]


def _put_right(mention: Mention, id: str) -> Mention:
    others = tuple(other for other in (mention.id, *mention.others) if other != id)
    return replace(mention, id=id, kind=id.partition(":")[0], how="corrected", others=others)


def _why(c: frozenset[str], turns: Sequence[int], has: set[str], rest: str) -> str:
    if "loop" in c:
        return "loops"
    if "finding" in c and not has and (turns or c & {"all", "value"} or _CODE.search(rest)):
        return "why finding"
    answer = "answer" in c
    if ("jump" in c and not (answer and has & {"doc", "value"}) and not ("slot" in has and "intent" not in has)) or (
        "intent" in has and not answer and not has & {"doc", "slot", "value"}
    ):
        return "why jump"
    if "doc" in has and not answer and c & {"not", "prompt", "recall", "doc", "stage_first"}:
        return "why document"
    if "slot" in has and not answer:
        return "why value"
    if turns or has & {"doc", "value", "slot"}:
        return "why answer"
    return "why"


def _of_staleness(c: frozenset[str], turns: Sequence[int], has: set[str]) -> bool:
    """Whether is asked if an answer's documents were out of date, or in which turns they were; not why they were."""
    asks_doc = "doc" in has or c & {"doc", "prompt", "recall"} or (turns and "why" in c and not has & {"slot", "value"})
    return bool(c & {"stale", "fresh"} and asks_doc and c & {"whether", "which_turn", "turns"} and "said" not in c)


def _of_slot(c: frozenset[str]) -> str:
    if "history" in c and "read" not in c:
        return "writer"
    if "value" in c and not c & {"overwrite", "read"}:
        return "value"
    if "clear" in c:
        return "clears"
    if "overwrite" in c or ("differ" in c and "read" not in c):
        return "writer"
    if "read" in c:
        return "readers"
    if "lacks" in c:
        return "lacks"
    if c & {"write", "who", "which_turn"} and "now" not in c:
        return "writer"
    return "value"


def _of_the_rest(c: frozenset[str], turns: Sequence[int], has: set[str]) -> str:
    asks_doc = "doc" in has or c & {"doc", "prompt", "recall"}
    if "intent" in has and not turns and not asks_doc and c & {"write", "overwrite", "clear"}:
        return "writes of an intent"
    if "overwrite" in c and (c & {"slot", "all", "many", "most"}) and not asks_doc:
        return "overwrites"
    listed = bool(turns) or c & {"slot", "all", "turns", "whether", "which_turn"}
    if "lacks" in c and listed:
        return "lacks"
    if "clear" in c and listed:
        return "clears"
    if "slot" in c and not asks_doc:
        if turns and "write" in c:
            return "turn"
        return "overwrites" if "differ" in c else "readers" if "read" in c else "slots"
    if asks_doc:
        if not turns and c & {"many", "most", "least"}:
            return "hits"
        if "doc" in has and "read" in c:
            return "prompt"
        if not turns and "doc" not in has and "recall" in c and c & {"which_turn", "turns"}:
            return "retrieving"
        if "prompt" in c and not c & {"stage_first"}:
            return "prompt"
        return "funnel" if turns or "doc" in has or "recall" in c else "documents"
    if "finding" in c and not c & {"said"}:
        return "findings"
    if "said" in c and not turns and has <= {"intent", "value"}:
        return "said"
    if "jump" in c and not ("many" in c and "intent" in has):
        return "jumps"
    if "intent" in has and not turns:
        return "visits"
    if "intent" in c and not turns:
        return "intents"
    if turns:
        return "turn"
    if "many" in c and "turns" in c:
        return "length"
    if c & {"who", "which_turn"} and c & {"write", "read"} and "said" not in c:
        return "no such name"
    if "happened" in c:
        return "overview"
    if c & {"said", "which_turn", "answer"}:
        return "said"
    return "no such name" if c & {"value", "now"} else ""


def _alone(low: str, rest: str, mention: Mention) -> bool:
    """Whether a slot's name stands for itself: "号码" in "身份证号码" is a part of another name."""
    before = _BEFORE.search(rest[max(0, mention.start - _NEAR) : mention.start])
    if before is not None:
        if before[1] and not _known(before[1].removesuffix("的"), last=True):
            return False
        if before[2] and before[3] and before[2] not in _EN_FILLERS:
            return False
    end = mention.start + len(mention.text)
    after = _AFTER.match(rest, end, end + _NEAR)
    if after is None:
        return True
    if after[1]:
        return _known(after[1], last=False) or after[1][0] in "是在有被为何哪第谁怎从没会"
    return after[2] in _EN_FILLERS or begins(after[2]) or len(after[2]) < 4 or after[2].endswith("ed")


def _known(run: str, *, last: bool) -> bool:
    """Whether the words next to a name only say how is asked."""
    whole = re.sub(r"^[了过着]", "", run)
    if (ends(whole) if last else begins(whole)) or not whole:
        return True
    return any((whole[-length:] if last else whole[:length]) in _FILLERS for length in range(1, 4))
