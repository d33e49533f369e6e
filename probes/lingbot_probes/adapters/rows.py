"""Rows that a service or a knowledge base gave, as documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from lingbot_probes.signals import Doc

_SHOWN = 500  # characters of a row that a document shows
_ID = 200


def row_doc(base: str, row: Mapping[str, Any], rank: int) -> Doc:
    """A row of ``base`` as a document: known by its content, so the same row is the same document wherever it comes."""
    spelt = json.dumps(row, ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(spelt.encode("utf-8", "replace")).hexdigest()[:10]
    snippet = ", ".join(f"{key}: {plain(value)}" for key, value in row.items())
    return Doc(id=f"{base[:_ID]}/{digest}", title=_title(row), rank=rank, snippet=snippet[:_SHOWN])


def _title(row: Mapping[str, Any]) -> str:
    """The row's name where it has one (``restaurant_name``, ``Name``), else the first text in it."""
    texts = {key: value for key, value in row.items() if type(value) is str and value}
    for ending in ("name", "title"):
        for key, value in texts.items():
            if key.lower().endswith(ending) and key != "APIName":
                return value[:_SHOWN]
    return next((value[:_SHOWN] for key, value in texts.items() if key != "APIName"), "")


def called(method: str, arguments: Mapping[str, Any]) -> str:
    """A call as it is written: ``FindBus(city=Fresno, day=Monday)``."""
    return f"{method}({', '.join(f'{name}={plain(value)}' for name, value in arguments.items())})"


def plain(value: object) -> str:
    """A value on one line."""
    return value if type(value) is str else json.dumps(value, ensure_ascii=False)
