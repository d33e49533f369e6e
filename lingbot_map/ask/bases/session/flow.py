"""Questions about the flow: jumps, loops, how sure the router was, which intents were visited."""

from __future__ import annotations

from collections import Counter

from lingbot_map.ask.bases.session.saying import MOST, Saying
from lingbot_map.ask.types import Chain, Found
from lingbot_map.model import Edge


def changes(s: Saying) -> list[tuple[str, Edge]]:
    """(the intent before, the routing) wherever the dialogue went over to another intent."""
    found: list[tuple[str, Edge]] = []
    before = ""
    for turn in s.record.turns.values():
        for edge in turn.routes:
            if before and edge.target != before:
                found.append((before, edge))
            before = edge.target
    return found


def confidence_of(edge: Edge) -> float | None:
    """How sure the router was."""
    value = edge.props.get("confidence")
    return value if type(value) in (int, float) else None


def told_jump(s: Saying, before: str, edge: Edge) -> None:
    """One sentence on one jump: from, to, how sure, under which condition, what was missing."""
    sure = confidence_of(edge)
    zh, en = "", ""
    if sure is not None:
        zh, en = f"，置信度 {sure:g}", f", confidence {sure:g}"
    if condition := edge.props.get("condition"):
        zh, en = f"{zh}，条件：{condition}", f"{en}, condition: {condition}"
    if missing := edge.props.get("missing"):
        names = s.names(f"slot:{slot}" for slot in missing)
        zh, en = f"{zh}，缺 {names}", f"{en}, missing {names}"
    target = s.name(edge.target)
    frm_zh, frm_en = (f"从 {s.name(before)} ", f" from {s.name(before)}") if before else ("", "")
    s.say(
        (f"t{edge.turn}", edge.id),
        zh=f"第{edge.turn}轮{frm_zh}跳到 {target}{zh}。",
        en=f"In turn {edge.turn} the dialogue went{frm_en} to {target}{en}.",
    )


def jumps(s: Saying) -> Found:
    """Which jumps there were: all, those of turns, those to or between intents."""
    found = changes(s)
    wanted = set(s.ids("intent"))
    if wanted:
        one = 0 if "leaving" in s.cues else 1
        found = [
            pair
            for pair in found
            if (wanted <= {pair[0], pair[1].target} if len(wanted) > 1 else (pair[0], pair[1].target)[one] in wanted)
        ]
    if s.turns:
        found = [pair for pair in found if pair[1].turn in s.turns]
    if "lacks" in s.cues:
        found = [pair for pair in found if pair[1].props.get("missing")]
    if "whether" in s.cues:
        s.verdict = "yes" if found else "no"
    cites = [f"t{turn}" for turn in s.turns] or list(s.all_turns())
    if not found:
        where = s.turn_list(s.turns)
        s.say(
            cites,
            zh=f"{where}没有跳转到别的意图。",
            en=f"There was no jump to another intent{' in ' + where if where else ''}.",
        )
        return s.told()
    if not s.turns:
        turns = s.turn_list(edge.turn for _, edge in found)
        s.say(
            [f"t{edge.turn}" for _, edge in found[:MOST]],
            zh=f"共 {len(found)} 次跳转，在{turns}。",
            en=f"There {'was 1 jump' if len(found) == 1 else f'were {len(found)} jumps'}, in {turns}.",
        )
    for before, edge in found[:MOST]:
        told_jump(s, before, edge)
    return s.told()


def visits(s: Saying) -> Found:
    """When the dialogue was in an intent, and how often it came there."""
    for intent in s.ids("intent"):
        routes = [edge for turn in s.record.turns.values() for edge in turn.routes if edge.target == intent]
        came = [edge for _, edge in changes(s) if edge.target == intent]
        if not routes:
            s.say(s.all_turns(), zh=f"没有路由到 {s.name(intent)}。", en=f"{s.name(intent)} was never routed to.")
            continue
        turns = s.turn_list(edge.turn for edge in routes)
        s.say(
            (*(f"t{edge.turn}" for edge in routes[:MOST]), intent),
            zh=f"{s.name(intent)} 出现在{turns}，共 {len(routes)} 次路由。",
            en=f"{s.name(intent)} was routed to {len(routes)} time{'s' * (len(routes) != 1)}, in {turns}.",
        )
        if s.cues & {"jump", "which_turn"}:
            for before, edge in [pair for pair in changes(s) if pair[1] in came][:MOST]:
                told_jump(s, before, edge)
    return s.told()


def intents(s: Saying) -> Found:
    """Which intents there were, the most visited first where that is asked."""
    counts = Counter(edge.target for turn in s.record.turns.values() for edge in turn.routes)
    if not counts:
        s.say(s.all_turns(), zh="没有记录到意图。", en="No intent was recorded.")
        return s.told()
    if "now" in s.cues and not s.cues & {"most", "least", "many"}:
        edge = next(turn.routes[-1] for turn in reversed(s.record.turns.values()) if turn.routes)
        name = s.name(edge.target)
        s.say(
            (f"t{edge.turn}", edge.id),
            zh=f"最后的意图是 {name}，在第{edge.turn}轮。",
            en=f"The last intent is {name}, in turn {edge.turn}.",
        )
        return s.told()
    ranked = [intent for intent, _ in counts.most_common()] if s.cues & {"most", "least"} else list(counts)
    if s.cues & {"most", "least"}:
        best = counts[ranked[0 if "most" in s.cues else -1]]
        ranked = [intent for intent in ranked if counts[intent] == best]
        turns = [t.id for t in s.record.turns.values() if any(edge.target in ranked for edge in t.routes)]
        s.say(
            (*turns[:MOST], *ranked[:MOST]),
            zh=f"{s.names(ranked)} 出现{'最多' if 'most' in s.cues else '最少'}，{best} 次。",
            en=f"{s.names(ranked)} was routed to {'most' if 'most' in s.cues else 'least'}: {best} times.",
        )
    else:
        told = s.listed([f"{s.name(intent)} × {counts[intent]}" for intent in ranked])
        s.say(
            (*s.all_turns(), *ranked[:MOST]),
            zh=f"共 {len(ranked)} 个意图：{told}。",
            en=f"{len(ranked)} intents were routed to: {told}.",
        )
    s.rows += [{"id": i, "name": i[7:], "kind": "intent", "times": counts[i]} for i in ranked]
    return s.told()


def loops(s: Saying) -> Found:
    """Where the flow came back to an intent that it had left, and whether that is a finding."""
    legs: list[tuple[str, int, str]] = []  # (intent, the turn in which it was come to, the routing)
    last: dict[str, int] = {}
    found: list[tuple[int, int]] = []
    for turn in s.record.turns.values():
        for edge in turn.routes:
            if legs and legs[-1][0] == edge.target:
                continue
            legs.append((edge.target, turn.number, edge.id))
            place = last.get(edge.target)
            if place is not None:
                found.append((place, len(legs) - 1))
            last[edge.target] = len(legs) - 1
    if s.turns:
        found = [(a, b) for a, b in found if any(legs[a][1] <= turn <= legs[b][1] for turn in s.turns)]
    if wanted := set(s.ids("intent")):
        found = [(a, b) for a, b in found if wanted & {leg[0] for leg in legs[a : b + 1]}]
    findings = [f for f in s.record.map.findings.values() if f.kind == "loop" and (not s.turns or f.turn in s.turns)]
    if s.cues & {"whether", "all"}:
        s.verdict = "yes" if found or findings else "no"
    if not found and not findings:
        cites = [f"t{turn}" for turn in s.turns] or s.all_turns()
        s.say(
            cites,
            zh="没有环路：流程没有回到离开过的意图。",
            en="There is no loop: the flow never came back to an intent.",
        )
        return s.told()
    for a, b in found[:MOST]:
        path = legs[a : b + 1]
        arrow = " → ".join(s.name(leg[0]) for leg in path[:MOST])
        turns = s.turn_list(leg[1] for leg in path)
        s.say(
            [f"t{leg[1]}" for leg in path[:MOST]],
            zh=f"环路：{arrow}（{turns}）。",
            en=f"Loop: {arrow} ({turns}).",
        )
        s.chains.append(Chain(items=tuple(leg[2] for leg in path[:MOST]), links=("then",) * (min(len(path), MOST) - 1)))
    if len(found) > MOST:
        s.say(s.all_turns(), zh=f"共 {len(found)} 个环路。", en=f"There are {len(found)} loops in all.")
    for finding in findings[:MOST]:
        reason = finding.reason[s.lang]
        s.say((f"t{finding.turn}", finding.id), zh=f"{finding.code}：{reason}。", en=f"{finding.code}: {reason}.")
    return s.told()


_COMPARED = {
    "lt": ("低于 {a:g} ", "below {a:g}"),
    "le": ("不高于 {a:g} ", "at most {a:g}"),
    "gt": ("高于 {a:g} ", "above {a:g}"),
    "ge": ("不低于 {a:g} ", "at least {a:g}"),
    "eq": ("等于 {a:g} ", "equal to {a:g}"),
    "between": ("在 {a:g} 与 {b:g} 之间", "between {a:g} and {b:g}"),
}


def _passes(how: str, x: float, a: float, b: float) -> bool:
    if how == "between":
        return a <= x <= b
    return (x == a and how in ("le", "ge", "eq")) or (x < a and how in ("lt", "le")) or (x > a and how in ("gt", "ge"))


def confidence(s: Saying) -> Found:
    """Turns whose routing was as sure as asked: a bound, the lowest, the highest, the policy's low ones."""
    routed = [
        (edge, sure)
        for turn in s.record.turns.values()
        if not s.turns or turn.number in s.turns
        for edge in turn.routes
        if (sure := confidence_of(edge)) is not None
    ]
    if wanted := set(s.ids("intent")):
        routed = [(edge, sure) for edge, sure in routed if edge.target in wanted]
    if not routed:
        return s.nothing(zh="没有记录置信度。", en="No confidence was recorded.")
    bounds = s.question.constraints.get("bounds")
    if bounds is None and s.cues & {"lowest", "highest"}:
        best = (min if "lowest" in s.cues else max)(sure for _, sure in routed)
        routed = [(edge, sure) for edge, sure in routed if sure == best]
        zh, en = ("最低", "the lowest") if "lowest" in s.cues else ("最高", "the highest")
    else:
        how, a, b = bounds or ("lt", s.record.map.policy.low_confidence, 0.0)
        routed = [(edge, sure) for edge, sure in routed if _passes(how, sure, a, b)]
        zh, en = (text.format(a=a, b=b) for text in _COMPARED[how])
    if "whether" in s.cues:
        s.verdict = "yes" if routed else "no"
    if not routed:
        s.say(s.all_turns(), zh=f"没有置信度{zh}的轮次。", en=f"No turn has a confidence {en}.")
        return s.told()
    turns = list(dict.fromkeys(edge.turn for edge, _ in routed))
    told = s.listed([f"{s.turn(edge.turn)} {s.name(edge.target)} {sure:g}" for edge, sure in routed])
    s.say(
        (*(f"t{turn}" for turn in turns), *(edge.id for edge, _ in routed)),
        zh=f"置信度{zh}的有 {len(turns)} 轮：{told}。",
        en=f"{len(turns)} turn{'s have' if len(turns) != 1 else ' has'} a confidence "
        f"{'that is ' if 'the ' in en else ''}{en}: {told}.",
    )
    s.rows += [{"turn": edge.turn, "confidence": sure, "intent": edge.target} for edge, sure in routed]
    return s.told()
