"""``lingbot-map``, the command. It starts on the standard library alone, so that it can say what is missing."""

from __future__ import annotations

import sys

from lingbot_web import doorstep, large_blocks

_PARTS = frozenset(
    {"jinja2", "msgspec", "networkx", "orjson", "rich", "starlette", "typer", "uvicorn", "httptools", "websockets"}
)


def main() -> int:
    """Run the command; what comes back is the exit code."""
    try:
        doorstep.open_for(sys.argv[1:])
        large_blocks.give_back()
        from lingbot_web.cli import run
    except ModuleNotFoundError as why:
        if (why.name or "").partition(".")[0] not in _PARTS:
            raise
        sys.stderr.write(
            f"lingbot-map: the map needs its server's parts ({why.name} is missing); "
            "install them with: pip install '.[server]' in a checkout, "
            "pip install 'lingbot-map[server]' from an index\n"
        )
        return 1
    except KeyboardInterrupt:  # while the parts are being loaded; later ``run`` sees to it
        return 130
    return run(sys.argv[1:])
