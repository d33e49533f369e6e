"""The page and its files: everything it loads comes from here, under a name that carries the content's hash."""

from __future__ import annotations

import hashlib
import mimetypes
import secrets
from dataclasses import dataclass
from pathlib import Path

import jinja2
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from lingbot_web.security import Door, page_policy

HERE = Path(__file__).parent
"""The folder that holds ``static`` and ``templates``."""
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
_FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    type: str
    hash: str
    stamp: tuple[int, int]


class Files:
    """The files below ``folder``, by their relative names. A name is looked up, never made into a path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, _File] = {}

    def look(self) -> None:
        """Read what is new or changed on disk (some 30 files; asked once per page, so editing needs no restart)."""
        found: dict[str, _File] = {}
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                name = path.relative_to(self.folder).as_posix()
                status = path.stat()
                stamp = (status.st_mtime_ns, status.st_size)
                known = self._files.get(name)
                found[name] = known if known is not None and known.stamp == stamp else _read(path, stamp)
        self._files = found

    def url(self, name: str) -> str:
        """Relative URL of a file, with its hash; without one if there is no such file."""
        file = self._files.get(name)
        return f"static/{name}?h={file.hash}" if file is not None else f"static/{name}"

    def imports(self) -> dict[str, str]:
        """The import map: ``lb/<name>`` for each module."""
        return {
            f"lb/{name[:-3]}": f"./{self.url(name)}" for name in self._files if name.endswith(".js") and "/" not in name
        }

    def get(self, name: str) -> _File | None:
        """The file of that name, if there is one."""
        if name not in self._files:
            self.look()
        return self._files.get(name)


def _read(path: Path, stamp: tuple[int, int]) -> _File:
    content = path.read_bytes()
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if kind.startswith("text/"):
        kind += "; charset=utf-8"
    return _File(content, kind, hashlib.sha256(content).hexdigest()[:12], stamp)


def templates_in(folder: Path) -> jinja2.Environment:
    """The templates beside ``static``: what goes into them is text unless it says otherwise; nothing may be missing."""
    loader = jinja2.FileSystemLoader(folder / "templates")
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)


def page_routes(door: Door, folder: Path = HERE, *, asks: bool = False) -> list[Route]:
    """``/`` and ``/static/...``; ``folder`` holds ``templates`` and ``static``. ``asks``: the page may ask."""
    files = Files(folder / "static")
    templates = templates_in(folder)

    def sheet(name: str) -> Markup:
        return Markup('<link rel="stylesheet" href="{}">').format(files.url(name))

    async def page(request: Request) -> Response:
        files.look()
        nonce = secrets.token_urlsafe(16)
        icon = files.url("icon.svg")
        text = templates.get_template("page.html").render(
            nonce=nonce, imports=files.imports(), icon=icon, sheet=sheet, asks=asks
        )
        return HTMLResponse(text, headers={"content-security-policy": page_policy(nonce, door)})

    async def static(request: Request) -> Response:
        file = files.get(request.path_params["name"])
        if file is None:
            return Response(b'{"error":"There is no such file."}', 404, media_type="application/json")
        current = request.query_params.get("h") == file.hash
        return Response(
            file.content,
            headers={"content-type": file.type, "cache-control": _FOR_EVER if current else "no-cache"},
        )

    return [Route("/", page), Route("/static/{name:path}", static)]
