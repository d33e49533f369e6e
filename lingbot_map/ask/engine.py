"""From a question to an answer with evidence, over any base: read it, compute it if an operator fits, else search.

Every step leaves a ``TraceStep``. An operator's result is the answer, also where it is empty; the routes then only add
context. Every sentence that is said cites an item that exists: one that doesn't is left out, and an answer without any
sentence left is an abstention.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from lingbot_map.ask.askable import Base, Route
from lingbot_map.ask.dialog import Dialog
from lingbot_map.ask.kept import Outcome, outcomes_of, version_of
from lingbot_map.ask.pool import Fused, Hit, evidence, fuse
from lingbot_map.ask.types import Answer, EvidenceItem, Found, Question, Sentence, Status, TraceStep
from lingbot_map.errors import LingbotMapError

if TYPE_CHECKING:
    from lingbot_map.ask.report import Report
    from lingbot_probes import Probe

LIMIT = 5.0
"""Seconds for all routes together; what comes later is told as late."""

LONGEST = 2_000
"""Characters of a question that are looked at; no base reads more."""
_LONGEST_KEPT = 1_000  # of a question whose answer is kept

_NOTHING = {"zh": "没有找到能回答这个问题的依据。", "en": "Nothing was found that answers this question."}
_LATE = {"zh": "{} 超时，未计入", "en": "{} came too late and is not in this"}


class Wording(Protocol):
    """Puts an answer into other words, and nothing else."""

    def worded(self, answer: Answer, base: Base, seconds: float) -> tuple[Answer, TraceStep]:
        """The answer, worded within ``seconds`` or as it is, and the step that says which. Never raises."""
        ...


@dataclass(slots=True)
class Trace:
    """The steps so far; ``told`` hears of each as it ends."""

    told: Callable[[TraceStep], Any] = lambda step: None
    steps: list[TraceStep] = field(default_factory=list)

    @contextmanager
    def step(self, name: str, keywords: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """One step, timed; set ``status``, ``detail`` and ``evidence_count`` in what is handed out."""
        facts: dict[str, Any] = {"status": "ok", "keywords": tuple(keywords)}
        began = time.perf_counter()
        try:
            yield facts
        except Exception:
            facts["status"] = "failed"
            raise
        finally:
            self.add(TraceStep(name=name, ms=round((time.perf_counter() - began) * 1000, 3), **facts))

    def add(self, step: TraceStep) -> None:
        """A step that has ended."""
        self.steps.append(step)
        self.told(step)


class Ask:
    """A base that answers. ``ask`` may be called again and again: what earlier questions named is remembered.

    With ``probe`` each question is told to it as a turn of ``session`` ("": one of its own); see ``report``. With
    ``llm`` a language model words what was answered (``llm.Llm``), within what is left of ``limit``.
    """

    def __init__(
        self,
        base: Base,
        *,
        limit: float = LIMIT,
        probe: Probe | None = None,
        session: str = "",
        llm: Wording | None = None,
    ) -> None:
        self.base = base
        self.dialog = Dialog()
        self._limit = limit
        self._llm = llm
        self.report: Report | None = None
        if probe is not None:
            from lingbot_map.ask.report import Report

            self.report = Report(probe, base, self.dialog, session)

    def ask(
        self, text: str, *, read: Question | None = None, told: Callable[[TraceStep], Any] = lambda step: None
    ) -> Answer:
        """The answer to ``text``; ``read`` is the question as a reader corrected it (else the base reads it).

        ``told`` hears of each step as it ends. Never raises for what was asked.
        """
        if self.report is None:
            return self._answered(text, read, told)
        with self.report.turn(text):
            return self._answered(text, read, told)

    def _answered(self, text: str, read: Question | None, told: Callable[[TraceStep], Any]) -> Answer:
        report, trace = self.report, Trace(told)
        end = time.monotonic() + self._limit
        text = _bounded(text)
        # A reader's corrections are one's own, and a probe is to hear of each route.
        plain = read is None and report is None and len(text) <= _LONGEST_KEPT
        version = version_of(self.base) if plain else None
        before = self.dialog.trails()
        if version is not None:
            began = time.perf_counter()
            kept = outcomes_of(self.base).get(version, text, self.dialog)
            if kept is not None:
                return self._again(kept, trace, began, end)
        self.dialog.consulted = 0
        with trace.step("read") as step:
            question = read if read is not None else self.base.read(text, self.dialog)
            step["detail"] = question.kind
            step["keywords"] = question.terms
        depth, back = self.dialog.consulted, self.dialog.trails() != before
        with trace.step("bind") as step:
            step["detail"] = ", ".join(f"{mention.text} = {mention.id}" for mention in question.mentions)
            step["evidence_count"] = len(question.mentions)
        if report is not None:
            report.understood(question)
        with trace.step("compute") as step:
            found = self.base.compute(question)
            step["status"] = "skipped" if found is None else "empty" if found.abstained else "ok"
            step["evidence_count"] = len({cite for s in found.sentences for cite in s.cites}) if found else 0
        pool, late = self._searched(question, trace)
        computed = found is not None
        if found is None:
            with trace.step("answer") as step:
                found = self.base.answer(question, pool)
                step["status"] = "empty" if found.abstained else "ok"
        answer = self._checked(question, found, pool, trace)
        open_points = (*answer.open_points, *(_LATE[question.lang].format(name) for name in late))
        answer = replace(answer, steps=tuple(trace.steps), open_points=open_points)
        whole = all(step.status not in ("timeout", "failed") for step in trace.steps)
        if version is not None and whole and version_of(self.base) == version:
            outcomes_of(self.base).put(version, text, depth, Outcome(answer, back, before[:depth]))
        self.dialog.heard(question, answer, before=before[:depth], version=version_of(self.base))
        answer = self._worded(answer, trace, end)
        if report is not None:
            report.answered(answer, pool, computed=computed)
        return answer

    def _again(self, kept: Outcome, trace: Trace, began: float, end: float) -> Answer:
        """The answer that was kept, with the steps that once led to it and one that says so."""
        if kept.back:
            self.dialog.back()
        for step in kept.steps:
            trace.add(step)
        ms = round((time.perf_counter() - began) * 1000, 3)
        trace.add(TraceStep(name="kept", status="ok", evidence_count=len(kept.answer.cites), ms=ms))
        answer = replace(kept.answer, steps=tuple(trace.steps))
        self.dialog.heard(answer.question, answer, before=kept.before, version=version_of(self.base))
        return self._worded(answer, trace, end)

    def _worded(self, answer: Answer, trace: Trace, end: float) -> Answer:
        """In a language model's words, where there is one."""
        if self._llm is None:
            return answer
        answer, worded = self._llm.worded(answer, self.base, end - time.monotonic())
        trace.add(worded)
        return replace(answer, steps=tuple(trace.steps))

    def _searched(self, question: Question, trace: Trace) -> tuple[list[Fused], list[str]]:
        routes = self.base.routes(question)
        if not routes:
            return [], []
        hits: dict[str, Sequence[Hit]] = {}
        late: list[str] = []
        end = time.monotonic() + self._limit
        executor = ThreadPoolExecutor(max_workers=len(routes), thread_name_prefix="ask")
        try:
            began = time.perf_counter()
            running: dict[Future[tuple[Sequence[Hit], float]], Route] = {
                executor.submit(_timed, route, lambda: time.monotonic() > end): route for route in routes
            }
            done, _ = wait(running, timeout=self._limit)
            for future, route in running.items():
                status: Status = "ok"
                ms, detail = (time.perf_counter() - began) * 1000, route.detail
                found: Sequence[Hit] = ()
                if future not in done:
                    status = "timeout"
                    late.append(route.name)
                elif (why := future.exception()) is not None:
                    status = "failed"
                    detail = str(why) if isinstance(why, LingbotMapError) else type(why).__name__
                else:
                    found, ms = future.result()
                    status = "ok" if found else "empty"
                    hits[route.name] = found
                trace.add(
                    TraceStep(
                        name=route.name,
                        status=status,
                        detail=detail,
                        keywords=route.keywords,
                        evidence_count=len(found),
                        ms=round(ms, 3),
                    )
                )
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
        if self.report is not None:
            self.report.searched(routes, hits)
        with trace.step("pool") as step:
            pool = fuse(hits, weights={route.name: route.weight for route in routes})
            step["evidence_count"] = len(pool)
            step["status"] = "ok" if pool else "empty"
        return pool, late

    def _checked(self, question: Question, found: Found, pool: Sequence[Fused], trace: Trace) -> Answer:
        """Only what cites items that exist is said."""
        with trace.step("cite") as step:
            kept: list[Sentence] = []
            for sentence in found.sentences:
                cites = tuple(cite for cite in sentence.cites if self.base.item(cite) is not None)
                if cites or found.abstained:
                    kept.append(replace(sentence, cites=() if found.abstained else cites))
            dropped = len(found.sentences) - len(kept)
            step["detail"] = f"{dropped} left out" if dropped else ""
            step["evidence_count"] = sum(len(sentence.cites) for sentence in kept)
        shown = self._evidence(question, kept, pool)
        abstained = found.abstained or not kept
        if not kept:
            kept = [Sentence(text=_NOTHING[question.lang], cites=())]
        return Answer(
            question=question,
            sentences=tuple(kept),
            verdict=found.verdict if not abstained or found.abstained else None,
            confidence=found.confidence,
            evidence=shown,
            chains=found.chains,
            open_points=found.open_points,
            abstained=abstained,
            rows=found.rows,
        )

    def _evidence(
        self, question: Question, sentences: Sequence[Sentence], pool: Sequence[Fused]
    ) -> tuple[EvidenceItem, ...]:
        """What is cited first, then what else the pool holds."""
        cited = tuple(dict.fromkeys(cite for sentence in sentences for cite in sentence.cites))
        known = {fused.item: fused for fused in pool}
        why = {"zh": "直接算出", "en": "computed"}[question.lang]
        first = [
            known.get(cite) or Fused(item=cite, score=1.0, ranks={"operator": rank}, reasons={"operator": why})
            for rank, cite in enumerate(cited, 1)
        ]
        rest = [fused for fused in pool if fused.item not in cited]
        return evidence([*first, *rest], self.base.item, question.lang)


def _bounded(text: str) -> str:
    """A question as far as it is read: no halves of characters, and no more where one character is folded to many."""
    text = text[:LONGEST].strip().encode("utf-8", "replace").decode()
    wide = 0 if text.isascii() else len(unicodedata.normalize("NFKC", text))
    return text[: len(text) * LONGEST // wide] if wide > LONGEST else text


def _timed(route: Route, late: Callable[[], bool]) -> tuple[Sequence[Hit], float]:
    began = time.perf_counter()
    hits = route.run(late)
    return hits, (time.perf_counter() - began) * 1000
