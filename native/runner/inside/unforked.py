"""Memory outside of forks: jobs and their results pass through it, and no later job inherits it.

Every job is a fork of the zygote, so whatever the zygote has read lies in the memory of the next
job's process, where a program could find another program, its inputs and what it returned. The
kernel leaves these mappings out of every fork; nothing of a job may be kept anywhere else.
"""

from __future__ import annotations

import mmap
import os

_READ_AT_ONCE = 65_536  # what a pipe holds


class UnforkedMemory:
    """One private mapping, given back to the kernel when the last view of it is gone."""

    def __init__(self, size: int) -> None:
        self._space = mmap.mmap(-1, max(1, size), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._space.madvise(mmap.MADV_DONTFORK)
        self._taken = 0

    def take(self, size: int) -> memoryview:
        """The next `size` bytes, zeroed until they are written."""
        start = self._taken
        self._taken += size
        return memoryview(self._space)[start : self._taken]


class Text:
    """What a job wrote to one descriptor so far, in a view one byte larger than its cap."""

    def __init__(self, view: memoryview) -> None:
        self._view = view
        self.size = 0

    def drain(self, fd: int) -> bool:
        """Append what can be read now; False at end of file. Stops when the view is full."""
        while self.size < len(self._view):
            try:
                count = os.readv(fd, [self._view[self.size : self.size + _READ_AT_ONCE]])
            except BlockingIOError:
                return True
            if not count:
                return False
            self.size += count
        return True

    def seen(self) -> memoryview:
        return self._view[: self.size]
