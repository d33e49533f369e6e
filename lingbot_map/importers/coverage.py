"""What a layer of an imported session is worth, and what could not be carried over: computed from what was found."""

from __future__ import annotations

from typing import Any

from lingbot_map.importers import ag_ui_lost, agents_lost, dialogflow_lost, langgraph_lost, spans_lost
from lingbot_probes.adapters.scribe import Found

Facts = dict[str, Any]

_UNTIMED = ("sgd", "crosswoz", "kdconv")
# They hold what a search gave, and not how it came about.
_RANKED = ("botframework", "sgd", "crosswoz", "star", "table", dialogflow_lost.NAME)
# Where these tell of no search there was none.
_SEARCHING = ("sgd", "crosswoz", "star", "kdconv", "recording")
_STATED = ("sgd", "crosswoz", "star", dialogflow_lost.NAME)
# That these tell of a route without a confidence leaves nothing open: wiring, a page, or that nothing matched.
_SURE = (langgraph_lost.EVENTS, dialogflow_lost.NAME)
# What traces and annotations hold beside the chat: no slots.
_STATELESS = (
    "botframework", "kdconv", "table", "openinference", "otlp", "openai-agents", "openai-agents-state", "atif",
    "langfuse", "langsmith", ag_ui_lost.NAME,
)  # fmt: skip
_LEFT = {
    "positions": (
        "Where in the text {n:,} values stand was left out.",
        "略去了 {n:,} 个取值在原文中的位置。",
    ),
    "spellings": (
        "{n:,} further spellings of values were left out; the first one stands for all.",
        "略去了取值的 {n:,} 种其他写法；以第一种为准。",
    ),
    "user_state": (
        "The goals of the simulated user beside {n:,} messages were left out: they are no slots of the bot.",
        "略去了 {n:,} 条消息旁模拟用户的目标列表：它们不是机器人的槽位。",
    ),
    "columns": (
        "{n:,} columns that no mapping names were left out.",
        "有 {n:,} 列未在映射中指定，已略去。",
    ),
    "empty_rows": (
        "{n:,} rows hold nothing in the columns that were named.",
        "有 {n:,} 行在所指定的列中没有内容。",
    ),
    "stack": (
        "{n:,} updates of the dialogue stack do not fit what came before; they are kept as they came.",
        "有 {n:,} 次对话栈的更新与之前的状态对不上，按原样保留。",
    ),
    "header": (
        "{n:,} long facts about the dialogue were left out.",
        "略去了 {n:,} 项关于该对话的过长信息。",
    ),
    **spans_lost.LEFT,
    **agents_lost.LEFT,
    **langgraph_lost.LEFT,
    **dialogflow_lost.LEFT,
    **ag_ui_lost.LEFT,
}
"""What adapters leave out: (en, zh) for each word that `Found.left` counts it under."""


def coverage(format: str, found: Found) -> dict[str, str]:
    """``full``, ``partial`` or ``none`` for each layer: how far its emptiness can be believed."""
    said = found.said
    turns, writes = said["turn_started"], said["slot_assigned"] + said["slot_cleared"]
    if not said["intent_routed"]:
        # A tracker holds what was understood of every message: where nobody spoke, nothing is missing.
        flow = "full" if format == "rasa" and not turns else "none"
    elif found.routed_turns >= turns and (not found.unsure or format in _SURE):
        flow = "full"
    else:
        flow = "partial"
    if format == "botframework" and flow == "full":
        flow = "partial"  # recognisers say what was understood; which result the bot followed is not recorded
    if said["slot_read"]:
        state = "full" if writes else "partial"
    elif writes or (format == "rasa" and found.kept["action"]) or format in _STATED:
        state = "partial"  # these hold every write, so no write is a fact; reads they never hold
    elif format in langgraph_lost.FORMATS and said["intent_routed"]:
        state = "partial"  # likewise: each step's state was seen
    else:
        state = "none"
    if not said["retrieved"]:
        knowledge = "none"
    elif found.stages["prompt"] and (found.stages["reranked"] or found.stages["fused"]):
        knowledge = "full"
    else:
        knowledge = "partial"
    return {"flow": flow, "state": state, "knowledge": knowledge}


def lost(format: str, found: Found, unread: int) -> list[Facts]:
    """What this recording does not hold or could not be carried over, as {code, count, en, zh}."""
    out: list[Facts] = []
    said = found.said
    turns = said["turn_started"]

    def tell(code: str, count: int, en: str, zh: str) -> None:
        out.append({"code": code, "count": count, "en": en, "zh": zh})

    if unread:
        tell(
            "unread",
            unread,
            f"{unread:,} records could not be read; each is a gap on the map.",
            f"有 {unread:,} 条记录无法读取，在图上各显示为一处缺口。",
        )
    if format == "chat":
        tell(
            "chat_only",
            0,
            "A chat file holds what was said alone: no times, no intents, no slots, no retrievals.",
            "聊天文件只有对话内容：没有时间、意图、槽位和检索信息。",
        )
    elif format == "botframework" and not _traced(found):
        tell(
            "chat_only",
            0,
            "This recording holds the chat alone: no intents, no slots, no retrievals.",
            "这份记录只有聊天内容：没有意图、槽位和检索信息。",
        )
    else:
        if turns > found.routed_turns:
            count = turns - found.routed_turns
            tell(
                "unrouted",
                count,
                f"For {count:,} of {turns:,} turns no intent was recorded.",
                f"共 {turns:,} 轮，其中 {count:,} 轮没有记录意图。",
            )
        if format == "botframework" and said["intent_routed"]:
            tell(
                "followed",
                0,
                "Recognisers' results are recorded, not which of them the bot followed; from 0.5 on a result counts as "
                "followed.",
                "记录的是识别器的结果，而不是机器人实际采用的结果；得分不低于 0.5 的视为已采用。",
            )
        if not said["slot_read"]:
            if said["slot_assigned"] or said["slot_cleared"]:
                tell(
                    "reads",
                    0,
                    "This source records who wrote a slot, not who read it.",
                    "该来源只记录槽位由谁写入，不记录由谁读取。",
                )
            elif format in _STATELESS:
                tell("state", 0, "This source does not record the bot's state.", "该来源没有记录机器人的状态。")
        if not said["retrieved"] and format == langgraph_lost.EVENTS:
            tell("knowledge", 0, *langgraph_lost.NO_RETRIEVER)
        elif not said["retrieved"] and format == dialogflow_lost.NAME:
            tell("knowledge", 0, *dialogflow_lost.NO_SIGNALS)
        elif not said["retrieved"] and format not in _SEARCHING:
            tell("knowledge", 0, "This source does not record retrieval.", "该来源没有记录检索过程。")
        elif said["retrieved"] and format in _RANKED:
            tell(
                "stages",
                0,
                "Of each retrieval only the final list is recorded, not how it came about.",
                "每次检索只记录了最终列表，没有记录其产生过程。",
            )
    for code, (en, zh) in _LEFT.items():
        if count := found.left[code]:
            tell(code, count, en.format(n=count), zh.format(n=count))
    if format in _UNTIMED or found.left["untimed"]:
        tell("untimed", 0, "This source records no times.", "该来源没有记录时间。")
    if found.left["metadata"]:
        count = found.left["metadata"]
        tell(
            "metadata",
            count,
            f"The metadata of {count:,} messages was left out.",
            f"略去了 {count:,} 条消息的附加元数据。",
        )
    if found.left["state"]:
        count = found.left["state"]
        tell(
            "state_cut",
            count,
            f"{count:,} values of the bot's state were left out: more than 500 in one snapshot.",
            f"机器人状态中有 {count:,} 个值未导入：单个快照超过 500 个。",
        )
    if found.backwards:
        count = found.backwards
        tell(
            "backwards",
            count,
            f"{count:,} records carry an earlier time than one before them; the order of the log was kept.",
            f"有 {count:,} 条记录的时间早于其前面的记录；保留日志中的原有顺序。",
        )
    if found.timeless and format != "chat":
        count = found.timeless
        tell(
            "timeless",
            count,
            f"{count:,} records carry no usable time.",
            f"有 {count:,} 条记录没有可用的时间。",
        )
    return out


def _traced(found: Found) -> bool:
    said = found.said
    return bool(said["intent_routed"] or said["slot_assigned"] or said["retrieved"])
