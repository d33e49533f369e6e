"""The map in the browser: server, page and command line.

``serve(probe)`` shows a map from inside the bot's process; ``app(probe, url=...)`` is the map to be mounted in the
bot's own server. Both need ``lingbot-map[server]``, and importing this package alone loads nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lingbot_web.mounting import app
    from lingbot_web.running import serve

__all__ = ["app", "serve"]


def __getattr__(name: str) -> Any:
    if name == "app":
        from lingbot_web.mounting import app

        return app
    if name == "serve":
        from lingbot_web.running import serve

        return serve
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
