"""A small bot with probes on it, a process of its own: each line on its input is something a user says.

It answers each line with one line, so that whoever drives it knows when the turn is over.
"""

from __future__ import annotations

import sys

from lingbot_probes import Probe

probe = Probe("desk")
slots = probe.observed({})


@probe.intent
def route(text: str) -> tuple[str, float]:
    return ("refund", 0.91) if "退" in text else ("small_talk", 0.55)


@probe.retrieval(stage="vector")
def search(query: str) -> list[tuple[str, float]]:
    return [("kb-returns", 0.83), ("kb-hours", 0.41)]


@probe.turn
def reply(session: str, text: str) -> str:
    intent, _ = route(text)
    slots["topic"] = intent
    found = search(text)
    return f"{slots['topic']}: {found[0][0]}"


def main() -> None:
    for line in sys.stdin:
        answer = reply("desk-1", line.strip())
        probe.flush(5)
        print(answer, flush=True)
    probe.close()


if __name__ == "__main__":
    main()
