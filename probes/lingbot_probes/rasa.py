"""A Rasa bot on the map by one entry of its ``endpoints.yml``: an event broker that is a probe.

.. code-block:: yaml

    event_broker:
      type: lingbot_probes.rasa.MapBroker
      url: http://127.0.0.1:8700

Rasa loads the class by its name and awaits ``from_endpoint_config`` (``rasa/core/brokers/broker.py``, 1.x to 3.x; newer
ones may hand over an event loop), then calls ``publish`` for every event when it saves a tracker: the event as a dict
with its ``sender_id``, in the order of the conversation. Standard library alone; nothing here raises into the bot.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from itertools import count

from lingbot_probes.options import warned
from lingbot_probes.probe import Probe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from lingbot_probes.adapters.rasa import Rasa
    from lingbot_probes.ring import Session

CONVERSATIONS = 1_000
"""Senders whose form, slots and turn are remembered. One beyond them goes on as if it had just been met."""
CAPACITY = 5_000
"""Events that wait for the map. Rasa publishes all of a message's events at once, 10 to 30 of them."""
_OPTIONS = ("name", "token", "mask", "capacity")


class MapBroker:
    """Rasa's event broker for a map. ``probe`` is what sends."""

    def __init__(
        self, url: str | None = None, *, name: str = "rasa", token: str | None = None, mask: Any = True,
        capacity: int = CAPACITY, probe: Probe | None = None,
    ) -> None:  # fmt: skip
        """As for ``Probe``; without ``url`` the map of this machine. What can't be used costs one warning and a broker
        that sends nothing: a bot has to start all the same."""
        self.errors = 0
        self._conversations: OrderedDict[str, _Conversation] = OrderedDict()
        self._met = count(1)
        try:
            self.probe = probe or Probe(name, url, token, mask=mask, capacity=capacity)
            self._off = self.probe.off
        except (TypeError, ValueError) as why:
            warned(f"lingbot-map: the event broker sends nothing. {why}")
            self.errors = 1
            self._off = True
            self.probe = Probe("rasa", sink=_Nobody())

    @classmethod
    async def from_endpoint_config(cls, broker_config: Any, event_loop: Any = None) -> MapBroker | None:
        """The broker of an ``event_broker`` entry: its ``url``, and ``name``, ``token``, ``mask``, ``capacity``."""
        if broker_config is None:
            return None
        kwargs = getattr(broker_config, "kwargs", None)
        options = {key: kwargs[key] for key in _OPTIONS if key in kwargs} if type(kwargs) is dict else {}
        token = options.pop("token", None) or getattr(broker_config, "token", None)  # Rasa keeps it for itself
        url = getattr(broker_config, "url", None)
        unknown = sorted(str(key) for key in kwargs if key not in _OPTIONS) if type(kwargs) is dict else []
        if unknown:
            warned(f"lingbot-map: event_broker knows no {', '.join(unknown)[:200]}; it knows {', '.join(_OPTIONS)}")
        return cls(url or None, token=token or None, **options)

    def publish(self, event: Any, *_: Any, **__: Any) -> None:
        """Say what an event tells. Never raises, and takes no longer than it takes to read it."""
        if not self._off:
            try:
                self._publish(event)
            except Exception:
                self.errors += 1

    def publish_batch(self, events: Any, *_: Any, **__: Any) -> None:
        """Say what some events tell."""
        try:
            held = list(events)
        except Exception:
            self.errors += 1
            return
        for event in held:
            self.publish(event)

    def is_ready(self) -> bool:
        """A bot need not wait for a map: what it says meanwhile is kept."""
        return True

    async def close(self) -> None:
        """Send what is left, for half a second at most. Never raises."""
        try:
            self.probe.close()
        except Exception:
            self.errors += 1

    def _publish(self, event: Any) -> None:
        from lingbot_probes.ring import Place
        from lingbot_probes.telling import signal_of

        sender = ""
        if type(event) is dict:
            named = event.get("sender_id", event.get("conversation_id"))
            sender = named if type(named) is str else str(named) if type(named) is int else ""
        conversation = self._conversation(sender or "rasa")
        for session, item in conversation.take(self.probe, event):
            said = signal_of(item.signal)
            if said is None:
                continue
            turn = f"{conversation.prefix}-{item.turn}" if item.turn else ""
            if said["kind"] == "turn_started":
                said["turn"] = turn
            self.probe._tell(Place(session, turn), said, item.said_at)
        conversation.settle()

    def _conversation(self, sender: str) -> _Conversation:
        known = self._conversations.get(sender)
        if known is None:
            from lingbot_probes.adapters.rasa import Rasa

            known = self._conversations[sender] = _Conversation(Rasa(sender), f"{os.urandom(3).hex()}{next(self._met)}")
        self._conversations.move_to_end(sender)
        if len(self._conversations) > CONVERSATIONS:
            self._conversations.popitem(last=False)
        return known


class _Nobody:
    """A sink for a broker that can't send."""

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Never called: nothing is said to such a broker's probe."""
        raise ConnectionError


class _Conversation:
    """One sender: its adapter, and the session in which the probe numbers it.

    The adapter's numbers have to be the probe's, since a rewind names the last that still holds. So the adapter goes
    on from where the probe stands, and the probe leaves a number empty wherever the adapter does.
    """

    def __init__(self, adapter: Rasa, prefix: str) -> None:
        self.prefix = prefix  # of the turns' ids, which another process may count as well
        self._adapter = adapter
        self._session: Session | None = None

    def take(self, probe: Probe, event: Any) -> list[tuple[Session, Any]]:
        """The signals of an event, each with its session; one that can't be read leaves its number empty."""
        from lingbot_probes.codec import SignalError

        adapter = self._adapter
        adapter.scribe.n = self._in(probe).made()
        try:
            items = adapter.take(event)
        except SignalError:
            items = adapter.skip()
        session = self._in(probe)
        return [(session, item) for item in items]

    def settle(self) -> None:
        """What was told is numbered; so is now what left a hole."""
        if self._session is not None:
            while self._session.made() < self._adapter.scribe.n:
                self._session.number()

    def _in(self, probe: Probe) -> Session:
        """The session that the probe numbers. It is held on to, so that its numbering is not begun anew."""
        name = self._adapter.scribe.session
        if self._session is None or self._session.id != name:
            self._session = probe._ring.session(name)
        return self._session
