"""The determinism check's second look: the same program where it is another day.

Every clock of the time module and the dates of files are moved. C code that asks the kernel for
the time by itself cannot be: the kernel answers without a system call. So modules that bring such
code (datetime's C twin, ctypes, SQLite) are missing here; datetime has a Python twin, and a program
that needs one of the others ends differently and is not called deterministic.
"""

from __future__ import annotations

import os
import sys
import time
import types
from collections.abc import Callable
from typing import Any

# 2,000 days and some hours: year, month, weekday, day and hour all differ from the real ones.
CLOCK_SHIFT_S = 2_000 * 86_400 + 7 * 3_600 + 1_234
_SINCE_SOMETHING = ("monotonic", "perf_counter", "time")
_WITHOUT_A_DATE = (time.CLOCK_PROCESS_CPUTIME_ID, time.CLOCK_THREAD_CPUTIME_ID)
_HIDDEN = ("_datetime", "_ctypes", "_sqlite3")
_BUILT_ON_THEM = ("datetime", "_pydatetime", "ctypes", "sqlite3")


def shift_clock() -> None:
    """Move the clocks as this program sees them, to expose results that depend on the date."""
    _shift_clocks()
    _shift_files()
    modules: dict[str, Any] = sys.modules
    for name in list(modules):
        if name.partition(".")[0] in _BUILT_ON_THEM:
            del modules[name]
    modules.update(dict.fromkeys(_HIDDEN))  # importing one fails from now on


def _shift_clocks() -> None:
    module: Any = time
    real: dict[str, Callable[..., Any]] = dict(vars(time))

    def later(name: str, unit: int) -> Callable[..., Any]:
        return lambda *which: (
            real[name](*which)
            + (0 if which and which[0] in _WITHOUT_A_DATE else CLOCK_SHIFT_S * unit)
        )

    def of_seconds(name: str) -> Callable[..., Any]:
        return lambda seconds=None: real[name](time.time() if seconds is None else seconds)

    for name in (*_SINCE_SOMETHING, "clock_gettime"):
        setattr(module, name, later(name, 1))
        setattr(module, f"{name}_ns", later(f"{name}_ns", 10**9))
    for name in ("localtime", "gmtime", "ctime"):
        setattr(module, name, of_seconds(name))
    module.asctime = lambda moment=None: real["asctime"](moment or time.localtime())
    module.strftime = lambda form, moment=None: real["strftime"](form, moment or time.localtime())


def _shift_files() -> None:
    """Dates of files and time since boot, as os and posix tell them; imports keep their posix."""
    import posix

    module: Any = os
    copy: Any = types.ModuleType("posix")
    copy.__dict__.update(vars(posix))

    def dated(real: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *path, **options: _later(real(*path, **options))

    for name in ("stat", "lstat", "fstat"):
        moved = dated(getattr(posix, name))
        setattr(module, name, moved)
        setattr(copy, name, moved)
    module.times = copy.times = _times_later
    module.scandir = copy.scandir = lambda *path: _Listing(posix.scandir(*path))
    sys.modules["posix"] = copy


def _later(seen: os.stat_result) -> os.stat_result:
    told = {name: getattr(seen, name) for name in dir(seen) if name.startswith("st_")}
    for name in ("st_atime", "st_mtime", "st_ctime"):
        told[name] += CLOCK_SHIFT_S
        told[f"{name}_ns"] += CLOCK_SHIFT_S * 10**9
    return os.stat_result((*seen[:7], *(date + CLOCK_SHIFT_S for date in seen[7:10])), told)


def _times_later(times: Callable[[], os.times_result] = os.times) -> os.times_result:
    *processor, elapsed = times()
    return os.times_result((*processor, elapsed + CLOCK_SHIFT_S))


class _Entry:
    """A file of a listing, with the dates moved."""

    def __init__(self, entry: os.DirEntry[Any]) -> None:
        self._entry = entry

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return _later(self._entry.stat(follow_symlinks=follow_symlinks))

    def __fspath__(self) -> Any:
        return self._entry.path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entry, name)

    def __repr__(self) -> str:
        return repr(self._entry)


class _Listing:
    def __init__(self, entries: Any) -> None:
        self._entries = entries
        self.close = entries.close

    def __iter__(self) -> _Listing:
        return self

    def __next__(self) -> _Entry:
        return _Entry(next(self._entries))

    def __enter__(self) -> _Listing:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
