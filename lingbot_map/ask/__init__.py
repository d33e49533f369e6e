"""Ask: questions answered from recorded sessions, sequence diagrams, knowledge graphs and documents.

One engine (``Ask``) over several bases (``bases/``). It reads maps and never changes them; nothing of the core or the
pipeline knows of it. Needs ``lingbot-map[ask]`` for all of it; the engine itself runs without.
"""

from lingbot_map.ask.engine import Ask, Base, Route
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
