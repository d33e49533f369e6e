"""What an import of LangGraph's records could not carry over, in words."""

from __future__ import annotations

EVENTS, HISTORY, STREAM = "langgraph-events", "langgraph-history", "langgraph-stream"
FORMATS = (EVENTS, HISTORY, STREAM)

NO_RETRIEVER = (
    "No retriever of LangChain ran; what nodes search by other means is not in these events.",
    "没有运行 LangChain 的检索器；节点以其他方式进行的检索不在这些事件中。",
)
"""(en, zh) for events without a retrieval: that a graph searches in a function of its own leaves no trace."""

LEFT = {
    "conditions": (
        "Of {n:,} steps it is not recorded which conditional edge led to them.",
        "有 {n:,} 步没有记录是由哪条条件边进入的。",
    ),
    "pieces": (
        "{n:,} pieces of streamed answers were left out; the answers are told whole.",
        "略去了流式输出的 {n:,} 个片段；回答已完整呈现。",
    ),
    "steps": (
        "{n:,} runs of prompts and parsers were left out.",
        "略去了 {n:,} 次提示模板与解析器的运行。",
    ),
    "id_times": (
        "This source records no times; those of {n:,} events are taken from the ids of their runs.",
        "该来源没有记录时间；有 {n:,} 个事件的时间取自其运行标识。",
    ),
    "unended": (
        "{n:,} runs have no end in this recording: they failed, were broken off, or go on.",
        "有 {n:,} 次运行在这份记录中没有结束：失败、中断或仍在进行。",
    ),
    "headless": (
        "This recording begins in the middle: what came before is not in it.",
        "这份记录从中途开始：之前的内容不在其中。",
    ),
    "unthreaded": (
        "{n:,} events name no thread; they are told as one session.",
        "有 {n:,} 个事件没有写明线程，合为一个会话呈现。",
    ),
    "branches": (
        "The thread went on from {n:,} branches that it had left; each is told as a session of its own.",
        "该线程曾从 {n:,} 个已离开的分支继续；每个分支各作为一个会话呈现。",
    ),
    "states_reordered": (
        "{n:,} states stand elsewhere in the file than in time; they are told by time, and the session's first event "
        "keeps their order in the file.",
        "有 {n:,} 个状态在文件中的位置与时间先后不一致；按时间排列，文件中的顺序记在会话的第一个事件里。",
    ),
}
"""(en, zh) for each word that `Found.left` counts it under."""
