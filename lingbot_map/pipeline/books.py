"""The books of each source: what it made, and what became of it. They balance, or something was lost unseen.

For every source: ``produced = accepted + missing + refused + held``, exactly. ``repeated`` are copies of what was
accepted before and stand beside the sum, as do the values that were ``masked``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lingbot_map.events import Event, Gap
from lingbot_map.pipeline.batches import is_stand_in

MAX_SOURCES = 1000
"""The books of so many sources are kept; those that were silent longest are closed first."""


class Account:
    """One source since the map's process started. ``held`` came out of order and waits for what is before it."""

    __slots__ = ("accepted", "last_at", "masked", "missing", "probe", "produced", "received", "refused", "repeated")

    def __init__(self) -> None:
        self.probe = ""
        self.produced = 0
        self.received = 0
        self.accepted = 0
        self.missing = 0
        self.refused = 0
        self.masked = 0
        self.repeated = 0
        self.last_at = 0.0

    @property
    def held(self) -> int:
        """What has come and is neither placed nor refused yet, or has not come and is not missed yet."""
        return self.produced - self.accepted - self.missing - self.refused


class Books:
    """The accounts of all sources, in the order in which they last said something."""

    def __init__(self) -> None:
        self.accounts: dict[str, Account] = {}

    def of(self, source: str) -> Account:
        """The account of ``source``, opened if there is none."""
        account = self.accounts.pop(source, None) or Account()
        self.accounts[source] = account
        while len(self.accounts) > MAX_SOURCES:
            del self.accounts[next(iter(self.accounts))]
        return account

    def placed(self, events: Iterable[Event]) -> None:
        """Count events that intake placed: signals, and the gaps it declared; a late signal makes its gap smaller."""
        for event in events:
            signal = event.signal
            if event.n:
                account = self.of(event.source)
                if is_stand_in(event):
                    account.refused += 1
                else:
                    account.accepted += 1
                account.masked += event.masked
                if event.late:
                    account.missing -= 1
            elif type(signal) is Gap and signal.source:
                self.of(signal.source).missing += signal.last - signal.first + 1

    def copied(self, events: Iterable[Event], now: float) -> None:
        """Count as made what a log says was made, before ``placed`` counts what became of it."""
        for event in events:
            signal = event.signal
            if event.n:
                account = self.of(event.source)
                account.produced += not event.late  # a late one was made when its gap was
                account.received += 1
                account.last_at = now
            elif type(signal) is Gap and signal.source:
                self.of(signal.source).produced += signal.last - signal.first + 1

    def report(self) -> list[dict[str, Any]]:
        """One row a source, the most recent first."""
        return [
            {
                "source": source,
                "probe": account.probe,
                "produced": account.produced,
                "received": account.received,
                "accepted": account.accepted,
                "repeated": account.repeated,
                "missing": account.missing,
                "refused": account.refused,
                "held": account.held,
                "masked": account.masked,
                "last_at": account.last_at,
            }
            for source, account in reversed(self.accounts.items())
        ]
