"""Fields of messages that are spelt in two ways: in camel case on the wire, in snake case where Python wrote them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lingbot_probes.adapters.fields import items, mapping

Message = Mapping[str, Any]


@lru_cache(maxsize=512)
def snake(field: str) -> str:
    """``queryResult`` as Python spells it: ``query_result``."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in field)


def got(message: Message, field: str) -> Any:
    """The field ``field`` (in camel case) of a message, however it is spelt; ``None`` where it is not there."""
    found = message.get(field)
    return message.get(snake(field)) if found is None else found


def part(message: Message, field: str) -> Message:
    """The message in a field; an empty one where there is none."""
    return mapping(got(message, field))


def parts(message: Message, field: str) -> list[Message]:
    """The messages in a repeated field."""
    return [item for item in items(got(message, field)) if type(item) is dict]


def word(message: Message, field: str) -> str:
    """The text in a field; "" where there is none."""
    found = got(message, field)
    return found if type(found) is str else ""
