"""The commands that remove recordings: ``prune``, ``forget``."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from lingbot_map.errors import BadInput, LingbotMapError, StoreError
from lingbot_map.pipeline import Glance
from lingbot_map.store.files import FileStore
from lingbot_map.store.naming import find_key
from lingbot_map.store.retention import keep_from
from lingbot_web import terminal
from lingbot_web.beacon import serving
from lingbot_web.cli_recordings import SNAPSHOTS, Data, Json, there, with_pipeline
from lingbot_web.remote import Remote

Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        help="An age (7d; min, h, d, w) or a size of all (20GB); may be given once for each.",
        metavar="AGE|SIZE",
    ),
]
_DIGITS = 4
"""So many digits of a key name a session that is to be removed, as in lists."""


def prune(
    keep: Keep = None,
    data: Data = SNAPSHOTS,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would go.")] = False,
    as_json: Json = False,
) -> int:
    """Remove recordings that are older than --keep, or the oldest while all take more room than that.

    Age counts from a session's last event, or from when it was taken in. Pinned and live sessions, those that somebody
    watches, damaged ones and the committed cases always stay.

    Example: lingbot-map prune --keep 7d --dry-run

    Example: lingbot-map prune --keep 30d --keep 20GB
    """
    bounds = keep_from(keep or ())
    if not bounds:
        raise BadInput("--keep", "an age such as 7d, a size such as 20GB, or one of each", "none")
    there(data)
    beacon = serving(data)
    if beacon is not None:
        said = Remote(beacon).post("api/prune", {"keep": keep, "dry_run": dry_run})
    elif dry_run:
        said = Glance(data).prune(bounds).as_json()
    else:
        said = with_pipeline(data, lambda pipeline: pipeline.keeping.prune(bounds)).as_json()
    if as_json:
        terminal.say_json(said)
        return 0
    _tell_pruned(said, dry_run=dry_run)
    return 0


def _tell_pruned(said: Mapping[str, Any], *, dry_run: bool) -> None:
    now = time.time()
    rows = [
        (
            one["key"][:12],
            one["name"],
            datetime.fromtimestamp(one["last_at"]).astimezone().strftime("%Y-%m-%d %H:%M"),
            terminal.age(now - one["last_at"]),
            terminal.size(one["size"]),
            one["why"],
        )
        for one in said["sessions"]
    ]
    if rows:
        terminal.table(("key", "session", "last event", "age", "size", "why"), rows, right=(3, 4))
    count = f"{terminal.count(len(rows), 'session')}, {terminal.size(said['freed'])}"
    done = "would be removed" if dry_run else "removed"
    terminal.say(f"{count} {done}; {terminal.size(said['left'])} {'would be ' if dry_run else ''}left")
    if said["stayed"]:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(said["stayed"].items()))
        terminal.say(f"past a bound, but kept: {reasons}")


def forget(
    session: Annotated[str, typer.Argument(help="The session's id, its key, or the key's first 4 digits or more.")],
    data: Data = SNAPSHOTS,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    as_json: Json = False,
) -> int:
    """Remove a session so that nothing that was said in it is left in the data folder.

    Log, snapshots, quarantine, its rows in the index, and what was exported of it into the data folder. There stay a
    hash of its id and a number for each source, so that a bot that is still running does not bring back what it said;
    what it says from then on begins the session anew.

    Example: lingbot-map forget 3f0a

    Example: lingbot-map forget call-17 --yes
    """
    terminal.text("SESSION", session)
    there(data)
    about = _about(data, session)
    title = terminal.visible(about["id"] or about["key"])
    what = f"{title} ({terminal.count(about['events'], 'event')}, {terminal.size(about['size'])})"
    if not yes and not terminal.asked(f"Forget {what} for good? Exports of it in {data} go too."):
        terminal.complain("nothing was removed")
        return 1
    beacon = serving(data)
    if beacon is not None:
        exports = Remote(beacon).post(f"api/sessions/{about['key']}/forget", {})["exports"]
    else:
        exports = with_pipeline(data, lambda pipeline: pipeline.keeping.forget(about["key"]))
    if as_json:
        terminal.say_json({**about, "exports": exports})
        return 0
    terminal.say(f"forgotten  {what}")
    for name in exports:
        terminal.say(f"removed    {terminal.visible(str(data / name))}")
    return 0


def _about(data: Path, session: str) -> dict[str, Any]:
    """Key, id, number of events and size of the session that ``session`` names; id "" where it can't be read."""
    store = FileStore(data, read_only=True)
    key = find_key(store, session, data, least=_DIGITS)
    id, events = "", 0
    try:
        recording = store.open(key)
    except (LingbotMapError, OSError) as why:
        terminal.complain(f"note: {why}")
    else:
        if recording.origin == "case":
            raise StoreError(f"{recording.folder}: a committed case is never removed; take it out of cases/ yourself")
        id, events = recording.session, recording.last_seq
    return {"key": key, "id": id, "events": events, "size": store.footprint(key).size}
