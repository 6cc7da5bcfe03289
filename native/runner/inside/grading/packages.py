"""Packages that graded programs may import besides the standard library: those that the benchmarks'
own judges have (numpy), where this machine has them. Other jobs cannot import them."""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec

FOLDERS: dict[str, str] = {}  # name to folder, set once by the zygote


class _Finder:
    """Finds these packages and nothing beside them: their folder may hold others."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        folder = FOLDERS.get(name)
        if folder is None:
            return None
        return importlib.util.spec_from_file_location(
            name, f"{folder}/__init__.py", submodule_search_locations=[folder]
        )


def allow_packages() -> None:
    """For the rest of this process. One thread: a job is one processor's work."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    sys.meta_path.append(_Finder)
