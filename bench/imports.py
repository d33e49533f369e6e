"""How fast a foreign recording opens: told by its content, parsed, adapted, and written as what the wire carries."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable
from typing import Any

from bench import Figure, best
from lingbot_map.importers import read, sniff
from lingbot_probes.codec import numbered_to_dict

EVENTS = 40_000
BAR = 50_000.0  # events a second


def tracker_lines(count: int, senders: int = 20) -> bytes:
    """Broker lines of ``count`` events, mixed as a real tracker mixes them: a third are actions, a third slots."""
    rng = random.Random(7)
    ranking = [{"name": f"intent_{i}", "confidence": round(0.9 / (i + 1), 4)} for i in range(10)]
    out = []
    for i in range(count):
        event: dict[str, Any] = {"sender_id": f"sender-{rng.randrange(senders)}", "timestamp": 1.7e9 + i / 10}
        kind = i % 13
        if kind == 0:
            parsed = {"intent": ranking[0], "intent_ranking": ranking, "entities": [{"entity": "x", "value": str(i)}]}
            event |= {"event": "user", "text": f"请把套餐改成 {i}", "parse_data": parsed, "input_channel": "rest"}
        elif kind in (1, 6, 9, 12):
            event |= {"event": "action", "name": f"action_{kind}", "policy": "policy_1_TEDPolicy", "confidence": 0.93}
        elif kind in (2, 7, 10):
            event |= {"event": "bot", "text": f"answer {i}", "data": {"buttons": None, "image": None}, "metadata": {}}
        else:
            event |= {"event": "slot", "name": f"slot_{kind}", "value": f"value {i % 50}"}
        out.append(json.dumps(event).encode())
    return b"\n".join(out)


def transcript(count: int) -> bytes:
    """A transcript of ``count`` activities: message, recogniser, answer."""
    out: list[dict[str, Any]] = []
    for i in range(count):
        activity: dict[str, Any] = {"id": str(i), "timestamp": "2024-05-01T08:00:00.000Z", "conversation": {"id": "c"}}
        if i % 3 == 0:
            activity |= {"type": "message", "from": {"id": "u", "role": "user"}, "text": f"say {i}"}
        elif i % 3 == 1:
            result = {"text": f"say {i}", "intents": {"a": {"score": 0.9}, "b": {"score": 0.2}}, "entities": {"n": [i]}}
            activity |= {"type": "trace", "replyToId": str(i - 1), "value": {"recognizerResult": result}}
        else:
            activity |= {"type": "message", "replyToId": str(i - 2), "from": {"id": "b", "role": "bot"}, "text": "ok"}
        out.append(activity)
    return json.dumps(out).encode()


def measure() -> Iterable[Figure]:
    """Events of the file a second on one core: sniffed, parsed and adapted; and with the codec besides."""
    lines, document = tracker_lines(EVENTS), transcript(EVENTS)

    def taken(content: bytes) -> Callable[[], None]:
        def run() -> None:
            for session in read(content):
                for _ in session.items:
                    pass

        return run

    def coded() -> None:
        for session in read(lines):
            for item in session.items:
                numbered_to_dict(item)

    clock = time.process_time
    note = f"{EVENTS:,} events, {len(lines) // EVENTS} bytes each"
    yield Figure(
        name="Rasa lines",
        value=EVENTS / best(taken(lines), clock=clock),
        unit="events/s",
        bar=BAR,
        better="more",
        note=note,
    )
    yield Figure(
        name="Rasa lines, coded", value=EVENTS / best(coded, clock=clock), unit="events/s", better="more", note=note
    )
    yield Figure(
        name="Bot Framework document",
        value=EVENTS / best(taken(document), clock=clock),
        unit="activities/s",
        better="more",
        note=f"{EVENTS:,} activities, {len(document) // EVENTS} bytes each",
    )
    yield Figure(name="sniff", value=best(lambda: sniff(lines)) * 1e3, unit="ms", bar=50.0, note="of the same lines")
