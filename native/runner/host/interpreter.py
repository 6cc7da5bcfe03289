"""Finds the Python that runs programs: one that the sandbox's user may read, 3.11 or newer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

from host.errors import RunnerError

OLDEST = (3, 11)  # -P (no script folder on the path) came with it
NOBODY = 65534
# Asked of the interpreter itself, as the user it will run as: what it says it can read, it can.
_ASK = """import json, os, sys, sysconfig
folders = {sysconfig.get_path("stdlib"): 0, sysconfig.get_path("platstdlib"): 0}
for line in open("/proc/self/maps"):
    path = line.split(maxsplit=5)[-1].strip()
    if path.startswith("/") and ".so" in path:
        folders[os.path.dirname(path)] = 0
print(json.dumps({"version": list(sys.version_info[:3]),
                  "executable": os.path.realpath(sys.executable),
                  "folders": [path for path in folders if os.access(path, os.R_OK | os.X_OK)]}))
"""


@dataclass(frozen=True)
class Interpreter:
    executable: str
    version: str
    folders: tuple[str, ...]  # its standard library and the folders its shared libraries came from
    packages: dict[str, list[str]] = field(default_factory=dict)  # for graded programs only


def sandbox_user() -> int | None:
    """Uid programs run as when we are root (rlimits do not bind root); None: stay who we are."""
    return NOBODY if os.geteuid() == 0 else None


def identity_arguments() -> dict[str, Any]:
    """Popen arguments that make the child an ordinary user without groups."""
    user = sandbox_user()
    return {} if user is None else {"user": user, "group": user, "extra_groups": []}


def _candidates() -> list[str]:
    fixed = ["/usr/bin/python3"] + [f"/usr/bin/python3.{minor}" for minor in range(20, 10, -1)]
    own = os.path.join(sys.base_prefix, "bin", "python3")
    return [path for path in (*fixed, "/usr/local/bin/python3", own) if os.path.exists(path)]


def _ask(path: str) -> Interpreter | None:
    try:
        answer = subprocess.run(
            [path, "-I", "-S", "-B", "-c", _ASK],
            capture_output=True,
            cwd="/",
            timeout=20,
            check=True,
            env={},
            **identity_arguments(),
        )
        told = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    if tuple(told["version"]) < OLDEST:
        return None
    return Interpreter(
        told["executable"], ".".join(map(str, told["version"])), tuple(told["folders"])
    )


def find_interpreter() -> Interpreter:
    """The system's Python first: it is readable by anybody and the same for every user."""
    for path in dict.fromkeys(_candidates()):
        found = _ask(path)
        if found is not None:
            return found
    raise RunnerError(
        "noInterpreter",
        "No Python 3.11 or newer that an ordinary user can run was "
        "found; install it with: apt-get install -y python3",
    )
