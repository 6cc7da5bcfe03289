"""Where AdamW's first and second moments are kept: in fp32, or in eight bits block by block.

Eight bits are those of Dettmers et al. 2022 (8-bit Optimizers via Block-wise Quantization): a
tensor is cut into blocks of 256 elements, a block is divided by the size of its largest element,
and each quotient becomes the nearest of 256 fixed numbers, which lie denser towards zero. The code
is our own because the steps of the libraries are not transactional: bitsandbytes moves a parameter
and only then asks for the memory in which its moments are rounded, and torchao compiles its step
on the machine that trains.
"""

from __future__ import annotations

from typing import Protocol

import torch

from .trained import FP32_BYTES, TrainedParameters

BLOCK = 256
# Norms and biases are few, and no block of theirs is alike: their moments stay in fp32.
FEWEST_IN_BLOCKS = 4096
DECADES = 7


class Moments(Protocol):
    """The first or the second moments of all trained tensors.

    A step opens each slice, moves it and closes it. Slices begin at a multiple of BLOCK. `into` is
    fp32 and `indices` int32, both as long as the slice rounded up to whole blocks: room that a step
    has asked for beforehand.
    """

    def open(
        self, name: str, start: int, end: int, into: torch.Tensor, indices: torch.Tensor
    ) -> torch.Tensor:
        """Elements [start, end) of a tensor in fp32, to be moved in place."""

    def close(
        self, name: str, start: int, end: int, into: torch.Tensor, indices: torch.Tensor
    ) -> None:
        """Keeps what became of an opened slice."""

    def named(self, trained: TrainedParameters) -> dict[str, torch.Tensor]:
        """What is kept, under the names of a checkpoint's file; filled in place when it is read."""

    def byte_count(self) -> int: ...


class Float32Moments:
    """fp32: what is opened is what is kept."""

    def __init__(self, masters: dict[str, torch.Tensor]) -> None:
        self.values = {
            name: torch.zeros_like(one, dtype=torch.float32) for name, one in masters.items()
        }

    def open(
        self, name: str, start: int, end: int, into: torch.Tensor, indices: torch.Tensor
    ) -> torch.Tensor:
        return self.values[name].view(-1)[start:end]

    def close(
        self, name: str, start: int, end: int, into: torch.Tensor, indices: torch.Tensor
    ) -> None:
        pass

    def named(self, trained: TrainedParameters) -> dict[str, torch.Tensor]:
        return trained.named(self.values)

    def byte_count(self) -> int:
        return sum(one.numel() * one.itemsize for one in self.values.values())

    @staticmethod
    def bytes_of(count: int) -> int:
        """Of `count` parameters."""
        return FP32_BYTES * count


class BlockwiseMoments:
    """Eight bits an element and an fp32 scale a block; small tensors in fp32.

    Without `signed` a moment that is not zero is never rounded to zero: it is divided by, and its
    parameter would be thrown off.
    """

    def __init__(self, masters: dict[str, torch.Tensor], *, signed: bool) -> None:
        large = {name: one for name, one in masters.items() if one.numel() >= FEWEST_IN_BLOCKS}
        self.exact = Float32Moments({k: v for k, v in masters.items() if k not in large})
        self.codes: dict[str, torch.Tensor] = {}
        self.scales: dict[str, torch.Tensor] = {}
        for name, one in large.items():
            count, device = one.numel(), one.device
            self.codes[name] = torch.zeros(count, dtype=torch.uint8, device=device)
            self.scales[name] = torch.zeros(-(-count // BLOCK), device=device)
        device = next((one.device for one in masters.values()), torch.device("cpu"))
        table = dynamic_numbers(signed)
        self._table = table.to(torch.float32).to(device)
        bounds = (table[:-1] + table[1:]) / 2
        if not signed:
            bounds[0] = 0.0
        self._bounds = bounds.to(torch.float32).to(device)

    def open(
        self, name: str, start: int, end: int, into: torch.Tensor, indices: torch.Tensor
    ) -> torch.Tensor:
        if name not in self.codes:
            return self.exact.open(name, start, end, into, indices)
        count = end - start
        indices[:count].copy_(self.codes[name][start:end])
        torch.index_select(self._table, 0, indices[:count], out=into[:count])
        blocks, scales = self._blocks(name, start, end, into)
        into[count : blocks.numel()].zero_()
        blocks.mul_(scales.unsqueeze(1))
        return into[:count]

    def close(
        self, name: str, start: int, end: int, into: torch.Tensor, indices: torch.Tensor
    ) -> None:
        if name not in self.codes:
            return
        count = end - start
        blocks, scales = self._blocks(name, start, end, into)
        # One number a block, in room that is free until the indices are written.
        low = indices.view(torch.float32)[: len(scales)]
        torch.amin(blocks, 1, out=low)
        torch.amax(blocks, 1, out=scales)
        torch.maximum(scales, low.neg_(), out=scales)
        torch.clamp(scales, min=torch.finfo(torch.float32).tiny, out=low)
        blocks.div_(low.unsqueeze(1))
        torch.bucketize(into[:count], self._bounds, out_int32=True, out=indices[:count])
        self.codes[name][start:end].copy_(indices[:count])

    def _blocks(
        self, name: str, start: int, end: int, into: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        first, last = start // BLOCK, -(-end // BLOCK)
        return into[: (last - first) * BLOCK].view(-1, BLOCK), self.scales[name][first:last]

    def named(self, trained: TrainedParameters) -> dict[str, torch.Tensor]:
        """By the names of the trained tensors: a block may reach into two tensors of a file."""
        return {
            **self.exact.values,
            **{f"{name}.codes": one for name, one in self.codes.items()},
            **{f"{name}.scales": one for name, one in self.scales.items()},
        }

    def byte_count(self) -> int:
        kept = [*self.codes.values(), *self.scales.values()]
        return self.exact.byte_count() + sum(one.numel() * one.itemsize for one in kept)

    @staticmethod
    def bytes_of(count: int) -> int:
        """Of `count` parameters, all taken to be in large tensors."""
        return count + FP32_BYTES * -(-count // BLOCK)


def dynamic_numbers(signed: bool) -> torch.Tensor:
    """The 256 numbers from 0 (or -1) to 1 that eight bits stand for, rising, fp64.

    Each decade below 1 has twice as many as the one below it: the centres of cells of equal width.
    A sign takes half of them. 0 and 1 are there exactly.
    """
    found = [torch.tensor([0.0, 1.0], dtype=torch.float64)]
    for decade in range(DECADES):
        cells = 2 ** (decade if signed else decade + 1)
        edges = torch.linspace(0.1, 1.0, cells + 1, dtype=torch.float64)
        centres = (edges[:-1] + edges[1:]) / 2 * 10.0 ** (decade - DECADES + 1)
        found += [centres, -centres] if signed else [centres]
    return torch.cat(found).sort().values
