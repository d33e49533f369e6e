"""Threads in which questions are worked on: a few at a time, and none that a map waits for when it ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


class Workers:
    """At most ``most`` pieces of work at the same time; others wait."""

    def __init__(self, most: int) -> None:
        self._room = asyncio.Semaphore(most)

    async def do(self, work: Callable[[], T]) -> T:
        """What ``work`` gives, or what it raises. Who is cancelled is not kept; their thread counts until it ends.

        The thread is a daemon: reading a large folder takes a minute, and Ctrl-C shall not.
        """
        await self._room.acquire()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(given: Any, fault: BaseException | None) -> None:
            self._room.release()
            if future.cancelled():
                return
            if fault is not None:
                future.set_exception(fault)
            else:
                future.set_result(given)

        def run() -> None:
            given, fault = None, None
            try:
                given = work()
            except BaseException as why:
                fault = why
            with suppress(RuntimeError):  # the loop has ended: nobody waits
                loop.call_soon_threadsafe(settle, given, fault)

        threading.Thread(target=run, name="ask", daemon=True).start()
        return await future
