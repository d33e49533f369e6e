"""What an import of recordings of agents and of their frameworks could not carry over, in words."""

from __future__ import annotations

LEFT = {
    "context": (
        "The application's own context is kept in the session's first event; when it was written, and by whom, is not "
        "recorded.",
        "应用自身的上下文保存在会话的第一个事件中；何时写入、由谁写入没有记录。",
    ),
    "sandbox": (
        "The state of the run's sandbox was left out.",
        "略去了该次运行的沙箱状态。",
    ),
    "zoneless": (
        "The times of {n:,} rows name no zone; they are taken as UTC.",
        "有 {n:,} 行的时间没有注明时区，按 UTC 处理。",
    ),
    "declared": (
        "{n:,} reads are those that the actions declare; whether a value was really used is not recorded.",
        "有 {n:,} 次读取来自动作的声明；是否真正用到了该值没有记录。",
    ),
    "streams": (
        "{n:,} rows on the beginning and end of streams were left out.",
        "略去了 {n:,} 行流式输出起止信息。",
    ),
}
"""(en, zh) for each word that `Found.left` counts it under."""
