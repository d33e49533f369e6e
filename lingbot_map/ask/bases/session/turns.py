"""Questions about turns: what happened in one, how two differ, what was said, what is wrong, the session as a whole."""

from __future__ import annotations

import re

from lingbot_map.ask.bases.session.flow import changes, confidence_of
from lingbot_map.ask.bases.session.recalls import score, stage_name
from lingbot_map.ask.bases.session.record import TurnRecord, shown
from lingbot_map.ask.bases.session.saying import MOST, Saying
from lingbot_map.ask.text import covered, folded
from lingbot_map.ask.types import Found
from lingbot_map.query import slots_between

_COVERED = 0.6  # of a question's words, so that "重试补偿" is not found in "重量级补偿接口"


def no_such_turn(s: Saying) -> Found:
    """A turn was asked for that is not there."""
    record = s.record
    if record.map.retired:
        return s.nothing(
            zh=f"这张图只留有第{record.first}轮到第{record.last}轮。",
            en=f"This map holds turns {record.first} to {record.last} only.",
        )
    return s.nothing(
        zh=f"没有记录：这次会话只有{record.last}轮。", en=f"Not recorded: this session has only {record.last} turns."
    )


def turn(s: Saying) -> Found:
    """What happened in turns, or the part of it that is asked for."""
    for number in s.turns:
        _turn(s, s.record.turns[number])
    return s.told()


def _turn(s: Saying, turn: TurnRecord) -> None:
    before = len(s.told().sentences)
    parts = s.cues & {"said", "answer", "intent", "confidence", "write", "read", "happened"}
    whole = not parts or "happened" in parts
    at_zh, at_en = f"第{turn.number}轮", f"In turn {turn.number}"
    if (whole or "said" in parts) and turn.said:
        s.say((turn.id,), zh=f"{at_zh}用户说「{turn.said}」。", en=f'{at_en} the user said "{turn.said}".')
    if whole or parts & {"intent", "confidence"}:
        for edge in turn.routes:
            sure = confidence_of(edge)
            zh, en = (f"，置信度 {sure:g}", f" with confidence {sure:g}") if sure is not None else ("", "")
            s.say(
                (turn.id, edge.id),
                zh=f"{at_zh}路由到 {s.name(edge.target)}{zh}。",
                en=f"{at_en} the dialogue was routed to {s.name(edge.target)}{en}.",
            )
    if whole or parts & {"write", "read"}:
        _slots(s, turn, at_zh, at_en)
    if whole:
        _evidence(s, turn, at_zh, at_en)
    if (whole or "answer" in parts) and turn.answers:
        cites = (turn.id, *(node.id for node in turn.answers))
        s.say(cites, zh=f"{at_zh}机器人回答「{turn.answered}」。", en=f'{at_en} the bot answered "{turn.answered}".')
    if len(s.told().sentences) == before:
        s.say((turn.id,), zh=f"{at_zh}没有记录到所问的内容。", en=f"{at_en} nothing of the kind was recorded.")


def _slots(s: Saying, turn: TurnRecord, at_zh: str, at_en: str) -> None:
    if turn.writes and not ("read" in s.cues and "write" not in s.cues and "happened" not in s.cues):
        told = s.listed([f"{s.name(edge.target)} = {shown(edge.props['value'])}" for edge in turn.writes])
        cites = (turn.id, *(edge.id for edge in turn.writes[:MOST]))
        s.say(cites, zh=f"{at_zh}写入 {told}。", en=f"{at_en} {told} was written.")
    if turn.reads and not ("write" in s.cues and "read" not in s.cues and "happened" not in s.cues):
        told = s.listed([f"{s.name(edge.source)} = {shown(edge.props['value'])}" for edge in turn.reads])
        cites = (turn.id, *(edge.id for edge in turn.reads[:MOST]))
        s.say(cites, zh=f"{at_zh}读取 {told}。", en=f"{at_en} {told} was read.")


def _evidence(s: Saying, turn: TurnRecord, at_zh: str, at_en: str) -> None:
    if docs := turn.prompted():
        s.say(
            (turn.id, *docs[:MOST]),
            zh=f"{at_zh}进入提示词的有 {s.names(docs)}。",
            en=f"{at_en} the prompt held {s.names(docs)}.",
        )
    for finding in turn.findings[:MOST]:
        reason = finding.reason[s.lang]
        s.say(
            (turn.id, finding.id),
            zh=f"{at_zh}有异常 {finding.code}：{reason}。",
            en=f"{at_en} {finding.code}: {reason}.",
        )


def difference(s: Saying) -> Found:
    """What differs between two turns: words, routing, documents, answers, and the slots from one to the other."""
    first, second = sorted(s.turns[:2])
    a, b = s.record.turns[first], s.record.turns[second]
    both = (a.id, b.id)
    wanted = set(s.ids("slot"))
    if not wanted and s.cues & {"recall", "doc", "prompt"}:
        return _documents_apart(s, a, b)
    zh, en = f"第{first}轮", f"turn {first}"
    zh2, en2 = f"第{second}轮", f"turn {second}"
    if a.said != b.said and not wanted:
        s.say(
            both,
            zh=f"用户在{zh}说「{a.said}」，在{zh2}说「{b.said}」。",
            en=f'The user said "{a.said}" in {en} and "{b.said}" in {en2}.',
        )
    ours, theirs = _flow(s, a), _flow(s, b)
    if ours != theirs and not wanted:
        s.say(
            (*both, *(edge.id for edge in (*a.routes, *b.routes))),
            zh=f"路由：{zh}是 {ours or '无'}，{zh2}是 {theirs or '无'}。",
            en=f"Routing: {ours or 'none'} in {en}, {theirs or 'none'} in {en2}.",
        )
    changed = slots_between(s.record.map, a.end, b.end)
    for names, word_zh, word_en in (
        (changed.added, "新写入", "newly written"),
        (changed.changed, "改为", "changed to"),
        (changed.deleted, "清空", "cleared"),
        (changed.rewritten, "重写为原值", "written again with the same value"),
    ):
        for name in names:
            slot = f"slot:{name}"
            if wanted and slot not in wanted:
                continue
            value = shown(s.record.map.props_at(slot, b.end).get("value"))
            write = s.record.write_at(slot, b.end)
            told = "" if names is changed.deleted else f" {value}"
            s.say(
                (*both, *((write.id, f"t{write.turn}") if write is not None else ())),
                zh=f"变量 {s.name(slot)} {word_zh}{told}。",
                en=f"Slot {s.name(slot)} was {word_en}{told}.",
            )
    docs, others = a.prompted(), b.prompted()
    if docs != others and not wanted:
        s.say(
            (*both, *docs[:MOST], *others[:MOST]),
            zh=f"进入提示词的文档：{zh}是 {s.names(docs) or '无'}，{zh2}是 {s.names(others) or '无'}。",
            en=f"Documents in the prompt: {s.names(docs) or 'none'} in {en}, {s.names(others) or 'none'} in {en2}.",
        )
    same = a.answered == b.answered
    if (a.answered or b.answered) and not wanted:
        s.say(
            (*both, *(node.id for node in (*a.answers, *b.answers))),
            zh=f"回答相同：「{a.answered}」。" if same else f"回答：{zh}是「{a.answered}」，{zh2}是「{b.answered}」。",
            en=f'The answers are the same: "{a.answered}".'
            if same
            else f'Answers: "{a.answered}" in {en}, "{b.answered}" in {en2}.',
        )
    if s.silent:
        s.say(both, zh=f"{zh}与{zh2}没有记录到不同。", en=f"No difference between {en} and {en2} was recorded.")
    return s.told()


def _documents_apart(s: Saying, a: TurnRecord, b: TurnRecord) -> Found:
    """What each stage returned in the one and in the other."""
    for name in dict.fromkeys(stage.name for turn in (a, b) for stage in turn.stages):
        lists = [[edge for stage in turn.stages if stage.name == name for edge in stage.edges] for turn in (a, b)]
        ours, theirs = (s.listed([f"{s.name(e.target)} {score(e.props)}".rstrip() for e in edges]) for edges in lists)
        same = [edge.target for edge in lists[0]] == [edge.target for edge in lists[1]]
        how = ("顺序相同" if same else "不同") if s.lang == "zh" else ("the same order" if same else "different")
        stage = stage_name(s, name)
        s.say(
            (a.id, b.id, *(edge.id for edges in lists for edge in edges[:MOST])),
            zh=f"{stage}{how}：第{a.number}轮 {ours or '无'}；第{b.number}轮 {theirs or '无'}。",
            en=f"{stage.capitalize()}, {how}: {ours or 'none'} in turn {a.number}; "
            f"{theirs or 'none'} in turn {b.number}.",
        )
    if s.silent:
        s.say((a.id, b.id), zh="这两轮都没有检索。", en="Nothing was retrieved in either turn.")
    return s.told()


def _flow(s: Saying, turn: TurnRecord) -> str:
    told = []
    for edge in turn.routes:
        sure = confidence_of(edge)
        told.append(f"{s.name(edge.target)} {sure:g}" if sure is not None else s.name(edge.target))
    return " → ".join(told)


def length(s: Saying) -> Found:
    """How many turns there are."""
    count = s.record.last
    s.say(s.all_turns(), zh=f"这次会话共有 {count} 轮。", en=f"The session has {count} turn{'s' * (count != 1)}.")
    return s.told()


def overview(s: Saying) -> Found:
    """The session in a few sentences."""
    length(s)
    path = [edge.target for _, edge in changes(s)]
    first = next((edge.target for turn in s.record.turns.values() for edge in turn.routes), "")
    if first:
        arrow = " → ".join(s.name(intent) for intent in [first, *path][:MOST])
        s.say(s.all_turns(), zh=f"流程：{arrow}。", en=f"Flow: {arrow}.")
    findings(s)
    return s.told()


_FAILED = re.compile(r"\bfail\w*|\bcrash\w*|\bexceptions?\b|报错|崩溃|机器人\w{0,4}出错")


def findings(s: Saying) -> Found:
    """What the checks found, in all or in turns."""
    found = [f for f in s.record.map.findings.values() if not s.turns or f.turn in s.turns or f.since in s.turns]
    codes = {word for word in folded(s.question.text).replace("?", " ").split() if word.startswith("lm")}
    if codes:
        found = [f for f in found if f.code.casefold() in codes] or found
    failed = _FAILED.search(folded(s.question.text)) is not None
    failures = [f for f in found if failed and f.kind == "failure"]
    found = failures or found
    if "whether" in s.cues:
        s.verdict = "yes" if (failures if failed else found) else "no"
    if failed and found and not failures:
        s.say(
            [f"t{turn}" for turn in s.turns] or s.all_turns(),
            zh="没有记录到机器人报错；检查发现的是别的：",
            en="No failure of the bot was recorded; what the checks found is something else:",
        )
    if not found:
        s.say(
            [f"t{turn}" for turn in s.turns] or s.all_turns(),
            zh=f"{s.turn_list(s.turns)}没有发现异常。",
            en=f"The checks found nothing{' in ' + s.turn_list(s.turns) if s.turns else ''}.",
        )
    for finding in found[:MOST]:
        reason = finding.reason[s.lang]
        cites = [f"t{finding.turn}", finding.id]
        s.say(
            cites,
            zh=f"第{finding.turn}轮 {finding.code}：{reason}。",
            en=f"Turn {finding.turn}, {finding.code}: {reason}.",
        )
    if len(found) > MOST:
        s.say(s.all_turns(), zh=f"共 {len(found)} 个异常。", en=f"There are {len(found)} findings in all.")
    return s.told()


def said(s: Saying) -> Found:
    """In which turns something was said: at least 60 % of the question's words must stand in one."""
    words = _topic(s)
    found = []
    for turn in s.record.turns.values():
        text = (
            turn.answered if "bot" in s.cues else turn.said if "customer" in s.cues else f"{turn.said} {turn.answered}"
        )
        share = covered(words, text)
        if words and share >= _COVERED:
            found.append((share, turn))
    if not found:
        what = "、".join(words) if s.lang == "zh" else ", ".join(words)
        return s.nothing(zh=f"没有记录：没有一轮说到{what}。", en=f"Not recorded: no turn speaks of {what}.")
    best = max(share for share, _ in found)
    for _, turn in [pair for pair in found if pair[0] == best][:MOST]:
        answered = f"，机器人回答「{turn.answered}」" if turn.answered else ""
        en_answered = f', and the bot answered "{turn.answered}"' if turn.answered else ""
        s.say(
            (turn.id,),
            zh=f"第{turn.number}轮用户说「{turn.said}」{answered}。",
            en=f'In turn {turn.number} the user said "{turn.said}"{en_answered}.',
        )
    return s.told()


_ASKING_TEXT = (
    "用户 客户 机器人 系统 说 说到 说过 提到 提 问 问到 问过 讲 回答 答 回复 哪轮 轮 第 几 时候 什么时候 "
    "一轮 回合 过 到 哪 次 提及 user users customer bot say said says ask asked mention mentioned "
    "mentions answer answered turn turns reply about did does first when which tell told speak talk "
    "talked"
)
_ASKING = frozenset(_ASKING_TEXT.split())


def _topic(s: Saying) -> tuple[str, ...]:
    return tuple(word for word in s.question.terms if word not in _ASKING)
