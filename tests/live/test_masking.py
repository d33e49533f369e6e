"""Masks from the bot to the map: one key for all probes, exact counts, imports that are masked on demand."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.store import key_of
from lingbot_map.store.mask_key import mask_key
from lingbot_map.testing import record
from lingbot_probes import Probe
from lingbot_probes.signals import SlotAssigned
from lingbot_web import serve
from lingbot_web.cli import run
from tests.live.server import Client
from tests.torture import secrets_scan
from tests.torture.driver import Report
from tests.torture.planted import NEEDLES

PHONE = "13800138000"


@pytest.fixture(autouse=True)
def _of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("LINGBOT_MASK_KEY", raising=False)


def client_of(map: Any) -> Client:
    return Client(int(map.base.rsplit(":", 1)[1].strip("/")), map.token)


def value_of(client: Client, session: str, slot: str) -> Any:
    nodes = client.keyframe(session)["nodes"]
    return nodes["props"][nodes["id"].index(f"slot:{slot}")]["value"]


def tell(probe: Probe, slot: str = "phone", session: str = "s") -> None:
    probe.emit(SlotAssigned(slot=slot, value=PHONE), session=session)
    assert probe.flush(10), probe.stats()


@pytest.fixture
def probes() -> Iterator[list[Probe]]:
    made: list[Probe] = []
    yield made
    for probe in made:
        probe.close()


def test_two_workers_of_one_map_give_one_phone_one_name(tmp_path: Path, probes: list[Probe]) -> None:
    data = tmp_path / "data"
    with serve(data=data) as map:
        client = client_of(map)
        for slot in ("mine", "theirs"):
            probes.append(Probe("worker", map.base, map.token))
            tell(probes[-1], slot)
        pseudonym = value_of(client, "s", "mine")
        assert re.fullmatch(r"\[phone:[0-9a-f]{6}\]", pseudonym)
        assert value_of(client, "s", "theirs") == pseudonym
        about = client.keyframe("s")["about"]
        assert about["masked"] == 2
        (name,) = about["mask_keys"]
        key = (data / "mask.key").read_text("ascii").strip()
        assert (data / "mask.key").stat().st_mode & 0o777 == 0o600
        assert re.fullmatch("[0-9a-f]{8}", name)
        assert name not in key
        (summary,) = client.get("/api/sessions")["sessions"]
        assert summary["masked"] == 2
        assert [source["masked"] for source in client.get("/api/stats")["sources"]] == [1, 1]
    with serve(data=data) as map:  # the key stays with the recordings
        probes.append(Probe("worker", map.base, map.token))
        tell(probes[-1], "later")
        assert value_of(client_of(map), "s", "later") == pseudonym
        about = client_of(map).keyframe("s")["about"]
        assert (about["masked"], about["mask_keys"]) == (3, [name])


def test_the_key_is_for_who_asks_and_is_let_in(tmp_path: Path) -> None:
    with serve(data=tmp_path / "data") as map:
        client = client_of(map)
        empty = {"v": 1, "source": "s1", "events": []}
        assert "mask_key" not in client.post("/ingest", empty)[1]
        assert not (tmp_path / "data" / "mask.key").exists()
        assert re.fullmatch("[0-9a-f]{64}", client.post("/ingest", {**empty, "mask_key": True})[1]["mask_key"])
        status, said = Client(client.port, "wrong").post("/ingest", {**empty, "mask_key": True})
        assert status == 401
        assert "mask_key" not in said
        for wrong in (5, "XYZ", "a" * 17, None):
            status, said = client.post("/ingest", {**empty, "masked_with": wrong})
            assert (status, "masked_with" in said["error"]) == (400, True)


def test_what_comes_twice_counts_once(tmp_path: Path) -> None:
    event = {"session": "s", "n": 1, "masked": 3, "signal": {"kind": "answered", "text": "[phone:0a1b2c]"}}
    with serve(data=tmp_path / "data") as map:
        client = client_of(map)
        for key in ("aaaaaaaa", "aaaaaaaa", "bbbbbbbb"):
            client.send([event], masked_with=key)
        client.send([{**event, "n": 2, "masked": 1}], source="s2", masked_with="bbbbbbbb")
        assert client.keyframe("s")["about"]["masked"] == 4
        assert client.keyframe("s")["about"]["mask_keys"] == ["aaaaaaaa", "bbbbbbbb"]
        refused = client.send([{**event, "n": 3, "masked": -1}])["refused"]
        assert "masked" in refused[0]["why"]


def test_in_the_same_process_it_is_no_other_way(probes: list[Probe]) -> None:
    probe = Probe("bot")
    probes.append(probe)
    with serve(probe) as map:
        tell(probe)
        assert value_of(client_of(map), "s", "phone").startswith("[phone:")
    with record(probe) as recording:
        probe.emit(SlotAssigned(slot="phone", value=PHONE), session="r")
    value = recording.map("r").nodes["slot:phone"].props["value"]
    assert value == "[phone:c55e40]", "the same in every run, so that a test can name it"
    assert recording.map("r").about["masked"] == 1


def test_an_import_is_masked_on_demand_and_twice_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = secrets_scan.planted(tmp_path / "planted.jsonl")
    for name, more in (("plain", []), ("masked", ["--mask"])):
        arguments = ["import", str(file), "--data", str(tmp_path / name), "--json", *more]
        assert run(arguments) == 0
        taken = json.loads(capsys.readouterr().out)["sessions"][0]
        log = (tmp_path / name / taken["key"] / "events.jsonl").read_text("utf-8")
        held = [needle for needle in NEEDLES if needle in secrets_scan.opened(log.encode())]
        if more:
            assert held == []
            assert taken["id"].startswith("tel [phone:")
            assert run(arguments) == 0
            assert json.loads(capsys.readouterr().out)["sessions"][0]["new"] == 0
        else:
            assert PHONE in held
            assert taken["id"] == f"tel {PHONE}"
            assert '"masked"' not in log


def test_a_recording_keeps_its_counts_on_the_way_out_and_in(tmp_path: Path, probes: list[Probe]) -> None:
    with serve(data=tmp_path / "data") as map:
        probes.append(Probe("bot", map.base, map.token))
        tell(probes[-1])
        _, recording, _ = client_of(map).ask("GET", f"/api/sessions/{key_of('s')}/export?to=jsonl")
    with serve(data=tmp_path / "other") as map:
        client = client_of(map)
        client.ask("POST", "/api/import?name=x", recording, {"Content-Type": "application/octet-stream"})
        (summary,) = client.get("/api/sessions")["sessions"]
        assert summary["masked"] == 1
        status, said, _ = client.ask(
            "POST", "/api/import?mask=2", recording, {"Content-Type": "application/octet-stream"}
        )
        assert (status, "mask" in said["error"]) == (400, True)


def test_a_key_file_that_is_none_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "mask.key"
    first = mask_key(path)
    assert mask_key(path) == first
    for damage in (b"", b"\xff" * 64, b"0" * 63):
        path.write_bytes(damage)
        fresh = mask_key(path)
        assert fresh not in (first, damage.decode("latin-1"))
        assert mask_key(path) == fresh
    path.unlink()
    (tmp_path / "elsewhere").write_text("a" * 64, "ascii")
    os.symlink(tmp_path / "elsewhere", path)
    assert mask_key(path) != "a" * 64, "a link is not followed"


def test_planted_secrets_are_nowhere() -> None:
    report = secrets_scan.run()
    assert report.failures == []
    assert report.passed > 100


def test_the_search_finds_what_is_there(tmp_path: Path) -> None:
    report = Report("scan")
    file = tmp_path / "x.txt"
    file.write_text(f"{PHONE} \\uff11\\uff13\\uff18\\uff10\\uff10", "utf-8")
    secrets_scan.scan(report, [tmp_path], NEEDLES)
    assert len(report.failures) == 2
