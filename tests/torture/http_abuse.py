"""What a map gives away or swallows over HTTP: who may ask, by which names, with how much, and what it prints of it.

``python -m tests.torture.http_abuse`` against a map of its own; LB_ANSWER_S (2) seconds may any answer take.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Collection
from pathlib import Path
from urllib.parse import quote

from lingbot_map.store import key_of
from tests.live.server import wait_for
from tests.torture.driver import Report
from tests.torture.raw import Target, hosts, origins
from tests.torture.serving import Served, served
from tests.torture.write import SESSION

PAGE, API, POST = "/", "/api/sessions", "/ingest"
UNFINISHED = 50
NAMES = (
    "..",
    "../..",
    "../../../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e%2f%2e%2e%2fetc/passwd",
    "..%252f..%252fetc",
    "....//....//etc/passwd",
    "..\\..\\windows\\win.ini",
    "/etc/passwd",
    "//etc/passwd",
    "file:///etc/passwd",
    "C:\\x",
    "\\\\host\\share",
    "%00",
    "a%00.json",
    "a%0d%0aSet-Cookie:%20x=y",
    "CON",
    "NUL.json",
    "aux",
    ".hidden",
    "-rf",
    "~root",
    "$HOME",
    "`id`",
    "a" * 5000,
    "%ff%fe",
    "\u202etxt",
    "%e2%80%8b",
    "a/b",
    "a;b",
    "a?b",
    "*",
    "'%20OR%201=1--",
    "{{7*7}}",
    "%7b%7b7*7%7d%7d",
    "<script>alert(1)</script>",
)
"""Of sessions: paths, encodings, devices, markup."""
HIDDEN = (
    "/docs",
    "/openapi.json",
    "/redoc",
    "/debug",
    "/console",
    "/metrics",
    "/.env",
    "/.git/config",
    "/static/../../../etc/passwd",
    "/static/%2e%2e/%2e%2e/security.py",
    "/static/..%2f..%2fsecurity.py",
    "/static/",
)
TOKENS = {
    "no token": None,
    "a wrong token": "Bearer wrong",
    "the token as a password": "Basic {token}",
    "the beginning of the token": "Bearer {short}",
    "the token in another case": "Bearer {swapped}",
}
BODIES = {
    "100,000 brackets": b"[" * 100_000,
    "50,000 levels of objects": b'{"a":' * 50_000,
    "NaN": b'{"a": NaN}',
    "a number of 100,000 digits": b"1" * 100_000,
    "no UTF-8": b'{"v": 1, "source": "\xff\xfe"}',
}


class Abuse:
    """A client without manners."""

    def __init__(self, map: Served, report: Report, limit: float) -> None:
        self.map = map
        self.target = Target(map.port, map.token)
        self.check = report.check
        self.limit = limit

    def alive(self, after: str) -> None:
        self.check(f"alive after {after}", self.target.healthy())

    # --- the bare facts ---

    def facts(self) -> None:
        """Of the address, the token and the page."""
        check, token = self.check, self.map.token
        check("the token has at least 128 bits", len(set(token)) > 8 and len(token) >= 22, len(token))
        loopback = {"0100007F", "00000000000000000000000001000000"}
        listening = _listening(self.map.port)
        check("it listens on this machine alone", listening and listening <= loopback, listening)
        page = self.target.ask(PAGE, token=False)
        check("the page is served", page.status == 200, page.status)
        said = page.headers.get("content-security-policy", "")
        policy = {words[0]: words[1:] for part in said.split(";") if (words := part.split())}
        scripts = policy.get("script-src", policy.get("default-src", ["*"]))
        loose = {"'unsafe-inline'", "'unsafe-eval'", "*", "http:", "https:", "data:"} & set(scripts)
        check("the page's policy names its scripts", policy and not loose, scripts)
        for directive in ("base-uri", "object-src", "frame-ancestors", "form-action"):
            check(f"policy: {directive}", policy.get(directive) in (["'none'"], ["'self'"]), policy.get(directive))
        for name, value in (
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
        ):
            check(f"the page has {name}", page.headers.get(name) == value, page.headers.get(name))
        text = page.body.decode("utf-8", "replace")
        check("no handlers in the page", not re.search(r"<[^>]+\son\w+\s*=", text))
        check("no script in a link", "javascript:" not in text.lower())
        tags = re.findall(r"<script[^>]*>", text)
        known = [tag for tag in tags if "nonce=" in tag or "src=" in tag or "application/json" in tag]
        check("each script has the nonce", tags == known, tags)
        once = set(re.findall(r"'nonce-([^']+)'", said))
        again = self.target.ask(PAGE, token=False).headers.get("content-security-policy", "")
        check("a nonce is used once", once and not once & set(re.findall(r"'nonce-([^']+)'", again)), once)
        check("the token is not in the page", token not in text)
        check("no other site is named", not re.findall(r"(?:src|href)=[\"']?(?:https?:)?//", text))

    # --- who may ask ---

    def strangers(self) -> None:
        """Without the token, under other names, from other pages."""
        target, check = self.target, self.check
        check("with the token it answers", target.ask(API).status == 200)
        token = target.token
        for name, said in TOKENS.items():
            shown = said and said.format(token=token, short=token[:-1], swapped=token.swapcase())
            answer = target.ask(API, {"Authorization": shown})
            check(f"{name}: refused", answer.status in (401, 403), answer.status)
        for host in hosts(target):
            answer = target.ask(API, {"Host": host})
            check(f"host {host[:40]!r}: refused", answer.refused, answer.status)
            page = target.ask(PAGE, {"Host": host}, token=False)
            check(f"host {host[:40]!r}: not even the page", page.refused, page.status)
        check("no host: refused", target.ask(API, {"Host": None}).refused)
        forwarded = {"Host": "evil.example", "X-Forwarded-Host": target.netloc, "X-Forwarded-For": "127.0.0.1"}
        check("what a proxy says is not believed", target.ask(API, forwarded).refused)
        self.alive("foreign hosts")
        for origin in origins(target):
            answer = target.ask(API, {"Origin": origin})
            check(f"origin {origin}: refused", answer.status == 403, answer.status)
            allowed = answer.headers.get("access-control-allow-origin")
            check(f"origin {origin}: no permission", allowed is None, allowed)
            asked = {
                "Origin": origin,
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Private-Network": "true",
            }
            answer = target.ask(API, asked, method="OPTIONS", token=False)
            check(f"origin {origin}: asking first is refused", answer.refused, answer.status)
        for site in ("cross-site", "same-site"):
            fetched = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
            answer = target.ask(API, fetched)
            check(f"Sec-Fetch-Site {site}: refused", answer.refused, answer.status)
        for method in ("TRACE", "CONNECT", "PUT", "DELETE", "PATCH", "FOO"):
            answer = target.ask(PAGE, method=method)
            check(f"{method}: refused", answer.refused or answer.status == 501, answer.status)
        for path in HIDDEN:
            answer = target.ask(path, token=False)
            check(f"{path}: nothing without a token", answer.refused and b"root:" not in answer.body, answer.status)
        self.alive("strangers")

    def names(self) -> None:
        """Sessions that have the names of files, headers and markup."""
        for name in NAMES:
            encoded = quote(name, safe="%/\\.;?*'~$-_:`{}=&")
            for path in (f"{API}/{encoded}", f"{API}/{encoded}/keyframe", f"/ws?session={encoded}"):
                answer = self.target.ask(path)
                leaks = [piece for piece in (b"root:x", b"<script>alert", b"Traceback") if piece in answer.body]
                well = answer.refused and not leaks and "set-cookie" not in answer.headers
                self.check(f"{path[:60]}: nothing", well, f"{answer.status} {answer.body[:80]!r}")
        self.alive("hostile names")

    # --- how much ---

    def _heavy(self, name: str, request: bytes, statuses: Collection[int] = range(400, 500)) -> None:
        answer = self.target.send(request, self.limit + 3)
        self.check(f"{name}: answered or cut", answer.status in (0, *statuses), answer.status)
        self.check(f"{name}: within {self.limit:.0f} s", answer.seconds <= self.limit, f"{answer.seconds:.1f} s")
        self.alive(name)

    def loads(self) -> None:
        """Requests that are long, deep, many, contradictory, or never end."""
        head, good = self.target.head, range(200, 500)
        parts = ",".join(f"{i}-{i}" for i in range(0, 10_000, 2))
        self._heavy("a range of 5,000 parts", head("GET", PAGE, {"Range": f"bytes={parts}"}), good)
        self._heavy("a range of digits", head("GET", PAGE, {"Range": f"bytes={'1' * 30_000}x"}), good)
        self._heavy("an address of 1 MB", head("GET", "/" + "a" * 1_000_000, {}))
        some = head("GET", PAGE, {})[:-2]
        self._heavy("20,000 headers", some + b"A: b\r\n" * 20_000 + b"\r\n")
        twice = head("POST", POST, {"Content-Length": "5"})[:-2] + b"Content-Length: 6\r\n\r\nhello!"
        self._heavy("two lengths", twice)
        chunks = head("POST", POST, {"Content-Length": "4", "Transfer-Encoding": "chunked"})
        self._heavy("a length and chunks", chunks + b"0\r\n\r\n")
        bare = f"GET {API} HTTP/1.1\nHost: {self.target.netloc}\nConnection: close\n\n"
        self._heavy("bare line feeds", bare.encode(), good)
        json = {"Content-Type": "application/json"}
        announced = head("POST", POST, {**json, "Content-Length": "200000000"})
        self._heavy("200 MB announced", announced + b"[" * 100_000, (413, 400))
        for name, body in BODIES.items():
            self._heavy(name, head("POST", POST, {**json, "Content-Length": str(len(body))}) + body)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            answer = self.target.ask(POST, {"Content-Type": kind}, method="POST", body=b'{"v": 1}')
            self.check(f"a form's {kind.partition(';')[0]}: refused", answer.refused, answer.status)
        slow: list[socket.socket] = []
        try:
            for _ in range(UNFINISHED):
                slow.append(self.target.connect(5))
                slow[-1].sendall(head("GET", PAGE, {})[:-2] + b"X-")
            self.alive(f"{UNFINISHED} requests that don't end, beside them")
        finally:
            for wire in slow:
                wire.close()

    # --- what it prints ---

    def output(self) -> None:
        """Nobody writes its log but the map itself."""
        target, check = self.target, self.check
        mark = f"forged-{os.getpid()}"
        target.ask(f"/x%0aINFO:%20{mark}%1b[2J", {"User-Agent": f"a\x1b[31m{mark}", "Referer": f"http://x/\r\n {mark}"})
        target.ask(f"{API}/{mark}%0a{mark}")
        posted = f'{{"v": 1, "source": "{mark}\\u001b[2J\\nINFO: {mark}", "events": 5}}'.encode()
        target.ask(POST, {"Content-Type": "application/json"}, method="POST", body=posted)
        self.alive("forged lines")
        wait_for(lambda: self.map.client.get(f"{API}/{key_of(SESSION)}/keyframe"), "the session, as before")
        printed = self.map.printed()
        check("no forged line in the log", not re.search(rf"^INFO: {mark}", printed, re.MULTILINE))
        check("nothing of a stranger's in the log", mark not in printed)
        check("no escape sequences in the log", "\x1b" not in printed)
        check("the token is printed once", printed.count(target.token) == 1, printed.count(target.token))
        check("no traceback in the log", "Traceback" not in printed, printed[-300:])


def _listening(port: int) -> set[str]:
    """The addresses, as the kernel writes them, at which somebody listens on the port."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            local, state = line.split()[1], line.split()[3]
            if state == "0A" and local.endswith(f":{port:04X}"):
                found.add(local.partition(":")[0])
    return found


def run(*, limit: float = 2.0) -> Report:
    """All of it, against a map of its own with a session in it."""
    report = Report("http_abuse")
    with served() as map:
        map.client.say("hello", session=SESSION)
        abuse = Abuse(map, report, limit)
        abuse.facts()
        abuse.strangers()
        abuse.names()
        abuse.loads()
        abuse.output()
        report.check("it runs to the end", map.process.poll() is None, map.process.poll())
    return report


if __name__ == "__main__":
    raise SystemExit(run(limit=float(os.environ.get("LB_ANSWER_S", "2"))).show())
