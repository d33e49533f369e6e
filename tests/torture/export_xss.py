"""Is an exported page inert and complete, whatever the recording held?

``python -m tests.torture.export_xss``: exports a harmless dialogue and a hostile one, reads both pages, and opens the
hostile one in Chromium (``$CHROMIUM`` or the one in the path), with the page's own policy and with the policy taken
out: the defence must not rest on it alone. ``python -m tests.torture.export_xss FILE OUT`` makes one page from the
strings of any file of JSON lines, for drivers from elsewhere. LB_STRINGS: so many of ours.
"""

from __future__ import annotations

import html.parser
import json
import os
import re
import shutil
import sys
import tempfile
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Dialog, Page, sync_playwright

from lingbot_web.cli import run as command
from tests.conftest import BROWSERS
from tests.torture.driver import Report, setting
from tests.torture.hostile import STRINGS, hostile

HARMLESS = ("hello", "change my plan", "138 0000 0000", "我要改套餐")
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
LOADED = re.compile(r"(?:src|href)=[\"']?(?:https?:)?//|@import|url\((?!['\"]?(?:data:|#))")
ADDRESSES = ("href", "src", "srcset", "srcdoc", "action", "formaction", "data", "xlink:href", "style", "background")


class Markup(html.parser.HTMLParser):
    """What a browser would make of a page: its elements, addresses, scripts and policy."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.links: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.styles: list[str] = []
        self.policy: dict[str, list[str]] = {}
        self._inside: dict[str, str | None] | None = None
        self._styles = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.handlers += [name for name in given if name.startswith("on")]
        self.links += [value for name, value in attrs if name in ADDRESSES and value]
        if tag == "script":
            self._inside = given
            self.scripts.append((given, ""))
        self._styles = tag == "style"
        if self._styles:
            self.styles.append("")
        if tag == "meta" and (given.get("http-equiv") or "").lower() == "content-security-policy":
            parts = [part.split() for part in (given.get("content") or "").split(";")]
            self.policy = {part[0]: part[1:] for part in parts if part}

    def handle_endtag(self, tag: str) -> None:
        self._inside = None if tag == "script" else self._inside
        self._styles = self._styles and tag != "style"

    def handle_data(self, data: str) -> None:
        if self._inside is not None:
            attributes, text = self.scripts[-1]
            self.scripts[-1] = attributes, text + data
        elif self._styles:
            self.styles[-1] += data

    def blocks(self) -> list[str]:
        """The data, which no browser runs."""
        return [text for given, text in self.scripts if given.get("type") == "application/json"]

    def code(self) -> list[str]:
        """What a browser runs."""
        return [text for given, text in self.scripts if given.get("type") != "application/json"]


def hashed(text: str) -> str:
    """As a policy names a script or a style."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def leaves(value: Any) -> Iterator[str]:
    """All strings in a JSON value, names of members too."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from leaves(member)
    elif isinstance(value, list):
        for member in value:
            yield from leaves(member)
    elif isinstance(value, str):
        yield value


def page(folder: Path, out: Path, strings: Sequence[str]) -> str:
    """Record a dialogue of ``strings`` and export it with the command that users have; the page's text."""
    session = hostile(folder, strings, session=strings[0] or "empty")
    arguments = ["export", session, "--to", "html", "--data", str(folder), "--out", str(out)]
    code = command(arguments)
    assert code == 0, f"export ended with {code}"
    return out.read_text("utf-8")


def read(report: Report, plain: str, text: str, strings: Sequence[str]) -> None:
    """The checks that need no browser: ``text`` is the hostile page, ``plain`` a harmless one."""
    benign, found = Markup(plain), Markup(text)
    check = report.check
    check("the same elements as of a harmless recording", found.tags == benign.tags, set(found.tags) ^ set(benign.tags))
    check("the same code as in a harmless page", found.code() == benign.code() and found.code())
    check("no event handlers", not found.handlers, found.handlers)
    out = [link for link in found.links if not re.match(r"#|data:image/", link)]
    check("no links out", not out, out[:3])
    own = text
    for block in found.blocks():
        own = own.replace(block, "")
    check("nothing is loaded from elsewhere", not LOADED.search(own), LOADED.findall(own)[:3])
    policy = found.policy
    check("nothing is allowed unless it is named", policy.get("default-src") == ["'none'"], policy)
    check(
        "our scripts run by hash, and nothing else", policy.get("script-src") == [hashed(code) for code in found.code()]
    )
    check("our styles by hash, and nothing else", policy.get("style-src") == [hashed(style) for style in found.styles])
    for name in ("connect-src", "form-action", "base-uri", "object-src"):
        check(f"no {name}", policy.get(name) == ["'none'"], policy.get(name))
    check("no markup from text", policy.get("require-trusted-types-for") == ["'script'"], policy)
    check("no policy that makes it", policy.get("trusted-types") == ["'none'"], policy)
    raw = [char for block in found.blocks() for char in "<>\u2028\u2029" if char in block]
    check("nothing in the data that could end it", found.blocks() and not raw, raw)
    kept: set[str] = set()
    for block in found.blocks():
        try:
            kept |= set(leaves(json.loads(block)))
        except ValueError as why:
            check("the data is JSON", False, why)
    check("every string is there, and whole", set(strings) <= kept, [s for s in strings if s not in kept][:3])


class Heard:
    """What a page says and asks for."""

    def __init__(self, page: Page) -> None:
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(error.message))
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("dialog", self._dialog)

    def _dialog(self, dialog: Dialog) -> None:
        self.said.append(dialog.message)
        dialog.dismiss()


def look(report: Report, browser: Browser, text: str, work: Path) -> None:
    """Open the page with its policy and without: nothing of the recording may act."""
    for name, content in (("the page", text), ("the page without its policy", POLICY.sub("", text))):
        report.check(f"{name}: is what it says", (name == "the page") == bool(POLICY.search(content)))
        path = work / "opened.html"
        path.write_text(content, "utf-8")
        context = browser.new_context(offline=True)
        opened = context.new_page()
        heard = Heard(opened)
        opened.goto(path.as_uri())
        opened.locator("#right .event").first.wait_for()
        for key in ("0", "]", "?", "Escape", "]", "Enter", "End", ",", "Home", "[", "/"):
            opened.keyboard.press(key)
        opened.keyboard.type("script")
        opened.keyboard.press("Enter")
        for tab in opened.locator("[role=tab]").all():
            tab.click()
        title = opened.title()
        report.check(f"{name}: nothing ran", title != "owned" and title.endswith("lingbot-map"), title)
        report.check(f"{name}: nothing was asked for", heard.asked == [path.as_uri()], heard.asked[:3])
        report.check(f"{name}: no complaint", not heard.said, heard.said[:2])
        report.check(f"{name}: no foreign element", not opened.locator("iframe, img, object, embed, base").count())
        context.close()


def run(browser: Browser | None, strings: Sequence[str] = STRINGS) -> Report:
    """All of it, in a folder of its own; without a Chromium only what needs none."""
    report = Report("export_xss")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        plain = page(work / "plain", work / "plain.html", HARMLESS)
        text = page(work / "hostile", work / "hostile.html", strings)
        read(report, plain, text, strings)
        if browser is None:
            report.skipped.append("browser: no Chromium on this machine")
        else:
            look(report, browser, text, work)
    report.figures["strings"] = len(strings)
    return report


def main(arguments: Sequence[str]) -> int:
    if arguments:
        file, out = map(Path, arguments)
        lines = file.read_text("utf-8").splitlines()
        strings = list(dict.fromkeys(leaf for line in lines for leaf in leaves(json.loads(line).get("payload"))))
        with tempfile.TemporaryDirectory() as folder:
            page(Path(folder), out, strings)
        return 0
    chosen = STRINGS[: setting("LB_STRINGS", len(STRINGS))]
    chromium = os.environ.get("CHROMIUM") or next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if chromium is None:
        return run(None, chosen).show()
    with sync_playwright() as playwright:
        return run(playwright.chromium.launch(executable_path=chromium), chosen).show()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
