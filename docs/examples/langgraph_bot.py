"""A small LangGraph bot on the map: one line attaches it. No network, no key: the model repeats what was found.

It understands, searches, waits for somebody to approve a refund, and answers; at the end it goes back to before the
approval with another order number, as one does to see what would have been.

    lingbot-map serve                              # in another terminal
    python docs/examples/langgraph_bot.py          # a scripted dialogue; --lang zh: in Chinese
    python docs/examples/langgraph_bot.py --record talk   # also writes talk.events.jsonl and talk.history.json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import uuid
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import SimpleChatModel
from langchain_core.load import dumpd
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt

from lingbot_probes import Probe
from lingbot_probes.langchain import MapCallback

DIALOGUE = {
    "en": ("What is the price of fibre?", "I want a refund for order 17.", "Thank you!"),
    "zh": ("光纤套餐多少钱？", "我要退款，订单 17。", "谢谢！"),
}
ARTICLES = {
    "en": (
        ("prices-2025", "Price list", "Fibre costs 99 a month since January, the router included.", "price fibre"),
        ("refunds", "Refunds", "A refund takes three days once somebody has approved it.", "refund order"),
        ("opening", "Opening hours", "The shops are open from 9 to 18 on weekdays.", "open shop"),
    ),
    "zh": (
        ("价目表-2025", "价目表", "光纤套餐自一月起每月九十九元，含路由器一台。", "多少钱 光纤"),
        ("退款", "退款须知", "经人工批准后，退款在三天之内原路退回。", "退款 订单"),
        ("营业时间", "营业时间", "门店工作日九点至十八点营业，周末照常休息。", "营业 门店"),
    ),
}
CHAT = {"en": "Is there anything else?", "zh": "还有什么可以帮您？"}


class Talk(TypedDict, total=False):
    """What the bot knows in a dialogue."""

    messages: Annotated[list[AnyMessage], add_messages]
    intent: str
    order: str
    approved: bool
    found: list[str]


class Search(BaseRetriever):
    """Ranks the articles by the words of theirs that stand in the question."""

    lang: str

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        ranked = []
        for id, title, text, words in ARTICLES[self.lang]:
            score = sum(word in query.lower() for word in words.split()) / len(words.split())
            ranked.append(Document(id=id, page_content=text, metadata={"title": title, "score": score}))
        return sorted(ranked, key=lambda article: -article.metadata["score"])[:2]


class Parrot(SimpleChatModel):
    """A model that answers with the first thing that it is given to know."""

    @property
    def _llm_type(self) -> str:
        return "parrot"

    def _call(self, messages: list[BaseMessage], *_: Any, **__: Any) -> str:
        return str(messages[0].content)


def bot(lang: str) -> Any:
    """The graph: understand, then one way for each intent."""
    search, model = Search(name="vector_search", lang=lang), Parrot()

    def understand(talk: Talk) -> Talk:
        said = str(talk["messages"][-1].content)
        number = "".join(letter for letter in said if letter.isdigit())
        if "refund" in said or "退款" in said:
            return {"intent": "refund", "order": number}
        return {"intent": "question" if "?" in said or "？" in said else "smalltalk"}

    def by_intent(talk: Talk) -> str:
        return talk["intent"]

    def look_up(talk: Talk, config: RunnableConfig) -> Talk:
        return {"found": [article.page_content for article in search.invoke(talk["messages"][-1].content, config)]}

    def approve(talk: Talk) -> Talk:
        return {"approved": interrupt({"refund": talk["order"]})}

    def granted(talk: Talk) -> bool:
        return talk["approved"]

    def answer(talk: Talk, config: RunnableConfig) -> Talk:
        return {"messages": [model.invoke([("system", talk["found"][0]), *talk["messages"]], config)]}

    def chat(talk: Talk) -> Talk:
        return {"messages": [("ai", CHAT[lang])]}  # type: ignore[list-item]

    graph = StateGraph(Talk)
    for node in (understand, look_up, approve, answer, chat):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "understand")
    graph.add_conditional_edges(
        "understand", by_intent, {"refund": "approve", "question": "look_up", "smalltalk": "chat"}
    )
    graph.add_conditional_edges("approve", granted, {True: "look_up", False: "chat"})
    graph.add_edge("look_up", "answer")
    graph.add_edge("answer", END)
    graph.add_edge("chat", END)
    return graph.compile(checkpointer=InMemorySaver())


async def talk(shop: Any, lang: str, config: RunnableConfig) -> list[str]:
    """One dialogue, and what would have been; its events, as lines of JSON."""
    events = []

    async def run(given: Any, place: RunnableConfig) -> None:
        async for event in shop.astream_events(given, place, version="v2"):
            events.append(json.dumps(event, default=dumpd, ensure_ascii=False))

    for question in DIALOGUE[lang]:
        print(f"> {question}")
        await run({"messages": [HumanMessage(question)]}, config)
        if shop.get_state(config).next:  # it waits for an approval
            await run(Command(resume=True), config)
        print(shop.get_state(config).values["messages"][-1].content)
    waiting = next(state for state in shop.get_state_history(config) if state.next == ("approve",))
    await run(None, shop.update_state(waiting.config, {"order": "18"}))  # what if it had been another order?
    await run(Command(resume=False), config)
    return events


def main(lang: str, record: str) -> None:
    """The dialogue on the map; its events and its thread's history are written down where a name for them is given."""
    probe = Probe("shop-bot")  # finds the map on this machine by itself
    shop = bot(lang).with_config(callbacks=[MapCallback(probe)])  # the one line
    config: RunnableConfig = {"configurable": {"thread_id": f"call-{uuid.uuid4().hex[:6]}"}}
    events = asyncio.run(talk(shop, lang, config))
    if record:
        history = [state._asdict() for state in shop.get_state_history(config)]
        Path(f"{record}.events.jsonl").write_text("\n".join(events), "utf-8")
        Path(f"{record}.history.json").write_text(json.dumps(history, default=dumpd, ensure_ascii=False), "utf-8")
    if not probe.flush():
        print(probe.stats()["why"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A LangGraph bot on the map.")
    parser.add_argument("--lang", choices=("en", "zh"), default="en", help="the language of the dialogue")
    parser.add_argument("--record", default="", metavar="NAME", help="write NAME.events.jsonl and NAME.history.json")
    chosen = parser.parse_args()
    main(chosen.lang, chosen.record)
