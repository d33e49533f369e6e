"""The page's files: hashed, immutable, relative; and the whole map below somebody else's path."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from lingbot_map.pipeline import Pipeline
from lingbot_map.store.index import Index
from lingbot_map.store.memory import MemoryStore
from lingbot_web.asgi import app
from lingbot_web.page import Files
from lingbot_web.security import door
from tests.live.server import Client, running


@pytest.fixture(scope="module")
def map() -> Iterator[Client]:
    with running() as (_, client):
        yield client


def test_all_that_the_page_names_is_there_for_ever(map: Client) -> None:
    _, page, _ = map.ask("GET", "/")
    names = re.findall(r"static/[\w./?=-]+", page.decode())
    assert len(names) > 20
    for name in names:
        status, _, headers = map.ask("GET", f"/{name}")
        assert status == 200, name
        assert "immutable" in headers["cache-control"], name
        plain = name.partition("?")[0]
        _, _, headers = map.ask("GET", f"/{plain}")
        assert headers["cache-control"] == "no-cache", "without its hash it may change"
        assert headers["content-type"].partition(";")[0] in ("text/javascript", "text/css", "image/svg+xml")


def test_a_changed_file_gets_another_address(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.js").write_text("1")
    (tmp_path / "deep" / "b.js").write_text("1")
    files = Files(tmp_path)
    files.look()
    before = files.url("a.js")
    assert re.fullmatch(r"static/a\.js\?h=[0-9a-f]{12}", before)
    assert files.imports() == {"lb/a": f"./{before}"}
    (tmp_path / "a.js").write_text("two")
    files.look()
    assert files.url("a.js") != before
    assert files.url("none.js") == "static/none.js"


@pytest.mark.parametrize("name", ["../page.py", "..%2fpage.py", "/etc/passwd", "app.js/", "", "."])
def test_a_name_is_looked_up_and_never_made_into_a_path(map: Client, name: str) -> None:
    assert map.ask("GET", f"/static/{name}")[0] == 404


async def test_it_can_be_mounted_below_any_path() -> None:
    pipeline = Pipeline(MemoryStore(), Index(None))
    inner = app(pipeline, door("secret", 80, host="testserver"))
    outer = Starlette(routes=[Mount("/tools/map", inner)])
    transport = httpx.ASGITransport(app=outer)
    token = {"Authorization": "Bearer secret"}
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver/tools/map/") as client:
        page = await client.get("")
        assert page.status_code == 200
        style = re.search(r'href="(static/style[^"]+)"', page.text)
        assert style is not None
        assert (await client.get(style[1])).status_code == 200
        assert (await client.get("api/sessions")).status_code == 401
        said = {"v": 1, "source": "s", "numbered": {"call": 1}}
        assert (await client.post("ingest", json=said, headers=token)).status_code in (200, 503)
        await pipeline.settled()
        assert (await client.post("ingest", json=said, headers=token)).status_code == 200
        assert (await client.get("api/sessions", headers=token)).json()["total"] == 1
        assert (await client.get("../api/sessions", headers=token)).status_code == 404
    await pipeline.stop()
    assert asyncio.all_tasks() == {asyncio.current_task()}, "nothing of it goes on"
