"""How much memory a device has left for this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import torch

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")


def free_bytes(cuda: bool) -> int:
    """Bytes that could still be allocated: of the card, or of the machine and the container."""
    if cuda and torch.cuda.is_available():
        return torch.cuda.mem_get_info()[0]
    if sys.platform != "linux":
        # The standard library cannot ask what is free; of all there is, programs leave about this.
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
