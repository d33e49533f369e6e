"""Names in a question: which things of a base its words stand for.

Longest first, so that a name within a longer one isn't taken; names are compared folded. Where two things bear one
name, the base settles it with the words around (``Mention.others``); ties go to the one more often asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lingbot_map.ask.text import folded
from lingbot_map.ask.types import Mention

_NEAR = 88.0
"""Likeness of a near name at least, of 100 (rapidfuzz's ratio); below it another thing is meant as often as not."""
_SHORTEST_NEAR = 4  # characters: of a shorter name one letter makes another name


class Names:
    """The names of a base's things, aliases too."""

    def __init__(self) -> None:
        self._ids: dict[str, list[tuple[str, str, str]]] = {}  # folded name -> (id, kind, how)
        self._longest = 0
        self.asked: Counter[str] = Counter()

    def add(self, id: str, kind: str, name: str, how: str = "name") -> None:
        """``name`` stands for ``id``; an empty one for nothing."""
        key = folded(name).strip()
        if key and (id, kind, how) not in self._ids.setdefault(key, []):
            self._ids[key].append((id, kind, how))
            self._longest = max(self._longest, len(key))

    def __len__(self) -> int:
        return len(self._ids)

    def ids(self, name: str) -> list[str]:
        """The ids that bear exactly this name."""
        return [id for id, _, _ in self._ids.get(folded(name).strip(), ())]

    def find(self, text: str) -> tuple[Mention, ...]:
        """The names in a text, in order, none within another. A Latin name is a whole word."""
        whole = folded(text)
        found: list[Mention] = []
        at = 0
        while at < len(whole):
            length = self._at(whole, at)
            if length:
                key = whole[at : at + length]
                found.append(self._mention(key, text[at : at + length] if len(whole) == len(text) else key, at))
                at += length
            else:
                at += 1
        return tuple(found)

    def near(self, text: str, most: int = 3) -> list[tuple[str, str, float]]:
        """(name, id, likeness in 0..1) of names that are nearly ``text``, best first; none without ``rapidfuzz``."""
        try:
            from rapidfuzz import fuzz, process
        except ImportError:
            return []
        key = folded(text).strip()
        if len(key) < _SHORTEST_NEAR:
            return []
        found = process.extract(key, self._ids.keys(), scorer=fuzz.ratio, limit=most, score_cutoff=_NEAR)
        return [(name, self._ids[name][0][0], score / 100) for name, score, _ in found]

    def _at(self, whole: str, at: int) -> int:
        if at and _joins(whole[at - 1]) and _joins(whole[at]):
            return 0
        for length in range(min(self._longest, len(whole) - at), 0, -1):
            if whole[at : at + length] in self._ids:
                end = at + length
                if end == len(whole) or not (_joins(whole[end - 1]) and _joins(whole[end])):
                    return length
        return 0

    def _mention(self, key: str, text: str, at: int) -> Mention:
        ranked = sorted(self._ids[key], key=lambda known: -self.asked[known[0]])
        id, kind, how = ranked[0]
        others = _distinct(other for other, _, _ in ranked[1:])
        return Mention(text=text, start=at, id=id, kind=kind, how=how, others=tuple(o for o in others if o != id))


def _distinct(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ids))


def _joins(char: str) -> bool:
    """Whether the character is a letter or digit of a script that writes words apart."""
    return (char.isalnum() or char == "_") and not ("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3")
