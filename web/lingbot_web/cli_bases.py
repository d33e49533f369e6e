"""The options that name what the page can ask beside the sessions: diagrams, graphs, folders of documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lingbot_web import terminal
from lingbot_web.ask_bases import Bases, bases_of

if TYPE_CHECKING:
    from lingbot_map.ask.bases.documents.vectors import Encoder
    from lingbot_map.ask.llm import Llm

AskDiagram = Annotated[
    list[Path] | None,
    typer.Option(
        "--ask-diagram",
        help="Sequence diagrams (PlantUML, Mermaid, XMI; files or a folder) that the page can ask; may be given "
        "several times. Turns are held against the one that is given alone.",
        metavar="PATH",
    ),
]
AskGraph = Annotated[
    list[Path] | None,
    typer.Option(
        "--ask-graph",
        help="A graph (TSV, CSV, JSONL, GraphML; a file or a folder) that the page can ask.",
        metavar="PATH",
    ),
]
AskDocs = Annotated[
    list[Path] | None,
    typer.Option("--ask-docs", help="A folder of documents that the page can ask; read when asked.", metavar="FOLDER"),
]
AskRecord = Annotated[
    bool,
    typer.Option(
        "--ask-record",
        help="Record what is asked on the page: each conversation a session of this map, each question a turn.",
    ),
]
ShownDesign = Annotated[
    Path | None,
    typer.Option(
        "--design",
        help="A sequence diagram (PlantUML, Mermaid, XMI) that the score is drawn against: which designed steps a turn "
        "has, lacks, and has beside them.",
    ),
]


def asked_bases(
    diagrams: Sequence[Path] | None,
    graphs: Sequence[Path] | None,
    docs: Sequence[Path] | None,
    llm: Llm | None = None,
    *,
    encoder: Encoder | None = None,
    record: bool = False,
) -> Bases | None:
    """What the options name, read as far as it is quickly read, and what else answers use. Raises ``BadInput`` with the
    place."""
    with terminal.progress("Reading what can be asked"):
        return bases_of(diagrams, graphs, docs, llm, encoder=encoder, record=record)
