"""Lets the installed pair of openai-agents and openai work together where it can't: for tests alone.

openai asks for a count of cached tokens (from 2.41 on) that openai-agents before 0.18 does not give, so that the two
can't even make an empty ``Usage()``.
"""

from __future__ import annotations

from openai.types.responses.response_usage import InputTokensDetails


def mended() -> None:
    """The count is 0 where nothing is said of it."""
    field = InputTokensDetails.model_fields.get("cache_write_tokens")
    if field is not None and field.is_required():
        field.default = 0
        InputTokensDetails.model_rebuild(force=True)
