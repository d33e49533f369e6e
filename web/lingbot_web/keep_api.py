"""``POST /api/prune`` and ``POST /api/sessions/KEY/forget``: what is to be kept no longer."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lingbot_map.errors import BadInput
from lingbot_map.pipeline import Pipeline
from lingbot_map.store.retention import keep_from
from lingbot_web.api import json_object, reply, session_key


def keep_routes(pipeline: Pipeline) -> list[Route]:
    """``{"keep": ["7d", "20GB"], "dry_run"?}`` is answered as ``Pruned.as_json``, ``{}`` by what was forgotten."""

    async def prune(request: Request) -> Response:
        said = await json_object(request)
        bounds, dry_run = said.get("keep"), said.get("dry_run", False)
        if set(said) - {"keep", "dry_run"} or type(bounds) is not list or type(dry_run) is not bool:
            raise BadInput("body", 'an object with "keep" and perhaps "dry_run"', "something else")
        if not bounds or not all(type(bound) is str for bound in bounds):
            raise BadInput("keep", 'a list such as ["7d", "20GB"]', "something else")
        pruned = await pipeline.keeping.prune(keep_from(bounds), dry_run=dry_run)
        return reply(pruned.as_json())

    async def forget(request: Request) -> Response:
        if await json_object(request):
            raise BadInput("body", "an empty object", "something else")
        return reply({"forgotten": True, "exports": await pipeline.keeping.forget(session_key(request))})

    return [
        Route("/api/prune", prune, methods=["POST"]),
        Route("/api/sessions/{key}/forget", forget, methods=["POST"]),
    ]
