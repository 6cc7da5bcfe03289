"""Command line and settings of a zygote at each level."""

from __future__ import annotations

import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from host.errors import RunnerError
from host.interpreter import NOBODY, Interpreter
from inside.syscalls import NUMBERS

LEVELS = ("L3", "L2", "unsafe")
_INSIDE = Path(__file__).resolve().parent.parent / "inside"
_MODULES = (
    "syscalls",
    "kernel",
    "seccomp",
    "landlock",
    "encode",
    "decode",
    "figures",
    "clock",
    "driver",
    "facts",
    "distance",
    "grading.packages",
    "grading.digest",
    "grading.values",
    "grading.stdin",
    "grading.threads",
    "grading.withheld",
    "grading.programs",
    "grading.calls",
    "grading.longest",
    "grading.extract",
    "jail",
    "warm_worker",
    "unforked",
    "grading.call_timer",
    "watchdog",
    "zygote",
)
_PACKAGES = "/packages"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
INSTALL_BUBBLEWRAP = "apt-get install -y bubblewrap"


@dataclass(frozen=True)
class Launch:
    argv: list[str]
    environment: dict[str, str]
    settings: dict[str, Any]


def missing_for(level: str) -> str | None:
    """Why a level cannot be tried at all on this machine, as one sentence; None when it can."""
    if platform.system() != "Linux" or platform.machine() not in NUMBERS:
        return (
            f"There is no system call table for {platform.system()} {platform.machine()}; "
            "programs run only on Linux x86_64 and aarch64."
        )
    if level == "L3" and shutil.which("bwrap") is None:
        return f"bubblewrap is not installed; install it with: {INSTALL_BUBBLEWRAP}"
    return None


def _library_folders() -> list[str]:
    return [
        path
        for path in ("/lib", "/lib64", "/lib32", "/usr/lib", "/usr/lib64", "/usr/lib32")
        if os.path.isdir(path)
    ]


def _readable(interpreter: Interpreter) -> list[str]:
    """All that a program may read at either level. No home, no /etc but the loader's cache."""
    wanted = [
        interpreter.executable,
        *interpreter.folders,
        *_library_folders(),
        "/usr/share/zoneinfo",
        "/etc/ld.so.cache",
    ]
    return list(dict.fromkeys(path for path in wanted if os.path.exists(path)))


def _package_folders(interpreter: Interpreter, level: str) -> dict[str, list[tuple[str, str]]]:
    """Per package its folders here and as programs see them. At L3 they have a place of their own:
    where they lie here may be under /tmp, which programs see empty."""
    return {
        name: [
            (path, f"{_PACKAGES}/{os.path.basename(path)}" if level == "L3" else path)
            for path in paths
        ]
        for name, paths in interpreter.packages.items()
    }


def _bubblewrap(
    interpreter: Interpreter, environment: dict[str, str], packages: list[tuple[str, str]]
) -> list[str]:
    argv = [
        shutil.which("bwrap") or "bwrap",
        "--unshare-all",
        "--uid",
        str(NOBODY),
        "--gid",
        str(NOBODY),
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
        "--hostname",
        "sandbox",
        "--clearenv",
    ]
    for name, value in environment.items():
        argv += ["--setenv", name, value]
    for path in _readable(interpreter):
        link = os.path.islink(path) and os.path.isdir(path)
        argv += ["--symlink", os.readlink(path), path] if link else ["--ro-bind", path, path]
    for path, seen in packages:
        argv += ["--ro-bind", path, seen]
    argv += ["--proc", "/proc"]
    for device in _DEVICES:
        argv += ["--dev-bind-try", device, device]
    return [*argv, "--tmpfs", "/tmp", "--remount-ro", "/", "--chdir", "/", "--"]


def build_launch(level: str, interpreter: Interpreter, hash_seed: int, channel: int) -> Launch:
    """How to start a zygote whose broker socket is descriptor `channel`.

    Not -I: it would ignore PYTHONHASHSEED, which the determinism check depends on. -S, -s and -P
    with an emptied environment leave the standard library as the only import path.
    """
    reason = missing_for(level)
    if reason is not None and level != "unsafe":
        raise RunnerError("levelUnavailable", reason)
    environment = {
        "PYTHONHASHSEED": str(hash_seed),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PATH": "/usr/bin:/bin",
    }
    boot = (_INSIDE / "boot.py").read_text()
    python = [interpreter.executable, "-S", "-s", "-P", "-B", "-c", boot, str(channel)]
    modules = [[name, (_INSIDE / f"{name.replace('.', '/')}.py").read_text()] for name in _MODULES]
    folders = _package_folders(interpreter, level)
    packages = [pair for pairs in folders.values() for pair in pairs]
    settings = {
        "level": level,
        "broker": os.getpid(),
        "modules": modules,
        "packages": {name: pairs[0][1] for name, pairs in folders.items()},
        "readable": [
            *_readable(interpreter),
            *(seen for _, seen in packages),
            "/dev/urandom",
            "/dev/random",
            "/dev/zero",
        ],
        "writable": ["/dev/null"],
    }
    prefix = _bubblewrap(interpreter, environment, packages) if level == "L3" else []
    return Launch(prefix + python, environment, settings)
