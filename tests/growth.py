"""How the time of some work grows with its size, told so that other work on the machine does not decide."""

from __future__ import annotations

import time
from collections.abc import Callable

GOES = 8
"""So often is each size tried at the most."""


Work = Callable[[], object]


def grows_within(times: float, part: Work, whole: Work, *, beside: float = 0.05) -> bool:
    """Whether ``whole`` takes at most ``times`` the processor time of ``part``, ``beside`` seconds apart.

    The best of the goes counts, and they alternate: caches that other processes empty make one go slower, while work
    that grows too quickly is too slow in each of them.
    """
    least = most = float("inf")
    for _ in range(GOES):
        least, most = min(least, _seconds(part)), min(most, _seconds(whole))
        if most <= times * least + beside:
            return True
    return False


def _seconds(work: Work) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
