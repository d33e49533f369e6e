"""One customer's conversation: route, fill slots, look things up, answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lingbot_map.demo import replies
from lingbot_map.demo.account import BackOffice
from lingbot_map.demo.intents import BY_NAME, Intent, door_to, family
from lingbot_map.demo.probing import LABELS, SCOPES, probe
from lingbot_map.demo.retrieval import Hit, Retriever
from lingbot_map.demo.router import Context, Router
from lingbot_map.demo.slots import SLOTS, extract
from lingbot_map.demo.tasks import Task, TaskStack, task_slots

PATIENCE = 2
"""So many times a slot is asked for; after that a task that gets nowhere is given up for the one before it."""
SEARCHED = ("brand", "fault", "target_plan", "destination", "service")
"""Slots whose value belongs into the question put to the knowledge store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Where a turn goes. ``condition`` is the state of the slot that the door to the intent asks for."""

    intent: str
    label: str
    confidence: float
    candidates: tuple[tuple[str, float], ...]
    condition: str = ""
    parent: str = ""
    required: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    abandons: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the assistant says, the documents it took it from, and the slot it asks for ("" = none)."""

    text: str
    docs: tuple[str, ...] = ()
    asks: str = ""


class Dialogue:
    """A conversation with one customer. ``reply`` takes what the customer says and gives the assistant's answer."""

    def __init__(self, session: str, lang: str, router: Router, retriever: Retriever, office: BackOffice) -> None:
        self.session = session
        self.lang = lang
        self.router = router
        self.retriever = retriever
        self.office = office
        self.tasks = TaskStack()
        self.memory: dict[str, Any] = {}
        self.slots = probe.observed(self.memory, scope=SCOPES, labels=LABELS[lang], session=session)
        self.waiting = ""

    @probe.turn(session=lambda self, text: self.session)
    def reply(self, text: str) -> Reply:
        said = extract(text, self.lang, self.waiting)
        decision = self.route(text, said)
        intent = BY_NAME[decision.intent]
        if intent.kind == "manners":
            return Reply(text=replies.done(self.lang, intent.name), asks=self.waiting)
        self.enter(decision)
        self.fill(intent, said)
        known = self.known(intent)
        hits = self.look_up(text, intent, known)
        return self.answer(intent, known, hits, decision.abandons)

    @probe.intent
    def route(self, text: str, said: Mapping[str, str | None]) -> Decision:
        """Decides which intent the turn goes to."""
        task = self.tasks.current
        context = Context(
            task=task.intent if task else "",
            suspended=self.tasks.suspended(),
            answers=bool(self.waiting) and self.waiting in said,
        )
        ranked = self.router.rank(text, context)
        confidences = dict(ranked)
        target, abandons = ranked[0][0], False
        if target == "unclear":
            target, abandons = self.fall_back(task)
        condition = ""
        if task and abandons:
            condition = self.state_of(self.waiting)
        elif door := door_to(task.intent if task else "", target):
            # Is the slot known? An account that was looked up always has the entry.
            if door.needs in self.memory:
                condition = self.state_of(door.needs)
            else:
                target = family(target)
        intent = BY_NAME[target]
        return Decision(
            intent=target,
            label=intent.label(self.lang),
            confidence=round(confidences.get(target, 0.0), 3),
            candidates=tuple((name, round(confidence, 3)) for name, confidence in ranked[:5]),
            condition=condition,
            parent=intent.parent,
            required=intent.required,
            missing=tuple(name for name in intent.required if not (said.get(name) or self.memory.get(name))),
            abandons=abandons,
        )

    def fall_back(self, task: Task | None) -> tuple[str, bool]:
        """Where an unclear turn goes, and whether the current task is given up for it."""
        if task is None or not task.open:
            return "unclear", False
        if task.asked[self.waiting] >= PATIENCE and self.tasks.suspended():
            return self.tasks.suspended()[0], True
        return task.intent, False

    def state_of(self, slot: str) -> str:
        value = self.memory.get(slot)
        return f"{slot} = {'null' if value is None else value}"

    def enter(self, decision: Decision) -> None:
        if decision.abandons:
            self.tasks.abandon()
        left = self.tasks.enter(decision.intent)
        if left:
            for name in task_slots(left.home):
                if name in self.slots:
                    del self.slots[name]
        self.waiting = ""

    def fill(self, intent: Intent, said: Mapping[str, str | None]) -> None:
        """Takes what was said and is of use for the intent; a number brings its account along."""
        for name in dict.fromkeys(("phone", *intent.required, *intent.accepted)):
            if name in said:
                self.slots[name] = said[name]
        if said.get("phone"):
            account = self.office.account(str(said["phone"]))
            self.slots["current_plan"] = account.plan
            self.slots["ticket_number"] = account.open_ticket

    def known(self, intent: Intent) -> dict[str, Any]:
        """The slots of the intent that have a value."""
        known: dict[str, Any] = {}
        for name in (*intent.required, *intent.accepted):
            if self.memory.get(name) is not None:
                known[name] = self.slots[name]
        return known

    def look_up(self, text: str, intent: Intent, known: Mapping[str, Any]) -> list[Hit]:
        if not intent.category:
            return []
        return self.retriever.search(self.question(text, intent, known), intent.category)

    def question(self, text: str, intent: Intent, known: Mapping[str, Any]) -> str:
        """What the knowledge store is asked: the customer's words and what is known beside them."""
        extra = [str(known[name]) for name in SEARCHED if name in known and str(known[name]) not in text]
        return " ".join((text[:200], *extra, intent.label(self.lang)))

    def answer(self, intent: Intent, known: dict[str, Any], hits: list[Hit], resumed: bool) -> Reply:
        task = self.tasks.current
        assert task is not None
        missing = [name for name in intent.required if name not in known]
        if missing:
            return self.ask(task, missing[0], intent, hits, resumed)
        facts = {**known, **self.carry_out(intent, known)}
        facts["doc"] = hits[0].document.body if hits else ""
        home = BY_NAME[task.home]
        self.tasks.finish(intent.name, complete=all(name in facts for name in home.required))
        text = replies.done(self.lang, intent.name).format(**facts).strip()
        if not text:
            text = replies.phrase(self.lang, "no_doc")
        if task.open:
            text += replies.phrase(self.lang, "open").format(task=home.label(self.lang))
        return Reply(text=text, docs=tuple(hit.document.id for hit in hits[:1]))

    def ask(self, task: Task, slot: str, intent: Intent, hits: list[Hit], resumed: bool) -> Reply:
        task.asked[slot] += 1
        self.waiting = slot
        lead = ""
        docs: tuple[str, ...] = ()
        if resumed:
            lead = replies.phrase(self.lang, "resumed").format(task=intent.label(self.lang))
        elif task.asked[slot] > 1:
            lead = replies.phrase(self.lang, "again")
        elif hits:
            stop = "。" if self.lang == "zh" else ". "
            lead = hits[0].document.body.split(stop)[0].rstrip(".") + stop
            docs = (hits[0].document.id,)
        return Reply(text=lead + SLOTS[slot].ask(self.lang), docs=docs, asks=slot)

    def carry_out(self, intent: Intent, known: Mapping[str, Any]) -> dict[str, Any]:
        """Does what the intent is for, and returns what came out of it."""
        phone = str(known.get("phone", ""))
        if intent.name == "data_dispute":
            self.slots["ticket_number"] = self.office.open_ticket(phone)
            return {"ticket_number": self.slots["ticket_number"]}
        if intent.name in ("current_plan", "change_plan"):
            return {"current_plan": self.slots["current_plan"]}
        if intent.name in ("bill_query", "bill_detail"):
            fee, extra = self.office.bill(phone, str(known["bill_month"]))
            return {"bill": fee + extra, "extra": extra, "balance": self.office.account(phone).balance}
        if intent.name == "data_usage":
            return {"left_gb": self.office.account(phone).left_gb}
        return {}
