"""What a question about a diagram asks for: its kind, and what its words name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lingbot_map.ask.bases.sequence import noted, signs
from lingbot_map.ask.bases.sequence.ir import Message
from lingbot_map.ask.bases.sequence.lexicon import STATES, concepts
from lingbot_map.ask.bases.sequence.view import Named, View
from lingbot_map.ask.text import STOP, folded
from lingbot_map.ask.types import Mention


@dataclass(frozen=True, slots=True)
class Read:
    """A question as one diagram understands it. ``fit`` says how much of it the diagram knows; ``unknown`` are names
    that it doesn't."""

    text: str
    kind: str
    mentions: tuple[Mention, ...] = ()
    named: tuple[Named, ...] = ()
    order: noted.Asked | None = None
    number: int | None = None
    word: str = ""
    unknown: tuple[str, ...] = ()
    fit: float = 0.0

    @property
    def lifelines(self) -> tuple[Mention, ...]:
        """The lifelines that are named, in order."""
        return tuple(mention for mention in self.mentions if mention.kind == "lifeline")

    @property
    def messages(self) -> tuple[Mention, ...]:
        """The messages that are named, in order."""
        return tuple(mention for mention in self.mentions if mention.kind == "message")


_IDENTIFIER = re.compile(r"[A-Za-z_](?:(?![\u4e00-\u9fff])[\w.])*(?:\(\))?")  # "RiskService做什么" names RiskService
_CITED = re.compile(r"(?<![a-z0-9_])m(\d{1,6})(?![a-z0-9_])")
_NTH = re.compile(
    r"第\s*([0-9]+|[零一二两三四五六七八九十百]+)\s*(?:条|个|步|号)|\b(?:message|step|number|no\.?|#)\s*(?:no\.?\s*|#\s*)?(\d{1,7})\b"
    r"|\b(\d{1,7})(?:st|nd|rd|th)\b|\b(first|second|third|fourth|fifth|last)\s+(?:message|step|call)\b|(最后|第一|首)\s*(?:一)?\s*(?:条|步|个)"
)
_ENGLISH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2}

_GENERAL = frozenset(
    [
        "ok",
        "id",
        "db",
        "api",
        "http",
        "https",
        "url",
        "json",
        "xml",
        "sql",
        "tcp",
        "ip",
        "ui",
        "uml",
        "mermaid",
        "plantuml",
        "par",
        "alt",
        "opt",
        "loop",
        "break",
        "else",
        "async",
        "sync",
        "service",
        "services",
        "system",
        "systems",
        "message",
        "messages",
        "call",
        "calls",
        "note",
        "notes",
        "vs",
    ]
)


def number_of(text: str) -> int | None:
    """The number of a message that a question names (-1: the last, -2 the one before); ``None`` if it names none."""
    if cited := _CITED.search(text):
        return int(cited[1])
    found = _NTH.search(text)
    if found is None:
        return None
    if word := found[4]:
        return _ENGLISH[word]
    if word := found[5]:
        return -1 if word == "最后" else 1
    digits = found[1] or found[2] or found[3]
    number = int(digits) if digits.isascii() else _chinese(digits)
    return -number if "倒数" in text[: found.start()] else number


def _chinese(text: str) -> int:
    total = rest = 0
    for char in text:
        if char in "十百":
            total += (rest or 1) * (10 if char == "十" else 100)
            rest = 0
        else:
            rest = _DIGITS[char]
    return total + rest


def unknown_names(text: str, mentions: Sequence[Mention], view: View) -> tuple[str, ...]:
    """Words that look like names in code and are none of the diagram's."""
    known = " ".join(folded(mention.text) for mention in mentions)
    chinese = any("\u4e00" <= char <= "\u9fff" for char in text)
    found = []
    for match in _IDENTIFIER.finditer(text):
        word = match[0].removesuffix("()").strip("._")
        low = folded(word)
        coded = (
            any(char.isupper() for char in word[1:])
            or "_" in word
            or match[0].endswith("()")
            or any(map(str.isdigit, word))
        )
        if (
            low in view.tokens
            or low in known
            or len(low) < 2
            or low in STOP
            or low in _GENERAL
            or _CITED.fullmatch(low)
        ):
            continue
        if coded or (chinese and not set(concepts(word)) & view.known):
            found.append(word)
    return tuple(dict.fromkeys(found))


def _written(text: str, view: View) -> tuple[str, ...]:
    """Values in capitals or with a line that stand in labels: ``FAILED``, ``status_code``."""
    words = [match[0] for match in _IDENTIFIER.finditer(text)]
    return tuple(folded(word) for word in words if folded(word) in view.tokens and (word.isupper() or "_" in word))


def labelled(text: str, view: View) -> list[Message]:
    """The messages in whose labels all such values of a question stand."""
    asked = set(_written(text, view))
    return [each for each in view.diagram.messages if asked and asked <= set(re.findall(r"\w+", folded(each.label)))]


def near(unknown: Sequence[str], view: View) -> tuple[Mention, ...]:
    """Names of the diagram that are nearly the unknown ones."""
    found = []
    for word in unknown:
        for name, id, likeness in view.names.near(word, most=1):
            if name.startswith(folded(word)) or folded(word).startswith(name):
                continue  # a longer name is another name
            kind = "lifeline" if id.startswith("l") else "message"
            found.append(Mention(text=word, start=0, id=id, kind=kind, how="near", confidence=likeness))
    return tuple(found)


def read(text: str, view: View) -> Read:
    """The question as this diagram understands it."""
    q = folded(text)
    named = tuple(view.conditions(text))
    spans = tuple((each.at, each.end) for each in named if each.at >= 0)
    mentions = view.mentions(text, spans)
    unknown = unknown_names(text, mentions, view)
    if unknown and (close := near(unknown, view)):
        unknown = tuple(word for word in unknown if all(word != mention.text for mention in close))
        mentions = tuple(sorted((*mentions, *close), key=lambda each: text.find(each.text)))
    named = tuple(each for each in named if each.at >= 0 or not _within(each, mentions, view))
    loose = [view.spoken(each) for each in named if each.at < 0]
    mentions = tuple(
        each for each in mentions if each.how != "alias" or not any(set(each.text.split()) <= own for own in loose)
    )
    number = number_of(q)
    kind, word, order = _kind(q, named, mentions, number, unknown)
    if not kind and not named and _written(text, view):
        kind, word = "filter", "labels"
    if _unmet(text, q, kind, named, mentions, view):
        kind = "unmet"
    if kind == "between" and signs.RECEIVES.search(q) and not signs.WHO.search(q):
        mentions = (*reversed([each for each in mentions if each.kind == "lifeline"]),)
    literal = sum(mention.how != "alias" or mention.confidence >= 0.9 for mention in mentions)
    fit = 2.0 * literal + len(mentions) + sum(min(each.score, 3.0) for each in named) - 3.0 * len(unknown)
    return Read(text, kind, mentions, named, order, number, word, unknown, fit)


def _within(named: Named, mentions: Sequence[Mention], view: View) -> bool:
    """Whether a condition that is not written out is a part of a message that the question names: "in stock", where it
    says that the stock is checked."""
    own = set(concepts(named.fragment.operands[named.operand - 1].condition))
    whole = (
        set(concepts(each.name)) for mention in mentions if mention.kind == "message" for each in view.messages(mention)
    )
    return any(own < said for said in whole)


_HARD = STATES - {"need", "not need", "changed", "not changed", "exist", "hit", "locked", "duplicate", "success"}
_DEEDS = frozenset(concepts(
    "send call invoke use access read write query notify request message update save publish emit depend talk contact "
    "responsible initiate trigger perform execute start issue make handle give pass fire originate "
        "reach touch return reply answer receive interact communicate involve service component participant lifeline "
    "发 发消息 发送 访问 使用 依赖 联系 通知 请求 交互 消息 写 写入 "
    "读 读取 查询 更新 修改 存 保存 返回 回复 收到 哪个 直接 "
        "发给 发往 发向 发起 传给 触发 执行 负责 完成 产生"
))  # fmt: skip
"""What a question may call any message by; another deed is of the diagram or nothing of it is meant."""
_PLAIN = (
    "message",
    "next",
    "before",
    "outgoing",
    "incoming",
    "between",
    "ends",
    "params",
    "returns",
    "when",
    "count",
    "position",
)


def _unmet(text: str, q: str, kind: str, named: tuple[Named, ...], mentions: Sequence[Mention], view: View) -> bool:
    """Whether the question rests on something that the diagram doesn't have: a failure that no condition speaks of, or
    something of a condition that it never tells."""
    asked = set(concepts(text))
    for mention in mentions:
        asked -= set(concepts(mention.text)) | {c for each in view.messages(mention) for c in concepts(each.name)}
    if not named:
        if signs.IF.search(q) and kind in ("steps", *_PLAIN):
            return True
        thing = kind == "ends" and all(len(concepts(mention.text)) == 1 for mention in mentions)
        if (kind == "incoming" or thing) and signs.WHO.search(q) and asked - view.known - _DEEDS:
            return True  # "who phones the customer?" isn't answered by who sends a mail
        return kind in _PLAIN and (bool(asked & _HARD) or _asks_property(q, view))
    for each in named:
        asked -= set(concepts(each.fragment.operands[each.operand - 1].condition))
    return (
        kind == "condition" and bool(asked - view.known) and bool(signs.WHAT_IS.search(q)) and not signs.DOES.search(q)
    )


def _asks_property(q: str, view: View) -> bool:
    """Whether a question asks for a thing ("which language") that the diagram never speaks of."""
    found = signs.WHAT_THING.search(q)
    return found is not None and not set(concepts(found[1])) & view.known and bool(concepts(found[1]))


def _kind(
    q: str, named: tuple[Named, ...], mentions: tuple[Mention, ...], number: int | None, unknown: tuple[str, ...]
) -> tuple[str, str, noted.Asked | None]:
    """(kind, a word that narrows it, the order that is asked)."""
    messages = [mention for mention in mentions if mention.kind == "message"]
    lifelines = [mention for mention in mentions if mention.kind == "lifeline"]
    literal = messages
    if len(messages) >= 2:
        if signs.BETWEEN.search(q):
            return "span", "", None
        if order := noted.asked(q, messages):
            return "order", "", order
        if signs.PATH.search(q):
            return "span", "", None
    if unknown and not named:
        return "unknown", "", None
    if signs.REVIEW.search(q) and not messages and not named:
        return "review", "", None
    if number is not None and not named:
        return "nth", "", None
    if signs.INTERVAL.search(q):
        return "interval", "", None
    if named and literal and signs.STILL.search(q):
        return "still", "", None
    if named and not signs.TRUNK.search(q):
        if signs.WHOLE.search(q):
            return "what_if", "", None
        if literal and (kind := _about_message(q)) in ("params", "returns", "kind", "position"):
            return kind, "", None
        if signs.WHICH_MESSAGES.search(q) and not signs.NEXT.search(q) and (word := _arrow(q)):
            return "filter", word, None
        return "condition", "count" if signs.COUNT.search(q) else "", None
    if signs.PARAMS.search(q) and signs.WHICH_MESSAGES.search(q):
        return "filter", "params", None
    if literal and (kind := _about_message(q)):
        return kind, "", None
    if signs.TRUNK.search(q):
        return "trunk", "", None
    if signs.LIFELINES.search(q) and not lifelines:
        return "lifelines", "", None
    if signs.BRANCHES.search(q):
        return "branches", "", None
    if any(sign.search(q) for _, sign in signs.KINDS_OF_FRAGMENT) and re.search(
        r"消息|调用|\bmessages?\b|\bcalls?\b", q
    ):
        return "filter", "all", None
    if signs.COUNT.search(q) and not literal and (not lifelines or signs.TIMES.search(q)):
        return "limit", "", None
    if len(lifelines) >= 2 and signs.PATH.search(q):
        return "path", "", None
    if (word := _arrow(q)) and signs.LIST.search(q):
        return "filter", word, None
    if lifelines and (kind := _about_lifeline(q, lifelines)):
        return kind, "whether" if signs.WHETHER.search(q) else "", None
    if lifelines and not messages:
        return ("lifeline" if signs.TYPE.search(q) else "unmet"), "", None
    if messages:
        return "next" if signs.NEXT.search(q) else "message", "", None
    if signs.NOTES.search(q):
        return "notes", "", None
    if signs.HOW_MANY.search(q) and re.search(r"消息|步|\bmessages?\b|\bsteps?\b", q):
        return "total", "", None
    if signs.STEPS.search(q):
        return "steps", "", None
    if signs.SAID.search(q):
        return "notes", "", None
    if re.search(
        r"(?:所有|全部|哪些|列出).*(?:消息|调用)|\ball (?:the )?(?:messages|calls)\b|\blist\b.*\bmessages\b", q
    ):
        return "filter", "all", None
    return "", "", None


def _arrow(q: str) -> str:
    for word, sign in (("async", signs.ASYNC), ("sync", signs.SYNC), ("self", signs.SELF), ("reply", signs.REPLY)):
        if sign.search(q):
            return word
    return ""


def _about_message(q: str) -> str:
    for kind, sign in (
        ("kind", signs.KIND), ("params", signs.PARAMS), ("returns", signs.RETURNS), ("when", signs.WHEN),
        ("position", signs.POSITION), ("before", signs.BEFORE), ("next", signs.NEXT), ("count", signs.COUNT),
        ("ends", signs.WHO),
    ):  # fmt: skip
        if sign.search(q):
            return kind
    return ""


def _says_more(q: str, lifelines: Sequence[Mention]) -> bool:
    """Whether a question says anything that is understood besides names of lifelines."""
    for mention in sorted(lifelines, key=lambda each: -len(each.text)):
        if mention.how != "alias":
            q = re.sub(rf"(?<![a-z0-9_]){re.escape(folded(mention.text))}(?![a-z0-9_])", " ", q)
    return any(sign.search(q) for sign in signs.SAYS_MORE)


def _about_lifeline(q: str, lifelines: Sequence[Mention]) -> str:
    """Whether messages to a lifeline, from it, or from one to another are asked for; "" if none are."""
    first = lifelines[0]
    if len(lifelines) >= 2:
        return "between" if _says_more(q, lifelines) else ""
    before, after = q[: first.start], q[first.start + len(first.text) :]
    if first.how == "alias" and folded(first.text) not in q:
        before = after = q  # said in other words: where they stand is not known
    if signs.ASKS_SENDER.search(before) or signs.IS_REACHED.search(after):
        return "incoming"
    if signs.ENDS_IN_TO.search(before) and signs.WHO_OR_WHAT.search(before):
        return "incoming"
    if signs.DONE_TO_IT.search(before) and signs.WHO.search(q):
        return "incoming"
    if signs.TO_IT.search(before) or (before == q and signs.GIVEN_BACK.search(q)):
        return "incoming"
    if signs.ACTS.search(q):
        return "outgoing"
    # "Who refunds the customer?" asks for a sender by a deed that no sign knows, and not for what the customer sends.
    return "outgoing" if not after.strip(" ?？。.") and not signs.WHO.search(before) else ""
