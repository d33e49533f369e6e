"""Making an index, and bringing it up to what changed: which documents, and their words, names and vectors anew."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lingbot_map.ask.bases.documents import files, seal, tables
from lingbot_map.ask.bases.documents.files import Document, File
from lingbot_map.ask.bases.documents.mapped import packed
from lingbot_map.ask.bases.documents.tables import Source, Writer
from lingbot_map.ask.bases.documents.vectors import Encoder
from lingbot_map.ask.text import folded, words
from lingbot_map.errors import BadInput

Progress = Callable[[int, int], object]
"""Hears (documents done, documents in all)."""
_ENCODED = 2_000  # sentences that are encoded at once


def _made_with() -> str:
    """What tells that words were cut and folded as they are now: both rest on packages that may come or go."""
    return " ".join((*words("文档库管理员"), folded("圖書館")))


def fits(db: sqlite3.Connection) -> bool:
    """Whether an index was made as one would be made now."""
    return tables.part(db, "made with") == _made_with()


@dataclass(frozen=True, slots=True)
class Changes:
    """What of a folder isn't in its index as it is now."""

    read: tuple[File, ...]
    gone: tuple[str, ...]
    tables: bool
    other: bool
    """Words are cut otherwise, or vectors of another encoder are wanted."""

    @classmethod
    def of(cls, db: sqlite3.Connection, found: Sequence[File], encoder: Encoder | None) -> Changes:
        """The files ``found`` beside an index."""
        known = {id: (size, changed) for id, size, changed in db.execute("select id, size, changed from doc")}
        documents = [each for each in found if not each.is_table]
        gone = known.keys() - {each.id for each in documents}
        return cls(
            read=tuple(each for each in documents if known.get(each.id) != (each.size, each.changed)),
            gone=tuple(sorted(gone)),
            tables=tables.part(db, "tables") != _stamp(found),
            other=not fits(db) or _unencoded(db, encoder),
        )

    @property
    def none(self) -> bool:
        """Whether nothing changed."""
        return not (self.read or self.gone or self.tables or self.other)


def build(home: Path, found: Sequence[File], encoder: Encoder | None, progress: Progress | None) -> seal.Seal:
    """A new index beside whatever is there; nothing points to it before its seal is written."""
    name = f"words-{secrets.token_hex(6)}.db"
    path = home / name
    documents = [each for each in found if not each.is_table]
    try:
        db = sqlite3.connect(path, isolation_level=None)
        try:
            for setting in ("journal_mode=off", "synchronous=off", "temp_store=file", "cache_size=-65536"):
                db.execute(f"pragma {setting}")
            db.execute("begin")
            tables.create(db)
            writer = Writer.first(db)
            rows: list[int] = []
            for batch in tables.batches(_read(documents)):
                rows += [row for row, _, _ in writer.add(batch)]
                _tell(progress, len(rows) * 3 // 4, len(documents))
            writer.count_forms()
            for at in range(0, len(rows), tables.BATCH):
                writer.finish(rows[at : at + tables.BATCH], len(rows))
                _tell(progress, (3 * len(rows) + at) // 4, len(documents))
            writer.settle()
            _say(writer, found)
            vectors = _encode(db, home, encoder)
            db.execute("commit")
            db.execute("pragma journal_mode=wal")
        finally:
            db.close()
        fd = os.open(path, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
    except BaseException:
        for each in (path, *home.glob(f"{name}-*")):
            each.unlink(missing_ok=True)
        raise
    made = seal.Seal()
    for file in (name, *([vectors] if vectors else [])):
        made.close(home, file)
    return made


def change(
    db: sqlite3.Connection,
    home: Path,
    known: seal.Seal,
    found: Sequence[File],
    encoder: Encoder | None,
    progress: Progress | None,
) -> None:
    """Bring an index up to date, in one transaction."""
    db.execute("begin immediate")
    try:
        changes = Changes.of(db, found, encoder)
        writer = Writer.over(db)
        rows: list[int] = []
        done = 0
        for batch in tables.batches(_read(changes.read)):
            done += len(batch)
            fresh = [each for each in batch if not _same(db, *each)]
            writer.remove(document.id for document, _ in fresh)
            rows += [row for row, _, _ in writer.add(fresh)]
            _tell(progress, done, len(changes.read))
        writer.remove(changes.gone)
        writer.count_forms()
        (total,) = db.execute("select count(*) from doc").fetchone()
        writer.finish(rows, total)
        if changes.tables:
            _say(writer, found)
        vectors = _encode(db, home, encoder, known)
        if vectors and vectors not in known.files:
            known.files = {known.database: known.files[known.database], vectors: []}
        db.execute("commit")
    except BaseException:
        db.execute("rollback")
        raise


def _read(found: Iterable[File]) -> Iterator[tuple[Document, Source]]:
    for each, text in files.texts(found):
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
        yield files.document(each.id, text), Source(size=each.size, changed=each.changed, digest=digest)


def _same(db: sqlite3.Connection, document: Document, source: Source) -> bool:
    """Whether a file was only touched; what it was then is noted."""
    found = db.execute("select digest from doc where id=?", (document.id,)).fetchone()
    if found is None or found[0] != source.digest:
        return False
    db.execute("update doc set size=?, changed=? where id=?", (source.size, source.changed, document.id))
    return True


def _say(writer: Writer, found: Sequence[File]) -> None:
    writer.say(files.read_tables(each.path for each in found if each.is_table))
    writer.put("tables", _stamp(found))
    writer.put("made with", _made_with())


def _stamp(found: Iterable[File]) -> str:
    return json.dumps([(each.id, each.size, each.changed) for each in found if each.is_table])


def _unencoded(db: sqlite3.Connection, encoder: Encoder | None) -> bool:
    if encoder is None:
        return False
    missing = db.execute("select 1 from doc where vector is null and count > 0 limit 1").fetchone()
    return missing is not None or tables.part(db, "encoder") != encoder.name


def _encode(db: sqlite3.Connection, home: Path, encoder: Encoder | None, known: seal.Seal | None = None) -> str:
    """Add the vectors that are missing to their file, or begin another; its name, "" without an encoder."""
    if encoder is None:
        return ""
    name = tables.part(db, "vectors")
    width = int(tables.part(db, "width") or 0)
    (live, end) = db.execute("select coalesce(sum(count), 0), coalesce(max(vector + count), 0) from doc").fetchone()
    mine = seal.is_vectors(name) and (home / name).is_file()
    if tables.part(db, "encoder") != encoder.name or not mine or end > 2 * live + _ENCODED:
        db.execute("update doc set vector = null")
        name, end, width = f"vectors-{secrets.token_hex(6)}.i8", 0, 0
    if known is not None and name in known.files:
        known.strike(name, set(range(end * width // seal.PIECE, len(known.files[name]) + 1)))
        seal.write(home, known)
    with (home / name).open("r+b" if end else "wb") as file:
        file.truncate(end * width)
        file.seek(0, os.SEEK_END)
        for batch in _to_encode(db):
            rows = encoder.encode([text for _, texts in batch for text in texts])
            if width and rows.shape[1] != width:
                raise BadInput(encoder.name, f"vectors of {width} numbers", str(rows.shape[1]), seal.REMEDY)
            width = int(rows.shape[1])
            file.write(packed(rows))
            for row, texts in batch:
                db.execute("update doc set vector=? where row=?", (end, row))
                end += len(texts)
        file.flush()
        os.fsync(file.fileno())
    for part, value in (("encoder", encoder.name), ("vectors", name), ("width", str(width))):
        db.execute("insert or replace into part values(?,?)", (part, value))
    return name


def _to_encode(db: sqlite3.Connection) -> Iterator[list[tuple[int, list[str]]]]:
    """(row, texts) of documents without vectors, some ``_ENCODED`` sentences at once."""
    batch: list[tuple[int, list[str]]] = []
    size = 0
    wanted = db.execute("select row, title, first, count from doc where vector is null and count > 0").fetchall()
    for row, title, first, count in wanted:
        said = db.execute("select text from line where row between ? and ? order by row", (first, first + count - 1))
        batch.append((row, [f"{title}: {text}" for (text,) in said]))
        size += count
        if size >= _ENCODED:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _tell(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)
