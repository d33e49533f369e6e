"""Random dialogues for the laws: a few names, so that things meet, and hostile text and odd values among them."""

from __future__ import annotations

from hypothesis import strategies as st

from lingbot_map.events import Described, Gap, PolicySet, Tick
from lingbot_probes.signals import (
    Answered,
    Doc,
    Failed,
    IntentRouted,
    Raw,
    Retrieved,
    SessionEnded,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    SlotRead,
    TurnStarted,
    Undone,
)

INTENTS = st.sampled_from(["plan", "bill", "repair", "plan.compare"])
SLOTS = st.sampled_from(["phone", "brand", "品牌"])
DOCS = st.sampled_from(["a", "b", "b@2", "c"])
TEXTS = st.one_of(st.sampled_from(["", "改套餐", "<img src=x onerror=alert(1)>", "\u2028\u202e"]), st.text(max_size=12))
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, 1.0]),
    TEXTS,
    st.lists(st.integers(0, 2), max_size=2),
    st.dictionaries(st.sampled_from(["k", "__proto__"]), st.integers(0, 1), max_size=1),
)
SCORES = st.one_of(st.none(), st.integers(0, 20).map(lambda n: n / 20))
SHARES = st.integers(0, 10).map(lambda n: n / 10)

_doc = st.builds(
    Doc,
    id=DOCS,
    title=TEXTS,
    score=SCORES,
    rank=st.integers(0, 3),
    version=st.sampled_from(["", "2024-01", "2025-02", "x"]),
    updated_at=st.one_of(st.none(), st.sampled_from([0.0, 1.7e9])),
    dropped_because=st.sampled_from(["", "budget"]),
    hits=st.one_of(st.none(), st.integers(0, 30)),
    near=st.lists(st.tuples(DOCS, SHARES), max_size=1).map(tuple),
)
_signal = st.one_of(
    st.builds(TurnStarted, turn=st.sampled_from(["", "t1", "t2", "t3"]), utterance=TEXTS),
    st.builds(
        IntentRouted,
        intent=INTENTS,
        confidence=st.one_of(st.none(), SHARES),
        candidates=st.lists(st.tuples(INTENTS, st.none() | SHARES), max_size=2).map(tuple),
        condition=st.sampled_from(["", "ticket = null"]),
        parent=st.sampled_from(["", "plan", "bill"]),
        required=st.lists(SLOTS, max_size=2).map(tuple),
        missing=st.lists(SLOTS, max_size=2).map(tuple),
        label=st.sampled_from(["", "套餐"]),
    ),
    st.builds(
        SlotAssigned,
        slot=SLOTS,
        value=VALUES,
        scope=st.sampled_from(["", "session"]),
        task=st.sampled_from(["", "bill"]),
    ),
    st.builds(
        SlotRead, slot=SLOTS, reader=st.sampled_from(["", "price"]), task=st.sampled_from(["", "plan", "nowhere"])
    ),
    st.builds(SlotCleared, slot=SLOTS),
    st.builds(
        Retrieved,
        query=st.sampled_from(["q", "r"]),
        stage=st.sampled_from(["vector", "keyword", "fused", "reranked", "prompt", "own"]),
        docs=st.lists(_doc, max_size=4).map(tuple),
    ),
    st.builds(Answered, text=TEXTS, docs=st.lists(DOCS, max_size=2).map(tuple)),
    st.builds(Failed, where=TEXTS, error=TEXTS),
    st.builds(Undone, to=st.integers(0, 12), turn=st.sampled_from(["", "", "t1", "t2", "gone"]), why=st.just("undo")),
    st.builds(SessionStarted, title=TEXTS),
    st.builds(SessionEnded),
    st.builds(Raw, name=TEXTS, data=VALUES),
)
_own = st.one_of(
    st.builds(Tick),
    st.builds(
        PolicySet,
        values=st.fixed_dictionaries(
            {}, optional={"kept_turns": st.integers(1, 3), "slot_lifetime": st.sampled_from([2.0, 60.0])}
        ),
    ),
    st.builds(Described, facts=st.fixed_dictionaries({"origin": st.just("probe")})),
    st.builds(Gap, source=st.just(""), first=st.just(1), last=st.integers(1, 3), why=st.just("damaged")),
)

steps = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from(["bot", "worker"]), _signal, st.sampled_from([0.0, 1.0, 7.0, 90.0])),
        st.tuples(st.just("say"), st.just("bot"), _signal, st.just(1.0)),
        st.tuples(st.just("skip"), st.just("bot"), st.integers(1, 3), st.just(0.0)),
        st.tuples(st.just("wait"), st.just(""), st.just(None), st.sampled_from([2.0, 100.0, 4000.0])),
        st.tuples(st.just("own"), st.just(""), _own, st.just(0.0)),
    ),
    max_size=40,
)
"""What happens in a session, as (what, source, with what, seconds after the one before)."""
