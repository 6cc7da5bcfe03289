"""The header of a GGUF file, with every claim checked before use, and the tensors it points to.

The gguf package has a reader too, but it trusts the file: a list that claims more items than there
are bytes keeps it busy without end, and it maps the file into memory, where a file that shrinks
kills the process. The numbers are turned back into floats by that package.
"""

from __future__ import annotations

import math
import os
import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import gguf
import numpy as np
import torch

from ..errors import TrainerError
from .reading import open_regular

# Vocabulary and merges of 260,000 tokens take 10 MB.
MAX_HEADER_BYTES = 256 * 1024 * 1024
MAX_ENTRIES = 100_000
MAX_TEXT_BYTES = 1024 * 1024
# Of texts; lists of numbers stay as they are in the file.
MAX_ITEMS = 1 << 22
MAX_DIMENSIONS = 4
MAX_ELEMENTS = 1 << 50
# Turned into floats at once: a whole embedding would be in memory several times.
ELEMENTS_AT_ONCE = 1 << 22
FLOATS = {
    gguf.GGMLQuantizationType.F32: torch.float32,
    gguf.GGMLQuantizationType.F16: torch.float16,
    gguf.GGMLQuantizationType.BF16: torch.bfloat16,
}
# As the modules array and struct name them.
SCALARS = {
    gguf.GGUFValueType.UINT8: "B",
    gguf.GGUFValueType.INT8: "b",
    gguf.GGUFValueType.UINT16: "H",
    gguf.GGUFValueType.INT16: "h",
    gguf.GGUFValueType.UINT32: "I",
    gguf.GGUFValueType.INT32: "i",
    gguf.GGUFValueType.FLOAT32: "f",
    gguf.GGUFValueType.BOOL: "B",
    gguf.GGUFValueType.UINT64: "Q",
    gguf.GGUFValueType.INT64: "q",
    gguf.GGUFValueType.FLOAT64: "d",
}


@dataclass(frozen=True)
class GgufTensor:
    """Where one tensor lies; `shape` is in the order of torch, `begin` counts from the file's."""

    name: str
    kind: gguf.GGMLQuantizationType
    shape: tuple[int, ...]
    begin: int
    size: int

    @property
    def dtype(self) -> torch.dtype:
        """What its values are kept in: a value of eight bits or fewer needs no more than bf16."""
        return FLOATS.get(self.kind, torch.bfloat16)


@dataclass(frozen=True)
class GgufHeader:
    """Lists of texts are lists, lists of numbers arrays."""

    path: Path
    metadata: dict[str, Any]
    tensors: dict[str, GgufTensor]

    def broken(self, why: str) -> TrainerError:
        return broken(self.path, why)


def broken(path: Path, why: str) -> TrainerError:
    return TrainerError(
        "badModel",
        f"{path} is not a usable GGUF file: {why}.",
        hint="Copy it again from its source.",
    )


def read_gguf(path: Path) -> GgufHeader:
    """Reads and checks all but the weights; raises badModel with one sentence."""
    with open_regular(path) as file:
        return _Reader(path, file).header()


def each_part(file: BinaryIO, path: Path, tensor: GgufTensor) -> Iterator[torch.Tensor]:
    """The values of `tensor`, a few whole rows at a time and flat, in its `dtype`.

    Raises badModel for values that are no finite numbers.
    """
    block, size = gguf.GGML_QUANT_SIZES[tensor.kind]
    row = tensor.shape[-1] // block * size
    rows = math.prod(tensor.shape[:-1])
    step = max(1, ELEMENTS_AT_ONCE // tensor.shape[-1])
    file.seek(tensor.begin)
    for start in range(0, rows, step):
        count = min(step, rows - start)
        data = bytearray(count * row)
        if file.readinto(data) != len(data):  # type: ignore[attr-defined]
            raise broken(path, "it became shorter while it was read")
        if tensor.kind in FLOATS:
            values = torch.frombuffer(data, dtype=tensor.dtype)
        else:
            packed = np.frombuffer(data, np.uint8).reshape(count, row)
            with np.errstate(all="ignore"):  # what comes of damaged scales is told below
                floats = gguf.quants.dequantize(packed, tensor.kind)
            values = torch.from_numpy(floats).to(tensor.dtype).reshape(-1)
        if not torch.isfinite(values).all():
            raise broken(path, f"the tensor {tensor.name} holds values that are no numbers")
        yield values


class _Reader:
    """Reads forwards; what is asked for beyond the end is a fault of the file."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self.file = file
        self.size = os.fstat(file.fileno()).st_size
        self.position = 0

    def header(self) -> GgufHeader:
        if self.take(4) != b"GGUF":
            raise self.fault("it does not begin with the GGUF mark")
        version = self.number("<I")
        if version not in (2, 3):
            raise self.fault(f"it has GGUF version {version}, and only 2 and 3 can be read")
        tensors, entries = self.number("<Q"), self.number("<Q")
        for count, what in ((tensors, "tensors"), (entries, "metadata entries")):
            if count > MAX_ENTRIES:
                raise self.fault(f"it claims {count:,} {what}, which no model has")
        metadata: dict[str, Any] = {}
        for _ in range(entries):
            key = self.text("the name of a metadata entry")
            if key in metadata:
                raise self.fault(f"the metadata entry {key[:80]!r} appears twice")
            metadata[key] = self.value(self.number("<I"), f"the metadata entry {key[:80]!r}")
        places = [self.place() for _ in range(tensors)]
        return GgufHeader(self.path, metadata, self.placed(places, metadata))

    def place(self) -> GgufTensor:
        name = self.text("the name of a tensor")
        where = f"the tensor {name[:80]!r}"
        dimensions = self.number("<I")
        if not 1 <= dimensions <= MAX_DIMENSIONS:
            raise self.fault(f"{where} has {dimensions:,} dimensions")
        shape = tuple(reversed(struct.unpack(f"<{dimensions}Q", self.take(8 * dimensions))))
        code, offset = self.number("<I"), self.number("<Q")
        elements = math.prod(shape)
        if not 0 < elements <= MAX_ELEMENTS:
            raise self.fault(f"{where} claims the shape {list(shape)}")
        try:
            kind = gguf.GGMLQuantizationType(code)
            block, size = gguf.GGML_QUANT_SIZES[kind]
            if kind not in FLOATS:
                gguf.quants.dequantize(np.zeros((1, size), np.uint8), kind)
        except (ValueError, KeyError, NotImplementedError) as error:
            raise self.fault(f"{where} has the number type {code}, which is not known") from error
        if shape[-1] % block:
            raise self.fault(f"rows of {where} do not divide into blocks of {block}")
        return GgufTensor(name, kind, shape, offset, elements // block * size)

    def placed(self, places: list[GgufTensor], metadata: dict[str, Any]) -> dict[str, GgufTensor]:
        """The same by name, with their places counted from the beginning of the file."""
        alignment = metadata.get("general.alignment", gguf.GGUF_DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or not 0 < alignment <= 65536:
            raise self.fault("its alignment is not a number of bytes")
        start = -(-self.position // alignment) * alignment
        found: dict[str, GgufTensor] = {}
        end = start
        for one in sorted(places, key=lambda place: place.begin):
            begin = start + one.begin
            if begin + one.size > self.size:
                raise self.fault(
                    f"the tensor {one.name[:80]!r} would end at byte {begin + one.size:,} of "
                    f"{self.size:,}"
                )
            if begin < end or one.name in found:
                raise self.fault(f"the tensor {one.name[:80]!r} lies over another one")
            end = begin + one.size
            found[one.name] = GgufTensor(one.name, one.kind, one.shape, begin, one.size)
        return found

    def value(self, code: int, where: str) -> Any:
        if code == gguf.GGUFValueType.STRING:
            return self.text(where)
        if code == gguf.GGUFValueType.ARRAY:
            return self.items(where)
        value = self.numbers(code, 1, where)[0]
        if code == gguf.GGUFValueType.BOOL:
            return value != 0
        # 1e-5 that was kept in 32 bits is 1e-5 again.
        return float(str(np.float32(value))) if code == gguf.GGUFValueType.FLOAT32 else value

    def items(self, where: str) -> list[str] | array[Any]:
        code, count = self.number("<I"), self.number("<Q")
        if code != gguf.GGUFValueType.STRING:
            return self.numbers(code, count, where)
        if count > MAX_ITEMS:
            raise self.fault(f"{where} claims {count:,} texts, which no vocabulary has")
        return [self.text(where) for _ in range(count)]

    def numbers(self, code: int, count: int, where: str) -> array[Any]:
        if code not in SCALARS:
            raise self.fault(f"{where} has the type {code}, which is not known")
        values: array[Any] = array(SCALARS[gguf.GGUFValueType(code)])
        values.frombytes(self.take(values.itemsize * count))
        return values

    def text(self, where: str) -> str:
        length = self.number("<Q")
        if length > MAX_TEXT_BYTES:
            raise self.fault(f"{where} claims to be {length:,} bytes long")
        try:
            return self.take(length).decode()
        except UnicodeDecodeError as error:
            raise self.fault(f"{where} is not valid text") from error

    def number(self, form: str) -> int:
        value: int = struct.unpack(form, self.take(struct.calcsize(form)))[0]
        return value

    def take(self, count: int) -> bytes:
        self.position += count
        if self.position > self.size:
            raise self.fault("it ends in the middle of its header")
        if self.position > MAX_HEADER_BYTES:
            raise self.fault(f"its header is larger than {MAX_HEADER_BYTES:,} bytes")
        return self.file.read(count)

    def fault(self, why: str) -> TrainerError:
        return broken(self.path, why)
