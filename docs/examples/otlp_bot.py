"""A small LangGraph bot that knows nothing of lingbot-map: OpenInference instruments it, OpenTelemetry sends the spans.

It needs no network and no key: the model is a fake one that repeats what was found. Where the spans go is told by the
environment alone (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_TRACES_HEADERS).

    python docs/examples/otlp_bot.py              # a scripted dialogue
    python docs/examples/otlp_bot.py "a question" ...
"""

from __future__ import annotations

import argparse
import uuid
from typing import Any, TypedDict

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langgraph.graph import END, START, StateGraph
from openinference.instrumentation import using_session
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

DIALOGUE = (
    "What is the price of fibre?",
    "Can I send the router back?",
    "Thank you!",
)
ARTICLES = (
    Document(id="prices-2025", page_content="Fibre costs 99 a month since January.", metadata={"title": "Price list"}),
    Document(id="returns", page_content="A router can be sent back within 14 days.", metadata={"title": "Returns"}),
    Document(id="opening", page_content="The shops are open from 9 to 18.", metadata={"title": "Opening hours"}),
)
INTENTS = {"price": "price_query", "back": "returns"}


class Turn(TypedDict, total=False):
    """What one turn knows."""

    question: str
    intent: str
    answer: str


class Search(BaseRetriever):
    """Ranks the articles by the words that they share with the question."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        words = set(query.lower().strip("?!.").split())

        def shared(article: Document) -> int:
            return len(words & set(article.page_content.lower().strip(".").split()))

        return sorted(ARTICLES, key=shared, reverse=True)[:2]


class Parrot(SimpleChatModel):
    """A model that answers with the first thing that it was given to know."""

    @property
    def _llm_type(self) -> str:
        return "parrot"

    def _call(self, messages: list[BaseMessage], *_: Any, **__: Any) -> str:
        return str(messages[0].content).splitlines()[-1]


PROMPT = ChatPromptTemplate.from_messages([("system", "Answer from this alone:\n{found}"), ("user", "{question}")])


def understand(turn: Turn) -> Turn:
    """Which intent it is."""
    found = (intent for word, intent in INTENTS.items() if word in turn["question"].lower())
    return {"intent": next(found, "smalltalk")}


def look_up(turn: Turn) -> Turn:
    """Answer from what was found."""
    best = Search(name="vector_search").invoke(turn["question"])[0]
    said = (PROMPT | Parrot()).invoke({"found": best.page_content, "question": turn["question"]})
    return {"answer": str(said.content)}


def chat(turn: Turn) -> Turn:
    """Answer without looking anything up."""
    return {"answer": "You are welcome."}


def bot() -> Any:
    """The graph: understand, then one node for each intent."""
    graph = StateGraph(Turn)
    graph.add_node("understand", understand)
    graph.add_node("price_query", look_up)
    graph.add_node("returns", look_up)
    graph.add_node("smalltalk", chat)
    graph.add_edge(START, "understand")
    graph.add_conditional_edges("understand", lambda turn: turn["intent"], ["price_query", "returns", "smalltalk"])
    for node in ("price_query", "returns", "smalltalk"):
        graph.add_edge(node, END)
    return graph.compile()


def main(questions: list[str]) -> None:
    """One session with a turn for each question."""
    provider = TracerProvider(resource=Resource.create({"service.name": "shop-bot"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    LangChainInstrumentor().instrument(tracer_provider=provider)
    shop = bot()
    with using_session(f"call-{uuid.uuid4().hex[:6]}"):  # the one thing that a map needs and no tracing does
        for question in questions:
            print(f"> {question}\n{shop.invoke({'question': question})['answer']}")
    provider.shutdown()  # sends what is still held


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A bot that sends OpenTelemetry spans to the map.")
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help="what to ask instead of the scripted dialogue")
    questions = parser.parse_args().questions
    main(questions or list(DIALOGUE))
