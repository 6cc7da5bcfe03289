"""The determinism check's second look: the same program where it is another day.

Every clock of the time module is moved, and what posix tells of files, processes and disks
(inside/figures.py). C code that asks the kernel for the time by itself cannot be: the kernel
answers without a system call. So modules that bring such code (datetime's C twin, ctypes, SQLite
and others) are missing here, as are those that start a second interpreter, where nothing is moved.
datetime, zoneinfo and uuid have Python twins; a program that needs one of the others ends
differently and is not called deterministic.
"""

from __future__ import annotations

import _imp
import _thread
import posix
import sys
import time
from collections.abc import Callable
from importlib import _bootstrap_external
from typing import Any

from inside.figures import moved_figures

# Year, month, weekday, day and hour all differ from the real ones. 2,017 days, and the 2,018 that
# they are in the evening, are no multiple of a few (but two): what comes round is seen too.
CLOCK_SHIFT_S = 2_017 * 86_400 + 7 * 3_600 + 1_234
_SINCE_SOMETHING = ("monotonic", "perf_counter", "time")
_WITHOUT_A_DATE = (time.CLOCK_PROCESS_CPUTIME_ID, time.CLOCK_THREAD_CPUTIME_ID)
_CLOCKS = ("_datetime", "_ctypes", "_sqlite3", "_uuid", "_ssl", "_tkinter", "_zoneinfo")
_INTERPRETERS = ("_interpreters", "_xxsubinterpreters", "_testcapi", "_testinternalcapi")
_HIDDEN = (*_CLOCKS, *_INTERPRETERS)
_BUILT_ON_THEM = ("datetime", "_pydatetime", "ctypes", "sqlite3", "uuid", "ssl", "zoneinfo")

Moved = dict[Callable[..., Any], Callable[..., Any]]


# A module's names, one of them, and what it names in the second look.
_places: list[tuple[dict[str, Any], str, Any]] = []


def find_clocks() -> None:
    """Note every place that names what will be moved, os.supports_fd included. Once, in the zygote:
    going through all modules would cost each job milliseconds."""
    moved = {**_moved_clocks(), **moved_figures(CLOCK_SHIFT_S), **_moved_imports()}
    instead = {id(real): other for real, other in moved.items()}
    for module in list(sys.modules.values()):
        for name, value in vars(module).items():
            if id(value) in instead:
                _places.append((vars(module), name, instead[id(value)]))
            elif isinstance(value, set) and any(id(member) in instead for member in value):
                others = {instead.get(id(member), member) for member in value}
                _places.append((vars(module), name, others))


def shift_clock() -> None:
    """Move the clocks as this program sees them, to expose results that depend on the date."""
    modules: dict[str, Any] = sys.modules
    for name in list(modules):
        if name.partition(".")[0] in _BUILT_ON_THEM:
            del modules[name]
    modules.update(dict.fromkeys(_HIDDEN))  # importing one fails from now on
    for names, name, other in _places:
        names[name] = other
    sys.path_importer_cache.clear()  # it holds dates of folders


def _moved_clocks() -> Moved:
    real: dict[str, Callable[..., Any]] = dict(vars(time))

    def later(name: str, unit: int) -> Callable[..., Any]:
        return lambda *which: (
            real[name](*which)
            + (0 if which and which[0] in _WITHOUT_A_DATE else CLOCK_SHIFT_S * unit)
        )

    def of_seconds(name: str) -> Callable[..., Any]:
        return lambda seconds=None: real[name](time.time() if seconds is None else seconds)

    moved: Moved = {}
    for name in (*_SINCE_SOMETHING, "clock_gettime"):
        moved[real[name]] = later(name, 1)
        moved[real[f"{name}_ns"]] = later(f"{name}_ns", 10**9)
    for name in ("localtime", "gmtime", "ctime"):
        moved[real[name]] = of_seconds(name)
    moved[real["asctime"]] = lambda moment=None: real["asctime"](moment or time.localtime())
    moved[real["strftime"]] = lambda form, moment=None: real["strftime"](
        form, moment or time.localtime()
    )
    return moved


def _moved_imports() -> Moved:
    """Loading a module anew gives the one that is loaded, where it has been moved."""
    loaded = {module.__name__: module for module in (_imp, _thread, posix, time)}

    def anew(real: Callable[..., Any]) -> Callable[..., Any]:
        def load(spec: Any, *file: Any) -> Any:
            name = spec.name.rpartition(".")[2]  # what the start function of a file is called by
            if name in _HIDDEN:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return loaded.get(name) or real(spec, *file)

        return load

    importer: Any = _bootstrap_external
    fresh = importer._validate_timestamp_pyc

    def still_fresh(data: bytes, date: int, *about: Any) -> None:
        fresh(data, date - CLOCK_SHIFT_S, *about)  # compiled files name the real dates of sources

    return {
        _imp.create_builtin: anew(_imp.create_builtin),
        _imp.create_dynamic: anew(_imp.create_dynamic),
        fresh: still_fresh,
    }
