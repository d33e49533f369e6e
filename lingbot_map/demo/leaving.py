"""How a demo program ends: told by a signal, or because the map that began it has gone."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType


def told_to_leave(parent: int | None) -> Callable[[float], bool]:
    """What waits so many seconds, and says whether to leave: after SIGTERM or SIGINT, or once ``parent`` is no longer
    the parent process."""
    leave = threading.Event()

    def asked_to_leave(_signal: int, _frame: FrameType | None) -> None:
        leave.set()

    signal.signal(signal.SIGTERM, asked_to_leave)
    signal.signal(signal.SIGINT, asked_to_leave)

    def stop(seconds: float) -> bool:
        return leave.wait(max(seconds, 0)) or (parent is not None and os.getppid() != parent)

    return stop
