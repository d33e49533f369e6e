"""Spans of OpenInference and of OpenTelemetry's GenAI conventions to signals.

A trace is a turn; its session is named by its root, else by any of its spans. What each span becomes:

| span | signals |
|---|---|
| the root (of the trace, or of each turn of it) | turn_started, and at the end answered |
| agent with a name, node of a graph | intent_routed, its parent = the agent around it |
| anything with documents | retrieved |
| reranker | retrieved of stage "reranked"; what went in as "fused" where no retriever told it |
| model, given retrieved texts word for word | retrieved of stage "prompt"; raw ``llm`` |
| tool, guardrail, evaluator, embedding, prompt | raw, by that word |
| anything that failed | failed, once for an error that rose through several |
| plumbing (database, HTTP), chains without a name | nothing, counted |

`spans_wait` says when a trace that comes span by span is complete; what comes later is told in the same turn.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.adapters.spans_own import TURN, told_by
from lingbot_probes.adapters.spans_read import Span
from lingbot_probes.adapters.spans_tree import Tree, trees
from lingbot_probes.adapters.spans_words import answered, asked, given, reranked, retrieved, route, step
from lingbot_probes.adapters.stages import stage_of
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import (
    Answered,
    Doc,
    Failed,
    IntentRouted,
    Numbered,
    Raw,
    Retrieved,
    SessionStarted,
    Signal,
    TurnStarted,
)

NOT_CAPTURED = "[content not captured]"
"""What is said in place of words that were said and left out of the trace: instrumentations capture none by default."""

MOST_SPANS = 50_000
"""Spans that wait for their roots at most; then the trace that waits longest is told as it stands."""

_REMEMBERED = 1_000  # traces told whose late spans are still put in their turn
_REMEMBERED_LIVE = 50  # of so many a live conversation knows what was answered; the map holds many of them
_QUOTED, _QUOTED_WIDE = 20, 8  # characters from which a text found in a prompt is no coincidence; other than ASCII
_STEPS = frozenset(("LLM", "EMBEDDING", "TOOL", "GUARDRAIL", "EVALUATOR", "PROMPT"))


@dataclass(slots=True)
class _Told:
    """What was told of a trace: its last ``turn``, the ``spans`` (where nobody else knows them), the answer's hash."""

    turn: str
    spans: set[str] = field(default_factory=set)
    answer: int = hash("")


class Conversation:
    """Turns of one session in, numbered signals out."""

    def __init__(self, session: str, meta: Mapping[str, Any] | None = None, *, n: int = 0, live: bool = False) -> None:
        """``session`` is the session's id; ``meta`` is told of it besides what its first root says. ``n`` is the
        number that was given last. ``live``: turns bear the ids of their traces, so that they are known again after a
        restart (else they are counted), and whoever tells spans here knows which of them were told."""
        self.scribe = Scribe(shortened(session))
        self.scribe.n = n
        self._meta = dict(meta or {})
        self._live = live
        self._told: OrderedDict[str, _Told] = OrderedDict()

    def recall(self, trace: str, turn: str) -> None:
        """The trace was told before, at last in ``turn``, by another one of these."""
        self._told.setdefault(trace, _Told(turn))

    def tell(self, spans: list[Span]) -> list[Numbered]:
        """The signals of the spans of one trace, in the order in which they arrived. A trace that was told before goes
        on: only its new spans are told, in its turn."""
        scribe = self.scribe
        known = self._told.get(spans[0].trace) if spans else None
        if known is not None:
            if not self._live:
                spans = [span for span in spans if span.id not in known.spans]
                known.spans.update(span.id for span in spans)
            if (own := told_by(spans)) is not None:
                return self._own(own)
            for tree in trees(spans) if spans else ():
                self._late(tree, known)
            return scribe.taken()
        if (own := told_by(spans)) is not None:
            self._remember(spans, "", hash(""))
            return self._own(own)
        answer = hash("")
        for number, tree in enumerate(trees(spans) if spans else (), 1):
            named = spans[0].trace if number == 1 else f"{spans[0].trace}/{number}"
            answer = self._turn(tree, named if self._live else "")
        if spans:
            self._remember(spans, scribe.turn, answer)
        return scribe.taken()

    def _remember(self, spans: list[Span], turn: str, answer: int) -> None:
        ids = set() if self._live else {span.id for span in spans}
        self._told[spans[0].trace] = _Told(turn, ids, answer)
        if len(self._told) > (_REMEMBERED_LIVE if self._live else _REMEMBERED):
            self._told.popitem(last=False)

    def _own(self, told: list[tuple[Span, Signal]]) -> list[Numbered]:
        """What spans of our own export carry: the very signals, in their turns."""
        scribe = self.scribe
        for span, signal in told:
            number = span.attributes.get(TURN)
            scribe.turn = f"#{number}" if type(number) is int and number > 0 else ""
            if isinstance(signal, TurnStarted):
                scribe.turns += 1
                signal = TurnStarted(turn=scribe.turn, utterance=signal.utterance)
            scribe.at(span.start)
            scribe.say(signal)
        return scribe.taken()

    def _turn(self, tree: Tree, named: str) -> int:
        scribe, root = self.scribe, tree.root
        scribe.said_at = root.start
        if not scribe.n:
            meta: dict[str, Any] = {"framework": "spans", **self._meta}
            user = root.attributes.get("user.id")
            if type(user) is str and user:
                meta["user"] = user
            scribe.say(SessionStarted(meta=meta))
        utterance = _utterance(tree)
        left = scribe.found.left
        left["unheard"] += not utterance
        left["orphans"] += tree.orphans
        left["skewed"] += tree.skewed
        left["rootless"] += tree.rootless
        scribe.open_turn(utterance or NOT_CAPTURED, named)
        turn = _Turn(scribe, scribe.turn, root)
        turn.steps(tree)
        return turn.answer()

    def _late(self, tree: Tree, told: _Told) -> None:
        """More of a turn. Where that is its root, what was asked and answered is known only now."""
        scribe = self.scribe
        scribe.found.left["late"] += len(tree.spans)
        turn = _Turn(scribe, told.turn, tree.root)
        if not tree.rootless and (utterance := asked(tree.root)):
            scribe.said_at = tree.root.start
            scribe.say(TurnStarted(turn=told.turn, utterance=utterance), told.turn)
            scribe.found.said["turn_started"] -= 1  # it is none more
        turn.steps(tree)
        if not tree.rootless:
            told.answer = turn.answer(told.answer)


class _Turn:
    """What must be known across the spans of one turn."""

    def __init__(self, scribe: Scribe, turn: str, root: Span) -> None:
        self._scribe = scribe
        self._turn = turn
        self._root = root
        self._routes: dict[str, str] = {}  # span -> the intent that it is in
        self._recalled: dict[str, str] = {}  # document -> its text
        self._query = ""
        self._prompt: tuple[str, ...] = ()  # the documents that a model was given last
        self._spoken = ""
        self._made_of: tuple[str, ...] = ()
        self._model = False

    def _say(self, signal: Signal) -> None:
        self._scribe.say(signal, self._turn)

    def steps(self, tree: Tree) -> None:
        """All that happened, in order; the errors where they arose."""
        scribe, root, routes = self._scribe, self._root, self._routes
        left = scribe.found.left
        errors = tree.errors()
        for span in tree.spans:
            kind = span.kind
            scribe.said_at = span.start
            if span.start is None:
                scribe.found.timeless += 1
            outer = tree.above.get(span.id)
            within = routes.get(outer.id, "") if outer is not None else ""
            if kind == "AGENT" or kind == "CHAIN":
                found = route(span)
                if found is not None:
                    within = self._route(found, within)
                elif span is not root:
                    left["chains"] += 1
            elif not kind and span is not root:
                left["plumbing"] += 1
            routes[span.id] = within
            if kind == "LLM":
                self._called(span)
            elif kind == "RERANKER":
                self._reranked(span)
            elif kind != "EMBEDDING":
                self._retrieved(span)
            if kind in _STEPS:
                self._say(Raw(name=kind.lower(), data=step(span)))
            if errors and span.id in errors and span is not root:
                scribe.said_at = span.end
                self._say(Failed(where=span.name or kind.lower() or "span", error=errors[span.id]))
        if root.id in errors:
            scribe.said_at = root.end
            self._say(Failed(where=root.name or "turn", error=errors[root.id]))

    def answer(self, before: int = hash("")) -> int:
        """What the turn came to: the root's output, else what a model said last. What was said within a root that
        failed may never have reached the user. Told unless its hash is the one ``before``; that hash."""
        self._scribe.said_at = self._root.end
        text = answered(self._root) or ("" if self._root.failed else self._spoken)
        if not text and self._model and not self._root.failed:
            self._scribe.found.left["unheard_answers"] += 1
            text = NOT_CAPTURED
        if text and hash(text) != before:
            self._say(Answered(text=text, docs=self._made_of))
        return hash(text) if text else before

    def _route(self, found: tuple[str, str, str, str], within: str) -> str:
        intent, label, above, by = found
        if intent == within:
            return within
        parent = above or within
        if parent == intent:
            parent = ""
        self._say(IntentRouted(intent=intent, label=label, parent=parent, predicted_by=by))
        return intent

    def _retrieved(self, span: Span) -> None:
        docs = retrieved(span)
        if docs is None:
            return
        self._query = _text(span, "gen_ai.retrieval.query.text") or asked(span) or asked(self._root)
        params = _params(span, ("gen_ai.request.top_k", "gen_ai.data_source.id", "gen_ai.request.model"))
        if span.name:
            params["retriever"] = span.name
        self._say(Retrieved(query=self._query, stage=stage_of(span.name), docs=docs, params=params))
        self._recalled.update((doc.id, doc.snippet.strip()) for doc in docs)

    def _reranked(self, span: Span) -> None:
        before, after = reranked(span)
        self._query = _text(span, "reranker.query") or self._query or asked(self._root)
        if any(doc.id not in self._recalled for doc in before):
            self._say(Retrieved(query=self._query, stage="fused", docs=before))
        params = _params(span, ("reranker.model_name", "reranker.top_k"))
        self._say(Retrieved(query=self._query, stage="reranked", docs=after, params=params))
        for doc in (*before, *after):
            if doc.snippet or doc.id not in self._recalled:
                self._recalled[doc.id] = doc.snippet.strip()

    def _called(self, span: Span) -> None:
        """A model was called. The documents whose whole text stands in what it was given were in the prompt: a fact of
        the record, though no span says so by itself."""
        self._model = True
        found: tuple[str, ...] = ()
        if self._recalled:
            prompt = given(span)
            found = tuple(doc for doc, text in self._recalled.items() if _telling(text) and text in prompt)
        if found and found != self._prompt:
            docs = tuple(Doc(id=doc, rank=rank) for rank, doc in enumerate(found, 1))
            params = {"known_by": "text", "model_call": span.name}
            self._say(Retrieved(query=self._query, stage="prompt", docs=docs, params=params))
            self._prompt = found
        said = answered(span)
        if said:
            self._spoken, self._made_of = said, found


def _telling(text: str) -> bool:
    """Whether a text is long enough to be no coincidence where it stands in a prompt."""
    return len(text) >= (_QUOTED if text.isascii() else _QUOTED_WIDE)


def session_of(spans: list[Span]) -> str:
    """The session that a trace belongs to: its root's, else the first that a span of it names, else its own."""
    roots = [span.session for span in spans if not span.parent and span.session]
    named = roots or [span.session for span in spans if span.session]
    return named[0] if named else f"trace {spans[0].trace}"


def _utterance(tree: Tree) -> str:
    """What the user said: as the root was given it, else the first that acts or speaks; a search may be all."""
    acting = ("AGENT", "CHAIN", "LLM", "")
    found = next((words for span in tree.spans if span.kind in acting and (words := asked(span))), "")
    return found or (asked(tree.root) if tree.root.kind == "RETRIEVER" and not tree.rootless else "")


def _text(span: Span, key: str) -> str:
    value = span.attributes.get(key)
    return value if type(value) is str else ""


def _params(span: Span, names: tuple[str, ...]) -> dict[str, Any]:
    get = span.attributes.get
    return {name.rsplit(".", 1)[-1]: value for name in names if (value := get(name)) not in (None, "")}
