"""Maps and deltas as bytes: JSON for the wire, MessagePack for the disk.

One library does both (msgspec), since it knows the value types; what it writes is plain JSON and plain MessagePack.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

import msgspec

from lingbot_map.deltas import Delta
from lingbot_map.graph import DialogueMap, Source
from lingbot_map.model import Edge, Finding, Lost, Node, Turn, Unplaced
from lingbot_map.policy import policy_from

MAP_VERSION = 1
"""Version of the keyframe and of the packed map's shape."""


@cache
def rules() -> str:
    """A fingerprint of the code that concludes a map from events.

    A snapshot holds conclusions. One that other rules drew, if only in other words, is passed over: the log has
    everything, and what the present rules say of it is what counts.
    """
    package = files("lingbot_map")
    rooms = [package, package / "layers", package / "checks"]
    digest = hashlib.sha256()
    for room in rooms:
        for file in sorted(room.iterdir(), key=lambda file: file.name):
            if file.name.endswith(".py"):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


_json = msgspec.json.Encoder()
_msgpack = msgspec.msgpack.Encoder()
_deltas = msgspec.json.Decoder(list[Delta])


def encode_deltas(deltas: Sequence[Delta]) -> bytes:
    """A JSON array of the deltas."""
    return _json.encode(deltas)


def decode_deltas(data: bytes) -> list[Delta]:
    """The reverse. Raises ``msgspec.ValidationError`` naming the place."""
    return _deltas.decode(data)


def dump(map: DialogueMap) -> dict[str, Any]:
    """The whole map as plain JSON values, as the page's fold makes it too; equal maps have equal dumps."""
    plain = msgspec.to_builtins
    return {
        "session": map.session,
        "cursor": plain(map.cursor),
        "at": map.at,
        "about": map.about,
        "nodes": {key: plain(node) for key, node in map.nodes.items()},
        "history": {key: [[seq, props] for seq, props in entries] for key, entries in map.history.items()},
        "edges": {key: plain(edge) for key, edge in map.edges.items()},
        "turns": [plain(turn) for turn in map.turns.values()],
        "findings": {key: plain(value) for key, value in map.findings.items()},
        "losses": [plain(lost) for lost in map.losses.values()],
        "undone": [list(entry) for entry in map.undone],
        "unplaced": [plain(entry) for entry in map.unplaced],
        "sources": {key: [s.mark, s.missing, s.runs] for key, s in map.sources.items()},
        "retired": map.retired,
        "totals": map.totals,
        "moments": {
            "first": map.first_moment,
            "turn": list(map.moment_turn),
            "kind": list(map.moment_kind),
            "at": list(map.moment_at),
        },
    }


def _columns(rows: Iterable[Any], fields: Sequence[str]) -> dict[str, list[Any]]:
    rows = list(rows)
    return {name: [getattr(row, name) for row in rows] for name in fields}


def keyframe(map: DialogueMap) -> bytes:
    """The whole map as columnar JSON for a browser; edges and history refer to nodes by their place in ``nodes.id``."""
    place = {key: i for i, key in enumerate(map.nodes)}
    edges = list(map.edges.values())
    columns = _columns(edges, ("id", "kind", "layer", "turn", "seq", "at", "props"))
    columns["source"] = [place[edge.source] for edge in edges]
    columns["target"] = [place[edge.target] for edge in edges]
    entries = [(place[key], seq, props) for key, all in map.history.items() for seq, props in all]
    return _json.encode(
        {
            "v": MAP_VERSION,
            "session": map.session,
            "cursor": map.cursor,
            "at": map.at,
            "about": map.about,
            "turns": _columns(map.turns.values(), ("number", "id", "seq", "at", "said_at")),
            "nodes": _columns(map.nodes.values(), Node.__struct_fields__),
            "history": {
                "node": [entry[0] for entry in entries],
                "seq": [entry[1] for entry in entries],
                "props": [entry[2] for entry in entries],
            },
            "edges": columns,
            "findings": list(map.findings.values()),
            "losses": list(map.losses.values()),
            "undone": map.undone,
            "unplaced": map.unplaced,
            "sources": {key: {"mark": s.mark, "missing": s.missing, "runs": s.runs} for key, s in map.sources.items()},
            "moments": {
                "first": map.first_moment,
                "turn": list(map.moment_turn),
                "kind": list(map.moment_kind),
                "at": list(map.moment_at),
            },
            "retired": map.retired,
            "totals": map.totals,
        }
    )


class _Packed(msgspec.Struct, array_like=True, gc=False):
    """A map on disk: rows in the order of the value types' fields."""

    version: int
    rules: str
    session: str
    cursor: tuple[str, int]
    at: float
    about: dict[str, Any]
    nodes: list[tuple[Any, ...]]
    history: list[tuple[str, list[tuple[int, dict[str, Any]]]]]
    edges: list[tuple[Any, ...]]
    turns: list[tuple[Any, ...]]
    findings: list[tuple[Any, ...]]
    losses: list[tuple[Any, ...]]
    undone: list[tuple[int, int, str]]
    unplaced: list[tuple[Any, ...]]
    sources: dict[str, tuple[int, list[list[int]], list[list[int]]]]
    retired: int
    totals: dict[str, int]
    first_moment: int
    moment_turn: bytes
    moment_kind: bytes
    moment_at: bytes


_packed = msgspec.msgpack.Decoder(_Packed)


def _says_no_more(node: Node, entries: list[tuple[int, dict[str, Any]]]) -> bool:
    """Whether the history is the node itself, as that of most documents and utterances is: then it is left out."""
    return len(entries) == 1 and entries[0][1] is node.props and entries[0][0] == node.seq


def pack(map: DialogueMap) -> bytearray:
    """The map for a snapshot.

    Rows are made and encoded a thousand at a time: all of those of 200,000 nodes at once would take 30 MB, and as much
    again while the text grows. It is given away as it grew, without a copy.
    """
    nodes, rows = map.nodes, msgspec.structs.astuple
    longer = ((key, entries) for key, entries in map.history.items() if not _says_no_more(nodes[key], entries))
    out = bytearray()
    out.extend(_array_of(len(_Packed.__struct_fields__)))

    def put(value: object) -> None:
        out.extend(_msgpack.encode(value))

    def put_all(items: Iterable[Any], count: int) -> None:
        out.extend(_array_of(count))
        rest = iter(items)
        while part := list(islice(rest, _ROWS)):
            out.extend(memoryview(_msgpack.encode(part))[len(_head_of(len(part))) :])

    put(MAP_VERSION)
    put(rules())
    put(map.session)
    put((map.epoch, map.seq))
    put(map.at)
    put(map.about)
    put_all((rows(node) for node in nodes.values()), len(nodes))
    put_all(longer, sum(not _says_no_more(nodes[key], entries) for key, entries in map.history.items()))
    put_all((rows(edge) for edge in map.edges.values()), len(map.edges))
    put_all((rows(turn) for turn in map.turns.values()), len(map.turns))
    put_all((rows(finding) for finding in map.findings.values()), len(map.findings))
    put_all((rows(lost) for lost in map.losses.values()), len(map.losses))
    put(map.undone)
    put_all((rows(entry) for entry in map.unplaced), len(map.unplaced))
    put({key: (s.mark, s.missing, s.runs) for key, s in map.sources.items()})
    put(map.retired)
    put(map.totals)
    put(map.first_moment)
    put(array("Q", map.moment_turn).tobytes())
    put(map.moment_kind.tobytes())
    put(map.moment_at.tobytes())
    return out


_ROWS = 1000


def _array_of(count: int) -> bytes:
    """How MessagePack begins an array of ``count`` items, at its longest."""
    return b"\xdd" + count.to_bytes(4, "big")


def _head_of(count: int) -> bytes:
    """How the encoder begins one of at most 1,000."""
    return bytes([0x90 | count]) if count < 16 else b"\xdc" + count.to_bytes(2, "big")


def unpack(data: bytes | bytearray | memoryview) -> DialogueMap:
    """The reverse. Raises ``ValueError`` where the bytes are no map of this version, or of other ``rules``."""
    try:
        packed = _packed.decode(data)
    except msgspec.MsgspecError as why:
        raise ValueError(f"packed map: {why}") from None
    if (packed.version, packed.rules) != (MAP_VERSION, rules()):
        raise ValueError(
            f"packed map: expected version {MAP_VERSION} by rules {rules()}, found {packed.version} by {packed.rules}"
        )
    map = DialogueMap(packed.session)
    map.epoch, map.seq = packed.cursor
    map.at = packed.at
    map.about = packed.about
    if "policy" in packed.about:
        map.policy = policy_from(packed.about["policy"])
    map.nodes = {row[0]: Node(*row) for row in packed.nodes}
    longer = dict(packed.history)
    map.history = {key: longer.get(key) or [(node.seq, node.props)] for key, node in map.nodes.items()}
    map.edges = {row[0]: Edge(*row) for row in packed.edges}
    map.turns = {row[0]: Turn(*row) for row in packed.turns}
    map.turn_numbers = {turn.id: turn.number for turn in map.turns.values() if turn.id}
    map.findings = {row[0]: Finding(*row) for row in packed.findings}
    losses = (Lost(*row) for row in packed.losses)
    map.losses = {(lost.source, lost.first): lost for lost in losses}
    map.undone = packed.undone
    map.unplaced = [Unplaced(*row) for row in packed.unplaced]
    map.sources = {key: Source(*value) for key, value in packed.sources.items()}
    map.retired = packed.retired
    counts = packed.totals
    map.turn = counts["turns"]
    map.gone = {"nodes": counts["nodes"] - len(map.nodes), "edges": counts["edges"] - len(map.edges)}
    map.found = {key[8:]: n for key, n in counts.items() if key.startswith("finding:")}
    map.first_moment = packed.first_moment
    turns = array("Q")
    turns.frombytes(packed.moment_turn)
    map.moment_turn = array("L", turns)
    map.moment_kind.frombytes(packed.moment_kind)
    map.moment_at.frombytes(packed.moment_at)
    map.indexes.rebuild(map)
    return map
