"""One question of the page, answered line by line: how it was read, its steps, the evidence, the answer, the topics."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lingbot_web.ask_request import Before

if TYPE_CHECKING:
    from lingbot_map.ask import Answer, Ask, Base
    from lingbot_map.ask.llm import Llm
    from lingbot_web.ask_sessions import Turn

Tell = Callable[[dict[str, Any]], None]


def answered(
    base: Base,
    question: str,
    bound: dict[int, str],
    before: Before,
    tell: Tell,
    *,
    only: bool,
    root: Path | None,
    llm: Llm | None,
    record: Callable[[Ask], Turn | None] = lambda asking: None,
) -> Callable[[], None] | None:
    """Reads the question, tells how, and unless ``only`` that is wanted answers it. Where a language model is to word
    the answer, what comes back does that and tells it. ``record`` lets what is asked next be told as a turn."""
    from lingbot_map.ask import Ask
    from lingbot_map.ask.engine import LIMIT
    from lingbot_web.ask_reading import bound_as_json, read_as

    asking = Ask(base)
    for earlier, put_right in before:
        asking.ask(earlier, read=read_as(base, earlier.strip(), asking.dialog, put_right))
    read = read_as(base, question.strip(), asking.dialog, bound)
    tell({"bound": bound_as_json(base, read)})
    if only:
        return None
    end = time.monotonic() + LIMIT
    turn = record(asking)
    try:
        found = asking.ask(question, read=read, told=lambda step: tell({"step": asdict(step)}))
    finally:
        if turn is not None:
            turn.computed()

    def tell_answer(answer: Answer) -> None:
        for line in _told(base, answer, root):
            tell(line)
        tell({"topics": _topics(asking)})
        if turn is not None:
            turn.said(answer)

    def word(llm: Llm) -> None:
        worded, step = llm.worded(found, base, end - time.monotonic())
        tell({"step": asdict(step)})
        tell_answer(replace(worded, steps=(*found.steps, step)))

    if llm is not None:
        return partial(word, llm)
    tell_answer(found)
    return None


def _told(base: Base, answer: Answer, root: Path | None) -> list[dict[str, Any]]:
    """The evidence and the answer. ``extracted``: it is a list of what fits, quoted and not worked out; ``worded``: in
    a language model's words; ``labels`` are the titles of what is cited; ``query`` is a graph's plan."""
    from lingbot_map.ask.llm import STEP
    from lingbot_map.ask.telling import as_json
    from lingbot_web.ask_sources import named

    said = as_json(answer)
    evidence = said.pop("evidence")
    for each in evidence:
        each["path"] = named(each["path"], root)
    del said["steps"], said["question"]
    computed = any(step.name == "compute" and step.status == "ok" for step in answer.steps)
    worded = any(step.name == STEP and step.status == "ok" for step in answer.steps)
    said["extracted"] = not (answer.abstained or computed or worded)
    said["worded"] = worded
    cited = dict.fromkeys([*answer.cites, *(id for chain in answer.chains for id in chain.items)])
    items = [base.item(id) for id in cited]
    said["labels"] = {item.id: {"title": item.title or item.id, "kind": item.kind} for item in items if item}
    query = getattr(base, "query", None)
    if query is not None and (plan := query(answer.question)) is not None:
        said["query"] = {"text": plan.text, "parameters": dict(plan.parameters)}
    return [{"evidence": evidence}, {"answer": said}]


def _topics(asking: Ask) -> list[dict[str, Any]]:
    """The topics that one can go back to, the present one first: each by its question and the names in it."""
    found = []
    for topic in asking.dialog.topics:
        ids = [*(mention.id for mention in topic.question.mentions), *(row.id for row in topic.answered)]
        items = [asking.base.item(id) for id in dict.fromkeys(ids)]
        names = dict.fromkeys(item.title or item.id for item in items if item)
        found.append({"question": topic.question.text, "names": list(names)[:3]})
    return found
