"""The assistant's back office: what is known of a number, made from the number alone, and the tickets it opens."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

from lingbot_map.demo.slots import PLANS_EN, PLANS_ZH


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What the customer's account holds. ``open_ticket`` is ``None`` when nothing is being worked on."""

    plan: str
    left_gb: float
    balance: int
    open_ticket: str | None


@dataclass(slots=True)
class BackOffice:
    """Looks up accounts and opens tickets; ticket numbers count up from ``series``."""

    lang: str
    series: int = 24
    _opened: dict[str, str] = field(default_factory=dict)
    _count: int = 0

    def account(self, phone: str) -> Account:
        plans = PLANS_ZH if self.lang == "zh" else PLANS_EN
        mark = _mark(phone)
        return Account(
            plan=plans[("19", "59", "89")[mark % 3]],
            left_gb=round(0.4 + mark % 190 / 10, 1),
            balance=3 + mark // 7 % 95,
            open_ticket=self._opened.get(phone),
        )

    def bill(self, phone: str, month: str) -> tuple[int, int]:
        """A month's fee and what came on top of it, in yuan."""
        return (19, 59, 89)[_mark(phone) % 3], _mark(phone + month) % 36

    def open_ticket(self, phone: str) -> str:
        """Opens a ticket for the number (or gives the one that is open) and returns its number."""
        if phone not in self._opened:
            self._count += 1
            self._opened[phone] = f"T{self.series:02d}-{(_mark(phone) + self._count * 7) % 9000 + 1000}"
        return self._opened[phone]


def _mark(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
