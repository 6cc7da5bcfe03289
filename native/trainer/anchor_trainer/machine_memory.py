"""How much memory a device has left for this process, and giving back what was freed."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

import torch

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")
# glibc's mallopt: blocks of this size and more are the system's own, not parts of a heap.
M_MMAP_THRESHOLD = -3
# Smaller, more pages are asked for anew; at 1 MiB an adapter's update of 135 million parameters
# held 16 % more than its tensors, in freed blocks between others.
LARGE_BLOCK = 1 << 19


def free_bytes(cuda: bool) -> int:
    """Bytes that could still be allocated: of the card, or of the machine and the container."""
    if cuda and torch.cuda.is_available():
        return torch.cuda.mem_get_info()[0]
    if sys.platform != "linux":
        # The standard library cannot ask what is free: a guess.
        return int(_all_bytes() * 0.75)
    return min(_available(), _left_to_group())


def _all_bytes() -> int:
    if sys.platform == "win32":
        return 16 * 2**30
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _available() -> int:
    for line in MEMINFO.read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return _all_bytes()


def _left_to_group() -> int:
    """What a container may still use; no bound where there is none."""
    try:
        limit = (CGROUP / "memory.max").read_text().strip()
        used = int((CGROUP / "memory.current").read_text())
        kept = (CGROUP / "memory.stat").read_text().split()
    except OSError:
        return sys.maxsize
    if limit == "max":
        return sys.maxsize
    # Files that were read a while ago count as used, and go when somebody needs the room.
    cached = int(kept[kept.index("inactive_file") + 1]) if "inactive_file" in kept else 0
    return max(int(limit) - used + cached, 0)


def trim_heap() -> None:
    """Gives pages of the heap that were freed already back to the system."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # other C libraries have none
        if trim is not None:
            trim(0)


def give_back_what_is_freed() -> None:
    """From now on, large blocks go back to the system as soon as they are freed.

    Left to itself glibc keeps blocks of up to 32 MB for later, and what one layer freed lies
    between what the next one holds: 17 % more than all tensors of an update together.
    """
    if sys.platform == "linux":
        set_option = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
        if set_option is not None:
            set_option(M_MMAP_THRESHOLD, LARGE_BLOCK)
