"""What posix tells of files, processes, disks and the time since boot, moved for the second look of
the determinism check: such figures drift from day to day, and two looks in a row see the same.
"""

from __future__ import annotations

import _thread
import os
import posix
from collections.abc import Callable
from typing import Any

_PROCESSES = ("getpid", "getppid", "getpgrp", "getpgid", "getsid")


def moved_figures(shift: int) -> dict[Callable[..., Any], Callable[..., Any]]:
    """Another function for each real one. shift: seconds for dates, and as good as any other number
    for the rest."""
    real: dict[str, Callable[..., Any]] = dict(vars(posix))

    def stat(name: str) -> Callable[..., Any]:
        return lambda *path, **options: _stat(real[name](*path, **options), shift)

    def disk(name: str) -> Callable[..., Any]:
        return lambda path: _disk(real[name](path), shift)

    def process(number: Callable[..., int]) -> Callable[..., int]:
        return lambda *which: number(*which) + shift

    def times() -> os.times_result:
        *processor, elapsed = real["times"]()
        return os.times_result((*processor, elapsed + shift))

    return {
        **{real[name]: stat(name) for name in ("stat", "lstat", "fstat")},
        **{real[name]: disk(name) for name in ("statvfs", "fstatvfs")},
        **{real[name]: process(real[name]) for name in _PROCESSES},
        _thread.get_native_id: process(_thread.get_native_id),
        real["scandir"]: lambda *path: _Listing(real["scandir"](*path), shift),
        real["times"]: times,
    }


def _stat(seen: os.stat_result, shift: int) -> os.stat_result:
    """Dates, and the numbers of file and device, which count up."""
    told = {name: getattr(seen, name) for name in dir(seen) if name.startswith("st_")}
    for name in ("st_atime", "st_mtime", "st_ctime"):
        told[name] += shift
        told[f"{name}_ns"] += shift * 10**9
    mode, inode, device, links, user, group, size, *dates = seen
    numbers = (mode, inode + shift, device + shift, links, user, group, size)
    return os.stat_result((*numbers, *(date + shift for date in dates)), told)


def _disk(seen: os.statvfs_result, shift: int) -> os.statvfs_result:
    """Blocks and files in all, free and available, and the number of the disk."""
    *sizes, flag, longest = seen
    counts = (count + shift for count in sizes[2:])
    return os.statvfs_result((*sizes[:2], *counts, flag, longest), {"f_fsid": seen.f_fsid + shift})


class _Entry:
    """A file of a listing."""

    def __init__(self, entry: os.DirEntry[Any], shift: int) -> None:
        self._entry, self._shift = entry, shift

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return _stat(self._entry.stat(follow_symlinks=follow_symlinks), self._shift)

    def inode(self) -> int:
        return self._entry.inode() + self._shift

    def __fspath__(self) -> Any:
        return self._entry.path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entry, name)

    def __repr__(self) -> str:
        return repr(self._entry)


class _Listing:
    def __init__(self, entries: Any, shift: int) -> None:
        self._entries, self._shift = entries, shift
        self.close = entries.close

    def __iter__(self) -> _Listing:
        return self

    def __next__(self) -> _Entry:
        return _Entry(next(self._entries), self._shift)

    def __enter__(self) -> _Listing:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
