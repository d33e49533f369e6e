"""A queue to which Rasa's pika broker publishes, followed: a real RabbitMQ, and nobody who pretends to be one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pika
import pytest

from lingbot_map.errors import BadInput
from lingbot_map.store import key_of
from lingbot_web.cli_tail import tail
from lingbot_web.tail_queue import EXCHANGE, QUEUE, GrowingQueue, without_password
from tests.live.rabbit import Node, node
from tests.live.server import running, wait_for
from tests.live.test_tail import Following, at_home, command, following, said, utterances

pytestmark = pytest.mark.rabbitmq
__all__ = ["at_home"]


@pytest.fixture(scope="module")
def rabbit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    with node(tmp_path_factory.mktemp("rabbit")) as one:
        yield one


class Broker:
    """What Rasa's broker does: a fanout exchange, durable queues bound to it, persistent messages."""

    def __init__(self, rabbit: Node, *queues: str) -> None:
        self.connection = pika.BlockingConnection(pika.URLParameters(rabbit.url))
        self.channel = self.connection.channel()
        self.channel.exchange_declare(EXCHANGE, "fanout")
        for queue in queues:
            self.channel.queue_declare(queue, durable=True)
            self.channel.queue_bind(queue, EXCHANGE, "")
            self.channel.queue_purge(queue)

    def publish(self, *events: dict[str, Any]) -> None:
        for event in events:
            properties = pika.BasicProperties(delivery_mode=2)
            self.channel.basic_publish(EXCHANGE, "", json.dumps(event).encode(), properties)

    def left(self, queue: str) -> int:
        """How many messages wait in the queue, for nobody has taken them."""
        count: int = self.channel.queue_declare(queue, passive=True).method.message_count
        return count

    def __enter__(self) -> Broker:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(pika.exceptions.AMQPError):
            self.connection.close()


def test_what_rasa_publishes_is_on_the_map_and_gone_from_the_queue(rabbit: Node) -> None:
    with Broker(rabbit, QUEUE) as broker, running() as (map, client):
        broker.publish(said("one"), said("hi", "b"))
        with following(GrowingQueue(rabbit.url), map, format="rasa") as one:
            wait_for(lambda: utterances(client) == ["one"] and utterances(client, "b") == ["hi"])
            broker.publish(said("two"))
            wait_for(lambda: utterances(client) == ["one", "two"])
            broker.channel.basic_publish(EXCHANGE, "", b"{broken")
            broker.publish(said("three"))
            wait_for(lambda: utterances(client) == ["one", "two", "three"])
            wait_for(lambda: broker.left(QUEUE) == 0)
        assert any(note.startswith(f"queue {QUEUE} message 4: not JSON") for note in one.notes)
        assert broker.left(QUEUE) == 0
        broker.publish(said("four"))  # a later run goes on with the numbers and turns of this one
        with following(GrowingQueue(rabbit.url), map, format="rasa"):
            wait_for(lambda: utterances(client) == ["one", "two", "three", "four"])
        assert {source["missing"] for source in client.get("/api/stats")["sources"]} == {0}


def test_a_queue_of_its_own_is_made_and_gets_what_the_other_gets_too(rabbit: Node) -> None:
    with Broker(rabbit, QUEUE) as broker, running() as (map, client):
        with following(GrowingQueue(rabbit.url, "lingbot-map"), map, format="rasa"):
            wait_for(lambda: _there(rabbit, "lingbot-map"), "the queue")
            broker.publish(said("one"))
            wait_for(lambda: utterances(client) == ["one"])
        assert broker.left(QUEUE) == 1


def _there(rabbit: Node, queue: str) -> bool:
    with rabbit.connection() as connection:
        try:
            return bool(connection.channel().queue_declare(queue, passive=True).method.consumer_count)
        except pika.exceptions.ChannelClosedByBroker:
            return False


class _Killed(Exception):
    """Stands for ``kill -9`` at a certain place."""


@pytest.mark.parametrize("place", ["before it is noted", "before it is acknowledged"])
def test_a_message_is_on_the_map_once_wherever_the_follower_is_killed(rabbit: Node, place: str) -> None:
    sender = f"killed {place}"
    with Broker(rabbit, QUEUE) as broker, running() as (map, client):
        broker.publish(said("one", sender))
        with following(GrowingQueue(rabbit.url), map, format="rasa"):
            wait_for(lambda: utterances(client, sender) == ["one"])
            wait_for(lambda: broker.left(QUEUE) == 0)
        one = Following(GrowingQueue(rabbit.url), lambda: (map.base, map.token), format="rasa")

        def killed(*_: object, **__: object) -> None:
            raise _Killed

        if place == "before it is noted":
            one.tail._keep = killed  # type: ignore[method-assign]
        else:
            one.tail._growing.taken = killed  # type: ignore[method-assign]
        broker.publish(said("two", sender), said("three", sender))
        with pytest.raises(_Killed):
            one.tail.run()
        wait_for(lambda: broker.left(QUEUE) > 0, "the messages to come again")
        with following(GrowingQueue(rabbit.url), map, format="rasa"):
            broker.publish(said("four", sender))
            wait_for(lambda: utterances(client, sender)[-1] == "four")
            wait_for(lambda: broker.left(QUEUE) == 0)
        assert utterances(client, sender) == ["one", "two", "three", "four"]
        events = client.get(f"/api/sessions/{key_of(sender)}/events")["events"]
        assert sum(event["signal"]["kind"] == "turn_started" for event in events) == 4


def test_nothing_is_acknowledged_while_there_is_no_map(rabbit: Node) -> None:
    with Broker(rabbit, QUEUE) as broker:
        broker.publish(said("one", "patient"))
        with following(GrowingQueue(rabbit.url), lambda: None, format="rasa") as one:
            wait_for(lambda: one.notes and "no map serves" in one.notes[-1])
        wait_for(lambda: broker.left(QUEUE) == 1)


def test_it_connects_again_when_the_server_was_away(tmp_path: Path) -> None:
    with node(tmp_path) as rabbit, running() as (map, client):
        with Broker(rabbit, QUEUE) as broker:
            broker.publish(said("one"))
        with following(GrowingQueue(rabbit.url), map, format="rasa") as one:
            wait_for(lambda: utterances(client) == ["one"])
            rabbit.stop()
            wait_for(lambda: any("does not answer" in note for note in one.notes))
            rabbit.start()
            with Broker(rabbit) as broker:
                broker.channel.queue_bind(QUEUE, EXCHANGE, "")  # an exchange that isn't durable, as Rasa's, is gone
                broker.publish(said("two"))
            wait_for(lambda: utterances(client) == ["one", "two"])


def test_the_command_shows_no_password(rabbit: Node, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with Broker(rabbit, QUEUE) as broker:
        broker.publish(said("one"))
        with command(rabbit.url, "--data", str(tmp_path / "data"), "--port", "0", "--once") as process:
            out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "2 events of 1 session sent\n"), out
    assert "guest" not in out
    assert without_password("amqps://me:s3cret@host/v?x=1") == "amqps://host/v"


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="amqp://USER"):
        GrowingQueue("amqp://host:port")
    with pytest.raises(BadInput, match="nothing stays"):
        tail("amqp://host", from_end=True)
