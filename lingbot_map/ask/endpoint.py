"""One bounded question to an endpoint that speaks as OpenAI's does: JSON there, JSON back.

The standard library does it: no extra of the project brings an HTTP client along, and what is needed is one POST. No
redirects and no proxies are followed, TLS is verified, and whatever comes back is an answer or ``Unanswered``, in time:
a time-out of a socket starts anew with every byte, so the clock is held from outside. The key is read from the
environment for each request and kept nowhere; what an endpoint says in its errors is never repeated, for some repeat
the key in it.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
from contextlib import suppress
from typing import Any, Literal
from urllib.parse import urlsplit

from lingbot_map.errors import BadInput

_CHUNK = 64 * 1024
_LONGEST_WAIT = 3600.0
_REMARKS = {
    401: "; is the key in {key} right?",
    403: "; is the key in {key} right?",
    404: "; is the address right, and is there such a model?",
    429: "; it is asked too much",
}


class Unanswered(Exception):
    """Why there is no answer, in one sentence without anything that the endpoint said; ``status`` is its HTTP status
    (0: none), ``wait`` how many seconds it wants not to be asked."""

    def __init__(self, why: str, *, kind: Literal["failed", "timeout"] = "failed", status: int = 0, wait: float = 0.0):
        super().__init__(why)
        self.kind = kind
        self.status = status
        self.wait = wait


class JsonEndpoint:
    """``url`` is what stands before ``path`` ("/chat/completions"); ``key`` names the variable of the environment that
    may hold a key, ``option`` what ``url`` was given by, for errors. ``place`` is its host and port."""

    def __init__(self, url: str, path: str, *, key: str, option: str) -> None:
        """Raises ``BadInput`` for an address that is none; it never repeats the address, which may hold a secret."""
        self._key = key
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            parts, host, port = urlsplit(""), "", None
        fault = ""
        if parts.scheme not in ("http", "https") or not host or not url.isascii() or not url.isprintable():
            fault = "another"
        elif "@" in parts.netloc:
            fault = "one with a name or password in it"
        elif parts.query or parts.fragment or " " in url:
            fault = "one with more than a path"
        if fault:
            remedy = f"a key goes into the variable {key}"
            raise BadInput(option, "an address such as http://127.0.0.1:8080/v1", fault, remedy)
        self._tls = parts.scheme == "https"
        self._host, self._port = host, port or (443 if self._tls else 80)
        self._path = parts.path.rstrip("/").removesuffix(path) + path
        self.place = f"[{host}]:{self._port}" if ":" in host else f"{host}:{self._port}"
        self._headers()  # a key that can't be sent is found before anything is asked

    def _headers(self) -> dict[str, str]:
        key = os.environ.get(self._key, "")
        if not (key.isascii() and key.isprintable()):
            raise BadInput(self._key, "a key of plain characters", "others")
        head = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        return head | ({"Authorization": f"Bearer {key}"} if key else {})

    def post(self, body: dict[str, Any], *, seconds: float, most: int) -> Any:
        """The JSON that comes back within ``seconds``, at most ``most`` bytes of it. Raises ``Unanswered``."""
        try:
            headers = self._headers()
        except BadInput as why:
            raise Unanswered(str(why)) from None
        call = _Call(self, json.dumps(body, ensure_ascii=True).encode(), headers, seconds, most)
        threading.Thread(target=call.run, name="ask-endpoint", daemon=True).start()
        try:
            if not call.ended.wait(seconds):
                raise Unanswered(f"no answer within {seconds:.1f} s", kind="timeout")
        finally:
            call.give_up()
        if call.fault is not None:
            raise call.fault
        return call.value

    def connection(self, seconds: float) -> http.client.HTTPConnection:
        """A connection that isn't open yet."""
        if not self._tls:
            return http.client.HTTPConnection(self._host, self._port, timeout=seconds)
        import ssl

        return http.client.HTTPSConnection(
            self._host, self._port, timeout=seconds, context=ssl.create_default_context()
        )

    @property
    def path(self) -> str:
        """What is posted to."""
        return self._path

    def refused(self, status: int, retry_after: str | None) -> Unanswered:
        """What a status other than 200 means."""
        if 300 <= status < 400:
            return Unanswered(f"a redirect (status {status}), which is not followed", status=status)
        remark = _REMARKS.get(status, "").format(key=self._key)
        wait = 0.0
        if retry_after is not None and retry_after.isascii() and retry_after.isdigit():
            wait = min(float(retry_after[:9]), _LONGEST_WAIT)
        return Unanswered(f"status {status}{remark}", status=status, wait=wait)


class _Call:
    """One request in a thread of its own, which ends when it is given up."""

    def __init__(self, endpoint: JsonEndpoint, body: bytes, headers: dict[str, str], seconds: float, most: int) -> None:
        self.ended = threading.Event()
        self.value: Any = None
        self.fault: Unanswered | None = None
        self._endpoint, self._body, self._headers, self._most = endpoint, body, headers, most
        self._seconds = seconds
        self._given_up = False
        self._connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        try:
            self.value = self._asked()
        except Unanswered as why:
            self.fault = why
        except TimeoutError:
            self.fault = Unanswered(f"no answer within {self._seconds:.1f} s", kind="timeout")
        except OSError as why:  # first, for a certificate's error is a ValueError too, a lost connection bad HTTP
            self.fault = Unanswered(_reason(why))
        except http.client.HTTPException as why:
            self.fault = Unanswered(f"an answer that is not HTTP ({type(why).__name__})")
        except (ValueError, RecursionError):
            self.fault = Unanswered("an answer that is not JSON")
        except BaseException as why:  # nothing may be lost in a thread: whoever asked waits for it
            self.fault = Unanswered(type(why).__name__)
        finally:
            self.ended.set()

    def give_up(self) -> None:
        """End the request, if it still runs: its socket is shut, so whatever waits for it goes on."""
        self._given_up = True
        sock = self._connection.sock if self._connection is not None else None
        if sock is not None and not self.ended.is_set():
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _asked(self) -> Any:
        connection = self._connection = self._endpoint.connection(self._seconds)
        try:
            connection.connect()
            if self._given_up:
                raise TimeoutError
            connection.request("POST", self._endpoint.path, self._body, self._headers)
            with connection.getresponse() as response:
                if response.status != 200:
                    raise self._endpoint.refused(response.status, response.getheader("Retry-After"))
                if response.getheader("Content-Encoding", "identity").strip().lower() != "identity":
                    raise Unanswered("an answer in an encoding that was not asked for")
                return json.loads(self._read(response))
        finally:
            connection.close()

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := response.read1(_CHUNK):
            size += len(part)
            if size > self._most:
                raise Unanswered(f"an answer of more than {self._most:,} bytes")
            if self._given_up:
                raise TimeoutError
            parts.append(part)
        return b"".join(parts)


def _reason(why: OSError) -> str:
    """What went wrong on the way, without anything that came over it."""
    if isinstance(why, ConnectionRefusedError):
        return "nobody listens there"
    if isinstance(why, socket.gaierror):
        return "no host of that name"
    kind = type(why).__name__
    if kind.startswith("SSL"):
        return f"no TLS connection that can be trusted ({kind})"
    return f"the connection failed ({kind})"
