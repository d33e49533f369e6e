"""How fast a foreign recording opens: told by its content, parsed, adapted, and written as what the wire carries."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable
from typing import Any

from bench import Figure, best
from bench.graph_events import graph_events
from lingbot_map.importers import Columns, read, sniff
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


def table_lines(count: int) -> bytes:
    """Rows of a table of dialogues as JSON lines, mixed as they were logged."""
    out = []
    for i in range(count):
        said = {"conv_id": f"call-{i % 400}", "question": f"请把套餐改成 {i}", "answer": f"answer {i}"}
        out.append(
            json.dumps({**said, "intent": f"i{i % 9}", "confidence": 0.9, "at": 1.7e9 + i, "city": f"v{i % 50}"})
        )
    return "\n".join(out).encode()


def dialogues(count: int, turns: int = 20) -> bytes:
    """Schema-guided dialogues of ``count`` turns in all."""
    out: list[dict[str, Any]] = []
    for i in range(count // turns):
        held: dict[str, list[str]] = {}
        said: list[dict[str, Any]] = []
        for j in range(0, turns, 2):
            held = {**held, f"slot_{j}": [f"value {i}"]}
            state = {"active_intent": f"Find{j % 3}", "requested_slots": [], "slot_values": held}
            user = {"service": "Cafes_1", "actions": [], "slots": [], "state": state}
            rows = [{"name": f"row {k}", "city": "Lund", "id": str(k)} for k in range(3 * (j % 4 == 0))]
            call = {"method": "FindCafe", "parameters": {f"slot_{j}": f"value {i}"}}
            system = {"service": "Cafes_1", "actions": [], "slots": [], "service_call": call, "service_results": rows}
            said.append({"speaker": "USER", "utterance": f"say {j}", "frames": [user]})
            said.append({"speaker": "SYSTEM", "utterance": f"answer {j}", "frames": [system]})
        out.append({"dialogue_id": f"1_{i}", "services": ["Cafes_1"], "turns": said})
    return json.dumps(out, indent=1).encode()


COLUMNS = Columns(
    session="conv_id",
    user="question",
    bot="answer",
    intent="intent",
    confidence="confidence",
    time="at",
    slots={"city": "city"},
)


def spans(count: int) -> list[dict[str, Any]]:
    """``count`` spans in turns of eight, as exporters write them: a retriever with three documents, two calls of a
    model, two tools, two chains, and the agent around them."""
    out: list[dict[str, Any]] = []
    for turn in range(count // 8):
        session = f"session-{turn % 20}"
        found: dict[str, Any] = {"input.value": f"规则 {turn}"}
        for i in range(3):
            row = {"id": f"doc-{(turn + i) % 50}", "content": f"第 {i} 条：" + "退款 " * 20, "score": 0.9 - i / 10}
            found |= {f"retrieval.documents.{i}.document.{name}": value for name, value in row.items()}
        model: dict[str, Any] = {"llm.model_name": "m", "llm.token_count.prompt": 900, "llm.token_count.completion": 20}
        for i, role in enumerate(("system", "assistant", "user")):
            model |= {f"llm.input_messages.{i}.message.role": role}
            model |= {f"llm.input_messages.{i}.message.content": f"say {i} " * 8}
        model |= {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "ok"}
        tool = {"tool.name": "lookup", "input.value": '{"order": 17}', "output.value": "sent"}
        agent = {"session.id": session, "agent.name": "desk", "input.value": f"请查 {turn}", "output.value": "好的"}
        kinds: list[tuple[str, int, dict[str, Any]]] = [
            ("RETRIEVER", 8, found),
            ("LLM", 8, model),
            ("TOOL", 8, tool),
            ("TOOL", 8, tool),
            ("CHAIN", 8, {"input.value": "x"}),
            ("CHAIN", 5, {"graph.node.id": f"node-{turn % 4}"}),
            ("LLM", 6, model),
            ("AGENT", 0, agent),
        ]
        for number, (kind, parent, attributes) in enumerate(kinds, 1):
            out.append(
                {
                    "name": f"step {number}",
                    "context": {"trace_id": f"{turn:032x}", "span_id": f"{turn:08x}{number:08x}"},
                    "parent_id": f"{turn:08x}{parent:08x}" if parent else None,
                    "span_kind": kind,
                    "start_time": 1.7e9 + turn * 10 + number % 8,
                    "end_time": 1.7e9 + turn * 10 + 9,
                    "status_code": "OK",
                    "status_message": "",
                    "attributes": attributes,
                    "events": [],
                }
            )
    return out


def requests(found: list[dict[str, Any]]) -> bytes:
    """The same spans as OTLP, eighty to a request."""
    words = {str: "stringValue", int: "intValue", float: "doubleValue"}
    packed = []
    for span in found:
        named = {"openinference.span.kind": span["span_kind"], **span["attributes"]}
        packed.append(
            {
                "traceId": span["context"]["trace_id"],
                "spanId": span["context"]["span_id"],
                "parentSpanId": span["parent_id"] or "",
                "name": span["name"],
                "startTimeUnixNano": str(int(span["start_time"] * 1e9)),
                "endTimeUnixNano": str(int(span["end_time"] * 1e9)),
                "attributes": [{"key": key, "value": {words[type(value)]: value}} for key, value in named.items()],
                "status": {},
            }
        )
    lines = (packed[i : i + 80] for i in range(0, len(packed), 80))
    return b"\n".join(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": line}]}]}).encode() for line in lines)


def measure() -> Iterable[Figure]:
    """Events of the file a second on one core: sniffed, parsed and adapted; and with the codec besides."""
    lines, document = tracker_lines(EVENTS), transcript(EVENTS)
    rows, corpus = table_lines(EVENTS), dialogues(EVENTS)

    def taken(content: bytes, columns: Columns | None = None) -> Callable[[], None]:
        def run() -> None:
            for session in read(content, columns=columns):
                for _ in session.items:
                    pass

        return run

    def coded() -> None:
        for session in read(lines):
            for item in session.items:
                numbered_to_dict(item)

    clock = time.process_time
    events = sum(1 for session in read(corpus) for _ in session.items)
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
    yield Figure(
        name="table lines",
        value=EVENTS / best(taken(rows, COLUMNS), clock=clock),
        unit="rows/s",
        bar=BAR,
        better="more",
        note=f"{EVENTS:,} rows of 400 sessions, {len(rows) // EVENTS} bytes each",
    )
    yield Figure(
        name="schema-guided dialogues",
        value=events / best(taken(corpus), clock=clock),
        unit="events/s",
        bar=BAR,
        better="more",
        note=f"{events:,} events of the map out of {EVENTS:,} turns, {len(corpus) // EVENTS} bytes each",
    )
    traced = spans(EVENTS // 2)
    for name, content in (
        ("OpenInference lines", b"\n".join(json.dumps(span).encode() for span in traced)),
        ("OTLP requests", requests(traced)),
    ):
        yield Figure(
            name=name,
            value=len(traced) / best(taken(content), clock=clock),
            unit="spans/s",
            bar=BAR if name == "OpenInference lines" else None,
            better="more",
            note=f"{len(traced):,} spans, {len(content) // len(traced)} bytes each",
        )
    for name, content in (
        ("LangGraph events", graph_events(EVENTS // 2)),
        ("LangGraph events with pieces", graph_events(EVENTS // 2, pieces=True)),
    ):
        yield Figure(
            name=name,
            value=EVENTS // 2 / best(taken(content), clock=clock),
            unit="events/s",
            bar=BAR,
            better="more",
            note=f"{EVENTS // 2:,} events of 20 threads, {len(content) // (EVENTS // 2)} bytes each",
        )
    yield Figure(name="sniff", value=best(lambda: sniff(lines)) * 1e3, unit="ms", bar=50.0, note="of the same lines")
