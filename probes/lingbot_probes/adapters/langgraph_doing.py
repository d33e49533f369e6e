"""What a graph's nodes do: search, and ask models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lingbot_probes.adapters.fields import items, mapping
from lingbot_probes.adapters.langgraph_docs import docs
from lingbot_probes.adapters.langgraph_run import Run
from lingbot_probes.adapters.langgraph_words import Message, message, messages, plain
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.adapters.stages import stage_of
from lingbot_probes.signals import Doc, Raw, Retrieved

_QUOTED, _QUOTED_WIDE = 20, 8  # characters from which a text found in a prompt is no coincidence; other than ASCII
_USAGE = ("usage_metadata", "tool_calls", "finish_reason")


def retrieved(scribe: Scribe, run: Run, data: Mapping[str, Any]) -> None:
    """A retriever gave these documents."""
    root, output = run.root, data.get("output")
    found = docs(output.get("documents") if type(output) is dict else output)
    asked = mapping(data.get("input")).get("query") or run.query
    root.query = asked if type(asked) is str else root.query
    params = {"retriever": run.name} if run.name else {}
    scribe.say(Retrieved(query=root.query, stage=stage_of(run.name), docs=found, params=params))
    root.recalled.update((doc.id, doc.snippet.strip()) for doc in found)


def called(scribe: Scribe, run: Run, given: Any) -> None:
    """A model is called. The documents whose whole text stands in what it is given are in the prompt: a fact of the
    record, though no event says so by itself. The bot's earlier answers may repeat a document and are no prompt."""
    root = run.root
    if not root.recalled:
        return
    if type(given) is dict:
        given = given.get("messages") or given.get("prompts")
    said = messages(given)
    prompt = "\n".join(one.text for one in said if one.by != "ai") if said else "\n".join(map(str, items(given)))
    run.docs = tuple(doc for doc, text in root.recalled.items() if _telling(text) and text in prompt)
    if run.docs and run.docs != root.prompt:
        root.prompt = run.docs
        ranked = tuple(Doc(id=doc, rank=rank) for rank, doc in enumerate(run.docs, 1))
        params = {"known_by": "text", "model": run.name}
        scribe.say(Retrieved(query=root.query, stage="prompt", docs=ranked, params=params))


def _telling(text: str) -> bool:
    return len(text) >= (_QUOTED if text.isascii() else _QUOTED_WIDE)


def gave(scribe: Scribe, run: Run, output: Any) -> Message | None:
    """A model gave this back: what it said, if it speaks and doesn't ask for tools."""
    generations = items(mapping(output).get("generations"))
    if generations:
        first = generations[0][0] if type(generations[0]) is list and generations[0] else generations[0]
        output = mapping(first).get("message") or mapping(first).get("text")
    said = message(output) or (Message("ai", output) if type(output) is str else None)
    held = _fields(output)
    scribe.say(Raw(name="model", data={"name": run.name, **{key: plain(held[key]) for key in _USAGE if held.get(key)}}))
    if said is None or not said.text or said.calls:
        return None
    run.root.last = said.text
    run.root.made[said.text] = run.docs
    return said


def _fields(value: Any) -> Mapping[str, Any]:
    """The fields of a message, in whatever form."""
    held = mapping(value)
    return mapping(held.get("kwargs")) if "lc" in held else mapping(held.get("data")) or held
