"""Documents as they are read, searched, chained, changed and stored."""

from __future__ import annotations

import json
import random
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lingbot_map.ask import Answer, Ask
from lingbot_map.ask.bases import opened
from lingbot_map.ask.bases.documents import beam, chains, encoders, files, stored
from lingbot_map.ask.bases.documents.answering import Documents
from lingbot_map.ask.bases.documents.judge import judge
from lingbot_map.ask.bases.documents.library import Library
from lingbot_map.ask.bases.documents.synonyms import Synonyms
from lingbot_map.ask.bases.documents.wording import matching, of_type, read, stem, types_of
from lingbot_map.errors import BadInput
from tests.ask.acceptance import FIXTURES, expectations, faults

WORLD = {
    "gate.md": "# Gate handbook\nThe entry policy is enforced by GateKeeper. It keeps a log of refusals.\n",
    "cluster.md": "# Cluster plan\nThe edge cluster hosts GateKeeper and the rate limiter.\n",
    "duty.md": "# Duty roster\nThe edge cluster is operated by Team Heron. The lead of Team Heron is Mira Olsen.\n",
    "plan.v1.md": "# Plan\nGateKeeper retires in v3.1. Customers hear of it two weeks before.\n",
    "plan.v2.md": "# Plan\nGateKeeper retires in v3.4. Customers hear of it two weeks before.\n",
}
TESTS = {
    "req/REQ-7.md": (
        "# REQ-7 登录失败锁定\n连续 5 次输错密码，账号锁定 15 "
        "分钟。锁定期间不发验证码。\n影响模块：登录页、账号服务。\n"
    ),
    "req/REQ-8.md": "# REQ-8 头像上传\n头像最大 2 MB，超过时提示压缩。\n",
    "bug/BUG-5.md": "# BUG-5 锁定后仍能登录\n旧版客户端绕过锁定。未修复。\n",
    "bug/BUG-6.md": "# BUG-6 锁定时长翻倍\n锁定计时用了两次。v1.3 已修复。\n",
    "case/TC-70.md": "# TC-70 输错五次\n步骤：输错密码五次。预期：账号锁定。\n",
    "wiki/锁定名单.md": "# 锁定名单\n锁定名单是指被风控永久封禁的账号列表。\n",
    "queries/旧问答.md": "# 历史问答：登录失败锁定影响什么\n答：登录失败锁定影响全部模块，建议全量回归。\n",
    "fine.tsv": (
        "source\tkind\ttext\tof\nRK-9\t风险\t攻击者故意锁定他人账号\tREQ-7\nBD-9\t边界\t第五次与第六次\tREQ-7\n"
    ),
    "graph.tsv": (
        "source\trelation\ttarget\nREQ-7\t影响\t登录页\nREQ-7\t影响\t账号服务\nTC-70\t覆盖\tREQ-7\nBUG-5\t关联\tREQ-7\n"
    ),
}


def folder(at: Path, texts: dict[str, str]) -> Path:
    for name, text in texts.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_text(text, "utf-8")
    return at


@pytest.fixture
def world(tmp_path: Path) -> Ask:
    return Ask(opened("sentences", [folder(tmp_path, WORLD)]))


@pytest.fixture
def tested(tmp_path: Path) -> Ask:
    return Ask(opened("recall", [folder(tmp_path, TESTS)]))


def library(texts: dict[str, str]) -> Library:
    return Library(_folder(texts))


# ---- reading ----


def test_an_abbreviation_and_a_version_end_no_sentence() -> None:
    text = "# 服务 v2.3\n服务在v2.3版本后换了格式，见Fig.4。新格式更短。补丁 v2.3.1 只改了日志。\n"
    assert [line.text for line in files.document("a.md", text).lines] == [
        "服务在v2.3版本后换了格式，见Fig.4。",
        "新格式更短。",
        "补丁 v2.3.1 只改了日志。",
    ]


def test_a_stray_line_break_joins_its_lines_and_headings_are_no_sentences() -> None:
    read_ = files.document("a.md", "# T\nThe gate is\nopen at night.\n\n## 夜间\n值班的人\n是李。\n- one\n- two\n")
    assert [(line.text, line.heading) for line in read_.lines] == [
        ("The gate is open at night.", "T"),
        ("值班的人是李。", "夜间"),
        ("- one", "夜间"),
        ("- two", "夜间"),
    ]
    assert [line.line for line in read_.lines] == [2, 6, 8, 9]


@pytest.mark.parametrize(
    ("names", "family", "retitled"),
    [
        (("plan.v1.md", "plan.v2.md", "plan.v10.md"), "plan", False),
        (("req-A-1.2.md", "req-A-1.10.md"), "req-A", False),
    ],
)
def test_versions_are_ordered_as_numbers(names: tuple[str, ...], family: str, retitled: bool) -> None:
    read_ = [files.document(name, "# Plan\nText.\n") for name in names]
    assert {document.family for document in read_} == {family}
    assert [document.version for document in read_] == sorted(document.version for document in read_)


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("a.md", b"\xff\xfe", "a.md byte 0"),
        ("fine.tsv", b"source\tkind\ttext\tof\nRK-1\tx\n", "fine.tsv line 2"),
        ("graph.tsv", b"source\trelation\ttarget\na\tb\tc\td\n", "graph.tsv line 2"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(tmp_path: Path, name: str, content: bytes, where: str) -> None:
    folder(tmp_path, {"ok.md": "# A\nB.\n"})
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput) as why:
        opened("recall", [tmp_path])
    assert where in str(why.value)


def test_an_empty_folder_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no file that ends in"):
        opened("recall", [tmp_path])
    with pytest.raises(BadInput, match="nothing there"):
        opened("recall", [tmp_path / "gone"])


# ---- wording ----


def test_chinese_numerals_are_digits_before_a_measure_word_alone() -> None:
    assert matching("重试三次、最多 3 次") == "重试3次、最多3次"
    assert matching("十五分钟、二十天、第二个") == "15分钟、20天、第2个"
    assert matching("第三方统一登录") == "第三方统一登录"


def test_a_question_word_says_the_type_of_its_answer() -> None:
    assert [type for type, _, _ in types_of(matching("多久后重试，最多几次？"))] == ["duration", "count"]
    assert of_type("duration", "锁定15分钟")
    assert not of_type("duration", "锁定账号")
    assert of_type("version", "retires in v3.4")
    assert not of_type("version", "retires soon")


def test_stems_join_forms_and_leave_ids_whole() -> None:
    assert stem("retries") == stem("retry")
    assert stem("retired") == stem("retires") == stem("retire")
    assert stem("v2.3s") == "v2.3s"


def test_focus_is_what_stands_beside_the_question_word() -> None:
    concepts = read("令牌的有效期是多久？", Synonyms()).concepts
    assert [(concept.text, concept.focus) for concept in concepts] == [("令牌", False), ("有效期", True)]


# ---- recall ----


def test_the_agreed_properties_of_the_trace() -> None:
    if not FIXTURES.is_dir():
        pytest.skip(f"{FIXTURES} is not there")
    answer = Ask(opened("recall", [FIXTURES / "tests"])).ask("支付超时重试会影响哪些测试范围？")
    steps = {step.name: step for step in answer.steps}
    for route in ("words", "exact", "semantic", "pages", "links", "fine"):
        assert steps[route].detail
        assert steps[route].keywords is not None
        assert steps[route].status in ("ok", "empty")
    for each in answer.evidence:
        assert each.selection_reason
        assert set(each.ranks)
        assert each.title
        assert each.path
        assert each.kind
        assert each.snippet
        assert all(route in each.selection_reason for route in each.ranks)
    for id in ("req/REQ-101.md", "case/TC-2001.md", "case/TC-2002.md", "case/TC-2003.md", "bug/BUG-77.md"):
        assert id in answer.cites
    assert "回归范围约定" in answer.text
    _sources_first(answer)


def _sources_first(answer: Answer) -> None:
    earlier = [at for at, each in enumerate(answer.evidence) if each.path.startswith("queries/")]
    sources = [at for at, each in enumerate(answer.evidence) if not each.path.startswith("queries/")]
    assert earlier
    assert sources
    assert min(earlier) > max(sources)
    assert not any(cite.startswith("queries/") for cite in answer.cites)


def test_an_earlier_answer_never_outranks_a_source(tested: Ask) -> None:
    _sources_first(tested.ask("登录失败锁定影响哪些模块？"))
    _sources_first(tested.ask("登录失败后锁定多久？"))


@pytest.mark.parametrize(
    ("question", "says", "cites", "never"),
    [
        ("账号锁定多久？", "15 分钟", "req/REQ-7.md", "2 MB"),
        ("輸錯幾次密碼會鎖定賬號？", "5 次", "req/REQ-7.md", "2 MB"),
        ("什么是锁定名单？", "永久封禁", "wiki/锁定名单.md", "15 分钟"),
        ("还有哪些没修复的锁定问题？", "BUG-5", "bug/BUG-5.md", "BUG-6"),
        ("哪些锁定的缺陷已经修复了？", "BUG-6", "bug/BUG-6.md", "BUG-5"),
        ("登录锁定有哪些风险？", "攻击者", "fine:RK-9", "第五次"),
        ("REQ-7 有哪些边界？", "第六次", "fine:BD-9", "攻击者"),
        ("哪些用例覆盖 REQ-7？", "TC-70", "case/TC-70.md", "BUG-5"),
        ("登录失败锁定会影响哪些测试范围？", "账号服务", "case/TC-70.md", "全量回归"),
        ("头像最大是多少？", "2 MB", "req/REQ-8.md", "锁定"),
    ],
)
def test_what_fits_is_answered_from_its_source(tested: Ask, question: str, says: str, cites: str, never: str) -> None:
    answer = tested.ask(question)
    assert not answer.abstained
    assert says in answer.text
    assert cites in answer.cites
    assert never not in answer.text


@pytest.mark.parametrize(
    "question", ["退款要几天？", "锁定通知的短信模板是什么？", "REQ-99 影响哪些模块？", "'); drop table documents;--"]
)
def test_what_no_document_says_is_not_answered(tested: Ask, question: str) -> None:
    answer = tested.ask(question)
    assert answer.abstained
    assert not answer.cites
    assert answer.text.startswith("找不到" if answer.question.lang == "zh" else "Not")


def test_yes_and_no_are_read_off_the_sentence(tested: Ask) -> None:
    assert tested.ask("BUG-6 修复了吗？").verdict == "yes"
    assert tested.ask("BUG-5 修复了吗？").verdict == "no"


# ---- sentences ----


def test_a_chain_leads_over_names_and_merges(world: Ask) -> None:
    answer = world.ask(
        "Who leads the team that operates the cluster hosting the component that enforces the entry policy?"
    )
    assert {"gate.md#1", "cluster.md#1", "duty.md#1", "duty.md#2"} <= set(answer.cites)
    assert answer.sentences[0].text == "The lead of Team Heron is Mira Olsen."
    assert set(answer.chains[0].items) <= set(answer.cites)
    assert "gatekeeper" in answer.chains[0].links


def test_the_newest_version_counts_and_older_ones_where_the_past_is_asked_for(world: Ask) -> None:
    assert world.ask("In which version does GateKeeper retire?").cites == ("plan.v2.md#1",)
    assert "plan.v1.md#1" in world.ask("In which version did GateKeeper originally retire?").cites


def test_no_chain_holds_two_versions_of_one_document(world: Ask) -> None:
    assert isinstance(world.base, Documents)
    snapshot = world.base.library.snapshot
    judged = judge(snapshot, read("which plan retires GateKeeper and tells customers", snapshot.synonyms))
    for path in chains.search(snapshot, judged, out=frozenset(), longest=4):
        versions = {spoken.document for spoken in path.spoken if spoken.document.startswith("plan.")}
        assert len(versions) < 2


@pytest.mark.parametrize(
    "question", ["Who approved the plan?", "Where is ShieldWall hosted?", "How long is a refusal kept?"]
)
def test_a_chain_that_is_not_complete_is_not_told(world: Ask, question: str) -> None:
    answer = world.ask(question)
    assert answer.abstained
    assert answer.text.startswith("No complete chain")


def test_every_document_that_mentions_a_word_is_listed(world: Ask) -> None:
    answer = world.ask("Which documents mention GateKeeper?")
    assert answer.cites == ("cluster.md#1", "gate.md#1", "plan.v2.md#1")
    assert world.ask("Which documents mention ShieldWall?").abstained


# ---- all of it ----


def test_the_agreed_questions_are_answered_exactly_and_the_same_again() -> None:
    if not FIXTURES.is_dir():
        pytest.skip(f"{FIXTURES} is not there")
    for base in ("recall", "sentences"):
        ask = Ask(opened(base, [FIXTURES / ("tests" if base == "recall" else "docs")]))
        for expected in expectations(base):
            first, second = ask.ask(expected.question), ask.ask(expected.question)
            assert list(faults(expected, first)) == [], expected.question
            assert (first.text, first.cites, first.evidence) == (second.text, second.cites, second.evidence)


@pytest.mark.parametrize("kind", ["recall", "sentences"])
def test_a_thousand_questions_of_any_sort_raise_nothing_and_cite_what_exists(tmp_path: Path, kind: str) -> None:
    base = opened(kind, [folder(tmp_path, {**WORLD, **TESTS})])
    ask = Ask(base)
    rng = random.Random(7)
    marks = '" * ( ) AND OR NOT NEAR - ^ : 「 ?'
    hostile = ["\x00", "\n", "é", "𠀀", "a" * 300]
    asked = "哪些 谁 多久 锁定 的 GateKeeper REQ-7 v3.4 影响 没修复 问题 who which 三次 十百 提到"
    pieces = [*asked.split(), *marks.split(), *hostile]
    for _ in range(500):
        answer = ask.ask(rng.choice(["", " "]).join(rng.choice(pieces) for _ in range(rng.randint(0, 12))))
        assert all(base.item(cite) is not None for sentence in answer.sentences for cite in sentence.cites)
        assert answer.abstained or all(sentence.cites for sentence in answer.sentences)


# ---- change ----


def _versioned(n: int) -> dict[str, str]:
    return {"a.md": f"# Alpha\nThe port of Alpha is {7000 + n}. The owner of Alpha is Person{n}.\n"}


def test_during_updates_an_answer_is_wholly_old_or_wholly_new() -> None:
    lib = library({**WORLD, **_versioned(0)})
    stop = threading.Event()

    def change() -> None:
        n = 0
        while not stop.is_set():
            n = (n + 1) % 50
            lib.put([files.document(id, text) for id, text in _versioned(n).items()])

    writer = threading.Thread(target=change)
    writer.start()
    try:
        for _ in range(100):
            answer = Ask(Documents(lib, "sentences")).ask("What is the port of Alpha and who is the owner of Alpha?")
            assert not answer.abstained
            n = {text.strip(".")[-2:].lstrip("n0") for sentence in answer.sentences for text in [sentence.text]}
            assert len(n) == 1, answer.text
            shown = {each.item: each.snippet for each in answer.evidence}
            assert all(shown[cite] == sentence.text for sentence in answer.sentences for cite in sentence.cites)
    finally:
        stop.set()
        writer.join()


def test_only_the_changed_document_is_rebuilt_and_retired_rows_go() -> None:
    lib = library({**WORLD, **_versioned(1)})
    before = lib.snapshot
    after = lib.put([files.document("a.md", _versioned(2)["a.md"])])
    same = set(before.sentences) & set(after.sentences)
    assert all(before.sentences[row] is after.sentences[row] for row in same)
    assert {after.sentences[row].document for row in set(after.sentences) - same} == {"a.md"}
    assert before.known('"7001"')
    assert not after.known('"7001"')
    del before
    lib.put([], remove=["gate.md"])
    assert lib.snapshot.store.holding('"7001"', 5) == []
    assert "gate.md" not in lib.snapshot.documents


# ---- stored ----


def test_a_stored_library_answers_the_same(tmp_path: Path) -> None:
    lib = library(WORLD)
    stored.save(lib, tmp_path)
    question = "Who leads the team that operates the edge cluster?"
    first = Ask(Documents(lib, "sentences")).ask(question)
    again = Ask(Documents(stored.open_stored(tmp_path), "sentences")).ask(question)
    assert (first.text, first.cites) == (again.text, again.cites)
    assert not first.abstained


def test_two_flipped_bytes_anywhere_are_refused_with_the_file_and_the_part(tmp_path: Path) -> None:
    path = stored.save(library(WORLD), tmp_path)
    whole = path.read_bytes()
    for at in range(0, len(whole) - 1, 37):
        damaged = bytearray(whole)
        damaged[at] ^= 0x20
        damaged[at + 1] ^= 0x01
        path.write_bytes(damaged)
        with pytest.raises(BadInput, match=r"ask\.graph (?:head|documents|end)"):
            stored.open_stored(tmp_path)
    for cut in (0, 5, 20, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(BadInput, match=r"ask\.graph"):
            stored.open_stored(tmp_path)


# ---- encoders ----


class _Embeddings(BaseHTTPRequestHandler):
    """An endpoint that counts letters; ``/broken`` answers something else."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = [[float(text.count(letter)) + 0.01 for letter in "abcdefgh"] for text in asked["input"]]
        data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
        body = json.dumps({"data": data[::-1]} if "broken" not in self.path else {"error": "none"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Embeddings)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _folder(texts: dict[str, str]) -> files.Folder:
    return files.Folder(documents=tuple(files.document(id, text) for id, text in texts.items()))


def test_vectors_of_an_endpoint_are_a_route_and_are_stored(endpoint: str, tmp_path: Path) -> None:
    encoder = encoders.best(endpoint)
    lib = Library(_folder(WORLD), encoder=encoder)
    answer = Ask(Documents(lib, "sentences")).ask("Who leads the team that operates the edge cluster?")
    assert next(step for step in answer.steps if step.name == "semantic").detail == f"embeddings of {endpoint}"
    assert "duty.md#2" in answer.cites
    path = stored.save(lib, tmp_path)
    again = stored.open_stored(tmp_path, encoder=encoder)
    near = lib.snapshot.vectors.nearest("edge cluster", 3)
    assert again.snapshot.vectors.nearest("edge cluster", 3) == near
    whole = bytearray(path.read_bytes())
    whole[-9] ^= 0x10
    path.write_bytes(whole)
    with pytest.raises(BadInput, match="vectors"):
        stored.open_stored(tmp_path, encoder=encoder)


def test_an_endpoint_that_answers_otherwise_is_refused_by_name(endpoint: str) -> None:
    broken = encoders.best(f"{endpoint}/broken")
    assert broken is not None
    with pytest.raises(BadInput, match="broken/embeddings"):
        broken.encode(["a"])


def test_an_endpoint_that_fails_is_a_failed_step_and_no_failed_answer(endpoint: str) -> None:
    encoder = encoders.best(endpoint)
    base = Documents(Library(_folder(WORLD), encoder=encoder), "sentences")
    encoder.encode = encoders.Endpoint(f"{endpoint}/broken").encode  # type: ignore[union-attr,method-assign]
    answer = Ask(base).ask("Who leads the team that operates the edge cluster?")
    assert next(step for step in answer.steps if step.name == "semantic").status == "failed"
    assert "duty.md#2" in answer.cites


def test_an_encoder_whose_package_is_missing_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("wordllama", "tokenizers", "onnxruntime"):
        monkeypatch.setitem(sys.modules, name, None)
    assert encoders.best("minilm") is None
    assert encoders.best("none") is None
    with pytest.raises(BadInput, match="encoder"):
        encoders.best("best of all")


@pytest.mark.parametrize("content", [b"", b"\xff" * 8, b"\x02\0\0\0\0\0\0\0{}", b"\x04\0\0\0\0\0\0\0[[[["])
def test_a_table_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"a\.safetensors"):
        encoders.matrix(path)


# ---- documents that name each other ----


def test_the_beam_reaches_what_a_question_does_not_resemble() -> None:
    texts = {f"n{at}.md": f"# Harbour {at}\nA harbour with {at} cranes and a film club.\n" for at in range(30)}
    texts["film.md"] = "# Low Tide\nLow Tide is a film directed by Anna Brandt.\n"
    texts["anna.md"] = "# Anna Brandt\nShe was born in Kiel and studied law.\n"
    snapshot = library(texts).snapshot
    found = beam.ranked(snapshot, "Where was the director of the film Low Tide born?")
    assert {reached.document for reached in found[:2]} == {"film.md", "anna.md"}
    (way,) = [reached.way for reached in found if reached.document == "anna.md"]
    assert way[-1] == "anna.md"


def test_a_sentence_that_every_document_has_leads_nowhere() -> None:
    texts = {
        f"n{at}.md": f"# Harbour {at}\nIt has {at} cranes. See also Harbour {(at * 7) % 60}.\n" for at in range(60)
    }
    snapshot = library(texts).snapshot
    every, own = snapshot.of("n3.md")[1], snapshot.of("n3.md")[0]
    assert snapshot.rare_form(every) < 0.2
    texts["x.md"] = "# Lighthouse\nThe Lighthouse stands beside Harbour 5 alone.\n"
    assert library(texts).snapshot.rare_form(library(texts).snapshot.of("x.md")[0]) == 1
    assert own.form != every.form


def test_a_word_is_a_title_only_where_it_stands_as_a_name() -> None:
    texts = {"y.md": "# Year\nA year is long.\n", "b.md": "# Boston\nA city.\n"}
    titles = library(texts).snapshot.titles
    assert titles.within("In that year he left Boston.") == ["boston"]
    assert titles.within("He reads the Boston Globe.") == []
    assert titles.within("where is boston") == ["boston"]
