"""What an import of agents' recordings could not carry over, in words."""

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
}
"""(en, zh) for each word that `Found.left` counts it under."""
