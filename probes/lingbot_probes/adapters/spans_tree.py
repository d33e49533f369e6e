"""One trace put in order: which span hangs from which, what comes after what, which errors are the same one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lingbot_probes.adapters.spans_read import Span
from lingbot_probes.adapters.spans_words import answered, asked

_NEVER = float("inf")


@dataclass(slots=True)
class Tree:
    """The spans of one turn. ``spans`` begin with ``root``; each stands after its parent, siblings in order of time.

    ``above`` holds each span's parent where it is among them. ``skewed`` counts spans that claim to have begun before
    their parent, ``orphans`` those whose parent is not there; ``rootless`` says that the root is one of these.
    """

    root: Span
    spans: list[Span]
    above: dict[str, Span] = field(default_factory=dict)
    skewed: int = 0
    orphans: int = 0
    rootless: bool = False

    def errors(self) -> dict[str, str]:
        """{span id: error} of the spans that failed by themselves: a failure that only passed through is left out.

        An error rises through the spans that wait for it, so the outer ones fail with the same words, or with none.
        """
        below: dict[str, list[str]] = {}
        own: dict[str, str] = {}
        for span in reversed(self.spans):
            known = below.pop(span.id, [])
            if span.failed:
                said = " ".join(span.error.split())
                if not known or (said and not any(e in said or said in e for e in known)):
                    own[span.id] = said or "error"
                    known = [said or "error"]
            parent = self.above.get(span.id)
            if known and parent is not None:
                below.setdefault(parent.id, []).extend(known[-20:])
        return own


def trees(spans: Iterable[Span]) -> list[Tree]:
    """The turns of one trace, in order: one, or more where its root is a whole conversation.

    ``spans`` come in the order of the file; it decides where times are equal or missing. A span that is there twice
    counts once. Spans whose parent is missing hang from the root; where there is none the first of them stands for it.
    """
    by_id: dict[str, Span] = {}
    for span in spans:
        by_id.setdefault(span.id, span)
    held = list(by_id.values())
    below: dict[str, list[Span]] = {}
    tops: list[Span] = []
    for span in held:
        if span.parent and span.parent != span.id and span.parent in by_id:
            below.setdefault(span.parent, []).append(span)
        else:
            tops.append(span)
    if len(tops) > 1:
        tops.sort(key=lambda span: (bool(span.parent), _start(span)))
    whole = _tree(tops, below, held) if tops else None
    if whole is None or len(whole.spans) < len(held):
        for span in _in_circles(held, below, tops):
            below[span.parent].remove(span)
            tops.append(span)
        whole = _tree(tops, below, held)
    whole.rootless = bool(tops[0].parent)
    whole.orphans = sum(bool(span.parent) for span in tops)
    parts = _conversation(whole.root, below.get(whole.root.id, ())) if len(tops) == 1 else []
    if not parts:
        return [whole]
    out = [_tree([part], below, held) for part in sorted(parts, key=_start)]
    if whole.root.failed:
        out[-1].spans.append(whole.root)
        out[-1].above.update((part.id, whole.root) for part in parts)
    return out


def _in_circles(held: list[Span], below: dict[str, list[Span]], tops: list[Span]) -> list[Span]:
    """One span of each circle of parents: spans that no top leads to."""
    reached: set[str] = set()
    opened: list[Span] = []
    for start in (*tops, *held):
        if start.id in reached:
            continue
        if start not in tops:
            opened.append(start)
        ahead = [start]
        while ahead:
            span = ahead.pop()
            if span.id not in reached:
                reached.add(span.id)
                ahead.extend(below.get(span.id, ()))
    return opened


def _tree(tops: list[Span], below: dict[str, list[Span]], held: list[Span]) -> Tree:
    """The tree of ``tops``, the first of which is its root. ``held`` are all spans as they stand in the file."""
    root = tops[0]
    tree = Tree(root, [])
    above = tree.above
    # No span begins before its parent, whatever its clock says: (when, how deep) is the order, the file's among equals.
    begun = {root.id: (float("-inf") if root.start is None else root.start, -1)}
    ahead = [(root, span) for span in tops[1:]]
    ahead.extend((root, span) for span in below.get(root.id, ()))
    while ahead:
        parent, span = ahead.pop()
        above[span.id] = parent
        earliest, depth = begun[parent.id]
        start = span.start
        if start is None:
            start = earliest
        elif start < earliest:
            tree.skewed += span.parent == parent.id
            start = earliest
        begun[span.id] = (start, depth + 1)
        if span.id in below:
            ahead.extend((span, child) for child in below[span.id])
    tree.spans = [span for span in held if span.id in begun] if len(begun) < len(held) else list(held)
    tree.spans.sort(key=lambda span: begun[span.id])
    return tree


def _conversation(root: Span, children: Sequence[Span]) -> list[Span]:
    """The turns below a root that is a whole conversation: it says nothing itself, and all its children are of one name
    and say something each."""
    if len(children) < 2 or root.kind not in ("", "CHAIN", "AGENT") or asked(root) or answered(root):
        return []
    turns = [child for child in children if child.kind in ("AGENT", "CHAIN") and child.name == children[0].name]
    return turns if len(turns) == len(children) and all(asked(child) for child in turns) else []


def _start(span: Span) -> float:
    return _NEVER if span.start is None else span.start
