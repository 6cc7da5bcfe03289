"""Rings when one call of a graded job has had its time: each call may have a limit of its own.

The watcher stands outside the job, so the program can neither stop this clock nor see it, and time
spent waiting for a processor is not the program's. What the program gets is SIGALRM, which its
side turns into an exception. It may swallow that: then the limit of the whole job ends it, and a
report that comes much later than its call's limit is noted as late, whatever it says.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from typing import Any

from inside.unforked import Text

_NEWLINE = re.compile(rb"\n")
_STRETCH = 8  # how many times its time a call may take on a machine that is too busy
_SOONEST_S = 0.005
# What telling an answer may take beyond the call's limit: that is not the program's time.
_TELLING_S, _TELLING_SHARE = 0.5, 0.5


class CallTimer:
    """Follows the report of one job: its first line ends the module body, each later one a call."""

    def __init__(
        self, pid: int, limits: dict[str, Any], report: Text, waited: Callable[[int], float]
    ) -> None:
        self._seconds = limits.get("callSeconds") or []  # of the body, then of every call; or None
        self._pid, self._report, self._waited = pid, report, waited
        self._read = self._lines = 0
        self.rung: list[int] = []  # lines whose time was up: 0 is the body, n the n-th call
        # Lines that came later than telling a small value explains, and by how many seconds without
        # those of waiting, which may be none.
        self.late: list[tuple[int, float]] = []
        self._start()

    def _start(self) -> None:
        self._began, self._waited_before = time.monotonic(), self._waited(self._pid)

    def _limit(self) -> float | None:
        """Of the line that is to come next."""
        return self._seconds[self._lines] if self._lines < len(self._seconds) else None

    def _elapsed(self, limit: float) -> float:
        elapsed: float = time.monotonic() - self._began
        if limit <= elapsed < _STRETCH * limit:
            elapsed -= self._waited(self._pid) - self._waited_before
        return elapsed

    def _spent(self) -> float:
        """Seconds without those of waiting, which are at most seven of eight."""
        elapsed = time.monotonic() - self._began
        return max(elapsed - self._waited(self._pid) + self._waited_before, elapsed / _STRETCH)

    def follow(self) -> None:
        """Count the lines that came since the last look, where they lie: a copy would be inherited
        by the next job. Of several at once the first had the time."""
        told = sum(1 for _ in _NEWLINE.finditer(self._report.seen(), self._read))
        self._read = self._report.size
        if told:
            limit = self._limit()
            if limit is not None:
                allowed = limit + max(_TELLING_S, _TELLING_SHARE * limit)
                if self._elapsed(limit) > allowed:
                    self.late.append((self._lines, self._spent() - allowed))
            self._lines += told
            self._start()

    def left(self) -> float:
        """Seconds until it is worth looking again, never 0; rings when a call's time is up."""
        if not self._seconds:
            return float("inf")
        self.follow()
        limit = self._limit()
        if limit is None or self._lines in self.rung:
            return float("inf")
        elapsed = self._elapsed(limit)
        if elapsed < limit:
            return max(_SOONEST_S, limit - elapsed)
        self.rung.append(self._lines)
        try:
            os.kill(self._pid, signal.SIGALRM)
        except ProcessLookupError:
            pass  # it ended by itself; the watcher is about to see that
        return float("inf")
