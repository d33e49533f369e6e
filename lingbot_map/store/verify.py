"""Looking at every byte of a data folder: ``lingbot-map verify``.

Each log is read to the end, replayed, and each snapshot held against the replay. With ``repair`` what is damaged is
mended as a start would mend it; otherwise nothing is written at all.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

import orjson

from lingbot_map import codec
from lingbot_map.errors import DataFolderBusy, LingbotMapError, UnknownSession
from lingbot_map.events import EpochStarted, Event, Gap, event_to_dict
from lingbot_map.graph import DialogueMap
from lingbot_map.legible import legible
from lingbot_map.mapper import Mapper
from lingbot_map.store import Damage
from lingbot_map.store.disk import Quarantine
from lingbot_map.store.files import FileStore, case_key
from lingbot_map.store.recording import LOG, FileRecording

_KEY = re.compile(r"[0-9a-f]{32}")
_MARKS = ("lock", "index.sqlite3", "cases")
"""What stands in a data folder, also before anything was recorded."""

_NAMED = 5  # files of a quarantine that a line names

CLEAN, REFUSED, DAMAGED, BUSY = 0, 3, 1, 4
"""Exit codes: all is well or was mended; something was refused; there is damage that was not to be repaired; another
process writes the folder that was to be repaired."""


@dataclass(slots=True)
class SessionReport:
    """What was found of one session.

    ``status`` is "clean", "repaired", "damaged" (found, not to be repaired) or "refused". ``lost`` are seqs found lost
    in this run, ``gaps`` all that the log declares as damaged, ``missing`` what its sources sent and never arrived.
    ``quarantine`` names what was put aside, in this run or before, as damaged: it is never deleted.
    ``own`` are the statements of recoveries; ``events`` has the content hash of every other event.
    """

    key: str
    id: str = ""
    status: str = "clean"
    refused: str = ""
    last_seq: int = 0
    lost: list[tuple[int, int]] = field(default_factory=list)
    gaps: list[tuple[int, int]] = field(default_factory=list)
    missing: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    own: list[int] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    digest: str = ""
    events: dict[int, str] = field(default_factory=dict)
    quarantine: list[str] = field(default_factory=list)

    @property
    def mended(self) -> bool:
        """Whether it is whole now, and was not always."""
        return self.status == "clean" and bool(self.gaps or self.quarantine)


@dataclass(slots=True)
class FolderReport:
    """What was found in one data folder."""

    folder: str
    sessions: list[SessionReport] = field(default_factory=list)
    refused: str = ""
    busy: bool = False
    empty: list[str] = field(default_factory=list)
    """Keys of folders whose log is empty, without anything beside it that says what it held."""

    @property
    def status(self) -> str:
        found = {session.status for session in self.sessions} | ({"refused"} if self.refused else set())
        return next((status for status in ("refused", "damaged", "repaired") if status in found), "clean")

    @property
    def exit_code(self) -> int:
        return BUSY if self.busy else {"refused": REFUSED, "damaged": DAMAGED}.get(self.status, CLEAN)

    def as_json(self) -> bytes:
        """One line for programs. A single session's events are keyed by seq, those of several by KEY/seq."""
        several = len(self.sessions) != 1
        digests = "".join(sorted(session.digest for session in self.sessions))
        out: dict[str, Any] = {
            "folder": self.folder,
            "status": self.status,
            "last_seq": max((session.last_seq for session in self.sessions), default=0),
            "gaps": [gap for session in self.sessions for gap in session.gaps],
            "digest": hashlib.sha256(digests.encode()).hexdigest(),
            "events": {
                f"{session.key}/{seq}" if several else str(seq): content
                for session in self.sessions
                for seq, content in session.events.items()
            },
            "own": [seq for session in self.sessions for seq in session.own],
            "refused": self.refused,
            "empty": self.empty,
            "sessions": [
                {key: value for key, value in asdict(session).items() if key != "events"} for session in self.sessions
            ],
        }
        return orjson.dumps(legible(out)) + b"\n"

    def as_text(self) -> str:
        """For people: what is wrong, file and line first; then how many are well. Of a folder that was refused as a
        whole nothing was read, and nothing is counted."""
        place = f"{shown(self.folder)}: "
        if self.refused:
            return ("" if self.busy else place) + self.refused + "\n"  # who is busy is said with the folder
        lines = []
        for session in self.sessions:
            if session.status == "clean" and not session.mended:
                continue
            said = "mended before, and clean now" if session.mended else session.status
            lines.append(f"session {shown(session.id) if session.id else session.key}: {said}")
            if session.refused:
                lines.append(f"  {session.refused}")
            lines += [f"  {shown(str(damage))}" for damage in session.damage]
            gone = session.gaps if session.mended else session.lost
            lines += [f"  events {first} to {last} are lost" for first, last in gone]
            if session.quarantine:
                lines.append(f"  put aside in {session.key}/quarantine: {_listed(session.quarantine)}")
        for key in self.empty:
            lines.append(f"{key}: its log is empty, and nothing beside it says what it held or whose it was")
        clean = sum(session.status == "clean" for session in self.sessions)
        mended = sum(session.mended for session in self.sessions)
        events = sum(len(session.events) for session in self.sessions)
        before = f" ({mended} of them mended before)" if mended else ""
        lines.append(f"{place}{clean} of {len(self.sessions)} sessions clean{before}, {events:,} events read")
        return "\n".join(lines) + "\n"


def verify(folders: Iterable[Path], out: TextIO, *, repair: bool = False, as_json: bool = False) -> int:
    """Look at each folder and report it on ``out``. The worst of the folders decides the exit code returned."""
    worst = CLEAN
    for folder in folders:
        report = examine(folder, repair=repair)
        out.write(report.as_json().decode() if as_json else report.as_text())
        out.flush()
        worst = max(worst, report.exit_code)
    return worst


def verify_stream(lines: Iterable[str], out: TextIO, *, repair: bool = False) -> int:
    """The same for folders named one a line, each answered by one line of JSON as soon as it is there."""
    return verify((Path(line.rstrip("\n")) for line in lines if line.strip()), out, repair=repair, as_json=True)


def examine(folder: Path, *, repair: bool = False) -> FolderReport:
    """Look at one data folder, or at one session's folder in it. What can't be opened is reported as refused, never
    raised."""
    report = FolderReport(str(folder))
    report.refused = _no_folder(folder)
    if report.refused:
        return report
    if os.path.lexists(folder / LOG):
        folder = folder.absolute()
        place = folder.parent
        key = folder.name if _KEY.fullmatch(folder.name) else case_key(folder)
        # A session stands in a data folder under its key; elsewhere it is a committed case, which is never mended.
        repair = repair and key == folder.name and place.name != "cases"
    else:
        place, key = folder, ""
    try:
        store = FileStore(place, read_only=not repair, cases=place if key else None)
    except (LingbotMapError, OSError) as why:
        report.refused, report.busy = shown(str(why)), isinstance(why, DataFolderBusy)
        return report
    try:
        keys = [key] if key else sorted(store.keys())
        report.sessions = [_session(store, key, repair) for key in keys]
        report.empty = [] if key else _empty(place, set(keys))
    finally:
        store.leave()
    return report


def _empty(folder: Path, known: set[str]) -> list[str]:
    """Session folders with an empty log and nothing else: a start passes over them, for there is nothing to show."""
    names = sorted(name for name in os.listdir(folder) if _KEY.fullmatch(name) and name not in known)
    return [name for name in names if os.path.lexists(folder / name / LOG)]


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(map(shown, names[:_NAMED])) + more


def no_data_folder(folder: Path) -> str:
    """Why ``folder`` is neither a data folder nor that of a session; "" if it is one."""
    why = _no_folder(folder)
    if why or os.path.lexists(folder / LOG) or any(os.path.lexists(folder / name) for name in _MARKS):
        return why
    if not os.access(folder, os.R_OK | os.X_OK):
        return ""  # said of it when it is read
    return "" if FileStore(folder, read_only=True).keys() else "a folder without any recording"


def _no_folder(folder: Path) -> str:
    try:
        return "" if stat.S_ISDIR(folder.stat().st_mode) else "not a folder"
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL in the name
        return "no such folder"
    except OSError as why:
        return f"can't be looked at ({why.strerror})"


def _session(store: FileStore, key: str, repair: bool) -> SessionReport:
    report = SessionReport(key)
    try:
        recording = store.open(key)
        report.id = recording.session
        recovered = recording.recover(time.time(), whole=True)
        _replay(recording, report)
    except UnknownSession:  # left as it is: there is nothing to mend it from
        report.status = "damaged"
        why = "holds no event and not the name of its session; it can't be mended, move it away or `forget` its key"
        report.damage = [Damage(str(store.folder / key), 0, why)]
        return report
    except (LingbotMapError, OSError) as why:
        report.status, report.refused = "refused", shown(str(why))
        return report
    else:
        report.lost, report.quarantine = recovered.lost, Quarantine(recording.folder).names()
        report.damage += [damage for damage in recording.damage if damage not in report.damage]
        if not recovered.clean or report.damage:
            report.status = "damaged"
        store.release(key)
        if recording.trouble is not None:
            report.status, report.refused = "refused", str(recording.trouble)
    if report.status == "damaged" and repair and not (report.id and recording.read_only):
        report.status = "repaired"
    return report


def _replay(recording: FileRecording, report: SessionReport) -> None:
    """Replay the whole log; on the way hold each snapshot against the map as it is there."""
    mapper = Mapper(session=recording.session)
    rungs = recording.snapshot_seqs()
    for event in recording.events():
        mapper.apply(event)
        signal = event.signal
        if isinstance(signal, Gap) and not signal.source and signal.why == "damaged":
            report.gaps.append((signal.first, signal.last))
            report.own.append(event.seq)
        elif isinstance(signal, EpochStarted) and signal.why == "recovered":
            report.own.append(event.seq)
        else:
            report.events[event.seq] = content_hash(event)
        if event.seq in rungs and not _agrees(recording, mapper.map):
            recording.distrust(event.seq)
            path = recording.folder / f"{event.seq:012d}.snapshot"
            report.damage.append(Damage(str(path), 0, "does not hold what the log says; it is not used"))
    report.last_seq = recording.last_seq
    for lost in mapper.map.losses.values():
        if lost.source:
            report.missing.setdefault(lost.source, []).append((lost.first, lost.last))
    report.digest = digest_of(mapper.map)


def _agrees(recording: FileRecording, map: DialogueMap) -> bool:
    """Whether the snapshot at the map's seq holds this map. One of another version says nothing, and is no damage."""
    for seq, packed in recording.snapshots(map.cursor.seq):
        if seq != map.cursor.seq:
            break
        try:
            return codec.dump(codec.unpack(packed)) == codec.dump(map)
        except ValueError:
            break
    return True


def digest_of(map: DialogueMap) -> str:
    """Equal for equal maps."""
    return hashlib.sha256(orjson.dumps(codec.dump(map), option=orjson.OPT_SORT_KEYS)).hexdigest()


def content_hash(event: Event) -> str:
    """Equal for equal events."""
    return hashlib.sha256(orjson.dumps(event_to_dict(event), option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def shown(text: str) -> str:
    """Foreign text made safe for a terminal: control, bidi and other unseen characters are spelt out."""
    return "".join(
        c if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") else f"\\u{ord(c):04x}"
        for c in text
    )
