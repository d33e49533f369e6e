"""What the tests of Ask share: an endpoint that words an answer well, and the diagram that is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ask.flow import FLOW, GOOD
from tests.ask.stub import Stub, endpoint


@pytest.fixture(scope="session")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("llm") / "flow.puml"
    path.write_text(FLOW, "utf-8")
    return path


@pytest.fixture
def stub() -> Iterator[Stub]:
    with endpoint(lambda exchange: exchange.say(GOOD)) as stub:
        yield stub
