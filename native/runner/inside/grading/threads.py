"""Whether a program has started a thread that it did not wait for.

What such a thread prints or changes is in the answer or is not, as it happens: the same program may
pass once and fail once. A verdict is not changed by this, it is only marked.
"""

from __future__ import annotations

import _thread
from collections.abc import Callable
from typing import Any

_count = _thread._count


def watch_threads(program: str) -> Callable[[], bool]:
    """Asked after a call: whether any thread runs, or was started and never waited for, since the
    last time it was asked. Threads that have ended by chance count as well, so only programs that
    name them are watched from the beginning."""
    if "thread" not in program.lower() and "concurrent" not in program:
        return lambda: _count() > 0
    from threading import Thread

    start, join, start_raw = Thread.start, Thread.join, _thread.start_new_thread
    unjoined: set[int] = set()

    def started(self: Thread) -> None:
        unjoined.add(id(self))
        start(self)

    def joined(self: Thread, timeout: float | None = None) -> None:
        join(self, timeout)
        if not self.is_alive():
            unjoined.discard(id(self))

    def started_raw(*arguments: Any, **named: Any) -> int:
        unjoined.add(0)  # nothing waits for such a one
        return start_raw(*arguments, **named)

    Thread.start, Thread.join = started, joined  # type: ignore[method-assign]
    _thread.start_new_thread = started_raw  # threading has kept the original

    def asked() -> bool:
        found = bool(unjoined) or _count() > 0
        unjoined.clear()
        return found

    return asked
