"""What the diagnostic info of a turn tells of its way: the intents it was chosen from, the pages, the conditions.

The info is free form and may change without notice (session.proto says so), so each piece is taken where it is there
and nothing is concluded from one that is missing. Its keys are told by their letters: exports write
``Alternative_Matched_Intents``, the service ``Alternative Matched Intents``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from lingbot_probes.adapters.dialogflow_fields import DEFAULT_FLOW, last, plain, segment
from lingbot_probes.adapters.fields import confidence, items, mapping
from lingbot_probes.adapters.spelling import Message, got, part, word

_STEPS = 200  # of one turn that are followed


class Place(NamedTuple):
    """A page of a flow, by ids and, where they are told, names."""

    flow: str
    page: str
    flow_name: str = ""
    page_name: str = ""

    def same(self, other: Place | None) -> bool:
        """Whether both are one page; a flow that is not told may be any."""
        if other is None or (self.page or self.page_name) != (other.page or other.page_name):
            return False
        return not self.flow or not other.flow or self.flow == other.flow


@dataclass(slots=True)
class Step:
    """One step: where the agent was, the condition, intent or event of the route that it took, and its target."""

    place: Place | None = None
    condition: str = ""
    target: str = ""
    parameters: dict[str, Any] | None = None
    webhook: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Diagnosis:
    """``candidates`` are the intents that could have matched, best first; ``told`` whether there was any info."""

    candidates: tuple[tuple[str, float | None], ...] = ()
    steps: list[Step] = field(default_factory=list)
    session: str = ""
    told: bool = False


@lru_cache(maxsize=512)
def _letters(key: str) -> str:
    return "".join(letter for letter in key.lower() if letter.isalnum())


def _by_letters(value: object) -> dict[str, Any]:
    return {_letters(key[:64]): held for key, held in mapping(value).items()}


def diagnosis(info: object) -> Diagnosis:
    """What is to be read of a ``diagnosticInfo``."""
    held = _by_letters(plain(info))
    out = Diagnosis(told=bool(held))
    if not held:
        return out
    session = held.get("sessionid")
    out.session = session if type(session) is str else ""
    found: dict[str, float | None] = {}
    for item in items(held.get("alternativematchedintents")):
        intent = _by_letters(item)
        name = intent.get("displayname") or intent.get("id")
        if type(name) is str and name and name not in found:
            found[name] = confidence(intent.get("score"))
    out.candidates = tuple(sorted(found.items(), key=lambda pair: -1.0 if pair[1] is None else pair[1], reverse=True))
    out.steps = [_step(step) for step in _steps(held.get("executionsequence"))]
    return out


def _steps(sequence: object) -> Iterator[Message]:
    count = 0
    for item in items(sequence):
        for step in mapping(item).values():
            count += 1
            if type(step) is dict and count <= _STEPS:
                yield step


def _step(step: Message) -> Step:
    held = _by_letters(step)
    initial, machine = _by_letters(held.get("initialstate")), _by_letters(held.get("statemachine"))
    out = Step(_place(_by_letters(machine.get("flowstate") or initial.get("flowstate"))))
    for cause in ("triggeredcondition", "triggeredevent", "triggeredintent"):
        said = machine.get(cause)
        if type(said) is str and said:
            out.condition = said
            break
    for target in ("targetpage", "targetflow", "targetplaybook"):
        said = machine.get(target)
        if type(said) is str and said:
            out.target = last(said)
            break
    parameters = initial.get("sessionparameters")
    if type(parameters) is dict:
        out.parameters = parameters
    webhook = _by_letters(held.get("functionexecution")).get("webhook")
    if type(webhook) is dict and webhook:
        out.webhook = webhook
    return out


def _place(state: Message) -> Place | None:
    page = _by_letters(state.get("pagestate"))
    texts = [
        value if type(value) is str else ""
        for value in (state.get("flowid"), page.get("pageid"), state.get("name"), page.get("name"))
    ]
    return Place(*texts) if texts[1] or texts[3] else None


def place_of(result: Message) -> Place | None:
    """The page that a QueryResult ends on; ``None`` where it is not told."""
    page, flow = part(result, "currentPage"), part(result, "currentFlow")
    name = word(page, "name")
    shown = word(page, "displayName")
    if not name and not shown:
        return None
    return Place(
        segment(name, "flows") or last(word(flow, "name")), last(name), word(flow, "displayName"), shown or last(name)
    )


def page_of(name: str, shown: str = "") -> Place | None:
    """The page of a resource's name; ``None`` for a name of anything else."""
    page = segment(name, "pages")
    return Place(segment(name, "flows"), page, "", shown or page) if page else None


class Places:
    """What pages are called in one session: a flow keeps the name that it was first told by."""

    def __init__(self, flows: dict[str, str]) -> None:
        """``flows`` are the names of flows that are known beforehand, by id."""
        self._flows = {DEFAULT_FLOW: "Default Start Flow", **flows}
        self._called: dict[str, str] = {}

    def flow(self, place: Place) -> str:
        """The flow's name, else its id; "" where the place tells of none."""
        if not place.flow:
            return place.flow_name
        self.learn(place)
        return self._called.setdefault(place.flow, self._flows.get(place.flow, place.flow))

    def page(self, place: Place) -> str:
        """``Flow / Page``: pages of one name stand in many flows."""
        page = "Start Page" if place.page == "START_PAGE" else place.page_name or place.page
        return f"{self.flow(place) or 'page'} / {page}"

    def learn(self, place: Place | None) -> None:
        """A flow's name is told before it is needed."""
        if place is not None and place.flow and place.flow_name:
            self._flows[place.flow] = place.flow_name


def flow_names(resources: list[Message]) -> dict[str, str]:
    """The names of flows by id, of the list that a conversation holds."""
    return {last(word(flow, "name")): word(flow, "displayName") for flow in resources if got(flow, "displayName")}
