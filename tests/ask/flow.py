"""A small diagram, the question that tests of the language model ask, and its answer with a model and without."""

from __future__ import annotations

from pathlib import Path

from lingbot_map.ask import Answer, Ask, TraceStep
from lingbot_map.ask.bases import opened
from lingbot_map.ask.llm import Llm
from lingbot_map.ask.telling import as_json
from tests.ask.stub import Stub

FLOW = """@startuml
participant Shop
participant Till
participant Stock
Shop -> Till : charge(order)
alt charge accepted
  Till --> Shop : receipt
  Shop -> Stock : pick(order)
else charge refused
  Shop -> Stock : release(order)
  note over Stock : must release within 5 minutes
end
@enduml
"""
QUESTION = "What happens if the charge is refused?"
GOOD = "Under “charge refused” the shop calls release(order) [1][2]."
SECRET = "sk-do-not-tell-anybody-0123456789"


def words(stub: Stub, flow: Path, question: str = QUESTION, *, limit: float = 5.0) -> tuple[Answer, TraceStep, Answer]:
    """The answer with the model, its step, and the answer without."""
    base = opened("diagram", [flow])
    without = Ask(base).ask(question)
    answer = Ask(base, llm=Llm(stub.url, "tiny"), limit=limit).ask(question)
    return answer, answer.steps[-1], without


def unchanged(answer: Answer, without: Answer) -> bool:
    """Whether all of an answer but its steps is what is computed without a model."""
    said, plain = as_json(answer), as_json(without)
    del said["steps"], plain["steps"]
    return bool(said == plain)
