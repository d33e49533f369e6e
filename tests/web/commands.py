"""What tests of the command line share: what a command did, and the one line of its complaint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

TRACKER = {
    "sender_id": "rasa \x1b[31m\u202e退款",
    "events": [
        {"event": "user", "text": "hi", "timestamp": 1700000001.0, "parse_data": {"intent": {"name": "greet"}}},
        {"event": "slot", "name": "city", "value": "北京", "timestamp": 1700000002.0},
        {"event": "bot", "text": "hello", "timestamp": 1700000003.0},
    ],
}


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


class Command(Protocol):
    def __call__(self, *arguments: str) -> Done: ...


def complaint(done: Done, code: int) -> str:
    """The one line in which a command said what was wrong."""
    assert done.returncode == code, done
    assert done.stdout == ""
    assert done.stderr.startswith("lingbot-map: ")
    assert done.stderr.count("\n") == 1
    return done.stderr
