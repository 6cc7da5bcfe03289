"""What keeps the process harmless: its streams, its parent, its memory and its processor time.

A comparison can fall into arithmetic that lasts for ever inside one call of native code (a tower
of powers is enough), where no Python signal handler ever runs. So the limit per pair is a kernel
timer whose signal keeps its default action, which is to end the process.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Any

_PR_SET_PDEATHSIG = 1
ADDRESS_BYTES = 2 * 1024**3
OPEN_FILES = 64


def take_standard_output() -> int:
    """Moves the protocol to a private descriptor and sends stray prints to standard error.

    Must run before heavy imports: libraries print warnings while they load.
    """
    private = os.dup(1)
    os.set_inheritable(private, False)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return private


def die_with_parent() -> None:
    """On Linux the kernel kills this process when its parent ends, however that ends.

    The parent may have gone before the request took effect, hence the check afterwards. Other
    systems rely on end-of-file on standard input.
    """
    if sys.platform != "linux":
        return
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def apply_limits() -> dict[str, Any]:
    """Caps address space, files and core dumps.

    Returns what is in force, None where the system has no such limit.
    """
    try:
        import resource
    except ImportError:  # Windows: the parent's wall clock is the only limit there
        return {"addressBytes": None, "processorTimer": False}
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    try:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
        address_bytes: int | None = ADDRESS_BYTES
    except (OSError, ValueError):  # macOS refuses a limit on address space
        address_bytes = None
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    return {"addressBytes": address_bytes, "processorTimer": True}


class ProcessorTimer:
    """Within the block, this many seconds of processor time end the process by SIGPROF."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds if hasattr(signal, "setitimer") else 0.0

    def __enter__(self) -> None:
        if self._seconds > 0:
            signal.setitimer(signal.ITIMER_PROF, self._seconds)

    def __exit__(self, *_: object) -> None:
        if self._seconds > 0:
            signal.setitimer(signal.ITIMER_PROF, 0)
