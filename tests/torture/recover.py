"""``python -m tests.torture.recover [--start]``: `lingbot-map verify --repair --json --stdin` from a checkout alone.

With ``--start`` each folder is first recovered as a server does when it starts, from the newest snapshot and the tail
of the log; the answer then has "start": how long that took in processor time, and the digest of the map it gave.
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path
from typing import Any

import orjson

from lingbot_map.errors import UnknownSession
from lingbot_map.session import Session
from lingbot_map.store.files import FileStore
from lingbot_map.store.verify import digest_of, examine


def start(folder: Path) -> dict[str, Any]:
    """What a server would begin with."""
    gc.collect()
    began = time.process_time()
    store = FileStore(folder)
    maps = []
    for key in store.open_keys():
        try:
            maps.append(Session.recover(store.open(key), time.time()).map)
        except UnknownSession:
            continue
    seconds = time.process_time() - began
    store.leave()
    return {"seconds": seconds, "digests": sorted(digest_of(map) for map in maps)}


def main() -> None:
    """A folder a line in, a JSON object a line out, until stdin ends."""
    for line in iter(sys.stdin.readline, ""):
        folder = Path(line.rstrip("\n"))
        begun = start(folder) if "--start" in sys.argv[1:] else {}
        answer = orjson.loads(examine(folder, repair=True).as_json())
        sys.stdout.buffer.write(orjson.dumps({**answer, "start": begun}) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
