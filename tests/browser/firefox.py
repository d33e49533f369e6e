"""A Firefox driven over WebDriver BiDi, which it speaks by itself: the second engine that opens exported files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.browser.serving import PATIENCE, wait_for

LISTENING = re.compile(r"WebDriver BiDi listening on (ws://127\.0\.0\.1:\d+)")
# Nothing is fetched that the file did not ask for, so what is heard is the file's.
PREFERENCES = {
    "app.update.disabledForTesting": True,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
    "intl.accept_languages": "en-US",
}


def path() -> str | None:
    """The Firefox to use: ``$FIREFOX``, or the one on the path."""
    return os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """One tab. ``errors`` is what its console was told as an error or a warning, ``asked`` the addresses it fetched."""

    def __init__(self, line: ClientConnection) -> None:
        self.line = line
        self.errors: list[str] = []
        self.asked: list[str] = []
        self._number = 0
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.tab = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        self.ask("browsingContext.setViewport", context=self.tab, viewport={"width": 1600, "height": 1000})

    def ask(self, method: str, **params: Any) -> Any:
        """Send a command; its result. Raises ``AssertionError`` with what Firefox said where it failed."""
        self._number += 1
        self.line.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while (said := json.loads(self.line.recv(timeout=PATIENCE))).get("id") != self._number:
            self._hear(said)
        assert said["type"] == "success", f"{method}: {said}"
        return said["result"]

    def open(self, address: str) -> None:
        """Go there and wait until it is loaded."""
        self.ask("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def value(self, expression: str) -> Any:
        """What the JavaScript ``expression`` gives, which must be something JSON can say."""
        told = self.ask(
            "script.evaluate",
            expression=f"JSON.stringify({expression})",
            target={"context": self.tab},
            awaitPromise=True,
        )
        assert told["type"] == "success", f"{expression}: {told}"
        return json.loads(told["result"]["value"])

    def until(self, expression: str) -> Any:
        """What ``expression`` gives once that is true."""
        return wait_for(lambda: self.value(expression), f"{expression} (errors: {self.errors})")

    def press(self, key: str) -> None:
        """Press and let go of a key."""
        strokes = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        keyboard = {"type": "key", "id": "keyboard", "actions": strokes}
        self.ask("input.performActions", context=self.tab, actions=[keyboard])

    def _hear(self, said: dict[str, Any]) -> None:
        params = said.get("params", {})
        if said.get("method") == "log.entryAdded" and params["level"] in ("error", "warn"):
            self.errors.append(str(params["text"]))
        elif said.get("method") == "network.beforeRequestSent":
            self.asked.append(params["request"]["url"])


def listening(process: subprocess.Popen[bytes], heard: Path) -> re.Match[str] | None:
    """Where it listens, once it says so."""
    said = heard.read_text("utf-8", "replace")
    assert process.poll() is None, f"Firefox ended: {said[-2000:]}"
    return LISTENING.search(said)


@contextmanager
def running(browser: str) -> Iterator[Firefox]:
    """A fresh Firefox with an empty profile; it is ended with the block."""
    with tempfile.TemporaryDirectory(prefix="firefox-", ignore_cleanup_errors=True) as profile:
        told = "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items())
        Path(profile, "user.js").write_text(told)
        heard = Path(profile, "heard")
        arguments = [
            browser,
            "--headless",
            "--no-remote",
            "--profile",
            profile,
            "--remote-debugging-port=0",
            "about:blank",
        ]
        with heard.open("wb") as out:
            process = subprocess.Popen(arguments, stdout=out, stderr=out, env={**os.environ, "HOME": profile})
        try:
            found = wait_for(lambda: listening(process, heard), "Firefox listens")
            assert found is not None
            with connect(f"{found[1]}/session", max_size=None) as line:
                yield Firefox(line)
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
