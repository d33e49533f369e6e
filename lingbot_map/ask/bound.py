"""What a question binds, as slots: names by their kind, conditions, the relation, turns; else its key words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from lingbot_map.ask.labels import label
from lingbot_map.ask.text import folded, terms
from lingbot_map.ask.types import Item, Lang, Mention, Question

OF_THE_QUESTION = frozenset(("relation", "terms", "turn"))
"""Slots that no later question goes on with: they end with their turn, so that another value overwrites nothing."""
_NAME = 40
_WORDS = 8

ItemOf = Callable[[str], Item | None]


@dataclass(frozen=True, slots=True)
class Bound:
    """A slot's ``label`` and ``value``; ``before``: bound only because an earlier question named it."""

    label: str
    value: Any
    before: bool = False


def slots_of(question: Question, item_of: ItemOf) -> dict[str, Bound]:
    """The slots by name. A base may say in ``args`` what kinds and properties are called ("labels"), along which
    "relations" was gone and which "turns" are asked about."""
    lang, own = question.lang, question.args.get("labels", {})
    by_kind: dict[str, list[Mention]] = {}
    for mention in question.mentions:
        by_kind.setdefault(mention.kind or "entity", []).append(mention)
    slots = {
        kind: Bound(
            own.get(kind) or label(kind, lang),
            _one(dict.fromkeys(_value(mention, item_of) for mention in mentions), lang),
            all(mention.how == "before" for mention in mentions),
        )
        for kind, mentions in by_kind.items()
    }
    for name, value in question.constraints.items():
        slots[name] = Bound(own.get(name) or label(name, lang), _one(_flat(value), lang))
    for name in ("relations", "turns"):
        if held := question.args.get(name):
            slots[name[:-1]] = Bound(label(name[:-1], lang), _one(held, lang))
    if not slots and question.terms:
        whole = folded(question.text)
        said = [term for term in question.terms if folded(term) in whole] or terms(question.text)
        slots["terms"] = Bound(label("terms", lang), _one(said[:_WORDS], lang))
    return slots


def name_of(mention: Mention, item_of: ItemOf) -> str:
    """What is meant is called so."""
    item = item_of(mention.id)
    return (item.title if item is not None and item.title else mention.text)[:_NAME]


def joined(values: list[str], lang: Lang) -> str:
    """All of them as they are read in a row."""
    return ("、" if lang == "zh" else ", ").join(values)


def _value(mention: Mention, item_of: ItemOf) -> str:
    """The name with the id that tells it from others of the name; the id alone where that says as much."""
    name = name_of(mention, item_of)
    tail = mention.id.rpartition(":")[2]
    same = folded(name) in (folded(tail), folded(PurePosixPath(tail).stem))
    return mention.id if same else f"{name} [{mention.id}]"


def _flat(value: Any) -> list[Any]:
    """The values in nested lists."""
    if not isinstance(value, list | tuple | set | frozenset):
        return [value]
    return [leaf for each in value for leaf in _flat(each)]


def _one(values: Any, lang: Lang) -> Any:
    held = list(values)
    return held[0] if len(held) == 1 else joined(list(map(str, held)), lang)
