"""What the map's own processes do about memory that they no longer need."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

BLOCKS = """
import sys
from lingbot_web.large_blocks import give_back
if sys.argv[1] == "give back":
    give_back()
def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20
bytearray(30 << 20)  # freed at once: from now on glibc would take such blocks from its heap
before = held()
blocks, between = [], []
for _ in range(4):
    blocks.append(bytearray(b"x") * (20 << 20))
    between.append(bytearray(4000))  # stands above it in the heap, and stays
blocks.clear()
print(held() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library, with rules of its own")
def test_large_blocks_go_back_to_the_system_when_they_are_free() -> None:
    def left(how: str) -> float:
        done = subprocess.run([sys.executable, "-c", BLOCKS, how], capture_output=True, text=True, check=True)
        return float(done.stdout)

    assert left("give back") < 5, "MB"
    assert left("leave it") > 10, "else this has become needless"
