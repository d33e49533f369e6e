"""A queue of RabbitMQ to which Rasa's pika event broker publishes. Needs pika (the extra ``rabbitmq``).

A message is acknowledged after the map has what it says and that is noted. One that comes again, because somebody was
killed in between, is known: by the numbers that it gets again, or, noted already, by its digest.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections import deque
from typing import Any
from urllib.parse import urlsplit

from lingbot_map.errors import BadInput
from lingbot_web.tail_file import Line

QUEUE, EXCHANGE = "rasa_core_events", "rasa-exchange"
"""What Rasa's broker uses where its configuration names none (``rasa/core/brokers/pika.py``)."""

_AT_ONCE = 500
_LISTEN = 0.1
_FIRST_WAIT, _LAST_WAIT = 0.2, 10.0
_KNOWN = 2_000


def is_queue(what: str) -> bool:
    """Whether ``what`` is the address of a RabbitMQ."""
    return what.startswith(("amqp://", "amqps://"))


def without_password(what: str) -> str:
    """``what`` as it may be shown."""
    if not is_queue(what):
        return what
    scheme, _, rest = what.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"


class GrowingQueue:
    """Takes messages from ``queue``; it is made, and bound to ``exchange``, where it isn't there."""

    def __init__(self, url: str, queue: str = QUEUE, exchange: str = EXCHANGE) -> None:
        """Raises ``BadInput`` for an address that is none, and without pika."""
        try:
            import pika
        except ModuleNotFoundError:
            remedy = "install it with: pip install 'lingbot-map[rabbitmq]'"
            raise BadInput("amqp", "the package pika", "none", remedy) from None
        try:
            urlsplit(url).port  # noqa: B018  # it is looked at when it is asked for
            self._parameters = pika.URLParameters(url)
        except (ValueError, TypeError, KeyError) as why:
            raise BadInput(without_password(url), "amqp://USER:PASSWORD@HOST:PORT/VHOST", str(why)) from None
        if not queue:
            raise BadInput("--queue", "the name of a queue", "nothing")
        self._parameters.socket_timeout = self._parameters.blocked_connection_timeout = 5
        self._pika: Any = pika
        self._queue, self._exchange = queue, exchange
        self._connection: Any = None
        self._channel: Any = None
        self._arrived: deque[tuple[int, bytes]] = deque()
        self._tag = 0
        self._handed: list[str] = []
        self._known: deque[str] = deque(maxlen=_KNOWN)
        self._wait, self._not_before = 0.0, 0.0
        self.renewed = 0
        self.why = ""
        logging.getLogger("pika").setLevel(logging.CRITICAL)  # what goes wrong is said here

    def poll(self) -> list[Line]:
        """The messages that have come; none while nobody answers."""
        if time.monotonic() < self._not_before:
            return []
        try:
            if self._connection is None:
                self._connect()
            if not self._arrived:
                self._connection.process_data_events(time_limit=_LISTEN)
        except (self._pika.exceptions.AMQPError, OSError) as why:
            self._lost(why)
            return []
        self.why, self._wait = "", 0.0
        lines: list[Line] = []
        while self._arrived and len(lines) < _AT_ONCE:
            self._tag, body = self._arrived.popleft()
            digest = hashlib.sha256(body).hexdigest()[:32]
            if digest in self._known or digest in self._handed:
                continue  # the map has it, and whoever was to acknowledge it did not come to that
            self._handed.append(digest)
            lines.append(Line(f"queue {self._queue} message {self._tag}", body))
        if not lines and self._tag:
            self._acknowledge()
        return lines

    def left(self) -> list[Line]:
        """Nothing is ever half there."""
        return []

    def pending(self) -> bool:
        """All that is there was handed out."""
        return False

    def noted(self) -> bool:
        """What was handed out has to be noted before ``taken``."""
        return bool(self._handed)

    def taken(self) -> None:
        """The map has all that was handed out, and that is noted."""
        self._handed.clear()
        self._acknowledge()

    def standing(self) -> list[Any]:
        """The digests of the latest messages, those just told with them."""
        self._known.extend(self._handed)
        return [*self._known, 1]

    def resume(self, standing: list[Any]) -> bool:
        """Know those messages again."""
        self._known.extend(digest for digest in standing if type(digest) is str)
        return True

    def close(self) -> None:
        """Hang up; what was not acknowledged stays in the queue."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except (self._pika.exceptions.AMQPError, OSError):
                return

    def _acknowledge(self) -> None:
        tag, self._tag = self._tag, 0
        if tag and self._channel is not None:
            try:
                self._channel.basic_ack(tag, multiple=True)
                self._connection.process_data_events(time_limit=0)
            except (self._pika.exceptions.AMQPError, OSError) as why:
                self._lost(why)  # they come again, and are known

    def _connect(self) -> None:
        self._connection = self._pika.BlockingConnection(self._parameters)
        self._channel = self._made_sure()
        self._channel.basic_qos(prefetch_count=_AT_ONCE)
        self._channel.basic_consume(self._queue, self._came)

    def _made_sure(self) -> Any:
        """A channel, with the queue there."""
        channel = self._connection.channel()
        try:
            channel.queue_declare(self._queue, passive=True)
            return channel
        except self._pika.exceptions.ChannelClosedByBroker as why:
            if why.reply_code != 404:
                raise
        channel = self._connection.channel()
        try:
            channel.exchange_declare(self._exchange, "fanout", passive=True)
        except self._pika.exceptions.ChannelClosedByBroker as why:
            if why.reply_code != 404:
                raise
            channel = self._connection.channel()
            channel.exchange_declare(self._exchange, "fanout")  # as Rasa makes it: its own attempt must not fail
        channel.queue_declare(self._queue, durable=True)
        channel.queue_bind(self._queue, self._exchange, "")
        return channel

    def _came(self, channel: Any, method: Any, properties: Any, body: bytes) -> None:
        self._arrived.append((method.delivery_tag, body))

    def _lost(self, why: Exception) -> None:
        self.close()
        self._channel = None
        self._arrived.clear()
        self._tag = 0
        self._wait = min(max(self._wait * 2, _FIRST_WAIT), _LAST_WAIT)
        self._not_before = time.monotonic() + self._wait
        said = str(why) or type(why).__name__
        self.why = f"does not answer ({said:.200}); it is tried again"
