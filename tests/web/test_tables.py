"""A table of dialogue rows, from the command line and over HTTP: it is refused with an example, a mapping opens it."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlencode

import pytest

from lingbot_web.beacon import Beacon
from lingbot_web.remote import MapRefused, Remote
from tests.live.server import running
from tests.web.commands import Command, complaint

ROWS = "conv_id,question,answer,city\na,在吗,在,\nb,hi,hello,Lund\na,bye,再见,北京\n"
MAP = "session=conv_id,user=question,bot=answer,slot.city=city"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "calls.csv"
    path.write_text(ROWS)
    return path


def test_the_refusal_shows_the_command_that_opens_it(command: Command, table: Path) -> None:
    said = complaint(command("import", str(table)), 2)
    assert "calls.csv: a table with the columns conv_id, question, answer, city; say which holds what" in said
    assert "lingbot-map open calls.csv --map session=conv_id,user=question,bot=answer" in said
    assert "did you mean question?" in complaint(
        command("import", str(table), "--map", "session=conv_id,user=quest"), 2
    )
    assert "expected pairs of" in complaint(command("import", str(table), "--map", "session=conv_id,usr=question"), 2)
    assert json.loads(command("sessions", "--json").stdout)["total"] == 0

    taken = json.loads(command("import", str(table), "--map", MAP, "--json").stdout)
    assert taken["format"] == "table"
    assert [(session["id"], session["turns"]) for session in taken["sessions"]] == [("a", 2), ("b", 1)]
    again = command(
        "import", str(table), "--map", "session=conv_id", "--map", "user=question,bot=answer,slot.city=city"
    )
    assert again.stdout.count("nothing new") == 2
    with table.open("a") as file:
        file.write("b,thanks,bye,Lund\n")
    longer = json.loads(command("import", str(table), "--map", MAP, "--json").stdout)
    assert [(session["id"], session["turns"], session["new"]) for session in longer["sessions"]] == [
        ("a", 2, 0),
        ("b", 2, 3),  # the turn, the answer, and what the session lacks, counted anew
    ]


def test_a_map_that_runs_takes_a_table_too(table: Path) -> None:
    kind = {"Content-Type": "application/octet-stream"}
    with running() as (_, map):
        status, said, _ = map.ask("POST", "/api/import?name=calls.csv", ROWS.encode(), kind)
        assert (status, "say which holds what" in json.dumps(said)) == (422, True)
        query = urlencode({"name": "calls.csv", "map": MAP})
        status, said, _ = map.ask("POST", f"/api/import?{query}", ROWS.encode(), kind)
        assert (status, said["format"], len(said["sessions"])) == (200, "table", 2)
        frame = map.keyframe("a")
        assert frame["about"]["timed"] is False
        assert frame["about"]["origin"] == "import:table"
        remote = Remote(Beacon(f"http://127.0.0.1:{map.port}/", map.token, "", 0))
        again = remote.upload(table, mapping=["session=conv_id", "user=question", "bot=answer", "slot.city=city"])
        assert [session["new"] for session in again["sessions"]] == [0, 0]
        with pytest.raises(MapRefused, match="--map"):
            remote.upload(table, mapping=["nonsense"])
