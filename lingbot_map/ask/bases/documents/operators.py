"""Questions about documents that are computed, not searched: which ones mention something, which rows of a table hold,
which documents of a kind have a state, what hangs together with what.

Each gives the exact rows or says that there are none; ``None`` where the question isn't of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lingbot_map.ask.bases.documents.files import Document, Row
from lingbot_map.ask.bases.documents.judge import ENOUGH, judge
from lingbot_map.ask.bases.documents.library import Snapshot
from lingbot_map.ask.bases.documents.links import plain
from lingbot_map.ask.bases.documents.spoken import Spoken, called_by
from lingbot_map.ask.bases.documents.store import either
from lingbot_map.ask.bases.documents.wording import HAN, Wording, matching, read, stems
from lingbot_map.ask.types import Found, Lang, Sentence

EARLIER = "queries"
"""The folder of earlier questions and answers: they may help, and are never a source."""

MENTION = re.compile(
    r"(?:(?:有)?(?:哪些|哪几(?:份|篇|个)|哪(?:1)?(?:份|篇|个)|什么)(?:文档|文件|文章|页面|资料|"
    r"需求)(?:里|中|里面)?|(?:which|what) (?:documents?|files?|pages?))"
    r".{0,4}?(?:提到|提及|提过|写到|写了|出现|讲到|说到|包含|含有|mention(?:s|ed)?|contain(?:s|ed)?|"
    r"refer(?:s|red)? to|talk(?:s|ed)? about|says?)"
    r"(?:了|过)?|在?哪些(?:文档|文件|页面)(?:里|中)?(?:出现|有)(?:了|过)?|(?:在)?(?:哪些|"
    r"哪几份)(?:文档|文件)(?:里|中)"
)
_MENTIONED_AFTER = re.compile(
    r"(?P<what>.+?)(?:在|被)?(?:哪些|哪几(?:份|篇|个)|哪1?(?:份|篇|个))(?:文档|文件|页面)(?:里|中|"
    r"里面)?(?:被)?(?:提到|提及|出现|写到)"
)
_OPEN = re.compile(
    r"还?(?:没有?|未|尚未|没被|未被|还没)(?:有)?(?:修复|修好|修|解决|处理|关闭|完成)(?:好|完|掉)?|"
    r"\b(?:unfixed|unresolved|open|not (?:yet )?(?:been )?(?:fixed|resolved|closed)|still open)\b"
)
_CLOSED = re.compile(r"(?:已经?|都|被)?(?:修复|修好|解决|关闭)(?:了|过|好)?(?:的)?|\b(?:fixed|resolved|closed)\b")
_IS_OPEN = re.compile(
    r"(?:未|没有?|尚未)(?:修复|解决|关闭|修好)|\b(?:unfixed|unresolved|not (?:yet )?(?:been "
    r")?(?:fixed|resolved|closed)|open)\b"
)
_IS_CLOSED = re.compile(
    r"(?<!未)(?<!没)(?<!没有)(?<!尚未)(?:已经?(?:被)?(?:修复|解决|关闭|修好)|修复于|中修复)|(?<!not "
    r")(?<!not been )\b(?:fixed|resolved|closed)\b"
)
KINDS: dict[str, tuple[str, ...]] = {
    "bug": ("缺陷", "问题", "bug", "bugs", "漏洞", "故障", "issue", "issues", "defect", "defects"),
    "case": ("用例", "测试用例", "case", "cases", "test"),
    "req": ("需求", "requirement", "requirements"),
    "report": ("报告", "report", "reports"),
    "wiki": ("页面", "约定", "page", "pages"),
}
"""What documents of a folder are called in questions."""
_RELATIONS: dict[str, tuple[str, ...]] = {
    "影响": ("影响", "波及", "牵涉", "受影响", "affect", "affects", "affected", "impact"),
    "覆盖": ("覆盖", "测到", "验证", "cover", "covers", "covered"),
    "关联": ("关联", "相关", "有关", "related", "linked"),
}
_RANGE = re.compile(r"影响|波及|牵涉|范围|回归|测试|涉及|affect|impact|regress|scope")
_SAID = {
    "zh": {"none": "找不到：没有{what}。", "mention": "{title}：{text}", "no mention": "找不到：没有文档提到{what}。"},
    "en": {
        "none": "Not found: no {what}.",
        "mention": "{title}: {text}",
        "no mention": "Not found: no document mentions {what}.",
    },
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the operators see it: the text, its wording, and how a sentence is cited."""

    text: str
    lang: Lang
    snapshot: Snapshot
    wording: Wording
    cite: Callable[[Spoken], str]

    def without(self, *words: re.Pattern[str]) -> Wording:
        """The question read again, what the operator understood taken out."""
        joined = re.compile("|".join(f"(?:{each.pattern})" for each in words))
        return read(self.text, self.snapshot.synonyms, drop=joined)


def mentions(asked: Asked) -> Found | None:
    """Which documents hold a word: every one of them, each with the first sentence that does."""
    whole = matching(asked.text).rstrip("?？。!！ ")
    match = MENTION.search(whole)
    what = whole[match.end() :] if match else ""
    if not what and (after := _MENTIONED_AFTER.search(whole)):
        what = after["what"]
    what = what.strip("「」『』“”\"'` 的:：").removesuffix("这个词").removesuffix("吗")
    if not what:
        return None
    found: dict[str, Spoken] = {}
    for row in asked.snapshot.known(either([what]), 100_000):
        spoken = asked.snapshot.sentences[row]
        if spoken.document in found or row in asked.snapshot.retired or _earlier(spoken.document):
            continue
        if _holds(matching(spoken.line.text), what):
            found[spoken.document] = spoken
    if not found:
        return _none(asked.lang, "no mention", what)
    said = _SAID[asked.lang]["mention"]
    return Found(
        sentences=tuple(
            Sentence(
                text=said.format(title=asked.snapshot.documents[id].title, text=spoken.line.text),
                cites=(asked.cite(spoken),),
            )
            for id, spoken in sorted(found.items())
        ),
        rows=tuple({"id": id, "name": asked.snapshot.documents[id].title} for id in sorted(found)),
    )


def _holds(whole: str, what: str) -> bool:
    if HAN.search(what):
        return what in whole
    return re.search(rf"(?<![a-z0-9.]){re.escape(what)}(?![a-z0-9]|\.\d)", whole) is not None


def of_state(asked: Asked) -> Found | None:
    """Documents of a kind in a state ("which payment problems are not fixed yet")."""
    whole = asked.wording.whole
    folder = _folder(whole, asked.snapshot)
    state = _OPEN if _OPEN.search(whole) else _CLOSED if _CLOSED.search(whole) else None
    listed = {"which", "count"} & set(asked.wording.types) or "有没有" in whole
    if folder is None or state is None or not listed:
        return None
    holds = _IS_OPEN if state is _OPEN else _IS_CLOSED
    kind = re.compile("|".join(sorted(map(re.escape, KINDS[folder]), key=len, reverse=True)))
    rest = asked.without(state, kind)
    found = []
    for document in asked.snapshot.documents.values():
        if document.folder == folder and (spoken := _first(asked.snapshot, document, holds)):
            judged = judge(asked.snapshot, rest)
            covered = judged.covers(asked.snapshot.of(document.id))
            if not rest.concepts or judged.share(covered) >= 0.6:
                found.append((document, spoken))
    if not found:
        return _none(asked.lang, "none", whole.rstrip("?？"))
    said = _SAID[asked.lang]["mention"]
    return Found(
        sentences=tuple(
            Sentence(text=said.format(title=document.title, text=spoken.line.text), cites=(asked.cite(spoken),))
            for document, spoken in found
        ),
        rows=tuple({"id": document.id, "name": document.title} for document, _ in found),
    )


def of_kind(asked: Asked) -> Found | None:
    """Documents of a kind about something ("which cases are there on timeouts")."""
    whole = asked.wording.whole
    folder = _folder(whole, asked.snapshot)
    if folder is None:
        return None
    kind = "|".join(sorted(map(re.escape, KINDS[folder]), key=len, reverse=True))
    listed = re.search(rf"(?:哪些|哪几个|几个|什么|\bwhich |\bwhat )(?:{kind})", whole)
    rest = asked.without(re.compile(kind))
    if listed is None or not rest.concepts:
        return None
    judged = judge(asked.snapshot, rest)
    found = [
        (document, spoken[0])
        for document in asked.snapshot.documents.values()
        if document.folder == folder and (spoken := asked.snapshot.of(document.id))
        if judged.share(judged.covers(spoken)) >= ENOUGH
    ]
    said = _SAID[asked.lang]["mention"]
    sentences = tuple(
        Sentence(text=said.format(title=document.title, text=spoken.line.text), cites=(asked.cite(spoken),))
        for document, spoken in found
    )
    rows = tuple({"id": document.id, "name": document.title} for document, _ in found)
    return Found(sentences=sentences, rows=rows) if found else None


def of_table(asked: Asked) -> Found | None:
    """Rows of the fine table of a kind that the question names ("which risks", "the boundaries of REQ-101")."""
    kinds = sorted({row.kind for row in asked.snapshot.fine}, key=len, reverse=True)
    kind = next((each for each in kinds if matching(each) in asked.wording.whole), None)
    if kind is None or not {"which", "count"} & set(asked.wording.types):
        return None
    rest = asked.without(re.compile(re.escape(matching(kind))))
    found = [row for row in asked.snapshot.fine if row.kind == kind and _about(asked.snapshot, row, rest)]
    if not found:
        return _none(asked.lang, "none", asked.wording.whole.rstrip("?？"))
    return Found(
        sentences=tuple(
            Sentence(text=f"{row.kind} {row.id[5:]}：{row.text}（{row.of}）。", cites=(row.id,)) for row in found
        ),
        rows=tuple({"id": row.id, "name": row.text, "kind": row.kind} for row in found),
    )


def _about(snapshot: Snapshot, row: Row, rest: Wording) -> bool:
    """Whether a row, with the document that it belongs to, says what a question holds besides."""
    text = f"{row.text} {row.of}"
    for id in snapshot.titles.called.get(plain(row.of), ()):
        text += f" {snapshot.documents[id].title} {snapshot.documents[id].text}"
    whole, stemmed = matching(text), stems(text)
    covered = sum(concept.within(whole, stemmed) for concept in rest.concepts)
    return covered >= 0.75 * len(rest.concepts)


def related(asked: Asked) -> Found | None:
    """What hangs together with a thing by the table of relations, and the sentences that name it or those."""
    whole = asked.wording.whole
    if not asked.snapshot.graph or not _asks_relation(asked):
        return None
    bound = _bound(asked)
    if not bound:
        return None
    wide = re.search(r"范围|测试|回归|scope|regress|test", whole) is not None
    said = [kind for kind in _RELATIONS if any(word in whole for word in _RELATIONS[kind])]
    kind = next((each for each in said if each != "影响" or not wide), None)
    near = [row for row in asked.snapshot.graph if {plain(row.source), plain(row.of)} & bound]
    rows = [row for row in near if row.kind == kind] if kind else near
    if not rows:
        return None
    around = bound | {plain(end) for row in rows for end in (row.source, row.of)}
    ids = [id for name in around for id in _called(asked.snapshot, name)]
    sentences = [
        _tell(asked, id)
        for id in dict.fromkeys(ids)
        if any(n in bound for n in called_by(asked.snapshot.documents[id]))
    ]
    groups: dict[tuple[str, str, bool], list[Row]] = {}
    for row in rows:
        outward = plain(row.source) in bound
        groups.setdefault((row.kind, row.source if outward else row.of, outward), []).append(row)
    for (relation, end, outward), members in groups.items():
        others = [asked_title(asked.snapshot, row.of if outward else row.source) for row in members]
        text = f"{end} {relation} {'、'.join(others)}。" if outward else f"{'、'.join(others)} {relation} {end}。"
        cites = [id for row in members for end in (row.source, row.of) for id in _called(asked.snapshot, plain(end))]
        sentences.append(Sentence(text=text, cites=tuple(dict.fromkeys((*cites, *(row.id for row in members))))))
    if kind is None:
        sentences.extend(_naming(asked, around, set(ids)))
    return Found(
        sentences=tuple(sentences), rows=tuple({"id": row.id, "name": row.text, "kind": row.kind} for row in rows)
    )


def asked_title(snapshot: Snapshot, name: str) -> str:
    """A node as one reads it: its document's title if it has one."""
    ids = _called(snapshot, plain(name))
    return snapshot.documents[ids[0]].title if ids else name


def _asks_relation(asked: Asked) -> bool:
    whole = asked.wording.whole
    if not ({"which", "count", "who"} & set(asked.wording.types) or "范围" in whole):
        return False
    return bool(_RANGE.search(whole)) or any(word in whole for words in _RELATIONS.values() for word in words)


def _bound(asked: Asked) -> set[str]:
    """The nodes that a question means: named, or whose title says all of its words."""
    nodes = {plain(end): end for row in asked.snapshot.graph for end in (row.source, row.of)}
    titled = {
        name: id
        for node in nodes
        for id in _called(asked.snapshot, node)
        for name in called_by(asked.snapshot.documents[id])
    }
    whole = plain(asked.text)
    named = {name for name in (*nodes, *titled) if _holds(whole, name)}
    named = {name for name in named if not any(name != other and name in other for other in named)}
    if not named:
        rest = asked.without(
            _RANGE,
            re.compile("|".join(w for words in (*_RELATIONS.values(), *KINDS.values()) for w in words)),
            re.compile("模块|改动|修改|改|module|change"),
        )
        if not rest.concepts:
            return set()

        fits = [n for n in titled if all(c.within(matching(n), stems(n)) for c in rest.concepts)]
        named.update(sorted(fits, key=lambda n: (len(n), n))[:1])
    found = set(named)
    for name in named:
        if name in titled:
            found.update(called_by(asked.snapshot.documents[titled[name]]))
    return found & set(nodes)


def _called(snapshot: Snapshot, name: str) -> list[str]:
    return [id for id in snapshot.titles.called.get(name, ()) if not _earlier(id)]


def _tell(asked: Asked, id: str) -> Sentence:
    spoken = asked.snapshot.of(id)
    text = spoken[0].line.text if spoken else ""
    cite = asked.cite(spoken[0]) if spoken else id
    return Sentence(
        text=_SAID[asked.lang]["mention"].format(title=asked.snapshot.documents[id].title, text=text), cites=(cite,)
    )


def _naming(asked: Asked, around: set[str], known: set[str]) -> Iterable[Sentence]:
    """Sentences of further documents that name any of these things, the first of each document."""
    seen = set(known)
    for name in sorted(around):
        for row in asked.snapshot.postings.get(matching(name), ()):
            spoken = asked.snapshot.sentences[row]
            if spoken.document not in seen and not _earlier(spoken.document) and row not in asked.snapshot.retired:
                seen.add(spoken.document)
                title = asked.snapshot.documents[spoken.document].title
                yield Sentence(
                    text=_SAID[asked.lang]["mention"].format(title=title, text=spoken.line.text),
                    cites=(asked.cite(spoken),),
                )


def _earlier(id: str) -> bool:
    return id.split("/", 1)[0] == EARLIER


def _folder(whole: str, snapshot: Snapshot) -> str | None:
    return next(
        (folder for folder, said in KINDS.items() if folder in snapshot.folders and any(w in whole for w in said)), None
    )


def _first(snapshot: Snapshot, document: Document, holds: re.Pattern[str]) -> Spoken | None:
    found: Sequence[Spoken] = [s for s in snapshot.of(document.id) if holds.search(matching(s.line.text))]
    return found[-1] if found else None


def _none(lang: Lang, key: str, what: str) -> Found:
    return Found(sentences=(Sentence(text=_SAID[lang][key].format(what=what), cites=()),), abstained=True)


def computed(asked: Asked) -> Found | None:
    """The first operator that fits."""
    for operator in (mentions, of_state, of_table, related, of_kind):
        if (found := operator(asked)) is not None:
            return found
    return None
