"""What a message of a designed diagram stands for in a record: which kind of step, and of which slot, intent or stage.

What is said outright comes first: the ``messages`` of a rules file, then a comment of the diagram (``' lingbot: clear
brand`` in the line before a message, ``' lingbot: think = none`` for every message of that name; ``%%`` in Mermaid).
Then who speaks to whom: what a user sends is an utterance, what a user gets is an answer, and any other reply is the
return of its call and no step of its own. Then the forms that our own exports write ("set brand = B"), then the words
of the label ("clearSlots", "清空槽位"). A message that none of these speaks of is unmapped: no record shows it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from lingbot_map.ask.bases.sequence.ir import Diagram, Message
from lingbot_map.ask.bases.sequence.lexicon import concepts
from lingbot_map.ask.text import folded
from lingbot_map.errors import BadInput

RETRIEVAL = frozenset(("retrieve", "fuse", "rerank", "prompt"))
"""Kinds of steps that are stages of a retrieval."""
STAGE_KIND = {"reranked": "rerank", "fused": "fuse", "prompt": "prompt"}
"""Stages that sort out what others found, with their kinds; any other stage asks for documents (``retrieve``)."""

_KIND_WORDS = {
    "utterance": "utterance said 用户说 提问 用户输入",
    "route": "route intent 意图 路由",
    "dispatch": "dispatch 派发 分发",
    "write": "write set assign 写入 赋值",
    "read": "read 读取",
    "clear": "clear 清空 清除",
    "retrieve": "retrieve recall 召回 检索",
    "fuse": "fuse fused 融合",
    "rerank": "rerank reranked 重排 重排序",
    "prompt": "prompt 提示词",
    "answer": "answer 回答 答复",
    "fail": "fail failed 失败 出错",
    "": "none - 不检查 无",
}
_KIND_OF_WORD = {word: kind for kind, said in _KIND_WORDS.items() for word in said.split()}
_SPOKEN = ", ".join((said.split() or [""])[0] for said in _KIND_WORDS.values())

By = Literal["comment", "rules", "ends", "form", "words", "return", ""]


@dataclass(frozen=True, slots=True)
class Meaning:
    """A message stands for a step of ``kind`` ("": of none) whose name is one of ``names`` (none: any). ``by`` says how
    that is known; ``strict`` that a name which the record never has is no other one."""

    kind: str
    names: frozenset[str] = frozenset()
    by: By = ""
    strict: bool = False

    @property
    def words(self) -> str:
        """The kind and its name in one line, as a comment would say it; "none" for no step."""
        return " ".join((self.kind or "none", *sorted(self.names)[:1]))


@dataclass(frozen=True, slots=True)
class Said:
    """What is said outright of a diagram's messages: ``of`` a line's next message, of messages ``named``, and whether
    the diagram is ``recorded``: an export of ours, in which all that is drawn happened."""

    of: Mapping[int, Meaning]
    named: Mapping[str, Meaning]
    recorded: bool = False


_COMMENT = re.compile(r"\s*(?:'|%%|<!--)\s*lingbot(?:-map)?\s*[:：]", re.IGNORECASE)


def said_in(text: str, where: str) -> Said:
    """What the comments of a diagram's ``text`` say. Raises BadInput with the line of one that can't be understood."""
    of: dict[int, Meaning] = {}
    named: dict[str, Meaning] = {}
    recorded = False
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if "lingbot" not in line.lower() or (head := _COMMENT.match(line)) is None:
            continue
        place, what = f"{where} line {number}", line[head.end() :].strip().removesuffix("-->").strip()
        name, joint, kind = what.rpartition("=")
        if what.lower() in ("recorded", "录制"):
            recorded = True
        elif joint and name.strip() and what.split(None, 1)[0].lower() not in _KIND_OF_WORD:
            named[folded(name.strip())] = meant(kind, place, "comment")
        else:
            of[number] = meant(what, place, "comment")
    return Said(of, named, recorded)


def meant(what: str, place: str, by: By) -> Meaning:
    """The meaning that somebody wrote: a kind, and after a space the name of a slot, an intent or a stage (as it is, or
    as a text of JSON). Raises BadInput at ``place``."""
    word, _, name = what.strip().partition(" ")
    kind = _KIND_OF_WORD.get(word.lower())
    if kind is None:
        raise BadInput(place, f"a kind of step ({_SPOKEN})", what[:80] or "nothing")
    name = name.strip()
    if name.startswith('"'):
        try:
            name = json.loads(name)
        except ValueError:
            raise BadInput(place, "a name as it is, or as a text of JSON", name[:80]) from None
    return Meaning(kind, frozenset((name,)) if name else frozenset(), by, strict=bool(name))


def written(kind: str, name: str) -> str:
    """What ``meant`` reads as that step, in words that no language of diagrams takes for its own."""
    escaped = "".join(char if char.isalnum() or char in " _-." else _escape(char) for char in name)
    return f'{kind or "none"} "{escaped}"' if name else kind or "none"


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


_LONGEST_STAGE = 40
_STAGES = {
    "vector": "vector", "向量召回": "vector", "keyword": "keyword", "关键词召回": "keyword", "fused": "fused",
    "融合": "fused", "reranked": "reranked", "重排序": "reranked", "prompt": "prompt", "进入提示词": "prompt",
}  # fmt: skip
_FORMS = {
    "set": "write", "写入": "write", "intent": "route", "意图": "route", "clear": "clear", "清空": "clear",
    "read": "read", "读取": "read",
}  # fmt: skip
_FIGURE = re.compile(r"\s\([-\d.e]+\)$")
_MOST_NAMES = 8
"""Brackets of a label that may be those of an id."""


def formed(label: str) -> Meaning | None:
    """What a label says in one of the forms of our exports; ``None`` if it has none of them. ``names`` are all that the
    name can be: "套餐 (plan)" is the label and the id of one slot, or an id with a bracket."""
    stage = _STAGES.get(re.split("[:：]", label[:_LONGEST_STAGE], maxsplit=1)[0].strip().lower())
    if stage is not None:
        return Meaning(STAGE_KIND.get(stage, "retrieve"), frozenset((stage,)), "form", strict=True)
    word, _, rest = label.partition(" ")
    kind = _FORMS.get(word.lower())
    rest = rest.strip()
    if kind is None or not rest:
        return None
    if kind == "write":
        name, joint, _ = rest.partition(" = ") if " = " in rest else rest.partition("=")
        return Meaning(kind, _names(name.strip()), "form", strict=True) if joint and name.strip() else None
    names = _names(rest)
    if kind == "route":
        names |= _names(_FIGURE.sub("", rest))
    return Meaning(kind, names, "form")


def _names(text: str) -> frozenset[str]:
    found = {text}
    at = text.find(" (") if text.endswith(")") else -1
    while at >= 0 and len(found) < _MOST_NAMES:
        found.add(text[at + 2 : -1])
        at = text.find(" (", at + 1)
    return frozenset(found)


_WORDS: tuple[tuple[str, set[str], set[str]], ...] = (
    # (kind, concepts of which one says it, concepts of which one must stand beside it)
    ("clear", {"clear", "delete"}, {"slot", "state", "data", "business", "old"}),
    ("clear", {"clear"}, set()),
    ("rerank", {"rerank", "重排", "排序"}, set()),
    ("retrieve", {"retrieve", "knowledge", "recall"}, set()),
    ("retrieve", {"query"}, {"knowledge", "document", "doc", "faq", "vector"}),
    ("route", {"classify", "intent", "route", "router", "recogniz", "recognis", "nlu"}, set()),
    ("dispatch", {"dispatch", "handler", "delegat", "forward"}, set()),
    ("write", {"write", "set", "fill", "update", "insert", "assign", "remember"}, {"slot", "state"}),
    ("write", {"fillslot", "setslot", "write", "assign", "fill", "set"}, set()),
    ("read", {"read", "query", "get", "use"}, {"slot", "state"}),
    ("read", {"read"}, set()),
    ("fail", {"fail"}, set()),
)
_ANSWER = {"answer", "response", "repl", "reply", "render"}
_UTTERANCE = {"utteranc", "utter", "ask", "say", "input", "question"}
_USERS = frozenset(("user", "caller", "human"))


def meanings(diagram: Diagram, said: Said, rules: Mapping[str, Meaning] | None = None) -> dict[int, Meaning]:
    """What each message stands for, by its number. ``rules`` are what a rules file says of messages by name."""
    found: dict[int, Meaning] = {}
    waiting = sorted(said.of, reverse=True)
    users = {id for id in diagram.lifelines if _user(id, diagram)}
    told: Meaning | None = None
    line = 0
    for message in sorted(diagram.messages, key=lambda each: (each.line, each.number)):
        if message.line != line:
            told, line = None, message.line
        while waiting and waiting[-1] < message.line:
            told = said.of[waiting.pop()]
        keys = (folded(message.label), folded(message.name))
        ruled, named = (next((each[key] for key in keys if key in each), None) for each in (rules or {}, said.named))
        meaning = ruled or told or named or _read(message, diagram, users, recorded=said.recorded)
        if said.recorded and meaning.kind in RETRIEVAL and not meaning.names:
            meaning = replace(meaning, names=frozenset(("",)), strict=True)  # a stage that found nothing: only that
        found[message.number] = meaning
    return found


def unknown_names(diagram: Diagram, names: Mapping[str, Meaning]) -> list[str]:
    """Those of ``names`` that no message has as its label or name."""
    there = {folded(text) for message in diagram.messages for text in (message.label, message.name)}
    return [name for name in names if name not in there]


def kind_of(message: Message, diagram: Diagram) -> str:
    """The kind of step that a message stands for by its ends and its label; "" where no record could show it."""
    users = {id for id in diagram.lifelines if _user(id, diagram)}
    return _read(message, diagram, users, recorded=False).kind


def _read(message: Message, diagram: Diagram, users: set[str], *, recorded: bool) -> Meaning:
    if message.target in users:
        return Meaning("answer", by="ends")
    if message.source in users:
        return Meaning("utterance", by="ends")
    label = set(concepts(message.label))
    if message.arrow == "reply":
        return Meaning("answer", by="words") if not users and _ANSWER & label else Meaning("", by="return")
    if (form := formed(message.label)) is not None:
        return Meaning(form.kind, form.names, "form", strict=True) if recorded else form
    return Meaning("") if recorded else _by_words(message, diagram, label, spoken=bool(users))


def _by_words(message: Message, diagram: Diagram, label: set[str], *, spoken: bool) -> Meaning:
    slots = any("slot" in concepts(diagram.named(id)) for id in (message.source, message.target))
    for kind, words, beside in _WORDS:
        if words & label and (not beside or beside & label or (slots and "slot" in beside)):
            return Meaning(kind, by="words")
    return Meaning("utterance", by="words") if _UTTERANCE & label and not spoken else Meaning("")


def _user(id: str, diagram: Diagram) -> bool:
    line = diagram.lifelines[id]
    said = set(concepts(line.name))
    return line.kind == "actor" or bool(said and said <= _USERS)
