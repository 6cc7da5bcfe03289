"""Reading and writing safetensors, with every claim of the header checked before use.

A checkpoint may come from anywhere, so the header is treated as hostile: its size is capped,
offsets must tile the data exactly, and dtype times shape must equal the bytes. The writer emits
names in sorted order, so equal tensors give equal files.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import torch

from ..errors import TrainerError
from .reading import open_regular

MAX_HEADER_BYTES = 16 * 1024 * 1024
MAX_ENTRIES = 100_000
MAX_DIMENSIONS = 8
LARGEST_WHOLE = 2**63 - 1
DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "U8": torch.uint8,
}
# Of 8, 6 and 4 bits, as safetensors names them.
QUANTIZED = re.compile(r"F(8|6|4)_\w{1,20}|I8|I4|U4")
NAMES = {dtype: name for name, dtype in DTYPES.items()}


@dataclass(frozen=True)
class TensorEntry:
    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    begin: int
    end: int


@dataclass(frozen=True)
class Header:
    """Entries by name (offsets are relative to `data_start`), and the file's string metadata."""

    entries: dict[str, TensorEntry]
    metadata: dict[str, str]
    data_start: int


def read_header(path: Path) -> Header:
    """Parses and checks the header of `path`; raises badModel naming the first contradiction."""

    def broken(why: str) -> TrainerError:
        return TrainerError(
            "badModel",
            f"{path} is corrupt or cut short: {why}.",
            hint="Copy the file again from its source and compare its checksum.",
        )

    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            prefix = file.read(8)
            if len(prefix) < 8:
                raise broken(f"it is only {size} bytes long")
            (length,) = struct.unpack("<Q", prefix)
            if length > MAX_HEADER_BYTES or 8 + length > size:
                raise broken(f"its header claims {length} bytes but the file has {size}")
            text = file.read(length)
    except OSError as error:
        raise TrainerError("badModel", f"{path} cannot be read: {error.strerror}.") from error
    try:
        raw = json.loads(text.decode("utf-8"), object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError) as error:
        raise broken(f"its header is not valid JSON ({error})") from error
    if not isinstance(raw, dict) or len(raw) > MAX_ENTRIES:
        raise broken("its header is not a table of tensors")
    metadata = raw.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise broken("its metadata is not a table of strings")
    entries = {name: _entry(path, name, spec, broken) for name, spec in raw.items()}
    position = 0
    for entry in sorted(entries.values(), key=lambda one: (one.begin, one.end)):
        if entry.begin != position:
            raise broken(f"tensor {entry.name} does not begin where the one before it ends")
        position = entry.end
    if 8 + length + position != size:
        raise broken(f"it should have {8 + length + position} bytes but has {size}")
    return Header(entries, metadata, 8 + length)


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a name occurs twice")
    return table


def _entry(
    where: Path, name: str, spec: object, broken: Callable[[str], TrainerError]
) -> TensorEntry:
    dtype_name = spec.get("dtype") if isinstance(spec, dict) else None
    if isinstance(dtype_name, str) and QUANTIZED.fullmatch(dtype_name):
        raise TrainerError(
            "badModel",
            f"{where} holds numbers of the type {dtype_name} (tensor {name}), which are quantized "
            "and cannot be trained.",
            hint="Use the bf16, f16 or f32 files of the same model.",
        )
    if not isinstance(spec, dict) or dtype_name not in DTYPES:
        raise broken(f"tensor {name} has an unknown number type")
    shape: Any = spec.get("shape")
    offsets: Any = spec.get("data_offsets")
    if not _whole_numbers(shape) or not _whole_numbers(offsets) or len(offsets) != 2:
        raise broken(f"tensor {name} has no valid shape or offsets")
    dtype = DTYPES[dtype_name]
    begin, end = offsets
    if end - begin != math.prod(shape) * dtype.itemsize:
        raise broken(f"tensor {name} has {end - begin} bytes, not shape times number size")
    return TensorEntry(name, dtype, tuple(shape), begin, end)


def _whole_numbers(value: object) -> bool:
    # Bounded, because a product of long numbers may take hours.
    return (
        isinstance(value, list)
        and len(value) <= MAX_DIMENSIONS
        and all(
            isinstance(item, int) and not isinstance(item, bool) and 0 <= item <= LARGEST_WHOLE
            for item in value
        )
    )


def read_tensors(path: Path, header: Header | None = None) -> dict[str, torch.Tensor]:
    """All tensors of `path` by name, in the number type they are stored in."""
    return dict(each_tensor(path, header or read_header(path)))


def each_tensor(path: Path, header: Header) -> Iterator[tuple[str, torch.Tensor]]:
    """Names and tensors of `path` one after the other, so that few need be in memory at once.

    Read, not mapped into memory: a file that shrinks while it is mapped kills the process.
    """
    with open_regular(path) as file:
        for entry in sorted(header.entries.values(), key=lambda one: one.begin):
            yield entry.name, _read_entry(path, file, header, entry)


def read_tensor(path: Path, header: Header, entry: TensorEntry) -> torch.Tensor:
    """One tensor of `path`, in the number type it is stored in."""
    with open_regular(path) as file:
        return _read_entry(path, file, header, entry)


def _read_entry(
    path: Path, file: BufferedReader, header: Header, entry: TensorEntry
) -> torch.Tensor:
    data = bytearray(entry.end - entry.begin)
    file.seek(header.data_start + entry.begin)
    if file.readinto(data) != len(data):
        raise TrainerError("badModel", f"{path} became shorter while it was read.")
    if not data:
        return torch.empty(entry.shape, dtype=entry.dtype)
    return torch.frombuffer(data, dtype=entry.dtype).view(entry.shape)


# Number type and shape of tensors by name.
Shapes = Mapping[str, tuple[torch.dtype, tuple[int, ...]]]


@dataclass(frozen=True)
class WrittenHashes:
    """SHA-256 of a file, and of the tensors in it as `weights_sha256` gives it."""

    file: str
    tensors: str


def write_tensors(
    file: BinaryIO, tensors: Mapping[str, torch.Tensor], metadata: dict[str, str] | None = None
) -> WrittenHashes:
    """Writes `tensors` to an open file and returns the hashes of what was written."""
    return write_each(file, _shapes_of(tensors), tensors.__getitem__, metadata)


def write_unnamed(
    file: BinaryIO, tensors: dict[str, torch.Tensor], metadata: dict[str, str] | None = None
) -> str:
    """The same of tensors that nothing is known by; returns the hash of the file alone."""
    return _write(file, _shapes_of(tensors), tensors.__getitem__, metadata)


def write_each(
    file: BinaryIO,
    shapes: Shapes,
    tensor_of: Callable[[str], torch.Tensor],
    metadata: dict[str, str] | None = None,
) -> WrittenHashes:
    """As `write_tensors`, of tensors that are had one after the other, in the order of names.

    Hashed in the same pass: hashing a large model again takes longer than an update of it.
    """
    of_tensors = hashlib.sha256()

    def hashed(name: str) -> torch.Tensor:
        tensor = tensor_of(name)
        of_tensors.update(value_bytes(tensor))
        return tensor

    of_file = _write(file, shapes, hashed, metadata)
    return WrittenHashes(of_file, of_tensors.hexdigest())


def _shapes_of(tensors: Mapping[str, torch.Tensor]) -> Shapes:
    return {name: (tensor.dtype, tuple(tensor.shape)) for name, tensor in tensors.items()}


def _write(
    file: BinaryIO,
    shapes: Shapes,
    tensor_of: Callable[[str], torch.Tensor],
    metadata: dict[str, str] | None,
) -> str:
    table: dict[str, object] = {}
    if metadata:
        table["__metadata__"] = dict(sorted(metadata.items()))
    position = 0
    for name in sorted(shapes):
        dtype, shape = shapes[name]
        size = math.prod(shape) * dtype.itemsize
        table[name] = {
            "dtype": NAMES[dtype],
            "shape": list(shape),
            "data_offsets": [position, position + size],
        }
        position += size
    text = json.dumps(table, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)  # the format wants tensor data on an 8-byte boundary
    header = struct.pack("<Q", len(text)) + text
    digest = hashlib.sha256(header)
    file.write(header)
    for name in sorted(shapes):
        data = tensor_bytes(tensor_of(name))
        digest.update(data)
        file.write(data)
    return digest.hexdigest()


def tensor_bytes(tensor: torch.Tensor) -> memoryview:
    """The little-endian bytes of one tensor."""
    flat = tensor.detach().to("cpu").contiguous().reshape(-1)
    return as_array(flat.view(torch.uint8)).data if flat.numel() else memoryview(b"")


def as_array(tensor: torch.Tensor) -> np.ndarray:
    """A tensor on the CPU as NumPy sees it, sharing memory that can still be parked.

    Memory of which `Tensor.numpy` was asked once cannot be given back any more before its tensor
    goes.
    """
    array: np.ndarray = torch.utils.dlpack.from_dlpack(tensor).numpy()
    return array


def value_bytes(tensor: torch.Tensor) -> memoryview:
    """As `tensor_bytes`, of the values: the same for bf16 weights and for fp32 copies of them."""
    return tensor_bytes(tensor.float() if tensor.dtype == torch.bfloat16 else tensor)


def weights_sha256(tensors: Mapping[str, torch.Tensor]) -> str:
    """SHA-256 over values in name order: equal weights agree whatever file holds them."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(value_bytes(tensors[name]))
    return digest.hexdigest()
