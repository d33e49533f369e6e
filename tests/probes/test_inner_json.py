"""JSON within a text: only what JSON in UTF-8 can hold again comes of it."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingbot_probes.adapters.inner_json import DEEPEST, LONGEST, inner, read_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters()), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.5, "x", null, true]}', {"a": [1, 2.5, "x", None, True]}),
        (r'["\ud83d"]', ["\ufffd"]),
        (r'["\ud83d\ude00"]', ["\U0001f600"]),
        (r'{"\uD800": 1}', {"\ufffd": 1}),
        ("[NaN, Infinity, -Infinity]", ["NaN", "Infinity", "-Infinity"]),
        ("[1e999, -1e999, 1e+308]", ["1e999", "-1e999", 1e308]),
        ("[18446744073709551615, -9223372036854775808]", [2**64 - 1, -(2**63)]),
        ("[18446744073709551616, -9223372036854775809]", [2.0**64, -(2.0**63)]),
        ("[" + "9" * 400 + "]", ["9" * 400]),
        ('"text"', "text"),
    ],
)
def test_what_a_text_holds(text: str, value: Any) -> None:
    assert inner(text) == value
    assert orjson.loads(orjson.dumps(inner(text))) == value


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1,]", "{'a': 1}", "[" * 100_000, '"' + "x" * LONGEST + '"', "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)],
)
def test_any_other_text_stays_what_it_is(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (the text of it is nobody's business)
        inner(text)
    assert read_json(text) == text


def test_only_objects_and_lists_are_read_out_of_a_field() -> None:
    assert read_json('{"a": 1}') == {"a": 1}
    assert read_json("[1]") == [1]
    for value in ("17", "null", 17, None, {"a": "[1]"}):
        assert read_json(value) == value
    deep = "[" * DEEPEST + "]" * DEEPEST
    assert read_json(deep) == json.loads(deep)


@given(VALUES)
def test_whatever_is_read_can_be_written_again(value: Any) -> None:
    for ascii in (True, False):
        orjson.dumps(inner(json.dumps(value, ensure_ascii=ascii)))
