"""The commands that start a map: ``serve`` and ``demo``; ``open`` stands on them."""

from __future__ import annotations

import resource
import shlex
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lingbot_map.errors import BadInput, DataFolderBusy
from lingbot_map.pipeline import Pipeline
from lingbot_map.store import retention
from lingbot_map.store.appender import Fsync
from lingbot_map.store.claim import busy
from lingbot_map.store.retention import keep_from
from lingbot_probes.link import DEFAULT
from lingbot_web import doorstep, terminal
from lingbot_web.address import PORT, Address, is_loopback
from lingbot_web.ask_bases import Bases
from lingbot_web.beacon import Beacon, serving, token_file
from lingbot_web.cli_bases import AskDiagram, AskDocs, AskGraph, AskRecord, ShownDesign, asked_bases
from lingbot_web.cli_keeping import Keep
from lingbot_web.cli_recordings import (
    SNAPSHOTS,
    Data,
    Flush,
    fsync_of,
)
from lingbot_web.cli_words import DocsEncoder, EncoderModel, LlmModel, LlmUrl, asked_encoder, asked_llm
from lingbot_web.demo import BOTS, DemoBot
from lingbot_web.security import TRACES, is_host

INTERRUPTED = 130


def serve(
    data: Data = SNAPSHOTS,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0 for any free one.")] = PORT,
    fsync: Flush = "batch",
    keep: Keep = None,
    public_url: Annotated[
        list[str] | None,
        typer.Option(help="An address at which a proxy shows the map; may be given several times.", metavar="URL"),
    ] = None,
    allow_remote: Annotated[bool, typer.Option("--allow-remote", help="Let other machines reach the map.")] = False,
    insecure_remote: Annotated[
        bool, typer.Option("--insecure-remote", help="With --allow-remote: without TLS, readable on the way.")
    ] = False,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate (PEM) to serve with TLS.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its private key (PEM).")] = None,
    reply_host: Annotated[
        list[str] | None,
        typer.Option(help="A host beyond this machine whose bots may be talked to from the page.", metavar="HOST"),
    ] = None,
    unmasked_spans: Annotated[
        bool, typer.Option("--unmasked-spans", help="Keep what comes as OpenTelemetry spans as it is, without masks.")
    ] = False,
    ask_diagram: AskDiagram = None,
    ask_graph: AskGraph = None,
    ask_docs: AskDocs = None,
    llm: LlmUrl = "",
    llm_model: LlmModel = "",
    encoder: DocsEncoder = "none",
    encoder_model: EncoderModel = "",
    ask_record: AskRecord = False,
    design: ShownDesign = None,
) -> int:
    """Start the map and print the address to open. Ctrl-C ends it.

    With --keep it removes what is older or too large at the start and once an hour, as `lingbot-map prune` does. What
    --ask-diagram, --ask-graph and --ask-docs name can be asked on the page beside the sessions; one diagram alone is
    also what their turns are held against. With --llm a model words the answers of the page; with --ask-record each of
    its conversations is a session of this map, so that a wrong answer is looked into like any bot's.

    Example: lingbot-map serve --data recordings --port 8800

    Example: lingbot-map serve --keep 30d --keep 20GB

    Example: lingbot-map serve --ask-diagram order.puml --ask-docs wiki/

    Example: lingbot-map serve --ask-docs wiki/ --ask-record

    Example: lingbot-map serve --llm http://127.0.0.1:8080/v1 --llm-model NAME

    Example: lingbot-map serve --design flow.puml
    """
    flush, bounds = fsync_of(fsync), keep_from(keep or ())
    for option, named in (("--host", host), *(("--reply-host", each) for each in reply_host or ())):
        if not is_host(named):
            raise BadInput(option, "a host's name or address", named or "nothing")
    address = Address(host, port, tls_cert, tls_key, tuple(public_url or ()))
    address.door("", port)  # a public address that is none is found before anything is touched
    _refuse_open_door(address, allow_remote=allow_remote, insecure_remote=insecure_remote)
    masked = not unmasked_spans
    model, vectors = asked_llm(llm, llm_model), asked_encoder(encoder, encoder_model, ask_docs)
    bases = asked_bases(ask_diagram, ask_graph, ask_docs, model, encoder=vectors, record=ask_record)
    hosts = tuple(reply_host or ())
    return serve_at(
        data, address, flush, keep=bounds, reply_hosts=hosts, masked_spans=masked, bases=bases, design=design
    )


def _refuse_open_door(address: Address, *, allow_remote: bool, insecure_remote: bool) -> None:
    if (address.certificate is None) != (address.key is None):
        raise BadInput("--tls-cert and --tls-key", "both or none", "one of them")
    if address.certificate is not None:
        _try_certificate(address.certificate, address.key)
    if is_loopback(address.host):
        return
    if not allow_remote:
        raise BadInput("--host", "an address of this machine alone", address.host, "add --allow-remote if you mean it")
    if address.certificate is None and not insecure_remote:
        remedy = "give --tls-cert and --tls-key, or --insecure-remote to let everybody on the way read along"
        raise BadInput("--allow-remote", "a certificate", "none", remedy)


def _try_certificate(certificate: Path, key: Path | None) -> None:
    import ssl  # 20 ms that only TLS needs

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except OSError as why:  # ssl.SSLError is one
        raise BadInput(
            "--tls-cert and --tls-key", "a certificate and its key (PEM)", why.strerror or str(why)
        ) from None


Work = Callable[[Pipeline, Callable[[str], None]], None]
"""What is begun once the map answers: it gets the pipeline, and what says the address of a session (once)."""


def serve_at(
    data: Path,
    address: Address,
    fsync: Fsync = "batch",
    session: str = "",
    keep: retention.Keep = retention.FOR_EVER,
    reply_hosts: tuple[str, ...] = (),
    masked_spans: bool = True,
    work: Work | None = None,
    may_end: Callable[[], bool] = lambda: True,
    bases: Bases | None = None,
    design: Path | None = None,
) -> int:
    """Serve until a signal comes; the exit code. The address of ``session`` is said once the map answers, or, where
    there is ``work``, when that says so. The page draws turns against ``design``. Raises as the ``serve`` command does.
    """
    from lingbot_web import running  # uvicorn and starlette: 0.25 s that no other command needs
    from lingbot_web.design_api import shown_design

    shown = shown_design(design)
    _allow_many_files()
    listener, pipeline, step = _claimed(data, address, fsync, keep)
    pipeline.tracing.masking = masked_spans
    announce = _announcing(address, listener.getsockname()[1])

    def ready(beacon: Beacon) -> None:
        if work is None:
            announce(beacon, session)
        else:
            work(pipeline, lambda key: announce(beacon, key))

    ended_by = running.run(
        pipeline,
        address,
        listener,
        data=data,
        ready=ready,
        may_end=may_end,
        reply_hosts=reply_hosts,
        bases=bases,
        design=shown,
        kept=step.leave if step is not None else list,
    )
    return _ended(pipeline, data, ended_by)


def _ended(pipeline: Pipeline, data: Path, by: int) -> int:
    """The exit code of a map that the signal ``by`` ended; what is lost with it is said."""
    if pipeline.unwritten:
        counts, reasons = zip(*pipeline.unwritten.values(), strict=True)
        events, sessions, why = sum(counts), len(counts), f" ({reasons[0]})" if reasons[0] else ""
        counted = f"{events:,} {'event' if events == 1 else 'events'} of {sessions:,} session{'s' * (sessions > 1)}"
        terminal.complain(f"lingbot-map: lost when it ended: {counted}, not written to {data.absolute()}{why}")
        return 1
    return INTERRUPTED if by == signal.SIGINT else 0


def demo(
    chat: Annotated[bool, typer.Option("--chat", help="Talk to the bot yourself.")] = False,
    data: Data = SNAPSHOTS,
    port: Annotated[int, typer.Option(help="The port to listen on; 0 for any free one.")] = PORT,
    lang: Annotated[str, typer.Option(help="The language that comes first: zh or en.")] = "zh",
    pace: Annotated[float, typer.Option(help="Seconds between two turns of the scripted customer.", min=0)] = 3.0,
    fsync: Flush = "batch",
    bot: Annotated[str, typer.Option("--bot", help="telecom, or ask: answers with evidence, about a tea shop.")] = (
        "telecom"
    ),
    ask_record: Annotated[
        bool | None,
        typer.Option(
            "--ask-record/--no-ask-record",
            help="Record what is asked in the page's tab Ask, each conversation as a session; so it is with --bot ask.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Start a map, a bot and a customer who talks to it; open the address and watch.

    The bot is a telecom assistant, or with --bot ask what `lingbot-map ask` is: questions to the graph, the documents
    and a diagram of a tea shop, with a follow-up, two things of one name, a question that nothing answers and an
    answer that looks wrong until the map shows why.

    Example: lingbot-map demo --lang en

    Example: lingbot-map demo --bot ask --chat
    """
    if lang not in ("zh", "en"):
        raise BadInput("--lang", "zh or en", lang)
    if bot not in BOTS:
        raise BadInput("--bot", " or ".join(BOTS), bot)
    flush = fsync_of(fsync)
    address = Address(port=port)
    bases = _demo_bases(bot, record=ask_record)
    listener, pipeline, _ = _claimed(data, address, flush)
    from lingbot_web import running

    announce = _announcing(address, listener.getsockname()[1])
    process = DemoBot(bot=bot, lang=lang, pace=pace, chat=chat, announce=announce)
    try:
        ended_by = running.run(
            pipeline, address, listener, data=data, ready=process.start, may_end=process.gone, bases=bases
        )
    finally:
        process.end()
    return _ended(pipeline, data, ended_by)


def _demo_bases(bot: str, *, record: bool | None) -> Bases | None:
    """What the demo's page records. Raises ``BadInput`` where that was wanted and can't be."""
    if record is not None:
        return asked_bases(None, None, None, record=record)
    with suppress(BadInput):  # without the extra, or with probes turned off, the bot shows what it can
        return asked_bases(None, None, None, record=bot == "ask")
    return None


def _announcing(address: Address, port: int) -> Callable[..., None]:
    """What says where the map is and how a probe on this machine finds it."""
    near = replace(address, public_urls=()).url(port).rstrip("/")
    if near == DEFAULT:
        probes = "Probes on this machine find it by themselves."
    else:
        probes = f"Probes on this machine find it with LINGBOT_ENDPOINT={near}"
        if not is_loopback(address.host):
            probes += " and the token after #t= as LINGBOT_TOKEN"

    def announce(beacon: Beacon, session: str = "") -> None:
        terminal.say(f"Map       {beacon.address(session)}")
        terminal.say(f"Data      {terminal.visible(beacon.data)}")
        terminal.say(probes)
        terminal.say("Bots that send OpenTelemetry spans need")
        terminal.say(f"          OTEL_EXPORTER_OTLP_TRACES_ENDPOINT={near}{TRACES}")
        kept = shlex.quote(str(token_file(port)))  # the token itself is printed once, in the address
        terminal.say(f'          OTEL_EXPORTER_OTLP_TRACES_HEADERS="Authorization=Bearer%20$(cat {kept})"')
        terminal.say("Ctrl-C ends it.")

    return announce


def _claimed(
    data: Path, address: Address, fsync: Fsync, keep: retention.Keep = retention.FOR_EVER
) -> tuple[socket.socket, Pipeline, doorstep.Doorstep | None]:
    """The port and the data folder, and what answers at the port already.

    Raises ``DataFolderBusy`` where both are taken, by the first map most likely.
    """
    step = doorstep.taken(address.host, address.port)
    try:
        listener = (
            step.listener if step is not None else address.listen()
        )  # before the data folder is touched: a mistaken port makes none
    except BadInput:
        if taken := busy(data):
            raise _told(taken, data) from None
        raise
    try:
        return listener, Pipeline.of_folder(data, fsync=fsync, keep=keep), step
    except BaseException as why:
        if step is not None:
            step.close()
        listener.close()
        if isinstance(why, DataFolderBusy):
            raise _told(why, data) from None
        raise


def _told(why: DataFolderBusy, data: Path) -> DataFolderBusy:
    """The same with where the map listens, if it is one and has said so."""
    beacon = serving(data)
    return why if beacon is None else DataFolderBusy(why.folder, beacon.pid, beacon.url)


def _allow_many_files() -> None:
    """1,000 viewers need 1,000 descriptors; the usual soft limit of 1,024 leaves no room for logs."""
    with suppress(ValueError, OSError):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 8192 if hard == resource.RLIM_INFINITY else min(hard, 8192)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
