"""From an event to deltas, one file a layer; the layers are strangers to each other.

A layer's function takes the map as it stands, the event and ``emit``, which folds a delta into the map at once, so
that what it emits next can build on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from lingbot_map.deltas import Delta

Emit: TypeAlias = Callable[[Delta], None]
