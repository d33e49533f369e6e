"""Secrets that a bot says are in no file, answer or export of the map; what only looks like one is.

``python -m tests.torture.secrets_scan``: a bot tells planted secrets through its probe, over HTTP, to a map of its own;
then everything that the map wrote and says is searched, also inside gzip, base64 and escapes. A recording in which they
stand is imported with masks as well. ``python -m tests.torture.secrets_scan PATH...`` searches what is given.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lingbot_map.store.lines import header_line, seal
from lingbot_probes import Probe
from lingbot_probes.signals import IntentRouted, Raw, SlotAssigned
from lingbot_web import serve
from tests.live.server import Client
from tests.torture.driver import Report
from tests.torture.planted import HARMLESS, NEEDLES, SECRETS

_GZIP, _BASE64, _ESCAPE = b"\x1f\x8b\x08", re.compile(rb"[A-Za-z0-9+/]{40,}={0,2}"), re.compile(r"\\u([0-9a-fA-F]{4})")


def told(session: str = "secrets") -> Iterator[dict[str, Any]]:
    """What the bot says, as events of a batch: each secret as data, slots, words and a failure."""
    said: list[dict[str, Any]] = [{"kind": "session_started", "title": "call 13800138000"}]
    for props in SECRETS.values():
        said.append({"kind": "raw", "name": "props", "data": props})
        said += [{"kind": "slot_assigned", "slot": slot, "value": value} for slot, value in props.items()]
        for text in filter(lambda value: type(value) is str and props.get("text") == value, props.values()):
            said.append({"kind": "turn_started", "turn": f"t{len(said)}", "utterance": text})
            said.append({"kind": "answered", "text": f"You said: {text}"})
            said.append({"kind": "failed", "where": "crm", "error": f"ValueError: {text}"})
    said += [{"kind": "turn_started", "turn": f"h{i}", "utterance": text} for i, text in enumerate(HARMLESS)]
    said += [{"kind": "intent_routed", "intent": text} for text in HARMLESS]
    for n, signal in enumerate(said, 1):
        yield {"session": session, "n": n, "signal": signal}


def tell(probe: Probe) -> None:
    """The same through a probe's own methods, by a bot whose users are known by their phone."""
    with probe.session("+86 138-0013-8000", title="call 13800138000", meta={"auth_token": "hunter2-Correct-Horse"}):
        for props in SECRETS.values():
            probe.emit(Raw(name="props", data=props))
            slots = probe.observed({})
            slots.update(props)
            for slot, value in props.items():
                probe.emit(SlotAssigned(slot=slot, value=value))
            text = props.get("text", "")
            with probe.turn_scope(text, id=text or None) as turn:
                probe.failed("crm", ValueError(text))
                turn.answer(f"You said: {text}")
            probe.flush(10)
        for text in HARMLESS:
            with probe.turn_scope(text) as turn:
                probe.emit(IntentRouted(intent=text))
                turn.answer(text)
            probe.flush(10)


def opened(data: bytes) -> str:
    """``data`` as text, and what is packed in it behind it."""
    for start in [match.start() for match in re.finditer(re.escape(_GZIP), data)]:
        try:
            data += gzip.decompress(data[start:])
        except (OSError, EOFError):
            continue
    for blob in _BASE64.findall(data):
        data += base64.b64decode(blob.rstrip(b"=")[: len(blob) // 4 * 4] + b"===", validate=False)
    plain = data.decode("utf-8", "replace")
    return plain + _ESCAPE.sub(lambda match: chr(int(match[1], 16)), plain)


def scan(report: Report, paths: Sequence[Path], needles: Sequence[str], kind: str = "") -> str:
    """Search files and folders; what they hold."""
    text = ""
    for root in paths:
        for path in sorted(p for p in [root, *root.rglob("*")] if not p.is_symlink()):
            mode = path.stat().st_mode & 0o777
            if path.is_dir():
                report.check(f"{path.name} is private", path == root or mode & 0o077 == 0, oct(mode))
                continue
            private = mode & 0o077 == 0 or path.suffix in (".html", ".txt", ".csv", ".json")
            report.check(f"{path.name} is private", private, oct(mode))
            text += opened(path.read_bytes())
    for needle in needles:
        report.check(f"{kind}secret {needle[:12]!r} is nowhere", needle not in text, "found")
    return text


def answers(client: Client, out: Path) -> int:
    """Write what the map says of all its sessions into the folder ``out``; how many values it says were masked."""
    page = client.get("/api/sessions")
    (out / "sessions.json").write_text(json.dumps(page), encoding="utf-8")
    for summary in page["sessions"]:
        for what in ("keyframe", "events?from=1&to=5000", "export?to=html", "export?to=jsonl"):
            status, body, _ = client.ask("GET", f"/api/sessions/{summary['key']}/{what}")
            name = f"{summary['key'][:8]}-{re.sub('[^a-z]', '', what)}.txt"
            (out / name).write_bytes(body if type(body) is bytes else json.dumps(body).encode())
            assert status == 200, (what, status, body)
    return sum(int(summary["masked"]) for summary in page["sessions"])


def planted(path: Path) -> Path:
    """A recording in which the secrets stand."""
    lines = [
        seal(json.dumps({"seq": e["n"], "at": 1.7e9 + e["n"], "source": "s", **e}).encode())
        for e in told("tel 13800138000")
    ]
    path.write_bytes(header_line("tel 13800138000") + b"".join(lines))
    return path


def run() -> Report:
    """All of it, in a folder of its own."""
    report = Report("secrets_scan")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for kind in ("told", "imported"):
            data, out = work / kind / "data", work / kind / "out"
            out.mkdir(parents=True)
            with serve(data=data) as map:
                client = Client(int(map.base.rsplit(":", 1)[1].strip("/")), map.token)
                if kind == "told":
                    probe = Probe("bot", map.base, map.token)
                    tell(probe)
                    report.check("all of it arrived", probe.flush(10), probe.stats())
                    probe.close()
                else:
                    body = planted(work / "planted.jsonl").read_bytes()
                    octets = {"Content-Type": "application/octet-stream"}
                    status, said, _ = client.ask("POST", "/api/import?name=tel&mask=1", body, octets)
                    report.check("the recording was taken", status == 200, said)
                count = answers(client, out)
                token = map.token
            report.check(f"{kind}: the masked values are counted", count > len(SECRETS), count)
            text = scan(report, [data, out], [*NEEDLES, token], f"{kind}: ")
            for harmless in HARMLESS:
                report.check(f"{kind}: {harmless} is there", harmless in text, "masked or lost")
            report.figures[f"{kind}: masked"] = count
    return report


def main(arguments: Sequence[str]) -> int:
    if not arguments:
        return run().show()
    report = Report("secrets_scan")
    token = os.environ.get("LB_TOKEN")
    text = scan(report, list(map(Path, arguments)), [*NEEDLES, *([token] if token else [])])
    for harmless in HARMLESS:
        report.check(f"harmless {harmless}", harmless in text, "masked or lost")
    return report.show()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
