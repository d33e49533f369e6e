"""An example of a mapping for a table whose columns nobody named: a guess to start from, never used unasked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lingbot_map.errors import UnknownFormat, Unmapped
from lingbot_map.importers.blob import Blob
from lingbot_map.importers.shape import Shape
from lingbot_map.importers.table import NAME, flaw_of, header, named

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[^\W_a-zA-Z]+")
_WORDS: dict[str, str] = {
    "session": "session conversation conv dialogue dialog thread chat call ticket 会话 对话",
    "role": "role speaker sender author 角色 发言人",
    "user": "question query utterance customer user human input prompt 问题 提问 用户",
    "bot": "answer response reply assistant bot output completion 回答 回复 答案",
    "text": "text message content utterance 内容 消息 文本",
    "intent": "intent label category 意图",
    "confidence": "confidence score probability prob 置信度",
    "time": "time timestamp date datetime created at 时间 日期",
    "doc": "doc document docs documents source citation 文档 来源",
}
"""Words in the name of a column for each key, the most telling first."""


def unmapped(blob: Blob, shape: Shape, refusals: list[tuple[str, str]]) -> Unmapped | None:
    """The refusal of a table, with its columns and an example; ``None`` if the file is no table of dialogue rows.

    Raises ``BadInput`` for separated values that aren't UTF-8, ``UnknownFormat`` for rows that have another flaw.
    """
    if (flaw := flaw_of(blob, shape)) is not None:
        raise UnknownFormat(blob.name, [(NAME, flaw.sentence), *refusals])
    columns = header(blob, shape)
    guessed = mapping_for(columns)
    if len(columns) < 2 or (shape.kind != "text" and "COLUMN" in guessed):
        return None  # objects of any kind are columns; only those that look like a dialogue are called a table
    return Unmapped(blob.name, refusals, named(columns), guessed)


def mapping_for(columns: Sequence[str]) -> str:
    """The mapping that the names of ``columns`` suggest; ``COLUMN`` stands for what they don't tell."""
    left = list(columns)
    found: dict[str, str] = {}
    for key, words in _WORDS.items():
        if (key == "user" or key == "bot") and "role" in found:
            continue
        if key == "text" and "role" not in found:
            continue
        if column := _best(key, words.split(), left):
            found[key] = column
            left.remove(column)
    if "role" in found and "text" not in found:
        del found["role"]
    if not found.keys() & {"user", "bot", "text"}:
        found["user"] = found["bot"] = "COLUMN"
    found.setdefault("session", "COLUMN")
    pairs = [f"{key}={found[key]}" for key in _WORDS if key in found]
    pairs += [f"slot.{column[5:]}={column}" for column in left if column.lower().startswith(("slot_", "slot."))]
    return ",".join(pairs)


def _best(key: str, words: list[str], columns: list[str]) -> str:
    ranked = []
    for place, column in enumerate(columns):
        parts = [part.lower() for part in _WORD.findall(column)]
        if parts and parts[-1] == "id" and key in ("user", "bot", "text"):
            continue
        fitting = [words.index(word) for word in words if word in parts or column.lower() == word]
        if fitting:
            ranked.append((min(fitting), len(parts) - (key == "session" and "id" in parts) * 2, place, column))
    return min(ranked)[3] if ranked else ""
