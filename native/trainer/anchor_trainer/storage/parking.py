"""Weight sets that leave memory while another works, and come back to the bit.

What is parked are the blocks of memory under a set's tensors, not the tensors: these stay, with all
that knows them, and have no memory until it is brought back. A set is parked in parts that change
together, and a part that is still what its copy is of is not written again: a solver that only
answers, or the reference of a stage.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import torch

from ..errors import TrainerError, disk_error
from ..machine_memory import free_bytes, trim_heap
from ..model.reading import open_regular
from ..model.safetensors_file import Header, read_header, write_unnamed
from .atomic import replacing_file

# Bytes read, hashed and copied at a time.
PIECE = 1 << 24
# Of the machine's free memory that copies of what was on a card may take.
HOST_SHARE = 0.5
# What the copy of a part is of that was never written, or not whole.
NOTHING = object()

Blocks = list[torch.UntypedStorage]
Progress = Callable[[], None]


class Place(Protocol):
    """Where the copy of a part lies. It is written whole before any memory is given back."""

    def put(self, blocks: Blocks) -> None:
        """Replaces the copy. Where that fails there is none; raises diskFull or badRequest."""

    def fetch(self, blocks: Blocks, progressed: Progress) -> None:
        """Fills blocks of the sizes that were put; raises badModel where the copy was changed."""

    def drop(self) -> None:
        """Removes the copy, where there is one."""


class InFile:
    """A file of safetensors with its SHA-256, which this process alone reads again."""

    def __init__(self, path: Path, whose: str) -> None:
        self.path = path
        self.whose = whose
        self._sha256 = ""

    def put(self, blocks: Blocks) -> None:
        try:
            self.drop()  # the copy is of the past, and its room may be needed
            with replacing_file(self.path) as file:
                self._sha256 = write_unnamed(file, _named(blocks))
        except (OSError, TrainerError) as error:
            told = error if isinstance(error, TrainerError) else disk_error(error, str(self.path))
            raise TrainerError(
                told.kind,
                f"The weights {self.whose!r} could not be put aside while others work: "
                f"{told.message} They stay in memory, and nothing is lost.",
                retryable=told.retryable,
                hint="Free space on that disk, or set policy.offload: never where memory has room "
                "for all weights of the run.",
            ) from error

    def fetch(self, blocks: Blocks, progressed: Progress) -> None:
        try:
            self._read(blocks, read_header(self.path), progressed)
        except (OSError, TrainerError) as error:
            raise self._changed() from error

    def _read(self, blocks: Blocks, header: Header, progressed: Progress) -> None:
        digest = hashlib.sha256()
        piece = bytearray(PIECE)
        with open_regular(self.path) as file:
            digest.update(file.read(header.data_start))
            for name, block in _named(blocks).items():
                entry = header.entries.get(name)
                if entry is None or entry.end - entry.begin != block.numel():
                    raise self._changed()
                for start in range(0, block.numel(), PIECE):
                    size = min(PIECE, block.numel() - start)
                    part = memoryview(piece)[:size]
                    if file.readinto(part) != size:
                        raise self._changed()
                    digest.update(part)
                    block[start : start + size].copy_(torch.frombuffer(part, dtype=torch.uint8))
                    progressed()
            if file.read(1) or digest.hexdigest() != self._sha256:
                raise self._changed()

    def _changed(self) -> TrainerError:
        return TrainerError(
            "badModel",
            f"The weights {self.whose!r} were put aside in {self.path}, and that file is not what "
            "was written there.",
            hint="Resume the run: it goes on from its last checkpoint.",
        )

    def drop(self) -> None:
        self.path.unlink(missing_ok=True)


class InHostMemory:
    """Copies in the machine's memory of what has its place on a card."""

    def __init__(self) -> None:
        self._copies: list[torch.Tensor] = []

    def put(self, blocks: Blocks) -> None:
        self.drop()
        self._copies = [one.to("cpu", copy=True) for one in _named(blocks).values()]

    def fetch(self, blocks: Blocks, progressed: Progress) -> None:
        for block, copy in zip(_named(blocks).values(), self._copies, strict=True):
            block.copy_(copy)
            progressed()

    def drop(self) -> None:
        self._copies = []


@dataclass
class Part:
    """Tensors that change together; `as_of` is what their copy is of."""

    blocks: Blocks
    sizes: list[int]
    place: Place | None = None
    as_of: object = NOTHING
    away: bool = False

    @property
    def bytes(self) -> int:
        return sum(self.sizes)


@dataclass
class Moved:
    """Bytes that parking and bringing back wrote and read."""

    written: int = 0
    read: int = 0

    def add(self, other: Moved) -> None:
        self.written += other.written
        self.read += other.read


@dataclass
class Parking:
    """What of one weight set is in memory, by part, and where the rest is."""

    folder: Path
    name: str
    parts: dict[str, Part] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path, name: str, parts: Mapping[str, Iterable[torch.Tensor]]) -> Parking:
        """Of tensors by part. A tensor that several name belongs to the first of them."""
        found, known = cls(folder, name), set()
        for part, tensors in parts.items():
            blocks: Blocks = []
            for tensor in tensors:
                block = _block_of(tensor)
                if block._cdata not in known:
                    known.add(block._cdata)
                    blocks.append(block)
            found.parts[part] = Part(blocks, [one.nbytes() for one in blocks])
        return found

    def is_here(self, parts: Collection[str] | None = None) -> bool:
        """Whether the parts, all without a choice, are in memory."""
        return not any(one.away for one in self._chosen(parts))

    @property
    def is_gone(self) -> bool:
        """Whether no part is in memory."""
        return all(one.away or one.bytes == 0 for one in self.parts.values())

    @property
    def away_bytes(self) -> int:
        return sum(one.bytes for one in self.parts.values() if one.away)

    def park(self, as_of: Mapping[str, object], progressed: Progress) -> Moved:
        """Gives the memory of all parts back; `as_of` says by part what state it is in.

        Raises diskFull or badRequest, and then everything that was in memory still is.
        """
        moved = Moved()
        here = {name: one for name, one in self.parts.items() if not one.away}
        for name, part in here.items():
            if part.place is None or part.as_of != as_of[name]:
                place = part.place or self._place_for(name, part)
                part.place, part.as_of = place, NOTHING
                place.put(part.blocks)
                part.as_of = as_of[name]
                moved.written += part.bytes
            progressed()
        for part in here.values():
            _release(part)
        trim_heap()
        return moved

    def bring(self, parts: Collection[str] | None, progressed: Progress) -> Moved:
        """Brings the parts back, all without a choice; raises badModel, or what memory raises."""
        moved = Moved()
        for part in self._chosen(parts):
            if not part.away:
                continue
            assert part.place is not None
            try:
                for block, size in zip(part.blocks, part.sizes, strict=True):
                    block.resize_(size)
                part.place.fetch(part.blocks, progressed)
            except Exception:
                _release(part)
                raise
            part.away = False
            moved.read += part.bytes
        return moved

    def close(self) -> None:
        """Removes all copies."""
        for part in self.parts.values():
            if part.place is not None:
                part.place.drop()

    def _chosen(self, parts: Collection[str] | None) -> list[Part]:
        return [one for name, one in self.parts.items() if parts is None or name in parts]

    def _place_for(self, name: str, part: Part) -> Place:
        on_card = any(one.device.type == "cuda" for one in part.blocks)
        if on_card and part.bytes <= HOST_SHARE * free_bytes(cuda=False):
            return InHostMemory()
        return InFile(self.folder / f"{self.name}-{name}.safetensors", self.name)


def sweep(folder: Path) -> None:
    """Removes what a process that was killed left parked: nobody can bring it back."""
    shutil.rmtree(folder, ignore_errors=True)


def _named(blocks: Blocks) -> dict[str, torch.Tensor]:
    """The bytes of each block, by names in their order."""
    empty = {one.device: torch.empty(0, dtype=torch.uint8, device=one.device) for one in blocks}
    return {f"{at:06d}": empty[one.device].new_empty(0).set_(one) for at, one in enumerate(blocks)}


def _release(part: Part) -> None:
    for block in part.blocks:
        block.resize_(0)
    part.away = True


def _block_of(tensor: torch.Tensor) -> torch.UntypedStorage:
    """The memory under a tensor; bytes that were read from a file become PyTorch's own first."""
    if not tensor.untyped_storage().resizable():
        tensor.data = tensor.data.clone()
    return tensor.untyped_storage()
