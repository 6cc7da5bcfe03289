"""State of one broker and the verbs on it."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

from host.errors import RunnerError
from host.grading.operations import extract_programs, grade_program
from host.grading.requests import read_extract, read_grade
from host.interpreter import find_interpreter
from host.operations import (
    check_program,
    measure_distances,
    parse_programs,
    require_pool,
    run_program,
)
from host.packages import find_packages
from host.pool import Pool
from host.requests import HelloRequest, read_distance, read_hello, read_programs, read_run
from host.selftest import run_self_test

_EXECUTES = ("run", "check", "parse", "distance", "grade", "extract")


class Service:
    def __init__(self) -> None:
        self._pool: Pool | None = None
        self._allowed = False
        self._why = ""
        self._hash_seeds = [0]
        self._totals: Counter[str] = Counter()
        self._tasks: dict[object, asyncio.Task[None]] = {}

    def remember(self, request: dict[str, Any], task: asyncio.Task[None]) -> None:
        """Keep the task of a request until it is done, so that 'cancel' finds it."""
        key = request.get("id")
        if isinstance(key, (str, int)) and request["op"] in _EXECUTES:
            self._tasks[key] = task
            task.add_done_callback(lambda _: self._tasks.pop(key, None))

    async def handle(self, request: dict[str, Any]) -> dict[str, Any] | list[Any]:
        """The result of one request; RunnerError for what can be told in a sentence."""
        operation = request["op"]
        if operation == "hello":
            return await self._hello(read_hello(request))
        if operation in _EXECUTES:
            return await self._execute(operation, request)
        if operation == "cancel":
            return self._cancel(request.get("job"))
        if operation == "stats":
            return self._stats()
        if operation == "shutdown":
            self.stop()
            return {"stopped": True}
        raise RunnerError(
            "unknownOp",
            f"There is no op {operation[:40]!r}; use hello, run, check, "
            "parse, distance, grade, extract, cancel, stats or shutdown.",
        )

    async def _execute(self, operation: str, request: dict[str, Any]) -> dict[str, Any] | list[Any]:
        pool = require_pool(self._pool, self._allowed, self._why)
        if operation == "parse":
            answers = await parse_programs(pool, read_programs(request), self._hash_seeds[0])
            return answers if "programs" in request else answers[0]
        if operation == "distance":
            return await measure_distances(pool, *read_distance(request), self._hash_seeds[0])
        if operation == "extract":
            return await extract_programs(pool, read_extract(request), self._hash_seeds[0])
        if operation == "grade":
            return await grade_program(pool, read_grade(request, self._hash_seeds), self._totals)
        wanted = read_run(request, self._hash_seeds)
        if operation == "check":
            return await check_program(pool, wanted, self._hash_seeds, self._totals)
        return await run_program(pool, wanted, self._totals)

    async def _hello(self, wanted: HelloRequest) -> dict[str, Any]:
        if self._pool is not None:
            return await self._greet_again(wanted)
        interpreter = find_interpreter()
        interpreter = replace(interpreter, packages=find_packages(interpreter))
        self._hash_seeds = wanted.hash_seeds
        levels = ["L3", "L2"] if wanted.level == "auto" else [wanted.level]
        reasons: list[str] = []
        for level in levels:
            pool = Pool(level, wanted.workers, interpreter)
            try:
                await pool.warm(wanted.hash_seeds)
            except RunnerError as error:
                pool.stop()
                reasons.append(str(error))
                continue
            return await self._accept(pool, reasons)
        self._why = "Programs cannot be executed on this machine. " + " ".join(reasons)
        return {
            "level": levels[-1],
            "why": self._why,
            "python": interpreter.version,
            "selfTest": [],
            "executionAllowed": False,
        }

    async def _greet_again(self, wanted: HelloRequest) -> dict[str, Any]:
        """A later hello runs the self-test again; what it starts with cannot change any more."""
        pool = self._pool
        assert pool is not None
        same = (
            wanted.level in ("auto", pool.level)
            and wanted.workers == pool.workers
            and wanted.hash_seeds == self._hash_seeds
        )
        if not same:
            raise RunnerError(
                "alreadyStarted", "This broker was started with other settings; start another one."
            )
        return await self._accept(pool, [])

    async def _accept(self, pool: Pool, reasons: list[str]) -> dict[str, Any]:
        """Run the self-test at the level that started; a failed probe disables execution."""
        self._pool = pool
        probes = [] if pool.level == "unsafe" else await run_self_test(pool)
        failed = [probe for probe in probes if not probe["ok"]]
        self._allowed = not failed
        if failed:
            named = "; ".join(f"{probe['probe']}: {probe['detail']}" for probe in failed)
            self._why = (
                f"The {pool.level} sandbox let a probe through, so execution is disabled ({named})."
            )
            pool.stop()
        elif pool.level == "unsafe":
            self._why = (
                "Unsafe was asked for: programs run with resource limits only, without a sandbox."
            )
        else:
            self._why = " ".join([*reasons, f"{pool.level} passed all {len(probes)} probes."])
        return {
            "level": pool.level,
            "why": self._why,
            "python": pool.interpreter.version,
            "selfTest": probes,
            "executionAllowed": self._allowed,
        }

    def _cancel(self, key: object) -> dict[str, Any]:
        task = self._tasks.get(key) if isinstance(key, (str, int)) else None
        return {"cancelled": task.cancel() if task is not None else False}

    def _stats(self) -> dict[str, Any]:
        pool = self._pool
        return {
            "level": pool.level if pool else None,
            "executionAllowed": self._allowed,
            "jobs": pool.counts["jobs"] if pool else 0,
            "respawned": pool.counts["respawned"] if pool else 0,
            "waiting": pool.waiting if pool else 0,
            "byStatus": dict(self._totals),
            "workers": pool.workers_now() if pool else [],
        }

    def stop(self) -> None:
        """Kill every sandbox process. Nothing of a job outlives this call."""
        if self._pool is not None:
            self._pool.stop()
