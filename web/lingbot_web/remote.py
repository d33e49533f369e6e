"""Asking a map that runs: the command line's side of the HTTP API, on the standard library."""

from __future__ import annotations

import http.client
import select
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import orjson

from lingbot_map.errors import LingbotMapError, TooLarge
from lingbot_map.legible import legible
from lingbot_web.beacon import Beacon
from lingbot_web.security import MAX_IMPORT

_CHUNK = 1 << 18
SILENT_S = 10.0
"""A map that says nothing for so long is taken for stopped; while it works on a file, it is asked whether it lives."""


class MapRefused(LingbotMapError):
    """The map that was asked said no, in its own words: HTTP ``status`` (0: it did not answer) and ``sentence``."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(status, sentence)
        self.status = status
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


class Remote:
    """One map. Each call is one request; what it refuses comes back as an error with its sentence."""

    def __init__(self, beacon: Beacon) -> None:
        self.beacon = beacon

    def get(self, path: str, **query: str | int) -> Any:
        """The JSON at ``path``."""
        return self._ask("GET", path, query, None, {})

    def post(self, path: str, value: Any) -> Any:
        """The answer to ``value``, sent as JSON; waited for as long as the map lives."""
        return self._ask("POST", path, {}, orjson.dumps(value), {"Content-Type": "application/json"})

    def upload(
        self,
        path: Path,
        progress: Callable[[int, int], None] | None = None,
        *,
        mask: bool = False,
        mapping: Sequence[str] = (),
    ) -> Any:
        """Hand a file over for import; ``mapping`` says what the columns of a table hold."""
        size = path.stat().st_size
        if size > MAX_IMPORT:
            raise TooLarge(path.name, "a file", size, MAX_IMPORT, "stop the map and import it directly")
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        with path.open("rb") as file:
            query: dict[str, Any] = {"name": legible(path.name), **({"mask": 1} if mask else {})}
            if mapping:
                query["map"] = list(mapping)
            return self._ask("POST", "api/import", query, _chunks(file, size, progress), headers)

    def _ask(
        self,
        method: str,
        path: str,
        query: dict[str, Any],
        body: Iterator[bytes] | bytes | None,
        headers: dict[str, str],
    ) -> Any:
        url = urlsplit(self.beacon.url)
        connection = self._connection()
        target = url.path + quote(path) + ("?" + urlencode(query, doseq=True) if query else "")
        try:
            connection.request(
                method, target, body=body, headers={**headers, "Authorization": f"Bearer {self.beacon.token}"}
            )
            if body is not None:
                self._await(connection)
            answer = connection.getresponse()
            content = answer.read()
        except TimeoutError:
            process = f"{self.beacon.url}: the map (process {self.beacon.pid})"
            raise MapRefused(0, f"{process} has not answered for {SILENT_S:.0f} s; it may have been stopped") from None
        except (OSError, http.client.HTTPException) as why:
            raise MapRefused(0, f"{self.beacon.url}: the map does not answer ({type(why).__name__})") from None
        finally:
            connection.close()
        if answer.status == 200:
            return orjson.loads(content)
        raise _refusal(answer.status, content)

    def _connection(self) -> http.client.HTTPConnection:
        url = urlsplit(self.beacon.url)
        return http.client.HTTPConnection(url.hostname or "", url.port, timeout=SILENT_S)

    def _await(self, connection: http.client.HTTPConnection) -> None:
        """Until the answer begins, however long the map works on it. Raises ``TimeoutError`` once it shows no life."""
        while not select.select([connection.sock], [], [], SILENT_S)[0]:
            asking = self._connection()
            try:
                asking.request("GET", urlsplit(self.beacon.url).path + "healthz")
                asking.getresponse().read()
            finally:
                asking.close()


def _refusal(status: int, content: bytes) -> MapRefused:
    try:
        said = orjson.loads(content)
        sentence = "; ".join(str(said[part]) for part in ("error", "remedy") if part == "error" or said.get(part))
    except (ValueError, KeyError, TypeError):
        sentence = "the map did not say why"
    return MapRefused(status, sentence)


def _chunks(file: Any, size: int, progress: Callable[[int, int], None] | None) -> Iterator[bytes]:
    done = 0
    while chunk := file.read(_CHUNK):
        done += len(chunk)
        yield chunk
        if progress is not None:
            progress(done, size)
