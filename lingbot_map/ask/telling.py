"""An answer as plain values for JSON, and the parts of the extra that are not installed."""

from __future__ import annotations

from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

from lingbot_map.ask.types import Answer, Question

PARTS = ("ahocorasick_rs", "defusedxml", "numpy", "opencc", "rapidfuzz", "rjieba")
"""The modules that ``lingbot-map[ask]`` adds."""
REMEDY = "install it with: pip install '.[ask]' in a checkout, pip install 'lingbot-map[ask]' from an index"
"""What to do where one of them is missing."""


def missing() -> list[str]:
    """Those of the extra's modules that are not installed; empty where all of it is."""
    return [name for name in PARTS if find_spec(name) is None]


def question_as_json(question: Question) -> dict[str, Any]:
    """How a question was understood: ``kind``, and each mention's words, place, id and other ids it may stand for."""
    return {
        "text": question.text,
        "lang": question.lang,
        "kind": question.kind,
        "mentions": [asdict(mention) for mention in question.mentions],
        "terms": list(question.terms),
    }


def as_json(answer: Answer) -> dict[str, Any]:
    """``question`` (see above), ``text``, ``sentences`` with their ``cites``, ``verdict``, ``confidence``,
    ``abstained``, ``evidence``, ``chains``, ``open_points``, ``rows`` and ``steps``."""
    return {
        "question": question_as_json(answer.question),
        "text": answer.text,
        "sentences": [asdict(sentence) for sentence in answer.sentences],
        "cites": list(answer.cites),
        "verdict": answer.verdict,
        "confidence": answer.confidence,
        "abstained": answer.abstained,
        "evidence": [{**asdict(item), "ranks": dict(item.ranks)} for item in answer.evidence],
        "chains": [asdict(chain) for chain in answer.chains],
        "open_points": list(answer.open_points),
        "rows": [dict(row) for row in answer.rows],
        "steps": [asdict(step) for step in answer.steps],
    }
