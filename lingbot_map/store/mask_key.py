"""The key that the probes of one map share for their pseudonyms, so that two workers give one phone one name.

It is made once and stays with the recordings, in a file that only its owner may read. Where it is gone or no longer
what was written, there is a new one; sessions name the key they were masked with, so nobody compares across the two.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from pathlib import Path

from lingbot_map.store.disk import read_file, replace_file

_FORM = re.compile(r"[0-9a-f]{64}")


def mask_key(path: Path) -> str:
    """The key in the file ``path``, made if there is none: 64 hexadecimal digits."""
    key = (read_file(path, 256) or b"").decode("ascii", "replace").strip()
    if not _FORM.fullmatch(key):
        key = secrets.token_hex(32)
        with contextlib.suppress(OSError):  # it holds until this process ends, then
            replace_file(path, f"{key}\n".encode())
    return key
