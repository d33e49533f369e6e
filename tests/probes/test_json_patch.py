"""JSON Patch: RFC 6902's rules and its own examples (appendix A), RFC 6901's escapes, and what bounds a patch."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingbot_probes.adapters.json_patch import DEEPEST, GROWTH, OPERATIONS, WIDEST, PatchError, applied, same, tokens

# ruff: noqa: E501 (an example a line reads best)
EXAMPLES: list[tuple[str, Any, list[dict[str, Any]], Any]] = [
    ("A.1", {"foo": "bar"}, [{"op": "add", "path": "/baz", "value": "qux"}], {"baz": "qux", "foo": "bar"}),
    ("A.2", {"foo": ["bar", "baz"]}, [{"op": "add", "path": "/foo/1", "value": "qux"}], {"foo": ["bar", "qux", "baz"]}),
    ("A.3", {"baz": "qux", "foo": "bar"}, [{"op": "remove", "path": "/baz"}], {"foo": "bar"}),
    ("A.4", {"foo": ["bar", "qux", "baz"]}, [{"op": "remove", "path": "/foo/1"}], {"foo": ["bar", "baz"]}),
    ("A.5", {"baz": "qux", "foo": "bar"}, [{"op": "replace", "path": "/baz", "value": "boo"}], {"baz": "boo", "foo": "bar"}),
    (
        "A.6",
        {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
        [{"op": "move", "from": "/foo/waldo", "path": "/qux/thud"}],
        {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
    ),
    (
        "A.7",
        {"foo": ["all", "grass", "cows", "eat"]},
        [{"op": "move", "from": "/foo/1", "path": "/foo/3"}],
        {"foo": ["all", "cows", "eat", "grass"]},
    ),
    (
        "A.8",
        {"baz": "qux", "foo": ["a", 2, "c"]},
        [{"op": "test", "path": "/baz", "value": "qux"}, {"op": "test", "path": "/foo/1", "value": 2}],
        {"baz": "qux", "foo": ["a", 2, "c"]},
    ),
    ("A.10", {"foo": "bar"}, [{"op": "add", "path": "/child", "value": {"grandchild": {}}}], {"foo": "bar", "child": {"grandchild": {}}}),
    ("A.11", {"foo": "bar"}, [{"op": "add", "path": "/baz", "value": "qux", "xyz": 123}], {"foo": "bar", "baz": "qux"}),
    ("A.14", {"/": 9, "~1": 10}, [{"op": "test", "path": "/~01", "value": 10}], {"/": 9, "~1": 10}),
    ("A.16", {"foo": ["bar"]}, [{"op": "add", "path": "/foo/-", "value": ["abc", "def"]}], {"foo": ["bar", ["abc", "def"]]}),
    ("end of a list", [1], [{"op": "add", "path": "/1", "value": 2}], [1, 2]),
    ("existing member", {"a": 1}, [{"op": "add", "path": "/a", "value": None}], {"a": None}),
    ("whole document", {"a": 1}, [{"op": "replace", "path": "", "value": [1]}, {"op": "add", "path": "", "value": 2}], 2),
    ("empty name", {"": {"": 1}}, [{"op": "replace", "path": "//", "value": 2}], {"": {"": 2}}),
    ("name of digits", {"0": 1}, [{"op": "remove", "path": "/0"}], {}),
    ("name of a dash", {}, [{"op": "add", "path": "/-", "value": 1}], {"-": 1}),
    ("copy", {"a": [1]}, [{"op": "copy", "from": "/a", "path": "/b"}, {"op": "add", "path": "/b/-", "value": 2}], {"a": [1], "b": [1, 2]}),
    ("copy into itself", {"a": {}}, [{"op": "copy", "from": "/a", "path": "/a/b"}], {"a": {"b": {}}}),
    ("move to itself", {"a": 1}, [{"op": "move", "from": "/a", "path": "/a"}], {"a": 1}),
    ("move up", {"a": {"b": 1}}, [{"op": "move", "from": "/a/b", "path": "/a"}], {"a": 1}),
    ("in order", [], [{"op": "add", "path": "/0", "value": n} for n in (1, 2, 3)], [3, 2, 1]),
    ("number", {"a": 1}, [{"op": "test", "path": "/a", "value": 1.0}], {"a": 1}),
    ("order of members", {"a": {"x": 1, "y": 2}}, [{"op": "test", "path": "/a", "value": {"y": 2, "x": 1}}], {"a": {"x": 1, "y": 2}}),
    ("slash", {"a/b": 1}, [{"op": "remove", "path": "/a~1b"}], {}),
    ("nothing", {"a": 1}, [], {"a": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "document", "patch", "expected"), EXAMPLES, ids=[name for name, *_ in EXAMPLES])
def test_the_rules(name: str, document: Any, patch: list[dict[str, Any]], expected: Any) -> None:
    before = copy.deepcopy(document)
    assert same(applied(document, patch), expected)
    assert document == before


REFUSED: list[tuple[str, Any, Any, str]] = [
    ("A.9", {"baz": "qux"}, [{"op": "test", "path": "/baz", "value": "bar"}], "operation 0: the test of '/baz' failed"),
    ("A.12", {"foo": "bar"}, [{"op": "add", "path": "/baz/bat", "value": "qux"}], "there is no '/baz'"),
    ("A.15", {"/": 9, "~1": 10}, [{"op": "test", "path": "/~01", "value": "10"}], "failed"),
    ("no member", {}, [{"op": "remove", "path": "/a"}], "there is no '/a'"),
    ("no member to replace", {}, [{"op": "replace", "path": "/a", "value": 1}], "there is no '/a'"),
    ("past the end", [1], [{"op": "add", "path": "/2", "value": 1}], "past the end of a list of 1"),
    ("at the end", [1], [{"op": "remove", "path": "/1"}], "past the end"),
    ("dash", [1], [{"op": "remove", "path": "/-"}], "no place in a list"),
    ("leading zero", [1, 2], [{"op": "remove", "path": "/01"}], "no place in a list"),
    ("negative", [1], [{"op": "remove", "path": "/-1"}], "no place in a list"),
    ("other digits", [1, 2], [{"op": "remove", "path": "/\u0661"}], "no place in a list"),
    ("name in a list", [1], [{"op": "add", "path": "/a", "value": 1}], "no place in a list"),
    ("into a text", {"a": "b"}, [{"op": "add", "path": "/a/0", "value": 1}], "neither an object nor a list"),
    ("into itself", {"a": {"b": 1}}, [{"op": "move", "from": "/a", "path": "/a/b/c"}], "moved into itself"),
    ("the whole", {"a": 1}, [{"op": "remove", "path": ""}], "can't be removed"),
    ("no source", {}, [{"op": "copy", "from": "/a", "path": "/b"}], "there is no '/a'"),
    ("no from", {"a": 1}, [{"op": "move", "path": "/b"}], "the path is no text"),
    ("no value", {}, [{"op": "add", "path": "/a"}], "add has no value"),
    ("no path", {}, [{"op": "add", "value": 1}], "the path is no text"),
    ("no slash", {}, [{"op": "add", "path": "a", "value": 1}], "does not begin with a slash"),
    ("stray tilde", {}, [{"op": "add", "path": "/a~2", "value": 1}], "neither ~0 nor ~1"),
    ("tilde at the end", {}, [{"op": "add", "path": "/a~", "value": 1}], "neither ~0 nor ~1"),
    ("unknown", {}, [{"op": "spam", "path": "/a"}], "no operation is called 'spam'"),
    ("no object", {}, ["add"], "expected an object with op and path"),
    ("no list", {}, {"op": "add"}, "expected a list of operations"),
    ("true is not 1", {"a": 1}, [{"op": "test", "path": "/a", "value": True}], "failed"),
    ("null is not false", {"a": None}, [{"op": "test", "path": "/a", "value": False}], "failed"),
    ("second", {}, [{"op": "add", "path": "/a", "value": 1}, {"op": "remove", "path": "/b"}], "operation 1: there is no"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "document", "patch", "why"), REFUSED, ids=[name for name, *_ in REFUSED])
def test_a_patch_that_does_not_hold_changes_nothing(name: str, document: Any, patch: Any, why: str) -> None:
    before = copy.deepcopy(document)
    with pytest.raises(PatchError) as caught:
        applied(document, patch)
    assert why in str(caught.value)
    assert document == before


def test_pointers_are_taken_apart_as_rfc_6901_has_it() -> None:
    told = {"": [], "/foo": ["foo"], "/": [""], "/a~1b": ["a/b"], "/m~0n": ["m~n"], "/~01": ["~1"], "/c%d": ["c%d"]}
    assert {pointer: tokens(pointer) for pointer in told} == told


def test_a_patch_can_not_make_much_out_of_little() -> None:
    doubling = [{"op": "copy", "from": "", "path": path} for path in ("/a", "/b")] * 30
    with pytest.raises(PatchError) as caught:
        applied({}, doubling)
    assert f"more than {GROWTH:,} values" in str(caught.value)
    with pytest.raises(PatchError) as caught:
        applied({}, doubling[:1] * (DEEPEST + 1))
    assert "deeper" in str(caught.value)
    wide = [{"op": "copy", "from": "/a", "path": f"/b{i}"} for i in range(100)]
    with pytest.raises(PatchError) as caught:
        applied({"a": [0] * (GROWTH // 50)}, wide)
    assert f"more than {GROWTH:,} values" in str(caught.value)
    with pytest.raises(PatchError) as caught:
        applied({"a": [0] * (WIDEST + 1)}, [{"op": "add", "path": "/a/-", "value": 1}])
    assert str(caught.value) == f"operation 0: '/a' has more than {WIDEST:,} members"
    with pytest.raises(PatchError):
        applied({}, [{"op": "add", "path": "/a", "value": json.loads("[" * DEEPEST + "]" * DEEPEST)}])
    applied({}, [{"op": "add", "path": "/a", "value": json.loads("[" * (DEEPEST - 1) + "]" * (DEEPEST - 1))}])
    with pytest.raises(PatchError):
        applied({}, [{"op": "add", "path": "/a" * (DEEPEST + 1), "value": 1}])
    with pytest.raises(PatchError):
        applied({}, [{"op": "add", "path": "/a", "value": 1}] * (OPERATIONS + 1))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "~", "/"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["", "a", "b", "0", "-"]), inner),
    max_leaves=8,
)
POINTERS = st.lists(st.sampled_from(["", "a", "b", "0", "1", "-", "~0", "~1"]), max_size=3).map(
    lambda parts: "".join(f"/{part}" for part in parts)
)
OPERATION = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]), "path": POINTERS},
    optional={"value": VALUES, "from": POINTERS},
)


def outcome(document: Any, patch: Any) -> Any:
    """What a patch makes of the document, or why it makes nothing."""
    try:
        return applied(document, patch)
    except PatchError as why:
        return why


def test_a_copy_is_a_value_of_its_own() -> None:
    patch: list[dict[str, Any]] = [
        {"op": "add", "path": "/a/0", "value": {"x": []}},
        {"op": "copy", "from": "/a", "path": "/b"},
        {"op": "add", "path": "/b/0/x/-", "value": 1},
        {"op": "add", "path": "/a/0/x/-", "value": 2},
        {"op": "add", "path": "/b/0/x/-", "value": 3},
    ]
    assert applied({"a": []}, patch) == {"a": [{"x": [2]}], "b": [{"x": [1, 3]}]}
    assert patch[0]["value"] == {"x": []}


@given(VALUES, st.lists(OPERATION, max_size=5))
def test_whatever_comes_holds_as_a_whole_or_not_at_all(document: Any, patch: list[dict[str, Any]]) -> None:
    before = copy.deepcopy(document)
    given = copy.deepcopy(patch)
    result = outcome(document, patch)
    assert same(document, before)
    assert patch == given
    if type(result) is PatchError:
        assert 0 <= result.place < len(patch)
        return
    step = before
    for operation in given:  # one after the other is the same as all at once
        step = applied(step, [operation])
    assert same(step, result)
    json.dumps(result)
