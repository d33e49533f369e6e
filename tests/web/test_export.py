"""Sessions as files: one page that needs nothing else, safe, the same each time; what can't be had is said plainly."""

from __future__ import annotations

import json
import os
import re
import subprocess
import zlib
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest

from lingbot_map.errors import BadInput, TooLarge
from lingbot_map.events import PolicySet
from lingbot_map.whole import whole_map
from lingbot_web import export_html
from lingbot_web.export import Wish, export
from lingbot_web.export_html import Recorded, html, without_token
from lingbot_web.export_modules import NotInlined, inline
from lingbot_web.security import file_policy
from tests.builders import Dialogue, assigned, routed, said
from tests.torture import export_xss
from tests.torture.export_xss import HARMLESS, Markup, hashed
from tests.torture.hostile import STRINGS, hostile

MOST_BESIDE_DATA = 1_000_000
"""Bytes of a page without its recording."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    hostile(folder, HARMLESS, session="call")
    return folder


@pytest.fixture
def page(data: Path, tmp_path: Path) -> Callable[..., Markup]:
    def make(**wish: object) -> Markup:
        out = tmp_path / "page.html"
        export(data, "call", Wish(to="html", **wish), out)  # type: ignore[arg-type]
        assert [path.name for path in tmp_path.iterdir()] == ["page.html"], "nothing is left beside it"
        return Markup(out.read_text("utf-8"))

    return make


def test_the_page_holds_the_map_the_events_and_where_to_open(page: Callable[..., Markup]) -> None:
    about, keyframe, events = map(json.loads, page(at=7).blocks())
    assert about["place"] == "at=7"
    assert about["summary"]["id"] == keyframe["session"] == "call"
    assert about["summary"]["live"] is False, "a file is a recording"
    assert [event["seq"] for event in events] == list(range(1, keyframe["cursor"]["seq"] + 1))


def test_raw_events_can_be_left_out(page: Callable[..., Markup]) -> None:
    blocks = page(events=False).blocks()
    assert len(blocks) == 2
    assert json.loads(blocks[0])["events"] is False


def test_the_same_recording_gives_the_same_bytes(data: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        export(data, "call", Wish(to="html"), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_page_is_small_beside_its_recording(page: Callable[..., Markup]) -> None:
    markup = page()
    beside = sum(len(text.encode()) for text in [*markup.code(), *markup.styles])
    assert 100_000 < beside < MOST_BESIDE_DATA - 50_000, "the rest of the page is small"


def test_a_hostile_recording_gives_an_inert_page(tmp_path: Path) -> None:
    report = export_xss.run(None)
    assert report.failures == []
    assert report.passed > 12


def test_turns_that_left_the_map_are_in_the_file() -> None:
    dialogue = Dialogue()
    dialogue.own(PolicySet(values={"kept_turns": 2}))
    for turn in range(8):
        dialogue.tell(said(f"turn {turn}"), assigned("n", turn), routed("ask"))
    assert dialogue.map.retired
    whole = whole_map("s", dialogue.events)
    assert (whole.retired, list(whole.turns)) == (0, list(range(1, 9)))
    assert [whole.nodes[f"utterance:{turn}"].label for turn in range(1, 9)] == [f"turn {turn}" for turn in range(8)]
    assert whole.about["policy"] == dialogue.map.about["policy"]
    assert whole.cursor == dialogue.map.cursor
    assert {id: node.props for id, node in dialogue.map.nodes.items()}.items() <= {
        id: node.props for id, node in whole.nodes.items()
    }.items(), "all that the map still holds stands in it as it is"


def test_the_policy_names_each_script_and_style_by_its_hash() -> None:
    policy = file_policy(["a\n", "b"], ["c"])
    assert f"script-src {hashed('a' + chr(10))} {hashed('b')};" in policy
    assert f"style-src {hashed('c')};" in policy
    assert "unsafe" not in policy
    assert "nonce" not in policy


def test_a_long_block_is_packed() -> None:
    long = json.dumps([str(n) for n in range(200_000)]).encode()
    assert len(long) > export_html.PLAIN
    text = html(Recorded({"id": "x"}, long)).decode()
    found = re.search(r'id="file-map" data-packed="deflate">("[^"]+")</script>', text)
    assert found is not None
    assert zlib.decompress(b64decode(json.loads(found[1]))) == long
    assert len(text) < MOST_BESIDE_DATA + len(long) / 3


def test_a_page_too_large_for_a_mail_says_so_and_what_to_do(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_html, "MAX_FILE", 1000)
    with pytest.raises(TooLarge, match=r"at most 1,000, found .*--no-events"):
        export(data, "call", Wish(to="html"), Path("-"))
    monkeypatch.setattr(export_html, "MAX_EVENTS", 1000)
    with pytest.raises(TooLarge, match=r"raw events: .*--no-events"):
        export(data, "call", Wish(to="html"), Path("-"))


def test_what_stood_there_stays_when_nothing_comes_of_it(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    out.write_text("before")
    with pytest.raises(BadInput, match="seq from 1 to"):
        export(data, "call", Wish(to="html", at=10**6), out)
    assert out.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_link_stays_and_what_it_names_is_replaced(data: Path, tmp_path: Path) -> None:
    named, link, dangling = tmp_path / "named", tmp_path / "link", tmp_path / "dangling"
    named.write_text("before")
    named.chmod(0o600)
    bystander = tmp_path / "named.part"
    bystander.write_text("somebody's own")
    link.symlink_to("named")
    dangling.symlink_to("new")
    for out in (link, dangling):
        export(data, "call", Wish(), out)
        assert out.is_symlink()
    assert named.read_bytes() == (tmp_path / "new").read_bytes() != b"before"
    assert named.stat().st_mode & 0o777 == 0o600
    assert bystander.read_text() == "somebody's own"


def test_a_pipe_is_written_to_and_stays(data: Path, tmp_path: Path) -> None:
    plain, pipe, link = tmp_path / "plain", tmp_path / "pipe", tmp_path / "link"
    export(data, "call", Wish(), plain)
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for out in (pipe, link):
        with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
            export(data, "call", Wish(), out)
            assert reader.communicate(timeout=10)[0] == plain.read_bytes()
    assert pipe.is_fifo()
    assert link.is_symlink()


@pytest.mark.parametrize("out", ["", ".", "/", "folder", "folder/..", "circle", "nowhere/file"])
def test_what_no_file_can_be_is_refused(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("circle").symlink_to("circle")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BadInput, match="--out"):
        export(data, "call", Wish(), Path(out))
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("place", "kept"),
    [
        ("", ""),
        ("s=abc&at=7", "s=abc&at=7"),
        ("#t=hush-3f9a&s=abc", "s=abc"),
        ("s=abc&t=hush-3f9a", "s=abc"),
        ("t=a&t=b", ""),
    ],
)
def test_a_token_never_goes_into_a_file(place: str, kept: str) -> None:
    assert without_token(place) == kept
    assert "hush-3f9a" not in html(Recorded({}, b"{}", place=place)).decode()


def _linked(modules: dict[str, str], first: str = "app") -> dict[str, str]:
    return dict(inline(modules.__getitem__, first))


def test_modules_stand_in_the_order_in_which_they_need_each_other() -> None:
    modules = {
        "app": "import 'lb/b';\nimport * as c from 'lb/c';\nc.run();\n",
        "b": "import { one } from 'lb/c';\nexport const two = one + 1;\n",
        "c": "export const one = 1;\nexport function run() {}\n",
        "unused": "export const x = 1;\n",
    }
    assert list(_linked(modules)) == ["c", "b", "app"]


def test_only_what_touches_other_modules_changes_and_no_line_moves() -> None:
    source = (
        "// import { x } from 'lb/x';\nimport {\n  one,\n  two as zwei,\n} from 'lb/c';\n"
        "export async function act() {\n  await one;\n}\nexport class K {}\n"
        "const local = 3;\nexport { local, zwei as deux };\n"
    )
    made = _linked({"app": source, "c": "export const one = 1;\nexport const two = 2;\n"})["app"]
    assert made == (
        "\nconst { one, two: zwei } = globalThis.lb.c;\n\n\n\n"
        "async function act() {\n  await one;\n}\nclass K {}\nconst local = 3;\n"
        "globalThis.lb.app = { act, K, local, deux: zwei };\n"
    )


def test_comments_go_and_code_beside_them_stays() -> None:
    source = (
        "/** about\n * @param {x} y */\nfunction f() {\n  // why\n  /** @type {A} */ (a).b = 1; // c\n"
        "  /** @type {B} */\n  const u = 'http://x'; /* d */\n}\n"
    )
    made = _linked({"app": source})["app"].splitlines()
    assert made[:8] == [
        "", "", "function f() {", "", "  /** @type {A} */ (a).b = 1; // c", "", "  const u = 'http://x'; /* d */", "}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        "export default 1;\n",
        "export let n = 1;\n",
        "import x from 'lb/c';\n",
        "import { x } from './c.js';\n",
        "const x = await 1;\n",
        "const end = '</SCRIPT>';\n",
        "const begin = '<!--';\n",
    ],
)
def test_what_can_not_stand_in_one_file_is_refused_with_its_place(source: str) -> None:
    with pytest.raises(NotInlined, match=r"app\.js line 2: "):
        _linked({"app": f"// first\n{source}", "c": "export const x = 1;\n"})


def test_modules_in_a_circle_are_named() -> None:
    with pytest.raises(NotInlined, match="a imports b imports a: a circle"):
        _linked({"app": "import 'lb/a';\n", "a": "import 'lb/b';\n", "b": "import 'lb/a';\n"})


def test_every_string_of_the_hostile_set_differs() -> None:
    assert len(set(STRINGS)) == len(STRINGS) >= 50
