"""The map in the browser: server, page and command line.

``serve(probe)`` shows a map from inside the bot's process; ``app(pipeline, door)`` is the map as an ASGI app. Both
need ``lingbot-map[server]``, and importing this package alone loads nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lingbot_web.asgi import app
    from lingbot_web.running import serve

__all__ = ["app", "serve"]


def __getattr__(name: str) -> Any:
    if name == "app":
        from lingbot_web.asgi import app

        return app
    if name == "serve":
        from lingbot_web.running import serve

        return serve
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
