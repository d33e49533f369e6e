"""The observed dictionary: a ``dict`` in every respect, whose reads, writes and deletes are signals."""

from __future__ import annotations

import copy
import json
import pickle
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingbot_probes import Probe
from tests.probes.listening import Listener


def said(probe: Probe, map: Listener) -> list[tuple[str, str]]:
    assert probe.flush(10)
    words = {"slot_assigned": "write", "slot_read": "read", "slot_cleared": "clear"}
    return [(words[signal["kind"]], signal["slot"]) for signal in map.signals()]


ACTS: dict[str, tuple[Callable[[dict[Any, Any]], Any], list[tuple[str, str]]]] = {
    "[]": (lambda d: d["a"], [("read", "a")]),
    "[] of none": (lambda d: d["z"], [("read", "z")]),
    "get": (lambda d: (d.get("a"), d.get("z"), d.get("z", 7)), [("read", "a"), ("read", "z"), ("read", "z")]),
    "items": (lambda d: list(d.items()), [("read", "a"), ("read", "b")]),
    "values": (lambda d: list(d.values()), [("read", "a"), ("read", "b")]),
    "dict()": (lambda d: dict(d), [("read", "a"), ("read", "b")]),
    "**": (lambda d: (lambda **k: k)(**d), [("read", "a"), ("read", "b")]),
    "[]=": (lambda d: d.__setitem__("a", 5), [("write", "a")]),
    "[]= of a key that can't be one": (lambda d: d.__setitem__([], 5), []),
    "del": (lambda d: d.__delitem__("a"), [("clear", "a")]),
    "del of none": (lambda d: d.__delitem__("z"), []),
    "pop": (lambda d: d.pop("a"), [("read", "a"), ("clear", "a")]),
    "pop of none": (lambda d: d.pop("z", 7), [("read", "z")]),
    "pop that raises": (lambda d: d.pop("z"), []),
    "popitem": (lambda d: d.popitem(), [("read", "b"), ("clear", "b")]),
    "setdefault held": (lambda d: d.setdefault("a", 7), [("read", "a")]),
    "setdefault new": (lambda d: d.setdefault("z", 7), [("write", "z")]),
    "update": (lambda d: d.update({"a": 3}, z=4), [("write", "a"), ("write", "z")]),
    "update by pairs": (lambda d: d.update([("z", 3)]), [("write", "z")]),
    "|=": (lambda d: d.__ior__({"z": 3}) is d, [("write", "z")]),
    "clear": (lambda d: d.clear(), [("clear", "a"), ("clear", "b")]),
    "in": (lambda d: ("a" in d, "z" in d), []),
    "len": (lambda d: (len(d), bool(d)), []),
    "keys": (lambda d: (list(d), list(d.keys()), list(reversed(d))), []),
    "==": (lambda d: (d == {"a": 1, "b": [2]}, d == {"a": 1}, d != {"a": 1, "b": [2]}), []),
    "|": (lambda d: (d | {"z": 1}, {"z": 1} | d), []),
    "repr": (lambda d: (repr(d), str(d), f"{d}"), []),
    "copy": (lambda d: (type(d.copy()), d.copy(), copy.copy(d), copy.deepcopy(d)), []),
    "pickle": (lambda d: (type(pickle.loads(pickle.dumps(d))), pickle.loads(pickle.dumps(d))), []),
    "json of a copy": (lambda d: json.dumps(d.copy()), []),
    "is a dict": (lambda d: (isinstance(d, dict), callable(getattr(d, "fromkeys", None)), d.fromkeys("x")), []),
    "hash": (lambda d: outcome(hash, d)[0], []),
    "types of the views": (lambda d: (type(d.keys()), type(iter(d))), []),
    "types of the value views": (lambda d: (type(d.items()), type(d.values())), [("read", "a"), ("read", "b")] * 2),
}


def outcome(act: Callable[[dict[Any, Any]], Any], held: dict[Any, Any]) -> tuple[Any, ...]:
    try:
        return "value", act(held)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", ACTS)
def test_behaves_as_a_dict_and_says_so(name: str, probe: Probe, map: Listener) -> None:
    act, expected = ACTS[name]
    plain: dict[Any, Any] = {"a": 1, "b": [2]}
    truth: dict[Any, Any] = {"a": 1, "b": [2]}
    observed = probe.observed(truth)
    assert outcome(act, observed) == outcome(act, plain)
    assert truth == plain
    assert list(truth) == list(plain)
    assert said(probe, map) == expected
    assert json.dumps(observed) == json.dumps(plain)


OPERATIONS = st.tuples(
    st.sampled_from(["set", "del", "pop", "get", "update", "setdefault", "popitem", "clear", "behind"]),
    st.sampled_from("abcd"),
    st.integers(0, 3),
)


@given(st.lists(OPERATIONS, max_size=30))
def test_stays_equal_to_a_dict_and_to_its_mapping(operations: list[tuple[str, str, int]]) -> None:
    plain: dict[str, int] = {}
    truth: dict[str, int] = {}
    probe = Probe("bot", sink=Listener())
    observed = probe.observed(truth)
    for what, key, value in operations:
        if what == "behind":  # another holder of the mapping
            plain[key] = truth[key] = value
            continue
        for held in (plain, observed):
            match what:
                case "set":
                    held[key] = value
                case "del":
                    outcome(lambda d, key=key: d.__delitem__(key), held)  # type: ignore[misc]
                case "pop":
                    held.pop(key, None)
                case "get":
                    held.get(key)
                case "update":
                    held.update({key: value, "a": value})
                case "setdefault":
                    held.setdefault(key, value)
                case "popitem":
                    outcome(lambda d: d.popitem(), held)
                case "clear":
                    held.clear()
        assert observed == plain == truth
        assert len(observed) == len(plain)
        assert list(observed.items()) == list(plain.items())
    assert probe.errors == 0
    probe.close()


def test_the_reader_is_named(probe: Probe, map: Listener) -> None:
    slots = probe.observed({"a": 1})

    def price_query() -> Any:
        return slots["a"], slots.get("a"), list(slots.values())

    price_query()
    assert probe.flush(10)
    assert {signal["reader"].rsplit(".", 1)[-1] for signal in map.signals()} == {"price_query"}


def test_scopes_and_labels(probe: Probe, map: Listener) -> None:
    slots = probe.observed(scope={"phone": "task"}, labels={"phone": "手机号"})
    slots["phone"] = "138"
    slots["name"] = None
    assert probe.flush(10)
    assert map.signals() == [
        {"kind": "slot_assigned", "slot": "phone", "value": "138", "scope": "task", "label": "手机号"},
        {"kind": "slot_assigned", "slot": "name", "value": None},
    ]


def test_what_is_there_already_is_not_told(probe: Probe, map: Listener) -> None:
    probe.observed({"a": 1})
    probe.answered("x")
    assert probe.flush(10)
    assert [signal["kind"] for signal in map.signals()] == ["answered"]


def test_a_default_dict_goes_on_filling_itself(probe: Probe) -> None:
    truth: dict[str, list[int]] = defaultdict(list)
    observed = probe.observed(truth)
    observed["a"].append(1)
    assert truth == {"a": [1]} == observed
    assert json.dumps(observed) == '{"a": [1]}'


def test_the_store_that_a_function_hands_out_is_observed(probe: Probe, map: Listener) -> None:
    store: dict[str, dict[str, Any]] = {"s1": {}}

    @probe.slots(session="user", scope="session")
    def slots_of(user: str) -> dict[str, Any]:
        return store[user]

    @probe.slots
    async def later() -> dict[str, Any]:
        return {"x": 1}

    slots_of("s1")["city"] = "Paris"
    assert store == {"s1": {"city": "Paris"}}
    with pytest.raises(StopIteration) as stop:
        later().send(None)
    assert stop.value.value["x"] == 1
    assert probe.slots(lambda: [1])() == [1]
    assert probe.flush(10)
    assert map.signals("s1") == [{"kind": "slot_assigned", "slot": "city", "value": "Paris", "scope": "session"}]
    assert len(map.signals()) == 2


def test_the_mapping_remembers_its_session_where_no_context_is(probe: Probe, map: Listener) -> None:
    with probe.session("s1"):
        slots = probe.observed({})
    slots["a"] = 1
    with probe.session("s2"):
        slots["a"] = 2
    assert probe.flush(10)
    assert [signal["value"] for signal in map.signals("s1") if signal["kind"] == "slot_assigned"] == [1]
    assert [signal["value"] for signal in map.signals("s2") if signal["kind"] == "slot_assigned"] == [2]
