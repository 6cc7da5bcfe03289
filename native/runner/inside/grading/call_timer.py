"""Rings when one call of a graded job has had its time: each call may have a limit of its own.

The watcher stands outside the job, so the program can neither stop this clock nor see it, and time
spent waiting for a processor is not the program's. What the program gets is SIGALRM, which its side
turns into an exception; it may swallow that, and then only the limit of the whole job ends it.
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


class CallTimer:
    """Follows the report of one job: its first line ends the module body, each later one a call."""

    def __init__(
        self, pid: int, limits: dict[str, Any], report: Text, waited: Callable[[int], float]
    ) -> None:
        self._seconds = limits.get("callSeconds") or []  # of the body, then of every call; or None
        self._pid, self._report, self._waited = pid, report, waited
        self._read = self._lines = 0
        self._rung = False
        self._start()

    def _start(self) -> None:
        self._began, self._waited_before = time.monotonic(), self._waited(self._pid)

    def _follow(self) -> None:
        """Count the lines that came since the last look, where they lie: a copy would be inherited
        by the next job."""
        told = sum(1 for _ in _NEWLINE.finditer(self._report.seen(), self._read))
        self._read = self._report.size
        if told:
            self._lines += told
            self._rung = False
            self._start()

    def left(self) -> float:
        """Seconds until it is worth looking again, never 0; rings when a call's time is up."""
        if not self._seconds:
            return float("inf")
        self._follow()
        limit: float | None = (
            self._seconds[self._lines] if self._lines < len(self._seconds) else None
        )
        if limit is None or self._rung:
            return float("inf")
        elapsed: float = time.monotonic() - self._began
        if limit <= elapsed < _STRETCH * limit:
            elapsed -= self._waited(self._pid) - self._waited_before
        if elapsed < limit:
            return max(_SOONEST_S, limit - elapsed)
        self._rung = True
        try:
            os.kill(self._pid, signal.SIGALRM)
        except ProcessLookupError:
            pass  # it ended by itself; the watcher is about to see that
        return float("inf")
