"""Writes the vectors: ``python -m tests.vectors.make``. A test compares them with what the code makes today."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from lingbot_map import codec, query
from lingbot_map.events import Described, EpochStarted, PolicySet
from lingbot_map.mapper import Mapper
from lingbot_probes.signals import Doc, Failed, Raw, SessionEnded, SessionStarted, Undone
from tests.builders import Dialogue, answered, assigned, cleared, read, recalled, routed, said

FOLDER = Path(__file__).parent


def a_turn(d: Dialogue) -> None:
    d.own(EpochStarted(epoch="e1"))
    d.own(PolicySet())
    d.own(Described(facts={"origin": "probe"}))
    d.tell(SessionStarted(title="套餐变更", meta={"channel": "app"}), answered("您好"))
    d.tell(
        said("我想改套餐", turn="t1"), routed("plan", 0.94, label="套餐变更", required=("phone",), missing=("phone",))
    )
    d.tell(assigned("phone", "138··6621", scope="session", label="手机号"), read("phone", reader="lookup"))
    d.tell(recalled("vector", {"a": 0.9, "b": 0.5}), recalled("prompt", {"a": 0.9}), answered("好的", "a"))


def slots(d: Dialogue) -> None:
    d.tell(said("一"), routed("after_sale"), assigned("brand", "星途"), assigned("ticket", None))
    d.tell(said("二"), routed("price", 0.55), read("brand"), assigned("brand", "轻语"), cleared("brand"))
    d.wait(2000)
    d.tell(said("三"), read("brand"), assigned("brand", {"__proto__": [1, None]}), SessionEnded(reason="bye"))


def loops(d: Dialogue) -> None:
    d.tell(said("hello"), assigned("channel", "app"))
    for intent in ("plan", "dispute", "appeal", "plan", "dispute", "appeal", "plan"):
        d.tell(said(f"about {intent}"), routed(intent, 0.6, condition="ticket = null" if intent == "appeal" else ""))
    d.tell(said("again"), routed("plan", 0.5, missing=("phone",)))


def knowledge(d: Dialogue) -> None:
    a = Doc(id="a@1", title="Plan A", score=0.8, version="2023-03", updated_at=1.6e9, hits=28, near=(("b", 0.87),))
    b = Doc(id="b", title="Plan B", score=0.9, version="2025-05", hits=3, dropped_because="budget")
    for k in range(2):
        d.tell(
            said(f"which plan? {k}"), recalled("vector", [b, a]), recalled("reranked", [a, b]), recalled("prompt", [a])
        )
        d.tell(answered("Plan A", "a@1"), Failed(where="billing", error="<b>timeout</b>"), Raw(name="odd", data=[1]))


def losses(d: Dialogue) -> None:
    d.tell(said("one"))
    d.arrive([d.number(answered("five"), 5)], numbered=5)
    d.arrive([d.number(answered("three"), 3)])
    d.tell(said("other"), source="worker")
    d.arrive([d.number(answered("two"), 2), d.number(answered("four"), 4)])
    d.arrive([], numbered=8)


def undoing(d: Dialogue) -> None:
    d.tell(said("a", turn="t1"), routed("plan"), assigned("phone", "138"))
    d.tell(said("b", turn="t2"), routed("bill"), assigned("phone", "139"), assigned("month", "May"))
    d.tell(Undone(turn="t2", why="rewind"), said("c", turn="t3"), routed("repair"))


def retiring(d: Dialogue) -> None:
    d.own(PolicySet(values={"kept_turns": 2}))
    for k in range(1, 6):
        d.tell(said(f"u{k}"), routed("plan", k / 10), assigned("phone", k), recalled("vector", {"a": k / 10}))
        d.tell(answered(f"a{k}", "a"))


def differing(d: Dialogue) -> None:
    d.tell(said("一"), routed("after_sale"), assigned("brand", "星途"), assigned("code", "4071", scope="turn"))
    d.tell(assigned("phone", "138", scope="session"), assigned("plan", {"fee": 59, "gift": ["a"]}))
    d.tell(said("二"), routed("price"), read("brand"), read("phone"), read("code"), assigned("phone", "138"))
    d.tell(assigned("plan", {"gift": ["a"], "fee": 59}), assigned("month", None), read("none"))
    d.tell(said("三"), assigned("plan", {"gift": ["b"], "fee": 59}), cleared("code"), assigned("brand", "轻语"))


def blanks(d: Dialogue) -> None:
    d.tell(
        SessionStarted(title=" "), said("\u3000"), routed(" ", label="\t"), assigned("\u200b", 1), read("", reader=" ")
    )
    d.tell(recalled("vector", [Doc(id=" ", title="\n", score=0.5)]), answered(" ", "\u2028"))
    d.tell(said("x"), routed("plan", label="Plan"), routed("plan", label=" "), assigned("\u200b", 2, label="号码"))


CASES: dict[str, Callable[[Dialogue], None]] = {
    case.__name__: case for case in (a_turn, slots, loops, knowledge, losses, undoing, retiring, differing, blanks)
}


def vector(name: str) -> dict[str, Any]:
    """The vector ``name`` as the code makes it now."""
    dialogue = Dialogue(f"vector-{name}")
    CASES[name](dialogue)
    return _written(name, dialogue)


def damaged() -> dict[str, Any]:
    """A log in which events are missing."""
    dialogue = Dialogue("vector-damaged")
    dialogue.tell(said("a"), answered("b"), said("c"), answered("d"))
    mapper = Mapper(session="vector-damaged")
    dialogue.deltas = [delta for event in (dialogue.events[0], dialogue.events[3]) for delta in mapper.apply(event)]
    dialogue.mapper = mapper
    return _written("damaged", dialogue)


def _written(name: str, dialogue: Dialogue) -> dict[str, Any]:
    return {
        "name": name,
        "session": dialogue.map.session,
        "deltas": msgspec.json.decode(codec.encode_deltas(dialogue.deltas)),
        "dump": msgspec.json.decode(msgspec.json.encode(codec.dump(dialogue.map))),
        "keyframe": msgspec.json.decode(codec.keyframe(dialogue.map)),
        "differences": _differences(dialogue),
    }


def _differences(dialogue: Dialogue) -> list[Any]:
    """[before, after, how the slots differ] for each turn against the one before, and for a few longer stretches."""
    map = dialogue.map
    ends = sorted({turn.seq - 1 for turn in map.turns.values()} | {map.seq})
    pairs = [*pairwise(ends), (0, map.seq), (map.seq // 3, map.seq * 2 // 3), (map.seq // 2, map.seq)]
    return [[before, after, query.slots_between(map, before, after)._asdict()] for before, after in pairs]


def all_vectors() -> dict[str, dict[str, Any]]:
    """All of them by name."""
    return {**{name: vector(name) for name in CASES}, "damaged": damaged()}


def as_text(value: dict[str, Any]) -> str:
    """A vector as its file holds it: one delta, node or edge a line."""
    head = {key: value[key] for key in ("name", "session")}
    lines = ",\n".join(json.dumps(delta, ensure_ascii=False) for delta in value["deltas"])
    rest = ",\n".join(
        f'"{key}": {json.dumps(value[key], ensure_ascii=False)}' for key in ("dump", "keyframe", "differences")
    )
    return json.dumps(head, ensure_ascii=False)[:-1] + f',\n"deltas": [\n{lines}\n],\n{rest}\n}}\n'


if __name__ == "__main__":
    for name, value in all_vectors().items():
        (FOLDER / f"{name}.json").write_text(as_text(value), "utf-8")
