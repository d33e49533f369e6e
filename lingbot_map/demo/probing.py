"""Where the assistant is watched: one probe, and how its own types read as documents and slots.

This and the lines with ``probe`` in ``dialogue.py`` and ``retrieval.py`` are all that the map asks of the bot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lingbot_map.demo.slots import SLOTS
from lingbot_probes import Probe
from lingbot_probes.signals import Doc

if TYPE_CHECKING:
    from lingbot_map.demo.retrieval import Hit, Retriever

probe = Probe("telecom-assistant")

SCOPES = {name: kind.scope for name, kind in SLOTS.items()}
LABELS = {lang: {name: kind.label(lang) for name, kind in SLOTS.items()} for lang in ("zh", "en")}


def seen(hits: list[Hit], retriever: Retriever, *_: object) -> list[Doc]:
    """A stage's hits as documents on the map, with what the store knows of each."""
    knowledge = retriever.knowledge
    return [
        Doc(
            id=hit.document.id,
            title=hit.document.title,
            score=hit.score,
            score_kind=hit.unit,
            rank=rank,
            version=hit.document.version,
            updated_at=hit.document.updated_at,
            snippet=hit.document.body[:80],
            dropped_because=hit.dropped,
            hits=knowledge.hits.week(hit.document.id),
            near=knowledge.near(hit.document.id),
        )
        for rank, hit in enumerate(hits, 1)
    ]
