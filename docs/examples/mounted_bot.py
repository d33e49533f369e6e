"""A bot with its map on the same port: a chat route, and the map below /map/. No network and no key.

``python docs/examples/mounted_bot.py [PORT]`` prints the address of the map; Ctrl-C ends both.
"""

from __future__ import annotations

import argparse

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

import lingbot_web
from lingbot_probes import Probe

arguments = argparse.ArgumentParser(description="A bot with its map below /map/ on the same port.")
arguments.add_argument("port", nargs="?", type=int, default=8000, help="where to listen; 8000 unless it is said")
PORT = arguments.parse_args().port
PRICES = {"fibre": "99 a month", "宽带": "每月 99 元"}

probe = Probe("shop-bot")
memory: dict[str, dict[str, str]] = {}


@probe.intent
def route(text: str) -> tuple[str, float]:
    """A router that is one line: it knows two kinds of question."""
    return ("price_query", 0.91) if any(product in text for product in PRICES) else ("smalltalk", 0.55)


@probe.slots
def slots_of(session: str) -> dict[str, str]:
    """What is known of the customer."""
    return memory.setdefault(session, {})


@probe.turn
def reply(session: str, text: str) -> str:
    """The bot."""
    if route(text)[0] == "smalltalk":
        return "Which product? 请问哪种产品？"
    product = next(product for product in PRICES if product in text)
    slots_of(session)["product"] = product
    return f"{product}: {PRICES[product]}"


async def chat(request: Request) -> Response:
    """``POST {"session": ..., "text": ...}``."""
    said = await request.json()
    return JSONResponse({"text": reply(said["session"], said["text"])})


map = lingbot_web.app(probe, url=f"http://127.0.0.1:{PORT}/map/")  # data="recordings" keeps them
bot = Starlette(routes=[Route("/chat", chat, methods=["POST"]), Mount("/map", map)], lifespan=map.lifespan)

if __name__ == "__main__":
    print(f"Map       {map.address}", flush=True)
    uvicorn.run(bot, port=PORT, log_level="warning")
