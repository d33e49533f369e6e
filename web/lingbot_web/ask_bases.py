"""What can be asked beside the sessions: the diagrams, graphs and folders of documents that the operator named.

A request names a base by its id and is looked up; no text that comes in ever becomes a path. A diagram whose text a
page sends is read from memory and kept nowhere but in the last few readings.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from starlette.exceptions import HTTPException

from lingbot_map.errors import BadInput, LingbotMapError
from lingbot_map.legible import legible
from lingbot_web.ask_folders import ServedFolder, Watched, files_below

if TYPE_CHECKING:
    from lingbot_map.ask import Base
    from lingbot_map.ask.bases.documents.vectors import Encoder
    from lingbot_map.ask.bases.sequence import SequenceBase
    from lingbot_map.ask.llm import Llm
    from lingbot_web.ask_sessions import AskSessions

Kind = Literal["diagram", "graph", "docs", "chains"]
"""``docs`` and ``chains`` are the same folder, answered by what fits and by chains of sentences."""
SESSION, DROPPED = "session", "dropped"
"""The ids of the session that a page shows, and of a diagram whose text comes with the question."""
MAX_DIAGRAM = 256 * 1024
"""Characters of a diagram that a page sends; the largest of 175 real ones has 14 thousand."""
_READ = 4  # dropped diagrams that stay read: a reader asks one several times


@dataclass(slots=True)
class Held:
    """A base by its id. ``base`` is there once it was opened, ``error`` says why it could not be."""

    id: str
    kind: Kind
    name: str
    path: Path
    files: Watched | ServedFolder
    base: Base | None = None
    error: str = ""
    stamp: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)


class Bases:
    """The bases over what the operator named, and what else answers may use: ``llm`` words them, ``encoder`` makes
    vectors of documents, and ``sessions`` is told of each question. May be used from several threads."""

    def __init__(
        self,
        *,
        diagrams: Iterable[Path] = (),
        graphs: Iterable[Path] = (),
        docs: Iterable[Path] = (),
        llm: Llm | None = None,
        encoder: Encoder | None = None,
        sessions: AskSessions | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises ``BadInput`` for a path that isn't there; ``check`` reads what is quickly read. ``clock`` says when
        many files are looked at for changes again."""
        self.llm = llm
        self.sessions = sessions
        self._held: dict[str, Held] = {}
        self._dropped: OrderedDict[str, SequenceBase] = OrderedDict()
        self._turn = threading.Lock()
        named: tuple[tuple[str, Kind, Iterable[Path]], ...] = (
            ("--ask-diagram", "diagram", diagrams),
            ("--ask-graph", "graph", graphs),
            ("--ask-docs", "docs", docs),
        )
        for option, kind, paths in named:
            for path in paths:
                if not path.exists():
                    raise BadInput(f"{option} {path}", "a file or folder", "nothing there")
                if kind == "docs":
                    folder = ServedFolder(path, encoder, clock)  # both ways of asking it share what was read
                    self._hold("docs", path, folder)
                    self._hold("chains", path, folder)
                else:
                    self._hold(kind, path, Watched(partial(files_below, path), clock))

    def _hold(self, kind: Kind, path: Path, files: Watched | ServedFolder) -> None:
        name = legible(path.resolve().name or str(path))
        id, count = f"{kind}:{name}", 1
        while id in self._held:
            count += 1
            id = f"{kind}:{name}~{count}"
        self._held[id] = Held(id, kind, name if count == 1 else f"{name} ({count})", path, files)

    def check(self) -> None:
        """Read diagrams and graphs, so that a fault in one is told at the start and not at the first question. Raises
        ``BadInput`` with the place."""
        for held in self._held.values():
            if held.kind in ("diagram", "graph"):
                self.opened(held.id)

    def told(self) -> list[dict[str, Any]]:
        """Each base as a page offers it."""
        return [
            {"id": held.id, "kind": held.kind, "name": held.name, "ready": held.base is not None, "error": held.error}
            for held in self._held.values()
        ]

    def ready(self, id: str) -> bool:
        """Whether the base is open; 404 if there is none of that id."""
        return self._known(id).base is not None

    def root(self, id: str) -> Path | None:
        """The folder that the base's sources lie below; ``None`` for what is no base of the operator's."""
        held = self._held.get(id)
        return None if held is None else held.path if held.path.is_dir() else held.path.parent

    def opened(self, id: str) -> Base:
        """The base, opened when first asked for and anew after its files changed. Raises ``BadInput`` with the place of
        what can't be read, and 404 for an id that is none."""
        held = self._known(id)
        with held.lock:
            try:
                _bring_up(held)
            except (LingbotMapError, OSError) as why:
                held.base, held.error = None, str(why).replace(f"{held.path.parent}/", "")
                raise
            assert held.base is not None
            return held.base

    def design(self) -> SequenceBase | None:
        """The one diagram that turns of sessions can be held against; ``None`` for none and for several."""
        ids = [held.id for held in self._held.values() if held.kind == "diagram"]
        if len(ids) != 1:
            return None
        base: Any = self.opened(ids[0])
        return base if len(base.views) == 1 else None

    def dropped(self, name: str, text: str) -> SequenceBase:
        """The base over a diagram's text; ``name`` is only shown. Raises ``BadInput`` with the line."""
        from lingbot_map.ask.bases.sequence import SequenceBase
        from lingbot_map.ask.bases.sequence.source import read

        key = hashlib.sha256(f"{name}\0{text}".encode("utf-8", "replace")).hexdigest()
        with self._turn:
            known = self._dropped.get(key)
        if known is None:
            if not text.strip():
                raise BadInput(name, "a sequence diagram", "an empty file")
            known = SequenceBase(*read(text, name))
        with self._turn:
            self._dropped[key] = known
            self._dropped.move_to_end(key)
            while len(self._dropped) > _READ:
                self._dropped.popitem(last=False)
        return known

    def _known(self, id: str) -> Held:
        held = self._held.get(id)
        if held is None:
            raise HTTPException(404, "There is nothing of that name to ask; what can be asked is named at the start.")
        return held


def _bring_up(held: Held) -> None:
    """Open the base, or anew after its files changed."""
    from lingbot_map.ask.bases import opened

    if isinstance(held.files, ServedFolder):
        stamp, library = held.files.current()
    else:
        stamp, library = held.files.stamp(), None
    if held.base is not None and stamp == held.stamp:
        return
    if library is None:
        held.base = opened(held.kind, [held.path])
    else:
        from lingbot_map.ask.bases.documents.answering import Documents

        held.base = Documents(library, "recall" if held.kind == "docs" else "sentences")
    held.stamp, held.error = stamp, ""


def bases_of(
    diagrams: Sequence[str | Path] | None,
    graphs: Sequence[str | Path] | None,
    docs: Sequence[str | Path] | None,
    llm: Llm | None = None,
    *,
    encoder: Encoder | None = None,
    record: bool = False,
) -> Bases | None:
    """The bases over what was named, those that are quickly read checked; ``None`` where nothing was. With ``record``
    each question is told as a turn of a session. Raises ``BadInput`` with the place, also where the extra ``ask`` is
    missing."""
    if not (diagrams or graphs or docs or llm or record):
        return None
    from lingbot_map.ask.telling import REMEDY, missing

    if lacking := missing():
        options = "--ask-record" if record else "--ask-diagram, --ask-graph and --ask-docs"
        raise BadInput(options, "the extra ask", f"no {lacking[0]}", REMEDY)
    sessions = None
    if record:
        from lingbot_web.ask_sessions import AskSessions

        sessions = AskSessions()
    named = (map(Path, each or ()) for each in (diagrams, graphs, docs))
    bases = Bases(
        diagrams=next(named), graphs=next(named), docs=next(named), llm=llm, encoder=encoder, sessions=sessions
    )
    bases.check()
    return bases
