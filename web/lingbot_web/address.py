"""Where the map listens, and under which addresses it may be asked for."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from pathlib import Path

from lingbot_map.errors import BadInput
from lingbot_web.security import Door, door

PORT = 8700


@dataclass(frozen=True, slots=True)
class Address:
    """Where the map listens. ``public_urls`` are addresses at which a proxy shows it."""

    host: str = "127.0.0.1"
    port: int = PORT
    certificate: Path | None = None
    key: Path | None = None
    public_urls: tuple[str, ...] = ()

    def listen(self) -> socket.socket:
        """The listening socket. Raises ``BadInput`` if the port is taken or the host is none of this machine."""
        if not 0 <= self.port <= 65535:
            raise BadInput("--port", "a port from 0 to 65535", str(self.port))
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        # Said to be TCP, or asyncio leaves Nagle's algorithm on: an answer's body then waits 40 ms behind its head.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((self.host, self.port))
            listener.listen(2048)
        except OSError as why:
            listener.close()
            if isinstance(why, socket.gaierror):
                raise BadInput("--host", "an address of this machine", self.host) from None
            remedy = "choose another with --port, or any free one with --port 0"
            raise BadInput("--port", "a free port", f"{self.port} ({why.strerror})", remedy) from None
        return listener

    def url(self, port: int) -> str:
        """The address to open."""
        if self.public_urls:
            return self.public_urls[0]
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        scheme = "https" if self.certificate else "http"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/"

    def door(self, token: str, port: int) -> Door:
        """Who may come in there."""
        tls = self.certificate is not None
        return door(token, port, host=self.host, tls=tls, public_urls=self.public_urls)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on ``host``."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
