"""Finds numpy for graded programs: beside the Python that runs the broker, if the sandbox's Python
is of the same version and its user may read it. Without it, programs that import it fail."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

from host.interpreter import Interpreter, identity_arguments

NAMES = ("numpy",)
# Its libraries lie beside it, where its own modules look for them.
_ASK = "import os, sys\nsys.exit(not all(os.access(p, os.R_OK | os.X_OK) for p in sys.argv[1:]))"


def _folders(name: str) -> list[str]:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return []
    folder = os.path.realpath(spec.submodule_search_locations[0])
    return [path for path in (folder, f"{folder}.libs") if os.path.isdir(path)]


def find_packages(interpreter: Interpreter) -> dict[str, list[str]]:
    """Per package its folders, its own first; empty when there is none that fits."""
    own = ".".join(map(str, sys.version_info[:2]))
    if interpreter.version.rpartition(".")[0] != own:
        return {}
    found = {name: folders for name in NAMES if (folders := _folders(name))}
    if not found:
        return {}
    paths = [path for folders in found.values() for path in folders]
    try:
        subprocess.run(
            [interpreter.executable, "-I", "-S", "-B", "-c", _ASK, *paths],
            cwd="/",
            timeout=20,
            check=True,
            env={},
            **identity_arguments(),
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    return found
