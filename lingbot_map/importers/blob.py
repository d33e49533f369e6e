"""The bytes of one file, wherever they lie: read in pieces, expanded if they are gzip, never more than the limits."""

from __future__ import annotations

import gzip
import hashlib
import os
import stat
import tempfile
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import IO

from lingbot_map.errors import BadInput, TooLarge
from lingbot_map.importers.limits import LIMITS
from lingbot_map.importers.sse import is_sse, records

_CHUNK = 1 << 20
_HEAD = 4096  # bytes at the beginning that tell whether it is a capture of server-sent events
_BOM = b"\xef\xbb\xbf"
_SPLIT = "split it, or export fewer conversations at a time"


class Blob:
    """A file, or bytes, open for reading. ``name`` is how messages call it; ``cut`` says why it ends too early."""

    def __init__(self, source: str | os.PathLike[str] | bytes, name: str = "") -> None:
        """Raises ``TooLarge`` over the limits, ``BadInput`` for what can't be opened."""
        self.cut = ""
        self._digest = ""
        self.path: str | None = None
        self._data: bytes | None = None
        self._file: IO[bytes] | None = None
        if isinstance(source, bytes):
            self.name = name or "the upload"
            self._data = source
            self.size = len(source)
        else:
            path = os.fspath(source)
            self.name = name or os.path.basename(path)
            self._file = self._opened(path)
            self.size = os.fstat(self._file.fileno()).st_size
            self.path = path
        try:
            if self.size > LIMITS.file:
                raise TooLarge(self.name, "a file", self.size, LIMITS.file, _SPLIT)
            if self.slice(0, 2) == b"\x1f\x8b":
                self._expand()
            if is_sse(self.slice(0, _HEAD).removeprefix(_BOM)):
                self._unframe()
        except BaseException:
            self.close()
            raise
        self.start = len(_BOM) if self.slice(0, 3) == _BOM else 0

    def _opened(self, path: str) -> IO[bytes]:
        try:
            # Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
        except (OSError, ValueError) as why:
            reason = why.strerror if isinstance(why, OSError) and why.strerror else str(why)
            raise BadInput(self.name, "a file that can be read", reason) from None
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise BadInput(self.name, "a file", "something else (a folder, a device or a pipe)")
        return os.fdopen(fd, "rb", buffering=0)

    def _expand(self) -> None:
        out = tempfile.TemporaryFile()  # noqa: SIM115 (kept open for as long as the blob is)
        size = 0
        try:
            with gzip.GzipFile(fileobj=_Reader(self)) as packed:
                while chunk := packed.read(_CHUNK):
                    size += len(chunk)
                    if size > LIMITS.expanded:
                        raise TooLarge(self.name, "an expanded file", size, LIMITS.expanded, _SPLIT)
                    out.write(chunk)
        except (EOFError, zlib.error, OSError) as why:
            if not size:
                out.close()
                raise BadInput(self.name, "a gzip file", str(why)) from None
            self.cut = f"the gzip data ends or is damaged after {size:,} bytes"
        except BaseException:
            out.close()
            raise
        out.flush()
        self.close()
        self._data, self._file, self.path, self.size = None, out, None, size

    def _unframe(self) -> None:
        """Server-sent events: the records in them, each on its line."""
        out = tempfile.TemporaryFile()  # noqa: SIM115 (kept open for as long as the blob is)
        try:
            for line in records(self._ends()):
                out.write(line + b"\n")
        except BaseException:
            out.close()
            raise
        out.flush()
        self.close()
        self._data, self._file, self.path, self.size = None, out, None, out.tell()

    def _ends(self) -> Iterator[bytes]:
        """All lines, blank ones among them; one that is over the limit stays so, and no longer."""
        rest = b""
        for offset in range(len(_BOM) if self.slice(0, 3) == _BOM else 0, self.size, _CHUNK):
            parts = (rest + self.slice(offset, _CHUNK)).split(b"\n")
            rest = parts.pop()[: LIMITS.line + 64]
            yield from parts
        if rest:
            yield rest

    def slice(self, offset: int, length: int) -> bytes:
        """``length`` bytes from ``offset``, fewer at the end."""
        if self._data is not None:
            return self._data[offset : offset + length]
        assert self._file is not None
        fd = self._file.fileno()
        found = os.pread(fd, length, offset)
        while 0 < len(found) < length and (more := os.pread(fd, length - len(found), offset + len(found))):
            found += more
        return found

    def whole(self) -> bytes:
        """All of it, without a byte-order mark. Raises ``TooLarge`` for more than a document may have."""
        if self.size > LIMITS.document:
            raise TooLarge(self.name, "one document (lines of JSON may be more)", self.size, LIMITS.document, _SPLIT)
        if self._data is not None and not self.start:
            return self._data
        return self.slice(self.start, self.size)

    def digest(self) -> str:
        """What the content is known by, a byte-order mark left aside; read through once, however often it is asked."""
        if not self._digest:
            summed = hashlib.sha256()
            for offset in range(self.start, self.size, _CHUNK):
                summed.update(self.slice(offset, _CHUNK))
            self._digest = summed.hexdigest()
        return self._digest

    def lines(self) -> Iterator[tuple[int, int, bytes | None]]:
        """(number, offset, line without its end) of each line that isn't blank; None for one over the limit."""
        number, at, rest = 0, self.start, b""
        skipped = 0  # bytes of a line over the limit that were let go
        for offset in range(self.start, self.size, _CHUNK):
            parts = (rest + self.slice(offset, _CHUNK)).split(b"\n")
            rest = parts.pop()
            for part in parts:
                number += 1
                length = skipped + len(part)
                if length > LIMITS.line:
                    yield number, at, None
                elif part and not part.isspace():
                    yield number, at, part[:-1] if part.endswith(b"\r") else part
                at += length + 1
                skipped = 0
            if len(rest) + skipped > LIMITS.line:
                skipped += len(rest)
                rest = b""
        if skipped:
            yield number + 1, at, None
        elif rest and not rest.isspace():
            yield number + 1, at, rest

    def close(self) -> None:
        """No more reading."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Blob:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Reader:
    """What ``gzip`` reads from: a cursor over a blob."""

    def __init__(self, blob: Blob) -> None:
        self._blob = blob
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        found = self._blob.slice(self._at, self._blob.size if size < 0 else size)
        self._at += len(found)
        return found

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset if whence == 0 else self._at + offset
        return self._at
