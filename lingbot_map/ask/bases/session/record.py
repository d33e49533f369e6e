"""A map read once for questions: what happened in each turn, to each slot, with each document.

What was undone is left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from lingbot_map.ask.types import Item, Lang
from lingbot_map.events import KINDS
from lingbot_map.graph import DialogueMap
from lingbot_map.layers import BLANK
from lingbot_map.model import Edge, Finding, Node

_LONGEST = 120  # characters of a value in a sentence


@dataclass(slots=True)
class Stage:
    """One stage of a retrieval: its recall edges, best first."""

    name: str
    seq: int
    edges: list[Edge] = field(default_factory=list)

    def edge(self, doc: str) -> Edge | None:
        """The edge to a document, if the stage returned it."""
        return next((edge for edge in self.edges if edge.target == doc), None)


@dataclass(slots=True)
class TurnRecord:
    """What happened in a turn, each list in the order of events. ``end`` is its last event."""

    number: int
    said: str = ""
    end: int = 0
    routes: list[Edge] = field(default_factory=list)
    moves: list[Edge] = field(default_factory=list)
    writes: list[Edge] = field(default_factory=list)
    reads: list[Edge] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    merges: list[Edge] = field(default_factory=list)
    answers: list[Node] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def id(self) -> str:
        """What it is cited as."""
        return f"t{self.number}"

    @property
    def answered(self) -> str:
        """All that the bot said in it."""
        return " ".join(node.props["text"] for node in self.answers)

    def prompted(self) -> list[str]:
        """The documents that the answer was made from: those of the prompt, else those it names."""
        found = [edge.target for stage in self.stages if stage.name == "prompt" for edge in stage.edges]
        return list(dict.fromkeys(found or [edge.source for edge in self.merges]))


class Record:
    """A map, indexed by turn and by slot. ``last`` is the number of the newest turn, ``first`` of the oldest kept."""

    def __init__(self, map: DialogueMap) -> None:
        self.map = map
        self.turns = {number: TurnRecord(number) for number in sorted(map.turns)}
        self.writes: dict[str, list[Edge]] = {}
        self.reads: dict[str, list[Edge]] = {}
        self._fold()
        self.last = map.turn
        self.first = min(self.turns, default=0)

    def _fold(self) -> None:
        map, turns = self.map, self.turns
        for place, number in enumerate(map.moment_turn):
            if number in turns:
                turns[number].end = map.first_moment + place
        struck = bool(map.undone)
        for edge in map.edges.values():
            if not (struck and map.is_undone(edge.seq)):
                self._edge(edge)
        for node in map.nodes.values():
            if node.kind == "utterance":
                if (turn := turns.get(int(node.id[10:]))) is not None:
                    turn.said = node.props["text"]
            elif node.kind == "answer" and node.turn in turns and not (struck and map.is_undone(node.seq)):
                turns[node.turn].answers.append(node)
        for finding in map.findings.values():
            if finding.turn in turns:
                turns[finding.turn].findings.append(finding)

    def _edge(self, edge: Edge) -> None:
        if edge.kind == "assign":
            self.writes.setdefault(edge.target, []).append(edge)
        elif edge.kind == "read":
            self.reads.setdefault(edge.source, []).append(edge)
        turn = self.turns.get(edge.turn)
        if turn is None:
            return
        if edge.kind == "jump":
            (turn.routes if edge.id.startswith("jump:") else turn.moves).append(edge)
        elif edge.kind == "assign":
            turn.writes.append(edge)
        elif edge.kind == "read":
            turn.reads.append(edge)
        elif edge.kind == "merge":
            turn.merges.append(edge)
        elif edge.kind == "recall":
            if not turn.stages or turn.stages[-1].seq != edge.seq:
                turn.stages.append(Stage(edge.props["stage"], edge.seq))
            turn.stages[-1].edges.append(edge)

    # --- names ---

    def label(self, id: str, lang: Lang) -> str:
        """What a node is called in a sentence: its name, with its label where that is another."""
        name = id.partition(":")[2]
        node = self.map.nodes.get(id)
        if node is None or node.label in (name, BLANK):
            return name
        return f"{name}（{node.label}）" if lang == "zh" else f"{name} ({node.label})"

    def of_kind(self, kind: str) -> list[Node]:
        """The nodes of a kind, in the order in which they appeared."""
        return [node for node in self.map.nodes.values() if node.kind == kind]

    def task_of(self, edge: Edge) -> str:
        """For whom a slot was written or read: the intent's id, "" if nobody said."""
        task = edge.props.get("task") or ""
        if task:
            return f"intent:{task}"
        end = edge.source if edge.kind == "assign" else edge.target
        return end if end.startswith("intent:") else ""

    def write_at(self, slot: str, seq: int) -> Edge | None:
        """The write that made the value which ``slot`` had after event ``seq``."""
        return self.map.edges.get(f"assign:{self.map.props_at(slot, seq).get('seq', 0)}")

    # --- items ---

    def item(self, id: str) -> Item | None:
        """The turn, edge, node, finding or event that ``id`` names."""
        map = self.map
        if id[:1] == "t" and id[1:].isascii() and id[1:].isdigit() and len(id) < 12:
            turn = self.turns.get(int(id[1:]))
            return None if turn is None or str(turn.number) != id[1:] else self._turn_item(turn)
        if (edge := map.edges.get(id)) is not None:
            return self._item(id, edge.kind, _told(edge), edge.turn, edge.seq)
        if (node := map.nodes.get(id)) is not None:
            told = node.props.get("text") or node.props.get("snippet") or shown(node.props)
            return self._item(id, node.kind, str(told), node.turn, node.seq, node.label)
        if (finding := map.findings.get(id)) is not None:
            text = finding.reason["zh"]
            return self._item(id, "finding", text, finding.turn, finding.seq, f"{finding.code} {finding.kind}")
        if id.startswith("event:") and id[6:].isascii() and id[6:].isdigit() and len(id) < 20:
            moment = map.moment(int(id[6:]))
            if moment is not None:
                return self._item(id, "event", KINDS[moment.kind], moment.turn, int(id[6:]))
        return None

    def _turn_item(self, turn: TurnRecord) -> Item:
        flow = " → ".join(edge.target[7:] for edge in turn.routes)
        text = " | ".join(part for part in (turn.said, flow, turn.answered) if part)
        return self._item(turn.id, "turn", text, turn.number, turn.end, turn.id)

    def _item(self, id: str, kind: str, text: str, turn: int, seq: int, title: str = "") -> Item:
        props = {"turn": turn, "seq": seq}
        place = f"t{turn}, {seq}"
        return Item(id=id, kind=kind, text=text, title=title or id, source=self.map.session, place=place, props=props)


def _told(edge: Edge) -> str:
    """What an edge says, without words of any language: names, values, scores."""
    props = edge.props
    source, target = edge.source.partition(":")[2], edge.target.partition(":")[2]
    if edge.kind == "assign":
        return f"{source} → {target} = {shown(props['value'])}"
    if edge.kind == "overwrite":
        return f"{target}: {shown(props['old'])} → {shown(props['new'])}"
    if edge.kind == "read":
        return f"{source} = {shown(props['value'])} → {target}"
    parts = [props.get("confidence"), props.get("condition"), props.get("stage"), props.get("rank"), props.get("score")]
    return " ".join([source, "→", target, *(shown(part) for part in parts if part not in (None, ""))])


def shown(value: Any) -> str:
    """A value as a sentence shows it: text as it is, the rest as JSON; long ones cut."""
    text = value if type(value) is str else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
