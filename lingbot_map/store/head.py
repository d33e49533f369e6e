"""``head``: the last seq that is safe on disk. Only so is it noticed when a log was cut exactly between two lines.

It also repeats the session's id, in case the log's header is damaged. It is written in place and never flushed on its
own: it must not claim more than the log holds, and may claim less.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import orjson

from lingbot_map.store.disk import open_file, read_file
from lingbot_map.store.lines import VERSION, read_object, seal, unseal

_LIMIT = 1 << 16


@dataclass(frozen=True, slots=True)
class Head:
    """``seq`` was safe in ``epoch`` of ``session``."""

    seq: int
    epoch: str
    session: str


def read_head(folder: Path) -> tuple[Head | None, str]:
    """The head, if there is a good one, and what is wrong with it otherwise ("" where there simply is none)."""
    text = read_file(folder / "head", _LIMIT)
    if text is None:
        return None, ""
    covered = unseal(text.rstrip(b" \n"))
    found = read_object(covered) if covered is not None else {}
    seq, epoch, session = found.get("seq"), found.get("epoch"), found.get("session")
    if type(seq) is not int or type(epoch) is not str or type(session) is not str:
        return None, "checksum does not fit"
    return Head(seq, epoch, session), ""


def write_head(folder: Path, head: Head) -> None:
    """Raises ``OSError``."""
    facts = {"lingbot": "head", "version": VERSION, "seq": head.seq, "epoch": head.epoch, "session": head.session}
    line = seal(orjson.dumps(facts))[:-1]
    line = line.ljust(-len(line) % 64 + len(line), b" ") + b"\n"
    fd = open_file(folder / "head", os.O_WRONLY | os.O_CREAT)
    try:
        os.pwrite(fd, line, 0)
        os.ftruncate(fd, len(line))
    finally:
        os.close(fd)
