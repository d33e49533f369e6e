"""Whether what a turn was answered from was out of date, by the versions and dates that were recorded."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lingbot_map.ask.bases.session.record import TurnRecord
from lingbot_map.ask.bases.session.saying import MOST, Saying
from lingbot_map.ask.text import folded
from lingbot_map.ask.types import Found
from lingbot_map.checks.stale import newer
from lingbot_map.model import Node

_DAY = 24 * 3600
# A yes to "was it not out of date?" can be read either way.
_DENIED = re.compile(r"\bnot\b|n't\b|\bnever\b|(?<!是)不是")


@dataclass(frozen=True, slots=True)
class _Held:
    """A document that a turn was answered from: ``newer`` version beside it, ``days`` since its last change where these
    are too many; ``known`` if its version or date was recorded."""

    doc: Node
    known: bool
    newer: Node | None
    days: int

    @property
    def stale(self) -> bool:
        return self.newer is not None or self.days > 0


def stale_documents(s: Saying) -> Found:
    """Whether turns were answered from documents that were out of date: yes, no, or that nothing recorded tells."""
    numbers = s.turns or [turn.number for turn in s.record.turns.values() if turn.prompted()]
    wanted = set(s.ids("doc"))
    stale: list[tuple[TurnRecord, _Held]] = []
    sound: list[tuple[TurnRecord, _Held]] = []
    for number in numbers:
        turn = s.record.turns[number]
        for held in _held(s, turn):
            if not wanted or held.doc.id in wanted:
                (stale if held.stale else sound).append((turn, held))
    for turn, held in stale[:MOST]:
        _tell(s, turn, held)
    if len(stale) > MOST:
        s.say(s.all_turns(), zh=f"共 {len(stale)} 处。", en=f"There are {len(stale)} such uses in all.")
    unknown = [(turn, held) for turn, held in sound if not held.known]
    if not stale and not sound:
        what = s.names(sorted(wanted)) if wanted else ""
        s.say(
            [f"t{number}" for number in s.turns] or s.all_turns(),
            zh=f"{s.turn_list(s.turns) if s.turns else ''}没有记录到{what or '文档'}进入提示词，无从判断是否过期。",
            en=f"No use of {what or 'any document'} is recorded{' in ' + s.turn_list(s.turns) if s.turns else ''}, so "
            "nothing tells whether one was out of date.",
        )
    elif not stale and unknown:
        _untold(s, unknown)
    elif not stale:
        _sound(s, sound)
    if "whether" in s.cues and (stale or (sound and not unknown)) and not _DENIED.search(folded(s.question.text)):
        s.verdict = "yes" if bool(stale) != ("fresh" in s.cues) else "no"
    return s.told()


def _held(s: Saying, turn: TurnRecord) -> list[_Held]:
    map = s.record.map
    candidates = list(dict.fromkeys(edge.target for stage in turn.stages for edge in stage.edges))
    seq = turn.stages[-1].seq if turn.stages else turn.end
    moment = map.moment(seq)
    told = {
        finding.nodes[0]: finding
        for finding in turn.findings
        if finding.kind == "stale" and finding.nodes and finding.facts.get("rule") == "age"
    }
    found = []
    for id in turn.prompted():
        if (doc := map.nodes.get(id)) is None:
            continue
        version, updated = doc.props.get("version"), doc.props.get("updated_at")
        age = moment.at - updated if moment is not None and updated is not None else 0
        days = int(age // _DAY) if age > map.policy.stale_age else 0
        if id in told:
            days = max(days, int(told[id].facts["age_days"]))
        rival = newer(map, doc, (other for other in candidates if other != id))
        found.append(_Held(doc, version is not None or updated is not None, rival, days))
    return found


def _tell(s: Saying, turn: TurnRecord, held: _Held) -> None:
    name = s.name(held.doc.id)
    noted = [finding for finding in turn.findings if finding.kind == "stale" and held.doc.id in finding.nodes[:1]]
    cites = (turn.id, held.doc.id, *((held.newer.id,) if held.newer is not None else ()), *(f.id for f in noted))
    code_zh, code_en = (f"（{noted[0].code}）", f" ({noted[0].code})") if noted else ("", "")
    if held.newer is not None:
        old, new, rival = held.doc.props["version"], held.newer.props["version"], s.name(held.newer.id)
        s.say(
            cites,
            zh=f"第{turn.number}轮的提示词里有 {name} 版本 {old}，而 {rival} 版本 {new} 更新{code_zh}。",
            en=f"The prompt of turn {turn.number} held {name} in version {old}, while {rival} in version {new} is newer"
            f"{code_en}.",
        )
    else:
        s.say(
            cites,
            zh=f"第{turn.number}轮的提示词里有 {name}，上次更新已是 {held.days} 天前{code_zh}。",
            en=f"The prompt of turn {turn.number} held {name}, last updated {held.days} days before{code_en}.",
        )


def _sound(s: Saying, sound: list[tuple[TurnRecord, _Held]]) -> None:
    docs = list(dict.fromkeys(held.doc.id for _, held in sound))
    turns = list(dict.fromkeys(turn.number for turn, _ in sound))
    told = s.listed([_versioned(s, id) for id in docs])
    s.say(
        (*(f"t{number}" for number in turns[:MOST]), *docs[:MOST]),
        zh=f"{s.turn_list(turns)}依据 {told}；候选里没有更新的版本，也没有记录到超过期限未更新的。",
        en=f"{s.turn_list(turns).capitalize()} used {told}; no newer version was among the candidates, and none is "
        "recorded as older than the policy allows.",
    )


def _untold(s: Saying, unknown: list[tuple[TurnRecord, _Held]]) -> None:
    docs = list(dict.fromkeys(held.doc.id for _, held in unknown))
    turns = list(dict.fromkeys(turn.number for turn, _ in unknown))
    s.say(
        (*(f"t{number}" for number in turns[:MOST]), *docs[:MOST]),
        zh=f"没有记录 {s.names(docs)} 的版本和更新时间，无从判断是否过期。",
        en=f"Neither version nor date of {s.names(docs)} is recorded, so nothing tells whether they were out of date.",
    )


def _versioned(s: Saying, id: str) -> str:
    version = s.record.map.nodes[id].props.get("version")
    if version is None:
        return s.name(id)
    return f"{s.name(id)} 版本 {version}" if s.lang == "zh" else f"{s.name(id)} in version {version}"
