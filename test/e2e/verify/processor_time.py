"""
python processor_time.py RESULT COMMAND...: runs a command and writes the processor seconds of it
and of every process that it started to the file RESULT, as {"seconds": number, "code": exit code}.

What `time` prints leaves out what ran in a sandbox: a process namespace that ends takes with it
what its processes were waited for. So the tree is looked at all along. Of every process it counts
its own time and that of the children that it waited for; their sum over the living only grows
while nothing is lost, and where it falls, what fell away was counted before. What a lost process
did since the last look is missing, at most LOOK_EVERY seconds of a core for each.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

LOOK_EVERY = 0.05
SET_CHILD_SUBREAPER = 36
"""prctl: processes whose parent ends become children of this one, and stay in its tree."""


def living_seconds(root: int, tick: int) -> float:
    """Seconds of all descendants of `root`, and of those that were waited for, its own included."""
    children: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            fields = Path(entry.path, "stat").read_text("latin-1").rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        used = sum(int(fields[place]) for place in (11, 12, 13, 14))
        children[int(fields[1])].append((int(entry.name), used))
    total, open_ = 0, [root]
    while open_:
        for pid, used in children[open_.pop()]:
            total += used
            open_.append(pid)
    own = os.times()
    return total / tick + own.children_user + own.children_system


def main() -> int:
    result, *command = sys.argv[1:]
    if ctypes.CDLL(None, use_errno=True).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "This kernel has no subreaper; Linux 3.4 has.")
    tick = os.sysconf("SC_CLK_TCK")
    child = subprocess.Popen(command)
    seconds = before = 0.0
    while True:
        ended = child.poll() is not None
        now = living_seconds(os.getpid(), tick)
        seconds += max(0.0, now - before)
        before = now
        if ended:
            break
        time.sleep(LOOK_EVERY)
    Path(result).write_text(json.dumps({"seconds": seconds, "code": child.returncode}))
    return child.returncode


if __name__ == "__main__":
    sys.exit(main())
