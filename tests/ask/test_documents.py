"""Documents as they are read, searched, chained, changed and stored."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from lingbot_map.ask import Answer, Ask
from lingbot_map.ask.bases import opened
from lingbot_map.ask.bases.documents import chains, files
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


def read_folder(texts: dict[str, str]) -> files.Folder:
    return files.Folder(documents=tuple(files.document(id, text) for id, text in texts.items()))


def library(texts: dict[str, str]) -> Library:
    return Library(read_folder(texts))


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


@pytest.mark.parametrize(
    "text",
    [
        "# " + " " * 50_000 + "x",
        "A" * 50_000 + "_/",
        "a_" * 25_000 + "/",
        "Aa " * 20_000,
        "支付" * 20_000,
        "一二三" * 20_000 + "次",
        "「" * 50_000,
        "\n".join(["a line without an end"] * 5_000),
        "1." * 30_000,
        "第9" * 20_000 + "版",
    ],
    ids=lambda text: text[:6].strip(),
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    began = time.process_time()
    snapshot = library({"a.md": text, "b.md": "# B\nGateKeeper retires.\n"}).snapshot
    assert "a.md" in snapshot.documents
    Ask(Documents(Library(read_folder({"a.md": text})), "sentences")).ask(text)
    assert time.process_time() - began < 5


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
