"""Ids that are longer than an id may be. Cut alone, two that begin alike would become one."""

from __future__ import annotations

MAX_ID = 256
"""Characters of a session's or turn's id."""

_DIGEST = 32  # hex digits, 128 bits
_LOOKED_AT = 4_096  # characters at either end that tell a giant apart: it isn't read through


def shortened(id: str) -> str:
    """``id`` itself up to ``MAX_ID`` characters; else its beginning, ``~`` and a digest, ``MAX_ID`` characters in all.

    The same id becomes the same text wherever it comes from, a probe, a span or a file.
    """
    if len(id) <= MAX_ID:
        return id
    import hashlib

    told = f"{len(id)} {id[:_LOOKED_AT]} {id[-_LOOKED_AT:]}"
    digest = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{id[: MAX_ID - _DIGEST - 1]}~{digest[:_DIGEST]}"
