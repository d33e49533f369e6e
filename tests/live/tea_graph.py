"""A real LangGraph bot for tests: conditional edges, a retriever, a model that is none, a subgraph, an interrupt.

What the user says decides the way: "price" is searched for and waits for an approval, "fan" splits into parallel tasks,
"fail" fails, "order" goes on by a command, anything else is small talk in a subgraph.
"""

from __future__ import annotations

import operator
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any, TypedDict

from langchain_core.callbacks import CallbackManagerForLLMRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Send, interrupt

PRICES = "毛尖每百克八十元，龙井每百克一百二十元，自一月起。"
POSTAGE = "Parcels to Shanghai take two days and cost eight yuan."


class Talk(TypedDict, total=False):
    """The state."""

    messages: Annotated[list[AnyMessage], add_messages]
    intent: str
    found: list[str]
    approved: bool
    notes: Annotated[list[int], operator.add]
    user: str


class Shelf(BaseRetriever):
    """Two documents, each with its own spelling of a score."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [
            Document(id="prices", page_content=PRICES, metadata={"title": "Price list", "relevance_score": 0.91}),
            Document(page_content=POSTAGE, metadata={"source": "post.md", "page": 2, "distance": 0.4}),
        ]


class Parrot(BaseChatModel):
    """Says the words of what it was given first, piece by piece."""

    @property
    def _llm_type(self) -> str:
        return "parrot"

    def _said(self, messages: list[BaseMessage]) -> str:
        return f"({len(messages)}) {str(messages[0].content)[:60]}"

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any,
    ) -> ChatResult:  # fmt: skip
        usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        said = AIMessage(content=self._said(messages), usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=said)])

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:  # fmt: skip
        for piece in self._said(messages).split(" "):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece + " "))
            if run_manager is not None:
                run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk

    async def _astream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        for chunk in self._stream(messages):
            yield chunk


shelf, parrot = Shelf(name="vector_shelf"), Parrot()


@tool
def weigh(grams: int) -> str:
    """Weigh tea."""
    return f"{grams} g"


def said(state: Talk) -> str:
    """The user's last words."""
    return next(str(one.content) for one in reversed(state["messages"]) if isinstance(one, HumanMessage))


def understand(state: Talk) -> Talk:
    """Which intent it is."""
    words = ("price", "fan", "fail", "order")
    return {"intent": next((word for word in words if word in said(state)), "small")}


def by_intent(state: Talk) -> Any:
    """The conditional edge: names of its path map, nodes, or tasks."""
    if state["intent"] == "fan":
        return [Send("count", {"notes": [i]}) for i in (1, 2)]
    return {"price": "look_up", "fail": "fail", "order": "order"}.get(state["intent"], "chat")


def look_up(state: Talk, config: RunnableConfig) -> Talk:
    """Search."""
    found = shelf.invoke(said(state), config)
    return {"found": [document.page_content for document in found]}


async def alook_up(state: Talk, config: RunnableConfig) -> Talk:
    """Search, without blocking."""
    found = await shelf.ainvoke(said(state), config)
    return {"found": [document.page_content for document in found]}


def approve(state: Talk) -> Talk:
    """Wait for somebody."""
    return {"approved": interrupt({"question": "Tell the price?"})}


def whether(state: Talk) -> bool:
    """The conditional edge after that, with a path map."""
    return state["approved"]


def tell(state: Talk, config: RunnableConfig) -> Talk:
    """Answer from what was found."""
    return {"messages": [parrot.invoke([("system", state["found"][0]), *state["messages"]], config)]}


async def atell(state: Talk, config: RunnableConfig) -> Talk:
    """Answer from what was found, without blocking."""
    return {"messages": [await parrot.ainvoke([("system", state["found"][0]), *state["messages"]], config)]}


def refuse(state: Talk) -> Talk:
    """Answer without a model."""
    return {"messages": [AIMessage(content="Not today.")]}


def count(state: Talk) -> Talk:
    """One of several tasks."""
    return {"notes": state["notes"]}


def fail(state: Talk) -> Talk:
    """Go wrong."""
    raise ValueError("the kettle is empty")


def order(state: Talk, config: RunnableConfig) -> Command[Any]:
    """Go on by a command, with a tool on the way."""
    weigh.invoke({"grams": 50}, config)
    return Command(goto="refuse", update={"user": None})


def graph(*, sleepless: bool = False, saver: Any = None, **compiled: Any) -> Any:
    """The bot; ``sleepless`` with coroutines for what searches and speaks."""
    small = StateGraph(Talk)
    small.add_node("greet", atell if sleepless else tell)
    small.add_node("note", lambda state: {"notes": [len(state["messages"])]})
    small.add_edge(START, "note")
    small.add_edge("note", "greet")
    bot = StateGraph(Talk)
    bot.add_node("understand", understand)
    bot.add_node("look_up", alook_up if sleepless else look_up)
    bot.add_node("approve", approve)
    bot.add_node("tell", atell if sleepless else tell)
    bot.add_node("refuse", refuse)
    bot.add_node("count", count)
    bot.add_node("fail", fail)
    bot.add_node("order", order, destinations=("refuse",))
    bot.add_node("prepare", lambda state: {"found": ["Small talk, nothing to look up at all."]})
    bot.add_node("chat", small.compile())
    bot.add_edge(START, "understand")
    bot.add_conditional_edges(
        "understand", by_intent, {"chat": "prepare", **{n: n for n in ("look_up", "fail", "order")}}
    )
    bot.add_edge("prepare", "chat")
    bot.add_edge("look_up", "approve")
    bot.add_conditional_edges("approve", whether, {True: "tell", False: "refuse"})
    bot.add_edge("count", "refuse")
    for last in ("tell", "refuse", "chat", "fail"):
        bot.add_edge(last, END)
    return bot.compile(checkpointer=InMemorySaver() if saver is None else saver, **compiled)


def thread(name: str, *callbacks: Any) -> RunnableConfig:
    """The config of a run on the thread ``name``."""
    return {"configurable": {"thread_id": name}, "callbacks": list(callbacks)}


def ask(words: str, **more: Any) -> dict[str, Any]:
    """What the user says, as a graph is given it."""
    return {"messages": [HumanMessage(words)], **more}


def before(bot: Any, config: RunnableConfig, node: str) -> RunnableConfig:
    """The config of the oldest checkpoint of the thread after which ``node`` ran."""
    states = [state for state in bot.get_state_history(config) if state.next == (node,)]
    found: RunnableConfig = states[-1].config
    return found


def along(config: RunnableConfig, *callbacks: Any) -> RunnableConfig:
    """The same place, heard by ``callbacks``."""
    return {"configurable": config["configurable"], "callbacks": list(callbacks)}
