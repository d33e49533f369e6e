"""A tea shop of two agents on the real OpenAI Agents SDK, with a model that says what it is told to say."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from agents import (
    Agent,
    GuardrailFunctionOutput,
    RunConfig,
    Runner,
    function_tool,
    input_guardrail,
    set_trace_processors,
    trace,
)
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.tracing import generation_span, response_span
from agents.usage import Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from lingbot_probes import Probe
from lingbot_probes.openai_agents import MapTracing

Step = ResponseOutputMessage | ResponseFunctionToolCall | Exception


def say(text: str) -> ResponseOutputMessage:
    """The model says ``text``."""
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[part])


def call(name: str, **arguments: Any) -> ResponseFunctionToolCall:
    """The model calls a tool."""
    given = json.dumps(arguments)
    return ResponseFunctionToolCall(type="function_call", call_id=f"call-{name}", name=name, arguments=given)


class Scripted(Model):
    """A model that takes one step of its script at each call, with a span as the SDK's own models have."""

    def __init__(self, *steps: Step) -> None:
        self.script = list(steps)

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        with generation_span(model="scripted") as span:
            step = self.script.pop(0)
            if isinstance(step, Exception):
                span.set_error({"message": "Error getting response", "data": {"error": str(step)}})
                raise step
            span.span_data.input = [{"role": "user", "content": input}] if isinstance(input, str) else input
            span.span_data.output = [step.model_dump()]
            span.span_data.usage = {"input_tokens": 7, "output_tokens": 3}
            return ModelResponse(output=[step], usage=Usage(), response_id=None)

    async def stream_response(self, *given: Any, **more: Any) -> AsyncIterator[Any]:
        told = await self.get_response(*given, **more)
        yield ResponseCompletedEvent(type="response.completed", sequence_number=0, response=whole(told.output))


class Responding(Model):
    """A model of the Responses API: its span holds the response itself, which the SDK's own export leaves out."""

    def __init__(self, *outputs: list[Any]) -> None:
        self.script = list(outputs)

    async def get_response(self, system_instructions: Any, input: Any, *given: Any, **more: Any) -> ModelResponse:
        tracing = more["tracing"] if "tracing" in more else given[4]
        with response_span() as span:
            output = self.script.pop(0)
            if tracing.include_data():
                span.span_data.response, span.span_data.input = whole(output), input
            return ModelResponse(output=output, usage=Usage(), response_id="r")

    async def stream_response(self, *given: Any, **more: Any) -> AsyncIterator[Any]:
        told = await self.get_response(*given, **more)
        yield ResponseCompletedEvent(type="response.completed", sequence_number=0, response=whole(told.output))


def whole(output: list[Any]) -> Response:
    """A response as the API gives it."""
    return Response(
        id="r",
        created_at=0,
        model="responding",
        object="response",
        output=output,
        tool_choice="none",
        tools=[],
        parallel_tool_calls=False,
    )


TEAS = [
    {"id": "tea-7", "content": "Mao Jian is picked before the rains of April.", "score": 0.82},
    {"id": "tea-9", "content": "Long Jing is roasted in a pan, leaf by leaf.", "score": 0.61},
]


@function_tool
def search_teas(query: str) -> list[dict[str, Any]]:
    """Search what is known of teas."""
    return TEAS


@function_tool
def take_order(tea: str, grams: int) -> str:
    """Write an order down."""
    if grams > 1_000:
        raise ValueError("we have no more than a kilo")
    return f"{grams} g of {tea}"


@input_guardrail
async def on_topic(context: Any, agent: Any, given: Any) -> GuardrailFunctionOutput:
    """Trips over what has nothing to do with tea."""
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered="secret" in str(given))


class Shop:
    """The two agents; ``desk`` and ``teas`` are their models' scripts."""

    def __init__(self, desk: list[Step], teas: list[Step]) -> None:
        self.expert = Agent(name="teas", model=Scripted(*teas), tools=[search_teas, take_order])
        self.desk = Agent(name="desk", model=Scripted(*desk), handoffs=[self.expert], input_guardrails=[on_topic])

    async def reply(self, text: str, chat: str, *, streamed: bool = False, **more: Any) -> str:
        """One run in the conversation ``chat``."""
        config = RunConfig(group_id=chat, workflow_name="Tea shop", **more)
        if not streamed:
            return str((await Runner.run(self.desk, text, run_config=config)).final_output)
        result = Runner.run_streamed(self.desk, text, run_config=config)
        async for _ in result.stream_events():
            pass
        return str(result.final_output)


ASKED, ANSWER = "When is Mao Jian picked?", "Before the rains of April."


def shop() -> Shop:
    """A shop in which the desk hands over, the expert searches, fails to take an order, and answers."""
    return Shop(
        desk=[call("transfer_to_teas")],
        teas=[call("search_teas", query="Mao Jian"), call("take_order", tea="Mao Jian", grams=5_000), say(ANSWER)],
    )


def attach(probe: Probe, **more: Any) -> MapTracing:
    """The probe alone hears of the traces."""
    tracing = MapTracing(probe, **more)
    set_trace_processors([tracing])
    return tracing


__all__ = [
    "ANSWER",
    "ASKED",
    "TEAS",
    "Agent",
    "Responding",
    "Runner",
    "Scripted",
    "Shop",
    "attach",
    "call",
    "say",
    "shop",
    "trace",
]
