"""Why: short chains of causes, answer <- prompt <- rank <- route and answer <- slot <- write <- turn."""

from __future__ import annotations

from lingbot_map.ask.bases.session.flow import changes, confidence_of, told_jump
from lingbot_map.ask.bases.session.recalls import place, stage_name, told_place
from lingbot_map.ask.bases.session.record import Stage, TurnRecord, shown
from lingbot_map.ask.bases.session.saying import MOST, Saying
from lingbot_map.ask.bases.session.slots import asked_slots, value
from lingbot_map.ask.bases.session.turns import findings
from lingbot_map.ask.text import folded
from lingbot_map.ask.types import Chain, Found
from lingbot_map.model import Edge
from lingbot_map.query import why_stale


def why_answer(s: Saying) -> Found:
    """Why turns were answered as they were: the slots that were read, the documents in the prompt, the route."""
    numbers = s.turns or _answering(s)
    if not numbers:
        return s.nothing(
            zh="没有记录到这样的回答；请说明是第几轮。", en="No such answer is recorded; say which turn is meant."
        )
    for number in numbers[:3]:
        _why_answer(s, s.record.turns[number])
    return s.told()


def _answering(s: Saying) -> list[int]:
    """The newest turn whose answer rests on what the question names."""
    docs, values = set(s.ids("doc")), {shown(_value(s, id)) for id in s.ids("value")}
    slots = set(s.ids("slot"))
    for turn in reversed(s.record.turns.values()):
        if turn.answers and (
            docs & set(turn.prompted())
            or any(text in turn.answered for text in values)
            or slots & {edge.source for edge in turn.reads}
        ):
            return [turn.number]
    return []


def _value(s: Saying, id: str) -> object:
    edge = s.record.map.edges.get(id)
    return edge.props["value"] if edge is not None else ""


def _why_answer(s: Saying, turn: TurnRecord) -> None:
    before = len(s.told().sentences)
    if turn.answers:
        s.say(
            (turn.id, *(node.id for node in turn.answers)),
            zh=f"第{turn.number}轮回答「{shown(turn.answered)}」。",
            en=f'Turn {turn.number} answered "{shown(turn.answered)}".',
        )
    else:
        s.say((turn.id,), zh=f"第{turn.number}轮没有记录到回答。", en=f"No answer is recorded in turn {turn.number}.")
    read = _relevant(s, turn)
    for edge in read[:MOST]:
        _why_read(s, turn, edge)
    if turn.stages:
        _why_ranked(s, turn)
    elif docs := turn.prompted():
        s.say((turn.id, *docs), zh=f"回答依据 {s.names(docs)}。", en=f"The answer was made from {s.names(docs)}.")
    if turn.routes:
        _routed(s, turn)
    if len(s.told().sentences) <= before + 1:
        s.say(
            (turn.id,),
            zh="这一轮没有记录到槽位读取、检索或路由，原因不明。",
            en="No slot read, retrieval or routing is recorded in it, so the reason is not known.",
        )


def _relevant(s: Saying, turn: TurnRecord) -> list[Edge]:
    """The reads that an answer rests on: named in the question, in its words or query, or of another task. Else all."""
    slots = set(asked_slots(s))
    said = folded(" ".join([turn.answered, *(stage.edges[0].props["query"] for stage in turn.stages if stage.edges)]))
    reads = list({edge.source: edge for edge in turn.reads if edge.props["value"] is not None}.values())
    chosen = [
        edge
        for edge in reads
        if edge.source in slots or folded(shown(edge.props["value"])) in said or why_stale(s.record.map, edge)
    ]
    named = [edge for edge in chosen if edge.source in slots]
    return named or chosen or reads


def _why_read(s: Saying, turn: TurnRecord, read: Edge) -> None:
    """One value that was read: who wrote it, when, and where the task changed without clearing it."""
    map = s.record.map
    name, held = s.name(read.source), shown(read.props["value"])
    write = map.edges.get(f"assign:{read.props['written']}")
    if write is None:
        s.say((turn.id, read.id), zh=f"它读取了 {name} = {held}。", en=f"It read {name} = {held}.")
        return
    stale = why_stale(map, read)
    task = s.record.task_of(write)
    moved = _left(s, write, turn.number) if stale == "task" else None
    cites = (f"t{write.turn}", *((f"t{moved[1].turn}", moved[1].id) if moved else ()), turn.id, read.id, write.id)
    zh = f"它读取了 {name} = {held}，这个值在第{write.turn}轮{s.by(task)}写入"
    en = f"It read {name} = {held}, which was written in turn {write.turn}{s.by(task)}"
    if moved:
        zh += f"；第{moved[1].turn}轮从 {s.name(moved[0])} 转到 {s.name(moved[1].target)} 时没有清空"
        en += (
            f"; it was not cleared when turn {moved[1].turn} went from {s.name(moved[0])} to {s.name(moved[1].target)}"
        )
    elif stale == "task":
        zh, en = f"{zh}，其间没有清空", f"{en} and never cleared"
    elif stale:
        zh, en = f"{zh}，读取时已过期", f"{en} and had expired by then"
    s.say(cites, zh=f"{zh}。", en=f"{en}.")
    items = [*(node.id for node in turn.answers[:1]), turn.id, read.id]
    links = ["answered in", "read"] if turn.answers else ["read"]
    if moved:
        items.append(moved[1].id)
        links.append("not cleared at")
    s.chains.append(Chain(items=(*items, write.id, f"t{write.turn}"), links=(*links, "written", "in turn")))


def _left(s: Saying, write: Edge, until: int) -> tuple[str, Edge] | None:
    """The first jump after a write that left the intent that wrote."""
    owner = s.record.task_of(write)
    for before, edge in changes(s):
        if edge.seq > write.seq and edge.turn <= until and before == owner:
            return before, edge
    return None


def _why_ranked(s: Saying, turn: TurnRecord) -> None:
    """What the retrieval put first, early and late, and what fell out before the prompt."""
    inside = turn.prompted()
    ranked = [stage for stage in turn.stages if stage.name != "prompt" and stage.edges]
    if not ranked:
        s.say((turn.id, *inside), zh=f"进入提示词的是 {s.names(inside)}。", en=f"The prompt held {s.names(inside)}.")
        return
    last = ranked[-1]
    winner = last.edges[0].target
    rivals: dict[str, Stage] = {}
    for stage in ranked[:-1]:
        first = stage.edges[0].target
        if first != winner and first not in rivals:
            rivals[first] = stage
    for rival, stage in rivals.items():
        then = place(s, last, rival)
        out = rival not in inside
        later_zh = f"，{s.name(rival)} {'排' + then if then else '落选'}" + ("，没有进入提示词" if out else "")
        later_en = f" and {s.name(rival)} {then or 'not at all'}" + (", which did not enter the prompt" if out else "")
        earlier = place(s, stage, winner)
        s.say(
            (turn.id, *(e.id for e in (stage.edge(rival), last.edge(winner), last.edge(rival)) if e is not None)),
            zh=f"{stage_name(s, stage.name)}把 {s.name(rival)} 排{place(s, stage, rival)}"
            f"{f'、{s.name(winner)} 排{earlier}' if earlier else ''}；"
            f"{stage_name(s, last.name)}把 {s.name(winner)} 排{place(s, last, winner)}{later_zh}。",
            en=f"{stage_name(s, stage.name).capitalize()} put {s.name(rival)} {place(s, stage, rival)}"
            f"{f' and {s.name(winner)} {earlier}' if earlier else ''}; "
            f"{stage_name(s, last.name)} put {s.name(winner)} {place(s, last, winner)}{later_en}.",
        )
    if not rivals:
        s.say(
            (turn.id, last.edges[0].id),
            zh=f"{stage_name(s, last.name)}把 {s.name(winner)} 排{place(s, last, winner)}，之前的阶段也是如此。"
            if len(ranked) > 1
            else f"{stage_name(s, last.name)}把 {s.name(winner)} 排{place(s, last, winner)}。",
            en=f"{stage_name(s, last.name).capitalize()} put {s.name(winner)} {place(s, last, winner)}"
            f"{', as the stages before had' if len(ranked) > 1 else ''}.",
        )
    if inside:
        s.say(
            (turn.id, *inside[:MOST]),
            zh=f"进入提示词的是 {s.names(inside)}。",
            en=f"The prompt held {s.names(inside)}.",
        )
    else:
        s.say((turn.id,), zh="没有文档进入提示词。", en="No document entered the prompt.")
    told = set(rivals) | {winner}
    for doc in s.ids("doc"):
        if doc not in told and doc not in inside:
            told_place(s, turn, doc)
    for finding in s.record.map.findings.values():
        if finding.kind in ("drift", "stale") and finding.since <= turn.number <= finding.turn:
            s.say(
                (turn.id, finding.id),
                zh=f"{finding.code}：{finding.reason['zh']}。",
                en=f"{finding.code}: {finding.reason['en']}.",
            )
    items = [*(node.id for node in turn.answers[:1])]
    for stage in reversed(turn.stages):
        edge = stage.edge(winner)
        if edge is not None:
            items.append(edge.id)
    items += [edge.id for edge in turn.routes[-1:]]
    s.chains.append(Chain(items=tuple(items), links=("because of",) * (len(items) - 1)))


def _routed(s: Saying, turn: TurnRecord) -> None:
    edge = turn.routes[-1]
    sure = confidence_of(edge)
    zh, en = (f"，置信度 {sure:g}", f" with confidence {sure:g}") if sure is not None else ("", "")
    s.say(
        (turn.id, edge.id),
        zh=f"这一轮路由到 {s.name(edge.target)}{zh}。",
        en=f"The turn was routed to {s.name(edge.target)}{en}.",
    )


def why_jump(s: Saying) -> Found:
    """Why the dialogue went to an intent: how sure, the rivals, the condition, what was missing."""
    wanted = s.ids("intent")
    found = changes(s)
    for number in s.turns:
        here = [pair for pair in found if pair[1].turn == number]
        if not here:
            turn = s.record.turns[number]
            flow = s.names(edge.target for edge in turn.routes)
            s.say(
                (turn.id, *(edge.id for edge in turn.routes)),
                zh=f"第{number}轮没有跳转{f'，仍在 {flow}' if flow else ''}。",
                en=f"There was no jump in turn {number}{f'; it stayed in {flow}' if flow else ''}.",
            )
            continue
        if wanted and not any(_meant(s, wanted, pair) for pair in here):
            s.say(
                (f"t{number}",),
                zh=f"第{number}轮没有跳到 {s.names(wanted)}。",
                en=f"Turn {number} did not go to {s.names(wanted)}.",
            )
        for before, edge in here:
            _why_jump(s, before, edge)
    if s.turns:
        return s.told()
    chosen = [pair for pair in found if not wanted or _meant(s, wanted, pair)]
    if not chosen:
        what = s.names(wanted)
        s.say(
            s.all_turns(),
            zh=f"没有{f'跳到 {what} 的' if what else ''}跳转。",
            en=f"There was no jump{f' to {what}' if what else ''}.",
        )
    for before, edge in chosen[:MOST]:
        _why_jump(s, before, edge)
    return s.told()


def _meant(s: Saying, wanted: list[str], pair: tuple[str, Edge]) -> bool:
    before, edge = pair
    if len(wanted) > 1:
        return set(wanted) <= {before, edge.target}
    return wanted[0] == (before if "leaving" in s.cues else edge.target)


def _why_jump(s: Saying, before: str, edge: Edge) -> None:
    told_jump(s, before, edge)
    turn = s.record.turns[edge.turn]
    low = s.record.map.policy.low_confidence
    sure = confidence_of(edge)
    if turn.said:
        s.say(
            (turn.id,),
            zh=f"这一轮用户说「{shown(turn.said)}」。",
            en=f'In that turn the user said "{shown(turn.said)}".',
        )
    if sure is not None and sure < low:
        s.say((turn.id, edge.id), zh=f"置信度 {sure:g} 低于 {low:g}。", en=f"Confidence {sure:g} is below {low:g}.")
    rivals = [pair for pair in edge.props.get("candidates", ()) if f"intent:{pair[0]}" != edge.target][:2]
    if rivals:
        told = s.listed([f"{name} {share:g}" if share is not None else str(name) for name, share in rivals])
        s.say((turn.id, edge.id), zh=f"其他候选意图：{told}。", en=f"Other candidates: {told}.")
    s.chains.append(Chain(items=(edge.target, edge.id, turn.id), links=("routed", "in turn")))


def why_value(s: Saying) -> Found:
    """Why a slot holds what it holds, or was read as it was in a turn."""
    slots = asked_slots(s)
    for number in s.turns:
        turn = s.record.turns[number]
        for read in {e.source: e for e in turn.reads if e.source in slots}.values():
            _why_read(s, turn, read)
    if s.turns and not s.silent:
        return s.told()
    found = value(s)
    for slot in slots:
        seq = s.record.turns[s.turns[-1]].end if s.turns else s.record.map.seq
        write = s.record.write_at(slot, seq)
        wrote = s.record.turns.get(write.turn) if write is not None else None
        if write is not None and wrote is not None and wrote.said:
            s.say(
                (wrote.id, write.id),
                zh=f"第{wrote.number}轮用户说「{shown(wrote.said)}」。",
                en=f'In turn {wrote.number} the user said "{shown(wrote.said)}".',
            )
            if "clear" in s.cues and (moved := _left(s, write, s.record.last)) is not None:
                frm, to = s.name(moved[0]), s.name(moved[1].target)
                s.say(
                    (f"t{moved[1].turn}", moved[1].id, write.id),
                    zh=f"第{moved[1].turn}轮从 {frm} 转到 {to} 时没有清空，此后也没有记录到清空。",
                    en=f"It was not cleared when turn {moved[1].turn} went from {frm} to {to}, nor after that.",
                )
            if "old" in write.props:
                old = shown(write.props["old"])
                s.say((wrote.id, write.id), zh=f"此前的值是 {old}。", en=f"It was {old} before.")
    return s.told() if not found.abstained else found


def why_document(s: Saying) -> Found:
    """Why a document entered a prompt, or did not: where each stage put it."""
    numbers = s.turns or [turn.number for turn in s.record.turns.values() if turn.stages]
    for doc in s.ids("doc"):
        told = sum(told_place(s, s.record.turns[n], doc) for n in numbers[: MOST * 4])
        if not told and not s.turns:
            s.say((doc,), zh=f"{s.name(doc)} 没有被召回过。", en=f"{s.name(doc)} was never recalled.")
    return s.told()


def why_finding(s: Saying) -> Found:
    """Why there is a finding: its reason, and the turns it rests on."""
    found = findings(s)
    for finding in [f for f in s.record.map.findings.values() if not s.turns or f.turn in s.turns][:3]:
        items = [id for id in (*finding.edges[:6], *finding.nodes[:3]) if s.record.item(id) is not None]
        s.chains.append(Chain(items=(finding.id, *items), links=("rests on",) * len(items)))
    return s.told() if s.chains else found
