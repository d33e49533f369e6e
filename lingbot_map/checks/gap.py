"""LM101: signals did not arrive. No fault of the bot, but whoever reads the map must know that something is missing."""

from __future__ import annotations

from lingbot_map.checks import finding
from lingbot_map.events import Event
from lingbot_map.graph import gap_id
from lingbot_map.model import Finding, Lost

_WHY = {
    "dropped": ("dropped by the probe's full queue", "因探针队列已满而丢弃"),
    "late": ("not arrived in time", "未按时到达"),
    "damaged": ("lost with a damaged part of the log", "随日志损坏而丢失"),
}
_IMPORTED = ("missing from the file that was imported, or unreadable in it", "在导入的文件中缺失或无法读取")


def check(event: Event, lost: Lost) -> Finding:
    """The finding for a loss just noted."""
    en, zh = _WHY.get(lost.why, (lost.why, lost.why))
    if lost.why == "dropped" and lost.source.startswith("import:"):  # a file has no queue
        en, zh = _IMPORTED
    return finding(
        "gap",
        gap_id(lost),
        event,
        since=lost.turn,
        turn=lost.turn,
        nodes=[],
        edges=[],
        seqs=[lost.seq],
        facts={"source": lost.source, "missing": lost.missing, "why": lost.why},
        en=f"{lost.missing} event{'s' if lost.missing != 1 else ''} {en}",
        zh=f"{lost.missing} 条事件{zh}",
    )
