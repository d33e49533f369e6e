"""Whether turns went as a sequence diagram designed them."""

from __future__ import annotations

from collections.abc import Callable

from lingbot_map.ask.bases.sequence.asking import SequenceBase
from lingbot_map.ask.bases.sequence.recorded import Recorded, told
from lingbot_map.ask.bases.session.saying import MOST, Saying
from lingbot_map.ask.types import Found
from lingbot_map.errors import BadInput


def conforming(designed: SequenceBase) -> Callable[[Saying], Found]:
    """The operator that holds turns against the one diagram of ``designed``. Raises ``BadInput`` for several."""
    if len(designed.views) != 1:
        raise BadInput("diagram", "one designed sequence diagram", str(len(designed.views)))
    diagram = designed.views[0].diagram

    def operator(s: Saying) -> Found:
        numbers = s.turns or [turn.number for turn in s.record.turns.values() if turn.routes or turn.answers]
        record = Recorded(s.record.map)
        found = {number: record.conformance(diagram, number) for number in numbers}
        apart = [number for number in numbers if not found[number].conforms]
        s.verdict = "no" if apart else "yes"
        if not s.turns:
            s.say(
                [f"t{number}" for number in (apart or numbers)[:MOST]] or s.all_turns(),
                zh=f"{len(numbers)} 轮中有 {len(apart)} 轮没有按设计图走{'：' + s.turn_list(apart) if apart else ''}。",
                en=f"{len(apart)} of {len(numbers)} turns did not go as designed"
                f"{': ' + s.turn_list(apart) if apart else ''}.",
            )
        for number in s.turns or apart[:3]:
            for text, cites in told(found[number], number, s.lang):
                s.say(cites, zh=text, en=text)
        return s.told()

    return operator
