"""The options that name what else answers may use: a language model that words them, an encoder of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lingbot_map.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lingbot_map.ask.bases.documents.vectors import Encoder as Encoding
    from lingbot_map.ask.llm import Llm

LlmUrl = Annotated[
    str,
    typer.Option(
        "--llm",
        metavar="URL",
        help="An OpenAI-compatible endpoint (http://127.0.0.1:8080/v1) whose model words the answers; what they say "
        "and cite is decided without it. The question, the answer and its evidence are sent there. A key is read from "
        "the variable LINGBOT_LLM_KEY.",
    ),
]
LlmModel = Annotated[str, typer.Option("--llm-model", metavar="NAME", help="With --llm: the model to ask for.")]
Encoder = Annotated[
    str,
    typer.Option(
        "--encoder",
        metavar="none|static|URL",
        help="With --docs: what makes vectors of sentences beside the search by words: nothing, the static table of "
        "the package wordllama, or an OpenAI-compatible endpoint, to which the documents' sentences are sent. A key is "
        "read from the variable LINGBOT_ENCODER_KEY.",
    ),
]
DocsEncoder = Annotated[
    str,
    typer.Option(
        "--encoder",
        metavar="none|static|URL",
        help="With --ask-docs: what makes vectors of sentences, as `lingbot-map ask` takes it. The documents' "
        "sentences are sent to a URL; a key is read from the variable LINGBOT_ENCODER_KEY.",
    ),
]
EncoderModel = Annotated[
    str, typer.Option("--encoder-model", metavar="NAME", help="With --encoder URL: the model to ask for.")
]


def asked_llm(url: str, model: str) -> Llm | None:
    """The model that the options name, if they do. Raises ``BadInput`` for half of them and for what none can be."""
    if not url and not model:
        return None
    if not url or not model:
        raise BadInput("--llm and --llm-model", "both or none", "one of them")
    from lingbot_map.ask.llm import Llm
    from lingbot_map.ask.telling import REMEDY, missing

    if lacking := missing():
        raise BadInput("--llm", "the extra ask", f"no {lacking[0]}", REMEDY)
    return Llm(url, model)


def asked_encoder(choice: str, model: str, docs: Sequence[Path] | None) -> Encoding | None:
    """What makes vectors of the documents that the page can ask. Raises ``BadInput`` where there are none, for a model
    without an endpoint, and for what none can be."""
    if choice == "none" and not model:
        return None
    if not docs:
        raise BadInput("--encoder", "--ask-docs beside it", "none")
    if model and not choice.startswith("http"):
        raise BadInput("--encoder-model", "--encoder with a URL beside it", choice)
    from lingbot_map.ask.bases.documents.encoders import chosen
    from lingbot_map.ask.telling import REMEDY, missing

    if lacking := missing():
        raise BadInput("--encoder", "the extra ask", f"no {lacking[0]}", REMEDY)
    return chosen(choice, model)
