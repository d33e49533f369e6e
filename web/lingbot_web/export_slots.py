"""Every change of a slot as CSV, in the order in which they happened: who wrote what over what."""

from __future__ import annotations

import math
from collections import defaultdict

from lingbot_map.graph import DialogueMap
from lingbot_web.export_csv import csv_lines, csv_time, csv_value

COLUMNS = ("seq", "turn", "time", "slot", "label", "change", "old", "new", "task", "by", "anomalies")


def slots_csv(map: DialogueMap, *, upto: int | None = None) -> str:
    """The writes and clears up to event ``upto`` (None: now); ``change`` is ``set``, ``changed``, ``same``, ``null`` or
    ``cleared``, ``by`` the intent that wrote (``intent:...``), or the utterance where there was none."""
    last = math.inf if upto is None else upto
    codes: defaultdict[int, list[str]] = defaultdict(list)
    for finding in map.findings.values():
        for seq in dict.fromkeys(finding.seqs):
            if finding.seq <= last:
                codes[seq].append(finding.code)
    rows: list[tuple[str, ...]] = [COLUMNS]
    for edge in sorted((e for e in map.edges.values() if e.kind == "assign" and e.seq <= last), key=lambda e: e.seq):
        props, node = edge.props, map.nodes.get(edge.target)
        cleared = props["change"] == "cleared"
        rows.append((
            str(edge.seq),
            str(edge.turn),
            csv_time(edge.at),
            edge.target.partition(":")[2],
            node.label if node is not None else "",
            str(props["change"]),
            csv_value(props["old"]) if "old" in props else "",
            "" if cleared else csv_value(props["value"]),
            str(props.get("task") or ""),
            edge.source,
            "; ".join(codes[edge.seq]),
        ))  # fmt: skip
    return csv_lines(rows)
