"""Memory of the card as the driver counts it: the same for programs of one process or of many."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

EVERY_SECONDS = 0.25


def ask(field: str) -> str:
    """One field that nvidia-smi knows of the first card that is visible."""
    card = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0] or "0"
    asked = ["nvidia-smi", f"--id={card}", f"--query-gpu={field}", "--format=csv,noheader,nounits"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


class Peak:
    """`bytes` is the most that was in use above what was at the beginning; None on a CPU."""

    def __init__(self) -> None:
        self.bytes: int | None = None


@contextmanager
def watched(device: str) -> Iterator[Peak]:
    """Asks four times a second, so a shorter peak can be missed."""
    peak = Peak()
    if device != "cuda":
        yield peak
        return
    before = _used()
    peak.bytes = 0
    done = threading.Event()

    def watch() -> None:
        while not done.wait(EVERY_SECONDS):
            peak.bytes = max(peak.bytes or 0, _used() - before)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


def _used() -> int:
    return int(ask("memory.used")) * 1024 * 1024
