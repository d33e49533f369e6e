"""Words and sentences of Chinese and English text, the same for everything that is asked over.

``folded`` is what texts are compared by: compatibility forms, case and script folded (traditional to simplified where
``opencc`` is installed). Chinese words are those of ``rjieba`` where it is installed, else pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from lingbot_map.ask.types import Lang

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
# A Latin word ends where a Chinese one begins: they are written without a space ("P99延迟").
_LATIN = r"[^\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
_RUN = re.compile(rf"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|{_LATIN}(?:[._\-/]{_LATIN})*|_+")
# An end of a sentence: Chinese marks always, a full stop before a space and a capital or a Han character.
_END = re.compile(r"[。！？；!?]+[”’」』）\"')]*|\.(?=\s+[\"'(]?[A-Z\u4e00-\u9fff])|\n+")
_SHORT = ("e.g.", "i.e.", "etc.", "vs.", "Mr.", "Mrs.", "Dr.", "No.", "Fig.", "St.", "Jr.", "Sr.", "U.S.", "cf.")
_STOP_ZH = (
    "的 了 是 在 和 与 或 吗 呢 吧 啊 什么 怎么 怎样 如何 哪 哪些 哪个 哪里 "
    "谁 多少 几 为什么 会 要 能 可以 有 没有 请 问"
)
_STOP_EN = (
    "the a an of to in on at is are was were be do does did what which who whom whose when where why how many much "
    "and or for from by with as it its this that these those there s"
)
STOP = frozenset((*_STOP_ZH.split(), *_STOP_EN.split()))
"""Words that say how is asked, not what about."""


def lang_of(text: str) -> Lang:
    """Chinese if it has a Han character, else English."""
    return "zh" if _HAN.search(text) else "en"


@cache
def _simplifier() -> Any:
    try:
        from opencc import OpenCC
    except ImportError:
        return None
    return OpenCC("t2s")


@cache
def _cutter() -> Any:
    try:
        import rjieba
    except ImportError:
        return None
    return rjieba


@lru_cache(100_000)
def folded(text: str) -> str:
    """The text as it is compared: NFKC, casefolded, traditional characters as simplified ones."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # half a character is none
    text = unicodedata.normalize("NFKC", text).casefold()
    if _HAN.search(text) and (simplifier := _simplifier()) is not None:
        text = simplifier.convert(text)
    return text


def words(text: str) -> list[str]:
    """The words of a text, folded, in order; of Chinese runs the cut words."""
    found: list[str] = []
    for run in _RUN.findall(folded(text)):
        if not _HAN.match(run):
            found.append(run)
        elif (cutter := _cutter()) is not None:
            found.extend(cutter.cut(run))
        else:
            found.extend(bigrams(run))
    return found


def bigrams(run: str) -> Iterator[str]:
    """Pairs of neighbouring characters; a single one by itself."""
    if len(run) == 1:
        yield run
    for first, second in pairwise(run):
        yield first + second


def terms(text: str) -> tuple[str, ...]:
    """The words that carry meaning, each once, in order."""
    return tuple(dict.fromkeys(word for word in words(text) if word not in STOP))


def sentences(text: str) -> list[tuple[int, str]]:
    """(start, sentence) of each sentence, stripped; a stray line break within one joins its lines."""
    found: list[tuple[int, str]] = []
    begin = 0
    for end in _END.finditer(text):
        piece = text[begin : end.end()]
        if end[0] == "." and piece.rstrip().endswith(_SHORT):
            continue
        _add(found, begin, piece)
        begin = end.end()
    _add(found, begin, text[begin:])
    return found


def _add(found: list[tuple[int, str]], begin: int, piece: str) -> None:
    stripped = piece.strip()
    if stripped:
        found.append((begin + piece.index(stripped[0]), stripped))


def covered(asked: tuple[str, ...], text: str) -> float:
    """The share of the words ``asked`` that stand in ``text`` (0..1); 0 if none is asked."""
    if not asked:
        return 0.0
    there, whole = set(words(text)), folded(text)
    return sum(word in there or (len(word) > 1 and word in whole) for word in asked) / len(asked)
