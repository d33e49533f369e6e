"""The page of a map that is not as a test says: one file that opens offline, where the two part."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec

from lingbot_map import codec
from lingbot_map.errors import LingbotMapError
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.store import key_of
from lingbot_map.store.summary import summarize
from lingbot_map.testing import MapDiffers

_LONGEST = 80  # characters of a test's id in a file's name


def write_page(folder: Path | None, test: str, why: MapDiffers, events: Sequence[Event] | None = None) -> str:
    """Write the page and say where it is; why there is none, if it can't be made: the test has failed for its own
    reason. The same test writes the same file. Without ``folder`` it goes among the machine's temporary files."""
    turn = why.mismatches[0].turn
    where = f", opened at turn {turn}" if turn else ""
    try:
        page = page_of(why, events)
        folder = folder or Path(tempfile.mkdtemp(prefix="dialogue-maps-"))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / _name(test)
        path.write_bytes(page)
    except (LingbotMapError, OSError, ImportError) as failed:
        return f"its map could not be written as a page: {failed}"
    return f"its map as a page{where}: {path}"


def page_of(why: MapDiffers, events: Sequence[Event] | None = None) -> bytes:
    """The page, opened at the first mismatch. Raises ``TooLarge``."""
    from lingbot_web.export_html import Recorded, html

    map, first = why.map, why.mismatches[0]
    place = [f"at={first.seq}"] if 0 < first.seq < map.seq else []
    if f"utterance:{first.turn}" in map.nodes:
        place.append(f"sel={quote(f'turn~{first.turn}~0~utterance:{first.turn}')}")
    recorded = Recorded(summary=_summary(map), keyframe=codec.keyframe(map), events=events, place="&".join(place))
    return html(recorded)


def _summary(map: DialogueMap) -> dict[str, object]:
    summary: dict[str, object] = msgspec.to_builtins(summarize(map, key_of(map.session)))
    return summary


def _name(test: str) -> str:
    """A file's name for a test: what can be read of its id, and a hash that tells it from all others."""
    plain = re.sub(r"[^\w.-]+", "-", test, flags=re.ASCII).strip("-.")[-_LONGEST:]
    return f"{plain}-{hashlib.sha256(test.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}.html"
