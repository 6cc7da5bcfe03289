"""Finds the Python that runs programs: one that the sandbox's user may read, 3.11 or newer."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass

from host.errors import RunnerError

OLDEST = (3, 11)  # -P (no script folder on the path) came with it
NOBODY = 65534
_ASK = """import json, os, sys, sysconfig
print(json.dumps({"version": list(sys.version_info[:3]), "executable": os.path.realpath(sys.executable),
 "folders": [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"),
             sysconfig.get_config_var("LIBDIR") or ""]}))"""


@dataclass(frozen=True)
class Interpreter:
    executable: str
    version: str
    folders: tuple[str, ...]  # standard library and shared libraries, without /usr/lib


def sandbox_user() -> int | None:
    """Uid programs run as when we are root (rlimits do not bind root); None: stay who we are."""
    return NOBODY if os.geteuid() == 0 else None


def identity_arguments() -> dict:
    """Popen arguments that make the child an ordinary user without groups."""
    user = sandbox_user()
    return {} if user is None else {"user": user, "group": user, "extra_groups": []}


def _candidates() -> list[str]:
    fixed = ["/usr/bin/python3"] + [f"/usr/bin/python3.{minor}" for minor in range(20, 10, -1)]
    own = os.path.join(sys.base_prefix, "bin", "python3")
    return [path for path in (*fixed, "/usr/local/bin/python3", own) if os.path.exists(path)]


def _ask(path: str) -> Interpreter | None:
    try:
        answer = subprocess.run([path, "-I", "-S", "-B", "-c", _ASK], capture_output=True, cwd="/",
                                timeout=20, check=True, env={}, **identity_arguments())
        told = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    if tuple(told["version"]) < OLDEST:
        return None
    folders = dict.fromkeys(folder for folder in told["folders"] if os.path.isdir(folder))
    return Interpreter(told["executable"], ".".join(map(str, told["version"])), tuple(folders))


def find_interpreter() -> Interpreter:
    """The system's Python first: it is readable by anybody and the same for every user."""
    for path in dict.fromkeys(_candidates()):
        found = _ask(path)
        if found is not None:
            return found
    raise RunnerError("noInterpreter", "No Python 3.11 or newer that an ordinary user can run was "
                      "found; install it with: apt-get install -y python3")
