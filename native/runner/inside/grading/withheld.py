"""What a benchmark's own judge takes from programs by setting it to None: calling it is an
exception there. The sandbox needs none of this, but a program that asks for its folder, say, would
pass here and fail in published scores.
"""

from __future__ import annotations

import importlib
import sys

# These need, while they are imported, what is None afterwards; the judges imported them before.
_NEEDING = {"numpy": "numpy", "multiprocessing": "multiprocessing", "open": "unittest.mock"}
_ALWAYS_THERE = ("builtins", "os")


def withhold(names: list[str], program: str) -> None:
    """`os.getcwd` becomes None, and so does what import finds as `joblib`. Other modules than os
    are only touched where the program's text has their name: importing them takes time."""
    if not names:
        return
    for word, module in _NEEDING.items():
        if word in program:
            try:
                importlib.import_module(module)
            except ImportError:
                pass  # then the program cannot import it either
    for name in names:
        owner, _, attribute = name.rpartition(".")
        if owner == "":
            sys.modules[name] = None  # type: ignore[assignment]  # Python's way to refuse an import
        elif owner in _ALWAYS_THERE or owner in program:
            setattr(importlib.import_module(owner), attribute, None)
