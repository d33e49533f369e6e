"""Questions about slots: who wrote one, what it held, who read it, what was overwritten, cleared, leaked or missing."""

from __future__ import annotations

from lingbot_map.ask.bases.session.record import shown
from lingbot_map.ask.bases.session.saying import MOST, Saying
from lingbot_map.ask.types import Chain, Found
from lingbot_map.model import Edge
from lingbot_map.query import why_stale
from lingbot_probes.codec import same_json


def asked_slots(s: Saying) -> list[str]:
    """The slots that a question names, by name or by a value that one had."""
    edges = s.record.map.edges
    return list(dict.fromkeys([*s.ids("slot"), *(edges[id].target for id in s.ids("value") if id in edges)]))


def overwriting(s: Saying, slot: str) -> list[tuple[Edge, Edge]]:
    """(the write before, the write) wherever another value was put over one that stood."""
    found: list[tuple[Edge, Edge]] = []
    before: Edge | None = None
    for edge in s.record.writes.get(slot, ()):
        if edge.props["change"] == "changed" and before is not None:
            found.append((before, edge))
        before = edge
    return found


def writer(s: Saying) -> Found:
    """Who wrote a slot, and who put another value over it."""
    slots = asked_slots(s)
    values = set(s.ids("value"))
    for slot in slots:
        writes = s.record.writes.get(slot, [])
        over = overwriting(s, slot)
        if s.turns:
            writes = [edge for edge in writes if edge.turn in s.turns]
            over = [pair for pair in over if pair[1].turn in s.turns]
        if values and not s.ids("slot"):
            wanted = [s.record.map.edges[id].props["value"] for id in values]
            writes = [edge for edge in writes if any(same_json(edge.props["value"], value) for value in wanted)]
        _written(s, slot, writes, over)
    return s.told()


def writes_of_an_intent(s: Saying) -> Found:
    """What was written, or cleared, for an intent."""
    intents = s.ids("intent")
    cleared = "clear" in s.cues and "write" not in s.cues
    found = [
        edge
        for writes in s.record.writes.values()
        for edge in writes
        if s.record.task_of(edge) in intents and (edge.props["change"] == "cleared") >= cleared
    ]
    for edge in sorted(found, key=lambda edge: edge.seq)[:MOST]:
        _one_write(s, edge)
    if not found:
        names = s.names(intents)
        s.say(intents, zh=f"没有记录到 {names} 写入变量。", en=f"{names} wrote no slot.")
    return s.told()


def _written(s: Saying, slot: str, writes: list[Edge], over: list[tuple[Edge, Edge]]) -> None:
    name = s.name(slot)
    asks_over = "overwrite" in s.cues
    if "whether" in s.cues:
        s.verdict = "yes" if (over if asks_over else writes) else "no"
    if not writes:
        turns = [f"t{turn}" for turn in s.turns] or s.all_turns()
        where = s.turn_list(s.turns)
        at_zh, at_en = (f"{where}没有", f" in {where}") if s.turns else ("从未", "")
        s.say(turns, zh=f"{name} {at_zh}被写入。", en=f"{name} was {'not' if s.turns else 'never'} written{at_en}.")
        return
    if "many" in s.cues:
        count = len(over if asks_over else writes)
        did_zh, did_en = ("改写", "overwritten") if asks_over else ("写入", "written")
        s.say(
            tuple(f"t{edge.turn}" for edge in ([new for _, new in over] if asks_over and over else writes)[:MOST]),
            zh=f"{name} 被{did_zh} {count} 次。",
            en=f"{name} was {did_en} {count} time{'s' * (count != 1)}.",
        )
    if asks_over and over:
        for old, new in over[-MOST:]:
            task = s.record.task_of(new)
            a, b = shown(old.props["value"]), shown(new.props["value"])
            s.say(
                (f"t{new.turn}", new.id, f"t{old.turn}", old.id),
                zh=f"{name} 在第{new.turn}轮{s.by(task) or '被'}改写：由 {a}（第{old.turn}轮写入）改为 {b}。",
                en=f"{name} was overwritten in turn {new.turn}{s.by(task)}: from {a} (set in turn {old.turn}) to {b}.",
            )
            s.chains.append(_write_chain(new))
        return
    if "stage_first" in s.cues:
        writes = writes[:1]
    if asks_over and not s.turns and "many" not in s.cues:
        count = len(writes)
        s.say(
            tuple(f"t{edge.turn}" for edge in writes[:MOST]),
            zh=f"{name} {'只被写入过 1 次' if count == 1 else f'被写入 {count} 次'}，没有被改成别的值。",
            en=f"{name} was written {'once' if count == 1 else f'{count} times'}, never over another value.",
        )
    for edge in writes[-MOST:]:
        _one_write(s, edge)


def _one_write(s: Saying, edge: Edge) -> None:
    task, value, said = s.record.task_of(edge), shown(edge.props["value"]), s.record.turns.get(edge.turn)
    name = s.name(edge.target)
    heard = shown(said.said) if said is not None else ""
    if edge.props["change"] == "cleared":
        s.say(
            (f"t{edge.turn}", edge.id),
            zh=f"第{edge.turn}轮{s.by(task)}清空了 {name}。",
            en=f"In turn {edge.turn} {name} was cleared{s.by(task)}.",
        )
        return
    zh_heard, en_heard = (f"（用户说「{heard}」）", f' (the user said "{heard}")') if heard else ("", "")
    s.say(
        (f"t{edge.turn}", edge.id),
        zh=f"第{edge.turn}轮{s.by(task)}写入 {name} = {value}{zh_heard}。",
        en=f"In turn {edge.turn} {name} = {value} was written{s.by(task)}{en_heard}.",
    )
    s.chains.append(_write_chain(edge))


def _write_chain(edge: Edge) -> Chain:
    return Chain(items=(edge.target, edge.id, f"t{edge.turn}"), links=("written", "in turn"))


def value(s: Saying) -> Found:
    """What a slot holds, now or after a turn, and who wrote that."""
    for slot in asked_slots(s):
        for turn in s.turns or [0]:
            _value(s, slot, turn)
    return s.told()


def _value(s: Saying, slot: str, turn: int) -> None:
    map = s.record.map
    name = s.name(slot)
    if turn and "before_turn" in s.cues:
        turn = max((number for number in s.record.turns if number < turn), default=turn)
    seq = s.record.turns[turn].end if turn else map.seq
    props = map.props_at(slot, seq)
    when_zh, when_en = (f"第{turn}轮之后", f"after turn {turn}") if turn else ("现在", "now")
    place = (f"t{turn}",) if turn else s.all_turns()
    write = s.record.write_at(slot, seq)
    if not props.get("seq"):
        s.say(
            place,
            zh=f"{name} {'到第' + str(turn) + '轮为止' if turn else ''}还没有被写入。",
            en=f"{name} has not been written{f' up to turn {turn}' if turn else ''}.",
        )
        return
    task = s.record.task_of(write) if write is not None else ""
    cites = (f"t{props['turn']}", *((write.id,) if write is not None else ()), slot, *(place if turn else ()))
    if not props["set"]:
        s.say(
            cites,
            zh=f"{name} {when_zh}为空：第{props['turn']}轮{s.by(task)}清空。",
            en=f"{name} is empty {when_en}: cleared in turn {props['turn']}{s.by(task)}.",
        )
        return
    held = shown(props["value"])
    stale = not turn and map.nodes[slot].expired
    s.say(
        cites,
        zh=f"{name} {when_zh}是 {held}，第{props['turn']}轮{s.by(task)}写入{'，已过期' if stale else ''}。",
        en=f"{name} is {held} {when_en}, written in turn {props['turn']}{s.by(task)}"
        f"{'; it has expired' if stale else ''}.",
    )
    s.rows.append({"id": slot, "name": slot[5:], "kind": "slot", "value": props["value"], "turn": props["turn"]})
    if write is not None:
        s.chains.append(_write_chain(write))


def overwrites(s: Saying) -> Found:
    """Which slots had another value put over theirs."""
    found = {slot: over for slot in s.record.writes if (over := _in_turns(s, overwriting(s, slot)))}
    if "whether" in s.cues or "all" in s.cues:
        s.verdict = "yes" if found else "no"
    if not found:
        s.say(s.all_turns(), zh="没有变量被覆盖过。", en="No slot was overwritten.")
        return s.told()
    ranked = sorted(found, key=lambda slot: -len(found[slot])) if "most" in s.cues else list(found)
    for slot in ranked[:MOST]:
        name = s.name(slot)
        for old, new in found[slot][-MOST:]:
            task = s.record.task_of(new)
            a, b = shown(old.props["value"]), shown(new.props["value"])
            s.say(
                (f"t{old.turn}", f"t{new.turn}", old.id, new.id),
                zh=f"{name}：第{old.turn}轮写入的 {a} 在第{new.turn}轮{s.by(task)}被覆盖为 {b}。",
                en=f"{name}: {a} of turn {old.turn} was overwritten with {b} in turn {new.turn}{s.by(task)}.",
            )
        s.rows.append({"id": slot, "name": slot[5:], "kind": "slot", "times": len(found[slot])})
    return s.told()


def _in_turns(s: Saying, pairs: list[tuple[Edge, Edge]]) -> list[tuple[Edge, Edge]]:
    return [pair for pair in pairs if not s.turns or pair[1].turn in s.turns]


def readers(s: Saying) -> Found:
    """Who read a slot, or what was read in a turn."""
    named = asked_slots(s)
    if not named and not s.turns and not s.ids("intent") and s.cues & {"not", "none"} and "slot" in s.cues:
        return _never_read(s)
    slots = named or list(s.record.reads)
    for slot in slots[: MOST * 2]:
        reads = [edge for edge in s.record.reads.get(slot, ()) if not s.turns or edge.turn in s.turns]
        if intents := s.ids("intent"):
            reads = [edge for edge in reads if s.record.task_of(edge) in intents]
        if not reads:
            continue
        by_task: dict[str, list[Edge]] = {}
        for edge in reads:
            by_task.setdefault(s.record.task_of(edge), []).append(edge)
        for task, edges in by_task.items():
            shown_values = s.listed(list(dict.fromkeys(shown(edge.props["value"]) for edge in edges)))
            turns = s.turn_list(edge.turn for edge in edges)
            who_zh, who_en = (f"被 {s.name(task)} ", f" by {s.name(task)}") if task else ("被", "")
            s.say(
                (*(f"t{edge.turn}" for edge in edges[:MOST]), *(edge.id for edge in edges[:MOST])),
                zh=f"{s.name(slot)} 在{turns}{who_zh}读取，值是 {shown_values}。",
                en=f"{s.name(slot)} was read in {turns}{who_en}, as {shown_values}.",
            )
    if "whether" in s.cues:
        s.verdict = "no" if s.silent else "yes"
    if s.silent:
        cites = [f"t{turn}" for turn in s.turns] or list(s.all_turns())
        what = s.names(named)
        s.say(cites, zh=f"没有记录到{what}被读取。", en=f"No reading{f' of {what}' if what else ''} was recorded.")
    return s.told()


def _never_read(s: Saying) -> Found:
    """The slots that were written and that nothing read."""
    slots = [slot for slot in s.record.writes if not s.record.reads.get(slot)]
    if not slots:
        s.say(s.all_turns(), zh="写入过的变量都被读取过。", en="Every slot that was written was read.")
        return s.told()
    cites = [f"t{edge.turn}" for slot in slots[:MOST] for edge in s.record.writes[slot][:1]]
    s.say(
        (*cites, *(slot for slot in slots[:MOST])),
        zh=f"从未被读取的变量有 {len(slots)} 个：{s.names(slots)}。",
        en=f"{len(slots)} slot{'s were' if len(slots) != 1 else ' was'} never read: {s.names(slots)}.",
    )
    return s.told()


def leaks(s: Saying) -> Found:
    """Values that were written for one task and read for another."""
    slots = asked_slots(s) or list(s.record.reads)
    told: set[tuple[str, int, str]] = set()
    for slot in slots:
        for read in s.record.reads.get(slot, ()):
            key = (slot, read.props["written"], read.props["task"])
            if (s.turns and read.turn not in s.turns) or key in told or why_stale(s.record.map, read) != "task":
                continue
            told.add(key)
            if len(told) <= MOST:
                _leak(s, slot, read)
    if c := s.cues & {"whether", "all"}:
        s.verdict = "yes" if told and c else "no"
    if not told:
        s.say(
            [f"t{turn}" for turn in s.turns] or s.all_turns(),
            zh=f"没有发现{s.names(asked_slots(s)) or '变量'}被别的业务读取。",
            en=f"No value{f' of {s.names(asked_slots(s))}' if asked_slots(s) else ''} was read by another task.",
        )
    return s.told()


def _leak(s: Saying, slot: str, read: Edge) -> None:
    write = s.record.map.edges.get(f"assign:{read.props['written']}")
    owner = f"intent:{s.record.map.props_at(slot, read.seq).get('task', '')}"
    turn, reader = read.props["written_turn"], s.record.task_of(read)
    s.say(
        (f"t{read.turn}", f"t{turn}", read.id, *((write.id,) if write is not None else ())),
        zh=f"{s.name(slot)} = {shown(read.props['value'])} 是第{turn}轮为 {s.name(owner)} 写入的，"
        f"第{read.turn}轮被 {s.name(reader)} 读取，其间没有清空。",
        en=f"{s.name(slot)} = {shown(read.props['value'])} was written in turn {turn} for {s.name(owner)} and read in "
        f"turn {read.turn} for {s.name(reader)} without being cleared.",
    )
    if write is not None:
        s.chains.append(Chain(items=(f"t{read.turn}", read.id, write.id, f"t{turn}"), links=("read", "written", "in")))


def clears(s: Saying) -> Found:
    """Which slots were emptied, and when."""
    slots = asked_slots(s) or list(s.record.writes)
    for slot in slots:
        for edge in s.record.writes.get(slot, ()):
            if edge.props["change"] == "cleared" and (not s.turns or edge.turn in s.turns):
                _one_write(s, edge)
    if "whether" in s.cues:
        s.verdict = "no" if s.silent else "yes"
    if s.silent:
        s.say(
            [f"t{turn}" for turn in s.turns] or s.all_turns(),
            zh=f"{s.names(asked_slots(s)) + ' 没有' if asked_slots(s) else '没有变量'}被清空过。",
            en=f"{s.names(asked_slots(s)) or 'No slot'} was {'not ' if asked_slots(s) else ''}cleared.",
        )
    return s.told()


def lacks(s: Saying) -> Found:
    """Which required slots were empty when a router chose, and in which turns."""
    wanted = asked_slots(s)
    for turn in s.record.turns.values():
        if s.turns and turn.number not in s.turns:
            continue
        for edge in turn.routes:
            missing = [f"slot:{slot}" for slot in edge.props.get("missing", ())]
            if missing and (not wanted or set(wanted) & set(missing)):
                names = s.names(missing)
                s.say(
                    (turn.id, edge.id),
                    zh=f"第{turn.number}轮进入 {s.name(edge.target)} 时缺 {names}。",
                    en=f"In turn {turn.number}, on the way to {s.name(edge.target)}, {names} was missing.",
                )
            elif s.turns and (condition := edge.props.get("condition")):
                s.say(
                    (turn.id, edge.id),
                    zh=f"第{turn.number}轮进入 {s.name(edge.target)} 的条件是：{condition}。",
                    en=f"The condition on the way to {s.name(edge.target)} in turn {turn.number}: {condition}.",
                )
    if s.silent:
        s.say(
            [f"t{turn}" for turn in s.turns] or s.all_turns(),
            zh="没有记录到缺失的槽位。",
            en="No missing slot was recorded.",
        )
    return s.told()


def slots(s: Saying) -> Found:
    """Which slots there are, and what each holds at a turn or now."""
    map = s.record.map
    turn = s.turns[-1] if s.turns else 0
    seq = s.record.turns[turn].end if turn else map.seq
    held = [
        (node.id, props)
        for node in s.record.of_kind("slot")
        if (props := map.props_at(node.id, seq)).get("set") and (turn or props["seq"])
    ]
    if "most" in s.cues:
        ranked = sorted(s.record.writes, key=lambda slot: -len(s.record.writes[slot]))
        if ranked:
            writes = s.record.writes[ranked[0]]
            s.say(
                tuple(f"t{edge.turn}" for edge in writes[:MOST]),
                zh=f"{s.name(ranked[0])} 被写入最多，共 {len(writes)} 次。",
                en=f"{s.name(ranked[0])} was written most, {len(writes)} times.",
            )
            return s.told()
    where = s.turn(turn) if turn else ""
    if not held:
        place = [f"t{turn}"] if turn else s.all_turns()
        s.say(
            place,
            zh=f"{where + '之后' if turn else '现在'}没有任何变量有值。",
            en=f"No slot holds a value {where or 'now'}.",
        )
        return s.told()
    told = s.listed([f"{s.name(slot)} = {shown(props['value'])}" for slot, props in held])
    s.say(
        (*((f"t{turn}",) if turn else ()), *(slot for slot, _ in held[:MOST])),
        zh=f"{where + '之后' if turn else '现在'}有值的变量共 {len(held)} 个：{told}。",
        en=f"{len(held)} slot{'s hold' if len(held) != 1 else ' holds'} a value "
        f"{'after ' + where if turn else 'now'}: {told}.",
    )
    s.rows += [{"id": slot, "name": slot[5:], "kind": "slot", "value": props["value"]} for slot, props in held]
    return s.told()
