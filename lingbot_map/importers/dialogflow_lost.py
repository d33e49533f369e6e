"""What an import of Dialogflow CX's records could not carry over, in words."""

from __future__ import annotations

NAME = "dialogflow"

NO_SIGNALS = (
    "No data store signals are recorded; a request has to ask for them (populateDataStoreConnectionSignals).",
    "没有记录数据存储区的检索信号；需在请求中设置 populateDataStoreConnectionSignals 才会返回。",
)
"""(en, zh) for a conversation without a retrieval."""

LEFT = {
    "missing_turns": (
        "{n:,} turns are missing by the source's own numbers.",
        "按来源自身的编号，缺少 {n:,} 轮。",
    ),
    "capped": (
        "The export ends at 500 turns of a conversation; what came after is not in it.",
        "该导出每个会话最多 500 轮，之后的内容不在其中。",
    ),
    "transitions": (
        "Of {n:,} page changes it is not recorded which route led to them: the turns have no diagnostic info.",
        "有 {n:,} 次页面切换没有记录经由哪条路由：这些轮次没有诊断信息。",
    ),
    "unsure_matches": (
        "For {n:,} matched intents no confidence was recorded.",
        "有 {n:,} 个匹配的意图没有记录置信度。",
    ),
    "audio": (
        "The audio of {n:,} turns was left out.",
        "略去了 {n:,} 轮的音频。",
    ),
    "step_metrics": (
        "The latencies of the inner steps of {n:,} turns were left out.",
        "略去了 {n:,} 轮内部步骤的耗时。",
    ),
    "actions": (
        "{n:,} actions of playbooks were left out: more than 500 in one turn.",
        "略去了 Playbook 的 {n:,} 个动作：单轮超过 500 个。",
    ),
    "interactions_reordered": (
        "{n:,} turns stand elsewhere in the file than in time; they are told by time.",
        "有 {n:,} 轮在文件中的位置与时间先后不一致；按时间排列。",
    ),
    "order_unknown": (
        "The turns of this conversation carry no times; they are told from the last to the first, as the service lists "
        "them.",
        "该会话的各轮没有时间；服务端按从新到旧列出，故从后往前呈现。",
    ),
}
"""(en, zh) for each word that `Found.left` counts it under."""
