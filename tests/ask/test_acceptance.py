"""Our own questions, of the kinds that are agreed upon, over bases that nobody tuned anything on."""

from __future__ import annotations

import pytest

from lingbot_map.ask.bases import KINDS
from tests.ask.acceptance import OWN, expectations, run


@pytest.mark.parametrize("base", KINDS)
def test_our_own_questions_are_answered_exactly(base: str) -> None:
    told: list[str] = []
    assert run(base, folder=OWN, say=lambda line: told.append(str(line))) == 0, "\n".join(told)
    assert len(expectations(base, folder=OWN)) >= 17
