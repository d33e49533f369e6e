"""``ask``: questions to a recorded session, to sequence diagrams, to a graph, to documents."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lingbot_map.errors import BadInput, LingbotMapError
from lingbot_web import terminal
from lingbot_web.ask_recording import Record, Recorder
from lingbot_web.cli_recordings import SNAPSHOTS, Data, Json
from lingbot_web.cli_words import Encoder, EncoderModel, LlmModel, LlmUrl, asked_llm

if TYPE_CHECKING:
    from lingbot_map.ask import Answer, Base
    from lingbot_map.graph import DialogueMap

ANSWERED, ABSTAINED, BAD_INPUT = 0, 1, 2
_CITED = 8  # pieces of evidence below an answer; JSON has all
_SNIPPET = 90


def ask(
    question: Annotated[
        str | None, typer.Argument(help="What to ask. Without one, each line of the terminal or of standard input.")
    ] = None,
    session: Annotated[
        str,
        typer.Option(
            "--session",
            help="A recorded session: its id, its key or the beginning of one, or a file that `import` knows.",
            metavar="KEY|FILE",
        ),
    ] = "",
    diagram: Annotated[
        list[Path] | None,
        typer.Option(
            "--diagram",
            help="Sequence diagrams (PlantUML, Mermaid, XMI); with --session what it was designed as.",
            metavar="FILE",
        ),
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            "--graph",
            help="A graph, a file or a folder: GraphML, or tables (CSV, TSV, JSON Lines) of nodes with the columns id, "
            "name, kind and others, and of relations with source, relation, target; or a table of three columns.",
            metavar="PATH",
        ),
    ] = None,
    docs: Annotated[
        Path | None,
        typer.Option(
            "--docs",
            help="A folder of documents. From 1 MiB on an index of it is kept within (.lingbot-ask), or for the time "
            "of the command where nothing can be written there; then only what changed is read.",
            metavar="FOLDER",
        ),
    ] = None,
    chains: Annotated[
        bool, typer.Option("--chains", help="With --docs: answer by chains of sentences from several documents.")
    ] = False,
    encoder: Encoder = "none",
    encoder_model: EncoderModel = "",
    llm: LlmUrl = "",
    llm_model: LlmModel = "",
    data: Data = SNAPSHOTS,
    record: Record = "",
    steps: Annotated[bool, typer.Option("--steps", help="Say how the answer came about, step by step.")] = False,
    as_json: Json = False,
) -> int:
    """Ask a recorded session, a diagram, a graph or documents; each sentence of an answer names what it rests on.

    Works offline, without a language model. Asked in Chinese or English, answered in the same. With --llm a model words
    the answer; a wording that doesn't keep to the evidence is not said, and the answer stays as it was computed.

    Exit code 0: answered. 1: nothing there answers it (of several questions: at least one). 2: a file or an option
    that can't be read, or a recording that did not arrive.

    Example: lingbot-map ask "who overwrote brand?" --session 3f0a

    Example: lingbot-map ask "第17轮为什么这么回答？" --session call.jsonl --steps

    Example: lingbot-map ask "余额扣除失败后系统会做什么？" --diagram order.puml

    Example: lingbot-map ask --session 3f0a --record snapshots < questions.txt

    Example: lingbot-map ask "谁改写了 brand？" --session 3f0a --llm http://127.0.0.1:8080/v1 --llm-model NAME --steps

    Example: lingbot-map ask "who approves refunds?" --docs wiki/ --encoder http://127.0.0.1:8081/v1
    """
    from lingbot_map.ask import Ask

    try:
        for name, said in (
            ("QUESTION", question),
            ("--session", session),
            ("--llm-model", llm_model),
            ("--encoder-model", encoder_model),
        ):
            terminal.text(name, said or "")
        if question is not None and not question.strip():
            raise BadInput("QUESTION", "a question", "nothing")
        model = asked_llm(llm, llm_model)
        if (encoder != "none" or encoder_model) and docs is None:
            raise BadInput("--encoder", "--docs beside it", "none")
        if encoder_model and not encoder.startswith("http"):
            raise BadInput("--encoder-model", "--encoder with a URL beside it", encoder)
        base = _base(
            session, diagram or [], graph, docs, data, "sentences" if chains else "recall", encoder, encoder_model
        )
        recorder = Recorder(record) if record else None
        asking = Ask(base, llm=model, probe=recorder.probe if recorder is not None else None)
    except (LingbotMapError, OSError) as why:
        where = f"{why.filename}: {why.strerror}" if isinstance(why, OSError) and why.filename else str(why)
        terminal.complain(f"lingbot-map: {where}")
        return BAD_INPUT
    abstained, whole, warned = False, True, bool(session)
    try:
        for text in _questions(question):
            warned = warned or _warned(text)
            if question is None and not as_json and not _at_terminal():
                terminal.say(f"? {terminal.visible(text)}")
            answer = asking.ask(text)
            abstained |= answer.abstained
            _tell(asking.base, answer, steps=steps, as_json=as_json)
            if recorder is not None:
                recorder.settle()
    finally:
        if recorder is not None:
            whole = recorder.end(asking)
    if not whole:
        return BAD_INPUT
    return ABSTAINED if abstained and not (question is None and _at_terminal()) else ANSWERED


def _warned(text: str) -> bool:
    """Whether it was said that Chinese is read poorly: where no cutter of words is installed."""
    from lingbot_map.ask.telling import REMEDY, missing
    from lingbot_map.ask.text import lang_of

    if lang_of(text) != "zh" or "rjieba" not in missing():
        return False
    terminal.complain(f"note: Chinese is read in pairs of characters without the extra ask; {REMEDY}")
    return True


def _base(
    session: str,
    diagrams: list[Path],
    graph: Path | None,
    docs: Path | None,
    data: Path,
    how: str,
    encoder: str,
    encoder_model: str,
) -> Base:
    """The base that the options name. Raises ``BadInput`` for none and for several."""
    from lingbot_map.ask.bases import opened
    from lingbot_map.ask.bases.documents.encoders import chosen

    named = [name for name, given in (("--graph", graph), ("--docs", docs)) if given is not None]
    if session:
        named.insert(0, "--session")
    elif diagrams:
        named.insert(0, "--diagram")
    if how == "sentences" and docs is None:
        raise BadInput("--chains", "--docs beside it", "none")
    if len(named) != 1 or (diagrams and named[0] not in ("--session", "--diagram")):
        found = " and ".join([*named, *(["--diagram"] if diagrams and "--diagram" not in named else [])]) or "none"
        raise BadInput("ask", "one of --session, --diagram, --graph and --docs", found)
    with terminal.progress("Reading") as said:
        if session:
            return _of_session(session, diagrams, data)
        if diagrams:
            return opened("diagram", diagrams)
        if graph is not None:
            return opened("graph", _files(graph))
        assert docs is not None
        return opened(how, [docs], encoder=chosen(encoder, encoder_model), progress=said)


def _of_session(session: str, diagrams: list[Path], data: Path) -> Base:
    from lingbot_map.ask.bases.session import opened, over
    from lingbot_web.cli_recordings import there

    if Path(session).exists():
        return opened([Path(session), *diagrams])
    there(data)
    return over(_recorded(session, data), diagrams)


def _recorded(session: str, data: Path) -> DialogueMap:
    from lingbot_map.session import map_of
    from lingbot_map.store.files import FileStore
    from lingbot_map.whole import MOST_EVENTS, whole_map
    from lingbot_web.export import find

    recording = find(FileStore(data, read_only=True), session, data)
    map = map_of(recording)
    if map.retired and map.cursor.seq <= MOST_EVENTS:
        map = whole_map(recording.session, recording.events())
    return map


def _files(graph: Path) -> list[Path]:
    if not graph.exists():
        raise BadInput(str(graph), "a file or folder of nodes and relations", "nothing")
    return [graph]


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _questions(question: str | None) -> Iterator[str]:
    """The one question, else each line that is read; at a terminal after a prompt, until its end."""
    if question is not None:
        yield question
        return
    at_terminal = _at_terminal()
    while sys.stdin is not None:
        if at_terminal:
            sys.stderr.write("? ")
            sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            break
        if line.strip():
            yield line.strip()
    if at_terminal:
        sys.stderr.write("\n")


def _tell(base: Base, answer: Answer, *, steps: bool, as_json: bool) -> None:
    for step in answer.steps:
        if step.name == "llm" and step.status in ("failed", "timeout"):  # whoever named a model wants to know
            terminal.complain(f"lingbot-map: not in the model's words: {step.detail}")
    if as_json:
        from lingbot_map.ask.telling import as_json as plain

        terminal.say_json(plain(answer))
        return
    terminal.say(terminal.visible(answer.text))
    cited = set(answer.cites)
    shown = [item for item in answer.evidence if item.item in cited]
    for item in shown[:_CITED]:
        snippet = terminal.visible(item.snippet)
        cut = snippet if len(snippet) <= _SNIPPET else snippet[: _SNIPPET - 1] + "…"
        terminal.say(f"  [{terminal.visible(item.item)}] {cut}")
    if len(shown) > _CITED:
        terminal.say(f"  ... and {len(shown) - _CITED} more; --json has all")
    for chain in answer.chains:
        terminal.say("  " + terminal.visible(" <- ".join(chain.items)))
    for point in answer.open_points:
        terminal.say(f"  open: {terminal.visible(point)}")
    if steps:
        rows = [
            (step.name, step.status, f"{step.ms:.1f} ms", str(step.evidence_count), step.detail[:60])
            for step in answer.steps
        ]
        terminal.table(("step", "status", "took", "gave", "detail"), rows, right=(2, 3))
