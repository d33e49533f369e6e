"""A session as one page that needs nothing else: opened from disk it is the same page, over the recording it carries.

The page's own modules and styles stand in it (see ``export_modules``); the recording stands beside them as JSON that no
browser runs. A policy in its head lets run what has the hash of our own scripts and nothing else, and lets nothing be
fetched. The same recording and place give the same bytes.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
from markupsafe import Markup

from lingbot_map.errors import TooLarge
from lingbot_map.events import Event, event_to_dict
from lingbot_web.export_modules import GLOBAL, NotInlined, inline
from lingbot_web.page import HERE, Files, templates_in
from lingbot_web.security import file_policy

MAX_FILE = 25_000_000
"""Bytes of the page; more does not go through most mail systems."""
MAX_EVENTS = 400_000_000
"""Bytes of JSON that raw events may come to before they are packed: what a browser can still hold."""
PLAIN = 1_000_000
"""A block of up to so many bytes stays readable text; a longer one is packed, which makes a tenth of it."""

_ESCAPES = ((b"<", b"\\u003c"), (b">", b"\\u003e"), ("\u2028".encode(), b"\\u2028"), ("\u2029".encode(), b"\\u2029"))


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a page shows: a session's ``summary``, its map as a ``keyframe``, and its ``events`` (None: left out).

    ``place`` is the fragment of a link, as the page writes it: the moment, selection, window ... at which it opens.
    """

    summary: Mapping[str, Any]
    keyframe: bytes
    events: Iterable[Event] | None = None
    place: str = ""


def html(recorded: Recorded, *, remedy: str = "", folder: Path = HERE) -> bytes:
    """The page. Raises ``TooLarge``, which advises ``remedy``."""
    files = Files(folder / "static")
    files.look()

    def read(name: str) -> str:
        return _text(files, f"{name}.js")

    scripts = [GLOBAL, *(script for _, script in inline(read, "app"))]
    sheets: list[str] = []

    def sheet(name: str) -> Markup:
        sheets.append(_text(files, name))
        return Markup("<style>{}</style>").format(Markup(sheets[-1]))

    template = templates_in(folder).get_template("export.html")
    about = {
        "v": 1,
        "made_by": f"lingbot-map {version('lingbot-map')}",
        "summary": {**recorded.summary, "live": False},
        "place": without_token(recorded.place),
        "events": recorded.events is not None,
    }
    blocks = {"file-about": orjson.dumps(about), "file-map": recorded.keyframe}
    if recorded.events is not None:
        blocks["file-events"] = _events(recorded.events, remedy)
    parts = {
        "icon": "data:image/svg+xml;base64," + base64.b64encode(_text(files, "icon.svg").encode()).decode(),
        "sheet": sheet,
        "asks": False,  # there is no server to answer
        "scripts": [Markup(script) for script in scripts],
        "blocks": [_block(name, data) for name, data in blocks.items()],
    }
    template.render(
        **parts, policy=""
    )  # which sheets there are is the template's to say; their hashes come before them
    page = template.render(**parts, policy=Markup(file_policy(scripts, dict.fromkeys(sheets)))).encode()
    if len(page) > MAX_FILE:
        raise TooLarge("page", "a file of bytes", len(page), MAX_FILE, remedy)
    return page


def without_token(place: str) -> str:
    """The fragment of a link without the access token that may stand in it."""
    return "&".join(part for part in place.lstrip("#").split("&") if part and not part.startswith("t="))


def _text(files: Files, name: str) -> str:
    file = files.get(name)
    if file is None:
        raise NotInlined(f"{name}: there is no such file")
    return file.content.decode()


def _events(events: Iterable[Event], remedy: str) -> bytes:
    lines: list[bytes] = []
    size = 0
    for event in events:
        lines.append(orjson.dumps(event_to_dict(event)))
        size += len(lines[-1])
        if size > MAX_EVENTS:
            raise TooLarge("raw events", "bytes", size, MAX_EVENTS, remedy)
    return b"[" + b",\n".join(lines) + b"]"


def _block(name: str, data: bytes) -> dict[str, Any]:
    packed = len(data) > PLAIN
    if packed:
        data = b'"' + base64.b64encode(zlib.compress(data, 9)) + b'"'
    for char, escape in _ESCAPES:  # in JSON they can stand in strings alone
        data = data.replace(char, escape)
    return {"name": name, "packed": packed, "json": Markup(data.decode())}
