"""Runs all measurements that are here, or those named, and prints each figure beside its bar."""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
import sysconfig
import time
import traceback
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench import RESULTS, Figure, Load
from bench.probe import floor, route, sync_ns

CALLS = 20_000
floored = floor(route)
ORDER = ("probe", "mapper", "live", "otlp", "recovery", "seek", "imports", "opening", "check", "frames")
ASKED = ("peers", "hour", "ask_session", "ask_sequence", "ask_triples", "ask_documents", "ask_folders", "ask_kept")
"""Parts that run only when they are named: they take minutes, or packages that `make bench-web` installs."""
PEERS = ("opentelemetry-sdk", "langfuse", "structlog", "orjson", "msgspec", "networkx", "websockets", "uvicorn")


def main(names: list[str]) -> int:
    """Measures the parts called ``names`` (if empty, ``ORDER``); 1 when a bar is not kept or a part broke down."""
    here = [name for name in ORDER if (Path(__file__).parent / f"{name}.py").exists()]
    unknown = [name for name in names if name not in (*here, *ASKED)]
    if unknown:
        print(f"no such part: {', '.join(unknown)}; there are {', '.join((*here, *ASKED))}", file=sys.stderr)
        return 2
    print(f"{_machine()}\n")
    failed = False
    report: dict[str, object] = {"machine": _machine(), "at": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "parts": {}}
    parts: dict[str, object] = {}
    for name in names or here:
        load = Load()
        load.start()
        before, pace = os.getloadavg()[0], floor_ns()
        try:
            figures = list(importlib.import_module(f"bench.{name}").measure())
        except Exception:
            traceback.print_exc()
            print(f"{name}: broke down\n")
            failed = True
            continue
        others = load.cores()
        print(
            f"{name}   (load {before:.1f} before, others used {others:.2f} cores meanwhile; "
            f"a bare probe took {pace:.0f} ns before, {floor_ns():.0f} after)"
        )
        for figure in figures:
            print(_line(figure))
            failed = failed or figure.holds is False
        print(flush=True)
        parts[name] = {
            "load": before,
            "others": round(others, 3),
            "bare_probe_ns": round(pace),
            "figures": [asdict(figure) for figure in figures],
        }
    report["parts"] = parts
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "latest.json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 1 if failed else 0


def floor_ns() -> float:
    """How quick the machine is at this moment: what the barest useful probe adds to a call, the best of five.

    The bars in seconds and events were set where this took 218 ns. Shared machines are two or three times slower at
    times, also when no other process of theirs is to be seen.
    """
    return min(sync_ns(floored, CALLS) - sync_ns(route, CALLS) for _ in range(5))


def _line(figure: Figure) -> str:
    verdict = {None: "", True: "ok", False: "MISSED"}[figure.holds]
    sign = "<=" if figure.better == "less" else ">="
    bar = "" if figure.bar is None else f"{sign} {_number(figure.bar)}"
    return (
        f"  {figure.name:52} {_number(figure.value):>12} {figure.unit:9} {bar:>14}  {verdict:6} {figure.note}".rstrip()
    )


def _number(value: float) -> str:
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:,.3g}"


def _machine() -> str:
    peers = []
    for name in PEERS:
        try:
            peers.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    built = "" if "--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or "") else ", built without PGO"
    python = f"{platform.python_implementation()} {platform.python_version()}{built}"
    return f"{os.cpu_count()} cores, {python}; {', '.join(peers)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
