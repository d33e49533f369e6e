"""Knowledge graphs: questions become plans over nodes and edges, which are computed exactly.

``load`` reads files, ``relations`` finds what words stand for, ``reading`` and ``following`` make plans, ``run`` runs
them, ``say`` words what they gave, ``cypher`` shows them as queries of a graph database.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lingbot_map.ask.bases.triples.knowledge import Knowledge
from lingbot_map.ask.bases.triples.load import loaded


def opened(paths: Sequence[Path]) -> Knowledge:
    """The base over ``paths`` (files, or folders of them). Raises ``BadInput`` for what can't be read."""
    return Knowledge(loaded(paths))
