"""Viewers that misbehave, one fault each: refused, closed by the protocol's own words, and nobody else feels it.

``python -m tests.torture.ws_abuse`` against a map of its own with events flowing; LB_CLOSE_S (5) seconds until a fault
ends the connection, LB_GROW_MB (20) of memory may all of it together cost. After each fault the map must still be well
and serve a good viewer.
"""

from __future__ import annotations

import json
import os
import random
import struct
import threading
import zlib
from collections.abc import Mapping

from lingbot_web.messages import MAX_IN
from tests.live.server import seqs_of
from tests.torture.driver import Report, setting
from tests.torture.raw import (
    BINARY,
    CLOSE,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    Fields,
    Target,
    WebSocket,
    frame,
    hosts,
    origins,
    place,
)
from tests.torture.serving import Served, resident_kb, served

PINGS, PLACES, ABANDONED = 20_000, 5_000, 100
_GOOD_CODES = {1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009}
_PAUSE = threading.Event()


def handshakes(target: Target) -> dict[str, tuple[Fields, bool]]:
    """25 requests for a WebSocket that must be refused: headers, and whether the token goes along."""
    port, origin = target.port, target.origin

    def from_host(host: str) -> tuple[Fields, bool]:
        return {"Host": host, "Origin": f"http://{host}"}, True

    def shown(said: str) -> tuple[Fields, bool]:
        return {"Authorization": said}, False

    return {
        "no token": ({}, False),
        "an empty token": shown("Bearer "),
        "a wrong token": shown("Bearer " + "x" * 43),
        "the token and one character": shown(f"Bearer {target.token}x"),
        "a token that is not ASCII": shown("Bearer \u00e9\u4e2d"),
        "a foreign origin": ({"Origin": "http://evil.example"}, True),
        "the null origin": ({"Origin": "null"}, True),
        "an origin that begins like ours": ({"Origin": f"{origin}.evil.example"}, True),
        "an origin that ends like ours": ({"Origin": f"http://evil{target.netloc}"}, True),
        "an origin at another port": ({"Origin": f"http://127.0.0.1:{port + 1}"}, True),
        "an origin of another scheme": ({"Origin": f"https://{target.netloc}"}, True),
        "the origin of a file": ({"Origin": "file://"}, True),
        "an origin that is none": ({"Origin": "http://[::1"}, True),
        "a foreign host": from_host("evil.example"),
        "a rebound host with our port": from_host(f"rebind.example:{port}"),
        "the host localhost6": from_host(f"localhost6:{port}"),
        "the host 0.0.0.0": from_host(f"0.0.0.0:{port}"),
        "a host in octal": from_host(f"0177.0.0.1:{port}"),
        "a host that is none": ({"Host": "[::1"}, True),
        "an empty host": ({"Host": ""}, True),
        "no key": ({"Sec-WebSocket-Key": None}, True),
        "a short key": ({"Sec-WebSocket-Key": "abc"}, True),
        "version 12": ({"Sec-WebSocket-Version": "12"}, True),
        "8 MB of headers": ({f"X-{i}": "y" * 8000 for i in range(1000)}, True),
        "a header of 1 MB": ({"X-Big": "y" * 1_000_000}, True),
    }


def broken(rng: random.Random) -> dict[str, bytes]:
    """23 violations of the protocol."""

    def close(content: bytes) -> bytes:
        return frame(content, op=CLOSE)

    more = frame("x" * 1_000_000, op=CONTINUATION, last=False)
    return {
        "a frame without a mask": frame("{}", masked=False),
        "reserved bit 1 without an extension": frame("{}", reserved=4),
        "reserved bits 2 and 3": frame("{}", reserved=3),
        "the reserved opcode 3": frame("{}", op=3),
        "the reserved opcode 15": frame("{}", op=15),
        "a continuation of nothing": frame("{}", op=CONTINUATION),
        "a message inside a message": frame("{", last=False) + frame("}"),
        "a ping in fragments": frame("x", op=PING, last=False),
        "a ping of 126 bytes": frame("x" * 126, op=PING),
        "a close of one byte": close(b"x"),
        "close code 1005": close(struct.pack("!H", 1005)),
        "close code 999": close(struct.pack("!H", 999)),
        "a reason that is not UTF-8": close(struct.pack("!H", 1000) + b"\xff\xfe"),
        "text that is not UTF-8": frame(b"\xff\xfe\xfd"),
        "a length with the top bit set": frame("x", length=0x8000000000000001),
        "a length of 2^62": frame("x", length=1 << 62),
        "a length of 4 GB": frame("x", length=1 << 32),
        "a message above the limit": frame("x" * (MAX_IN + 1)),
        "a message of 20 MB": frame("x" * 20_000_000),
        "20 MB in fragments": frame("x" * 1000, last=False) + more * 20 + frame("", op=CONTINUATION),
        "HTTP instead of frames": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "zeros": bytes(4096),
        "noise": b"\x83" + rng.randbytes(4096),
    }


def messages() -> dict[str, str | bytes]:
    """24 whole messages that say nothing sensible."""

    def said(**place: object) -> str:
        return json.dumps({"session": None, "epoch": "", **place})

    return {
        "no JSON": "hello",
        "nothing": "",
        "bytes": b"\x00\x01",
        "a number": "5",
        "null": "null",
        "a list": "[]",
        "30,000 levels of lists": "[" * 30_000 + "]" * 30_000,
        "5,000 levels of objects": '{"a":' * 5_000 + "1" + "}" * 5_000,
        "a huge number": said(after=10**400),
        "NaN": '{"after": NaN}',
        "a negative place": said(after=-1),
        "text for a place": said(after="1; drop"),
        "true for a place": said(after=True),
        "a list for a place": said(after=[1]),
        "a place beyond all numbers": '{"after": 9007199254740993}',
        "no place": said(after=None),
        "half a surrogate pair": '{"epoch": "\\ud800", "after": 1}',
        "members twice": '{"after": 0, "after": 1, "session": "x", "session": null}',
        "members of a prototype": '{"__proto__": {"admin": true}, "constructor": {"prototype": {}}, "after": 0}',
        "a path for a session": said(session="../../../../etc/passwd"),
        "a wildcard for a session": said(session="*"),
        "NUL in a session": '{"session": "a\\u0000b"}',
        "an epoch of 10,000 characters": said(epoch="e" * 10_000, after=1),
        "5,000 members": json.dumps({f"k{i}": 0 for i in range(5_000)}),
    }


BAD_PLACES = ("-1", "1e9", "NaN", "99999999999999999999", "0x10", "%00", "..%2f..", "1,2", "true", "")


class Abuse:
    """Bad viewers, and a good one after each."""

    def __init__(self, map: Served, report: Report, limit: float, seed: int) -> None:
        self.target = Target(map.port, map.token)
        self.check = report.check
        self.limit = limit
        self._rng = random.Random(seed)

    def alive(self, after: str) -> None:
        with WebSocket(self.target) as viewer:
            good = viewer.open and viewer.message("hello") is not None
        self.check(f"alive after {after}", good and self.target.healthy())

    def strangers(self) -> None:
        """Who may not even come in."""
        refused = handshakes(self.target)
        refused |= {f"host {host[:40]!r}": ({"Host": host}, True) for host in hosts(self.target)}
        refused |= {f"origin {origin}": ({"Origin": origin}, True) for origin in origins(self.target)}
        for name, (fields, token) in refused.items():
            with WebSocket(self.target, fields=fields, token=token, timeout=self.limit) as viewer:
                well = not viewer.open and viewer.status < 500 and "Traceback" not in viewer.head
                self.check(f"{name}: refused without a fault", well, viewer.status)
            self.alive(name)

    def frames(self) -> None:
        """What breaks the protocol."""
        for name, data in broken(self._rng).items():
            with WebSocket(self.target, timeout=self.limit) as viewer:
                self.check(f"{name}: it was let in before", viewer.open, viewer.status)
                viewer.send(data)
                self.check(f"{name}: closed within {self.limit:.0f} s", viewer.closed(self.limit), "still open")
                self.check(f"{name}: by a code of the protocol", viewer.code in _GOOD_CODES, viewer.code)
            self.alive(name)
        offered = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
        with WebSocket(self.target, fields=offered, timeout=self.limit) as viewer:
            self.check("nothing is compressed", viewer.open and "deflate" not in viewer.head.lower(), viewer.head[:200])
            squeezed = zlib.compressobj(wbits=-15)
            bomb = b"".join(squeezed.compress(bytes(1 << 20)) for _ in range(64)) + squeezed.flush(zlib.Z_SYNC_FLUSH)
            viewer.send(frame(bomb[:-4], reserved=4))
            self.check("64 MB compressed: closed", viewer.closed(self.limit), "still open")
        self.alive("64 MB compressed")

    def contents(self) -> None:
        """What the protocol allows and nobody means: answered or closed, without a word on what is inside."""
        for name, said in messages().items():
            with WebSocket(self.target, timeout=self.limit) as viewer:
                viewer.send(frame(said, op=BINARY if type(said) is bytes else TEXT))
                viewer.send(frame("there?", op=PING))
                found = viewer.next(self.limit)
                while found is not None and found[0] != PONG:
                    inner = b"Traceback" in found[1] or b'File "' in found[1]
                    self.check(f"{name}: no inner details", not inner, found[1][:100])
                    found = viewer.next(self.limit)
                self.check(f"{name}: answered or closed", found is not None or viewer.code is not None, "silent")
                self.check(f"{name}: no inner fault", viewer.code in (None, *_GOOD_CODES), viewer.code)
            self.alive(name)

    def places(self) -> None:
        """Where a viewer may say it stands, and where it goes on."""
        for after in BAD_PLACES:
            with WebSocket(self.target, place("e", after), timeout=self.limit) as viewer:
                refused = not viewer.open and 400 <= viewer.status < 500
                self.check(f"after={after!r}: refused", refused, (viewer.status, viewer.head[:80]))
        with WebSocket(self.target) as viewer:
            hello = viewer.message("hello")
        epoch, seq = hello["epoch"], hello["seq"]
        for why, path in {"another epoch": place("other", seq), "beyond the end": place(epoch, seq + 10**6)}.items():
            with WebSocket(self.target, path) as viewer:
                hello = viewer.message("hello")
                self.check(f"{why}: a fresh start", hello is not None and not hello["resume"] and hello["why"], hello)
        with WebSocket(self.target, place(epoch, seq - 20)) as viewer:
            batch = viewer.message("batch")
            seqs = seqs_of(batch) if batch else []
            self.check("it goes on with the next one", seqs[:1] == [seq - 19], f"{seq - 20}, then {seqs[:3]}")

    def floods(self) -> None:
        """Much of what is allowed."""
        with WebSocket(self.target, timeout=self.limit) as viewer:
            ping = frame("x" * 100, op=PING)
            for _ in range(PINGS):
                if not viewer.send(ping):
                    break
        self.alive(f"{PINGS:,} pings")
        with WebSocket(self.target, timeout=self.limit) as viewer:
            said = frame('{"session": null, "epoch": "x", "after": 0}')
            for _ in range(PLACES):
                if not viewer.send(said):
                    break
            self.check(f"{PLACES:,} places: closed", viewer.closed(self.limit), "still open")
        self.alive(f"{PLACES:,} places on one connection")
        half: Mapping[str, None] = {"Sec-WebSocket-Key": None, "Upgrade": None}
        left = []
        for i in range(ABANDONED):
            left.append(WebSocket(self.target, fields=half if i % 2 else None, timeout=0.5 if i % 2 else 0.01))
        for viewer in left:
            viewer.close()
        self.alive(f"{ABANDONED} abandoned handshakes")


def run(*, seed: int, limit: float = 5.0, grow_mb: float = 20.0) -> Report:
    """All of it, against a map of its own."""
    report = Report("ws_abuse")
    with served() as map, map.talked_to():
        abuse = Abuse(map, report, limit, seed)
        abuse.alive("nothing")
        before, greeting = resident_kb(map.pid), map.printed()
        abuse.strangers()
        abuse.frames()
        abuse.contents()
        abuse.places()
        abuse.floods()
        _PAUSE.wait(1.0)  # what goes down again is no growth
        grown = (resident_kb(map.pid) - before) / 1024
        report.figures["memory grown, MB"] = round(grown, 1)
        report.check(f"it grew by at most {grow_mb:.0f} MB", grown <= grow_mb, f"{grown:.1f} MB")
        printed = map.printed()
        report.check("it said nothing of all that", printed == greeting, printed[len(greeting) :][:300])
        report.check("the token is printed once", printed.count(map.token) == 1)
        report.check("it runs to the end", map.process.poll() is None, map.process.poll())
    return report


if __name__ == "__main__":
    seconds, megabytes = float(os.environ.get("LB_CLOSE_S", "5")), float(os.environ.get("LB_GROW_MB", "20"))
    raise SystemExit(run(seed=setting("LB_SEED", 1), limit=seconds, grow_mb=megabytes).show())
