"""For users' own test suites: record a bot in the test's process, and say what its map must look like.

from lingbot_map.testing import assert_map, record

def test_the_price_query_knows_the_plan():
    with record(bot.probe) as recording:
        bot.reply("s1", "how much is plan B?")
    map = recording.map()
    assert_map(map).jumped("change_plan", "price_query").slot("plan").was("B", at_turn=1).never("leak")
    assert_map(map).matches("price_query.golden.jsonl")

With ``lingbot-map[pytest]`` pytest has the fixture ``dialogue_map`` and ``--update-golden`` besides, and a failure
names a page that opens where the map parts from what was expected.
"""

from lingbot_map.testing.asserting import Asserted, MapDiffers, Mismatch, assert_map
from lingbot_map.testing.golden import UPDATE, golden_text, read_golden
from lingbot_map.testing.opening import Opened, open_maps
from lingbot_map.testing.recording import MASK_KEY, Recording, UnrecordedSession, record
from lingbot_map.testing.rules import Rule, Rules, read_rules

__all__ = [
    "MASK_KEY",
    "UPDATE",
    "Asserted",
    "MapDiffers",
    "Mismatch",
    "Opened",
    "Recording",
    "Rule",
    "Rules",
    "UnrecordedSession",
    "assert_map",
    "golden_text",
    "open_maps",
    "read_golden",
    "read_rules",
    "record",
]
