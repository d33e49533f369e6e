"""Names of files in text: whatever their bytes are, what is said of them can be shown and stored."""

from __future__ import annotations

from typing import Any


def legible(value: Any) -> Any:
    """``value`` with each byte that is not UTF-8, as Python reads it from paths and arguments, written as ``\\xff``.

    Goes through lists, tuples and dicts; what is neither they nor text stays as it is.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape" if _of_bytes(value) else "replace").decode(
            "utf-8", "backslashreplace"
        )
    if isinstance(value, dict):
        return {legible(name): legible(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [legible(item) for item in value]
    return value


def _of_bytes(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" and not "\udc80" <= char <= "\udcff" for char in text)
