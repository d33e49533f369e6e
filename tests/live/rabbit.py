"""A RabbitMQ node of our own: the system's server on free ports, with its data in a folder of the test's."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pika
import pytest

SERVER = "/usr/lib/rabbitmq/bin/rabbitmq-server"
"""The one behind the packages' wrapper, which runs for root and for the user ``rabbitmq`` alone."""
START = 45.0
"""Seconds for a node to start. Alone it takes 4 s on two cores."""


def free_ports(count: int) -> list[int]:
    """Ports of this machine on which nobody listens."""
    with ExitStack() as stack:
        held = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in held]


class Node:
    """One node. ``start`` and ``stop`` may be called in turns; its data stays."""

    def __init__(self, folder: Path) -> None:
        self.port, distribution, self._names = free_ports(3)
        self.url = f"amqp://guest:guest@127.0.0.1:{self.port}"
        self._environment = {
            **os.environ,
            "HOME": str(folder),  # for a cookie of its own
            "ERL_EPMD_PORT": str(self._names),
            "RABBITMQ_NODENAME": f"test{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(distribution),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_CONFIG_FILE": str(folder / "none"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
        }
        self._log = folder / "output"
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self) -> float:
        """Until it takes connections; how many seconds that took."""
        begun = time.monotonic()
        with self._log.open("ab") as log:
            for command in (["epmd", "-port", str(self._names), "-address", "127.0.0.1"], [SERVER]):
                process = subprocess.Popen(
                    command, env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )
                self._running.append(process)
        while True:
            try:
                with self.connection():
                    return time.monotonic() - begun
            except (pika.exceptions.AMQPError, OSError):
                late = time.monotonic() - begun > START
                assert not late, self._log.read_text("utf-8", "replace")[-2000:]
                assert self._running[-1].poll() is None, self._log.read_text("utf-8", "replace")[-2000:]
                with pytest.raises(subprocess.TimeoutExpired):
                    self._running[-1].wait(0.1)

    def stop(self) -> None:
        """End it. What is durable stays in its folder."""
        while self._running:
            process = self._running.pop()
            process.terminate()  # the shell of the server hands it on
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """A connection as a bot has one."""
        connection = pika.BlockingConnection(pika.URLParameters(self.url))
        try:
            yield connection
        finally:
            connection.close()


@contextmanager
def node(folder: Path) -> Iterator[Node]:
    """A node that runs; the test is skipped where there is no server."""
    if not os.access(SERVER, os.X_OK) or shutil.which("epmd") is None:
        pytest.skip("no RabbitMQ on this machine; install rabbitmq-server")
    one = Node(folder)
    try:
        took = one.start()
        print(f"RabbitMQ took {took:.1f} s to start")
        yield one
    finally:
        one.stop()
