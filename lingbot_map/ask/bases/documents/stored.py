"""A library on disk: its documents and the vectors of their sentences, in one file whose every part is checked.

``open_stored`` compares a checksum of each part before anything is answered; a damaged file is refused with the part
that fails. Words, names and links are made again from the documents; vectors, which cost most, are not.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lingbot_map.ask.bases.documents.files import Document, Folder, Line, Row
from lingbot_map.ask.bases.documents.library import Library
from lingbot_map.ask.bases.documents.vectors import Encoder, Vectors
from lingbot_map.errors import BadInput

NAME = "ask.graph"
_MAGIC = b"LBASK001"
_LARGEST_HEAD = 256 * 1024 * 1024


def save(library: Library, folder: Path) -> Path:
    """Write the present snapshot to ``folder``; the file appears whole or not at all."""
    snapshot = library.snapshot
    text = json.dumps(
        {
            "documents": [asdict(document) for document in snapshot.documents.values()],
            "fine": [asdict(row) for row in snapshot.fine],
            "graph": [asdict(row) for row in snapshot.graph],
            "synonyms": library.synonyms,
        },
        ensure_ascii=False,
    ).encode()
    parts = {"documents": text, **_vector_parts(snapshot.vectors)}
    head: dict[str, Any] = {"encoder": library.encoder.name if library.encoder else "", "parts": {}}
    at = 0
    for name, data in parts.items():
        head["parts"][name] = {
            "at": at,
            "size": len(data),
            "blake2b": hashlib.blake2b(data, digest_size=16).hexdigest(),
        }
        at += len(data)
    opening = json.dumps(head).encode()
    check = hashlib.blake2b(opening, digest_size=16).digest()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    fresh = path.with_suffix(".new")
    with fresh.open("wb") as file:
        for piece in (_MAGIC, struct.pack("<Q", len(opening)), check, opening, *parts.values()):
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    return path


def _vector_parts(vectors: Vectors) -> dict[str, bytes]:
    if vectors.encoder is None or not vectors.blocks:
        return {}
    import numpy as np

    sizes = json.dumps({id: list(block.shape) for id, block in vectors.blocks.items()}, ensure_ascii=False).encode()
    rows = np.concatenate(list(vectors.blocks.values()))
    return {"vector sizes": sizes, "vectors": (rows * 127).round().astype(np.int8).tobytes()}


def open_stored(folder: Path, *, encoder: Encoder | None = None) -> Library:
    """The library that ``save`` wrote. Raises ``BadInput`` naming the file and the damaged part."""
    path = folder / NAME
    if not path.is_file():
        raise BadInput(str(path), "a stored library", "no file")
    parts, made_by = _checked(path)
    try:
        data = json.loads(bytes(parts["documents"]))
        read = Folder(
            documents=tuple(_document(each) for each in data["documents"]),
            fine=tuple(Row(**row) for row in data["fine"]),
            graph=tuple(Row(**row) for row in data["graph"]),
            synonyms=tuple(tuple(group) for group in data["synonyms"]),
        )
    except (ValueError, KeyError, TypeError) as why:
        raise BadInput(f"{path} documents", "documents as they were saved", str(why)) from None
    same = encoder is not None and encoder.name == made_by and "vectors" in parts
    return Library(read, encoder=encoder, vectors=_vectors(path, parts, encoder) if same else None)


def _document(data: dict[str, Any]) -> Document:
    return Document(
        **{**data, "lines": tuple(Line(**line) for line in data["lines"]), "version": tuple(data["version"])}
    )


def _vectors(path: Path, parts: dict[str, Any], encoder: Encoder | None) -> Vectors:
    import numpy as np

    sizes = json.loads(bytes(parts["vector sizes"]))
    rows = np.frombuffer(parts["vectors"], np.int8)
    blocks, at = {}, 0
    for id, (count, width) in sizes.items():
        blocks[id] = rows[at : at + count * width].reshape(count, width).astype(np.float32) / 127
        at += count * width
    if at != len(rows):
        raise BadInput(f"{path} vectors", f"{at} numbers", f"{len(rows)}")
    return Vectors(encoder, blocks)


def _checked(path: Path) -> tuple[dict[str, Any], str]:
    """The parts of a file, each compared with its checksum, and the encoder that made its vectors."""
    data = memoryview(path.read_bytes())
    start = len(_MAGIC) + 8 + 16
    if bytes(data[: len(_MAGIC)]) != _MAGIC or len(data) < start:
        raise BadInput(f"{path} head", "a stored library", "another file", "build it again from the documents")
    (length,) = struct.unpack("<Q", data[len(_MAGIC) : len(_MAGIC) + 8])
    opening = data[start : start + length]
    if length > _LARGEST_HEAD or hashlib.blake2b(opening, digest_size=16).digest() != bytes(data[start - 16 : start]):
        raise _damaged(path, "head")
    head = json.loads(bytes(opening))
    parts: dict[str, Any] = {}
    end = start + length
    for name, part in head["parts"].items():
        begin = start + length + part["at"]
        parts[name] = data[begin : begin + part["size"]]
        end = begin + part["size"]
        if hashlib.blake2b(parts[name], digest_size=16).hexdigest() != part["blake2b"]:
            raise _damaged(path, name)
    if end != len(data):
        raise _damaged(path, "end")
    return parts, str(head["encoder"])


def _damaged(path: Path, part: str) -> BadInput:
    return BadInput(f"{path} {part}", "what was saved", "other bytes", "build it again from the documents")
