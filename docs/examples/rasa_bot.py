"""What a Rasa bot publishes while somebody orders a pizza, without Rasa: the same events, in the same order.

It needs no network and no model: the dialogue is scripted. Where the map is told by LINGBOT_ENDPOINT and LINGBOT_TOKEN;
a map on this machine is found without either.

    python docs/examples/rasa_bot.py                       # through the event broker lingbot_probes.rasa.MapBroker
    python docs/examples/rasa_bot.py --to events.jsonl     # into a file, as Rasa's event broker of type `file` does
    python docs/examples/rasa_bot.py --lang zh --pace 0.1  # in Chinese, a tenth of a second between two messages
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lingbot_probes.rasa import MapBroker

Event = dict[str, Any]
FORM = "pizza_form"

# What the user says, the intent and how sure it is, its rival, the slots that are filled, what the bot answers.
Turn = tuple[str, str, float, str, dict[str, Any], str]
EN: tuple[Turn, ...] = (
    ("I'd like to order a pizza", "order_pizza", 0.94, "order_salad", {"requested_slot": "size"}, "Which size?"),
    ("with extra cheese, please", "inform", 0.58, "deny", {"topping": "cheese"}, "Which size?"),
    ("no, I said cheese!", "inform", 0.44, "deny", {}, "Which size?"),
    ("a large one", "inform", 0.91, "order_pizza", {"size": "large", "requested_slot": None}, "A large one. Where to?"),
    ("to 12 Elm Street", "inform", 0.88, "greet", {"address": "12 Elm Street"}, "It is on its way to 12 Elm Street."),
    (
        "and a salad for my neighbour",
        "order_salad",
        0.9,
        "inform",
        {"dish": "salad"},
        "A salad to 12 Elm Street, then.",
    ),
)
ZH: tuple[Turn, ...] = (
    ("我想订一个披萨", "order_pizza", 0.94, "order_salad", {"requested_slot": "size"}, "要多大的？"),
    ("多加点芝士", "inform", 0.58, "deny", {"topping": "芝士"}, "要多大的？"),
    ("不是，我说的是芝士！", "inform", 0.44, "deny", {}, "要多大的？"),
    ("大份", "inform", 0.91, "order_pizza", {"size": "大", "requested_slot": None}, "大份。送到哪里？"),
    ("送到榆树街 12 号", "inform", 0.88, "greet", {"address": "榆树街 12 号"}, "披萨正送往榆树街 12 号。"),
    ("再给我邻居来份沙拉", "order_salad", 0.9, "inform", {"dish": "沙拉"}, "好的，沙拉送到榆树街 12 号。"),
)


def action(name: str) -> Event:
    return {"event": "action", "name": name, "policy": "RulePolicy", "confidence": 1.0}


def messages(dialogue: tuple[Turn, ...]) -> Iterator[list[Event]]:
    """The events that a tracker gains with each message; Rasa publishes them together, when it saves the tracker."""
    yield [action("action_session_start"), {"event": "session_started"}, action("action_listen")]
    open_form = False
    for text, intent, sure, rival, slots, answer in dialogue:
        ranking = [{"name": intent, "confidence": sure}, {"name": rival, "confidence": round(0.99 - sure, 2)}]
        parsed = {"intent": ranking[0], "intent_ranking": ranking, "entities": [], "text": text}
        events: list[Event] = [{"event": "user", "text": text, "parse_data": parsed, "input_channel": "rest"}]
        if intent == "order_pizza":
            events += [action(FORM), {"event": "active_loop", "name": FORM}]
            open_form = True
        elif open_form:
            events.append(action(FORM))
        events += [{"event": "slot", "name": name, "value": value} for name, value in slots.items()]
        if slots.get("requested_slot", "") is None:
            events.append({"event": "active_loop", "name": None})
            open_form = False
        yield [*events, {"event": "bot", "text": answer, "data": {}, "metadata": {}}, action("action_listen")]


async def play(publish: Callable[[Event], object], dialogue: tuple[Turn, ...], pace: float, sender: str) -> None:
    """Publish the dialogue, a message after the other."""
    for events in messages(dialogue):
        for event in events:
            publish({"sender_id": sender, "timestamp": time.time(), **event})
        await asyncio.sleep(pace)


async def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted order, as a Rasa bot publishes it.")
    parser.add_argument("--to", type=Path, metavar="FILE", help="write lines into FILE instead of sending to the map")
    parser.add_argument("--lang", choices=("en", "zh"), default="en", help="the language of the dialogue")
    parser.add_argument("--pace", type=float, default=0.0, metavar="S", help="seconds between two messages")
    asked = parser.parse_args()
    dialogue, sender = (ZH if asked.lang == "zh" else EN), f"pizza-{asked.lang}"
    if asked.to is not None:
        with asked.to.open("a", encoding="utf-8", buffering=1) as file:
            await play(lambda event: file.write(json.dumps(event) + "\n"), dialogue, asked.pace, sender)
        return
    broker = MapBroker(os.environ.get("LINGBOT_ENDPOINT"), name="pizza")  # Rasa makes it from endpoints.yml
    sender += f"-{uuid.uuid4().hex[:6]}"  # each run is somebody else, and so is whoever stands in the example's file
    await play(broker.publish, dialogue, asked.pace, sender)
    if broker.probe.flush(2.0):
        print(f"session {sender}; it is on the map")
    else:
        print(f"nothing is on the map: {broker.probe.stats()['why']}")
    await broker.close()


if __name__ == "__main__":
    asyncio.run(main())
