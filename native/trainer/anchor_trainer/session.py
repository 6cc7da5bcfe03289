"""Everything the methods share between requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from .errors import TrainerError
from .policy import Policy
from .protocol import Writer
from .storage.journal import Journal, JournalEntry
from .storage.spool import RolloutStore


@dataclass
class Counters:
    new_tokens: int = 0
    train_tokens: int = 0
    updates: int = 0
    oom_retries: int = 0


@dataclass
class Session:
    """One connection's state. Only the worker thread touches it, except `state` and `progress`."""

    writer: Writer
    state: str = "idle"
    last_progress: float = field(default_factory=time.time)
    heartbeat_ms: int = 2000
    store: RolloutStore | None = None
    journal: Journal | None = None
    policy: Policy | None = None
    # An update whose weights have moved but whose journal line found the disk full.
    unjournaled: JournalEntry | None = None
    counters: Counters = field(default_factory=Counters)
    cancelled: dict[int, str] = field(default_factory=dict)  # request id -> mode
    unanswered: set[int] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def progressed(self) -> None:
        self.last_progress = time.time()

    def answered(self, request_id: int) -> None:
        """The request is over: its id may be used again and can no longer be cancelled."""
        with self.lock:
            self.unanswered.discard(request_id)
            self.cancelled.pop(request_id, None)

    def is_cancelled(self, request_id: int) -> Callable[[], bool]:
        def asked() -> bool:
            with self.lock:
                return request_id in self.cancelled

        return asked

    def need_run(self) -> tuple[RolloutStore, Journal]:
        if self.store is None or self.journal is None:
            raise TrainerError("badRequest", "The first request must be hello.")
        return self.store, self.journal

    def need_policy(self, name: str | None = None) -> Policy:
        if self.policy is None:
            raise TrainerError(
                "notLoaded", "No policy is loaded.", hint="Send load first.", retryable=True
            )
        if name is not None and name != self.policy.spec.name:
            raise TrainerError(
                "notLoaded",
                f"The policy {name!r} is not loaded; the loaded one is {self.policy.spec.name!r}.",
            )
        return self.policy
