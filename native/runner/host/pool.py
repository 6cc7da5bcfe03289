"""A fixed number of jobs at a time over warm zygotes, one kind of zygote per hash seed."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from typing import Any

from host.errors import RunnerError, ZygoteGone
from host.interpreter import Interpreter
from host.zygote import RawOutcome, Zygote


class Pool:
    def __init__(self, level: str, workers: int, interpreter: Interpreter) -> None:
        self.level, self.workers, self.interpreter = level, workers, interpreter
        self.counts: Counter[str] = Counter()
        self.waiting = 0
        self._slots = asyncio.Semaphore(workers)
        self._idle: dict[int, list[Zygote]] = {}
        self._all: set[Zygote] = set()

    async def warm(self, hash_seeds: list[int]) -> dict[str, Any]:
        """Start every zygote that can ever be needed; the answer of the first one."""
        answer: dict[str, Any] = {}
        for seed in hash_seeds:
            for _ in range(self.workers):
                zygote, told = await self._start(seed)
                self._idle.setdefault(seed, []).append(zygote)
                answer = answer or told
        return answer

    async def _start(self, seed: int) -> tuple[Zygote, dict[str, Any]]:
        zygote = Zygote(self.level, self.interpreter, seed)
        told = await zygote.start()
        self._all.add(zygote)
        return zygote, told

    async def run(self, seed: int, limits: dict[str, Any], job: dict[str, Any]) -> RawOutcome:
        """Run a job on a free zygote. One whose zygote is killed from outside is run once more;
        RunnerError 'sandboxFailed' when that one ends too."""
        self.waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self.waiting -= 1
        try:
            return await self._run_or_retry(seed, limits, job)
        finally:
            self._slots.release()

    async def _run_or_retry(
        self, seed: int, limits: dict[str, Any], job: dict[str, Any]
    ) -> RawOutcome:
        reason = ""
        for attempt in range(2):
            # The second time never an idle one: whatever killed the first may have killed them all.
            zygote = await self._take(seed) if attempt == 0 else (await self._start(seed))[0]
            try:
                outcome = await zygote.run(limits, job)
            except ZygoteGone as gone:
                reason = str(gone)
                print(
                    f"runner: a {self.level} sandbox ended and is replaced: {reason}",
                    file=sys.stderr,
                )
                self.counts["respawned"] += 1
                self._all.discard(zygote)
                continue
            except BaseException:
                self._all.discard(zygote)
                raise
            self._idle.setdefault(seed, []).append(zygote)
            self.counts["jobs"] += 1
            return outcome
        raise RunnerError("sandboxFailed", f"The sandbox ended twice under this program: {reason}.")

    async def _take(self, seed: int) -> Zygote:
        idle = self._idle.setdefault(seed, [])
        while idle:
            zygote = idle.pop()
            if zygote.alive():
                return zygote
            self.counts["respawned"] += 1
            self._all.discard(zygote)
            zygote.stop()
        return (await self._start(seed))[0]

    def seeds(self) -> list[int]:
        return list(self._idle)

    def workers_now(self) -> list[dict[str, Any]]:
        return [
            {"pid": zygote.pid, "hashSeed": zygote.hash_seed, "busy": zygote.busy}
            for zygote in self._all
        ]

    def stop(self) -> None:
        for zygote in self._all:
            zygote.stop()
        self._all.clear()
        self._idle.clear()
