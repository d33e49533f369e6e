"""Ask: questions answered from recorded sessions, sequence diagrams, knowledge graphs and documents.

One engine (``Ask``) over several bases (``bases/``). It reads maps and never changes them; nothing of the core or the
pipeline knows of it. Needs ``lingbot-map[ask]`` for all of it; the engine itself runs without.

    from pathlib import Path
    from lingbot_map.ask import Ask
    from lingbot_map.ask.bases import opened

    asking = Ask(opened("session", [Path("call.jsonl")]))    # or "diagram", "graph", "recall", "sentences"
    answer = asking.ask("who overwrote brand?")
    answer.text            # "brand was overwritten in turn 18 by price_query: ..."
    answer.cites           # ("t18", "assign:169", "t12", "assign:106"): ids of items that exist
    answer.abstained       # True where the base holds nothing about it; then nothing is cited
    answer.evidence        # what was cited and found, each with its place, route, rank and reason
    answer.chains          # the way from the answer to its causes
    answer.steps           # what was done, with its status and time
    asking.ask("what is it now?")                            # earlier questions are remembered
    Ask(base, probe=Probe("shop"))                           # each question a turn of a recorded session (``report``)
    Ask(base, llm=Llm("http://127.0.0.1:8080/v1", "name"))   # in a language model's words (``llm``)

A map at hand is asked with ``Ask(SessionBase(map))`` (``bases.session``). ``telling.as_json`` makes an answer plain
values. An ``Ask`` belongs to one thread at a time. What can't be read raises ``BadInput`` when a base is opened, with
its place; what is asked never raises.
"""

from lingbot_map.ask.askable import Base, Route
from lingbot_map.ask.engine import Ask
from lingbot_map.ask.types import Answer, Chain, EvidenceItem, Found, Item, Mention, Question, Sentence, TraceStep

__all__ = [
    "Answer",
    "Ask",
    "Base",
    "Chain",
    "EvidenceItem",
    "Found",
    "Item",
    "Mention",
    "Question",
    "Route",
    "Sentence",
    "TraceStep",
]
