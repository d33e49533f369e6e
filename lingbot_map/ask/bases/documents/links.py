"""Names in documents and what they tie together: a sentence that names another document's title leads to it, and
sentences that share a rare name belong together.

Following one such name is what multi-hop questions need; names that are common tie nothing (``cap``).
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from lingbot_map.ask.bases.documents.wording import HAN, matching
from lingbot_map.ask.text import STOP, words

_LETTER = r"(?:[^\W\u3400-\u9fff]|['’])"  # a name in Latin letters ends where a Chinese word begins
_SPAN = re.compile(
    rf"[A-Z]{_LETTER}*(?:[-.]{_LETTER}+)*(?:\s+(?:(?:of|the|de|van|von|der|and|&|du|la|le|al|bin|"
    rf"ibn)\s+)?[A-Z]{_LETTER}*(?:[-.]{_LETTER}+)*)*"
)
_TOKEN = re.compile(r"[A-Za-z0-9_./{}\-]+")
_CODE = re.compile(
    r"/[\w{}\-]+(?:/[\w{}\-]+)+|[A-Za-z]+[A-Z][a-z]+\w*|[A-Z]{2}[A-Za-z]*|[A-Za-z][A-Za-z0-9]*(?:[_./\-]+[A-Za-z0-9]+)+|"
    r"[A-Za-z]+-?\d[\w.\-]*|v?\d+(?:\.\d+)+",
    re.ASCII,
)
_LONGEST_CODE = 80
_QUOTED = re.compile(r"[「『《“`]([^」』》”`\n]{2,40})[」』》”`]")
_JOINTS = "的了在和与或把被将由是为对从到于及等个也都就只不会要能可有没后前时中上下"
_NOT_INSIDE = frozenset(_JOINTS)
LONGEST_NAME = 16
_CAPITAL = re.compile(r"[A-Z]")
_BRACKETS = re.compile(r"\([^)]*\)|（[^）]*）")
_NO_WORD = re.compile(r"[^\w\u3400-\u9fff]+")
_FORM = re.compile(rf"{_SPAN.pattern}|\d+|[「『《“`][^「『《“」』》”`\n]{{0,80}}[」』》”`]")
_PART = re.compile(r"\w[\w\-]*|[^\w\s]")
_LONGEST_TITLE = 12  # words of a title that are looked for in a text
MOST_NAMES = 40
"""Names of one sentence that are kept; a sentence of more is a list."""


def cap(documents: int) -> int:
    """So many sentences may share a name that still ties them: 8, or 2 % of the documents."""
    return max(8, documents // 50)


@lru_cache(50_000)
def plain(text: str) -> str:
    """A title or span as names are compared: no brackets, accents, punctuation, leading article."""
    if "(" in text or "（" in text:
        text = _BRACKETS.sub(" ", text)
    if text.isascii():
        text = text.casefold()
    else:
        text = matching(text)
        text = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    text = _NO_WORD.sub(" ", text).strip()
    return text.partition(" ")[2] if text.startswith(("the ", "a ", "an ")) else text


def names_in(text: str) -> tuple[str, ...]:
    """The names that a sentence may share with another, compared form: identifiers, paths, versions, what is quoted,
    capitalised spans, and Chinese terms of two to four words (whether one is a name shows by its coming again)."""
    found: dict[str, None] = {}
    for token in _TOKEN.findall(text):
        token = token.rstrip("./-_")
        if len(token) <= _LONGEST_CODE and _CODE.fullmatch(token):
            found[matching(token)] = None
    for match in _QUOTED.finditer(text):
        found[plain(match[1])] = None
    for match in _SPAN.finditer(text):
        name = plain(match[0])
        if len(name) > 3 and name not in STOP:
            found[name] = None
    if HAN.search(text):
        for name in _terms(text):
            found[name] = None
    found.pop("", None)
    return tuple(found)[:MOST_NAMES]


def form_of(text: str) -> int:
    """A number that is the same for sentences that differ in names and numbers alone ("See also X." of every page)."""
    return zlib.crc32(_FORM.sub("#", text).encode())


def phrases_in(text: str) -> list[str]:
    """Pairs of neighbouring Latin words of a text that may name something without capitals ("edge cluster")."""
    found = []
    for first, second in pairwise(words(text)):
        if all(len(word) > 2 and word.isascii() and word not in _COMMON for word in (first, second)):
            found.append(f"{first} {second}")
    return list(dict.fromkeys(found))[:MOST_NAMES]


def _terms(text: str) -> Iterator[str]:
    for run in re.findall(r"[\w.\-]+", matching(text)):
        cut = words(run)
        for size in (4, 3, 2):
            for at in range(len(cut) - size + 1):
                piece = cut[at : at + size]
                name = "".join(piece)
                if (
                    3 <= len(name) <= LONGEST_NAME
                    and HAN.search(name)
                    and not any(w in _NOT_INSIDE or w in STOP for w in piece)
                ):
                    yield name


class Titles:
    """Documents by what they are called. ``called`` maps a compared name to document ids; ``proper`` are the names that
    are written with a capital, so that of one word "year" isn't taken for the title "Year" where capitals are used."""

    def __init__(self, called: Mapping[str, tuple[str, ...]], proper: frozenset[str] = frozenset()) -> None:
        self.called = called
        self._proper = proper
        self._words: dict[str, int] = {}  # first word of a name -> words of the longest
        for name in called:
            parts = name.split() or [""]
            self._words[parts[0]] = max(self._words.get(parts[0], 0), min(len(parts), _LONGEST_TITLE))
        chinese = [name for name in called if HAN.search(name)]
        self._chars: dict[str, list[str]] = {}
        for name in sorted(chinese, key=lambda each: (-len(each), each)):
            self._chars.setdefault(name[:2], []).append(name)

    def within(self, text: str) -> list[str]:
        """The names in a text, longest first at each place, in order."""
        found: list[str] = []
        whole = plain(text)
        if self._chars and HAN.search(whole):
            at = 0
            while at < len(whole):
                hit = next((n for n in self._chars.get(whole[at : at + 2], ()) if whole.startswith(n, at)), "")
                if hit:
                    found.append(hit)
                at += len(hit) or 1
        parts = whole.split()
        capitals: set[str] | None = None
        longest, called = self._words, self.called
        at = -1
        while at + 1 < len(parts):
            at += 1
            first = parts[at]
            if first not in longest:
                continue
            for size in range(min(longest[first], len(parts) - at), 0, -1):
                name = " ".join(parts[at : at + size]) if size > 1 else first
                if name not in called:
                    continue
                if size == 1 and (len(name) < 4 or name in _COMMON):
                    continue
                if size == 1 and name in self._proper and _CAPITAL.search(text) and not HAN.search(text):
                    if capitals is None:
                        capitals = _standing_alone(text)
                    if name not in capitals:
                        continue
                if name not in found:
                    found.append(name)
                at += size - 1
                break
        return found


def _standing_alone(text: str) -> set[str]:
    """The words with a capital that no other such word stands beside: "Boston", but not that of "Boston Globe"."""
    parts = _PART.findall(text)
    capital = [part[0].isupper() and part.casefold() not in STOP for part in parts]
    return {
        plain(part)
        for at, part in enumerate(parts)
        if capital[at] and not (at and capital[at - 1]) and not (at + 1 < len(parts) and capital[at + 1])
    }


_TOO_COMMON = "film also born after before with from that this were have they their there which when where what"
_COMMON = frozenset(_TOO_COMMON.split()) | STOP
