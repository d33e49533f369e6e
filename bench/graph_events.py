"""Events of LangGraph to time: what ``astream_events`` gives of threads whose turns understand, look up and answer."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

_THREADS = 20
_KEPT = 4  # messages that a node is given: an event is of one size, however long the file is
_PIECES = 12  # of an answer
_NODES = ("understand", "look_up", "answer")

Record = dict[str, Any]


def graph_events(count: int, *, pieces: bool = False) -> bytes:
    """Lines of ``count`` events of twenty threads, 14 to a turn; with ``pieces`` those of the answers besides."""
    out: list[Record] = []
    number = 0
    while len(out) < count:
        out += _Turn(number).events(pieces)
        number += 1
    return b"\n".join(json.dumps(event).encode() for event in out[:count])


def _built(kind: str, name: str, **kwargs: Any) -> Record:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", kind, name], "kwargs": kwargs}


def _message(name: str, by: str, text: str, number: int) -> Record:
    return _built("messages", name, content=text, type=by, id=str(UUID(int=number)))


def _document(number: int) -> Record:
    text = f"Rule {number % 50}: a refund takes three days once somebody has approved it."
    meta = {"title": f"Rule {number % 50}", "score": 0.9}
    return _built("document", "Document", id=f"rule-{number % 50}", metadata=meta, page_content=text, type="Document")


class _Turn:
    """One turn of a thread, the turns of twenty threads going on in turn."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._thread, self._step = f"call-{number % _THREADS}", number // _THREADS * 5
        self._runs = 0
        self._out: list[Record] = []

    def events(self, pieces: bool) -> list[Record]:
        """Those of the run and of its three nodes."""
        number = self._number
        asked = _message("HumanMessage", "human", f"What is rule {number % 50} about, in case {number}?", 2 * number)
        before = [_message("HumanMessage", "human", f"Earlier {i}", 10_000_000 + i) for i in range(_KEPT - 1)]
        state: Record = {"messages": [*before, asked]}
        root = self._run()
        self._tell("chain_start", root, "LangGraph", [], {}, {"input": {"messages": [asked]}})
        for place, node in enumerate(_NODES, 1):
            gave = self._node(node, place, root, state, pieces)
            messages = [*state["messages"], *gave.get("messages", [])]
            state = {**state, **gave, "messages": messages}
        self._tell("chain_end", root, "LangGraph", [], {}, {"output": state, "input": {"messages": [asked]}})
        return self._out

    def _node(self, node: str, place: int, root: str, given: Record, pieces: bool) -> Record:
        number, step = self._number, self._step + place
        metadata = {
            "langgraph_step": step,
            "langgraph_node": node,
            "langgraph_triggers": [f"branch:to:{node}"],
            "langgraph_path": ["__pregel_pull", node],
            "langgraph_checkpoint_ns": f"{node}:{UUID(int=number * 10 + place)}",
        }
        run, within = self._run(), self._run()
        self._tell("chain_start", run, node, [f"graph:step:{step}"], metadata, {"input": given}, root)

        def inner(event: str, name: str, tag: int, data: Record) -> None:
            self._tell(event, within, name, [f"seq:step:{tag}"], metadata, data, root, run)

        if node == "understand":
            gave: Record = {"intent": "question" if number % 3 else "refund", "order": str(number % 90)}
            inner("chain_start", "by_intent", 3, {"input": {**given, **gave}})
            inner("chain_end", "by_intent", 3, {"output": "look_up", "input": {**given, **gave}})
        elif node == "look_up":
            found = [_document(number + i) for i in range(3)]
            gave, query = {"found": [doc["kwargs"]["page_content"] for doc in found]}, {"query": f"rule {number}"}
            inner("retriever_start", "vector_search", 1, {"input": query})
            inner("retriever_end", "vector_search", 1, {"output": found, "input": query})
        else:
            said = _message("AIMessage", "ai", f"It is this: {number}.", 2 * number + 1)
            gave = {"messages": [said]}
            system = _built("messages", "SystemMessage", content=given["found"][0], type="system")
            prompt = {"messages": [[system, *given["messages"]]]}
            inner("chat_model_start", "ChatModel", 1, {"input": prompt})
            for piece in range(_PIECES * pieces):
                inner("chat_model_stream", "ChatModel", 1, {"chunk": _message("AIMessageChunk", "ai", f"{piece} ", 0)})
            inner("chat_model_end", "ChatModel", 1, {"output": said, "input": prompt})
        self._tell("chain_end", run, node, [f"graph:step:{step}"], metadata, {"output": gave, "input": given}, root)
        return gave

    def _run(self) -> str:
        """The id of a new run, which has its time in it."""
        self._runs += 1
        at = 0x019A_0000_0000 + self._number * 1_000 + self._runs
        return str(UUID(int=at << 80 | 7 << 76 | 2 << 62 | self._number << 8 | self._runs))

    def _tell(self, event: str, run: str, name: str, tags: list[str], place: Record, data: Record, *above: str) -> None:
        metadata = {"thread_id": self._thread, "ls_integration": "langgraph", **place}
        told = {"event": f"on_{event}", "data": data, "name": name, "tags": tags, "run_id": run}
        self._out.append({**told, "metadata": metadata, "parent_ids": list(above)})
