"""``ask`` on the command line: what it says, as JSON too, and how it ends."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from lingbot_web.cli import run
from tests.web.commands import Command, complaint

SNAPSHOTS = Path(__file__).resolve().parents[2] / "snapshots"
POLLUTED = ("--session", "case-slot-pollution", "--data", str(SNAPSHOTS))


def test_an_answer_names_what_it_rests_on(command: Command) -> None:
    done = command("ask", "Who overwrote brand?", *POLLUTED)
    assert done.returncode == 0
    assert "was overwritten in turn 18" in done.stdout
    assert "[t12] 上次报修的星舟机顶盒又坏了" in done.stdout
    assert "slot:brand <- assign:169 <- t18" in done.stdout


def test_steps_say_how_it_came_about(command: Command) -> None:
    done = command("ask", "谁改写了 brand？", *POLLUTED, "--steps")
    assert "compute" in done.stdout
    assert "brand = slot:brand" in done.stdout


def test_json_has_all_of_it(command: Command) -> None:
    said = json.loads(command("ask", "谁改写了 brand？", *POLLUTED, "--json").stdout)
    assert said["question"]["kind"] == "writer"
    assert said["sentences"][0]["cites"][0] == "t18"
    assert {item["item"] for item in said["evidence"]} >= set(said["cites"])
    assert [step["name"] for step in said["steps"]] == ["read", "bind", "compute", "cite"]


def test_a_file_is_asked_without_being_taken_in(command: Command, tracker: Path, tmp_path: Path) -> None:
    done = command("ask", "city 现在是什么？", "--session", str(tracker))
    assert "北京" in done.stdout
    assert not (tmp_path / "snapshots").exists()


def test_nothing_there_is_another_exit_code(command: Command) -> None:
    done = command("ask", "第40轮发生了什么？", *POLLUTED)
    assert done.returncode == 1
    assert "只有19轮" in done.stdout


def test_each_line_of_standard_input_is_a_question(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("who overwrote brand?\n\nwhat is it now?\n"))
    done = command("ask", *POLLUTED)
    assert done.returncode == 0
    assert "brand (产品线) is 轻语 now" in done.stdout


def test_breaking_off_ends_without_a_trace(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def isatty(self) -> bool:
            return False

        def readline(self) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Interrupted())
    assert run(["ask", *POLLUTED]) == 130


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("who?",), "one of --session, --diagram, --graph and --docs, found none"),
        (("who?", "--session", "a", "--docs", "b"), "found --session and --docs"),
        (("  ", *POLLUTED), "expected a question"),
        (("who?", "--session", "nobody", "--data", str(SNAPSHOTS)), "no session 'nobody'"),
        (("who?", "--session", "nobody"), "expected a data folder"),
        (("who?", "--session", "a", "--chains"), "--docs beside it"),
        (("who?", "--graph", "nowhere"), "expected a file or folder of nodes and relations"),
        (("who?", "--docs", "nowhere"), "nowhere"),
    ],
)
def test_bad_input_is_one_line(command: Command, arguments: tuple[str, ...], says: str) -> None:
    assert says in complaint(command("ask", *arguments), 2)


def test_a_file_that_is_no_session_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    assert "notes.txt" in complaint(command("ask", "who?", "--session", "notes.txt"), 2)


def test_each_of_several_questions_stands_above_its_answer(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("When does the shop open?\nWho owns the shop?\n"))
    (tmp_path / "a.md").write_text("# Hours\nThe shop opens at nine.\n", "utf-8")
    done = command("ask", "--docs", str(tmp_path))
    lines = done.stdout.splitlines()
    assert lines[0] == "? When does the shop open?"
    assert lines[lines.index("? Who owns the shop?") + 1].startswith("Not found")


@pytest.mark.parametrize("name", ["serve", "open", "tail", "import", "check", "ask", "prune"])
def test_an_option_that_repeats_says_what_it_takes(command: Command, name: str) -> None:
    options = command(name, "--help").stdout.partition("\nOptions:")[2]
    assert "<list[" not in options


@pytest.mark.parametrize(("question", "warned"), [("店铺几点开门？", True), ("When does the shop open?", False)])
def test_chinese_without_a_cutter_of_words_says_what_is_missing(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str, warned: bool
) -> None:
    monkeypatch.setattr("lingbot_map.ask.telling.find_spec", lambda name: None)
    (tmp_path / "a.md").write_text("# 店铺\n店铺九点开门。\n", "utf-8")
    assert ("pip install '.[ask]'" in command("ask", question, "--docs", str(tmp_path)).stderr) is warned
