"""The other side of verification.ts: one warm Python process that executes programs one by one.

It has no sandbox. Built to the described behaviour of the original's executor: a pool of one
process, `exec` of the program and `eval` of the call in it, 10 s for each, and a new process after
a time-out. A line of JSON on standard input, {"timeout": seconds, "work": [[program, call, times],
...]}, is answered by one: {"seconds": wall, "cpu": processor seconds, "values": [repr or null,
...]}.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import time


class Worker:
    """A child that was forked from this warm process, so that a restart costs the least it can."""

    def __init__(self) -> None:
        self._asked, asking = os.pipe()
        answered, self._answer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(asking)
            os.close(answered)
            self._serve()
        os.close(self._asked)
        os.close(self._answer)
        self._asking, self._answered = (
            os.fdopen(asking, "wb", buffering=0),
            os.fdopen(answered, "rb"),
        )

    def _serve(self) -> None:
        for line in os.fdopen(self._asked, "rb"):
            program, call, times = json.loads(line)
            try:
                namespace: dict = {}
                exec(program, namespace)
                values = [eval(call, namespace) for _ in range(times)]
                told = repr(values[0]) if all(value == values[0] for value in values) else None
            except Exception:  # noqa: BLE001 - a program raises what it likes
                told = None
            os.write(self._answer, json.dumps(told).encode() + b"\n")
        os._exit(0)

    def ask(self, item: list, timeout: float) -> tuple[bool, str | None]:
        """(whether it answered in time, the value's text)."""
        self._asking.write(json.dumps(item).encode() + b"\n")
        if not select.select([self._answered], [], [], timeout)[0]:
            return False, None
        return True, json.loads(self._answered.readline())

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self._asking.close()
        self._answered.close()


def _processor_seconds(pid: int) -> float:
    """This process, its reaped children and the worker that is alive."""
    own, gone = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    alive = time.clock_gettime((~pid << 3) | 2)
    return own.ru_utime + own.ru_stime + gone.ru_utime + gone.ru_stime + alive


def main() -> None:
    worker = Worker()
    for line in sys.stdin:
        job = json.loads(line)
        started, before = time.monotonic(), _processor_seconds(worker.pid)
        values = []
        for item in job["work"]:
            answered, value = worker.ask(item, job["timeout"])
            values.append(value)
            if not answered:
                worker.stop()
                worker = Worker()
        told = {
            "seconds": time.monotonic() - started,
            "values": values,
            "cpu": _processor_seconds(worker.pid) - before,
        }
        print(json.dumps(told), flush=True)
    worker.stop()


if __name__ == "__main__":
    main()
