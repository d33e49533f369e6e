"""The encoded recent past of one session, for viewers: pure bookkeeping, no clock and no socket.

A viewer is a number: the seq that it has applied. What it is sent is everything after that number which is *shown*,
so connecting, lagging and coming back are the same question. The tail keeps at most 1 MiB; whoever is further behind
starts afresh from a keyframe.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import islice

MAX_TAIL = 1024 * 1024
"""Bytes of encoded deltas that are kept: how far behind a viewer may fall."""


class Tail:
    """The pieces (encoded deltas, one an event) of seqs ``first`` to ``last``; viewers see those up to ``shown``.

    ``shared`` is for whoever encodes batches: what was made since the last ``show``, by the seq after which it begins.
    """

    __slots__ = ("_pieces", "epoch", "first", "last", "shared", "shown", "size", "watchers")

    def __init__(self, epoch: str, last: int) -> None:
        self.epoch = epoch
        self.first = last + 1
        self.last = last
        self.shown = last
        self.size = 0
        self.shared: dict[int, tuple[int, bytes]] = {}
        self.watchers: set[Callable[[], None]] = set()
        self._pieces: deque[bytes] = deque()

    def add(self, piece: bytes) -> None:
        """The deltas of the next event. Old pieces go when there are more than ``MAX_TAIL`` bytes."""
        self._pieces.append(piece)
        self.last += 1
        self.size += len(piece)
        while self.size > MAX_TAIL and len(self._pieces) > 1:
            self._forget_one()

    def restart(self, epoch: str) -> None:
        """Numbers count in another ``epoch`` from here on: nobody can go on from before."""
        self.epoch = epoch
        self.drop()

    def drop(self) -> None:
        """Forget all pieces; those who stand at the end don't need them."""
        self._pieces.clear()
        self.first = self.last + 1
        self.size = 0
        self.shared.clear()

    def show(self) -> None:
        """Let everybody see what has come, and wake those who watch."""
        self.shown = self.last
        self.shared.clear()
        for wake in tuple(self.watchers):
            wake()

    def holds_after(self, seq: int) -> bool:
        """Whether everything after ``seq`` is here."""
        return self.first - 1 <= seq <= self.last

    def after(self, seq: int, most: int) -> tuple[int, list[bytes]]:
        """(last, pieces) of what is shown after ``seq``, cut behind the piece that takes it past ``most`` bytes.

        ``seq`` must be one that ``holds_after`` affirms.
        """
        taken: list[bytes] = []
        size = 0
        for piece in islice(self._pieces, seq + 1 - self.first, max(0, self.shown + 1 - self.first)):
            taken.append(piece)
            size += len(piece)
            if size >= most:
                break
        return seq + len(taken), taken

    def _forget_one(self) -> None:
        self.size -= len(self._pieces.popleft())
        self.first += 1
