"""What an import of spans could not carry over, in words."""

from __future__ import annotations

LEFT = {
    "unheard": (
        "For {n:,} turns the user's words were not captured.",
        "有 {n:,} 轮没有采集到用户说的话。",
    ),
    "unheard_answers": (
        "For {n:,} turns the answer's words were not captured.",
        "有 {n:,} 轮没有采集到回答的内容。",
    ),
    "reordered": (
        "{n:,} turns stand elsewhere in the file than in time; they are told by time, and the session's first event "
        "keeps their order in the file.",
        "有 {n:,} 轮在文件中的位置与时间先后不一致；按时间排列，文件中的顺序记在会话的第一个事件里。",
    ),
    "rootless": (
        "For {n:,} turns the span around all others is missing; they are told as far as they are there.",
        "有 {n:,} 轮缺少最外层的 span；只按现有部分呈现。",
    ),
    "orphans": (
        "{n:,} spans name a parent that is not in the file; they were put directly into their turn.",
        "有 {n:,} 个 span 的父级不在文件中，已直接归入所在的轮次。",
    ),
    "skewed": (
        "{n:,} spans claim to have begun before their parent; they are told after it.",
        "有 {n:,} 个 span 的开始时间早于其父级，已排在父级之后。",
    ),
    "late": (
        "{n:,} spans came after their turn was told and stand at its end.",
        "有 {n:,} 个 span 在所在轮次呈现之后才到达，排在该轮末尾。",
    ),
    "mixed": (
        "In {n:,} turns spans name several sessions; each is told in the session of its root.",
        "有 {n:,} 轮的 span 写有不同的会话，均归入其根 span 的会话。",
    ),
    "chains": (
        "{n:,} inner steps without a name of an agent or node were left out.",
        "略去了 {n:,} 个没有智能体或节点名称的内部步骤。",
    ),
    "plumbing": (
        "{n:,} spans of databases, requests and the like were left out; what failed in them is told.",
        "略去了 {n:,} 个数据库、网络请求之类的 span；其中的失败已呈现。",
    ),
    "aside": (
        "{n:,} spans of the file belong to traces that have nothing to do with a dialogue.",
        "文件中有 {n:,} 个 span 所属的追踪与对话无关。",
    ),
}
"""(en, zh) for each word that `Found.left` counts it under."""
