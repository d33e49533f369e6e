"""What an import of AG-UI's events could not carry over, in words."""

from __future__ import annotations

NAME = "ag-ui"

LEFT = {
    "deltas": (
        "{n:,} deltas do not fit the state before them; they are kept as they came.",
        "有 {n:,} 个状态增量与之前的状态对不上，按原样保留。",
    ),
    "large_values": (
        "{n:,} large values of the state were cut, as a probe cuts them.",
        "状态中有 {n:,} 个较大的值被截短，与探针的做法一致。",
    ),
    "reasoning": (
        "{n:,} events of reasoning were left out.",
        "略去了 {n:,} 个推理过程的事件。",
    ),
    "activities": (
        "{n:,} events of activities and of the framework itself were left out.",
        "略去了 {n:,} 个活动事件与框架自身的事件。",
    ),
}
"""(en, zh) for each word that `Found.left` counts it under."""
