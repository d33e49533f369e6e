"""The vectors that the page's fold is tested on are what the Python core makes."""

from __future__ import annotations

import json

import msgspec
import pytest

from lingbot_map import codec
from lingbot_map.graph import DialogueMap
from tests.vectors import make


@pytest.mark.parametrize("name", [*make.CASES, "damaged"])
def test_a_vector_is_up_to_date(name: str) -> None:
    value = make.damaged() if name == "damaged" else make.vector(name)
    path = make.FOLDER / f"{name}.json"
    assert path.read_text("utf-8") == make.as_text(value), "run `python -m tests.vectors.make` and read what changed"


@pytest.mark.parametrize("name", [*make.CASES, "damaged"])
def test_folding_a_vectors_deltas_gives_its_dump(name: str) -> None:
    value = json.loads((make.FOLDER / f"{name}.json").read_text("utf-8"))
    map = DialogueMap(value["session"])
    for delta in codec.decode_deltas(msgspec.json.encode(value["deltas"])):
        map.apply(delta)
    assert msgspec.json.decode(msgspec.json.encode(codec.dump(map))) == value["dump"]
