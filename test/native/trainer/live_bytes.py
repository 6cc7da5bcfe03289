"""Bytes of all tensors that an action makes, counted as PyTorch makes and frees them."""

from __future__ import annotations

import weakref
from collections.abc import Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class LiveBytes(TorchDispatchMode):
    """Counts storages that come to be inside the block; `peak` is the most at any moment."""

    def __init__(self) -> None:
        super().__init__()
        self.live = 0
        self.peak = 0
        self._known: dict[int, int] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = {one._cdata for one in _storages((args, kwargs))}
        made = func(*args, **kwargs)
        for one in _storages(made):
            self._count(one, given)
        return made

    def _count(self, storage: torch.UntypedStorage, given: set[int]) -> None:
        key, size = storage._cdata, storage.nbytes()
        if key in self._known or key in given:
            return
        self._known[key] = size
        self.live += size
        self.peak = max(self.peak, self.live)
        weakref.finalize(storage, self._free, key)

    def _free(self, key: int) -> None:
        self.live -= self._known.pop(key, 0)


def _storages(values: object) -> list[torch.UntypedStorage]:
    """Of all tensors in it that have any: those of a sparse one's parts, none on "meta"."""
    tensors = (one for one in tree_leaves(values) if isinstance(one, torch.Tensor))
    return [
        one.untyped_storage()
        for one in tensors
        if one.layout == torch.strided and one.device.type != "meta"
    ]


class FailsAt(TorchDispatchMode):
    """Runs out of memory at the k-th operation inside the block, counted from 1."""

    def __init__(self, number: int, error: Callable[[], Exception]) -> None:
        super().__init__()
        self.number = number
        self.error = error
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        if self.count == self.number:
            raise self.error()
        return func(*args, **(kwargs or {}))
