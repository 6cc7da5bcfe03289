"""Frozen matrices in four bits (NF4, Dettmers et al. 2023), by the kernels of bitsandbytes.

64 numbers after each other share a scale, the largest of them in size; each is kept as the nearest
of 16 fixed multiples of it. Nothing is computed in four bits: a matrix is made anew in bf16 for
each product and forgotten after it, in the forward and in the backward pass, while sampling and
while training. So all of them compute with the same numbers, to the bit on a CPU.

Quantizing such numbers again changes none of them. A model that is saved holds them, in bf16, and
is the base of the adapters that are trained beside it.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import nn

from ..errors import TrainerError

BLOCK = 64
# What matrices are quantized from and computed with.
COMPUTED_IN = torch.bfloat16
# Elements quantized at a time: the kernel makes several fp32 copies of what it is given.
QUANTIZED_AT_ONCE = 1 << 20
LIBRARY = "bitsandbytes"
REQUIREMENTS = Path(__file__).resolve().parents[3] / "requirements-nf4.txt"


@contextmanager
def hidden(name: str) -> Iterator[None]:
    """Inside of it a library that is not imported yet counts as not installed."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]


def missing_kernels() -> str | None:
    """Why nothing can be quantized, as far as that is known without importing the library."""
    if importlib.util.find_spec(LIBRARY) is not None:
        return None
    return (
        f"train.precision nf4 needs {LIBRARY}, which is not installed; "
        f'"{sys.executable}" -m pip install --no-deps -r "{REQUIREMENTS}" installs it.'
    )


def obstacle(raw: dict[str, Any], *, vllm: bool) -> str | None:
    """Why a model of that config.json is not kept in NF4, as far as it is known before loading."""
    if raw.get("num_experts"):
        return (
            "train.precision nf4 is for linear layers, and the experts of "
            f"{raw['architectures'][0]}, which are most of it, are none; take bfloat16."
        )
    if vllm:
        return (
            "train.precision nf4 needs policy.backend native: vLLM would hold the weights in "
            "bfloat16 beside it, which takes what it saves."
        )
    return missing_kernels()


def require_kernels(device: torch.device) -> None:
    """Imports the library and tries its kernels on the device; raises badRequest."""
    missing = missing_kernels()
    if missing is not None:
        raise TrainerError("badRequest", missing)
    try:
        compiled = _imported().cextension
        # Without it a CPU is served by code that takes several times a matrix in memory.
        if isinstance(compiled.lib, compiled.ErrorHandlerMockBNBNativeLibrary):
            raise RuntimeError("its compiled part cannot be loaded")
        _try_kernels(device)
    except Exception as error:  # whatever a library without a kernel for this device raises
        told = str(error).strip().splitlines() or [type(error).__name__]
        raise TrainerError(
            "badRequest",
            f"train.precision nf4 is not possible on this machine: the kernels of {LIBRARY} do not "
            f"work on {device.type} ({told[0][:200]}).",
            hint="Take train.precision bfloat16.",
        ) from error


def _imported() -> Any:
    """The library, which begins by reaching for more than its kernels."""
    # Its own code for what it has no kernel for is given to a compiler: seconds for the import
    # alone, and a program that a trainer would start.
    compile_, torch.compile = torch.compile, lambda model=None, **_: model
    # It warns of each part that it does not find.
    logging.getLogger(LIBRARY).setLevel(logging.CRITICAL)
    try:
        # Where the package `kernels` is installed, code is fetched from the network with it.
        with hidden("kernels"):
            return importlib.import_module(LIBRARY)
    finally:
        torch.compile = compile_


def _try_kernels(device: torch.device) -> None:
    numbers = torch.linspace(-1, 1, 2 * BLOCK, dtype=COMPUTED_IN).view(2, BLOCK)
    again = quantized(numbers, device).dequantized().cpu()
    # No two neighbours of the 16 are further apart than 0.31.
    if again[0, 0] != -1 or again[1, -1] != 1 or (again - numbers).abs().max() > 0.16:
        raise RuntimeError("they give wrong numbers")


@dataclass(frozen=True)
class Nf4Matrix:
    """`packed` are two numbers a byte, `scales` one fp32 number for each block."""

    packed: torch.Tensor
    scales: torch.Tensor
    shape: torch.Size

    def dequantized(self) -> torch.Tensor:
        return _dequantized(self.packed, self.scales, self.shape)


def _dequantized(packed: torch.Tensor, scales: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    # Block by block, whatever the matrix is shaped like: of rows of one and a half blocks the
    # kernel for processors takes the scales of others.
    blocks = torch.Size((len(scales), BLOCK))
    made: torch.Tensor = torch.ops.bitsandbytes.dequantize_4bit.default(
        packed, scales, BLOCK, "nf4", blocks, COMPUTED_IN
    )
    return made.view(-1)[: shape.numel()].view(shape)


def quantized(matrix: torch.Tensor, device: torch.device) -> Nf4Matrix:
    """A matrix of finite numbers on the device, slice by slice; the last block is filled up."""
    parts = []
    for one in matrix.reshape(-1).split(QUANTIZED_AT_ONCE):
        filled = F.pad(one, (0, -len(one) % BLOCK)).to(device, COMPUTED_IN)
        parts.append(
            torch.ops.bitsandbytes.quantize_4bit.default(filled, BLOCK, "nf4", torch.uint8)
        )
    packed, scales = (torch.cat(found) for found in zip(*parts, strict=True))
    return Nf4Matrix(packed, scales, matrix.shape)


def nf4_bytes(count: int) -> int:
    """Of a matrix of so many numbers."""
    return (BLOCK // 2 + torch.float32.itemsize) * -(-count // BLOCK)


class Nf4Linear(nn.Linear):
    """A frozen linear layer whose matrix is kept in NF4; its gradient reaches the input alone."""

    scales: torch.Tensor

    def __init__(self, like: nn.Linear, matrix: Nf4Matrix) -> None:
        nn.Module.__init__(self)
        self.in_features, self.out_features = like.in_features, like.out_features
        self.bias = like.bias
        # PEFT asks the parameter of this name where the layer is.
        self.weight = nn.Parameter(matrix.packed, requires_grad=False)
        self.register_buffer("scales", matrix.scales, persistent=False)

    @property
    def matrix(self) -> Nf4Matrix:
        shape = torch.Size((self.out_features, self.in_features))
        return Nf4Matrix(self.weight.detach(), self.scales, shape)

    def byte_count(self) -> int:
        return self.weight.nbytes + self.scales.nbytes

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        matrix = self.matrix
        product = _Product.apply(  # type: ignore[no-untyped-call]
            x, matrix.packed, matrix.scales, matrix.shape, self.bias
        )
        return cast("torch.Tensor", product)


class _Product(torch.autograd.Function):
    """x W^T + b; the matrix is made again for the backward pass in place of being kept for it."""

    @staticmethod
    def forward(
        ctx: Any,
        x: torch.Tensor,
        packed: torch.Tensor,
        scales: torch.Tensor,
        shape: torch.Size,
        bias: torch.Tensor | None,
    ) -> torch.Tensor:
        ctx.save_for_backward(packed, scales)
        ctx.shape = shape
        return F.linear(x, _dequantized(packed, scales, shape), bias)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        packed, scales = ctx.saved_tensors
        of_input = gradients[0] @ _dequantized(packed, scales, ctx.shape)
        return of_input, None, None, None, None


class DequantizedViews(Mapping[str, torch.Tensor]):
    """Tensors by name, of which some are made from NF4 each time they are asked for."""

    def __init__(self, plain: dict[str, torch.Tensor], layers: Mapping[str, Nf4Linear]) -> None:
        self._plain = plain
        self._layers = layers

    def __getitem__(self, name: str) -> torch.Tensor:
        layer = self._layers.get(name)
        return self._plain[name] if layer is None else layer.matrix.dequantized()

    def __iter__(self) -> Iterator[str]:
        yield from self._plain
        yield from self._layers

    def __len__(self) -> int:
        return len(self._plain) + len(self._layers)
