"""JSON within a text of a record: what no log can hold never comes of it, whatever the format."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest

from lingbot_probes.codec import signal_to_dict
from tests.samples.dialogflow import row as agent_row
from tests.samples.imports import opened

ODD = r'["\ud83d", 1e999, NaN, 99999999999999999999999999]'
"""JSON that Python's reader takes and no log can hold."""
INNER: dict[str, dict[str, Any]] = {
    "a stack": {"sender_id": "s", "event": "stack", "timestamp": 1, "update": ODD},
    "a memory": {"conversation_id": "s", "timestamp": 1, "memory_set": {"name": "x", "value_json": ODD}},
    "a turn": {
        **agent_row("s", 1),
        "response": f'{{"queryResult": {{"parameters": {{"x": {ODD}}}}}}}',
    },
    "a span": {
        "traceId": "a" * 32,
        "spanId": "b" * 16,
        "name": "x",
        "start_time": "2026-03-02T08:00:00Z",
        "attributes": {"openinference.span.kind": "TOOL", "input.value": ODD, "output.value": ODD},
    },
}


@pytest.mark.parametrize("name", INNER)
def test_json_within_a_text_gives_only_what_can_be_written_again(name: str) -> None:
    (session,) = opened(json.dumps(INNER[name]).encode())
    written = [orjson.dumps(signal_to_dict(item.signal)) for item in session.items]
    assert "\ufffd" in b"".join(written).decode()
