"""Questions about what was retrieved: the funnel of a turn, what entered the prompt, how often a document came up."""

from __future__ import annotations

from collections.abc import Sequence

from lingbot_map.ask.bases.session.record import Stage, TurnRecord
from lingbot_map.ask.bases.session.saying import MOST, Saying
from lingbot_map.ask.types import Found

_STAGES = {
    "vector": ("向量召回", "vector search"),
    "keyword": ("关键词召回", "keyword search"),
    "fused": ("融合", "fusion"),
    "reranked": ("重排", "re-ranking"),
    "prompt": ("提示词", "the prompt"),
}


def stage_name(s: Saying, stage: str) -> str:
    """What a stage is called; a source's own by its own name."""
    return _STAGES.get(stage, (stage, stage))[0 if s.lang == "zh" else 1]


def score(edge_props: object) -> str:
    """A score in brackets, "" without one."""
    value = edge_props.get("score") if isinstance(edge_props, dict) else None
    return f"{value:.4g}" if type(value) in (int, float) else ""


def place(s: Saying, stage: Stage, doc: str) -> str:
    """Where a stage put a document."""
    edge = stage.edge(doc)
    if edge is None:
        return ""
    told = score(edge.props)
    if s.lang == "zh":
        return f"第{edge.props['rank']}{f'（{told}）' if told else ''}"
    return f"{ordinal(edge.props['rank'])}{f' ({told})' if told else ''}"


def ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th."""
    return f"{n}{'th' if n % 100 in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def _retrieving(s: Saying, numbers: Sequence[int]) -> list[TurnRecord]:
    turns = s.record.turns
    return [turns[n] for n in numbers] if numbers else [turn for turn in turns.values() if turn.stages]


def funnel(s: Saying) -> Found:
    """What each stage of a turn's retrieval returned; of a named document, where each stage put it."""
    docs = s.ids("doc")
    for turn in _retrieving(s, s.turns)[:MOST]:
        if not turn.stages:
            s.say((turn.id,), zh=f"第{turn.number}轮没有检索。", en=f"Nothing was retrieved in turn {turn.number}.")
        elif docs:
            for doc in docs:
                told_place(s, turn, doc)
        else:
            for stage in turn.stages:
                told = s.listed([f"{s.name(e.target)} {score(e.props)}".rstrip() for e in stage.edges])
                s.say(
                    (turn.id, *(edge.id for edge in stage.edges[:MOST])),
                    zh=f"第{turn.number}轮{stage_name(s, stage.name)}：{told}。",
                    en=f"Turn {turn.number}, {stage_name(s, stage.name)}: {told}.",
                )
    if s.silent:
        what = s.names(docs)
        s.say(
            s.all_turns(),
            zh=f"没有检索到过{what or '文档'}。",
            en=f"{what or 'No document'} was {'never ' if what else ''}retrieved.",
        )
    return s.told()


def told_place(s: Saying, turn: TurnRecord, doc: str) -> bool:
    """Where each stage of a turn put a document, and whether it entered the prompt; false if none returned it."""
    seen = [(stage, edge) for stage in turn.stages if (edge := stage.edge(doc)) is not None]
    if not seen:
        if s.turns:
            s.say(
                (turn.id, doc),
                zh=f"第{turn.number}轮没有召回 {s.name(doc)}。",
                en=f"{s.name(doc)} was not recalled in turn {turn.number}.",
            )
        return False
    joint = "，" if s.lang == "zh" else ", "
    ranked = [(stage, edge) for stage, edge in seen if stage.name != "prompt"]
    told = joint.join(
        f"{stage_name(s, stage.name)}{'排' if s.lang == 'zh' else ' '}{place(s, stage, doc)}" for stage, _ in ranked
    )
    inside = doc in turn.prompted()
    dropped = next((e.props["dropped_because"] for _, e in reversed(seen) if e.props.get("dropped_because")), "")
    why_zh, why_en = (f"（{dropped}）", f" ({dropped})") if dropped and not inside else ("", "")
    s.say(
        (turn.id, doc, *(edge.id for _, edge in seen)),
        zh=f"第{turn.number}轮 {s.name(doc)}：{told + '，' if told else ''}"
        f"{'进入' if inside else '没有进入'}提示词{why_zh}。",
        en=f"Turn {turn.number}, {s.name(doc)}: {told + '; ' if told else ''}"
        f"{'in' if inside else 'not in'} the prompt{why_en}.",
    )
    return True


def prompt(s: Saying) -> Found:
    """Which documents entered the prompt of a turn; of a named document, in which turns it did."""
    docs = s.ids("doc")
    if docs and s.turns:
        s.verdict = "yes" if all(doc in s.record.turns[t].prompted() for doc in docs for t in s.turns) else "no"
        return funnel(s)
    if docs:
        for doc in docs:
            entered = [turn for turn in s.record.turns.values() if doc in turn.prompted()]
            if "whether" in s.cues:
                s.verdict = "yes" if entered else "no"
            turns = s.turn_list(turn.number for turn in entered)
            s.say(
                (doc, *(turn.id for turn in entered[:MOST])),
                zh=f"{s.name(doc)} {'在' + turns + '进入提示词' if entered else '从未进入提示词'}。",
                en=f"{s.name(doc)} {'entered the prompt in ' + turns if entered else 'never entered a prompt'}.",
            )
        return s.told()
    if "not" in s.cues and not s.turns:
        entered_ever = {doc for turn in s.record.turns.values() for doc in turn.prompted()}
        never = [node.id for node in s.record.of_kind("doc") if node.id not in entered_ever]
        s.say(
            never[:MOST] or s.all_turns(),
            zh=f"从未进入提示词的文档：{s.names(never) or '无'}。",
            en=f"Documents that never entered a prompt: {s.names(never) or 'none'}.",
        )
        return s.told()
    for turn in _retrieving(s, s.turns)[: MOST * 2]:
        inside = turn.prompted()
        out = list(dict.fromkeys(e.target for stage in turn.stages for e in stage.edges if e.target not in inside))
        rest_zh, rest_en = (f"；没有进入的有 {s.names(out)}", f"; not in it: {s.names(out)}") if out else ("", "")
        s.say(
            (turn.id, *inside[:MOST], *out[:MOST]),
            zh=f"第{turn.number}轮进入提示词的{'有 ' + s.names(inside) if inside else '文档：无'}{rest_zh}。",
            en=f"In turn {turn.number} the prompt held {s.names(inside) or 'no document'}{rest_en}.",
        )
    if s.silent:
        s.say(s.all_turns(), zh="没有记录到检索。", en="No retrieval was recorded.")
    return s.told()


def hits(s: Saying) -> Found:
    """In how many turns documents were recalled, came first or entered the prompt: each, the most, the least."""
    counted: dict[str, list[int]] = {}
    for turn in s.record.turns.values():
        if "prompt" in s.cues:
            docs = turn.prompted()
        elif "stage_first" in s.cues:
            docs = [stage.edges[0].target for stage in turn.stages if stage.name != "prompt" and stage.edges][-1:]
        else:
            docs = [edge.target for stage in turn.stages for edge in stage.edges] or turn.prompted()
        for doc in dict.fromkeys(docs):
            counted.setdefault(doc, []).append(turn.number)
    zh, en = (
        ("进入提示词", "entered the prompt") if "prompt" in s.cues else
        ("排第一", "came first") if "stage_first" in s.cues else ("被召回", "was recalled")
    )  # fmt: skip
    docs = s.ids("doc")
    if docs:
        for doc in docs:
            turns = counted.get(doc, [])
            s.say(
                (doc, *(f"t{turn}" for turn in turns)),
                zh=f"{s.name(doc)} {zh} {len(turns)} 次{f'，在{s.turn_list(turns)}' if turns else ''}。",
                en=f"{s.name(doc)} {en} in {len(turns)} turn{'s' * (len(turns) != 1)}"
                f"{f': {s.turn_list(turns)}' if turns else ''}.",
            )
        return s.told()
    if not counted:
        s.say(s.all_turns(), zh="没有记录到检索。", en="No retrieval was recorded.")
        return s.told()
    ranked = sorted(counted, key=lambda doc: -len(counted[doc]))
    if not s.cues & {"most", "least"}:
        told = s.listed([f"{s.name(doc)} × {len(counted[doc])}" for doc in ranked])
        s.say(
            (*s.all_turns(), *ranked[:MOST]),
            zh=f"共 {len(ranked)} 篇文档{zh}：{told}。",
            en=f"{len(ranked)} documents: {told}.",
        )
        return s.told()
    best = len(counted[ranked[0 if "most" in s.cues else -1]])
    for doc in [doc for doc in ranked if len(counted[doc]) == best][:MOST]:
        where = s.turn_list(counted[doc])
        s.say(
            (doc, *(f"t{turn}" for turn in counted[doc])),
            zh=f"{s.name(doc)} {zh}{'最多' if 'most' in s.cues else '最少'}，共 {best} 次，在{where}。",
            en=f"{s.name(doc)} {en} {'most' if 'most' in s.cues else 'least'} often, {best} times, in {where}.",
        )
        s.rows.append({"id": doc, "name": doc[4:], "kind": "doc", "times": best})
    return s.told()


def retrieving(s: Saying) -> Found:
    """In which turns something was retrieved, or nothing was."""
    none = "none" in s.cues
    turns = [turn.number for turn in s.record.turns.values() if bool(turn.stages) != none]
    told = s.turn_list(turns) if turns else ""
    s.say(
        [f"t{turn}" for turn in turns] or s.all_turns(),
        zh=f"{'没有' if none else '有'}检索的轮次：{told or '无'}。",
        en=f"Turns with{'out' if none else ''} a retrieval: {told or 'none'}.",
    )
    return s.told()


def documents(s: Saying) -> Found:
    """Which documents the session knows."""
    docs = [node.id for node in s.record.of_kind("doc")]
    if not docs:
        s.say(s.all_turns(), zh="没有记录到文档。", en="No document was recorded.")
        return s.told()
    s.say(docs[:MOST], zh=f"共 {len(docs)} 篇文档：{s.names(docs)}。", en=f"{len(docs)} documents: {s.names(docs)}.")
    s.rows += [{"id": doc, "name": doc[4:], "kind": "doc"} for doc in docs]
    return s.told()
